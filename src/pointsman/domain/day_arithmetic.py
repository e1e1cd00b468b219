"""Days and spans of days, as a phrase can mean them: the arithmetic behind ``domain.days``."""

from calendar import monthrange
from datetime import date, timedelta

from msgspec import Struct
from msgspec.structs import replace

Dates = tuple[date, date]
"""First day and the day after the last."""


class Days(Struct, frozen=True, kw_only=True):
    """What days a phrase can mean.

    Attributes:
        options: readings that must be told apart, the likeliest first. Empty: no such day.
        also: readings that are right too, depending on what the talk is about.
        today: the word was "today" itself.
        grain: ``day``, ``week``, ``month``, ``year`` or ``span``.
        month, day: as written without a year; the month is 0 where it was not written either.
            A neighbour in a range may tell ("the 1st to the 31st of May 2023").
    """

    options: tuple[Dates, ...]
    also: tuple[Dates, ...] = ()
    today: bool = False
    grain: str = "day"
    month: int = 0
    day: int = 0


def completed(named: Days, neighbour: Days) -> Days:
    """The days with the month and year of the other end of a range, where they have none."""
    if not named.day or not neighbour.options:
        return named
    first = neighbour.options[0][0]
    if named.month and neighbour.day:
        return named
    try:
        told = date(first.year, named.month or first.month, named.day)
    except ValueError:
        return Days(options=())
    return replace(named, options=(one(told),), also=(), today=False)


_WEEKDAYS = "mon tue wed thu fri sat sun".split()


def month_shift(day: date, months: int) -> date:
    """The same day so many months later, or the month's last."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def month_span(year: int, month: int) -> Dates:
    first = date(year, month, 1)
    return first, month_shift(first, 1)


def weekday_index(word: str) -> int:
    """Monday is 0. Takes 一 … 日, 天 and English names, short ones too."""
    if word[0] in "一二三四五六日天":
        return min("一二三四五六日天".index(word[0]), 6)
    return _WEEKDAYS.index(word[:3].lower())


def one(first: date, last: date | None = None) -> Dates:
    return first, (last or first) + timedelta(days=1)


def exact_day(year: int, month: int, day: int) -> Days:
    year = year + 2000 if 0 <= year < 100 else year
    try:
        return Days(options=(one(date(year, month, day)),))
    except ValueError:
        return Days(options=())


def yearless(month: int, day: int, today: date) -> Days:
    found = []
    for year in range(today.year - 1, today.year + 9):
        try:
            found.append(date(year, month, day))
        except ValueError:
            continue
    coming = [day for day in found if day >= today]
    gone = [day for day in found if day < today]
    if not found:
        return Days(options=())
    return Days(options=(one(coming[0]),), also=tuple(map(one, gone[-1:])), month=month, day=day)


def month_day(day: int, today: date, shift: int | None) -> Days:
    """The 5th of this month, or of the next when it has passed; a named month is taken as named."""
    base = month_shift(today.replace(day=1), shift or 0)
    try:
        named = base.replace(day=day)
    except ValueError:
        return Days(options=()) if shift is not None or not 1 <= day <= 31 else _later(day, base)
    if shift is not None:
        return Days(options=(one(named),))
    if named >= today:
        return Days(options=(one(named),), day=day)
    return Days(options=_later(day, month_shift(base, 1)).options, also=(one(named),), day=day)


def _later(day: int, month: date) -> Days:
    for shift in range(3):
        base = month_shift(month, shift)
        if day <= monthrange(base.year, base.month)[1]:
            return Days(options=(one(base.replace(day=day)),), day=day)
    return Days(options=())


def week(today: date, weeks: int) -> Dates:
    monday = today + timedelta(days=7 * weeks - today.weekday())
    return one(monday, monday + timedelta(days=6))


def weekday(today: date, weekday: int, weeks: int | None, *, next_word: bool = False) -> Days:
    if weeks is not None:
        named = week(today, weeks)[0] + timedelta(days=weekday)
        if next_word and weekday > today.weekday():
            return Days(options=(one(named),), also=(one(named - timedelta(days=7)),))
        return Days(options=(one(named),))
    coming = today + timedelta(days=(weekday - today.weekday()) % 7)
    past = coming - timedelta(days=7)
    if coming == today:
        return Days(options=(one(today), one(today + timedelta(days=7))), also=(one(past),))
    return Days(options=(one(coming),), also=(one(past),))


def years(first: int, last: int) -> Days | None:
    if not 1 <= first <= last < 9999:
        return None
    return Days(options=((date(first, 1, 1), date(last + 1, 1, 1)),), grain="year")


def around(today: date, sign: int, count: int, unit: str) -> tuple[Dates, ...]:
    """So many days, weeks, months or years back from today or ahead, with today in or out."""
    if unit.startswith(("day", "天", "日")):
        far = today + timedelta(days=sign * count)
    elif unit.startswith(("week", "周", "星期", "礼拜")):
        far = today + timedelta(days=sign * count * 7)
    else:
        per = 12 if unit.startswith(("year", "年")) else 3 if unit.startswith("quarter") else 1
        far = month_shift(today, sign * count * per)
    day = timedelta(days=1)
    if sign < 0:
        return (far, today + day), (far, today), (far + day, today + day)
    return (today, far + day), (today, far), (today + day, far + day)
