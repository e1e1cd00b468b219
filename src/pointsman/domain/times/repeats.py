"""Recurrences in words (每周二周四, every weekday, the last Friday of every month)."""

import re

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.times.amounts import unit_of
from pointsman.domain.times.calendar import (
    DayOf,
    Days,
    Edge,
    Feast,
    Length,
    LunarDay,
    MonthOf,
    Nth,
    WeekdayOf,
    Within,
)
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.months_en import number_of

_FEAST = re.compile(r"(?P<lunar>lunar)?(?P<month>\d+)-(?P<day>\d+)(?:x(?P<nth>-?\d))?")
BYDAY = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = (0, 1, 2, 3, 4)
WEEKEND = (5, 6)


class Repeat(Struct, frozen=True, kw_only=True):
    """How often, without the time of day.

    Attributes:
        frequency: ``MINUTELY`` to ``YEARLY``.
        weekdays: 0 is Monday.
        nth: which of a month's weekdays, -1 the last; 0 for each.
        monthdays: days of the month, -1 the last.
        month: for what comes once a year.
        position: which of a month's days (its last working day: -1); 0 for each.
        lunar: month and day of the Chinese calendar.
        workdays: on working days, which a country may move to weekends.
        rival: the interval that others mean by these words.
    """

    frequency: str
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    nth: int = 0
    monthdays: tuple[int, ...] = ()
    month: int = 0
    position: int = 0
    lunar: bool = False
    workdays: bool = False
    rival: int = 0

    def rule(self, times: tuple[tuple[int, int], ...]) -> str:
        """The RRULE (RFC 5545), with hour and minute of each time of day; in lines, one for each
        minute, as a single rule would combine every hour with every minute."""
        minutes = list(dict.fromkeys(minute for _, minute in times))
        if len(minutes) > 1:
            return "\n".join(
                self.rule(tuple(one for one in times if one[1] == minute)) for minute in minutes
            )
        parts = [
            f"RSCALE=CHINESE;FREQ={self.frequency}" if self.lunar else f"FREQ={self.frequency}"
        ]
        if self.interval != 1:
            parts.append(f"INTERVAL={self.interval}")
        if self.month:
            parts.append(f"BYMONTH={self.month}")
        if self.weekdays:
            nth = str(self.nth) if self.nth else ""
            parts.append("BYDAY=" + ",".join(nth + BYDAY[day] for day in self.weekdays))
        if self.monthdays:
            parts.append("BYMONTHDAY=" + ",".join(map(str, self.monthdays)))
        if self.position:
            parts.append(f"BYSETPOS={self.position}")
        if times:
            parts.append("BYHOUR=" + ",".join(str(hour) for hour, _ in times))
            parts.append(f"BYMINUTE={minutes[0]}")
        return ";".join(parts)

    def on(self, days: Days) -> "Repeat | None":
        """The recurrence on days that were said beside it: weekly on Monday, every month on the
        5th, 每年3月5号; None where it cannot be on them."""
        bare = not (self.weekdays or self.monthdays or self.month)
        if not bare:
            return None
        match days:
            case WeekdayOf(weekday=weekday, weeks=None) if self.frequency == "WEEKLY":
                return replace(self, weekdays=(weekday,))
            case DayOf(day=day, month=0) if self.frequency == "MONTHLY":
                return replace(self, monthdays=(day,))
            case DayOf(day=day, month=month) if self.frequency == "YEARLY":
                return replace(self, monthdays=(day,), month=month)
            case Edge(place=place, unit=unit):
                return self._at_edge(place, unit)
            case Feast(name=name) if self.frequency == "YEARLY":
                return self._on_feast(name)
            case LunarDay(month=month, day=day, year=0) if self.frequency == "YEARLY" and day:
                return replace(self, month=month, monthdays=(day,), lunar=True)
            case Nth(unit="workday", number=number, count=1) if self.frequency == "MONTHLY":
                return replace(self, weekdays=WORKDAYS, position=number, workdays=True)
            case Nth(weekday=weekday, number=number) if (
                self.frequency == "MONTHLY" and weekday >= 0
            ):
                return replace(self, weekdays=(weekday,), nth=number)
            case Nth(unit="day", number=number, count=1) if self.frequency == "MONTHLY":
                return replace(self, monthdays=(number,))
            case Nth(unit="day", number=number, count=1) if (
                self.frequency == "YEARLY" and number == -1
            ):
                return replace(self, month=12, monthdays=(31,))
            case Within(inner=Nth() as nth, outer=MonthOf(month=month)) if (
                self.frequency == "YEARLY" and nth.weekday >= 0
            ):
                return replace(self, weekdays=(nth.weekday,), nth=nth.number, month=month)
        return None

    def on_days(self, days: tuple[int, ...]) -> "Repeat | None":
        """Each month on several of its days; None where they are none of a month's."""
        plain = self.frequency == "MONTHLY" and not (self.weekdays or self.month)
        if not plain or not all(1 <= day <= 31 for day in days):
            return None
        return replace(self, monthdays=tuple(dict.fromkeys(days)))

    def _on_feast(self, name: str) -> "Repeat | None":
        found = _FEAST.fullmatch(name)
        if name == "lunar1-1-1":
            return replace(self, month=12, monthdays=(-1,), lunar=True)
        if found is None:
            return None
        month, day = int(found["month"]), int(found["day"])
        if found["nth"]:
            return replace(self, month=month, weekdays=(day - 1,), nth=int(found["nth"]))
        return replace(self, month=month, monthdays=(day,), lunar=bool(found["lunar"]))

    def _at_edge(self, place: str, unit: str) -> "Repeat | None":
        if place == "middle":
            return None
        last = place == "end"
        if (self.frequency, unit) == ("MONTHLY", "month"):
            return replace(self, monthdays=(-1 if last else 1,))
        if (self.frequency, unit) == ("YEARLY", "year"):
            return replace(self, month=12 if last else 1, monthdays=(31 if last else 1,))
        return None


REPEATS = Rules()
_FREQUENCIES: dict[str, tuple[str, int]] = {
    "minute": ("MINUTELY", 1), "quarter hour": ("MINUTELY", 15), "hour": ("HOURLY", 1),
    "day": ("DAILY", 1), "week": ("WEEKLY", 1), "fortnight": ("WEEKLY", 2), "month": ("MONTHLY", 1),
    "quarter": ("MONTHLY", 3), "half year": ("MONTHLY", 6), "year": ("YEARLY", 1),
}  # fmt: skip
_WORDS = {
    "hourly": ("HOURLY", 1),
    "daily": ("DAILY", 1), "weekly": ("WEEKLY", 1), "monthly": ("MONTHLY", 1),
    "yearly": ("YEARLY", 1), "quarterly": ("MONTHLY", 3), "bimonthly": ("WEEKLY", 2),
    "biannual": ("MONTHLY", 6), "day_times": ("DAILY", 1),
}  # fmt: skip


def every(unit: str, count: int = 1) -> Made:
    if unit == "weekday":
        return ("repeat", Repeat(frequency="WEEKLY", weekdays=WORKDAYS)) if count == 1 else None
    if unit == "workday":
        return (
            ("repeat", Repeat(frequency="WEEKLY", weekdays=WORKDAYS, workdays=True))
            if count == 1
            else None
        )
    if unit == "weekend":
        return ("repeat", Repeat(frequency="WEEKLY", weekdays=WEEKEND)) if count == 1 else None
    if unit not in _FREQUENCIES or not 1 <= count <= 1000:
        return None
    frequency, times = _FREQUENCIES[unit]
    return "repeat", Repeat(frequency=frequency, interval=times * count)


# Weekdays.


@REPEATS.rule(
    "every <ord>:number weekday:day (of the? unit:unit)?",
    "every <second>:number weekday:day of the? unit:unit",
)
def _every_nth(found: Found) -> Made:
    """Every third Thursday (of the month)."""
    if found["unit"] not in (None, "month") or not 1 <= found["number"] <= 5:
        return None
    return "repeat", Repeat(frequency="MONTHLY", weekdays=(found["day"],), nth=found["number"])


@REPEATS.rule("every last:last weekday:day (of the? unit:unit)?")
def _every_last(found: Found) -> Made:
    if found["unit"] not in (None, "month"):
        return None
    return "repeat", Repeat(frequency="MONTHLY", weekdays=(found["day"],), nth=-1)


@REPEATS.rule(
    "every <other|second>:other? some_weekday:day",
    "(?<!num) on? weekdays:day",
)
def _every_weekday(found: Found) -> Made:
    other = found.all("other", "second")
    return "week_list", Repeat(
        frequency="WEEKLY", interval=2 if other else 1, weekdays=(found["day"],)
    )


@REPEATS.rule("(?<!<num|every|gap|di>) unit:unit de? weekday:day")
def _fortnightly(found: Found) -> Made:
    """双周周五."""
    if found["unit"] != "fortnight":
        return None
    return "week_list", Repeat(frequency="WEEKLY", interval=2, weekdays=(found["day"],))


@REPEATS.rule(
    "week_list:list (comma|and)? (comma|and)? every? <some_weekday|week_list>:day", again=True
)
def _and_weekday(found: Found) -> Made:
    day = found["day"]
    return _with(found["list"], day.weekdays if isinstance(day, Repeat) else (day,))


@REPEATS.rule("week_list:list (comma|and)? num:days (?!no_number)", again=True)
def _and_numerals(found: Found) -> Made:
    """每周一三五."""
    days = tuple("一二三四五六日天".find(one) for one in found["days"].text)
    return None if -1 in days else _with(found["list"], tuple(min(day, 6) for day in days))


@REPEATS.rule("week_list:list (comma|and)? zh_day:day (?=<part|part_zh|clock>|$)")
def _and_sunday(found: Found) -> Made:
    """每周六日早上十点."""
    return _with(found["list"], (6,)) if found["day"] == "日" else None


@REPEATS.rule("week_list:list <to|dash|until> <some_weekday|num>:last")
def _to_weekday(found: Found) -> Made:
    """每周一到周五, 每周一至五."""
    repeat: Repeat = found["list"]
    last = found["last"] if isinstance(found["last"], int) else number_of(found["last"]) - 1
    first = repeat.weekdays[-1]
    if not 0 <= last <= 6:
        return None
    return _with(repeat, tuple((first + n) % 7 for n in range((last - first) % 7 + 1)))


@REPEATS.rule(
    "weekday:first <to|dash|until> weekday:last comma? de? day_times",
    "weekday:first <to|dash|until> weekday:last comma? every unit:unit",
    "(?<!<from|from_zh|between>) weekday:first <to|dash|until> weekday:last"
    " (?=(comma|at|de)? clock)",
    "day_times comma? (from|from_zh)? weekday:first <to|dash|until> weekday:last",
    "every unit:unit comma? from? weekday:first <to|dash|until> weekday:last",
)
def _working_week(found: Found) -> Made:
    """周一到周五每天, Monday to Friday at 9: not the span from one to the other."""
    if found["unit"] not in (None, "day"):
        return None
    first, last = found["first"], found["last"]
    days = tuple((first + n) % 7 for n in range((last - first) % 7 + 1))
    return "repeat", Repeat(frequency="WEEKLY", weekdays=days)


@REPEATS.rule("week_list:list")
def _list(found: Found) -> Made:
    return "repeat", found["list"]


def _with(repeat: Repeat, days: tuple[int, ...]) -> Made:
    return "week_list", replace(repeat, weekdays=tuple(dict.fromkeys((*repeat.weekdays, *days))))


@REPEATS.rule("<day_times|hourly|daily|weekly|monthly|yearly|quarterly|bimonthly|biannual>")
def _one_word(found: Found) -> Made:
    frequency, interval = next(_WORDS[name] for name in _WORDS if found.all(name))
    return "repeat", Repeat(frequency=frequency, interval=interval)


# Units.


@REPEATS.rule(
    "every? gap:gap num:count? ge? every_unit:unit",
    "every? gap:gap length:length",
)
def _gap(found: Found) -> Made:
    """每隔一天, 隔周: every other one. With more than one, people mean two things."""
    if "length" in found:
        made = _every(found["length"])
        length: Length = found["length"]
        if made is None or length.seconds:
            return made
        repeat: Repeat = made[1]
        if repeat.interval == 1:
            return "repeat", replace(repeat, interval=2)
        return "repeat", replace(repeat, rival=repeat.interval + 1)
    if not found.all("every") and found["count"]:
        return None
    return every(unit_of(found["unit"]), 2)


@REPEATS.rule("every <other|second>:other any_unit:unit")
def _every_other(found: Found) -> Made:
    return every(unit_of(found["unit"]), 2)


@REPEATS.rule("every ord:number any_unit:unit")
def _every_third(found: Found) -> Made:
    return every(unit_of(found["unit"]), found["number"])


@REPEATS.rule("every ord:number of the? unit:unit", "every ord:number (?=at|clock|digital)")
def _every_month_day(found: Found) -> Made:
    """Every 15th (of the month) at 9; not every 5th customer."""
    if found["unit"] not in (None, "month") or not 1 <= found["number"] <= 31:
        return None
    return "repeat", Repeat(frequency="MONTHLY", monthdays=(found["number"],))


@REPEATS.rule("every length:length")
def _every_length(found: Found) -> Made:
    return _every(found["length"])


@REPEATS.rule("every num:one? ge? <every_unit|weekend|business>:unit (?!front|ante)")
def _every_unit(found: Found) -> Made:
    if found["one"] and found["one"].value != 1:
        return None
    return every(unit_of(found["unit"]))


@REPEATS.rule("every day:days")
def _every_day_of_year(found: Found) -> Made:
    """Every March 5."""
    made = Repeat(frequency="YEARLY").on(found["days"])
    return ("repeat", made) if made else None


@REPEATS.rule("<on|every>? <workdays|weekends>:days")
def _plural(found: Found) -> Made:
    if found.is_a("days", "weekends"):
        return every("weekend")
    return every("weekday" if found["days"] == "weekdays" else "workday")


@REPEATS.rule(
    "(?<!<num|length|di|ge|last_zh|upward|turn>) unit:unit (?!inside|post|back|front|ante|of)"
)
def _workday_alone(found: Found) -> Made:
    """工作日早上九点."""
    return every("workday") if found["unit"] == "workday" else None


def _every(length: Length) -> Made:
    """The recurrence that comes after each such length, if the calendar can have it."""
    seconds, days, months = int(length.seconds), length.days, length.months
    if bool(seconds) + bool(days) + bool(months) != 1 or length.vague or length.workdays:
        return None
    if seconds:
        if seconds % 60:
            return None
        return (
            every("hour", seconds // 3600)
            if seconds % 3600 == 0
            else every("minute", seconds // 60)
        )
    if days:
        return (
            every("week", days // 7)
            if length.unit != "day" and days % 7 == 0
            else every("day", days)
        )
    return every("year", months // 12) if months % 12 == 0 else every("month", months)
