"""Rules for habits on days of a month or a year: 每月1号和15号, every Christmas."""

from pointsman.domain.times.calendar import DayOf, Relative, Within
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.repeats import Repeat
from pointsman.domain.times.written import Number

MONTHDAYS = Rules()


@MONTHDAYS.rule(
    "repeat:repeat (de|on|from|from_zh)? the? <ord|num|day>:first <to|dash> the? <ord|day>:last"
)
def _range_of_days(found: Found) -> Made:
    """每月10号到15号."""
    first, last = _day(found["first"]), _day(found["last"])
    return _on(found["repeat"], tuple(range(first, last + 1))) if 0 < first < last else None


@MONTHDAYS.rule(
    "repeat:repeat (de|on)? the? <ord|num|day>:first <and|comma> the? <ord|day>:other",
    "(on? the)? <ord|day>:first <and|comma> the? <ord|day>:other of repeat:repeat",
)
def _two_days(found: Found) -> Made:
    return _on(found["repeat"], (_day(found["first"]), _day(found["other"])))


@MONTHDAYS.rule("repeat:repeat <and|comma> the? <ord|day>:other", again=True)
def _one_more(found: Found) -> Made:
    repeat: Repeat = found["repeat"]
    return _on(repeat, (*repeat.monthdays, _day(found["other"]))) if repeat.monthdays else None


@MONTHDAYS.rule("(on? the)? ord:day of repeat:repeat")
def _one_day(found: Found) -> Made:
    return _on(found["repeat"], (_day(found["day"]),))


def _on(repeat: Repeat, days: tuple[int, ...]) -> Made:
    made = repeat.on_days(days)
    return ("repeat", made) if made else None


def _day(said: object) -> int:
    """The day of a month that a piece says; 0 for none."""
    match said:
        case DayOf(day=day, month=0):
            return day
        case Number(value=value):
            return int(value)
        case int():
            return said
    return 0


@MONTHDAYS.rule("every the? day:days")
def _every_date(found: Found) -> Made:
    """Every Christmas, every last day of the month."""
    days = found["days"]
    if isinstance(days, Within) and days.outer == Relative("month", 0):
        days = days.inner
    made = Repeat(frequency="MONTHLY").on(days) or Repeat(frequency="YEARLY").on(days)
    return ("repeat", made) if made else None
