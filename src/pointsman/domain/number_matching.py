"""Numbers that a message says in other words: "1200 million", "high", "without fee"."""

import re
from datetime import datetime
from typing import Any

from pointsman.domain.flags import topics
from pointsman.domain.matches import Match, any_of
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
_LEAST = re.compile(r"\b(?:low|lowest|min|minimum|least|lightest)\b|最小|最低|最弱|最少")


def scaled(value: Any, wanted: Parameter, text: str) -> Match | None:
    """1200 for "1200 million" where the parameter counts in millions."""
    if not _SCALED.search(wanted.words):
        return None
    for number in numbers(text):
        if number.figure == value != number.value:
            return Match(number.start, number.end, "scale")
    return None


def coordinate(value: Any, wanted: Parameter, text: str) -> Match | None:
    """A latitude or longitude of a large city that the text names."""
    about = _DEGREES.search(wanted.name)
    if about is None or not isinstance(value, int | float):
        return None
    cities = cities_near(float(value), longitude=about["which"][:2].lower() in ("lo", "ln"))
    return any_of(cities, text, "place")


def calendar_part(value: Any, text: str, now: datetime, wanted: Parameter) -> Match | None:
    found = calendar_number(float(value), f"{wanted.name} {wanted.words}", text, now)
    return Match(found.start, found.end, "time") if found else None


def bound(value: Any, wanted: Parameter, text: str) -> Match | None:
    """The schema's greatest value for "high", "full", 最大, and its least for "low"."""
    for keyword, pattern in (("maximum", _MOST), ("minimum", _LEAST)):
        if wanted.schema.get(keyword) == value and (found := pattern.search(fold(text))):
            return Match(*found.span(), "bound")
    return None


def nothing(value: Any, wanted: Parameter, text: str) -> Match | None:
    """0 for "without penalty", 免运费."""
    if value != 0:
        return None
    folded = fold(text)
    for topic in topics(wanted.name, wanted.words):
        if found := re.search(
            rf"(?:\b(?:no|without|zero|free)\s+(?:\w+\s+)?|免|无|没有|不收){topic}", folded
        ):
            return Match(*found.span(), "nothing")
    return None


def lasting(value: Any, wanted: Parameter, text: str) -> Match | None:
    """00:30 for "30 minutes" where the parameter is a duration."""
    written = _CLOCK.fullmatch(str(value))
    if written is None or not _DURATION.search(f"{wanted.name} {wanted.words}"):
        return None
    hours, minutes, seconds = (int(part or 0) for part in written.groups())
    total = hours * 3600 + minutes * 60 + seconds
    for quantity in quantities(text):
        if quantity.kind == "time" and quantity.amount == total:
            return Match(quantity.start, quantity.end, "quantity")
    return None
