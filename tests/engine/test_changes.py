"""Whoever looks at a list is told that it has changed, whoever has changed it."""

from collections.abc import AsyncGenerator, Sequence

import anyio
import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain.events import Event
from pointsman.domain.runs import Run
from pointsman.domain.tools import Risk
from pointsman.engine import changes
from pointsman.engine.service import Service
from tests.support.engine import approve, say, service_of
from tests.support.scripted_model import results
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for changes many times a second."""
    monkeypatch.setattr(changes, "LOOK", 0.1)
    monkeypatch.setattr(changes, "BETWEEN", 0.01)


async def next_of(told: AsyncGenerator[None]) -> None:
    with anyio.fail_after(60):
        await anext(told)


async def booking(store: MemoryStore) -> Service:
    return await service_of(
        lambda request: "done" if results(request) else [("book", "{}")],
        fake_tool("book", "booked", risk=Risk.WRITE),
        store=store,
    )


async def test_a_list_is_said_to_have_changed_at_once_and_when_a_run_is_new_or_over() -> None:
    service = await service_of(["hello"])
    told = service.changes.runs("ann")
    await next_of(told)
    await say(service, user="ann")
    await next_of(told)
    await told.aclose()


async def test_another_users_runs_change_nothing() -> None:
    service = await service_of(["hello", "hello"])
    told = service.changes.runs("ann")
    await next_of(told)
    await say(service, user="bob")
    with anyio.move_on_after(0.5) as waited:
        await anext(told)
    assert waited.cancelled_caught
    await told.aclose()


async def test_what_waits_changes_when_it_is_asked_for_and_when_it_is_decided() -> None:
    service = await booking(MemoryStore())
    told = service.changes.approvals()
    await next_of(told)
    waiting = await say(service, user="ann")
    await next_of(told)
    await approve(service, waiting)
    await next_of(told)
    await told.aclose()


async def test_what_another_process_does_is_found_out() -> None:
    store = MemoryStore()
    here, there = await booking(store), await booking(store)
    runs, approvals = here.changes.runs("ann"), here.changes.approvals()
    await next_of(runs)
    await next_of(approvals)
    await say(there, user="ann")
    await next_of(runs)
    await next_of(approvals)
    await runs.aclose()
    await approvals.aclose()


async def test_an_observer_hears_of_every_event_of_a_run_once_and_in_order() -> None:
    service = await service_of(["hello"])
    seen: list[Event] = []

    class Observer:
        def committed(self, run: Run, events: Sequence[Event]) -> None:
            assert run.position == len(seen) + len(events) - 1
            seen.extend(events)

    service.observed.add(Observer())
    run = await say(service)
    assert seen == [one.event for one in await service.trace(run.id, None)]
