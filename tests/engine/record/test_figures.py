"""Figures catch up with the journals: all of them, once, whoever else does it too."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain import events as ev
from pointsman.domain.messages import ModelRequest
from pointsman.engine.record.figures import PAGE, Reckoner
from pointsman.errors import CallerError
from pointsman.ports import Append
from pointsman.ports.figures import Search
from tests.support.engine import say, service_of
from tests.support.fake_clock import FakeClock
from tests.support.many_runs import add_run, fill, moved, run_id
from tests.support.scripted_model import Answer, results
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


def books(request: ModelRequest) -> Answer:
    found = results(request)
    return " / ".join(found) if found else [("book", '{"what": "train"}')]


async def a_run() -> list[ev.Event]:
    """The events of a run with a call."""
    service = await service_of(
        books, fake_tool("book", "booked", required=["what"]), clock=FakeClock()
    )
    run = await say(service)
    return [one.event for one in await service.trace(run.id, None)]


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlStore]:
    if request.param == "sqlite":
        made = sqlite(tmp_path / "test.db")
    else:
        made = postgres(request.getfixturevalue("postgres_url"))
    assert isinstance(made, SqlStore)
    yield made
    await made.aclose()


async def counted(store: SqlStore) -> list[str]:
    found = await store.figures.find(Search(), limit=10_000)
    return [one.record.id for one in found if one.counted][::-1]


async def caught_up(reckoner: Reckoner) -> int:
    """How many looks it took."""
    looks = 1
    while not await reckoner.catch_up():
        looks += 1
    return looks


def clock_after(events: Sequence[ev.Event], **more: float) -> FakeClock:
    return FakeClock(events[0].at + timedelta(**more))


async def test_every_ended_run_is_counted_page_by_page(store: SqlStore) -> None:
    events = await a_run()
    ids = await fill(store, [events], PAGE + 5)
    assert await caught_up(Reckoner(store, clock_after(events, days=1))) == 2
    assert await counted(store) == ids
    (one,) = await store.figures.find(Search(tool="book"), limit=1)
    assert (one.tools, one.kind) == (("book",), "answer")


async def test_several_readers_at_once_count_each_run_once(store: SqlStore) -> None:
    events = await a_run()
    ids = await fill(store, [events], 60)
    readers = [Reckoner(store, clock_after(events, days=1)) for _ in range(3)]
    async with anyio.create_task_group() as tasks:
        for reader in readers:
            tasks.start_soon(caught_up, reader)
    assert await counted(store) == ids
    span: Any = {"since": events[0].at, "until": events[0].at + timedelta(days=1)}
    (tool,) = await store.figures.tools(**span)
    assert tool.calls == 60


async def test_a_run_that_ends_long_after_others_is_counted_then(store: SqlStore) -> None:
    events = await a_run()
    at = events[0].at
    slow, quick = run_id(at, 1), run_id(at + timedelta(minutes=1), 2)
    await add_run(store, slow, events, stored=2)
    await add_run(store, quick, [moved(one, timedelta(minutes=1)) for one in events])
    reckoner = Reckoner(store, clock_after(events, days=3))
    await caught_up(reckoner)
    assert await counted(store) == [quick]
    await add_rest(store, slow, events)
    await caught_up(reckoner)
    assert await counted(store) == [slow, quick]


async def add_rest(store: SqlStore, run: str, events: Sequence[ev.Event]) -> None:
    """Append the rest of a run that was stored in part."""
    part = await store.load(run)
    assert part is not None
    other = MemoryStore()
    await add_run(other, run, events)
    whole = await other.load(run)
    assert whole is not None
    rows = whole.rows[len(part.rows) :]
    await store.append(
        Append(expected=part.record.position, rows=rows, run=whole.record, transcript=())
    )


async def test_a_run_that_comes_late_into_the_store_is_not_missed(store: SqlStore) -> None:
    events = await a_run()
    at = events[0].at
    early, late = run_id(at, 1), run_id(at + timedelta(seconds=9), 2)
    await add_run(store, late, [moved(one, timedelta(seconds=9)) for one in events])
    reckoner = Reckoner(store, clock_after(events, minutes=1))
    await caught_up(reckoner)
    await add_run(store, early, events)
    await caught_up(reckoner)
    assert await counted(store) == [early, late]


async def test_a_journal_that_cannot_be_read_stops_nobody(store: SqlStore) -> None:
    events = await a_run()
    ids = await fill(store, [events], 3)
    bad = run_id(events[0].at + timedelta(hours=1), 9)
    await add_run(store, bad, events)
    before = store.rows

    async def rows(run: str, after: int = -1) -> object:
        found = await before(run, after)
        return found[1:] if run == bad else found

    store.rows = rows  # type: ignore[method-assign,assignment]
    for _ in range(2):
        await caught_up(Reckoner(store, clock_after(events, minutes=61)))
    assert await counted(store) == ids


async def test_figures_are_made_again_from_the_journals_alone(store: SqlStore) -> None:
    events = await a_run()
    ids = await fill(store, [events], 7)
    reckoner = Reckoner(store, clock_after(events, days=1))
    await caught_up(reckoner)
    await store.figures.rate(ids[0], "user0", "up", "", events[0].at)
    first = await store.figures.find(Search())
    await store.figures.forget()
    assert await counted(store) == []
    await reckoner.rebuild()
    assert await store.figures.find(Search()) == first


async def test_a_journal_in_memory_keeps_no_figures() -> None:
    reckoner = Reckoner(MemoryStore(), FakeClock())
    with pytest.raises(CallerError, match="in memory"):
        await reckoner.catch_up()
    await reckoner.serve()
