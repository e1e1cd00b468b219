"""Blocking functions in threads: bounded, and given up honestly when nobody waits any more.

A thread cannot be stopped. A call that is cancelled returns at once; its thread goes on, its late
result is thrown away and logged, and only so many such threads may be left (case X03).
"""

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

log = logging.getLogger("pointsman.tools")

T = TypeVar("T")


class TooManyAbandoned(Exception):
    """So many threads run on without anybody waiting that no further one is started."""


class Flight:
    """One call on its way. ``cancelled()`` may be asked from any thread."""

    def __init__(self) -> None:
        self.abandoned = False
        self.started = False
        self.ended = False

    def cancelled(self) -> bool:
        return self.abandoned


class Threads:
    """Runs blocking functions, at most ``limit`` at once."""

    def __init__(self, *, limit: int = 32, abandoned_limit: int = 16) -> None:
        self._limiter = anyio.CapacityLimiter(limit)
        self._abandoned_limit = abandoned_limit
        self._lock = threading.Lock()
        self.abandoned = 0
        """Threads that run although their call was given up."""

    async def run(self, name: str, function: Callable[[], T], flight: Flight) -> T:
        """The function's result.

        Args:
            name: for the log.
            flight: a new one; its ``cancelled`` tells the function that it was given up.

        Raises:
            TooManyAbandoned: nothing was started.
        """
        if self.abandoned >= self._abandoned_limit:
            raise TooManyAbandoned(
                f"{self.abandoned} calls that were given up are still running; try again later"
            )
        try:
            return await anyio.to_thread.run_sync(
                self._guarded, name, function, flight, abandon_on_cancel=True, limiter=self._limiter
            )
        except anyio.get_cancelled_exc_class():
            with self._lock:
                flight.abandoned = True
                self.abandoned += flight.started and not flight.ended
            raise

    def _guarded(self, name: str, function: Callable[[], T], flight: Flight) -> T:
        """In the thread: note the start and the end."""
        with self._lock:
            if flight.cancelled():
                raise TooManyAbandoned("given up before it started")
            flight.started = True
        try:
            return function()
        finally:
            with self._lock:
                flight.ended = True
                self.abandoned -= flight.cancelled()
            if flight.cancelled():
                log.warning("tool %s ended after it was given up; its result is thrown away", name)
