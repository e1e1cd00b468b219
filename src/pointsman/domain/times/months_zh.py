"""Rules for years, months and their days in Chinese: 2026年, 三月五号, 正月初一, 一季度.

They run before the lengths of time, which would take the 三年 of 八三年 and the 一季 of 一季度.
"""

from typing import Any

from pointsman.domain.times.calendar import (
    DayOf,
    LunarDay,
    MonthOf,
    NoSuchDay,
    Numbered,
    Within,
    grain,
)
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.months_en import number_of
from pointsman.domain.times.written import Number, full_year, years
from pointsman.domain.values.numerals import two_numbers

MONTHS = Rules()


def _is_year(number: Number, *, short: bool) -> int:
    """The year that a numeral writes; 0 where it writes none. A short one is 08 or 八六."""
    text, value = number.text, int(number.value)
    digits = not set(text) & set("十百千两廿卅")
    if len(text) == 4 and digits and 1000 <= value <= 2999:
        return value
    if 1000 <= value <= 2999 and not digits:
        return value
    if len(text) == 2 and digits and (short or text[0] == "0" or not text.isascii()):
        return full_year(value) if short or two_numbers(text) is None else 0
    return 0


@MONTHS.rule("(?<!di) <num|year>:year zh_year (?=month_start)")
def _year_before_more(found: Found) -> Made:
    year = _is_year(found["year"], short=True)
    return ("day", years(year, year)) if year else None


@MONTHS.rule("(?<!di) <num|year>:year zh_year")
def _year(found: Found) -> Made:
    year = _is_year(found["year"], short=False)
    return ("day", years(year, year)) if year else None


@MONTHS.rule("minguo num:year zh_year")
def _year_of_the_republic(found: Found) -> Made:
    year = number_of(found["year"]) + 1911
    return "day", years(year, year)


@MONTHS.rule("<num|year>:first <to|dash>:way (?=day)")
def _first_year(found: Found) -> Made:
    """The 1995 of 1995-1997年."""
    year = _is_year(found["first"], short=False)
    return ("years", years(year, year)) if year else None


@MONTHS.rule("years:first day:last")
def _years(found: Found) -> Made:
    return _two(found) if grain(found["last"]) == "year" else None


@MONTHS.rule("num:number unit:unit num:tens zh_decade")
def _decade_of_century(found: Found) -> Made:
    first = (number_of(found["number"]) - 1) * 100 + number_of(found["tens"])
    return ("day", years(first, first + 9, "decade")) if found["unit"] == "century" else None


@MONTHS.rule("<num|year>:tens zh_decade")
def _decade(found: Found) -> Made:
    tens = number_of(found["tens"])
    first = tens if tens >= 100 else 1900 + tens if tens >= 30 else 2000 + tens
    return "day", years(first, first + 9, "decade")


@MONTHS.rule("num:number unit:unit (?!front|back|ante|post|inside|half)")
def _first_quarter(found: Found) -> Made:
    """一季度; 十九世纪."""
    number, text = number_of(found["number"]), found["number"].text
    if found["unit"] == "quarter" and 1 <= number <= 4 and not text.isascii():
        return "day", Numbered("quarter", number)
    if found["unit"] == "century" and number > 3:
        return "day", years(number * 100 - 100, number * 100 - 1, "century")
    return None


@MONTHS.rule("numbered:which unit:unit")
def _numbered(found: Found) -> Made:
    return ("numbered", found["which"]) if found["unit"] == found["which"][0] else None


# Months and their days.


@MONTHS.rule(
    "lunar day:year? lunar? num:month zh_month (edge_zh? num:day zh_day?)?",
    "lunar day:year? lunar? lunar_month:month (edge_zh? num:day zh_day?)?",
    "day:year? lunar_month:month edge_zh? num:day zh_day?",
    "day:year? num:month zh_month edge_zh:first num:day",
)
def _lunar(found: Found) -> Made:
    month = number_of(found["month"])
    day = number_of(found["day"]) if found["day"] else 0
    if not 1 <= month <= 12 or not 0 <= day <= 30:
        return "day", NoSuchDay()
    return _in(found["year"], LunarDay(month, day))


@MONTHS.rule("day:year? num:month zh_month num:day zh_day?")
def _lunar_by_its_numeral(found: Found) -> Made:
    """十一月廿九: nobody writes a day of the sun's calendar so."""
    text = found["day"].text
    if not text.startswith("廿") or found.all("zh_day"):
        return None
    return _in(found["year"], LunarDay(number_of(found["month"]), number_of(found["day"])))


@MONTHS.rule(
    "(?<!ge)(?<!di) num:month zh_month num:day zh_day",
    "(?<!ge)(?<!di) num:month zh_month num:day (?!no_number)",
)
def _month_day(found: Found) -> Made:
    month, day = number_of(found["month"]), number_of(found["day"])
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return "day", NoSuchDay()
    return "day", DayOf(day, month)


@MONTHS.rule("(?<!counted) num:month zh_month (?!half)")
def _month(found: Found) -> Made:
    month = number_of(found["month"])
    if found["month"].text == "两":
        return None
    return "day", MonthOf(month) if 1 <= month <= 12 else NoSuchDay()


@MONTHS.rule("num:month <to|dash>:way (?=day)")
def _first_month(found: Found) -> Made:
    """The 2 of 2到4月."""
    month = number_of(found["month"])
    return ("months", MonthOf(month)) if 1 <= month <= 12 else None


@MONTHS.rule("months:first day:last")
def _months(found: Found) -> Made:
    return _two(found) if isinstance(found["last"], MonthOf) else None


def _two(found: Found) -> Made:
    first, last = found.pieces()
    return "days", (found["first"], found["last"], (first.end, last.start))


@MONTHS.rule("(?<!counted) num:day zh_day:unit (?!behind)")
def _day(found: Found) -> Made:
    return day_of_month(found)


def day_of_month(found: Found) -> Made:
    day = number_of(found["day"])
    if found["day"].text == "两" or day < 1:
        return None
    if day > (31 if found["unit"] == "日" else 39):
        return None
    return "day", DayOf(day) if day <= 31 else NoSuchDay()


def _in(year: Any, days: LunarDay) -> Made:
    """The lunar day in a year; years of the two calendars are called alike."""
    if year is None:
        return "day", days
    return ("day", Within(days, year)) if grain(year) == "year" else None
