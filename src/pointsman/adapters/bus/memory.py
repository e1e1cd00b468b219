"""News inside one process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pointsman.adapters.bus.watchers import Answers, Watchers
from pointsman.ports import News


class MemoryBus:
    """``ports.Bus`` for watchers in the publishing process. It loses no signal."""

    def __init__(self) -> None:
        self._watchers, self._answers = Watchers(), Answers()

    def publish(self, run: str, news: News) -> None:
        self._answers.note(run, news)
        self._watchers.tell(run, news)

    @asynccontextmanager
    async def watch(self, run: str) -> AsyncIterator[AsyncIterator[News]]:
        with self._watchers.one(run, self._answers.so_far(run)) as watcher:
            yield watcher

    def watched(self, run: str) -> bool:
        return run in self._watchers
