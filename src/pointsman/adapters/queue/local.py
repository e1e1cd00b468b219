"""Runs handed out inside one process: one of a conversation at a time, in the order they came."""

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

import anyio
import anyio.lowlevel

from pointsman.ports import QueueState

log = logging.getLogger("pointsman.queue")

PAUSES = (1.0, 5.0, 30.0)
"""Seconds before a run whose drive failed (the database did) is tried again."""


class LocalQueue:
    """``ports.Queue`` for one process. What waits here is lost with the process and found again in
    the store at the next start (``engine.recovery``)."""

    lasting = False

    def __init__(self, pauses: Sequence[float] = PAUSES, *, grace: float = 0.0) -> None:
        """Args:
        grace: seconds that what is driven gets to end by itself when serving ends.
        """
        self._pauses, self._grace = pauses, grace
        self._waiting: dict[str, deque[str]] = {}
        self._ready: deque[str] = deque()
        self._news = anyio.Event()
        self._driven: dict[str, tuple[anyio.CancelScope, anyio.Event]] = {}

    async def put(self, run: str, conversation: str) -> None:
        line = self._waiting.get(conversation)
        if line is not None:
            line.append(run)
            return
        self._waiting[conversation] = deque([run])
        self._ready.append(conversation)
        self._news.set()

    async def woken(self, run: str, conversation: str) -> None:
        await self.put(run, conversation)

    async def state(self) -> QueueState | None:
        return None

    async def cancel(self, run: str) -> None:
        if run in self._driven:
            scope, over = self._driven[run]
            scope.cancel()
            await over.wait()

    async def serve(self, drive: Callable[[str], Awaitable[None]]) -> None:
        stop = _Stop()
        async with anyio.create_task_group() as drivers:
            try:
                while True:
                    while self._ready:
                        drivers.start_soon(self._drain, self._ready.popleft(), drive, stop)
                    if self._news.is_set():
                        self._news = anyio.Event()
                    await self._news.wait()
            finally:
                stop.within(self._grace)

    async def _drain(
        self, conversation: str, drive: Callable[[str], Awaitable[None]], stop: "_Stop"
    ) -> None:
        """Drive what waits in one conversation, one by one; what a shutdown leaves is ready
        for the next ``serve``."""
        line = self._waiting[conversation]
        try:
            while line and not stop.told.is_set():
                await self._drive(line[0], drive, stop)
                if stop.told.is_set():
                    await anyio.lowlevel.checkpoint_if_cancelled()
                line.popleft()
        finally:
            if line:
                self._ready.append(conversation)
                self._news.set()
            else:
                del self._waiting[conversation]

    async def _drive(
        self, run: str, drive: Callable[[str], Awaitable[None]], stop: "_Stop"
    ) -> None:
        over = anyio.Event()
        with anyio.CancelScope(shield=self._grace > 0) as scope:
            self._driven[run] = scope, over
            stop.driven.add(scope)
            try:
                await self._try(run, drive)
            finally:
                stop.driven.discard(scope)
                del self._driven[run]
                over.set()

    async def _try(self, run: str, drive: Callable[[str], Awaitable[None]]) -> None:
        for pause in (*self._pauses, None):
            try:
                return await drive(run)
            except Exception:
                log.exception("run %s could not be driven", run)
            if pause is not None:
                await anyio.sleep(pause)


class _Stop:
    """The end of one ``serve``: nothing more is begun, and what is driven has until then."""

    def __init__(self) -> None:
        self.told = anyio.Event()
        self.driven: set[anyio.CancelScope] = set()

    def within(self, grace: float) -> None:
        self.told.set()
        for scope in self.driven:
            scope.deadline = anyio.current_time() + grace
