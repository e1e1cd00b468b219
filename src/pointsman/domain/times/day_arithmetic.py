"""Which dates the days of ``calendar`` mean, seen from a reference day.

Rules, all of them the product's own: weeks start on Monday. What comes round again is the next one
to come, and the last one that has gone is right in another context. The first week of a month or
year is the first that starts in it; the last is the last that has most of its days in it; a
numbered week of a year (week 10) is ISO's. A weekday that is today is asked about.
"""

from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from pointsman.domain.calendar.lunar import lunar_day, lunar_month
from pointsman.domain.calendar.workdays import Workdays, is_workday
from pointsman.domain.times.calendar import (
    Both,
    Counted,
    DayOf,
    Days,
    Edge,
    Either,
    Exact,
    Feast,
    Length,
    LunarDay,
    MonthOf,
    NoSuchDay,
    Nth,
    Numbered,
    Period,
    Relative,
    Shifted,
    Turn,
    Unit,
    WeekdayOf,
    Window,
    Within,
    period,
)
from pointsman.domain.times.feasts import feast

Dates = tuple[date, date]
"""First day and the day after the last."""
DAY: Final = timedelta(days=1)
_MONTHS: dict[str, int] = {"month": 1, "quarter": 3, "half year": 6, "year": 12}
_MONTHS |= {"decade": 120, "century": 1200}
_LOOKED = {"week": 2, "month": 14, "quarter": 2, "half year": 2, "year": 9}
"""How many periods ahead and back something is looked for: 29 February comes every eight years at
the least, a Tuesday the 19th within fourteen months."""


class Meant(Struct, frozen=True, kw_only=True):
    """Dates that words can mean.

    Attributes:
        options: readings that must be told apart, the likeliest first. Empty: no such day.
        also: readings that are right in another context.
        doubt: why there is more than one option.
    """

    options: tuple[Dates, ...]
    also: tuple[Dates, ...] = ()
    doubt: str = ""


def one(first: date) -> Dates:
    return first, first + DAY


def month_shift(day: date, months: int) -> date:
    """The same day so many months later, or the month's last."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def months_from(first: date, months: int) -> Dates:
    return first, month_shift(first, months)


def whole(unit: Unit, day: date, shift: int = 0) -> Dates:
    """The unit that the day is in, or one that stands so many later."""
    if unit in ("day", "workday", "weekday"):
        return one(day + shift * DAY)
    if unit in ("week", "fortnight", "weekend"):
        weeks = 2 if unit == "fortnight" else 1
        monday = day + timedelta(days=7 * shift * weeks - day.weekday())
        saturday = monday + 5 * DAY
        return (
            (saturday, saturday + 2 * DAY)
            if unit == "weekend"
            else (monday, monday + 7 * weeks * DAY)
        )
    size = _MONTHS[unit]
    if size <= 12:
        first = day.replace(month=(day.month - 1) // size * size + 1, day=1)
    else:
        first = date(day.year // (size // 12) * (size // 12), 1, 1)
    return months_from(month_shift(first, shift * size), size)


def added(day: date, length: Length, sign: int, workdays: Workdays | None = None) -> date:
    """So long after the day, or before it."""
    day = month_shift(day, sign * length.months) + sign * length.days * DAY
    left = length.workdays
    while left:
        day += sign * DAY
        left -= is_workday(day, workdays)
    return day


def meant(days: Days, today: date, workdays: Workdays | None = None) -> Meant:
    """The dates that the words mean on a day.

    Raises:
        ValueError: beyond the years that a date can have.
        OverflowError: likewise.
    """
    match days:
        case Relative(unit=unit, shift=shift):
            return Meant(options=(whole(unit, today, shift),))
        case Exact(first=first, after=after):
            return Meant(options=((first, after),))
        case Either(days=several):
            return Meant(options=tuple(map(one, several)), doubt="day or month first")
        case NoSuchDay():
            return Meant(options=())
        case WeekdayOf():
            return _weekday(days, today)
        case Both():
            return _both(days, today, workdays)
        case Shifted(base=base, length=length, sign=sign):
            start = meant(base, today, workdays) if base else Meant(options=(one(today),))
            return _mapped(start, lambda at: one(added(at[0], length, sign, workdays)))
        case Counted(number=number, weekday=weekday, base=base):
            start = meant(base, today, workdays) if base else Meant(options=(one(today),))
            return _mapped(start, lambda at: _counted(at, weekday, number))
        case Turn(days=turning, which=which):
            return _turned(turning, which, today, workdays)
        case Window(length=length, sign=sign):
            return _window(length, sign, today, workdays)
        case LunarDay(year=year) if year:
            found = _lunar(days, year)
            return Meant(options=(found,) if found else ())
        case Within(inner=inner, outer=outer) if not period(days):
            return _mapped(meant(outer, today, workdays), lambda at: inside(inner, at, workdays))
    return _recurring(days, today, workdays)


def _mapped(start: Meant, reading: Callable[[Dates], Dates | None]) -> Meant:
    options = [found for at in start.options if (found := reading(at))]
    also = [found for at in start.also if (found := reading(at))]
    return Meant(options=tuple(options), also=tuple(also), doubt=start.doubt)


def _recurring(days: Days, today: date, workdays: Workdays | None) -> Meant:
    around = period(days)
    assert around, days
    ahead, back = _shifts(around)
    coming = next(
        (at for at in _occasions(days, today, around, ahead, workdays) if at[1] > today), None
    )
    gone = next(
        (at for at in _occasions(days, today, around, back, workdays) if at[1] <= today), None
    )
    return Meant(options=(coming,) if coming else (), also=(gone,) if gone else ())


def _shifts(around: Period) -> tuple[range, range]:
    """Periods from the last one on, and from this one back: what has begun may still go on."""
    most = _LOOKED[around]
    return range(-1, most + 1), range(0, -most - 1, -1)


def _turned(days: Days, which: int, today: date, workdays: Workdays | None) -> Meant:
    """The next or last occasion, today's not among them; or the one of this year."""
    around = period(days)
    if not around:
        return meant(days, today, workdays)
    if which == 0:
        found = inside(days, whole(around, today), workdays)
        return Meant(options=(found,)) if found else _recurring(days, today, workdays)
    ahead, back = _shifts(around)
    if which > 0:
        occasions = _occasions(days, today, around, ahead, workdays)
        found = next((at for at in occasions if at[0] > today), None)
    else:
        occasions = _occasions(days, today, around, back, workdays)
        found = next((at for at in occasions if at[1] <= today), None)
    return Meant(options=(found,) if found else ())


def _occasions(
    days: Days, today: date, around: Period, shifts: range, workdays: Workdays | None
) -> Iterator[Dates]:
    """When it was or will be, in the periods that stand so far from this one."""
    assert around
    for shift in shifts:
        try:
            span = whole(around, today, shift)
        except (ValueError, OverflowError):
            continue
        if found := inside(days, span, workdays):
            yield found


def inside(days: Days, span: Dates, workdays: Workdays | None = None) -> Dates | None:
    """The days within a span; None where it has none."""
    first = span[0]
    match days:
        case MonthOf(month=month):
            return months_from(first.replace(month=month, day=1), 1) if 1 <= month <= 12 else None
        case DayOf(day=day, month=month):
            return _day_of(day, first.replace(month=month, day=1) if month else first)
        case WeekdayOf(weekday=weekday):
            return one(first + timedelta(days=(weekday - first.weekday()) % 7))
        case Numbered(unit=unit, number=number):
            return _numbered(unit, number, span)
        case Feast(name=name, shift=shift):
            falls = feast(name, first.year)
            return one(falls + shift * DAY) if falls else None
        case LunarDay():
            return _lunar(days, first.year)
        case Nth():
            return _nth(days, span, workdays)
        case Edge(place=place, unit=unit):
            return _edge(place, unit, span)
        case Within(inner=inner, outer=outer):
            wide = inside(outer, span, workdays)
            return inside(inner, wide, workdays) if wide else None
        case Both(weekday=weekday, date=dated):
            found = inside(dated, span, workdays)
            return found if found and found[0].weekday() == weekday else None
    return None


def _day_of(day: int, month: date) -> Dates | None:
    last = monthrange(month.year, month.month)[1]
    day = last if day == -1 else day
    return one(month.replace(day=day)) if 1 <= day <= last else None


def _numbered(unit: str, number: int, span: Dates) -> Dates | None:
    first, after = span
    year = first.year
    if unit == "week":
        monday = date.fromisocalendar(year, 1, 1) + timedelta(days=7 * number - 7)
        return (monday, monday + 7 * DAY) if 1 <= number <= 53 else None
    if unit == "season":
        month = (3, 6, 9, 12)[number - 1]
        return months_from(date(year, month, 1), 3)
    if unit == "half month":
        middle = first.replace(day=16)
        return (first.replace(day=1), middle) if number == 1 else (middle, after)
    size = _MONTHS[unit]
    if not 1 <= number <= 12 // size:
        return None
    return months_from(date(year, (number - 1) * size + 1, 1), size)


def _lunar(days: LunarDay, year: int) -> Dates | None:
    if not days.day:
        return lunar_month(year, days.month)
    found = lunar_day(year, days.month, days.day)
    return one(found) if found else None


def _nth(nth: Nth, span: Dates, workdays: Workdays | None) -> Dates | None:
    """The n-th whole unit or weekday of a span, or the first or last few."""
    first, after = span
    number, back = abs(nth.number), nth.number < 0
    if nth.weekday >= 0:
        edge = after - DAY if back else first
        off = (edge.weekday() - nth.weekday) % 7 if back else (nth.weekday - edge.weekday()) % 7
        day = edge + (-1 if back else 1) * timedelta(days=off + 7 * (number - 1))
        return one(day) if first <= day < after else None
    if nth.unit == "workday":
        return _nth_workday(number, span, back=back, workdays=workdays)
    starts = _first_start(nth.unit, first) if not back else _last_start(nth.unit, after)
    steps = number - 1
    start = whole(nth.unit, starts, -steps if back else steps)[0]
    end = whole(nth.unit, start, 1)[0] if nth.unit != "weekend" else start + 2 * DAY
    if back and nth.count > 1:
        start = whole(nth.unit, start, 1 - nth.count)[0]
    elif nth.count > 1:
        end = whole(nth.unit, start, nth.count)[0]
    return (start, end) if first - 7 * DAY < start < after else None


def _first_start(unit: Unit, first: date) -> date:
    start = whole(unit, first)[0]
    return start if start >= first else whole(unit, first, 1)[0]


def _last_start(unit: Unit, after: date) -> date:
    """Where the last unit of a span begins: for weeks, the one whose Thursday is in it."""
    if unit == "week":
        last = after - DAY
        return last - timedelta(days=(last.weekday() - 3) % 7 + 3)
    return whole(unit, after - DAY)[0]


def _nth_workday(
    number: int, span: Dates, *, back: bool, workdays: Workdays | None
) -> Dates | None:
    day, step = (span[1] - DAY, -DAY) if back else (span[0], DAY)
    while span[0] <= day < span[1]:
        number -= is_workday(day, workdays)
        if not number:
            return one(day)
        day += step
    return None


def _edge(place: str, unit: Unit, span: Dates) -> Dates | None:
    first, after = span
    if place == "begin":
        return one(first)
    if place == "end":
        return one(after - DAY)
    return one(first + (after - first) // 2 - (DAY if unit == "month" else 0 * DAY))


def _weekday(days: WeekdayOf, today: date) -> Meant:
    weekday, weeks = days.weekday, days.weeks
    here = whole("week", today)[0] + weekday * DAY
    coming = today + timedelta(days=(weekday - today.weekday()) % 7)
    week = 7 * DAY
    if days.word == "next":
        far = here + week
        sunday = today.weekday() == 6
        if coming == today or (coming == far and not sunday):
            return Meant(options=(one(far),))
        return Meant(options=(one(coming), one(far + week if sunday else far)), doubt="next")
    if days.word == "last":
        near = coming - week
        far = here - week
        return Meant(options=(one(near),), also=(one(far),) if far != near else ())
    if days.word == "this":
        return Meant(options=(one(coming),), also=(one(here),) if here != coming else ())
    if weeks is not None:
        named = here + weeks * week
        return Meant(options=(one(named),))
    gone = one(coming - week)
    if coming == today:
        return Meant(options=(one(today), one(today + week)), also=(gone,), doubt="today")
    return Meant(options=(one(coming),), also=(gone,))


def _both(days: Both, today: date, workdays: Workdays | None) -> Meant:
    """A date with its weekday: when they contradict each other, both are asked about."""
    dated = meant(days.date, today, workdays)
    if isinstance(days.date, DayOf) and not days.date.month:
        return _recurring(days, today, workdays)
    right = [at for at in (*dated.options, *dated.also) if at[0].weekday() == days.weekday]
    if right:
        also = tuple(at for at in dated.also if at not in right)
        return Meant(options=tuple(right[:1]), also=also)
    other = meant(WeekdayOf(days.weekday), today, workdays)
    if not dated.options:
        return dated
    return Meant(options=(*dated.options[:1], *other.options[:1]), also=dated.also, doubt="weekday")


def _counted(at: Dates, weekday: int, number: int) -> Dates:
    day = at[1] if number > 0 else at[0] - DAY
    if number > 0:
        day += timedelta(days=(weekday - day.weekday()) % 7 + 7 * (number - 1))
    else:
        day -= timedelta(days=(day.weekday() - weekday) % 7 + 7 * (-number - 1))
    return one(day)


def _window(length: Length, sign: int, today: date, workdays: Workdays | None) -> Meant:
    """So many days back from today or ahead, with today in or out."""
    far = added(today, length, sign, workdays)
    if sign < 0:
        spans = ((far, today + DAY), (far, today), (far + DAY, today + DAY))
    else:
        spans = ((today, far + DAY), (today, far), (today + DAY, far + DAY))
    return Meant(options=spans[:1], also=spans[1:])


def turned_on(days: Days) -> Days | None:
    """The same a period later, for what stands in this one (这周一, the 5th of this month)."""
    match days:
        case WeekdayOf(weekday=weekday, weeks=0, word=""):
            return WeekdayOf(weekday, 1)
        case Relative(unit=unit, shift=0) if unit != "day":
            return Relative(unit, 1)
        case Within(inner=inner, outer=outer) if (later := turned_on(outer)) is not None:
            return Within(inner, later)
    return None
