"""A clock that several processes read from one file, so that a test can move the time of all.

It goes on by itself with the machine's time; ``FileClock.set`` puts it forward or back.
"""

import mmap
import struct
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from pointsman.adapters.system import SystemClock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SHAPE = struct.Struct("<qq")
"""Microseconds since 1970, and the machine's monotonic nanoseconds at which it was that time."""
LOOK = 0.02
"""Seconds between two looks of who sleeps: the time may have been moved."""


class FileClock(SystemClock):
    """A ``ports.Clock`` on a file; who makes one with an instant sets it."""

    def __init__(self, path: Path, now: datetime | None = None) -> None:
        super().__init__()
        if now is not None:
            path.write_bytes(_SHAPE.pack(0, 0))
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _SHAPE.size)
        if now is not None:
            self.set(now)

    def now(self) -> datetime:
        micros, at = _SHAPE.unpack(self._shared[:])
        passed = (time.monotonic_ns() - at) // 1000
        return _EPOCH + timedelta(microseconds=micros + passed)

    async def sleep(self, seconds: float) -> None:
        until = self.now() + timedelta(seconds=seconds)
        begun = self.now()
        while begun <= (now := self.now()) < until:  # noqa: ASYNC110 - nobody tells us
            await anyio.sleep(min(LOOK, (until - now).total_seconds()))

    def set(self, instant: datetime) -> None:
        """Make it that time for everybody."""
        micros = (instant - _EPOCH) // timedelta(microseconds=1)
        self._shared[:] = _SHAPE.pack(micros, time.monotonic_ns())
