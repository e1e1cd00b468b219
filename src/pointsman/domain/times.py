"""Time phrases, Chinese and English, with a reference instant and a zone.

``phrases`` finds them in a text; each has one or more readings, the likeliest first. A phrase that
is not settled must be asked about. Settled by rule: a bare 三点 is the afternoon, a bare 10点 the
nearest one to come, a span's instant is its start. Not settled: a 今天9点 that has passed, a
"Friday" said on a Friday. A phrase without a reading names a time that does not exist.

Above: ``sources``, ``filling`` and reminders. Below: ``clocks``, ``days``, ``repeats``.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from pointsman.domain.clocks import PART_STARTS, PARTS, Clock, in_part
from pointsman.domain.day_arithmetic import Dates, Days
from pointsman.domain.repeats import Repeat
from pointsman.domain.time_words import (
    Grain,
    Token,
    When,
    completed_groups,
    groups,
    kind_of,
    shifted,
    tokens,
)

__all__ = ["TimePhrase", "When", "Why", "phrases", "readings"]

Why = Literal["", "passed", "two days", "contradiction", "impossible", "range"]


class TimePhrase(Struct, frozen=True, kw_only=True):
    """Words that name a time.

    Attributes:
        readings: the likeliest first; empty when there is no such time.
        also: readings that are as right in another context (a 3月5号 that has passed this year).
        other: what the words allow and the rules do not take (22:00 for 明天10点): whoever takes it
            should ask.
        settled: the first reading is meant; otherwise the user is to be asked which.
        why: what is special about it.
        clock: times of day that the words can mean, when they name one.
    """

    start: int
    end: int
    readings: tuple[When, ...]
    also: tuple[When, ...] = ()
    other: tuple[When, ...] = ()
    settled: bool = True
    why: Why = ""
    clock: tuple[time, ...] = ()


def readings(text: str, now: datetime, zone: tzinfo | None = None) -> tuple[When, ...]:
    """What the first time phrase of a text can mean; empty when it names none or an impossible one.

    Args:
        now: the reference, aware.
        zone: of the answer and of times without an offset; the reference's own when None.
    """
    found = phrases(text, now, zone)
    return found[0].readings if found else ()


def phrases(text: str, now: datetime, zone: tzinfo | None = None) -> tuple[TimePhrase, ...]:
    """Every time phrase of a text, in its order."""
    local = now.astimezone(zone) if zone is not None else now
    return _phrases(text, local)


@lru_cache(maxsize=512)
def _phrases(text: str, now: datetime) -> tuple[TimePhrase, ...]:
    found: list[TimePhrase] = []
    named: Days | None = None
    for group, inherits in completed_groups(list(groups(text, tokens(text, now)))):
        own = next((token.what for token in group if isinstance(token.what, Days)), None)
        named = own or (named if inherits else None)
        for phrase in _resolved(group, now, None if own else named):
            found.append(phrase)
    return tuple(found)


def _resolved(group: list[Token], now: datetime, inherited: Days | None) -> Iterator[TimePhrase]:
    start, end = group[0].start, group[-1].end
    found: dict[str, list[Token]] = {}
    for token in group:
        found.setdefault(kind_of(token), []).append(token)
    clocks_ = [token.what for token in found.get("clock", ()) if isinstance(token.what, Clock)]
    part = next((t.what for t in found.get("part", ()) if isinstance(t.what, str)), "")
    if part and clocks_ and clocks_[0].bare:
        clocks_[0] = in_part(clocks_[0], part)
    repeat = next((t.what for t in found.get("repeat", ()) if isinstance(t.what, Repeat)), None)
    when = next((t.what for t in found.get("when", ()) if isinstance(t.what, When)), None)
    named = next((t.what for t in found.get("days", ()) if isinstance(t.what, Days)), inherited)
    times = tuple(clock_time for clock in clocks_ for clock_time in clock.times())
    if repeat is not None:
        whole = _recurring(repeat, clocks_, part, now)
        readings_, why, settled = (whole,) if whole else (), "" if whole else "impossible", True
        yield TimePhrase(
            start=start, end=end, readings=readings_, why=_why(why), settled=settled, clock=times
        )
        return
    if when is not None:
        named = Days(options=((when.start.date(), when.start.date() + timedelta(days=1)),))
        if not clocks_ and not part:
            yield TimePhrase(start=start, end=end, readings=(when,))
            return
    if "part" in found and not part and not clocks_ and named is None:
        yield TimePhrase(start=start, end=end, readings=(), why="impossible")
        return
    phrase = _placed(named, clocks_[0] if clocks_ else None, part, now)
    yield TimePhrase(
        start=start,
        end=end,
        readings=phrase.readings,
        also=phrase.also,
        other=phrase.other,
        settled=phrase.settled,
        why=phrase.why,
        clock=times,
    )


def _why(text: str) -> Why:
    return "impossible" if text else ""


class _Placed(Struct, frozen=True, kw_only=True):
    readings: tuple[When, ...]
    also: tuple[When, ...] = ()
    other: tuple[When, ...] = ()
    settled: bool = True
    why: Why = ""


def _placed(named: Days | None, clock: Clock | None, part: str, now: datetime) -> _Placed:
    if named is not None and not named.options:
        return _Placed(readings=(), settled=False, why="impossible")
    if clock is not None and not clock.hours:
        return _Placed(
            readings=(), settled=False, why="impossible" if clock.impossible else "contradiction"
        )
    if clock is None:
        return _spans(named, part, now)
    if named is None or named.today:
        return _nearest(clock, now, today=named is not None)
    made = [_at(option, hour, clock, now) for option in named.options for hour in clock.hours[:1]]
    also = [_at(option, hour, clock, now) for option in named.also for hour in clock.hours[:1]]
    other = [
        _at(option, hour, clock, now)
        for option in (*named.options, *named.also)
        for hour in clock.hours[1:]
    ]
    if len(made) > 1 and made[0].start <= now:
        made = made[1:]
    why: Why = "two days" if len(made) > 1 else "range" if clock.later is not None else ""
    return _Placed(
        readings=tuple(made),
        also=tuple(also),
        other=tuple(other),
        settled=len(made) == 1,
        why=why,
    )


def _spans(named: Days | None, part: str, now: datetime) -> _Placed:
    if named is None:
        named = Days(options=((now.date(), now.date() + timedelta(days=1)),))
    grain = named.grain
    if part:
        first, last = PART_STARTS[part], PARTS[part][1]
        made = [
            When(start=_local(day, first, now), end=_local(day, last, now), grain="part")
            for day, _ in named.options
        ]
        return _Placed(readings=tuple(made), settled=len(made) == 1)
    made = [_whole(option, grain, now) for option in named.options]
    also = tuple(_whole(option, grain, now) for option in named.also)
    settled = len(made) == 1
    return _Placed(
        readings=tuple(made), also=also, settled=settled, why="" if settled else "two days"
    )


def _whole(option: Dates, grain: str, now: datetime) -> When:
    kinds: dict[str, Grain] = {"day": "day", "week": "week", "month": "month", "year": "year"}
    first, after = option
    return When(
        start=_local(first, 0, now), end=_local(after, 0, now), grain=kinds.get(grain, "span")
    )


def _local(day: date, hour: int, now: datetime, minute: int = 0, second: int = 0) -> datetime:
    shift, hour = divmod(hour, 24)
    return datetime.combine(day + timedelta(days=shift), time(hour, minute, second), now.tzinfo)


def _at(option: Dates, hour: int, clock: Clock, now: datetime) -> When:
    return When(start=_local(option[0], hour, now, clock.minute, clock.second))


def _nearest(clock: Clock, now: datetime, *, today: bool) -> _Placed:
    """A clock time of today, said or not: the nearest one to come."""
    day = now.date()
    todays = [_local(day, hour, now, clock.minute, clock.second) for hour in clock.hours]
    tomorrows = [one + timedelta(days=1) for one in todays]
    if not today:
        hours = todays[:1] if clock.bare and clock.hours[0] in range(13, 19) else todays
        following = hours + [one + timedelta(days=1) for one in hours]
        coming = sorted(one for one in following if one > now)
        also = [one for one in (*todays, *tomorrows) if one != coming[0]]
        made = When(start=coming[0])
        return _Placed(readings=(made,), other=tuple(When(start=one) for one in also))
    meant = todays[0]
    if meant > now:
        rest = tuple(When(start=one) for one in todays[1:] if one > now)
        return _Placed(readings=(When(start=meant),), other=rest)
    later = [one for one in (*todays[1:], tomorrows[0]) if one > now]
    made_ = tuple(When(start=one) for one in later)
    return _Placed(readings=made_, also=(When(start=meant),), settled=False, why="passed")


def _recurring(repeat: Repeat, clocks_: list[Clock], part: str, now: datetime) -> When | None:
    if any(not clock.hours for clock in clocks_):
        return None
    times = [(_usual(clock), clock.minute) for clock in clocks_]
    if not times and part:
        times = [(PART_STARTS[part], 0)]
    rule = repeat.rule(tuple(times))
    if repeat.frequency in ("MINUTELY", "HOURLY"):
        per = 60 if repeat.frequency == "MINUTELY" else 3600
        return When(start=shifted(now, per * repeat.interval), rule=rule)
    occasions = sorted(times) or [(now.hour, now.minute)]
    for shift in range(800):
        day = now.date() + timedelta(days=shift)
        if not repeat.happens(day):
            continue
        for hour, minute in occasions:
            start = _local(day, hour, now, minute)
            if start > now:
                return When(start=start, rule=rule)
    return None


def _usual(clock: Clock) -> int:
    return clock.hours[0] % 24
