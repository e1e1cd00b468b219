"""What was said about one time, and how two pieces of it go together."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.times.calendar import (
    Both,
    Counted,
    Days,
    Length,
    Relative,
    Shifted,
    WeekdayOf,
    Window,
    Within,
    fits,
    grain,
    period,
)
from pointsman.domain.times.cascade import Piece
from pointsman.domain.times.clocks import Clock, in_part
from pointsman.domain.times.kinds import kind
from pointsman.domain.times.repeats import Repeat
from pointsman.domain.times.written import Written


class Moment(Struct, frozen=True, kw_only=True):
    """Everything that was said about one time.

    Attributes:
        clocks: several only in a recurrence (9点和14点).
        away: so long from now, counted with ``sign``.
        window: a span that ends or begins now.
        since, until: the first and the last day of a recurrence.
        bound: ``before`` or ``after`` when the time only bounds something.
        end_of_day: the day's last moment.
        same_time: at the clock time that it is now.
        unread: the words are understood only in part.
    """

    days: Days | None = None
    part: str = ""
    clocks: tuple[Clock, ...] = ()
    repeat: Repeat | None = None
    away: Length | None = None
    window: Length | None = None
    sign: int = 1
    written: Written | None = None
    zone: tuple[str, int] | None = None
    now: bool = False
    end_of_day: bool = False
    same_time: bool = False
    unread: bool = False
    bound: str = ""
    since: "Moment | None" = None
    until: "Moment | None" = None


class Range(Struct, frozen=True):
    """From one moment to another; ``border`` is where the first ends and where the other begins."""

    first: Moment
    last: Moment
    border: tuple[int, int]


TODAY = Relative("day", 0)


def moment(piece: Piece) -> Moment | None:
    """What a piece says, as a moment; None for what is no time by itself."""
    value: Any = piece.value
    match _NAMES.get(piece.kind):
        case "moment":
            return value if isinstance(value, Moment) else None
        case "day":
            return Moment(days=value)
        case "clock":
            return Moment(clocks=(value,))
        case "part":
            return Moment(part=value)
        case "tonight":
            return Moment(days=TODAY, part="evening")
        case "shift":
            return Moment(away=value[0], sign=value[1])
        case "window":
            return Moment(window=value[0], sign=value[1])
        case "span_from_now":
            return Moment(window=value, bound="within")
        case "written":
            return Moment(written=value)
        case "now":
            return Moment(now=True)
        case "eod":
            return Moment(end_of_day=True)
        case "unread":
            return Moment(unread=True)
        case "repeat":
            return Moment(repeat=value)
    return None


_NAMES = {
    kind(name): name
    for name in (
        "moment day clock part tonight shift window span_from_now written now repeat eod "
        "unread".split()
    )
}


def joined(one: Moment, other: Moment) -> Moment | None:
    """Both as one moment; None where they say something about the same."""
    if one.written or other.written or one.now or other.now or one.window or other.window:
        return None
    days = _days(one, other)
    if days is None and (one.days or other.days or one.away or other.away):
        return None
    if (one.repeat and other.repeat) or (one.part and other.part):
        return None
    if (one.clocks and other.clocks) or (one.zone and other.zone):
        return None
    part, clocks = one.part or other.part, one.clocks or other.clocks
    if part and clocks:
        clocks = tuple(in_part(clock, part) for clock in clocks)
    away = one.away or other.away
    made = Moment(
        days=days[0] if days else None,
        part=part,
        clocks=clocks,
        repeat=one.repeat or other.repeat,
        zone=one.zone or other.zone,
        end_of_day=one.end_of_day or other.end_of_day,
        bound=one.bound or other.bound,
    )
    if away is not None and made.days is None:
        return None
    if made.repeat and made.days:
        repeat = made.repeat.on(made.days)
        return replace(made, repeat=repeat, days=None) if repeat else None
    return made


def _days(one: Moment, other: Moment) -> tuple[Days] | None:
    """The days of both; None where they have none or do not fit each other."""
    for year, days in ((one.away, other.days), (other.away, one.days)):
        if year and days and year.unit == "year" and not year.days and period(days) == "year":
            sign = one.sign if one.away else other.sign
            return (Within(days, Relative("year", sign * (year.months // 12))),)
    parts = [_day_of(one), _day_of(other)]
    if None in parts:
        return None
    first, second = parts[0], parts[1]
    if not first or not second:
        return tuple(first or second or ())[:1] or None  # type: ignore[return-value]
    made = narrowed(first[0], second[0])
    return (made,) if made else None


def _day_of(one: Moment) -> tuple[Days, ...] | None:
    """The day that a moment names, if any; None where it is away by hours, not days."""
    if one.days is not None:
        return (one.days,)
    if one.away is None:
        return ()
    return None if one.away.seconds else (Shifted(None, one.away, one.sign),)


def narrowed(one: Days, other: Days) -> Days | None:
    """One in the other: Monday of next week, 2015年的三月, Tuesday the 19th."""
    if other == TODAY and isinstance(one, Relative) and one.unit in ("month", "year") and one.shift:
        months = abs(one.shift) * (12 if one.unit == "year" else 1)
        return Shifted(None, Length(months=months), 1 if one.shift > 0 else -1)
    if other == TODAY and isinstance(one, Relative) and one.unit == "week" and one.shift:
        return Shifted(None, Length(days=7 * abs(one.shift)), 1 if one.shift > 0 else -1)
    if fits(other, one):
        return Within(other, one)
    if fits(one, other):
        return Within(one, other)
    for weekday, dated in ((one, other), (other, one)):
        if isinstance(weekday, WeekdayOf) and not isinstance(dated, WeekdayOf):
            if isinstance(dated, Shifted | Relative) and grain(dated) != "day":
                return None
            if isinstance(dated, Shifted) and (dated.length.months or dated.length.unit != "day"):
                return _weekday_from(weekday, dated)
            if grain(dated) == "day" and not isinstance(dated, Window):
                return Both(weekday.weekday, dated)
    return None


def _weekday_from(weekday: WeekdayOf, shifted: Shifted) -> Days:
    """Two weeks from now on Tuesday: the first from then on."""
    almost = Shifted(
        shifted.base, replace(shifted.length, days=shifted.length.days - 1), shifted.sign
    )
    return Counted(1, weekday.weekday, almost)
