"""What a range means: each end lends the other the day, month, year or half of the day it lacks."""

from msgspec.structs import replace

from pointsman.domain.times.calendar import (
    Days,
    Exact,
    Length,
    Shifted,
    grain,
    period,
)
from pointsman.domain.times.clocks import Clock
from pointsman.domain.times.day_arithmetic import (
    Dates,
    Meant,
    inside,
    meant,
    whole,
)
from pointsman.domain.times.moments import Moment, Range
from pointsman.domain.times.placing import Note, Placed, Reference, When
from pointsman.domain.times.reading import placed


def ranged(span: Range, at: Reference) -> tuple[Placed, Placed, Placed]:
    """A range as a whole, and both its ends: each lends the other what it lacks. What comes again
    does so when its span begins (每天9点到10点)."""
    first, last = completed(span.first, span.last, at)
    start = placed(first, at)
    end = placed(last, at)
    if first.repeat is not None:
        return start, start, end
    pairs = _pairs(start, end)
    if not pairs:
        whole = Placed(readings=(), settled=False, why=start.why or end.why or "impossible")
        return whole, start, end
    whole = Placed(
        readings=tuple(pairs),
        also=tuple(_pairs(replace(start, readings=start.also), end)),
        settled=start.settled and end.settled,
        why=start.why or end.why,
        clock=start.clock,
        notes=_notes(start, pairs[0], at),
    )
    return whole, start, end


def _notes(start: Placed, span: When, at: Reference) -> tuple[Note, ...]:
    """What is to be told of a range: it is past when its end is, not when it has begun."""
    notes: tuple[Note, ...] = tuple(note for note in start.notes if note != "past")
    return (*notes, "past") if span.end is not None and span.end <= at.utc else notes


def _pairs(start: Placed, end: Placed) -> list[When]:
    """Each start with the end that comes next after it."""
    ends = sorted(
        (when.end or when.start for when in (*end.readings, *end.also, *end.other)),
    )
    usual = [when.end or when.start for when in end.readings]
    made = []
    for when in start.readings:
        after = [one for one in usual if one > when.start] or [
            one for one in ends if one > when.start
        ]
        if after:
            made.append(When(start=when.start, end=after[0], grain="span"))
    return made


def completed(first: Moment, last: Moment, at: Reference) -> tuple[Moment, Moment]:
    """Both ends with the day, month, year or half of the day that only the other one names."""
    try:
        if first.days is not None and last.days is not None:
            first, last = _both_dated(first, last, at)
        elif first.days is None and last.days is not None and first.clocks:
            first = replace(first, days=last.days)
        elif last.days is None and first.days is not None and (last.clocks or last.part):
            last = replace(last, days=_same_or_next_day(first, last))
    except (ValueError, OverflowError):
        return first, last
    if first.clocks and last.clocks and first.clocks[0].bare and not last.clocks[0].bare:
        first = replace(first, clocks=(_before(first.clocks[0], last.clocks[0]),))
    return first, last


def _same_or_next_day(first: Moment, last: Moment) -> Days:
    """从晚上10点到早上6点 goes on after midnight."""
    assert first.days is not None
    if not (first.clocks and last.clocks and first.clocks[0].hours and last.clocks[0].hours):
        return first.days
    one, other = first.clocks[0], last.clocks[0]
    if max((hour, other.minute) for hour in other.hours) > (one.hours[0], one.minute):
        return first.days
    return Shifted(first.days, Length(days=1), 1)


def _before(one: Clock, other: Clock) -> Clock:
    """The hour of a bare clock time that is nearest before the other: 3 to 4 pm."""
    hours = [hour for hour in one.hours if other.hours and hour < other.hours[0]]
    return replace(one, hours=(max(hours),), bare=False) if hours else one


def _both_dated(first: Moment, last: Moment, at: Reference) -> tuple[Moment, Moment]:
    assert first.days is not None
    assert last.days is not None
    one, other = period(first.days), period(last.days)
    if one and (other == "" or (one, other) == ("month", "year")):
        end = meant(last.days, at.today, at.workdays).options
        if end:
            span = whole(one, end[0][0])
            found = inside(first.days, span, at.workdays)
            if found and found[0] > end[0][0]:
                found = inside(first.days, whole(one, end[0][0], -1), at.workdays)
            if found:
                first = replace(first, days=Exact(*found, grain(first.days)))
    start = meant(first.days or last.days, at.today, at.workdays)
    if not other or not start.options:
        return first, last
    begun = _running(start, last.days, at) if one == other else None
    chosen = begun or start.options[0]
    if begun:
        first = replace(first, days=Exact(*begun, grain(first.days)))  # type: ignore[arg-type]
    end = meant(last.days, chosen[0], at.workdays).options
    if end:
        last = replace(last, days=Exact(*end[0], grain(last.days)))
    return first, last


def _running(start: Meant, last: Days, at: Reference) -> Dates | None:
    """The range that has begun and not ended: 3月到5月, said in April."""
    for begun in start.also[:1]:
        end = meant(last, begun[0], at.workdays).options
        if end and end[0][1] > at.today:
            return begun
    return None
