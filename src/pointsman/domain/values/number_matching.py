"""Numbers that a message says in other words: "1200 million", "high", "without fee"."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

from pointsman.domain.flags import topics
from pointsman.domain.phrases import fold
from pointsman.domain.values.matches import Match, any_of, located
from pointsman.domain.values.moments import calendar_number, of_calendar
from pointsman.domain.values.natures import Parameter
from pointsman.domain.values.numerals import numbers
from pointsman.domain.values.places import cities_near
from pointsman.domain.values.units import quantities

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


_Way = Callable[[float, Parameter, str, datetime], Match | None]


def otherwise(value: Any, wanted: Parameter, text: str, now: datetime) -> Match | None:
    """Where a message says a number in one of the ways that fit the parameter."""
    if not isinstance(value, int | float):
        return None
    for way in _ways(wanted.name, wanted.words):
        if found := way(value, wanted, text, now):
            return found
    return None


@lru_cache(maxsize=2048)
def _ways(name: str, words: str) -> tuple[_Way, ...]:
    about = f"{name} {words}"
    fitting = (
        (_SCALED.search(words), _scaled),
        (_DEGREES.search(name), _coordinate),
        (_DEGREE.search(about), _bound),
        (True, _nothing),
        (of_calendar(about), _calendar_part),
    )
    return tuple(way for fits, way in fitting if fits)


def _scaled(value: float, wanted: Parameter, text: str, now: datetime) -> Match | None:
    """1200 for "1200 million" where the parameter counts in millions."""
    for number in numbers(fold(text)):
        if number.figure == value != number.value:
            return located((number.start, number.end), "scale", text)
    return None


def _coordinate(value: float, wanted: Parameter, text: str, now: datetime) -> Match | None:
    """A latitude or longitude of a large city that the text names."""
    about = _DEGREES.search(wanted.name)
    longitude = about is not None and about["which"][:2].lower() in ("lo", "ln")
    return any_of(cities_near(float(value), longitude=longitude), text, "place")


def _calendar_part(value: float, wanted: Parameter, text: str, now: datetime) -> Match | None:
    found = calendar_number(float(value), f"{wanted.name} {wanted.words}", text, now)
    return Match(found.start, found.end, "time") if found else None


def _bound(value: float, wanted: Parameter, text: str, now: datetime) -> Match | None:
    """The schema's greatest value for "high", "full", 最大, and its least for "low", where it
    counts degrees of something: never an amount."""
    for keyword, pattern in (("maximum", _MOST), ("minimum", _LEAST)):
        if wanted.schema.get(keyword) == value and (found := pattern.search(fold(text))):
            return located(found.span(), "bound", text)
    return None


def _nothing(value: float, wanted: Parameter, text: str, now: datetime) -> Match | None:
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
