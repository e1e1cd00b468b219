"""How the tools fare, over all runs, workers and restarts."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.events import CallRejected, ModelAsked
from pointsman.domain.limiting import BreakerLimits, Rate, ToolLimits
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.engine.health import Admitted, Denied, Health
from pointsman.engine.switches import TOOLS, Off, switch
from pointsman.errors import StoreError
from pointsman.ports import CallContext, Store
from tests.support.engine import events, say, service_of, tool_texts
from tests.support.fake_clock import FakeClock
from tests.support.scripted_model import Script
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio

BREAKER = BreakerLimits(failures=2, window=60, pause=30, probe=120)
LOOK = fake_tool("look", limits=ToolLimits(breaker=BREAKER)).spec


def result(status: ResultStatus) -> ToolResult:
    return ToolResult(status=status, content="")


OK, ERROR = result(ResultStatus.OK), result(ResultStatus.ERROR)
FAILED, UNCERTAIN = result(ResultStatus.FAILED), result(ResultStatus.UNCERTAIN)


class CountingStore(MemoryStore):
    """A store that counts what is asked of it, and may be broken."""

    def __init__(self) -> None:
        super().__init__()
        self.reads, self.writes, self.broken = 0, 0, False

    async def shared(self, key: str) -> bytes | None:
        self.reads += 1
        if self.broken:
            raise StoreError("broken")
        return await super().shared(key)

    async def share(self, key: str, body: bytes | None, *, expected: bytes | None) -> bool:
        self.writes += 1
        if self.broken:
            raise StoreError("broken")
        return await super().share(key, body, expected=expected)


async def call(
    health: Health, spec: ToolSpec = LOOK, *results: ToolResult, user: str = "ann"
) -> Admitted | Denied:
    """One call with these attempts."""
    async with await health.admission(spec, user=user, call="c") as admitted:
        if isinstance(admitted, Admitted):
            for one in results:
                await health.report(spec, admitted, one)
    return admitted


async def opened(health: Health) -> None:
    await call(health, LOOK, FAILED, FAILED)
    assert health.rest(LOOK)


async def test_it_rests_after_failures_and_says_for_how_long() -> None:
    health = Health(MemoryStore(), clock := FakeClock())
    await call(health, LOOK, FAILED)
    assert isinstance(await call(health, LOOK, UNCERTAIN), Admitted)
    clock.advance(10)
    denied = await call(health)
    assert isinstance(denied, Denied)
    assert "look is temporarily unavailable after 2 failures; try again in 20 s" in denied.content


@pytest.mark.parametrize("answer", [OK, ERROR], ids=["ok", "M15"])
async def test_a_tool_that_answers_never_rests(answer: ToolResult) -> None:
    health = Health(MemoryStore(), FakeClock())
    for _ in range(20):
        await call(health, LOOK, answer)
    assert health.rest(LOOK) is None


async def test_a_breaker_that_is_off_never_opens() -> None:
    spec = fake_tool("look", limits=ToolLimits(breaker=BreakerLimits(failures=0))).spec
    health = Health(MemoryStore(), FakeClock())
    for _ in range(20):
        assert isinstance(await call(health, spec, FAILED), Admitted)
    assert health.well((spec,)) == (spec,)


async def test_only_the_tool_that_failed_rests() -> None:
    health = Health(MemoryStore(), FakeClock())
    other = fake_tool("look", source="maps").spec
    await opened(health)
    assert health.well((LOOK, other)) == (other,)
    both = (other, other)
    assert health.well(both) is both


async def test_after_the_pause_one_probe_closes_it() -> None:
    health = Health(MemoryStore(), clock := FakeClock())
    await opened(health)
    clock.advance(30)
    assert health.rest(LOOK) is None
    async with await health.admission(LOOK, user="ann", call="probe") as probe:
        assert probe == Admitted(probe=True)
        assert isinstance(await call(health), Denied)
        await health.report(LOOK, probe, OK)
    assert isinstance(await call(health), Admitted)


async def test_a_probe_that_fails_opens_it_again() -> None:
    health = Health(MemoryStore(), clock := FakeClock())
    await opened(health)
    clock.advance(30)
    await call(health, LOOK, FAILED)
    denied = await call(health)
    assert isinstance(denied, Denied)
    assert "try again in 30 s" in denied.content


async def test_a_probe_that_was_given_up_lets_another_through() -> None:
    health = Health(MemoryStore(), clock := FakeClock())
    await opened(health)
    clock.advance(30)
    with anyio.CancelScope() as scope:
        async with await health.admission(LOOK, user="ann", call="probe"):
            scope.cancel()
            await anyio.sleep_forever()
    assert await call(health) == Admitted(probe=True)


@asynccontextmanager
async def two(kind: str, folder: Path, clock: FakeClock) -> AsyncIterator[tuple[Health, Health]]:
    """Two workers on one store."""
    async with AsyncExitStack() as stack:
        first: Store = MemoryStore() if kind == "memory" else sqlite(folder / "test.db")
        second = first if kind == "memory" else sqlite(folder / "test.db")
        stack.push_async_callback(first.aclose)
        stack.push_async_callback(second.aclose)
        yield Health(first, clock), Health(second, clock)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_workers_share_what_they_find_out(kind: str, tmp_path: Path) -> None:
    clock = FakeClock()
    async with two(kind, tmp_path, clock) as (one, other):
        await call(one, LOOK, FAILED)
        await call(other, LOOK, FAILED)
        assert isinstance(await call(other), Denied)
        clock.advance(1)
        assert isinstance(await call(one), Denied)
        clock.advance(30)
        async with await one.admission(LOOK, user="ann", call="probe") as probe:
            assert probe == Admitted(probe=True)
            assert isinstance(await call(other), Denied)


async def test_it_survives_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    store = sqlite(tmp_path / "test.db")
    await opened(Health(store, clock))
    await store.aclose()
    store = sqlite(tmp_path / "test.db")
    assert isinstance(await call(Health(store, clock)), Denied)
    await store.aclose()


async def test_failures_at_once_are_all_counted() -> None:
    spec = fake_tool("look", limits=ToolLimits(breaker=BreakerLimits(failures=20))).spec
    store, clock = MemoryStore(), FakeClock()
    workers = [Health(store, clock) for _ in range(4)]
    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(call, workers[number % 4], spec, FAILED)
    clock.advance(1)
    assert isinstance(await call(workers[0], spec), Denied)


async def test_a_tool_that_is_well_costs_one_look_a_second() -> None:
    health = Health(store := CountingStore(), clock := FakeClock())
    for _ in range(50):
        await call(health, LOOK, OK)
    assert (store.reads, store.writes) == (1, 0)
    clock.advance(1)
    await call(health, LOOK, OK)
    assert (store.reads, store.writes) == (2, 0)


async def test_a_broken_store_stops_no_call() -> None:
    health = Health(store := CountingStore(), FakeClock())
    store.broken = True
    for _ in range(3):
        assert isinstance(await call(health, LOOK, FAILED), Admitted)


async def test_what_another_release_has_stored_is_replaced() -> None:
    store = MemoryStore()
    await store.share(TOOLS, b"[1]", expected=None)
    await opened(health := Health(store, FakeClock()))
    assert isinstance(await call(health), Denied)


async def test_no_more_calls_run_at_once_than_have_places() -> None:
    spec = fake_tool("look", limits=ToolLimits(at_once=2)).spec
    health = Health(MemoryStore(), FakeClock())
    inside: set[int] = set()
    leave = [anyio.Event() for _ in range(6)]
    entered = [anyio.Event() for _ in range(6)]

    async def run(number: int) -> None:
        async with await health.admission(spec, user="ann", call=str(number)) as admitted:
            assert isinstance(admitted, Admitted)
            inside.add(number)
            entered[number].set()
            await leave[number].wait()
            inside.remove(number)

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(run, number)
        for number in range(6):
            await entered[number].wait()
            await anyio.wait_all_tasks_blocked()
            assert len(inside) == min(2, 6 - number)
            leave[number].set()


async def test_a_call_waits_for_a_place_so_long_and_is_told() -> None:
    spec = fake_tool("look", limits=ToolLimits(at_once=1)).spec
    health = Health(MemoryStore(), FakeClock(), patience=0.01)
    async with await health.admission(spec, user="ann", call="first"):
        denied = await call(health, spec)
    assert isinstance(denied, Denied)
    assert "look is busy (calls at the same time: 1)" in denied.content
    assert isinstance(await call(health, spec), Admitted)


async def test_places_are_shared_between_workers() -> None:
    spec = fake_tool("look", limits=ToolLimits(at_once=1)).spec
    store, clock = MemoryStore(), FakeClock()
    one, other = Health(store, clock, patience=5), Health(store, clock, patience=5)
    async with await one.admission(spec, user="ann", call="first"):
        assert isinstance(await call(other, spec), Denied)
    assert 4 < sum(clock.sleeps) <= 5
    assert isinstance(await call(other, spec), Admitted)


async def test_a_place_is_free_again_after_a_cancelled_call() -> None:
    spec = fake_tool("look", limits=ToolLimits(at_once=1)).spec
    health = Health(MemoryStore(), FakeClock(), patience=0.01)
    with anyio.CancelScope() as scope:
        async with await health.admission(spec, user="ann", call="first"):
            scope.cancel()
            await anyio.sleep_forever()
    assert isinstance(await call(health, spec), Admitted)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_rate_holds_for_each_user_over_all_workers(kind: str, tmp_path: Path) -> None:
    spec = fake_tool("look", limits=ToolLimits(rate=Rate(calls=2, seconds=60))).spec
    clock = FakeClock()
    async with two(kind, tmp_path, clock) as (one, other):
        await call(one, spec)
        await call(other, spec)
        clock.advance(20)
        denied = await call(one, spec)
        assert isinstance(denied, Denied)
        assert "try again in 40 s" in denied.content
        assert isinstance(await call(one, spec, user="bob"), Admitted)
        clock.advance(40)
        assert isinstance(await call(one, spec), Admitted)


async def broken(arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
    return FAILED


async def test_the_model_is_not_shown_a_tool_that_rests_and_is_told_when_it_calls_it() -> None:
    tool = fake_tool("look", broken, limits=ToolLimits(breaker=BREAKER))
    sorry = "Sorry, the look-up failed and the tool is not available now."
    script: Script = [[("look", "{}"), ("look", '{"n": 1}')], [("look", "{}")], sorry, sorry]
    service = await service_of(script, tool, fake_tool("other"), clock=FakeClock())
    run = await say(service)
    asked = await events(service, run.id, ModelAsked)
    assert [one.tools for one in asked][:3] == [("look", "other"), ("other",), ("other",)]
    (told,) = await events(service, run.id, CallRejected)
    assert told.kind == "unavailable"
    assert tool_texts(run.messages)[-1] == told.content
    assert len(tool.calls) == 2


async def test_a_call_of_a_tool_that_rests_asks_nobody_to_confirm_it() -> None:
    tool = fake_tool("pay", broken, risk=Risk.WRITE, limits=ToolLimits(breaker=BREAKER))
    store, clock = MemoryStore(), FakeClock()
    await call(Health(store, clock), tool.spec, FAILED, FAILED)
    service = await service_of([[("pay", "{}")], "sorry"], tool, store=store, clock=clock)
    run = await say(service)
    assert not run.waiting
    assert not tool.calls


async def test_a_tool_that_is_off_is_left_alone_by_every_worker_of_that_agent_alone() -> None:
    store, clock = MemoryStore(), FakeClock()
    workers = [Health(store, clock), Health(store, clock)]
    off = Off(by="oda", at=clock.now(), reason="broken")
    assert await switch(store, "desk", LOOK.name, off)
    assert not await switch(store, "desk", LOOK.name, off)
    for health in workers:
        await health.look()
        assert health.well((LOOK,), "desk") == ()
        assert health.well((LOOK,), "other") == (LOOK,)
        assert "switched off by an operator: broken" in (health.rest(LOOK, "desk") or "")
        assert "已停用工具" in (health.rest(LOOK, "desk", "zh") or "")
        async with await health.admission(LOOK, user="ann", call="c", agent="desk") as denied:
            assert isinstance(denied, Denied)
    await call(workers[0], LOOK, FAILED, FAILED)
    assert await switch(store, "desk", LOOK.name, None)
    clock.advance(1)
    await workers[1].look()
    assert "failures" in (workers[1].rest(LOOK, "desk") or "")
