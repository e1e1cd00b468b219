"""The journal of one run while it is driven."""

import gc
from asyncio import Future
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain import events as ev
from pointsman.domain.messages import UserMessage
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.engine.journal import Journal, verify
from pointsman.engine.observing import ObservedBus
from pointsman.errors import JournalCorrupt, NotFound, PositionConflict, StoreError
from pointsman.ports import Append, Bus, Row, Signal, Store
from tests.support.events import RUN, answered, asked, received, replied, started
from tests.support.fake_clock import FakeClock

pytestmark = pytest.mark.anyio


class HeldStore(MemoryStore):
    """A store whose appends are durable when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.handed: list[tuple[Append, Future[None]]] = []
        self.broken: StoreError | None = None

    def append(self, change: Append) -> Future[None]:
        done: Future[None] = Future()
        if self.broken:
            done.set_exception(self.broken)
        self.handed.append((change, done))
        return done

    def settle(self, index: int = 0) -> None:
        change, done = self.handed[index]
        super().append(change)
        done.set_result(None)


def begun(store: Store, bus: Bus | None = None) -> Journal:
    return Journal.start(
        store, bus or MemoryBus(), FakeClock(), run=RUN, first=received(), past=(), pending=None
    )


async def reopened(store: Store) -> Journal:
    return await Journal.open(store, MemoryBus(), FakeClock(), RUN)


async def test_what_is_recorded_is_read_back() -> None:
    store = MemoryStore()
    journal = begun(store)
    for event in (started(), asked(), answered("ok"), replied("ok")):
        journal.record(event)
    await journal.commit()
    again = await reopened(store)
    assert again.run == journal.run
    record = await store.record(RUN)
    assert record is not None
    assert (record.status, record.reply, record.position) == (RunStatus.DONE, "ok", 4)
    assert [row.position for row in await store.rows(RUN)] == [0, 1, 2, 3, 4]


async def test_a_run_that_is_not_there_cannot_be_opened() -> None:
    with pytest.raises(NotFound):
        await reopened(MemoryStore())


async def test_an_event_that_cannot_follow_or_be_written_changes_nothing() -> None:
    store = MemoryStore()
    journal = begun(store)
    before = journal.run
    broken = ev.AttemptFinished(
        at=FakeClock().now(),
        call="1.0",
        attempt=1,
        result=ToolResult(status=ResultStatus.OK, content="", data=object()),
        ms=1.0,
    )
    with pytest.raises(JournalCorrupt):
        journal.record(received())
    with pytest.raises((TypeError, JournalCorrupt)):
        journal.record(broken)
    assert journal.run is before
    journal.record(started())
    await journal.commit()
    assert (await reopened(store)).run.position == 1


async def test_pushes_name_the_positions_that_they_expect() -> None:
    store = HeldStore()
    journal = begun(store)
    journal.push()
    journal.record(started())
    journal.record(asked())
    journal.push()
    journal.push()
    assert [(change.expected, len(change.rows)) for change, _ in store.handed] == [(-1, 1), (0, 2)]


async def test_a_commit_waits_for_all_that_was_pushed() -> None:
    store = HeldStore()
    journal = begun(store)
    journal.push()
    journal.record(started())
    done = anyio.Event()

    async def commit() -> None:
        await journal.commit()
        done.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(commit)
        await anyio.wait_all_tasks_blocked()
        store.settle(0)
        await anyio.wait_all_tasks_blocked()
        assert not done.is_set()
        store.settle(1)
        await done.wait()


async def test_watchers_are_told_after_the_rows_are_durable() -> None:
    store, bus = HeldStore(), ObservedBus(MemoryBus())
    journal = begun(store, bus)
    async with bus.watch(RUN) as news:
        journal.push()
        told: list[Any] = []

        async def listen() -> None:
            told.append(await anext(news))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await anyio.wait_all_tasks_blocked()
            assert told == []
            store.settle()
    assert told == [Signal(0, False)]


async def test_watchers_are_told_even_if_who_waited_was_cancelled() -> None:
    store, bus = HeldStore(), ObservedBus(MemoryBus())
    journal = begun(store, bus)
    async with bus.watch(RUN) as news:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(journal.commit)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        store.settle()
        with anyio.fail_after(60):
            assert await anext(news) == Signal(0, False)
            await journal.commit()


async def test_the_second_of_two_appenders_is_told_and_nothing_of_it_stands() -> None:
    store = MemoryStore()
    first = begun(store)
    await first.commit()
    second = await reopened(store)
    first.record(started())
    await first.commit()
    second.record(ev.RunCancelled(at=FakeClock().now(), by="ann", reason="", text="no"))
    with pytest.raises(PositionConflict):
        await second.commit()
    assert (await reopened(store)).run == first.run


async def test_a_failed_push_that_nobody_waits_for_leaves_no_complaint(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = HeldStore()
    journal = begun(store)
    journal.push()
    store.handed.pop()[1].set_exception(StoreError("full"))
    await anyio.wait_all_tasks_blocked()
    del journal
    gc.collect()
    await anyio.wait_all_tasks_blocked()
    assert caplog.text == ""


async def test_a_commit_raises_the_first_failure() -> None:
    store = HeldStore()
    journal = begun(store)
    journal.push()
    journal.record(started())
    journal.push()
    store.handed[0][1].set_exception(StoreError("full"))
    store.handed[1][1].set_exception(PositionConflict("gap"))
    journal.record(asked())
    store.broken = PositionConflict("gap")
    with pytest.raises(StoreError, match="full"):
        await journal.commit()


async def test_a_transcript_is_given_once_at_the_end() -> None:
    store = HeldStore()
    journal = begun(store)
    journal.push()
    journal.record(started())
    journal.record(asked())
    journal.record(answered("ok"))
    journal.record(replied("ok"))
    journal.push()
    assert [change.transcript is not None for change, _ in store.handed] == [False, True]


async def test_a_whole_result_goes_to_the_store_with_the_next_rows() -> None:
    store = MemoryStore()
    journal = begun(store)
    kept = journal.keep(ToolResult(status=ResultStatus.OK, content="cut"), "whole")
    await journal.commit()
    assert await store.blob(RUN, kept.blob) == "whole"


async def stored_rows(store: MemoryStore) -> list[Row]:
    journal = begun(store)
    for event in (started(), asked(), answered("ok")):
        journal.record(event)
    await journal.commit()
    return list(await store.rows(RUN))


async def test_a_journal_without_its_end_is_not_opened() -> None:
    store = MemoryStore()
    rows = await stored_rows(store)
    assert verify(RUN, rows[:-1]) == rows[-2].hash
    store._rows[RUN] = rows[:-1]
    with pytest.raises(JournalCorrupt, match="does not end where the run does"):
        await reopened(store)


async def test_a_journal_that_was_changed_is_not_opened() -> None:
    store = MemoryStore()
    rows = await stored_rows(store)
    forged = ev.encode(received(UserMessage(text="pay all")))
    store._rows[RUN] = [replace(rows[0], body=forged), *rows[1:]]
    with pytest.raises(JournalCorrupt, match="breaks at position 0"):
        await reopened(store)
