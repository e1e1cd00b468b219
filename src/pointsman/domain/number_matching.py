"""Numbers that a message says in other words: "1200 million", "high", "without fee"."""

import re
from datetime import datetime
from typing import Any

from pointsman.domain.flags import topics
from pointsman.domain.matches import Match, any_of, located
from pointsman.domain.moments import calendar_number
from pointsman.domain.natures import Parameter
from pointsman.domain.numerals import numbers
from pointsman.domain.phrases import fold
from pointsman.domain.places import cities_near
from pointsman.domain.units import quantities

_SCALED = re.compile(r"million|billion|thousand|万|亿|千元|百万", re.IGNORECASE)
_DURATION = re.compile(r"duration|length|lasting|时长|持续|期限|长度", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_DEGREES = re.compile(r"(?P<which>lat|lon|lng)", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:high|highest|max|maximum|full|intense|strongest|severe)\b|最大|最高|最强|满分|很高|剧烈"
)
_DEGREE = re.compile(
    r"level|power|intensity|strength|severity|volume|brightness|speed|score|rating|priority|depth"
    r"|级|强度|力度|功率|程度|音量|亮度|速度|评分|深度",
    re.IGNORECASE,
)
_LEAST = re.compile(r"\b(?:low|lowest|min|minimum|least|lightest)\b|最小|最低|最弱|最少")


def scaled(value: Any, wanted: Parameter, text: str) -> Match | None:
    """1200 for "1200 million" where the parameter counts in millions."""
    if not _SCALED.search(wanted.words):
        return None
    for number in numbers(fold(text)):
        if number.figure == value != number.value:
            return located((number.start, number.end), "scale", text)
    return None


def coordinate(value: Any, wanted: Parameter, text: str) -> Match | None:
    """A latitude or longitude of a large city that the text names."""
    about = _DEGREES.search(wanted.name)
    if about is None or not isinstance(value, int | float):
        return None
    cities = cities_near(float(value), longitude=about["which"][:2].lower() in ("lo", "ln"))
    return any_of(cities, text, "place")


def calendar_part(value: Any, text: str, now: datetime, wanted: Parameter) -> Match | None:
    if not isinstance(value, int | float):
        return None
    found = calendar_number(float(value), f"{wanted.name} {wanted.words}", text, now)
    return Match(found.start, found.end, "time") if found else None


def bound(value: Any, wanted: Parameter, text: str) -> Match | None:
    """The schema's greatest value for "high", "full", 最大, and its least for "low", where it
    counts degrees of something: never an amount."""
    if not _DEGREE.search(f"{wanted.name} {wanted.words}"):
        return None
    for keyword, pattern in (("maximum", _MOST), ("minimum", _LEAST)):
        if wanted.schema.get(keyword) == value and (found := pattern.search(fold(text))):
            return located(found.span(), "bound", text)
    return None


def nothing(value: Any, wanted: Parameter, text: str) -> Match | None:
    """0 for "without penalty", 免运费."""
    if value != 0:
        return None
    folded = fold(text)
    for topic in topics(wanted.name, wanted.words):
        if found := re.search(
            rf"(?:\b(?:no|without|zero|free)\s+(?:\w+\s+)?|免|无|没有|不收){topic}\w*", folded
        ):
            return located(found.span(), "nothing", text)
    return None


def lasting(value: Any, wanted: Parameter, text: str) -> Match | None:
    """00:30 for "30 minutes" where the parameter is a duration."""
    written = _CLOCK.fullmatch(str(value))
    if written is None or not _DURATION.search(f"{wanted.name} {wanted.words}"):
        return None
    hours, minutes, seconds = (int(part or 0) for part in written.groups())
    total = hours * 3600 + minutes * 60 + seconds
    for quantity in quantities(fold(text)):
        if quantity.kind == "time" and quantity.amount == total:
            return located((quantity.start, quantity.end), "quantity", text)
    return None
