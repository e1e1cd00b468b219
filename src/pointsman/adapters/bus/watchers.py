"""Who watches which run in this process, what each still has to read, and what was told of the
answers that are being written."""

from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager

import anyio

from pointsman.domain.messages import Delta, ReasoningDelta, ResetDelta, TextDelta
from pointsman.ports import Missed, NewAnswer, News, Progress, Signal

BACKLOG = 10_000
"""News that a slow watcher may lag behind before it loses deltas. Signals are never lost."""
ANSWERS = 5_000
"""Answers that are kept while they are written; one is forgotten when its run went elsewhere."""


class Answers:
    """The answers that are being written in this process: what was told of each so far."""

    def __init__(self) -> None:
        self._of: dict[str, list[NewAnswer | Delta]] = {}

    def note(self, run: str, news: News) -> None:
        """Keep what belongs to an answer that is being written."""
        match news:
            case TextDelta() | ReasoningDelta():
                if run in self._of:
                    self._of[run].append(news)
            case ResetDelta():
                if run in self._of:
                    del self._of[run][1:]
            case NewAnswer():
                self._of.pop(run, None)
                self._of[run] = [news]
                if len(self._of) > ANSWERS:
                    del self._of[next(iter(self._of))]
            case Signal(ended=True):
                self._of.pop(run, None)
            case _:
                pass

    def so_far(self, run: str) -> list[NewAnswer | Delta]:
        """What was told of the last answer, from its beginning; nothing after the run's end."""
        joined: list[NewAnswer | Delta] = []
        for piece in self._of.get(run, ()):
            last = joined[-1] if joined else None
            if isinstance(piece, TextDelta) and isinstance(last, TextDelta):
                joined[-1] = TextDelta(last.text + piece.text)
            elif isinstance(piece, ReasoningDelta) and isinstance(last, ReasoningDelta):
                joined[-1] = ReasoningDelta(last.text + piece.text)
            else:
                joined.append(piece)
        return joined


class Watchers:
    """The watchers of this process, by run."""

    def __init__(self) -> None:
        self._of: dict[str, list[Watcher]] = {}

    def __contains__(self, run: object) -> bool:
        return run in self._of

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def count(self, run: str) -> int:
        """How many watch the run."""
        return len(self._of.get(run, ()))

    @contextmanager
    def one(self, run: str, so_far: Sequence[News]) -> "Iterator[Watcher]":
        """A watcher of the run in the block.

        Args:
            so_far: what was told of its last answer.
        """
        watcher = Watcher()
        for news in so_far:
            watcher.put(news)
        self._of.setdefault(run, []).append(watcher)
        try:
            yield watcher
        finally:
            self._of[run].remove(watcher)
            if not self._of[run]:
                del self._of[run]

    def tell(self, run: str, news: News) -> None:
        """Tell everyone who watches the run."""
        for watcher in self._of.get(run, ()):
            watcher.put(news)

    def tear(self, run: str) -> None:
        """Pieces of the run's answer were lost: no more of it are told."""
        for watcher in self._of.get(run, ()):
            watcher.tear()


class Watcher:
    """News in their order. The pieces of an answer come whole: from the first on, until one is
    lost."""

    def __init__(self) -> None:
        self._whole = False
        self._news: deque[News] = deque()
        self._arrived = anyio.Event()

    def put(self, news: News) -> None:
        """Tell it, unless it is a piece of an answer whose beginning was not told."""
        match news:
            case NewAnswer() | ResetDelta():
                self._whole = True
            case TextDelta() | ReasoningDelta():
                self._whole = self._whole and len(self._news) < BACKLOG
                if not self._whole:
                    return
            case Progress() if len(self._news) >= BACKLOG:
                return
            case Missed() if self._news and isinstance(self._news[-1], Missed):
                return
            case _:
                pass
        self._news.append(news)
        self._arrived.set()

    def tear(self) -> None:
        """What comes of the answer that is being written no longer joins what was told."""
        self._whole = False

    def __aiter__(self) -> AsyncIterator[News]:
        return self

    async def __anext__(self) -> News:
        while not self._news:
            self._arrived = anyio.Event()
            await self._arrived.wait()
        return self._news.popleft()
