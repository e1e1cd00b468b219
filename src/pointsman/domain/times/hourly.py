"""Rules for habits of hours and minutes: 每天9点到18点每小时, every hour on the half hour."""

from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.clocks import Clock
from pointsman.domain.times.moments import Moment
from pointsman.domain.times.repeats import Repeat
from pointsman.domain.times.written import Number

HOURLY = Rules()
_MINUTES = {"HOURLY": 60, "MINUTELY": 1}
_MOST = 48


@HOURLY.rule(
    "repeat:days comma? de? (from|from_zh|between)? clock:first <to|dash|until|and> clock:last"
    " (comma|de|mid_zh)? repeat:often",
    "repeat:days comma? repeat:often comma? (from|from_zh|between) clock:first"
    " <to|dash|until|and> clock:last",
    "repeat:often comma? (from|from_zh|between) clock:first <to|dash|until|and> clock:last"
    " comma? (on|de)? repeat:days",
    "(from|from_zh|between)? clock:first <to|dash|until|and> clock:last (comma|de|mid_zh)?"
    " repeat:often",
    "repeat:often comma? (from|from_zh|between) clock:first <to|dash|until|and> clock:last",
)
def _through_the_day(found: Found) -> Made:
    """Each day at every hour from the first to the last."""
    often: Repeat = found["often"]
    days = found["days"] or Repeat(frequency="DAILY")
    first, last = found["first"], found["last"]
    step = often.interval * _MINUTES.get(often.frequency, 0)
    if not step or days.frequency in _MINUTES or not first.hours or not last.hours:
        return None
    begin = first.hours[0] * 60 + first.minute
    ends = [hour * 60 + last.minute for hour in last.hours if hour * 60 + last.minute > begin]
    if not ends or (ends[0] - begin) // step >= _MOST:
        return None
    times = [divmod(minute, 60) for minute in range(begin, ends[0] + 1, step)]
    clocks = tuple(Clock(hours=(hour,), hour=hour, minute=minute) for hour, minute in times)
    return "moment", Moment(repeat=days, clocks=clocks)


@HOURLY.rule("repeat:repeat de? num:minute zh_minute", "repeat:repeat comma? minute_past:minute")
def _at_a_minute(found: Found) -> Made:
    """每小时的15分, every hour on the half hour."""
    said = found["minute"]
    return _each_hour(found["repeat"], int(said.value) if isinstance(said, Number) else said)


@HOURLY.rule("every ge? minute_past:minute")
def _on_the_hour(found: Found) -> Made:
    """每个整点."""
    return _each_hour(Repeat(frequency="HOURLY"), found["minute"])


def _each_hour(repeat: Repeat, minute: int) -> Made:
    if repeat.frequency != "HOURLY" or not 0 <= minute < 60:
        return None
    return "moment", Moment(repeat=repeat, clocks=(Clock(hours=tuple(range(24)), minute=minute),))
