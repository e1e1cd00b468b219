"""``ports.Store`` on a database through SQLAlchemy Core. Reads run in worker threads, writes in the
one writer thread; the event loop never waits for a disk."""

from asyncio import Future
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import anyio.to_thread
import msgspec
from sqlalchemy import (
    Connection,
    Engine,
    RowMapping,
    bindparam,
    create_engine,
    event,
    func,
    select,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from pointsman.adapters.store.appending import EPOCH, MICROSECOND, Appending
from pointsman.adapters.store.migrate import migrate
from pointsman.adapters.store.prepared import Cursor
from pointsman.adapters.store.schema import blobs, conversations, events, runs
from pointsman.adapters.store.writer import Writer
from pointsman.domain.messages import Message, Usage
from pointsman.domain.pending import Pending
from pointsman.domain.runs import RunStatus
from pointsman.errors import StoreError
from pointsman.ports import Append, Conversation, Row, RunRecord, StoredRun

Synchronous = Literal["full", "normal"]
T = TypeVar("T")

_transcript = msgspec.json.Decoder(tuple[Message, ...])
_pending = msgspec.json.Decoder(Pending)
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

    def append(self, change: Append) -> Future[None]:
        write = partial(self._appending.write, change)
        return cast("Future[None]", self._writer.put(write, synced=change.synced))

    async def load(self, run: str) -> StoredRun | None:
        def read(connection: Connection) -> StoredRun | None:
            record = _record(connection, run)
            if record is None:
                return None
            past, pending = _past(connection, record.conversation, before=run)
            rows = _rows(connection, run, -1)
            return StoredRun(record=record, rows=rows, past=past, pending=pending)

        return await self._read(read)

    async def rows(self, run: str, after: int = -1) -> tuple[Row, ...]:
        return await self._read(lambda connection: _rows(connection, run, after))

    async def record(self, run: str) -> RunRecord | None:
        return await self._read(lambda connection: _record(connection, run))

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
            lambda connection: [_as_record(row) for row in connection.execute(query).mappings()]
        )

    async def conversation(self, conversation: str) -> Conversation | None:
        def read(connection: Connection) -> Conversation | None:
            found = connection.execute(_FIND_CONVERSATION, {"wanted": conversation}).first()
            if found is None:
                return None
            messages, pending = _past(connection, conversation, before=None)
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


def _record(connection: Connection, run: str) -> RunRecord | None:
    found = connection.execute(select(runs).where(runs.c.id == run)).mappings().first()
    return None if found is None else _as_record(found)


def _rows(connection: Connection, run: str, after: int) -> tuple[Row, ...]:
    query = (
        select(events.c.position, events.c.body, events.c.hash)
        .where(events.c.run == run, events.c.position > after)
        .order_by(events.c.position)
    )
    return tuple(
        Row(position=position, body=body, hash=digest)
        for position, body, digest in connection.execute(query)
    )


def _past(
    connection: Connection, conversation: str, *, before: str | None
) -> tuple[tuple[Message, ...], Pending | None]:
    """What the conversation's ended runs left: their messages, and the last one's open question."""
    query = (
        select(runs.c.transcript, runs.c.pending)
        .where(runs.c.conversation == conversation, runs.c.transcript.is_not(None))
        .order_by(runs.c.id)
    )
    if before is not None:
        query = query.where(runs.c.id < before)
    ended = connection.execute(query).all()
    messages = tuple(
        message for transcript, _ in ended for message in _transcript.decode(transcript)
    )
    left = ended[-1].pending if ended else None
    return messages, None if left is None else _pending.decode(left)


def _as_record(row: RowMapping) -> RunRecord:
    return RunRecord(
        id=row["id"],
        conversation=row["conversation"],
        user=row["user"],
        agent=row["agent"],
        status=RunStatus(row["status"]),
        input=row["input"],
        reply=row["reply"],
        created=_instant(row["created"]),
        updated=_instant(row["updated"]),
        position=row["position"],
        epoch=row["epoch"],
        cancel_requested=row["cancel_requested"],
        usage=Usage(
            prompt=row["prompt_tokens"],
            cached=row["cached_tokens"],
            completion=row["completion_tokens"],
            reasoning=row["reasoning_tokens"],
            total=row["total_tokens"],
        ),
    )


def _instant(micros: int) -> datetime:
    return EPOCH + micros * MICROSECOND
