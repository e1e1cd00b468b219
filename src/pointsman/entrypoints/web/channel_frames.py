"""What a channel sends: frames in their order, the pieces of a text joined, never more waiting than
a client may lag behind.

Whoever puts something here waits while its topic is full, so that a slow client costs no more than
this; what it misses is in the journal.
"""

from collections import deque
from collections.abc import Awaitable, Callable

import anyio
import msgspec
from msgspec import Struct

from pointsman.entrypoints.web.run_stream import Told
from pointsman.ports import Clock

BETWEEN = 0.05
"""Seconds between two frames of text of one topic."""
FULL = 256_000
"""Bytes that may wait in one topic."""
_HEAD = 100
"""Bytes that a frame costs besides its body."""
_JOINED = ("text", "reasoning", "changed")

_encode = msgspec.json.Encoder().encode


class Frame(Struct, frozen=True, kw_only=True):
    """One word of a topic, as the client reads it.

    Attributes:
        n: which of this socket it is, from 1.
        position: with which a topic is opened again to go on after this frame; None for what is
            not kept.
    """

    n: int
    topic: str
    event: str
    position: int | None
    data: msgspec.Raw


class _Line:
    """What waits of one topic."""

    def __init__(self) -> None:
        self.waiting: deque[Told] = deque()
        self.size = 0
        self.told_at = -BETWEEN
        self.room = anyio.Event()

    def add(self, told: Told) -> bool:
        """Take it over; whether that changes when something may leave."""
        last = self.waiting[-1] if self.waiting else None
        if last is not None and last.event == told.event and told.event in _JOINED:
            told = Told(event=told.event, text=last.text + told.text, body=told.body)
            self.size -= _size(last)
            self.waiting[-1] = told
            self.size += _size(told)
            return False
        self.waiting.append(told)
        self.size += _size(told)
        return True

    def due(self) -> float:
        """From when on it may leave, in the clock's seconds."""
        urgent = any(told.event not in _JOINED for told in self.waiting)
        return self.told_at if urgent else self.told_at + BETWEEN

    def take(self, now: float) -> list[Told]:
        taken = list(self.waiting)
        self.waiting.clear()
        self.size, self.told_at = 0, now
        self.room.set()
        self.room = anyio.Event()
        return taken


class Frames:
    """Everything that one socket still has to send."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lines: dict[str, _Line] = {}
        self._news = anyio.Event()
        self._n = 0

    async def put(self, topic: str, told: Told) -> None:
        """Send it by and by; waits while too much of the topic does."""
        while (line := self._lines.setdefault(topic, _Line())).size >= FULL:
            await line.room.wait()
        if line.add(told):
            self._news.set()

    def forget(self, topic: str) -> None:
        """Send nothing more of the topic."""
        self._lines.pop(topic, None)

    async def serve(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send what is put here, until cancelled."""
        while True:
            self._news = anyio.Event()
            now, pause = self._clock.monotonic(), None
            for topic, line in list(self._lines.items()):
                if not line.waiting:
                    if now - line.told_at > BETWEEN:
                        del self._lines[topic]
                    continue
                if (left := line.due() - now) > 0:
                    pause = left if pause is None else min(pause, left)
                    continue
                for told in line.take(now):
                    await send(self._frame(topic, told))
            with anyio.move_on_after(pause):
                await self._news.wait()

    def _frame(self, topic: str, told: Told) -> str:
        self._n += 1
        return _encode(
            Frame(
                n=self._n,
                topic=topic,
                event=told.event,
                position=told.position,
                data=msgspec.Raw(told.json),
            )
        ).decode()


def _size(told: Told) -> int:
    return _HEAD + len(told.body) + 3 * len(told.text)
