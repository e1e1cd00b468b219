"""Whether a date or time that a model wrote is what the user's words mean.

The same parser reads both sides, so any format will do: ``2026-03-01``, ``3/1/2026``, ``next
Monday``. A value's day and clock may stand apart in the text ("on Friday … at 3 pm").
"""

import re
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from pointsman.domain.times import TimePhrase, When, ends

_DAY = timedelta(days=1)
_BOUNDS = frozenset({time(0, 0), time(23, 59), time(23, 59, 59)})
_TO = re.compile(r"\s*(?:到|至|[-~–—]+|to|until|till|through|and)\s*(?:the\s+)?", re.IGNORECASE)
_CLOCK_OFFSET = re.compile(r"(?P<clock>\d{2}:\d{2}(?::\d{2})?)(?P<offset>Z|[+-]\d{2}:\d{2})")
_HOURS = re.compile(r"hour|time|小时|时间|点|minute|分钟")
_CALENDAR = re.compile(rf"year|decade|年|month|月|day|日|号|{_HOURS.pattern}")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_SPAN = re.compile(r"\s*(?:/|~|至|到|\bto\b|(?<=\d)\s?[-–—]\s?(?=\d))\s*", re.IGNORECASE)


class Said(Struct, frozen=True, kw_only=True):
    """What days and times a text names.

    Attributes:
        days: day → the phrase that names it; edges of spans count.
        inside: days inside a named span, its edges too.
        clocks: time of day → the phrase.
        instants: exact instants, without clock words ("in 2 hours").
    """

    days: dict[date, TimePhrase]
    inside: dict[date, TimePhrase]
    clocks: dict[time, TimePhrase]
    instants: dict[datetime, TimePhrase]


class Moment(Struct, frozen=True, kw_only=True):
    """Where a date or time was said; ``rivals`` when the words can mean another one as well."""

    start: int
    end: int
    rivals: tuple[When, ...] = ()


def said(text: str, now: datetime) -> Said:
    """Everything that a text says about days and times."""
    return _said(text, now, now.tzinfo)


@lru_cache(maxsize=256)
def _said(text: str, now: datetime, zone: tzinfo | None) -> Said:
    found = ends(text, now)
    days: dict[date, TimePhrase] = {}
    inside: dict[date, TimePhrase] = {}
    clocks: dict[time, TimePhrase] = {}
    instants: dict[datetime, TimePhrase] = {}
    for phrase in found:
        for one in phrase.clock:
            clocks.setdefault(one, phrase)
        for when in (*phrase.readings, *phrase.also, *phrase.other):
            instants.setdefault(when.start, phrase)
            if when.end is not None:
                instants.setdefault(when.end, phrase)
            if not phrase.clock and when.grain in ("minute", "second", "part"):
                clocks.setdefault(when.start.time().replace(microsecond=0), phrase)
            if when in phrase.other:
                continue
            for day in _edges(when):
                days.setdefault(day, phrase)
            _fill(inside, when, phrase)
    for first, last in pairwise(found):
        if first.readings and last.readings and _TO.fullmatch(text[first.end : last.start]):
            span = When(start=first.readings[0].start, end=last.readings[0].start + _DAY)
            _fill(inside, span, first)
    return Said(days=days, inside=inside, clocks=clocks, instants=instants)


def _edges(when: When) -> tuple[date, ...]:
    first = when.start.date()
    if when.end is None:
        return (first,)
    return first, (when.end - timedelta(seconds=1)).date()


def _fill(inside: dict[date, TimePhrase], when: When, phrase: TimePhrase) -> None:
    if when.end is None:
        return
    day = when.start.date()
    for _ in range(62):
        if day >= when.end.date():
            break
        inside.setdefault(day, phrase)
        day += _DAY


def moment(value: object, text: str, now: datetime, *, listed: bool = False) -> Moment | None:
    """Where the text names the day or time that a value writes, or None.

    Args:
        value: as the model wrote it.
        now: aware, in the user's zone.
        listed: it is one of a list: any day of a named span will do.
    """
    facts = said(text, now)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None
    written = str(value).strip()
    if bounds := _SPAN.split(written, maxsplit=1)[1:]:
        whole = _read(written, now)
        if whole is None or len(ends(written, now)) > 1 or _YEAR.fullmatch(bounds[0]):
            first = _of_text(_SPAN.split(written, maxsplit=1)[0], text, facts, now, listed)
            last = _of_text(bounds[0], text, facts, now, listed)
            return first if first and last else None
    return _of_text(written, text, facts, now, listed)


def _of_text(written: str, text: str, facts: Said, now: datetime, listed: bool) -> Moment | None:
    if _YEAR.fullmatch(written):
        return calendar_number(int(written), "year", text, now)
    if re.fullmatch(r"\d{4}-\d{2}", written):
        return _month(written, facts)
    if clock := _CLOCK_OFFSET.fullmatch(written):
        if clock["offset"] not in (now.isoformat()[-6:], "Z"):
            return None
        written = clock["clock"]
    phrase = _read(written, now)
    if phrase is None or not phrase.readings:
        return None
    when = phrase.readings[0]
    if phrase.clock and _is_clock_only(written):
        allowed = [*phrase.clock, *(time(0, 0) for one in phrase.clock if one == time(23, 59))]
        return next((_at(facts.clocks[t], clock=t) for t in allowed if t in facts.clocks), None)
    if phrase.clock or when.grain in ("minute", "second"):
        return _instant(when, facts)
    if when.grain == "day":
        return _day(when.start.date(), facts, listed)
    spans = [*phrase.readings, *phrase.also]
    return next(
        (_at(facts.instants[one.start]) for one in spans if one.start in facts.instants), None
    )


def _read(written: str, now: datetime) -> TimePhrase | None:
    found = ends(written, now)
    return found[0] if found else None


def _is_clock_only(written: str) -> bool:
    return bool(
        re.fullmatch(
            r"\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?|[一-鿿\d]{0,6}[点时][一-鿿\d]{0,4}",
            written,
            re.IGNORECASE,
        )
    )


def _day(day: date, facts: Said, listed: bool) -> Moment | None:
    phrase = facts.days.get(day) or (facts.inside.get(day) if listed else None)
    return _at(phrase) if phrase else None


def _instant(when: When, facts: Said) -> Moment | None:
    phrase = facts.instants.get(when.start)
    if phrase is not None and when not in phrase.other:
        return _at(phrase)
    apart = _day_with_clock(when.start, facts)
    if phrase is None or (apart is not None and not apart.rivals):
        return apart
    return _at(phrase, instant=when)


def _day_with_clock(instant: datetime, facts: Said) -> Moment | None:
    """The day named in one place and the time of day in another; midnight may be the day's edge."""
    day, clock = instant.date(), instant.time().replace(microsecond=0)
    phrase = facts.days.get(day)
    if phrase is None and clock in _BOUNDS:
        phrase = facts.inside.get(day)
    if phrase is None:
        return None
    if timed := facts.clocks.get(clock):
        return _at(timed, clock=clock)
    return _at(phrase) if clock in _BOUNDS else None


def _at(phrase: TimePhrase, *, instant: When | None = None, clock: time | None = None) -> Moment:
    rivals: tuple[When, ...] = ()
    if not phrase.settled and len(phrase.readings) > 1:
        rivals = phrase.readings
    elif (instant is not None and instant in phrase.other) or (
        clock is not None and not _is_usual(clock, phrase)
    ):
        rivals = (*phrase.readings[:1], *phrase.other[:1])
    return Moment(start=phrase.start, end=phrase.end, rivals=rivals)


def _is_usual(clock: time, phrase: TimePhrase) -> bool:
    """Whether a time of day is what the words mean by themselves or right now."""
    return (
        len(phrase.clock) < 2
        or clock == phrase.clock[0]
        or any(clock == when.start.time() for when in phrase.readings)
        or not phrase.other
    )


def _month(written: str, facts: Said) -> Moment | None:
    for day, phrase in facts.days.items():
        if day.isoformat().startswith(written):
            return _at(phrase)
    return None


def of_calendar(about: str) -> bool:
    """Whether a parameter's name or words speak of a year, a month, a day or a time of day."""
    return _CALENDAR.search(about.casefold()) is not None


def calendar_number(value: float, about: str, text: str, now: datetime) -> Moment | None:
    """Where the text names a date or clock time of which the number is the part that ``about``
    speaks of: a year, a month, a day, an hour (also 1500 for 15:00)."""
    whole, words = int(value), about.casefold()
    if whole != value:
        return None
    facts = said(text, now)
    for day, phrase in facts.days.items():
        parts = (("year|decade|年", day.year), ("month|月", day.month), ("day|日|号", day.day))
        if any(whole == part and re.search(name, words) for name, part in parts):
            return _at(phrase)
    if not _HOURS.search(words):
        return None
    for clock, phrase in facts.clocks.items():
        if whole in (clock.hour, clock.minute, clock.hour * 100 + clock.minute):
            return _at(phrase)
    return None
