"""Queues under test, with the runs that they deliver and workers that a test can hold."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import anyio
from msgspec.structs import replace

from pointsman.domain.runs import RunStatus
from pointsman.ports import Append, Queue, Row, RunRecord, Store
from tests.support.waiting import until

NOON = datetime(2026, 2, 28, 12, tzinfo=UTC)
Drive = Callable[[str], Awaitable[None]]


def row(position: int) -> Row:
    return Row(position=position, body=b"{}", hash=bytes(32))


class World:
    """Queues over one store, and a worker behind each, which a test can hold."""

    def __init__(self, store: Store, *queues: Queue) -> None:
        self.store, self.queues = store, queues
        self.begun: list[str] = []
        self.over: list[str] = []
        self._held: dict[str, anyio.Event] = {}

    @property
    def queue(self) -> Queue:
        return self.queues[0]

    async def submit(self, run: str, conversation: str, *, background: bool = False) -> None:
        """A new run is to be delivered."""
        record = RunRecord(
            id=run,
            conversation=conversation,
            user="ann",
            agent="desk",
            status=RunStatus.QUEUED,
            input="hi",
            created=NOON,
            updated=NOON,
            position=0,
        )
        await self.store.append(
            Append(expected=-1, rows=(row(0),), run=record, wake=True, background=background)
        )
        await self.queue.woken(run, conversation)

    def hold(self, run: str) -> None:
        self._held[run] = anyio.Event()

    def release(self, run: str) -> None:
        self._held.pop(run).set()

    async def drive(self, run: str) -> None:
        self.begun.append(run)
        if run in self._held:
            await self._held[run].wait()
        await self.end(run)

    async def end(self, run: str) -> None:
        """The run is over."""
        record = await self.store.record(run)
        assert record is not None
        done = replace(record, position=record.position + 1, status=RunStatus.DONE)
        rows = (row(done.position),)
        await self.store.append(Append(expected=record.position, rows=rows, run=done))
        self.over.append(run)

    @asynccontextmanager
    async def serving(self, drive: Drive | None = None) -> AsyncIterator[None]:
        """Runs are driven in the block."""
        async with anyio.create_task_group() as tasks:
            for queue in self.queues:
                tasks.start_soon(queue.serve, drive or self.drive)
            yield
            tasks.cancel_scope.cancel()

    async def ended(self, *runs: str) -> None:
        await until(lambda: set(runs) <= set(self.over))
