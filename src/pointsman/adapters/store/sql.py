"""``ports.Store`` on a database through SQLAlchemy Core. Reads run in worker threads, writes in the
one writer thread; the event loop never waits for a disk."""

from asyncio import Future
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import anyio.to_thread
from sqlalchemy import (
    Connection,
    Engine,
    bindparam,
    create_engine,
    event,
    func,
    select,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from pointsman.adapters.store import holdings, reading
from pointsman.adapters.store.appending import Appending
from pointsman.adapters.store.migrate import migrate
from pointsman.adapters.store.prepared import Cursor
from pointsman.adapters.store.schema import blobs, conversations, runs
from pointsman.adapters.store.sharing import FIND, Sharing
from pointsman.adapters.store.writer import Writer
from pointsman.domain.messages import Usage
from pointsman.domain.runs import RunStatus
from pointsman.errors import StoreError
from pointsman.ports import Append, Conversation, Holding, Row, RunRecord, StoredRun

Synchronous = Literal["full", "normal"]
T = TypeVar("T")

_ENDED = [status.value for status in RunStatus if status.ended]

_FIND_CONVERSATION = select(conversations).where(conversations.c.id == bindparam("wanted"))


def sqlite(path: Path, *, synchronous: Synchronous = "full") -> "SqlStore":
    """A store in a file, made and migrated when needed.

    Args:
        synchronous: ``full`` waits for the disk where a power cut must lose nothing: before and
            after what changes the world, and before a reply. ``normal`` never waits: a crash of the
            process loses nothing, a power cut may lose the last moment.

    Raises:
        StoreError: the file cannot be opened, or belongs to a newer release.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{path}", poolclass=QueuePool, pool_size=5, max_overflow=20)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "busy_timeout=10000",
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    level = ""

    def begin_writing(cursor: Cursor, synced: bool) -> None:
        nonlocal level
        wanted = "FULL" if synced and synchronous == "full" else "NORMAL"
        if wanted != level:
            cursor.execute(f"PRAGMA synchronous={wanted}")
            level = wanted
        cursor.execute("BEGIN IMMEDIATE")

    try:
        migrate(engine.execution_options(writing=True))
    except SQLAlchemyError as fault:
        raise StoreError(f"cannot open the database {path}: {fault}") from None
    return SqlStore(engine, begin_writing)


class SqlStore:
    """A migrated database as a store."""

    def __init__(self, engine: Engine, begin_writing: Callable[[Cursor, bool], None]) -> None:
        """Args:
        begin_writing: begins a transaction, whose commit waits for the disk or not.
        """
        self._engine = engine
        self._writer = Writer(engine, begin_writing)
        self._appending = Appending(engine.dialect)
        self._sharing = Sharing(engine.dialect)

    def append(self, change: Append) -> Future[None]:
        write = partial(self._appending.write, change)
        return cast("Future[None]", self._writer.put(write, synced=change.synced))

    async def load(self, run: str) -> StoredRun | None:
        def read(connection: Connection) -> StoredRun | None:
            record = reading.record(connection, run)
            if record is None:
                return None
            past, pending = reading.past(connection, record.conversation, before=run)
            rows = reading.rows(connection, run, -1)
            return StoredRun(record=record, rows=rows, past=past, pending=pending)

        return await self._read(read)

    async def rows(self, run: str, after: int = -1) -> tuple[Row, ...]:
        return await self._read(lambda connection: reading.rows(connection, run, after))

    async def record(self, run: str) -> RunRecord | None:
        return await self._read(lambda connection: reading.record(connection, run))

    async def records(
        self,
        *,
        user: str | None = None,
        conversation: str | None = None,
        agent: str | None = None,
        status: Sequence[RunStatus] = (),
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        query = select(runs).order_by(runs.c.id.desc()).limit(limit)
        for column, wanted in (("user", user), ("conversation", conversation), ("agent", agent)):
            if wanted is not None:
                query = query.where(runs.c[column] == wanted)
        if status:
            query = query.where(runs.c.status.in_([one.value for one in status]))
        if before is not None:
            query = query.where(runs.c.id < before)
        return await self._read(
            lambda connection: [
                reading.as_record(row) for row in connection.execute(query).mappings()
            ]
        )

    async def conversation(self, conversation: str) -> Conversation | None:
        def read(connection: Connection) -> Conversation | None:
            found = connection.execute(_FIND_CONVERSATION, {"wanted": conversation}).first()
            if found is None:
                return None
            messages, pending = reading.past(connection, conversation, before=None)
            return Conversation(
                id=found.id,
                user=found.user,
                agent=found.agent,
                messages=messages,
                pending=pending,
            )

        return await self._read(read)

    async def request_cancel(self, run: str) -> bool:
        return bool(await self._writer.put(partial(self._appending.request_cancel, run)))

    async def blob(self, run: str, blob: str) -> str | None:
        query = select(blobs.c.body).where(blobs.c.run == run, blobs.c.id == blob)
        return await self._read(lambda connection: connection.execute(query).scalar())

    async def usage(self, *, conversation: str | None = None, user: str | None = None) -> Usage:
        columns = ("prompt", "cached", "completion", "reasoning", "total")
        query = select(*(func.coalesce(func.sum(runs.c[f"{name}_tokens"]), 0) for name in columns))
        if conversation is not None:
            query = query.where(runs.c.conversation == conversation)
        if user is not None:
            query = query.where(runs.c.user == user)
        sums = await self._read(lambda connection: connection.execute(query).one())
        return Usage(**dict(zip(columns, map(int, sums), strict=True)))

    async def holdings(self, *, after: str | None = None, limit: int = 100) -> list[Holding]:
        return await self._read(lambda connection: holdings.read(connection, after, limit))

    async def lone_conversations(self) -> list[str]:
        return await self._read(holdings.lone_conversations)

    async def shared(self, key: str) -> bytes | None:
        return await self._read(
            lambda connection: connection.execute(FIND, {"wanted": key}).scalar()
        )

    async def share(self, key: str, body: bytes, *, expected: bytes | None) -> bool:
        write = partial(self._sharing.write, key, body, expected)
        return bool(await self._writer.put(write, synced=False))

    async def aclose(self) -> None:
        await anyio.to_thread.run_sync(self._writer.close)
        self._engine.dispose()

    async def _read(self, read: Callable[[Connection], T]) -> T:
        def run() -> T:
            try:
                with self._engine.connect() as connection:
                    return read(connection)
            except SQLAlchemyError as fault:
                raise StoreError(f"the database failed: {fault}") from None

        return await anyio.to_thread.run_sync(run)
