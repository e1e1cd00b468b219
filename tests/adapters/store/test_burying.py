"""With a conversation goes all that belongs to its runs, whatever table it is in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import String, Table, insert, select
from sqlalchemy.types import TypeEngine

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.schema import metadata
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.record.retention import Tombstone
from pointsman.domain.runs import RunStatus
from pointsman.ports import Append
from tests.adapters.store.records import NOON, record, row, start

pytestmark = pytest.mark.anyio

# An occurrence names the run that it began and holds no word of it; it must not come again.
NAMING = ("pruned", "occurrences")
OF_RUNS = [one for one in metadata.sorted_tables if "run" in one.c and one.name not in NAMING]


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlStore]:
    if request.param == "sqlite":
        made = sqlite(tmp_path / "test.db")
    else:
        made = postgres(request.getfixturevalue("postgres_url"))
    yield made
    await made.aclose()


def something(kind: TypeEngine[object], run: str) -> object:
    """A value for a column."""
    if isinstance(kind, String):
        return run
    return b"x" if kind.python_type is bytes else kind.python_type(1)


def put(store: SqlStore, table: Table, run: str) -> None:
    """A row of the run, whatever it may mean."""
    values = {column.name: something(column.type, run) for column in table.c}
    if table.autoincrement_column is not None:
        values[table.autoincrement_column.name] = ord(run[-1])
    with store._engine.execution_options(writing=True).begin() as connection:
        connection.execute(insert(table).values(values))


@pytest.mark.parametrize("table", OF_RUNS, ids=lambda table: str(table.name))
async def test_no_table_keeps_anything_of_a_buried_run(store: SqlStore, table: Table) -> None:
    for run in ("r1", "r2"):
        await start(store, record(run, conversation=run))
        done = replace(record(run, conversation=run, position=1), status=RunStatus.DONE)
        await store.append(Append(expected=0, rows=(row(1),), run=done, blobs=(("b", "x"),)))
        if table.name not in ("events", "blobs"):
            put(store, table, run)
    left = Tombstone(
        run="r1", began=NOON, position=1, hash="", end=1, end_hash="", at=NOON, by="li"
    )
    assert await store.bury("r1", [left])
    with store._engine.connect() as connection:
        kept = connection.execute(select(table.c.run)).scalars().all()
    assert {*kept} == {"r2"}
