"""Rules for days in English: next Friday, the last week of May, three weeks from today."""

from pointsman.domain.times.amounts import length as length_of
from pointsman.domain.times.amounts import unit_of
from pointsman.domain.times.calendar import (
    Both,
    Counted,
    DayOf,
    Days,
    Edge,
    Feast,
    Length,
    MonthOf,
    Nth,
    Numbered,
    Relative,
    Shifted,
    Turn,
    Unit,
    WeekdayOf,
    Within,
    fits,
    grain,
)
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.clocks import Clock, moved
from pointsman.domain.times.months_en import number_of
from pointsman.domain.times.written import years

DATES = Rules()
_SHIFTS = {"this": 0, "current": 0, "next": 1, "following": 1, "coming": 1, "upcoming": 1}
_PLACES = {"early": "begin", "earlier": "begin", "late": "end", "mid": "middle", "middle": "middle"}
_NO_DAYS = ("second", "minute", "hour", "workday", "weekday")


def _shift(word: str) -> int:
    return _SHIFTS.get(word, -1)


@DATES.rule("(the? unit:unit)? year:year")
def _year_alone(found: Found) -> Made:
    number = number_of(found["year"])
    if found["unit"] not in (None, "year"):
        return None
    return "day", years(number, number)


@DATES.rule("the? ord:number <quarter|unit>:unit")
def _ordinal_quarter(found: Found) -> Made:
    if not 1 <= found["number"] <= 4 or unit_of(found["unit"]) != "quarter":
        return None
    return "day", Numbered("quarter", found["number"])


@DATES.rule(
    "<in|during> the? season_en:season (?!x)",
    "season_en:season (?=of? day)",
)
def _season(found: Found) -> Made:
    return "day", Numbered("season", found["season"])


@DATES.rule("feast:feast ((comma|of|in)? day:year)?")
def _feast(found: Found) -> Made:
    feast, year = Feast(found["feast"]), found["year"]
    if year is None:
        return "day", feast
    return ("day", Within(feast, year)) if fits(feast, year) else None


@DATES.rule("feast:feast")
def _feast_alone(found: Found) -> Made:
    return "day", Feast(found["feast"])


# The n-th of something, its beginning or its end.


@DATES.rule(
    "the? <ord|second>:number? last:last? <weekday|any_unit>:what (?=<of|in|after|from|since>)",
    "(?<=repeat on) the? <ord|second>:number? last:last? <weekday|any_unit>:what",
    "the? num:number (last:last) <weekday|any_unit>:what (?=<of|in>)",
)
def _nth(found: Found) -> Made:
    """The first Monday (of October), the second last week (of 2018)."""
    if found["number"] is None and found["last"] is None:
        return None
    number = number_of(found["number"] or 1) * (-1 if found["last"] else 1)
    if found.is_a("what", "weekday"):
        return "nth", Nth(number=number, weekday=found["what"])
    return "nth", Nth(number=number, unit=unit_of(found["what"]))


@DATES.rule("the? <ord|last>:edge length:length (?=<of|in>)")
def _first_few(found: Found) -> Made:
    length = found["length"]
    count = length.days or length.months or length.workdays
    if found["edge"] not in (1, "last") or length.unit not in ("day", "month", "workday"):
        return None
    number = 1 if found["edge"] == 1 else -1
    return "nth", Nth(number=number, unit=length.unit, count=count)


# This, next, last.


@DATES.rule(
    "this? turn:word weekday:day",
    "the turn:word weekday:day",
)
def _turned_weekday(found: Found) -> Made:
    word, day = found["word"], found["day"]
    if word in ("coming", "upcoming"):
        return "day", Counted(1, day)
    named = {0: "this", 1: "next", -1: "last"}[_shift(word)]
    return "day", WeekdayOf(day, _shift(word), named)


@DATES.rule("weekday:day after the? next")
def _weekday_after_next(found: Found) -> Made:
    return "day", Counted(2, found["day"])


@DATES.rule("the? any_unit:unit <after|before>:way <next|last>:word")
def _after_next(found: Found) -> Made:
    return "day", Relative(unit_of(found["unit"]), 2 if found.is_a("word", "next") else -2)


@DATES.rule("the? turn:word month:month")
def _turned_month(found: Found) -> Made:
    return "day", Turn(MonthOf(found["month"]), _shift(found["word"]))


@DATES.rule("the? turn:word season_en:season")
def _turned_season(found: Found) -> Made:
    return "day", Turn(Numbered("season", found["season"]), _shift(found["word"]))


@DATES.rule("the? turn:word day:days")
def _turned_day(found: Found) -> Made:
    days = found["days"]
    return ("day", Turn(days, _shift(found["word"]))) if isinstance(days, Feast) else None


@DATES.rule("the? turning:word length:length (?!of)")
def _window(found: Found) -> Made:
    return "window", (found["length"], 1 if _shift(found["word"]) > 0 else -1)


@DATES.rule("the? num:count turning:word any_unit:unit")
def _window_of(found: Found) -> Made:
    """The 5 upcoming years."""
    made = length_of(found["count"].value, unit_of(found["unit"]))
    return ("window", (made, 1 if _shift(found["word"]) > 0 else -1)) if made else None


@DATES.rule("<nth|place>:what <of|in> the? <unit|quarter>:unit (?!after|before)")
def _of_this_unit(found: Found) -> Made:
    """The last Friday of the month, the end of the year: of this one."""
    unit = unit_of(found["unit"])
    if unit in (*_NO_DAYS, "day"):
        return None
    return _placed(found, Relative(unit, 0))


@DATES.rule(
    "<middle|early|late>:what of? day:days",
    "place:what of the? day:days",
)
def _edge_of(found: Found) -> Made:
    return _placed(found, found["days"])


@DATES.rule("the? turn:word <unit|quarter|weekend>:unit")
def _turned_unit(found: Found) -> Made:
    """After this, "week" says which one: the rules below need whole days."""
    return turned_unit(unit_of(found["unit"]), _shift(found["word"]))


def turned_unit(unit: Unit, shift: int) -> Made:
    """Next week; the next working day is counted, as it is no span of the calendar."""
    if unit in ("second", "minute", "hour"):
        return None
    if unit in ("workday", "weekday"):
        days = Length(workdays=abs(shift), unit=unit)
        return ("day", Shifted(None, days, 1 if shift > 0 else -1)) if shift else None
    return "day", Relative(unit, shift)


@DATES.rule(
    "<middle|early|late>:what of? the? <month|day>:days",
    "place:what of the? <month|day>:days",
    "nth:what <of|in|owns> the? <month|day>:days",
)
def _of_days(found: Found) -> Made:
    return _placed(found, MonthOf(found["days"]) if found.is_a("days", "month") else found["days"])


def _placed(found: Found, days: Days) -> Made:
    if found.is_a("what", "nth"):
        inner: Days = found["what"]
    else:
        word = found["what"]
        place = _PLACES.get(word, "end" if str(word).startswith("end") else "begin")
        if grain(days) not in ("week", "month", "quarter", "half year", "year"):
            return None
        inner = Edge(place, grain(days))  # type: ignore[arg-type]
    return ("day", Within(inner, days)) if fits(inner, days) else None


@DATES.rule("edge:edge")
def _edge_word(found: Found) -> Made:
    """EOM."""
    return "day", Edge(*found["edge"])


# Away from now, or from another day.


@DATES.rule("num:count <weekday|weekdays>:day (from now|later|ago:ago)")
def _weekdays_away(found: Found) -> Made:
    count = number_of(found["count"])
    return (
        ("day", Counted(-count if "ago" in found else count, found["day"])) if count > 0 else None
    )


@DATES.rule("nth:nth after the? day:base")
def _nth_after(found: Found) -> Made:
    nth: Nth = found["nth"]
    return ("day", Counted(nth.number, nth.weekday, found["base"])) if nth.weekday >= 0 else None


@DATES.rule(
    "(?<!<in|every|for|within|measure>) length:length on weekday:day",
    "(?<!every) on? weekday:day unit:unit (?!ago|later|before|after|from)",
)
def _week_on(found: Found) -> Made:
    """A week on Tuesday, Tuesday week."""
    made: Length | None = found["length"] or length_of(1, found["unit"])
    if made is None or made.unit != "week" or found["unit"] not in (None, "week"):
        return None
    return "day", Shifted(WeekdayOf(found["day"]), made, 1)


@DATES.rule(
    "length:length <ago|later>:way",
    "length:length from now:way",
    "<in>:way the? length:length (?!of)",
)
def _away(found: Found) -> Made:
    return "shift", (found["length"], -1 if found.is_a("way", "ago") else 1)


@DATES.rule("the? ord:number unit:unit? (of the?)? day:days")
def _day_of_month(found: Found) -> Made:
    """The 20th of the previous month."""
    day = DayOf(found["number"])
    if found["unit"] not in (None, "day") or not fits(day, found["days"]):
        return None
    return "day", Within(day, found["days"])


@DATES.rule(
    "length:length <before|after|past>:way clock:clock",
    "length:length before:way the? x at? clock:clock",
)
def _from_clock(found: Found) -> Made:
    """An hour before noon, 10 minutes before my 3pm meeting."""
    sign = -1 if found.is_a("way", "before") else 1
    return moved_clock(found["clock"], found["length"], sign)


def moved_clock(clock: Clock, length: Length, sign: int) -> Made:
    if length.months or length.days or length.workdays or length.vague:
        return None
    made = moved(clock, sign * length.seconds)
    return ("clock", made) if made else None


# What is left of it.


@DATES.rule("on? weekday:day comma? the? <ord|second>:number")
def _weekday_the(found: Found) -> Made:
    return "day", Both(found["day"], DayOf(number_of(found["number"])))


@DATES.rule("on? weekday:day comma? the? num:number (?!no_hour|ap|oclock|x|dash|to)")
def _weekday_number(found: Found) -> Made:
    number = number_of(found["number"])
    return ("day", Both(found["day"], DayOf(number))) if 12 < number <= 31 else None


@DATES.rule(
    "<on|by|before|after|until|from|since>:way the? ord:number (?!measure|unit|weekday|quarter)",
    "the ord:number (?=stop|comma|clock|digital|at|in the|to|dash|of|$)",
)
def _the_fifth(found: Found) -> Made:
    number = found["number"]
    return ("day", DayOf(number)) if 1 <= number <= 31 else None


@DATES.rule("month:month (?!x measure)")
def _month(found: Found) -> Made:
    return "day", MonthOf(found["month"])


@DATES.rule("weekday:day")
def _weekday(found: Found) -> Made:
    return "day", WeekdayOf(found["day"])


@DATES.rule("weekend")
def _weekend(found: Found) -> Made:
    return "day", Relative("weekend", 0)
