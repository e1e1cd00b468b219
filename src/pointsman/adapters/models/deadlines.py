"""How long to wait for a model: a watch over one attempt, and the pauses between attempts."""

import asyncio
import math
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Protocol, Self

from pointsman.domain.agent import ModelTimeouts
from pointsman.errors import ModelTimeout
from pointsman.ports import Clock

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_RETRY_AFTER = 60.0
"""Seconds: before the second attempt, of our own backoff, and what a server may make us wait."""


class Timer(Protocol):
    """A call that was put off."""

    def cancel(self) -> None: ...


CallLater = Callable[[float, Callable[[], None]], Timer]


class Watch:
    """Ends the attempt inside it with ``ModelTimeout`` when a phase takes too long.

    ``enter`` starts a phase (connect, first_byte, idle); the total counts over all of them. A phase
    that ends later than the one before costs no timer, as there may be thousands of chunks: the old
    one goes off early and is set again.
    """

    def __init__(
        self, timeouts: ModelTimeouts, *, end: float, clock: Clock, call_later: CallLater
    ) -> None:
        """Args:
        end: when the total is over, on the clock's ``monotonic``.
        """
        self._timeouts, self._end = timeouts, end
        self._clock, self._call_later = clock, call_later
        self._fired = False
        self._timer: Timer | None = None
        self._rings = math.inf

    def enter(self, phase: str, seconds: float | None = None) -> None:
        """A phase starts now.

        Args:
            seconds: how long it may last; as in the timeouts when None.
        """
        allowed: float = getattr(self._timeouts, phase) if seconds is None else seconds
        due = self._clock.monotonic() + allowed
        if due < self._end:
            self._phase, self._seconds, self._due = phase, allowed, due
        else:
            self._phase, self._seconds, self._due = "total", self._timeouts.total, self._end
        if self._due < self._rings:
            self._set_timer()

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a model is asked inside a task")
        self._task, self._cancelling = task, task.cancelling()
        self.enter("connect")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop_timer()
        if (
            self._fired
            and self._task.uncancel() <= self._cancelling
            and kind is asyncio.CancelledError
        ):
            raise ModelTimeout(self._phase, self._seconds) from None

    def _set_timer(self) -> None:
        self._stop_timer()
        left = self._due - self._clock.monotonic()
        self._timer, self._rings = self._call_later(max(left, 0.0), self._ring), self._due

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        if self._clock.monotonic() < self._due:
            self._set_timer()
        else:
            self._fired = True
            self._task.cancel()


def pause_before(attempt: int, *, retry_after: float | None, clock: Clock) -> float:
    """Seconds to wait before an attempt (2 is the first repetition).

    Doubles from attempt to attempt, with jitter so that many clients do not come back at once; what
    the server asked for is never undercut, up to a cap.
    """
    backoff = min(FIRST_PAUSE * 2.0 ** (attempt - 2), LONGEST_PAUSE)
    jittered = backoff * (0.5 + clock.random() / 2)
    return max(jittered, min(retry_after or 0.0, LONGEST_RETRY_AFTER))


def retry_after_seconds(value: str, clock: Clock) -> float | None:
    """What a ``Retry-After`` header asks for: seconds or an HTTP date; None when it is neither.

    Source: RFC 9110, section 10.2.3.
    """
    text = value.strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (aware - clock.now()).total_seconds()
    return max(seconds, 0.0) if seconds < math.inf else None
