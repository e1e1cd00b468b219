"""Days that words name, as values that stand apart from any reference day.

"March 5th" is a ``DayOf``, "next week" a ``Relative``, "the first Monday of October" a ``Nth``
within a ``MonthOf``. ``day_arithmetic`` says which dates they mean on a given day.

What comes round again (a month, a weekday, a feast) has a period: the span in which it is looked
for. What stands fixed (today, 2015, last week) has none.
"""

from datetime import date
from typing import Literal

from msgspec import Struct

Unit = Literal[
    "second", "minute", "quarter hour", "hour", "day", "weekday", "workday", "weekend", "week",
    "fortnight",
    "month", "quarter", "half year", "year", "decade", "century",
]  # fmt: skip
Period = Literal["", "week", "month", "quarter", "half year", "year"]
Place = Literal["begin", "middle", "end"]


class Length(Struct, frozen=True, kw_only=True):
    """How long: months and days follow the calendar, seconds the clock.

    Attributes:
        unit: the finest unit that was named.
        vague: "a few days".
        least: it can be somewhat more (两三天, 5 to 10 minutes).
    """

    months: int = 0
    days: int = 0
    workdays: int = 0
    seconds: float = 0
    unit: Unit = "day"
    vague: bool = False
    least: bool = False


class Relative(Struct, frozen=True):
    """A whole unit counted from the one that today is in: today, next week, last year."""

    unit: Unit
    shift: int


class Exact(Struct, frozen=True):
    """Written days: 2015年3月3日, March 2014, 1998. ``after`` is the day after the last."""

    first: date
    after: date
    grain: Unit


class Either(Struct, frozen=True):
    """A written date with several readings, the likelier first (5/1/2019)."""

    days: tuple[date, ...]


class NoSuchDay(Struct, frozen=True):
    """A date that no calendar has (2月30日, 13月)."""


class MonthOf(Struct, frozen=True):
    month: int


class DayOf(Struct, frozen=True):
    """A day of a month; -1 is the last. The month is 0 where it was not said."""

    day: int
    month: int = 0


class WeekdayOf(Struct, frozen=True):
    """A weekday, 0 for Monday.

    Attributes:
        weeks: from this week (下周一: 1); None where no week was said.
        word: ``this``, ``next`` or ``last`` as English says it, which is less clear than 下周一.
    """

    weekday: int
    weeks: int | None = None
    word: str = ""


class Numbered(Struct, frozen=True):
    """The n-th quarter, half, ISO week or season of a year, or half of a month."""

    unit: Literal["quarter", "half year", "week", "season", "half month"]
    number: int


class Feast(Struct, frozen=True):
    """A day that has a name; ``shift`` days after it."""

    name: str
    shift: int = 0


class LunarDay(Struct, frozen=True):
    """A day (0: the whole month) of the Chinese lunar calendar."""

    month: int
    day: int
    year: int = 0


class Nth(Struct, frozen=True, kw_only=True):
    """The n-th unit or weekday of something; negative numbers count from the end.

    Attributes:
        count: how many of them (the first three days).
    """

    number: int
    unit: Unit = "day"
    weekday: int = -1
    count: int = 1


class Edge(Struct, frozen=True):
    """Beginning, middle or end of a unit: 月底, 年初."""

    place: Place
    unit: Unit


class Within(Struct, frozen=True):
    inner: "Days"
    outer: "Days"


class Both(Struct, frozen=True):
    """A date and its weekday (Tuesday 19th)."""

    weekday: int
    date: "Days"


class Shifted(Struct, frozen=True):
    """So long after (1) or before (-1) another day; None: from today."""

    base: "Days | None"
    length: Length
    sign: int


class Counted(Struct, frozen=True):
    """The n-th such weekday, week, month … after another day (4 Tuesdays from now, the week after
    next)."""

    number: int
    weekday: int
    base: "Days | None" = None


class Turn(Struct, frozen=True):
    """The next (1) or last (-1) time that something comes round, or this year's (0)."""

    days: "Days"
    which: int


class Window(Struct, frozen=True):
    """So many units up to today, or from today on."""

    length: Length
    sign: int


Days = (
    Relative | Exact | Either | NoSuchDay | MonthOf | DayOf | WeekdayOf | Numbered | Feast
    | LunarDay | Nth | Edge | Within | Both | Shifted | Counted | Turn | Window
)  # fmt: skip
"""Every way to name days."""

_GRAINS: dict[type, Unit] = {MonthOf: "month", Shifted: "day", Counted: "day", Both: "day"}


def period(days: Days) -> Period:
    """In what span the days come round again; nothing for what is fixed."""
    match days:
        case Numbered(unit="half month"):
            return "month"
        case MonthOf() | Numbered() | Feast():
            return "year"
        case LunarDay(year=year):
            return "" if year else "year"
        case DayOf(month=month):
            return "year" if month else "month"
        case WeekdayOf(weeks=None, word=""):
            return "week"
        case Edge(unit="week" | "month" | "quarter" | "half year" | "year" as unit):
            return unit
        case Within(outer=outer):
            return period(outer)
        case Both(date=dated):
            return period(dated)
    return ""


def grain(days: Days) -> Unit:
    """The unit that the days are."""
    match days:
        case Relative(unit=unit) | Exact(grain=unit) | Nth(unit=unit, count=1):
            return unit
        case Numbered(unit="season"):
            return "quarter"
        case Numbered(unit="half month"):
            return "fortnight"
        case Numbered(unit="quarter" | "half year" | "week" as unit):
            return unit
        case LunarDay(day=0) | MonthOf():
            return "month"
        case Within(inner=inner):
            return grain(inner)
        case Turn(days=turning):
            return grain(turning)
        case Nth():
            return "week"
    return "day"


_SIZES = (
    "day weekday workday weekend, week fortnight, month, quarter, half year, year, decade, century"
)
_SIZE = {
    unit: size
    for size, units in enumerate(_SIZES.split(", "))
    for unit in ([units] if units == "half year" else units.split())
}


def fits(inner: Days, outer: Days) -> bool:
    """Whether the one can be looked for in the other: a weekday in a week, a day in a month."""
    size = _SIZE.get(grain(outer), 0)
    match inner:
        case WeekdayOf(weeks=None, word=""):
            return size == 1
        case DayOf(month=0) | Numbered(unit="half month"):
            return size == 2
        case MonthOf() | DayOf() | Numbered() | Feast():
            return size == _SIZE["year"]
        case LunarDay(year=0):
            return size == _SIZE["year"]
        case Nth(unit=unit):
            return size > _SIZE.get(unit, 0) or (size > 0 and inner.weekday >= 0)
        case Edge(unit=unit):
            return size == _SIZE[unit]
        case Within(outer=wide):
            return fits(wide, outer) if period(inner) else False
        case Both(date=dated):
            return fits(dated, outer)
    return False


def counts_workdays(days: Days | None) -> bool:
    """Whether the days depend on who works when."""
    match days:
        case Nth(unit="workday"):
            return True
        case Shifted(base=base, length=length):
            return bool(length.workdays) or counts_workdays(base)
        case Within(inner=inner, outer=outer):
            return counts_workdays(inner) or counts_workdays(outer)
        case Both(date=dated):
            return counts_workdays(dated)
    return False
