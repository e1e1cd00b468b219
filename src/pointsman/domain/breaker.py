"""A circuit breaker per tool: after too many failures it is left alone for a while.

``closed`` lets calls through and counts failures; ``open`` lets none through; ``half_open`` lets
one probe through, whose result closes or opens it again. The state is a value that several workers
share through the store: a caller replaces the state it has read, or reads again.
"""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.limiting import BreakerLimits as BreakerLimits
from pointsman.domain.tools import ResultStatus, ToolResult


class BreakerState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is stored for a tool.

    Attributes:
        failures: instants, oldest first.
        since: when it was opened.
        probing: when the probe of a half-open breaker was let through.
    """

    mode: Literal["closed", "open", "half_open"] = "closed"
    failures: tuple[datetime, ...] = ()
    since: datetime | None = None
    probing: datetime | None = None


class Passage(Struct, frozen=True, kw_only=True):
    """Whether a call may run; if not, in how many seconds it is worth asking again.

    Attributes:
        probe: this call tests an open breaker; say so to ``after``.
    """

    allowed: bool
    retry_after: float = 0.0
    probe: bool = False


DEFAULT = BreakerLimits()


def allow(
    state: BreakerState, now: datetime, limits: BreakerLimits = DEFAULT
) -> tuple[Passage, BreakerState]:
    """Whether a call may run now, and the state after that was said."""
    if state.mode == "closed":
        return Passage(allowed=True), state
    if state.mode == "open":
        left = _left(state.since, limits.pause, now)
    else:
        left = _left(state.probing, limits.probe, now)
    if left > 0:
        return Passage(allowed=False, retry_after=left), state
    probing = BreakerState(mode="half_open", since=state.since, probing=now)
    return Passage(allowed=True, probe=True), probing


def _left(since: datetime | None, span: float, now: datetime) -> float:
    """Seconds until the span is over, and never more than the span. Clocks differ a little between
    workers; one that was set back by more than the span holds nobody up."""
    elapsed = (now - since).total_seconds() if since else span
    return 0.0 if abs(elapsed) >= span else min(span - elapsed, span)


def after(
    state: BreakerState,
    ok: bool | None,
    now: datetime,
    *,
    probe: bool = False,
    limits: BreakerLimits = DEFAULT,
) -> BreakerState:
    """The state after a call that was let through.

    Args:
        ok: see ``verdict``; None says nothing about the tool.
        probe: the call was the probe. The results of other calls count only while it is closed:
            they began before it opened.
    """
    if state.mode == "closed":
        return _counted(state, ok, now, limits)
    if state.mode == "open" or not probe:
        return state
    if ok:
        return BreakerState()
    if ok is None:
        return replace(state, probing=None)
    return BreakerState(mode="open", since=now)


def _counted(
    state: BreakerState, ok: bool | None, now: datetime, limits: BreakerLimits
) -> BreakerState:
    if ok is None or (ok and not state.failures):
        return state
    window = timedelta(seconds=limits.window)
    recent = tuple(at for at in state.failures if abs(now - at) < window)
    if ok:
        return BreakerState(failures=recent[1:])
    recent = (*recent, now)
    if len(recent) >= limits.failures:
        return BreakerState(mode="open", since=now)
    return BreakerState(failures=recent)


def verdict(result: ToolResult) -> bool | None:
    """Whether a result speaks for the tool's health: a tool that says it failed did answer (case
    M15), and a call that was not run says nothing."""
    match result.status:
        case ResultStatus.OK | ResultStatus.ERROR:
            return True
        case ResultStatus.FAILED | ResultStatus.TIMEOUT | ResultStatus.UNCERTAIN:
            return False
        case ResultStatus.REJECTED | ResultStatus.REFUSED | ResultStatus.CANCELLED:
            return None
