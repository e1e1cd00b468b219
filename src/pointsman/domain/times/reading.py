"""What a moment or a range means at a reference instant: readings, and whether to ask.

Rules: a bare 三点 is the afternoon, a bare 10点 the nearest one to come; a span's instant is its
start; a 今天9点 that has passed is asked about. For local times that the clocks skip or repeat, see
``domain.calendar.wall_clock``.
"""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from pointsman.domain.calendar.wall_clock import existing, later, on_day
from pointsman.domain.calendar.workdays import is_decreed
from pointsman.domain.schedule import Schedule, next_after
from pointsman.domain.times.calendar import (
    Length,
    Relative,
    Shifted,
    Window,
    counts_workdays,
    grain,
)
from pointsman.domain.times.clocks import PART_STARTS, PARTS, Clock, moved
from pointsman.domain.times.day_arithmetic import (
    DAY,
    Dates,
    Meant,
    added,
    meant,
    turned_on,
)
from pointsman.domain.times.moments import Moment
from pointsman.domain.times.placing import Grain, Note, Placed, Reference, When, Why
from pointsman.domain.times.repeats import Repeat

_GRAINS: dict[str, Grain] = {
    "day": "day",
    "workday": "day",
    "weekday": "day",
    "week": "week",
    "month": "month",
    "year": "year",
}
_HALF_A_YEAR = 182
_IMPOSSIBLE = Placed(readings=(), settled=False, why="impossible")


def placed(moment: Moment, at: Reference) -> Placed:
    """What a moment means."""
    try:
        found = _placed(moment, at)
    except (ValueError, OverflowError):
        return _IMPOSSIBLE
    return _noted(found, moment, at)


def _placed(moment: Moment, at: Reference) -> Placed:
    if moment.unread:
        return Placed(readings=(), settled=False, why="unread")
    if any(clock.impossible for clock in moment.clocks):
        return _IMPOSSIBLE
    if moment.zone is not None:
        return _elsewhere(moment, at)
    if moment.since is not None or moment.until is not None:
        return _limited(moment, at)
    if moment.repeat is not None:
        return _recurring(moment, at)
    if moment.written is not None:
        there = moment.written.at
        if there is None:
            return _IMPOSSIBLE
        if there.tzinfo is None:
            return Placed(readings=(When(start=existing(there.replace(tzinfo=at.now.tzinfo))),))
        return Placed(readings=(When(start=there.astimezone(at.now.tzinfo)),))
    if moment.now:
        return Placed(readings=(When(start=at.now, grain="second"),))
    if moment.window is not None:
        return _window(moment.window, moment, at)
    if moment.away is not None:
        return _away(moment.away, moment, at)
    named = meant(moment.days, at.today, at.workdays) if moment.days is not None else None
    if named is not None and not named.options:
        return _IMPOSSIBLE
    if moment.same_time and named is not None:
        now = at.now
        clock = Clock(hours=(now.hour,), hour=now.hour, minute=now.minute, second=now.second)
        return _clocked(moment, clock, named, at)
    if moment.end_of_day:
        return _end_of_day(named, at)
    if not moment.clocks:
        return _spans(moment, named, at)
    return _clocked(moment, moment.clocks[0], named, at)


def _clocked(moment: Moment, clock: Clock, named: Meant | None, at: Reference) -> Placed:
    if not clock.hours:
        return Placed(readings=(), settled=False, why="contradiction")
    is_today = moment.days == Relative("day", 0)
    if named is None or is_today:
        found = _nearest(clock, at, today=is_today)
        return replace(found, clock=clock.times(), why=found.why or _range_of(clock))
    made = [_at(option, clock.hours[0], clock, at) for option in named.options]
    also = [_at(option, clock.hours[0], clock, at) for option in named.also]
    other = [
        _at(option, hour, clock, at)
        for option in (*named.options, *named.also)
        for hour in clock.hours[1:]
    ]
    if named.doubt == "today" and made[0].start <= at.utc:
        made = made[1:]
    return Placed(
        readings=tuple(made),
        also=tuple(also),
        other=tuple(other),
        settled=len(made) == 1,
        why="two days" if len(made) > 1 else _range_of(clock),
        clock=clock.times(),
    )


def _range_of(clock: Clock) -> Why:
    return "range" if clock.later is not None else ""


def _at(option: Dates, hour: int, clock: Clock, at: Reference) -> When:
    return When(start=on_day(option[0], at.now.tzinfo, hour, clock.minute, clock.second))


def _nearest(clock: Clock, at: Reference, *, today: bool) -> Placed:
    """A clock time of today, said or not: the nearest one to come."""
    now = at.utc
    todays = [_at((at.today, at.today), hour, clock, at).start for hour in clock.hours]
    tomorrows = [_at((at.today + DAY, at.today), hour, clock, at).start for hour in clock.hours]
    if not today:
        taken = 1 if clock.bare and clock.hours[0] in range(13, 19) else len(todays)
        coming = sorted(one for one in (*todays[:taken], *tomorrows[:taken]) if one > now)
        other = [one for one in (*todays, *tomorrows) if one != coming[0]]
        made = When(start=coming[0])
        return Placed(readings=(made,), other=tuple(When(start=one) for one in other))
    meant_ = todays[0]
    if meant_ > now:
        rest = tuple(When(start=one) for one in todays[1:] if one > now)
        return Placed(readings=(When(start=meant_),), other=rest)
    coming_ = [one for one in (*todays[1:], tomorrows[0]) if one > now]
    return Placed(
        readings=tuple(When(start=one) for one in coming_),
        also=(When(start=meant_),),
        settled=False,
        why="passed",
    )


def _spans(moment: Moment, named: Meant | None, at: Reference) -> Placed:
    if named is None:
        passed = moment.part and at.now.hour >= PARTS[moment.part][1]
        first = at.today + DAY if passed else at.today
        named = Meant(options=((first, first + DAY),))
    if moment.part:
        made = [_part(option, moment.part, at) for option in named.options]
        also = [_part(option, moment.part, at) for option in named.also]
        if named.doubt == "today" and made[0].end and made[0].end <= at.utc:
            made = made[1:]
    else:
        unit = grain(moment.days) if moment.days is not None else "day"
        made = [_whole(option, unit, at) for option in named.options]
        also = [_whole(option, unit, at) for option in named.also]
    settled = len(made) == 1
    return Placed(
        readings=tuple(made), also=tuple(also), settled=settled, why="" if settled else "two days"
    )


def _part(option: Dates, part: str, at: Reference) -> When:
    return When(
        start=on_day(option[0], at.now.tzinfo, PART_STARTS[part]),
        end=on_day(option[0], at.now.tzinfo, PARTS[part][1]),
        grain="part",
    )


def _whole(option: Dates, unit: str, at: Reference) -> When:
    first, after = option
    return When(
        start=on_day(first, at.now.tzinfo, 0),
        end=on_day(after, at.now.tzinfo, 0),
        grain=_GRAINS.get(unit, "span"),
    )


def _end_of_day(named: Meant | None, at: Reference) -> Placed:
    options = named.options if named else ((at.today, at.today + DAY),)
    made = [When(start=on_day(first, at.now.tzinfo, 23, 59, 59)) for first, _ in options]
    return Placed(readings=tuple(made), settled=len(made) == 1)


def _away(length: Length, moment: Moment, at: Reference) -> Placed:
    sign = moment.sign
    day = added(at.today, length, sign, at.workdays)
    if length.seconds:
        start = existing(datetime.combine(day, at.now.timetz()))
        start = later(start, sign * length.seconds)
    else:
        start = existing(datetime.combine(day, at.now.timetz()))
    grain_ = "minute" if length.seconds else _GRAINS.get(length.unit, "day")
    if grain_ == "week":
        grain_ = "day"
    return Placed(
        readings=(When(start=start, grain=grain_),),
        settled=not length.vague,
        why="vague" if length.vague else "",
    )


def _window(length: Length, moment: Moment, at: Reference) -> Placed:
    """The last three days, the next two hours, within a week."""
    if length.vague:
        return replace(
            _window(replace(length, vague=False), moment, at), settled=False, why="vague"
        )
    if length.seconds and not (length.months or length.days):
        far = later(at.now, moment.sign * length.seconds)
        first, last = sorted((at.now, far))
        return Placed(readings=(When(start=first, end=last, grain="span"),))
    if moment.bound == "within":
        far_day = added(at.today, length, 1, at.workdays)
        end = existing(datetime.combine(far_day, at.now.timetz()))
        return Placed(readings=(When(start=at.now, end=end, grain="span"),))
    spans = meant(Window(length, moment.sign), at.today, at.workdays)
    made = [_whole(option, "span", at) for option in (*spans.options, *spans.also)]
    return Placed(readings=tuple(made[:1]), also=tuple(made[1:]))


def _elsewhere(moment: Moment, at: Reference) -> Placed:
    """A clock time in another zone (4 pm CET, 北京时间9点), as the instant it is here."""
    assert moment.zone is not None
    name, minutes = moment.zone
    if name == "cst" and at.now.utcoffset() == timedelta(hours=8):
        minutes = 480
    there = ZoneInfo(name) if "/" in name else timezone(timedelta(minutes=minutes))
    moment = replace(moment, zone=None)
    if moment.repeat is not None:
        return _recurring_elsewhere(moment, there, at)
    now = at.now.astimezone(there)
    found = _placed(moment, replace(at, now=now))
    if isinstance(moment.days, Relative) and now.date() != at.today and found.settled:
        own = datetime.combine(at.today, now.timetz())
        found = _of_both_days(found, _placed(moment, replace(at, now=own)), at)
    here = [
        tuple(
            replace(
                when,
                start=when.start.astimezone(at.now.tzinfo),
                end=when.end and when.end.astimezone(at.now.tzinfo),
            )
            for when in group
        )
        for group in (found.readings, found.also, found.other)
    ]
    return replace(found, readings=here[0], also=here[1], other=here[2])


def _of_both_days(there: Placed, own: Placed, at: Reference) -> Placed:
    """Tomorrow as it is there and as it is here, where these are two days."""
    both = [one for one in (*own.readings, *there.readings) if one.start > at.utc]
    if len(both) < 2:
        return replace(there, readings=tuple(both)) if both else there
    return replace(there, readings=tuple(both), settled=False, why="two days")


def _recurring_elsewhere(moment: Moment, there: tzinfo, at: Reference) -> Placed:
    """A recurrence at another zone's clock time: the time that it is here now; to be asked about
    where the two zones do not stay so far apart."""
    if not moment.clocks:
        return Placed(readings=(), settled=False, why="unread")
    ahead, later_on = (_ahead(at.now + timedelta(days=days), there) for days in (0, _HALF_A_YEAR))
    clocks = tuple(moved(clock, ahead) or clock for clock in moment.clocks)
    found = _recurring(replace(moment, clocks=clocks), at)
    return found if ahead == later_on else replace(found, settled=False, why="vague")


def _ahead(instant: datetime, there: tzinfo) -> float:
    """By how many seconds the clock here is ahead of the one there."""
    here = instant.utcoffset() or timedelta()
    return (here - (instant.astimezone(there).utcoffset() or timedelta())).total_seconds()


def _recurring(moment: Moment, at: Reference) -> Placed:
    repeat = moment.repeat
    assert repeat is not None
    if any(not clock.hours for clock in moment.clocks):
        return Placed(readings=(), settled=False, why="contradiction")
    if repeat.frequency in ("HOURLY", "MINUTELY"):
        return _from_clock(repeat, moment, at)
    turned = _turned(repeat, {clock.hours[0] // 24 for clock in moment.clocks})
    if turned is None:
        return Placed(readings=(), settled=False, why="unread")
    repeat = turned
    times = [(clock.hours[0] % 24, clock.minute) for clock in moment.clocks]
    if not times and moment.part:
        times = [(PART_STARTS[moment.part], 0)]
    intervals = [repeat.interval, *([repeat.rival] if repeat.rival else [])]
    made: list[When] = []
    for interval in intervals:
        rule = replace(repeat, interval=interval).rule(tuple(times))
        anchored = bool(times) or bool(repeat.weekdays) or bool(repeat.monthdays)
        near = replace(repeat, interval=1).rule(tuple(times)) if anchored else rule
        seen = Schedule(start=at.now, rule=near, workdays=repeat.workdays)
        start = next_after(seen, at.now, at.workdays)
        if start is not None:
            made.append(When(start=start, rule=rule, workdays=repeat.workdays))
    if not made:
        return _IMPOSSIBLE
    clock = tuple(one for clock in moment.clocks for one in clock.times())
    settled = len(made) == 1
    return Placed(
        readings=tuple(made), settled=settled, why="" if settled else "interval", clock=clock
    )


def _turned(repeat: Repeat, days: set[int]) -> Repeat | None:
    """The recurrence so many days on, as the midnight that ends a Friday is on Saturday; None where
    no rule says that."""
    if days <= {0} or (repeat.frequency == "DAILY" and (repeat.interval == 1 or len(days) == 1)):
        return repeat
    if len(days) > 1 or repeat.frequency != "WEEKLY" or repeat.workdays:
        return None
    turned = sorted((day + min(days)) % 7 for day in repeat.weekdays)
    return replace(repeat, weekdays=tuple(turned))


def _limited(moment: Moment, at: Reference) -> Placed:
    """A recurrence that begins or ends on a day."""
    first = placed(moment.since, at) if moment.since else None
    if first is not None and first.settled and first.readings[0].start > at.utc:
        begin = first.readings[0].start - timedelta(seconds=1 if moment.clocks else 0)
        at = replace(at, now=begin)
    last = placed(moment.until, at) if moment.until else None
    if not all(one is None or one.settled for one in (first, last)):
        return Placed(readings=(), settled=False, why="unread")
    found = _placed(replace(moment, since=None, until=None), at)
    if last is None or moment.until is None or not (found.readings and last.readings):
        return found
    end = last.readings[0].end or last.readings[0].start + timedelta(seconds=1)
    if (lasting := moment.until.away) and not lasting.seconds:
        end = on_day(added(found.readings[0].start.date(), lasting, 1), at.now.tzinfo, 0)
    until = f"{end.astimezone(UTC) - timedelta(seconds=1):%Y%m%dT%H%M%SZ}"
    made = [
        replace(one, rule="\n".join(f"{line};UNTIL={until}" for line in one.rule.split("\n")))
        for one in found.readings
        if one.start < end
    ]
    return replace(found, readings=tuple(made)) if made else _IMPOSSIBLE


def _from_clock(repeat: Repeat, moment: Moment, at: Reference) -> Placed:
    """Every two hours, counted from now or from a clock time (from 9:00 on)."""
    rule = repeat.rule(())
    if moment.clocks:
        start = _nearest(moment.clocks[0], at, today=False).readings[0].start
    else:
        first = next_after(Schedule(start=at.now, rule=rule), at.now)
        start = first if first is not None else at.now
    return Placed(readings=(When(start=start, rule=rule),))


def _noted(found: Placed, moment: Moment, at: Reference) -> Placed:
    """The reading, with what its reader must be told."""
    notes: list[Note] = []
    if found.readings and found.readings[0].start < at.utc:
        end = found.readings[0].end
        if end is None or end <= at.utc:
            notes.append("past")
    if found.readings and _counts_workdays(moment):
        day = found.readings[0].start.date()
        notes += [] if is_decreed(day, at.workdays) else ["monday to friday"]
    if moment.repeat is not None and any(day > 28 for day in moment.repeat.monthdays):
        notes.append("short months")
    if "past" in notes and moment.days is not None and (coming := turned_on(moment.days)):
        following = _placed(replace(moment, days=coming), at)
        found = replace(found, also=(*following.readings, *found.also))
    if found.settled and not found.why and any(one.least for one in _lengths(moment)):
        found = replace(found, why="range")
    return replace(found, notes=tuple(notes)) if notes else found


def _lengths(moment: Moment) -> list[Length]:
    """The lengths that the moment is reckoned with."""
    shifted = moment.days.length if isinstance(moment.days, Shifted) else None
    return [one for one in (moment.away, shifted) if one is not None]


def _counts_workdays(moment: Moment) -> bool:
    lengths = (moment.away, moment.window)
    if any(length is not None and length.workdays for length in lengths):
        return True
    if counts_workdays(moment.days):
        return True
    return moment.repeat is not None and moment.repeat.workdays
