"""News inside one process."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from pointsman.ports import News, Signal

BACKLOG = 10_000
"""Deltas that a slow watcher may lag behind before it loses some. Signals are never lost."""


class MemoryBus:
    """``ports.Bus`` for watchers in the publishing process."""

    def __init__(self) -> None:
        self._watchers: dict[str, list[_Watcher]] = {}

    def publish(self, run: str, news: News) -> None:
        for watcher in self._watchers.get(run, ()):
            watcher.put(news)

    @asynccontextmanager
    async def watch(self, run: str) -> AsyncIterator[AsyncIterator[News]]:
        watcher = _Watcher()
        self._watchers.setdefault(run, []).append(watcher)
        try:
            yield watcher
        finally:
            self._watchers[run].remove(watcher)
            if not self._watchers[run]:
                del self._watchers[run]

    def watched(self, run: str) -> bool:
        return run in self._watchers


class _Watcher:
    def __init__(self) -> None:
        self._news: deque[News] = deque()
        self._arrived = anyio.Event()

    def put(self, news: News) -> None:
        if len(self._news) < BACKLOG or isinstance(news, Signal):
            self._news.append(news)
            self._arrived.set()

    def __aiter__(self) -> AsyncIterator[News]:
        return self

    async def __anext__(self) -> News:
        while not self._news:
            self._arrived = anyio.Event()
            await self._arrived.wait()
        return self._news.popleft()
