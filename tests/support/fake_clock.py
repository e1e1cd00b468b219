"""A clock that a test owns: time moves when the test says so, or when somebody sleeps."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 2, 28, 7, 5, 30, tzinfo=UTC)


@dataclass(eq=False)
class FakeTimer:
    """A call that was put off."""

    due: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    """A ``ports.Clock``. ``sleep`` returns at once, moves the time and is kept in ``sleeps``."""

    def __init__(self, now: datetime = START, *, chance: float = 1.0) -> None:
        self._start, self._passed, self._ids = now, 0.0, 0
        self.chance = chance
        self.sleeps: list[float] = []
        self.timers: list[FakeTimer] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.advance(seconds)

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:032x}"

    def random(self) -> float:
        return self.chance

    def call_later(self, seconds: float, call: Callable[[], None]) -> FakeTimer:
        timer = FakeTimer(self._passed + seconds, call)
        self.timers.append(timer)
        return timer

    def advance(self, seconds: float) -> None:
        """Let time pass; due timers go off in order."""
        target = self._passed + seconds
        while True:
            waiting = [t for t in self.timers if not t.cancelled]
            self.timers = waiting
            timer = min(waiting, key=lambda t: t.due, default=None)
            if timer is None or timer.due > target:
                break
            self._passed = max(self._passed, timer.due)
            timer.cancel()
            timer.call()
        self._passed = target
