"""A store in one SQLite file: WAL, one writer of a process, readers beside it."""

import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from pointsman.adapters.store.migrate import migrate
from pointsman.adapters.store.readers import THREADS
from pointsman.adapters.store.sql import SqlStore
from pointsman.errors import StoreError
from pointsman.ports import Cursor, Enqueue

Synchronous = Literal["full", "normal"]

_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "wal_autocheckpoint=2000",  # pages; to copy them back it waits for the disk twice
    "busy_timeout=10000",
    "foreign_keys=ON",
)


def sqlite(
    path: Path, *, synchronous: Synchronous = "full", enqueue: Enqueue | None = None
) -> SqlStore:
    """A store in a file, made and migrated when needed.

    Args:
        synchronous: ``full`` waits for the disk where a power cut must lose nothing: before and
            after what changes the world, and before a reply. ``normal`` never waits: a crash of the
            process loses nothing, a power cut may lose the last moment.
        enqueue: puts a run that an append wakes on the queue.

    Raises:
        StoreError: the file cannot be opened, or belongs to a newer release.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = sqlite_engine(path)
    with ExitStack() as undo:
        undo.callback(engine.dispose)
        bring_up(engine)
        undo.pop_all()
    return SqlStore(engine, lambda: _Session(engine, synchronous), passing=_busy, enqueue=enqueue)


def bring_up(engine: Engine) -> None:
    """Bring the database to the schema of this release.

    Raises:
        StoreError: as ``sqlite``.
    """
    try:
        migrate(engine.execution_options(writing=True))
    except SQLAlchemyError as fault:
        cause = getattr(fault, "orig", None) or fault
        raise StoreError(f"cannot open the database {engine.url.database}: {cause}") from None


def sqlite_engine(path: Path) -> Engine:
    """Connections to the file that begin transactions as they are told to."""
    engine = create_engine(f"sqlite:///{path}", poolclass=QueuePool, pool_size=THREADS)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


class _Session:
    """``writer.Session`` on a connection that commits only when told."""

    def __init__(self, engine: Engine, synchronous: Synchronous) -> None:
        self._connection = engine.raw_connection()
        self._full, self._level = synchronous == "full", ""
        self.cursor: Cursor = self._connection.cursor()

    def begin(self, synced: bool) -> None:
        wanted = "FULL" if synced and self._full else "NORMAL"
        if wanted != self._level:
            self.cursor.execute(f"PRAGMA synchronous={wanted}")
            self._level = wanted
        self.cursor.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.cursor.execute("COMMIT")

    def rollback(self) -> None:
        self.cursor.execute("ROLLBACK")

    def lost(self, fault: Exception) -> bool:
        return False

    def passing(self, fault: Exception) -> bool:
        return _busy(fault)

    def close(self) -> None:
        self._connection.close()


def _busy(fault: BaseException) -> bool:
    """Whether another process held the file too long, or the disk was full."""
    passing = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL)
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF in passing
