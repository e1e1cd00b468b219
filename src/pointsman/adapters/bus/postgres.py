"""News between the processes of one PostgreSQL database, and the word to stop driving a run.

Who watches a run tells every process so, and again now and then; whoever has news of it tells them
to those who watch, and to nobody else. What is lost on the way is read from the journal: a watcher
hears ``Missed`` every moment.
"""

import asyncio
from asyncio import TimerHandle
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import anyio
import msgspec

from pointsman.adapters.bus import wire
from pointsman.adapters.bus.line import ALL, Line, log
from pointsman.adapters.bus.watchers import Answers, Watchers
from pointsman.domain.messages import ReasoningDelta, ResetDelta, TextDelta
from pointsman.ports import Missed, NewAnswer, News, Progress, Signal

BETWEEN = 0.1
"""Seconds between two messages of one stream; a signal does not wait for them to pass."""
RENEWED = 20.0
"""Seconds after which a process says again what it watches."""
KEPT = 3 * RENEWED
"""Seconds that a process is told the news of a run without having said so again."""
LOOK, LOOK_DEAF = 2.0, 1.0
"""Seconds between two looks into the journal: while others are heard, and while they are not."""
PATIENCE = 5.0
"""Seconds that the start waits for the database."""
SIGNALS = 2_000
"""Runs of which the last signal is kept, for whoever begins to watch."""


class PostgresBus:
    """``ports.Bus`` over LISTEN/NOTIFY."""

    def __init__(self, conninfo: str, *, name: str) -> None:
        """Args:
        conninfo: of the database.
        name: of this process, unique; letters and digits.
        """
        self._line = Line(conninfo, name)
        self._here, self._answers = Watchers(), Answers()
        self._elsewhere: dict[str, dict[str, _Reader]] = {}
        """Run → the inboxes that want its news."""
        self._signals: dict[str, Signal] = {}
        self._heard: dict[str, int] = {}
        """Run → the number of the last piece of its answer that came from elsewhere."""
        self._on_interrupt: Callable[[str], None] = lambda run: None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """The bus reaches other processes in the block, whose own errors leave it as they are."""
        fault: Exception | None = None
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._line.serve, self._hear, self._begin)
                tasks.start_soon(self._renew)
                tasks.start_soon(self._look)
                await self._line.ready(PATIENCE)
                try:
                    yield
                except Exception as raised:  # noqa: BLE001 - the group would wrap it
                    fault = raised
                tasks.cancel_scope.cancel()
        finally:
            for run, readers in list(self._elsewhere.items()):
                for inbox in list(readers):
                    self._forget(run, inbox)
        if fault is not None:
            raise fault

    def interrupt(self, run: str) -> None:
        """Tell whichever process drives the run to stop."""
        self._say([wire.Interrupt(run)])

    def on_interrupt(self, heed: Callable[[str], None]) -> None:
        """Call this with each run that a process wants stopped."""
        self._on_interrupt = heed

    def publish(self, run: str, news: News) -> None:
        if isinstance(news, Signal):
            self._signals.pop(run, None)
            self._signals[run] = news
            if len(self._signals) > SIGNALS:
                del self._signals[next(iter(self._signals))]
        if run in self._elsewhere:
            self._tell_others(run, news)
        self._tell_here(run, news)

    @asynccontextmanager
    async def watch(self, run: str) -> AsyncIterator[AsyncIterator[News]]:
        with self._here.one(run, self._answers.so_far(run)) as watcher:
            self._say([wire.Watching(self._line.inbox, (run,))])
            try:
                yield watcher
            finally:
                if self._here.count(run) == 1:
                    self._heard.pop(run, None)
                    self._say([wire.Leaving(self._line.inbox, run)])

    def watched(self, run: str) -> bool:
        return run in self._here or run in self._elsewhere

    def _say(self, said: Iterable[wire.Said], *, to: str = ALL) -> None:
        for message in wire.packed(said):
            self._line.say(message, to=to)

    def _tell_here(self, run: str, news: News) -> None:
        self._answers.note(run, news)
        self._here.tell(run, news)

    def _tell_others(self, run: str, news: News) -> None:
        loop = asyncio.get_running_loop()
        for inbox, reader in self._elsewhere[run].items():
            reader.stream.add(news)
            if isinstance(news, Signal):
                self._flush(inbox, reader)
            elif reader.timer is None:
                pause = max(reader.sent + BETWEEN - loop.time(), 0.0)
                reader.timer = loop.call_later(pause, self._flush, inbox, reader)

    def _flush(self, inbox: str, reader: "_Reader") -> None:
        reader.stop()
        reader.sent = asyncio.get_running_loop().time()
        self._say(reader.stream.take(), to=inbox)

    def _forget(self, run: str, inbox: str) -> None:
        """This inbox wants no more of the run."""
        readers = self._elsewhere.get(run, {})
        if reader := readers.pop(inbox, None):
            reader.stop()
            if not readers:
                del self._elsewhere[run]

    def _begin(self) -> None:
        """The line stands again; nobody knows what was said meanwhile."""
        self._say([wire.WhoWatches(), *self._watching()])
        self._doubt()

    def _watching(self) -> list[wire.Said]:
        runs = list(self._here)
        return [
            wire.Watching(self._line.inbox, tuple(runs[at : at + wire.RUNS]))
            for at in range(0, len(runs), wire.RUNS)
        ]

    def _doubt(self) -> None:
        for run in self._here:
            self._here.tell(run, Missed())

    def _hear(self, message: bytes) -> None:
        try:
            said = wire.unpack(message)
        except msgspec.MsgspecError as fault:  # of another release
            log.warning("a message of another process cannot be read: %s", fault)
            return
        for one in said:
            self._take(one)

    def _take(self, one: wire.Said) -> None:
        match one:
            case wire.Watching(inbox, runs) if inbox != self._line.inbox:
                for run in runs:
                    self._expect(run, inbox)
            case wire.Leaving(inbox, run):
                self._forget(run, inbox)
            case wire.WhoWatches():
                self._say(self._watching())
            case wire.Interrupt(run):
                self._on_interrupt(run)
            case wire.Piece() | wire.Begin():
                self._take_answer(one)
            case wire.Grown(run, position, ended):
                self._tell_here(run, Signal(position, ended))
            case wire.Far(run, call, fraction, text):
                self._here.tell(run, Progress(call=call, fraction=fraction, message=text))
            case _:
                pass

    def _take_answer(self, one: wire.Piece | wire.Begin) -> None:
        run = one.run
        if run not in self._here:
            return
        if isinstance(one, wire.Begin):
            self._heard[run] = 0
            self._tell_here(run, ResetDelta(one.attempt) if one.attempt else NewAnswer(one.turn))
        elif self._heard.get(run) == one.number - 1:
            self._heard[run] = one.number
            delta = TextDelta(one.text) if one.kind == wire.TEXT else ReasoningDelta(one.text)
            self._tell_here(run, delta)
        else:
            self._heard.pop(run, None)
            self._here.tear(run)

    def _expect(self, run: str, inbox: str) -> None:
        """Tell this inbox the run's news from now on; at once what was told last."""
        now = asyncio.get_running_loop().time()
        readers = self._elsewhere.setdefault(run, {})
        if inbox in readers:
            readers[inbox].until = now + KEPT
            return
        stream = wire.Stream(run, self._answers.so_far(run))
        if signal := self._signals.get(run):
            stream.add(signal)
        readers[inbox] = _Reader(stream, now + KEPT)
        self._flush(inbox, readers[inbox])

    async def _renew(self) -> None:
        while True:
            await anyio.sleep(RENEWED)
            self._say(self._watching())
            now = asyncio.get_running_loop().time()
            for run, readers in list(self._elsewhere.items()):
                for inbox in [one for one, reader in readers.items() if reader.until < now]:
                    self._forget(run, inbox)

    async def _look(self) -> None:
        while True:
            await anyio.sleep(LOOK if self._line.listens else LOOK_DEAF)
            self._doubt()


class _Reader:
    """A process that wants the news of a run: what is to be said to it, when it was spoken to last,
    and the timer that speaks to it next."""

    def __init__(self, stream: wire.Stream, until: float) -> None:
        self.stream, self.until = stream, until
        self.sent = 0.0
        self.timer: TimerHandle | None = None

    def stop(self) -> None:
        """Let nothing be said by itself."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
