"""Time phrases, Chinese and English, with a reference instant and a zone.

``phrases`` finds them in a text; each has one or more readings, the likeliest first. A phrase that
is not settled must be asked about. Settled by rule: a bare 三点 is the afternoon, a bare 10点 the
nearest one to come, a span's instant is its start. Not settled: a 今天9点 that has passed, a
"Friday" said on a Friday. A phrase without a reading names a time that does not exist.

Above: ``sources``, ``filling`` and reminders. Below: ``clocks``, ``days``, ``repeats``.
"""

from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from pointsman.domain.bounds import bounded
from pointsman.domain.clocks import PART_STARTS, PARTS, Clock, in_part
from pointsman.domain.day_arithmetic import Dates, Days
from pointsman.domain.repeats import Repeat
from pointsman.domain.time_words import (
    Grain,
    Impossible,
    When,
    Word,
    completed_groups,
    groups,
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
    return _phrases(bounded(text), local, local.tzinfo)


@lru_cache(maxsize=512)
def _phrases(text: str, now: datetime, zone: tzinfo | None) -> tuple[TimePhrase, ...]:
    """The zone is only for the cache: instants of two zones can be equal."""
    found: list[TimePhrase] = []
    named: Days | None = None
    for group, inherits in completed_groups(list(groups(text, tokens(text, now)))):
        own = next((token.what for token in group if isinstance(token.what, Days)), None)
        named = own or (named if inherits else None)
        placed, clock = _resolved([token.what for token in group], now, named)
        phrase = TimePhrase(
            start=group[0].start,
            end=group[-1].end,
            readings=placed.readings,
            also=placed.also,
            other=placed.other,
            settled=placed.settled,
            why=placed.why,
            clock=clock,
        )
        found.append(phrase)
    return tuple(found)


def _resolved(
    words: list[Word], now: datetime, named: Days | None
) -> tuple["_Placed", tuple[time, ...]]:
    """What a group of words means, and the times of day it names."""
    clocks = [word for word in words if isinstance(word, Clock)]
    part = next((word for word in words if isinstance(word, str)), "")
    if part and clocks and clocks[0].bare:
        clocks[0] = in_part(clocks[0], part)
    times = tuple(one for clock in clocks for one in clock.times())
    for word in words:
        if isinstance(word, Impossible):
            return _Placed(readings=(), settled=False, why="impossible"), ()
        if isinstance(word, Repeat):
            whole = _recurring(word, clocks, part, now)
            why: Why = "" if whole else "impossible"
            return _Placed(readings=(whole,) if whole else (), why=why), times
        if isinstance(word, When):
            if not clocks and not part:
                return _Placed(readings=(word,)), ()
            named = Days(options=((word.start.date(), word.start.date() + timedelta(days=1)),))
    return _placed(named, clocks[0] if clocks else None, part, now), times


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
