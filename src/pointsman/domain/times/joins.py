"""Rules that join days, day parts, clock times and recurrences to one moment, two to a range."""

from msgspec.structs import replace

from pointsman.domain.times.amounts import length, unit_of
from pointsman.domain.times.calendar import (
    DayOf,
    Edge,
    Feast,
    Length,
    LunarDay,
    Nth,
    Relative,
    Shifted,
    WeekdayOf,
    grain,
)
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.clocks import Clock, going_on, on_clock
from pointsman.domain.times.moments import TODAY, Moment, Range, joined, moment, narrowed
from pointsman.domain.times.repeats import Repeat

MOMENTS = Rules()
RANGES = Rules()


def _join(found: Found) -> Made:
    pieces = found.pieces()
    one, other = moment(pieces[0]), moment(pieces[-1])
    made = joined(one, other) if one and other else None
    return ("moment", made) if made else None


@MOMENTS.rule(
    "repeat:repeat <de|on>? the? <nth|edge_zh>:which",
    "<nth>:which of repeat:repeat",
)
def _repeat_on(found: Found) -> Made:
    """每月最后一天, the last Friday of every month."""
    repeat: Repeat = found["repeat"]
    if found.is_a("which", "nth"):
        made = repeat.on(found["which"])
    else:
        units = {"MONTHLY": "month", "YEARLY": "year"}
        unit = units.get(repeat.frequency)
        made = repeat.on(Edge(found["which"], unit)) if unit else None  # type: ignore[arg-type]
    return ("repeat", made) if made else ("unread", None)


@MOMENTS.rule("repeat:one <de|comma>? repeat:other")
def _daily_on(found: Found) -> Made:
    """工作日每天, every day from Monday to Friday."""
    plain = Repeat(frequency="DAILY")
    for one, other in ((found["one"], found["other"]), (found["other"], found["one"])):
        if other == plain and one.frequency == "WEEKLY" and one.weekdays:
            return "repeat", one
    return None


@MOMENTS.rule("repeat:repeat de? day:days")
def _yearly_on(found: Found) -> Made:
    """每年春节; a recurrence that cannot be followed is not read as a plainer one."""
    made = found["repeat"].on(found["days"])
    if made is None and not isinstance(found["days"], Feast | LunarDay):
        return None
    return ("repeat", made) if made else ("unread", None)


@MOMENTS.rule("<day|moment>:before same_time", "same_time <day>:after")
def _same_time(found: Found) -> Made:
    """明天这个时候, this time tomorrow."""
    one = moment(found.pieces()[0]) or moment(found.pieces()[-1])
    if one is None or one.clocks:
        return None
    match one.days:
        case Relative(unit="week" | "month" | "year" as unit, shift=shift) if shift:
            return "shift", (length(abs(shift), unit), 1 if shift > 0 else -1)
    return "moment", replace(one, same_time=True)


@MOMENTS.rule("^ same_time $")
def _now(found: Found) -> Made:
    return "now", None


# Words that only mean something next to a day part or a clock time.


@MOMENTS.rule("<early|late>? (in the)? part:part")
def _early_part(found: Found) -> Made:
    return "part", found["part"]


@MOMENTS.rule("(in|during|on|at)? the? this part:part")
def _this_part(found: Found) -> Made:
    return "moment", Moment(days=TODAY, part=found["part"])


@MOMENTS.rule("<last|next|past>:word part:part")
def _last_night(found: Found) -> Made:
    shift = 1 if found.is_a("word", "next") else -1
    return "moment", Moment(days=Relative("day", shift), part=found["part"])


@MOMENTS.rule("leap <day|moment>")
def _leap_month(found: Found) -> Made:
    """闰六月初一: not followed here, and not the 初一 of the sixth month."""
    return "unread", None


@MOMENTS.rule("every <other|second>:other? <part|part_zh>:part")
def _every_part(found: Found) -> Made:
    """每晚, every other morning."""
    interval = 2 if "other" in found else 1
    return "moment", Moment(repeat=Repeat(frequency="DAILY", interval=interval), part=found["part"])


@MOMENTS.rule("every clock:clock")
def _every_clock(found: Found) -> Made:
    """每晚十点, every night at 10; not a bare 每10点."""
    clock = found["clock"]
    daily = Moment(repeat=Repeat(frequency="DAILY"), clocks=(clock,))
    return ("moment", daily) if clock.part else None


@MOMENTS.rule("repeat:repeat part_zh:first clock:last")
def _both_ends(found: Found) -> Made:
    """每天早晚8点."""
    last: Clock = found["last"]
    if last.part != "evening" or found["first"] != "morning":
        return None
    clocks = (on_clock(last.hour, last.minute, part="morning"), last)
    return "moment", Moment(repeat=found["repeat"], clocks=clocks)


@MOMENTS.rule("<day|repeat>:days num:one? part_zh:part")
def _day_part(found: Found) -> Made:
    """周一早, 每天晚, 明天一早."""
    if found["one"] is not None and found["one"].text != "一":
        return None
    pieces = found.pieces()
    one = moment(pieces[0])
    return ("moment", replace(one, part=found["part"])) if one else None


@MOMENTS.rule(
    "(?<=<at|during|this|before|after|day|moment>) lunch",
    "lunch (?=<day|tonight>)",
)
def _lunch(found: Found) -> Made:
    return "part", "lunch"


@MOMENTS.rule(
    "dashed:days (?=glue* <clock|part>)",
    "^ dashed:days $",
    "(?<=to) dashed:days",
)
def _dashed(found: Found) -> Made:
    return "day", found["days"]


@MOMENTS.rule("^ num:month dash num:day $")
def _dashed_numbers(found: Found) -> Made:
    month, day = found["month"].value, found["day"].value
    return ("day", DayOf(int(day), int(month))) if 1 <= month <= 12 and 1 <= day <= 31 else None


@MOMENTS.rule("<day|tonight|part|moment>:before around num:hour (?!no_hour)")
def _around(found: Found) -> Made:
    """Tonight around 3."""
    hour = found["hour"].value
    one = moment(found.pieces()[0])
    if one is None or hour != int(hour) or not 0 <= hour <= 24:
        return None
    made = joined(one, Moment(clocks=(on_clock(int(hour)),)))
    return ("moment", made) if made else None


@MOMENTS.rule("fraction:part (?!unit|measure|x measure|of)")
def _slashed(found: Found) -> Made:
    """4/25: the month first; the day first where it can only be so."""
    part = found["part"]
    month, day = part.above, part.below
    if month > 12 >= day:
        month, day = day, month
    return ("day", DayOf(day, month)) if 1 <= month <= 12 and 1 <= day <= 31 else None


@MOMENTS.rule("<clock|moment>:timed comma? zone:zone comma?")
def _zoned(found: Found) -> Made:
    one = moment(found.pieces()[0])
    return ("moment", replace(one, zone=found["zone"])) if one and not one.zone else None


@MOMENTS.rule("zone:zone <comma|de|at_zh>? clock:timed")
def _zone_first(found: Found) -> Made:
    """北京时间9点."""
    one = moment(found.pieces()[-1])
    if one is None or one.zone or not (one.clocks or one.part):
        return None
    return "moment", replace(one, zone=found["zone"])


@MOMENTS.rule(
    "(more than)? length:length <from|after|since> the? <day|now>:base (?!<of|in|comma>? the? day)",
    "length:length before:before the? day:base (?!<of|in|comma>? the? day)",
)
def _from_day(found: Found) -> Made:
    """Three weeks from tomorrow, 5 days before new year."""
    away: Length = found["length"]
    if away.seconds or found["base"] is None:
        return None
    sign = -1 if found.all("before") else 1
    return "day", Shifted(found["base"], away, sign)


@MOMENTS.rule("the unit:unit <before|after>:way the? day:base")
def _next_to_day(found: Found) -> Made:
    """The day before Christmas."""
    made = length(1, unit_of(found["unit"]))
    if made is None or made.seconds or found["unit"] not in ("day", "week", "month", "year"):
        return None
    return "day", Shifted(found["base"], made, -1 if found.is_a("way", "before") else 1)


@MOMENTS.rule("end of the? day:days")
def _end_of_day(found: Found) -> Made:
    days = found["days"]
    return ("moment", Moment(days=days, end_of_day=True)) if grain(days) == "day" else None


@MOMENTS.rule("^ around? num:hour around? <day|tonight> (?!unit)")
def _hour_first(found: Found) -> Made:
    """9 tomorrow."""
    hour, one = found["hour"].value, moment(found.pieces()[-1])
    if (
        one is None
        or hour != int(hour)
        or not 0 <= hour <= 24
        or not isinstance(one.days, Relative)
    ):
        return None
    made = joined(one, Moment(clocks=(on_clock(int(hour)),)))
    return ("moment", made) if made else None


@MOMENTS.rule("day:one <of|in|de|comma|on|owns|at_zh>? the? day:other", again=True)
def _narrower(found: Found) -> Made:
    made = narrowed(found["one"], found["other"])
    return ("day", made) if made else None


@MOMENTS.rule(
    "(more than)? length:length <from|after|since> the? <day|now>:base",
    "length:length before:before the? day:base",
)
def _from_narrower_day(found: Found) -> Made:
    return _from_day(found)


@MOMENTS.rule("timed glue? glue? glue? timed", again=True)
def _together(found: Found) -> Made:
    return _join(found)


@MOMENTS.rule("zone:zone <comma|de|at_zh>? moment:timed")
def _zone_before_all(found: Found) -> Made:
    return _zone_first(found)


@MOMENTS.rule("moment:moment <and|comma>? at? clock:clock", again=True)
def _another_clock(found: Found) -> Made:
    """每周一9点和14点, 每天早8点晚8点."""
    one: Moment = found["moment"]
    if one.repeat is None or not one.clocks:
        return None
    clock = going_on(found["clock"], one.clocks[-1])
    return "moment", replace(one, clocks=(*one.clocks, clock))


@MOMENTS.rule("nth de? <day|clock|part|moment>")
def _nth_of_nothing(found: Found) -> Made:
    """第二天上午: of what is not said here."""
    return "unread", None


@MOMENTS.rule("nth:nth")
def _last_after_all(found: Found) -> Made:
    """The last Monday in Paris: of no month."""
    nth: Nth = found["nth"]
    if nth.number != -1 or nth.count != 1:
        return None
    if nth.weekday >= 0:
        return "day", WeekdayOf(nth.weekday, -1, "last")
    return ("day", Relative(nth.unit, -1)) if nth.unit in ("week", "month", "year") else None


# Two moments.


@RANGES.rule("days:days")
def _two_days(found: Found) -> Made:
    first, last, border = found["days"]
    return "range", Range(Moment(days=first), Moment(days=last), border)


@RANGES.rule(
    "<from|between|from_zh|in|on>? the? single:first start_zh? comma? <to|dash|until|and>:way"
    " the? single:last <stop_zh|mid_zh|start_zh>?"
)
def _range(found: Found) -> Made:
    pieces = found.pieces()
    ends = [piece for piece in pieces if moment(piece)]
    singles = [one for piece in pieces if (one := moment(piece))]
    if len(singles) != 2:
        return None
    if found.is_a("way", "and") and not found.all("between", "mid_zh"):
        return None
    first, last = singles
    if first.repeat or last.repeat or first.window or last.window:
        return None
    return "range", Range(first, last, (ends[0].end, ends[1].start))


@RANGES.rule(
    "moment:moment range:range",
    "day:moment <at|on|comma|in>? range:range",
)
def _range_on_a_day(found: Found) -> Made:
    one = moment(found.pieces()[0])
    return _on(one, found["range"])


@RANGES.rule("range:range <on|comma|in|of|at>? the? <day|moment|tonight>:moment")
def _range_of_a_day(found: Found) -> Made:
    return _on(moment(found.pieces()[-1]), found["range"])


def _on(day: Moment | None, span: Range) -> Made:
    """A range of clock times on a day that was said before or after it."""
    if day is None or day.clocks:
        return None
    first, last = joined(day, span.first), joined(day, span.last)
    return ("range", Range(first, last, span.border)) if first and last else None


# What only bounds something.


@RANGES.rule("<single>:moment approx? and? <ante|front|stop_zh>:way")
def _before_zh(found: Found) -> Made:
    return _bounded(found, 0, "before")


@RANGES.rule("from_zh? single:moment approx? and? <post|back|start_zh|since_zh>:way")
def _after_zh(found: Found) -> Made:
    return _bounded(found, 1 if found.all("from_zh") else 0, "after")


@RANGES.rule("moment:habit <to|dash|until> clock:clock (?!<to|dash|until>)")
def _habit_until(found: Found) -> Made:
    """每天9点到10点."""
    habit: Moment = found["habit"]
    if habit.repeat is None or len(habit.clocks) != 1:
        return None
    if habit.repeat.frequency in ("HOURLY", "MINUTELY"):
        return None
    pieces = found.pieces()
    last = Moment(clocks=(going_on(found["clock"], habit.clocks[0]),))
    return "range", Range(habit, last, (pieces[0].end, pieces[-1].start))


@RANGES.rule("<before|until|by>:way the? single:moment")
def _before(found: Found) -> Made:
    return _bounded(found, -1, "before")


@RANGES.rule("<after|since>:way the? single:moment")
def _after(found: Found) -> Made:
    return _bounded(found, -1, "after")


def _bounded(found: Found, at: int, bound: str) -> Made:
    one = moment(found.pieces()[at])
    return ("moment", replace(one, bound=bound)) if one and not one.repeat else None


@RANGES.rule("within the? length:length")
def _within(found: Found) -> Made:
    return "span_from_now", found["length"]
