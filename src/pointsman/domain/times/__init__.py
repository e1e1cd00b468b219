"""Time phrases, Chinese and English, with a reference instant and a zone.

``phrases`` finds them in a text; each has one or more readings, the likeliest first. A phrase that
is not settled must be asked about. Settled by rule: a bare 三点 is the afternoon, a bare 10点 the
nearest one to come, a span's instant is its start. Not settled: a 今天9点 that has passed, a
"Friday" said on a Friday, a "next Friday" when this week's is still to come, 3/5/2026. A phrase
without a reading names a time that does not exist. Nothing past is read as if it were to come: a
reading that lies in the past says so in its notes.

In order, from the text up: ``words`` (pieces), ``amounts``, ``dates_zh``, ``dates_en``, ``hours``,
``repeats``, ``moments`` (rules, run by ``cascade`` in the order of ``grammar``), then ``reading``,
which is the first to look at the reference. ``calendar`` and ``clocks`` hold what is said,
``day_arithmetic`` what it means.
"""

from datetime import datetime, time, tzinfo
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.bounds import bounded
from pointsman.domain.calendar.workdays import Workdays
from pointsman.domain.times.calendar import Length, WeekdayOf, Within, grain
from pointsman.domain.times.clocks import going_on, in_part
from pointsman.domain.times.grammar import Lead, Said, leads, said
from pointsman.domain.times.moments import Moment, Range
from pointsman.domain.times.placing import Note, Placed, Reference, When, Why
from pointsman.domain.times.ranges import ranged
from pointsman.domain.times.reading import placed

__all__ = [
    "Lead",
    "Length",
    "Note",
    "TimePhrase",
    "Weekly",
    "When",
    "Why",
    "ends",
    "leads",
    "phrases",
    "readings",
    "weekly",
]


class TimePhrase(Struct, frozen=True, kw_only=True):
    """Words that name a time.

    Attributes:
        readings: the likeliest first; empty when there is no such time.
        also: readings that are as right in another context (a 3月5号 that has passed this year).
        other: what the words allow and the rules do not take (22:00 for 明天10点): whoever takes it
            should ask.
        settled: the first reading is meant; otherwise the user is to be asked which.
        why: what is special about it.
        clock: times of day that the words can mean, when they name one.
        notes: what whoever acts on the first reading must be told.
        bound: ``before`` or ``after`` when the words only bound something (周五之前): the readings
            are the bound.
        ends: the two ends of a range, as phrases of their own.
    """

    start: int
    end: int
    readings: tuple[When, ...]
    also: tuple[When, ...] = ()
    other: tuple[When, ...] = ()
    settled: bool = True
    why: Why = ""
    clock: tuple[time, ...] = ()
    notes: tuple[Note, ...] = ()
    bound: str = ""
    ends: "tuple[TimePhrase, ...]" = ()


def readings(text: str, now: datetime, zone: tzinfo | None = None) -> tuple[When, ...]:
    """What the first time phrase of a text can mean; empty when it names none or an impossible one.

    Args:
        now: the reference, aware.
        zone: of the answer and of times without an offset; the reference's own when None.
    """
    found = phrases(text, now, zone)
    return found[0].readings if found else ()


def phrases(
    text: str, now: datetime, zone: tzinfo | None = None, workdays: Workdays | None = None
) -> tuple[TimePhrase, ...]:
    """Every time phrase of a text, in its order; a range is one.

    Args:
        workdays: the country's working days; without them, Monday to Friday, and the phrase notes
            it.
    """
    local = now.astimezone(zone) if zone is not None else now
    return _phrases(bounded(text), local, local.tzinfo, workdays)


def ends(text: str, now: datetime, zone: tzinfo | None = None) -> tuple[TimePhrase, ...]:
    """Every time phrase of a text, each end of a range by itself."""
    found = phrases(text, now, zone)
    return tuple(one for phrase in found for one in (phrase.ends or (phrase,)))


class Weekly(Struct, frozen=True):
    """Weekdays that a habit or a range holds, 0 for Monday, and where they stand."""

    weekdays: tuple[int, ...]
    start: int
    end: int


def weekly(text: str) -> tuple[Weekly, ...]:
    """The weekdays of habits (every day, 每周二) and of ranges (Monday to Friday) in a text."""
    found = ((one, _weekdays(one.what)) for one in said(bounded(text)))
    return tuple(Weekly(days, one.start, one.end) for one, days in found if days)


def _weekdays(what: Moment | Range) -> tuple[int, ...]:
    if isinstance(what, Range) and what.first.repeat is not None:
        return _weekdays(what.first)
    if isinstance(what, Range):
        first, last = what.first.days, what.last.days
        if isinstance(first, WeekdayOf) and isinstance(last, WeekdayOf):
            apart = (last.weekday - first.weekday) % 7
            return tuple((first.weekday + n) % 7 for n in range(apart + 1))
        return ()
    if what.repeat is None or what.repeat.frequency not in ("DAILY", "WEEKLY"):
        return ()
    return what.repeat.weekdays or tuple(range(7))


@lru_cache(maxsize=512)
def _phrases(
    text: str, now: datetime, zone: tzinfo | None, workdays: Workdays | None
) -> tuple[TimePhrase, ...]:
    """The zone is only for the cache: instants of two zones can be equal."""
    at = Reference(now, workdays)
    row = said(text)
    return tuple(
        _range(one, what, at) if isinstance(what, Range) else _single(one, what, at)
        for one, what in zip(row, _told(row), strict=True)
    )


def _told(row: tuple[Said, ...]) -> list[Moment | Range]:
    """What was said, each with what it takes from its neighbours."""
    told: list[Moment | Range] = []
    before: Moment | None = None
    for one in row:
        what = _with_week(_with_day(one, before), one, before)
        told.append(what)
        before = what.first if isinstance(what, Range) else what
    for at in range(len(row) - 2, -1, -1):
        told[at] = _with_clock(told[at], row[at + 1], told[at + 1])
    return told


def _with_day(one: Said, before: Moment | None) -> Moment | Range:
    """What was said, with the day of what it goes on from (明天3点和5点)."""
    what = one.what
    if not one.goes_on or before is None or isinstance(what, Range):
        return what
    if not what.clocks or what.days or what.away or what.repeat or not (before.days or before.away):
        return what
    clocks = what.clocks
    if before.clocks:
        clocks = tuple(going_on(clock, before.clocks[-1]) for clock in clocks)
    elif before.part and clocks[0].bare and in_part(clocks[0], before.part).hours:
        clocks = tuple(in_part(clock, before.part) for clock in clocks)
    return replace(what, days=before.days, away=before.away, sign=before.sign, clocks=clocks)


def _with_week(what: Moment | Range, one: Said, before: Moment | None) -> Moment | Range:
    """A weekday in the week of an earlier one that it goes on from (下周二和周四)."""
    if not one.goes_on or before is None or isinstance(what, Range):
        return what
    days, within = what.days, before.days
    if not isinstance(days, WeekdayOf) or days.weeks is not None:
        return what
    match within:
        case WeekdayOf(weeks=int()) if within.weekday < days.weekday:
            return replace(what, days=replace(within, weekday=days.weekday))
        case Within(inner=WeekdayOf(weeks=None) as first) if (
            first.weekday < days.weekday and not before.clocks
        ):
            return replace(what, days=replace(within, inner=days))
    return what


def _with_clock(what: Moment | Range, following: Said, after: Moment | Range) -> Moment | Range:
    """What was said, with the clock time of the day that goes on from it (周二和周四上午九点)."""
    if not following.goes_on or isinstance(what, Range) or isinstance(after, Range):
        return what
    own = following.what
    if isinstance(own, Range) or not own.days or not after.clocks or after.bound:
        return what
    if what.days is None or grain(what.days) != "day" or what != Moment(days=what.days):
        return what
    return replace(what, clocks=after.clocks)


def _single(one: Said, what: Moment, at: Reference) -> TimePhrase:
    return _phrase(one.start, one.end, placed(what, at), bound=what.bound)


def _range(one: Said, what: Range, at: Reference) -> TimePhrase:
    whole, first, last = ranged(what, at)
    border, begin = what.border
    both = (_phrase(one.start, border, first), _phrase(begin, one.end, last))
    return _phrase(one.start, one.end, whole, parts=both)


def _phrase(
    start: int, end: int, found: Placed, *, bound: str = "", parts: tuple[TimePhrase, ...] = ()
) -> TimePhrase:
    return TimePhrase(
        start=start,
        end=max(end, start + 1),
        readings=found.readings,
        also=found.also,
        other=found.other,
        settled=found.settled,
        why=found.why,
        clock=found.clock,
        notes=found.notes,
        bound=bound,
        ends=parts,
    )
