"""How often and how many at once: a rate per tool and user, and a bulkhead per tool; and what a
tool's calls are held to, the breaker's limits included.

Both states are values that workers share through the store, as with ``breaker``.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct


class Admission(Struct, frozen=True, kw_only=True):
    """Whether a call may run; if not, in how many seconds it is worth asking again."""

    allowed: bool
    retry_after: float = 0.0


class Rate(Struct, frozen=True, kw_only=True):
    """At most ``calls`` in any ``seconds`` that follow one another."""

    calls: int
    seconds: float


class BreakerLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a breaker opens and for how long.

    Attributes:
        failures: so many inside ``window`` open it; each success in between takes one back. 0 for
            no breaker.
        window, pause: seconds.
        probe: seconds after which a probe that never reported is given up.
    """

    failures: int = 5
    window: float = 60.0
    pause: float = 30.0
    probe: float = 120.0


class ToolLimits(Struct, frozen=True, kw_only=True):
    """What the calls of a tool are held to, over all runs.

    Attributes:
        at_once: calls that run at the same time; 0 for any number.
        rate: of each user; None for any.
        breaker: when the tool is left alone.
    """

    at_once: int = 0
    rate: Rate | None = None
    breaker: BreakerLimits = BreakerLimits()


_UNITS = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600}
_UNITS |= {"d": 86400, "day": 86400}
_LONGEST = 86400
_RATE = re.compile(rf"([1-9]\d{{0,3}})\s*/\s*([1-9]\d{{0,3}})?\s*({'|'.join(_UNITS)})s?")


def rate_of(said: object) -> Rate:
    """A rate from words: ``10/min``, ``100/day``, ``3/10s``.

    Raises:
        ValueError: it is not one, in words for the author.
    """
    if isinstance(said, Rate):
        return said
    found = _RATE.fullmatch(said.strip()) if isinstance(said, str) else None
    if found is None:
        raise ValueError(f"expected 1 to 9999 calls per time, such as 10/min, not {said!r}")
    return Rate(calls=int(found[1]), seconds=float(int(found[2] or 1) * _UNITS[found[3]]))


def breaker_of(said: object) -> BreakerLimits:
    """A breaker's limits from a switch or single values.

    Raises:
        ValueError: they cannot be meant, in words for the author.
    """
    if isinstance(said, BreakerLimits):
        return said
    if isinstance(said, bool):
        return BreakerLimits() if said else BreakerLimits(failures=0)
    if not isinstance(said, Mapping):
        raise ValueError(f"expected a switch, or failures, window and pause, not {said!r}")
    try:
        limits = msgspec.convert(dict(said), BreakerLimits)
    except msgspec.ValidationError as fault:
        raise ValueError(str(fault)) from None
    spans = (limits.window, limits.pause, limits.probe)
    if limits.failures < 0 or not all(0 < span <= _LONGEST for span in spans):
        raise ValueError(f"expected 0 or more failures, and seconds above 0, up to {_LONGEST}")
    return limits


class RateState(Struct, frozen=True):
    """The instants of the last calls, oldest first; no more than the rate's ``calls``."""

    calls: tuple[datetime, ...] = ()


def take(state: RateState, rate: Rate, now: datetime) -> tuple[Admission, RateState]:
    """Whether one more call may run now; if so it is counted."""
    window = timedelta(seconds=rate.seconds)
    recent = tuple(at for at in state.calls if abs(now - at) < window)
    if len(recent) < rate.calls:
        return Admission(allowed=True), RateState((*recent, now))
    if not recent:
        return Admission(allowed=False, retry_after=rate.seconds), RateState()
    free = recent[-rate.calls] + window - now
    return Admission(allowed=False, retry_after=free.total_seconds()), RateState(recent)


class BulkheadState(Struct, frozen=True):
    """The calls that run now, and until when each may hold its place: a worker that dies gives its
    place back by and by."""

    held: tuple[tuple[str, datetime], ...] = ()


POLL = 0.5
"""Seconds until a full bulkhead is worth asking again."""


def enter(
    state: BulkheadState, call: str, *, places: int, lease: float, now: datetime
) -> tuple[Admission, BulkheadState]:
    """Whether the call may run beside the others. One that is inside already stays.

    Args:
        call: unique over all runs.
        places: calls at once.
        lease: seconds; longer than the call may take, with its retries.
    """
    end = now + timedelta(seconds=lease)
    others = tuple((held, until) for held, until in state.held if held != call and now < until)
    if len(others) < places:
        return Admission(allowed=True), BulkheadState((*others, (call, end)))
    soonest = min((until for _, until in others), default=end)
    wait = min((soonest - now).total_seconds(), POLL)
    return Admission(allowed=False, retry_after=wait), BulkheadState(others)


def leave(state: BulkheadState, call: str) -> BulkheadState:
    """The state after the call ended, however it ended."""
    return BulkheadState(tuple(place for place in state.held if place[0] != call))
