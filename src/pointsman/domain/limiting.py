"""How often and how many at once: a rate per tool and user, and a bulkhead per tool.

Both states are values that workers share through the store, as with ``breaker``.
"""

from datetime import datetime, timedelta

from msgspec import Struct


class Admission(Struct, frozen=True, kw_only=True):
    """Whether a call may run; if not, in how many seconds it is worth asking again."""

    allowed: bool
    retry_after: float = 0.0


class Rate(Struct, frozen=True, kw_only=True):
    """At most ``calls`` in any ``seconds`` that follow one another."""

    calls: int
    seconds: float


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
