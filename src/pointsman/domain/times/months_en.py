"""Rules for days of months in English: July 4th, the second of March, 15 to 17 May, Q2 2026.

They run before the clock times, which would take their numbers.
"""

from typing import Any

from pointsman.domain.times.calendar import DayOf, Days, Numbered, Within
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.written import Number, exact, full_year, month_of, years

MONTHS = Rules()


def number_of(value: Any) -> int:
    """A day or ordinal number; -1 where it is none."""
    if isinstance(value, Number):
        return int(value.value) if value.value == int(value.value) else -1
    return int(value)


def in_year(days: Days, year: Any) -> Days:
    """The days in a year that was written; without one, as they are."""
    if year is None:
        return days
    number = number_of(year)
    return Within(days, years(number, number))


def _day_of(month: int, day: int, year: Any = None) -> Made:
    if not 1 <= day <= 31:
        return None
    return "day", exact(number_of(year), month, day) if year else DayOf(day, month)


# Months, and the words that can be one.


@MONTHS.rule(
    "(?<=before_may) the? may:month",
    "(?<=<this|next|last|past|coming>) may:month (?!x)",
    "may:month (?=(the|comma)? <num|ord|year>)",
    "may:month (?=in <a|num|year>)",
    "(?<=<on|from|until|by|to|the> <num|ord>) may:month",
    "(?<=<num|ord>) may:month (?!x)",
    "(?<=<num|ord> of) may:month",
    "(?<=month <to|dash|until|and>) may:month",
)
def _may(found: Found) -> Made:
    return "month", found["month"]


@MONTHS.rule(
    "(?<=before_sat) sat:day",
    "sat:day (?=after_sat|at <num|digital|clock>|the <num|ord>|around num|$)",
)
def _sat(found: Found) -> Made:
    return "weekday", found["day"]


# A day of a month.


@MONTHS.rule(
    "month:month dash <year|num>:year dash daynumber:day",
    "num:day dash <year|num>:year dash month:month",
)
def _odd_order(found: Found) -> Made:
    if number_of(found["year"]) < 1000:
        return None
    return _day_of(found["month"], number_of(found["day"]), found["year"])


@MONTHS.rule("month:month (comma|dash)? the? daynumber:day (?!no_day) ((comma|of|in)? year:year)?")
def _month_day(found: Found) -> Made:
    return _day_of(found["month"], number_of(found["day"]), found["year"])


@MONTHS.rule(
    "the? daynumber:day unit:unit? (of|dash|comma)? the? month:month (comma|of|in|dash)?"
    " <year|num>:year",
    "the? daynumber:day unit:unit? (of|dash)? the? month:month (of num:short)?",
)
def _day_month(found: Found) -> Made:
    year = _year(found)
    if found["unit"] not in (None, "day") or (year and number_of(year) < 1000):
        return None
    return _day_of(found["month"], number_of(found["day"]), year)


def _year(found: Found) -> Any:
    """The year, also when only two digits of it were said (15 April of 87)."""
    short = found["short"]
    return Number(float(full_year(number_of(short))), "") if short else found["year"]


@MONTHS.rule("month:month (of|in|comma|dash)? (the year)? year:year")
def _month_of_year(found: Found) -> Made:
    return "day", month_of(number_of(found["year"]), found["month"])


@MONTHS.rule("the? daynumber:day (?=<to|dash|and|until> the? day)")
def _first_of_two(found: Found) -> Made:
    """The 13 of "from 13 to 15 of July"."""
    day = number_of(found["day"])
    return ("day", DayOf(day)) if 1 <= day <= 31 and not found.all("second") else None


@MONTHS.rule(
    "day:first <to|dash|until> the? daynumber:day (?!no_day|month|dash) ((comma|of|in)? year:year)?"
)
def _second_of_two(found: Found) -> Made:
    """July 13 to 15."""
    first, day = found["first"], number_of(found["day"])
    if not isinstance(first, DayOf) or not first.month or not 1 <= day <= 31:
        return None
    last = in_year(DayOf(day, first.month), found["year"])
    pieces = found.pieces()
    return "days", (in_year(first, found["year"]), last, (pieces[0].end, pieces[1].end))


# Parts of a year.


@MONTHS.rule("<year|num>:year? numbered:which ((comma|of|in|dash)? <year|num>:later)?")
def _numbered(found: Found) -> Made:
    year = found["year"] or found["later"]
    if year is not None and 10 <= number_of(year) < 100:
        year = full_year(number_of(year))
    elif year is not None and not 1000 <= number_of(year) < 3000:
        year = None
    return "day", in_year(Numbered(*found["which"]), year)


@MONTHS.rule("unit:week num:number (?!unit|second|quarter|hundred|ap|oclock)")
def _week_number(found: Found) -> Made:
    number = number_of(found["number"])
    if found["week"] != "week" or not 1 <= number <= 53:
        return None
    return "day", Numbered("week", number)
