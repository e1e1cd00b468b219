"""Rules for days in Chinese: 下周一, 十月的第一个星期一, 月底, 过去三天."""

from msgspec.structs import replace

from pointsman.domain.times.amounts import length as length_of
from pointsman.domain.times.amounts import unit_of
from pointsman.domain.times.calendar import (
    Days,
    Edge,
    Feast,
    Length,
    Nth,
    Numbered,
    Relative,
    Shifted,
    WeekdayOf,
    Within,
    fits,
    grain,
)
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.dates_en import moved_clock, turned_unit
from pointsman.domain.times.months_en import number_of
from pointsman.domain.times.months_zh import day_of_month

DATES = Rules()
_VAGUE = ("day", "year", "minute")


@DATES.rule("(?<!ordered) num:day zh_day:unit")
def _day_left(found: Found) -> Made:
    return day_of_month(found)


# This, next, last.


@DATES.rule("upward:shift weekday:day")
def _turned_weekday(found: Found) -> Made:
    return "day", WeekdayOf(found["day"], found["shift"])


@DATES.rule("upward:shift <unit|weekend>:unit weekday:day")
def _turned_week_day(found: Found) -> Made:
    if found["unit"] != "week":
        return None
    return "day", WeekdayOf(found["day"], found["shift"])


@DATES.rule("<up|down|front|back>:half half <zh_year|zh_month>:unit")
def _half(found: Found) -> Made:
    """上半年; 下半月 is from the 16th on."""
    number = 1 if found.is_a("half", "up", "front") else 2
    if found["unit"] == "年":
        return "day", Numbered("half year", number)
    return "day", Within(Numbered("half month", number), Relative("month", 0))


@DATES.rule("<up_ge|down_ge|cur|cur_ge>:shift half zh_year:unit")
def _turned_half(found: Found) -> Made:
    return "day", Relative("half year", found["shift"])


@DATES.rule("upward:shift <unit|weekend|zh_month|zh_year|quarter>:unit")
def _turned_unit(found: Found) -> Made:
    return turned_unit(unit_of(found["unit"]), found["shift"])


@DATES.rule("cur num:one <unit|zh_year|zh_month|zh_sky>:unit")
def _this_one(found: Found) -> Made:
    """这一年, 这一周."""
    unit = unit_of(found["unit"])
    if found["one"].text != "一" or unit in ("second", "minute", "hour", "workday"):
        return None
    return "day", Relative(unit, 0)


@DATES.rule("all <unit|zh_year|zh_month|zh_sky>:unit")
def _whole(found: Found) -> Made:
    unit = unit_of(found["unit"])
    return ("day", Relative(unit, 0)) if unit not in ("second", "minute", "hour") else None


# The n-th, the first few, the beginning and the end.


@DATES.rule(
    "(?<!back_zh) di <num|ord>:number ge?"
    " <unit|weekday|weekend|zh_sky|zh_month|zh_year|zh_day>:what"
)
def _nth(found: Found) -> Made:
    return _nth_of(found, number_of(found["number"]))


@DATES.rule(
    "back_zh di? num:number ge? <unit|weekday|weekend|zh_sky|zh_month>:what",
    "last_zh num:count? ge? <unit|weekday|weekend|zh_sky|zh_month>:what",
)
def _last(found: Found) -> Made:
    if found.all("back_zh"):
        return _nth_of(found, -number_of(found["number"]))
    return _nth_of(found, -1, number_of(found["count"]) if found["count"] else 1)


@DATES.rule("last_zh length:length")
def _last_few(found: Found) -> Made:
    length = found["length"]
    if length.unit not in ("day", "month", "workday"):
        return None
    return "nth", Nth(
        number=-1, unit=length.unit, count=length.days or length.months or length.workdays
    )


def _nth_of(found: Found, number: int, count: int = 1) -> Made:
    if not 0 < abs(number) <= 400 or not 0 < count <= 400:
        return None
    if found.is_a("what", "weekday"):
        return "nth", Nth(number=number, weekday=found["what"], count=count)
    unit = unit_of(found["what"])
    if unit in ("second", "minute", "hour"):
        return None
    return "nth", Nth(number=number, unit=unit, count=count)


@DATES.rule("feast:feast de? <front|back>:side length:length (?!front|back|ante|post)")
def _from_feast(found: Found) -> Made:
    """圣诞节前一天, 春节前三天."""
    length: Length = found["length"]
    if not length.days or length.seconds:
        return None
    return "day", Shifted(Feast(found["feast"]), length, -1 if found.is_a("side", "front") else 1)


@DATES.rule("day:days de? <front|back>:side length:length (?!front|back|ante|post)")
def _few_of(found: Found) -> Made:
    """2022年前十一个月, 这个月后三天."""
    days, length = found["days"], found["length"]
    count = length.days or length.months
    first = found.is_a("side", "front")
    nth = Nth(number=1 if first else -1, unit=length.unit, count=count)
    if count and fits(nth, days):
        return "day", Within(nth, days)
    return None


@DATES.rule("day:days de? (unit|zh_year|zh_month)? edge_zh:place")
def _edge_of(found: Found) -> Made:
    """去年年底, 下个月底, 3月初."""
    days: Days = found["days"]
    unit = grain(days)
    said = [piece.value for piece in found.all("unit", "zh_year", "zh_month")]
    if said and unit_of(said[0]) != unit:
        return None
    if unit not in ("week", "month", "quarter", "half year", "year"):
        return None
    return "day", Within(Edge(found["place"], unit), days)


@DATES.rule("<unit|zh_year|zh_month>:unit edge_zh:place")
def _edge(found: Found) -> Made:
    unit = unit_of(found["unit"])
    if unit not in ("week", "month", "quarter", "year") or (
        unit == "week" and found["place"] == "middle"
    ):
        return None
    return "day", Edge(found["place"], unit)


@DATES.rule("day:days de? nth:nth")
def _nth_in(found: Found) -> Made:
    days, nth = found["days"], found["nth"]
    return ("day", Within(nth, days)) if fits(nth, days) else None


@DATES.rule("nth:nth")
def _nth_alone(found: Found) -> Made:
    """第二季度, 第52周: of a year."""
    nth: Nth = found["nth"]
    if nth.weekday >= 0 or nth.number < 0 or nth.count > 1:
        return None
    if (nth.unit == "quarter" and nth.number <= 4) or (nth.unit == "week" and nth.number > 5):
        return "day", Numbered(nth.unit, nth.number)
    return None


@DATES.rule("season:season")
def _season(found: Found) -> Made:
    return "day", Numbered("season", found["season"])


@DATES.rule("day:days de? season_zh:season")
def _season_of(found: Found) -> Made:
    season, days = Numbered("season", found["season"]), found["days"]
    return ("day", Within(season, days)) if fits(season, days) else None


# Away from a clock time, or from now.


@DATES.rule(
    "clock:clock de? <front|ante|back|post>:side length:length (?!front|back|ante|post)",
)
def _from_clock(found: Found) -> Made:
    """下午3点前10分钟."""
    sign = -1 if found.is_a("side", "front", "ante") else 1
    return moved_clock(found["clock"], found["length"], sign)


@DATES.rule(
    "pass length:length (back|post)?",
    "length:length <back|post>",
)
def _later(found: Found) -> Made:
    return "shift", (found["length"], 1)


@DATES.rule("length:length <front|ante>")
def _ago(found: Found) -> Made:
    return "shift", (found["length"], -1)


@DATES.rule("recent:sign de? length:length")
def _window(found: Found) -> Made:
    return "window", (found["length"], found["sign"])


@DATES.rule("<front|up|up_ge|ante>:word length:length")
def _window_back(found: Found) -> Made:
    """上两周; 前两天 is some days ago, nobody knows how many."""
    length: Length = found["length"]
    count = length.days + length.months + length.seconds
    one = length_of(1, length.unit)
    if (
        found.is_a("word", "front")
        and one
        and length.unit in _VAGUE
        and count == 2 * (one.days + one.months + one.seconds)
    ):
        length = replace(length, vague=True)
    return "window", (length, -1)


@DATES.rule("<back|down|down_ge|post> length:length")
def _window_ahead(found: Found) -> Made:
    return "window", (found["length"], 1)


@DATES.rule("length:length inside")
def _inside(found: Found) -> Made:
    return "span_from_now", found["length"]


@DATES.rule("num zh_year de? day:days")
def _unknown_year(found: Found) -> Made:
    """神龙二年正月初一: of a year that is not known here."""
    return "x", None
