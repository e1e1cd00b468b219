"""Two stores on one database, as two processes have them."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from pointsman.adapters.store.migrate import revision
from pointsman.adapters.store.postgres import bring_up, postgres, postgres_engine
from pointsman.adapters.store.schema import REVISION
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.errors import PositionConflict
from pointsman.ports import Append, Store
from tests.adapters.store.records import record, row, start

pytestmark = pytest.mark.anyio

Pair = tuple[SqlStore, SqlStore]


@pytest.fixture(params=["sqlite", "postgres"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pair]:
    def opened() -> SqlStore:
        if request.param == "sqlite":
            return sqlite(tmp_path / "test.db")
        return postgres(request.getfixturevalue("postgres_url"))

    pair = opened(), opened()
    yield pair
    for store in pair:
        await store.aclose()


async def test_the_last_claim_takes_the_run_from_every_other_process(stores: Pair) -> None:
    first, second = stores
    await start(first, record("r1"))
    for store, epoch in ((first, 1), (second, 2), (first, 3)):
        claimed = await store.claim("r1")
        assert claimed is not None
        assert claimed.record.epoch == epoch
    with pytest.raises(PositionConflict):
        await second.append(
            Append(expected=0, rows=(row(1),), run=record("r1", position=1, epoch=2))
        )
    await first.append(Append(expected=0, rows=(row(1),), run=record("r1", position=1, epoch=3)))
    assert await second.rows("r1") == (row(0), row(1))


async def test_claims_at_once_each_get_an_epoch_of_their_own(stores: Pair) -> None:
    await start(stores[0], record("r1"))
    epochs: list[int] = []

    async def claim(store: Store) -> None:
        claimed = await store.claim("r1")
        assert claimed is not None
        epochs.append(claimed.record.epoch)

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            for store in stores:
                tasks.start_soon(claim, store)
    assert sorted(epochs) == list(range(1, 21))


async def test_of_appends_at_one_position_one_stands(stores: Pair) -> None:
    await start(stores[0], record("r1"))
    won: Counter[int] = Counter()

    async def advance(store: Store) -> None:
        for position in range(1, 21):
            change = Append(
                expected=position - 1, rows=(row(position),), run=record("r1", position=position)
            )
            try:
                await store.append(change)
            except PositionConflict:
                continue
            won[position] += 1

    async with anyio.create_task_group() as tasks:
        for store in stores:
            tasks.start_soon(advance, store)
    stands = await stores[0].record("r1")
    assert stands is not None
    assert set(won.values()) == {1}
    assert await stores[1].rows("r1") == tuple(map(row, range(stands.position + 1)))
    assert len(won) == stands.position


async def test_what_is_shared_is_counted_right_by_all(stores: Pair) -> None:
    async def increase(store: Store) -> None:
        for _ in range(25):
            while True:
                seen = await store.shared("count")
                more = str(int(seen or b"0") + 1).encode()
                if await store.share("count", more, expected=seen):
                    break

    async with anyio.create_task_group() as tasks:
        for store in stores:
            tasks.start_soon(increase, store)
    assert await stores[0].shared("count") == b"50"


async def test_processes_that_start_at_once_migrate_once(empty_postgres_url: str) -> None:
    engines = [postgres_engine(empty_postgres_url) for _ in range(3)]
    async with anyio.create_task_group() as tasks:
        for engine in engines:
            tasks.start_soon(anyio.to_thread.run_sync, bring_up, engine)
    with engines[0].connect() as connection:
        assert revision(connection) == REVISION
    for engine in engines:
        engine.dispose()
