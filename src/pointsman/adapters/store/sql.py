"""``ports.Store`` on a database through SQLAlchemy Core. Reads run in worker threads, writes in the
one writer thread; the event loop never waits for a disk."""

from asyncio import Future
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import cast

import anyio.to_thread
from msgspec.structs import replace
from sqlalchemy import Engine, func, select

from pointsman.adapters.store import holdings
from pointsman.adapters.store.accounts import SqlAccounts
from pointsman.adapters.store.appending import Appending
from pointsman.adapters.store.burying import Burying, idle
from pointsman.adapters.store.figures import SqlFigures
from pointsman.adapters.store.inboxes import SqlInbox
from pointsman.adapters.store.migrate import revision
from pointsman.adapters.store.outbox import SqlOutbox
from pointsman.adapters.store.readers import Readers
from pointsman.adapters.store.reading import Reading, as_record
from pointsman.adapters.store.reminders import SqlReminders
from pointsman.adapters.store.schema import REVISION, runs, shared
from pointsman.adapters.store.sharing import Sharing
from pointsman.adapters.store.talks import SqlActs, SqlTalks
from pointsman.adapters.store.workshop import SqlEvaluations, SqlWorkshop
from pointsman.adapters.store.writer import PAUSES, Session, Writer
from pointsman.domain.messages import Usage
from pointsman.domain.record.retention import Tombstone
from pointsman.domain.runs import RunStatus
from pointsman.ports import (
    Append,
    Conversation,
    Enqueue,
    Holding,
    Row,
    RunRecord,
    StoredRun,
)


class SqlStore:
    """A migrated database as a store."""

    def __init__(
        self,
        engine: Engine,
        connect: Callable[[], Session],
        *,
        passing: Callable[[BaseException], bool],
        enqueue: Enqueue | None = None,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        """Args:
        engine: gives the connections that read, a snapshot a transaction.
        connect: opens the connection that writes.
        passing: whether what failed so may succeed soon.
        enqueue: puts a run that an append wakes on the queue.
        pauses: seconds between the looks for a lost database.
        """
        self._engine, self._readers = engine, Readers(engine, passing)
        self._read, self._fetch = self._readers.query, self._readers.fetch
        self._reading = Reading(engine.dialect)
        self._appending = Appending(engine.dialect, enqueue)
        self._writer = Writer(connect, self._appending.write, pauses=pauses)
        self._sharing = Sharing(engine.dialect)
        self._burying = Burying(engine.dialect)
        self.outbox = SqlOutbox(engine.dialect, self._writer, self._read)
        self.inbox = SqlInbox(engine.dialect, self._writer, self._read)
        self.reminders = SqlReminders(
            engine.dialect, self._writer, self._read, self.outbox, self._appending
        )
        self.figures = SqlFigures(engine.dialect, self._writer, self._read)
        self.talks = SqlTalks(engine.dialect, self._writer, self._read)
        self.acts = SqlActs(engine.dialect, self._writer, self._read)
        self.workshop = SqlWorkshop(engine.dialect, self._writer, self._read)
        self.evaluations = SqlEvaluations(engine.dialect, self._writer, self._read)
        self.accounts = SqlAccounts(engine.dialect, self._writer, self._read)

    def append(self, change: Append) -> Future[None]:
        return cast("Future[None]", self._writer.put(change, synced=change.synced))

    async def claim(self, run: str) -> StoredRun | None:
        epoch = await self._writer.put(partial(self._appending.claim, run), synced=False)
        stored = await self.load(run)
        if stored is None or not isinstance(epoch, int):
            return stored
        # Another may have claimed it since; ours is not the run's epoch then, and appends nothing.
        return replace(stored, record=replace(stored.record, epoch=epoch))

    async def load(self, run: str) -> StoredRun | None:
        return await self._fetch(partial(self._reading.run, run=run), snapshot=True)

    async def rows(self, run: str, after: int = -1) -> tuple[Row, ...]:
        return await self._fetch(partial(self._reading.rows, run=run, after=after))

    async def record(self, run: str) -> RunRecord | None:
        return await self._fetch(partial(self._reading.record, run=run))

    async def records(
        self,
        *,
        user: str | None = None,
        conversation: str | None = None,
        agent: str | None = None,
        status: Sequence[RunStatus] = (),
        ids: Sequence[str] | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        query = select(runs).order_by(runs.c.id.desc()).limit(limit)
        for column, wanted in (("user", user), ("conversation", conversation), ("agent", agent)):
            if wanted is not None:
                query = query.where(runs.c[column] == wanted)
        if status:
            query = query.where(runs.c.status.in_([one.value for one in status]))
        if ids is not None:
            query = query.where(runs.c.id.in_(ids))
        if before is not None:
            query = query.where(runs.c.id < before)
        return await self._read(
            lambda connection: [as_record(row) for row in connection.execute(query).mappings()]
        )

    async def conversation(self, conversation: str) -> Conversation | None:
        read = partial(self._reading.conversation, conversation=conversation)
        return await self._fetch(read, snapshot=True)

    async def request_cancel(self, run: str) -> bool:
        write = partial(self._appending.request_cancel, run)
        return bool(await self._writer.put(write, synced=True))

    async def blob(self, run: str, blob: str) -> str | None:
        return await self._fetch(partial(self._reading.blob, run=run, blob=blob))

    async def usage(self, *, conversation: str | None = None, user: str | None = None) -> Usage:
        columns = ("prompt", "cached", "completion", "reasoning", "total")
        query = select(*(func.coalesce(func.sum(runs.c[f"{name}_tokens"]), 0) for name in columns))
        if conversation is not None:
            query = query.where(runs.c.conversation == conversation)
        if user is not None:
            query = query.where(runs.c.user == user)
        sums = await self._read(lambda connection: connection.execute(query).one())
        return Usage(**dict(zip(columns, map(int, sums), strict=True)))

    async def holdings(
        self, *, after: str | None = None, ids: Sequence[str] | None = None, limit: int = 100
    ) -> list[Holding]:
        return await self._read(lambda connection: holdings.read(connection, after, ids, limit))

    async def idle(
        self, *, before: datetime, after: str | None = None, limit: int = 100
    ) -> list[str]:
        query = idle(before, after, limit)
        return await self._read(lambda connection: list(connection.execute(query).scalars()))

    async def bury(self, conversation: str, tombstones: Sequence[Tombstone]) -> bool:
        write = partial(self._burying.write, conversation, tombstones)
        return bool(await self._writer.put(write, synced=True))

    async def lone_conversations(self) -> list[str]:
        return await self._read(holdings.lone_conversations)

    async def shared(self, key: str) -> bytes | None:
        return await self._fetch(partial(self._reading.shared, key=key))

    async def shared_keys(self, start: str) -> list[str]:
        query = select(shared.c.key).where(shared.c.key.startswith(start, autoescape=True))
        found = await self._read(lambda connection: connection.execute(query).scalars().all())
        return sorted(key for key in found if key.startswith(start))  # SQLite ignores the case

    async def share(self, key: str, body: bytes | None, *, expected: bytes | None) -> bool:
        write = partial(self._sharing.write, key, body, expected)
        return bool(await self._writer.put(write, synced=False))

    async def unready(self) -> str:
        at = await self._read(revision)
        return "" if at == REVISION else f"it is at schema {at}, this release needs {REVISION}"

    async def aclose(self) -> None:
        await anyio.to_thread.run_sync(self._writer.close)
        await self._readers.close()
        self._engine.dispose()
