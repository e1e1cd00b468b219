"""What was promised stands, once, whatever happens to the database's server."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

import anyio
import anyio.to_thread
import psycopg
import pytest

from pointsman.adapters.store import postgres as adapter
from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.writer import Session
from pointsman.errors import PositionConflict, StoreError, StoreUnavailable
from pointsman.ports import Append, Cursor
from tests.adapters.store.records import record, row, start
from tests.support.postgres import TEMPLATE, PostgresServer

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[SqlStore]:
    store = postgres(url)
    try:
        yield store
    finally:
        await store.aclose()


def end_connections(url: str) -> None:
    """What a network that breaks, or an operator, does."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def advance(store: SqlStore, run: str, goes_on: Callable[[int], bool]) -> None:
    """Append row after row, each when the one before it stands."""
    position = 0
    while goes_on(position):
        position += 1
        change = Append(
            expected=position - 1,
            rows=(row(position),),
            run=record(run, conversation=run, position=position),
            synced=position % 3 == 0,
        )
        await store.append(change)


async def test_connections_that_end_lose_and_double_nothing(postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        runs, last, stored = ["r1", "r2", "r3", "r4"], 30, 0

        def count(position: int) -> bool:
            nonlocal stored
            stored += 1
            return position < last

        for run in runs:
            await start(store, record(run, conversation=run))
        async with anyio.create_task_group() as tasks:
            for run in runs:
                tasks.start_soon(advance, store, run, count)
            for wanted in range(10, len(runs) * last, 20):
                while stored < wanted:
                    await anyio.lowlevel.checkpoint()
                await anyio.to_thread.run_sync(end_connections, postgres_url)
        for run in runs:
            assert await store.rows(run) == tuple(map(row, range(last + 1)))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fast", "crash"])
async def test_a_server_that_starts_again_has_lost_and_doubled_nothing(
    own_postgres: PostgresServer, how: Literal["fast", "crash"]
) -> None:
    async with opened(own_postgres.create(TEMPLATE)) as store:
        await start(store, record("r1", conversation="r1"))
        restarting, last = True, 0

        def until_restarted(position: int) -> bool:
            nonlocal last
            last = position
            return restarting

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(advance, store, "r1", until_restarted)
            for _ in range(2):
                await anyio.to_thread.run_sync(own_postgres.restart, how)
            restarting = False
        assert last > 0
        assert await store.rows("r1") == tuple(map(row, range(last + 1)))


class _Failing:
    """A session that fails once, before or after a commit that the database makes."""

    def __init__(self, session: Session, *, before: bool) -> None:
        self._session, self._before, self._failed = session, before, False
        self.cursor: Cursor = session.cursor
        self.begin, self.rollback = session.begin, session.rollback
        self.passing, self.close = session.passing, session.close

    def commit(self) -> None:
        if self._before:
            self._session.close()
        self._session.commit()
        self._failed = True
        raise psycopg.OperationalError("the answer never came")

    def lost(self, fault: Exception) -> bool:
        return self._failed or self._session.lost(fault)


async def failing_once(url: str, *, before: bool) -> SqlStore:
    sessions = iter([True])

    def connect() -> Session:
        session = adapter._Session(url, "full")
        return _Failing(session, before=before) if next(sessions, False) else session

    return SqlStore(adapter.postgres_engine(url), connect, passing=lambda _: False, pauses=[0.0])


@pytest.mark.parametrize("before", [False, True])
async def test_a_commit_without_an_answer_is_looked_up(postgres_url: str, *, before: bool) -> None:
    store = await failing_once(postgres_url, before=before)
    wrong = Append(expected=4, rows=(row(5),), run=record("r1", position=5))
    made = store.append(Append(expected=-1, rows=(row(0),), run=record("r1")))
    moved = store.append(Append(expected=0, rows=(row(1),), run=record("r1", position=1)))
    refused = store.append(wrong)
    assert await store.share("k", b"1", expected=None)
    await made
    await moved
    with pytest.raises(PositionConflict):
        await refused
    assert await store.rows("r1") == (row(0), row(1))
    assert await store.shared("k") == b"1"
    await store.aclose()


async def test_a_server_that_is_away_is_said_to_be(own_postgres: PostgresServer) -> None:
    url = own_postgres.create(TEMPLATE)
    own_postgres.stop()
    store = SqlStore(
        adapter.postgres_engine(url),
        lambda: adapter._Session(url, "full"),
        passing=adapter._unreachable,
        pauses=[0.0, 0.0],
    )
    with pytest.raises(StoreUnavailable, match="cannot open the PostgreSQL database"):
        await start(store, record("r1"))
    with pytest.raises(StoreUnavailable, match="cannot open the PostgreSQL database"):
        postgres(url)
    own_postgres.start()
    await start(store, record("r1"))
    assert await store.record("r1") == record("r1")
    await store.aclose()


async def test_a_database_that_does_not_exist_is_named(postgres_url: str) -> None:
    missing = postgres_url.replace("/test", "/missing")
    with pytest.raises(StoreError, match=r'database "missing.*" does not exist'):
        postgres(missing)


@pytest.mark.slow
async def test_who_holds_a_row_holds_up_nobody_else(postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        for run in ("r1", "r2"):
            await start(store, record(run))
        with psycopg.connect(postgres_url) as other:
            other.execute("SELECT 1 FROM runs WHERE id = 'r1' FOR UPDATE")
            held = store.append(Append(expected=0, rows=(row(1),), run=record("r1", position=1)))
            free = store.append(Append(expected=0, rows=(row(1),), run=record("r2", position=1)))
            await free
            with pytest.raises(StoreUnavailable, match="lock timeout"):
                await held
        assert await store.rows("r2") == (row(0), row(1))
        assert await store.rows("r1") == (row(0),)
