"""A store in a PostgreSQL database: any number of processes beside one another."""

from contextlib import ExitStack
from typing import Any, Literal

import psycopg
from psycopg import conninfo, errors
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from pointsman.adapters.store.migrate import migrate
from pointsman.adapters.store.readers import THREADS
from pointsman.adapters.store.sql import SqlStore
from pointsman.errors import StoreError, StoreUnavailable
from pointsman.ports import Cursor, Enqueue

Synchronous = Literal["full", "normal"]

_CONNECTING: dict[str, Any] = {
    "application_name": "pointsman",
    "connect_timeout": 5,
    # A server's machine that is gone is noticed within some ten seconds.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}

STATEMENTS = 200
"""Statements that the writer's connection keeps prepared; inserts of so many rows are one each."""

_PREPARE_WRITING = """
SET idle_in_transaction_session_timeout = '3s';
SET lock_timeout = '1s';
SELECT set_config('search_path', current_setting('search_path') || ', procrastinate', false)
"""
"""What goes on the queue is found there. A process that stops inside of a transaction must not hold
its rows against the others for long, and who waits for such a row must not hold up what else there
is to write."""


def postgres(
    url: str, *, synchronous: Synchronous = "full", enqueue: Enqueue | None = None
) -> SqlStore:
    """A store in a database, migrated when needed.

    Args:
        url: as libpq takes it: ``postgresql://user:password@host/database``.
        synchronous: ``full`` waits for the disk at every commit. ``normal`` only where a crash must
            lose nothing: before and after what changes the world, and before a reply.
        enqueue: puts a run that an append wakes on the queue.

    Raises:
        StoreUnavailable: the server cannot be reached.
        StoreError: the database cannot be opened, or belongs to a newer release.
    """
    engine = postgres_engine(url)
    with ExitStack() as undo:
        undo.callback(engine.dispose)
        bring_up(engine)
        undo.pop_all()
    return SqlStore(
        engine, lambda: _Session(url, synchronous), passing=_unreachable, enqueue=enqueue
    )


def bring_up(engine: Engine) -> None:
    """Bring the database to the schema of this release.

    Raises:
        StoreError: as ``postgres``.
    """
    try:
        migrate(engine.execution_options(writing=True))
    except SQLAlchemyError as fault:
        raise opening_failed(getattr(fault, "orig", None) or fault) from None


def postgres_engine(url: str) -> Engine:
    """Connections that commit each statement, unless a transaction is begun."""
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: _connected(url),
        paramstyle="format",
        pool_size=THREADS // 2,
        max_overflow=THREADS - THREADS // 2,
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("writing", False)
        how = "" if writing else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
        connection.exec_driver_sql(f"BEGIN{how}")

    return engine


def _connected(url: str) -> psycopg.Connection:
    given = {**_CONNECTING, **conninfo.conninfo_to_dict(url)}
    return psycopg.connect(**given, autocommit=True)


def opening_failed(fault: BaseException) -> StoreError:
    """A connection that could not be made, as one of our errors; shows no password."""
    kind = StoreUnavailable if _unreachable(fault) else StoreError
    return kind(f"cannot open the PostgreSQL database: {fault}")


def _unreachable(fault: BaseException) -> bool:
    """Whether the server let us not in (it does not say why), is going, or has put us out."""
    if not isinstance(fault, psycopg.OperationalError | errors.IdleInTransactionSessionTimeout):
        return False
    state = fault.sqlstate
    return state is None or state.startswith(("08", "533", "57P")) or state == "25P03"


class _Session:
    """``writer.Session`` on a connection of its own."""

    def __init__(self, url: str, synchronous: Synchronous) -> None:
        try:
            with ExitStack() as undo:
                self._connection = _connected(url)
                undo.callback(self._connection.close)
                self._connection.execute(_PREPARE_WRITING)
                self._connection.prepared_max = STATEMENTS
                undo.pop_all()
        except psycopg.Error as fault:
            raise opening_failed(fault) from None
        self._always = synchronous == "full"
        self.cursor: Cursor = self._connection.cursor()

    def begin(self, synced: bool) -> None:
        waits = synced or self._always
        self.cursor.execute("BEGIN" if waits else "BEGIN; SET LOCAL synchronous_commit = off")

    def commit(self) -> None:
        self.cursor.execute("COMMIT")

    def rollback(self) -> None:
        self.cursor.execute("ROLLBACK")

    def lost(self, fault: Exception) -> bool:
        return self._connection.closed or _unreachable(fault)

    def passing(self, fault: Exception) -> bool:
        """Whether somebody else was in the way, or the server short of something."""
        return isinstance(fault, psycopg.OperationalError)

    def close(self) -> None:
        self._connection.close()
