"""Rules for habits that begin or end (从明天起每天8点, every day at 9 until Friday), for days
that a habit leaves out, and for what is wished before a time (提前10分钟)."""

from msgspec.structs import replace

from pointsman.domain.times.calendar import Relative, WeekdayOf
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.moments import Moment, moment
from pointsman.domain.times.repeats import WEEKEND, Repeat

TERMS = Rules()


def _limited(habit: Moment, *, since: Moment | None = None, until: Moment | None = None) -> Made:
    """The habit with its first and last day; a clock time beside one of these is the habit's."""
    if habit.repeat is None:
        return None
    clocked = habit.repeat.frequency in ("HOURLY", "MINUTELY")
    for limit in (since, until):
        if limit is None:
            continue
        if limit.repeat or not (limit.days or limit.away or limit.window or clocked):
            return None
        if limit.clocks and not habit.clocks and not (clocked and limit is until):
            habit = replace(habit, clocks=limit.clocks, part=habit.part or limit.part)
    made = replace(
        habit, since=_days_of(since) or habit.since, until=_days_of(until) or habit.until
    )
    return ("moment", made) if made != habit or made.clocks else None


def _days_of(limit: Moment | None) -> Moment | None:
    if limit is None or not (limit.days or limit.away or limit.window):
        return None
    return replace(limit, clocks=(), part="")


def _moments(found: Found) -> list[Moment]:
    return [one for piece in found.pieces() if (one := moment(piece))]


@TERMS.rule(
    "advance length:length",
    "length:length <advance|early> (?!anypart)",
    "length:length before (?=stop|comma|$)",
)
def _lead(found: Found) -> Made:
    """提前10分钟, an hour in advance: how long before the time that is named elsewhere."""
    return "lead", found["length"]


@TERMS.rule(
    "<from|from_zh|begin|since>? (on|the)? day <to|dash|until> the? day comma?"
    " <repeat|moment>:habit",
)
def _from_one_to_another(found: Found) -> Made:
    """从3月10日到3月20日每天9点."""
    first, last, habit = _moments(found)
    return _limited(habit, since=first, until=last)


@TERMS.rule(
    "from_zh? <day|moment> start_zh comma? <repeat|moment>:habit",
    "<from|begin|since> (on|the)? <day|moment> comma? <repeat|moment>:habit",
)
def _begun(found: Found) -> Made:
    """从明天起每天8点, starting tomorrow every day at 9."""
    first, habit = _moments(found)
    return _limited(habit, since=first)


@TERMS.rule(
    "<repeat|moment>:habit comma? from_zh <day|moment> start_zh?",
    "<repeat|moment>:habit comma? <day|moment> start_zh",
    "<repeat|moment>:habit comma? <from|begin|since> (on|at|the)? <day|moment|clock>",
)
def _beginning(found: Found) -> Made:
    """Every day at 9 from Monday on; every 4 hours starting at 8."""
    habit, first = _moments(found)
    return _limited(habit, since=first)


@TERMS.rule(
    "<repeat|moment>:habit comma? (and)? <until|to> the? <day|moment> stop_zh?",
    "<repeat|moment>:habit comma? <day|moment> stop_zh",
)
def _ending(found: Found) -> Made:
    """每天9点，直到3月10日."""
    habit, last = _moments(found)
    return _limited(habit, until=last)


@TERMS.rule("<repeat|moment>:habit comma? <until|to>:way the? clock:last")
def _ending_today(found: Found) -> Made:
    """Every 30 minutes until 6 pm; not the range of 9 to 5."""
    habit = _moments(found)[0]
    if habit.repeat is None or habit.repeat.frequency not in ("HOURLY", "MINUTELY"):
        return None
    if found.is_a("way", "to") and found["way"] not in ("直到", "一直到"):
        return None
    return "moment", replace(habit, until=Moment(clocks=(found["last"],)))


@TERMS.rule(
    "<to|until>? the? <day|moment> stop_zh comma? <repeat|moment>:habit",
    "until the? <day|moment> comma? <repeat|moment>:habit",
)
def _ended(found: Found) -> Made:
    """到月底为止每天9点."""
    last, habit = _moments(found)
    return _limited(habit, until=last)


@TERMS.rule("<repeat|moment>:habit comma? <for|lasting> length:length (?!before|after|ante|front)")
def _lasting(found: Found) -> Made:
    """Every day at 9 for a week, 每天8点持续一周."""
    habit = _moments(found)[0]
    return _limited(habit, until=Moment(away=found["length"]))


@TERMS.rule("lasting length:length de? comma? (day_times)? <clock|moment>:timed")
def _in_a_row(found: Found) -> Made:
    """连续三天早上8点."""
    one, length = _moments(found)[-1], found["length"]
    if not length.days or not one.clocks or one.days or one.away:
        return None
    daily = one if one.repeat else replace(one, repeat=Repeat(frequency="DAILY"))
    return _limited(daily, until=Moment(away=length))


@TERMS.rule("for? window de? comma? <repeat|moment>:habit")
def _within_window(found: Found) -> Made:
    """未来三天每天早上8点."""
    window, habit = _moments(found)
    return _limited(habit, until=window) if window.sign > 0 else None


@TERMS.rule("<repeat|moment>:habit comma? (for|in)? window")
def _over_window(found: Found) -> Made:
    habit, window = _moments(found)
    return _limited(habit, until=window) if window.sign > 0 else None


@TERMS.rule(
    "except (for|on)? <day|moment|repeat> apart? comma? <repeat|moment>:habit",
    "<day|moment> apart comma? <repeat|moment>:habit",
)
def _excepted(found: Found) -> Made:
    """除周末外每天9点."""
    out, habit = _moments(found)
    return _without(habit, out)


@TERMS.rule(
    "<repeat|moment>:habit comma? except (for|on)? <day|moment|repeat>",
    "<repeat|moment>:habit comma? <day|moment> apart",
)
def _excepting(found: Found) -> Made:
    """Every day except Sunday at 9; 每天9点，周末除外."""
    habit, out = _moments(found)
    return _without(habit, out)


def _without(habit: Moment, out: Moment) -> Made:
    """The habit on the weekdays that are left; a clock time beside the others is the habit's."""
    repeat, excluded = habit.repeat, _weekdays(out)
    if repeat is None or not excluded or repeat.interval != 1 or repeat.nth or repeat.workdays:
        return None
    if repeat.frequency not in ("DAILY", "WEEKLY"):
        return None
    left = tuple(day for day in repeat.weekdays or range(7) if day not in excluded)
    made = replace(habit, repeat=Repeat(frequency="WEEKLY", weekdays=left))
    if out.clocks and not habit.clocks:
        made = replace(made, clocks=out.clocks, part=out.part)
    return ("moment", made) if left else None


def _weekdays(out: Moment) -> tuple[int, ...]:
    match out.days:
        case WeekdayOf(weekday=weekday, weeks=None):
            return (weekday,)
        case Relative(unit="weekend", shift=0):
            return WEEKEND
    return out.repeat.weekdays if out.repeat else ()
