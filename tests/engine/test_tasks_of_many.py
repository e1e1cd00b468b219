"""Requests with tasks on PostgreSQL, driven by several workers (B2, B3)."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import pytest

from pointsman.adapters.bus.postgres import PostgresBus
from pointsman.adapters.queue.pace import Pace
from pointsman.adapters.queue.procrastinate import ProcrastinateQueue
from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.system import SystemClock
from pointsman.domain.agent import AgentSpec, Limits
from pointsman.domain.messages import ModelRequest
from pointsman.domain.policy import rules_from
from pointsman.domain.runs import RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import Risk
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.registry import Registry
from pointsman.engine.service import Service
from tests.support.engine import message
from tests.support.graphs import SplittingModel, decomposition, results, rows
from tests.support.scripted_model import Answer, ScriptedModel
from tests.support.tools import FakeSource, FakeTool, fake_tool
from tests.support.waiting import until_it_is

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

FAST = Pace(grace=0.0, poll=0.1, heartbeat=0.2, dead_after=1.0)


@asynccontextmanager
async def worker(
    url: str,
    name: str,
    model: SplittingModel,
    *tools: FakeTool,
    policy: list[dict[str, Any]] | None = None,
) -> AsyncIterator[Service]:
    """A process of its own, as far as the database can tell; nothing is driven yet."""
    clock = SystemClock()
    bus = PostgresBus(url, name=name)
    queue = ProcrastinateQueue(
        url, agents=["desk"], name=name, clock=clock, pace=FAST, interrupt=bus.interrupt
    )
    bus.on_interrupt(queue.stop)
    store = postgres(url, enqueue=queue.enqueue)
    spec = AgentSpec(name="desk", limits=Limits(turns=100), policy=tuple(policy or ()))
    live = LiveAgent(
        spec=spec,
        model=ScriptedModel(model),
        registry=Registry([FakeSource(decomposition(), *tools)]),
        rules=rules_from(spec.policy),
    )
    service = Service(agents=Agents(live), store=store, queue=queue, bus=bus, clock=clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(bus.opened())
        await stack.enter_async_context(queue.opened())
        await service.open()
        stack.push_async_callback(service.aclose)
        yield service


@asynccontextmanager
async def driving(*services: Service) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        for one in services:
            tasks.start_soon(one.serve)
        yield
        tasks.cancel_scope.cancel()


async def ended(service: Service, run: str) -> None:
    async def is_over() -> bool:
        return (await service.record(run, None)).status.ended

    await until_it_is(is_over, seconds=40)


WIDE = rows(
    **dict.fromkeys("abcd", ""),
    e="a b",
    f="c d",
    g="e f",
    **dict.fromkeys("hijklm", "g"),
    n="h i j k l m",
)


async def test_two_workers_share_the_tasks_and_each_task_runs_once(postgres_url: str) -> None:
    first, second = SplittingModel(WIDE), SplittingModel(WIDE)
    async with (
        worker(postgres_url, "one", first) as one,
        worker(postgres_url, "two", second) as two,
        driving(one, two),
    ):
        runs = [await one.submit(message(f"request {n}")) for n in range(4)]
        for run in runs:
            await ended(one, run)
            over = await one.run(run, "ann")
            assert over.graphs[-1].overall == "done"
        assert len(await one.runs(user="ann", limit=1000)) == 4 * (1 + len(WIDE))
        jobs = await one.workers()
        assert jobs is not None
    assert sorted(first.seen + second.seen) == sorted(4 * [row["desc"] for row in WIDE])
    assert first.seen
    assert second.seen


async def test_a_worker_that_vanishes_leaves_its_tasks_to_the_other(postgres_url: str) -> None:
    stuck = anyio.Event()
    calls: list[str] = []

    async def hang(request: ModelRequest) -> str:
        stuck.set()
        await anyio.sleep_forever()
        return ""

    async def write(arguments: Any, context: Any) -> str:
        calls.append(context.key)
        return "written"

    def writes(request: ModelRequest) -> Answer:
        return "it is written" if results(request) else [("write", "{}")]

    plan = rows(a="", b="a", c="b")
    tool = fake_tool("write", write, risk=Risk.WRITE)
    policy = [{"tool": "write", "then": "allow"}]
    lost = SplittingModel(plan, {"do a": writes, "do b": hang})
    async with worker(postgres_url, "lost", lost, tool, policy=policy) as one, driving(one):
        run = await one.submit(message("all of it"))
        with anyio.fail_after(60):
            await stuck.wait()
    heir = SplittingModel(plan, {"do a": writes})
    async with (
        worker(postgres_url, "heir", heir, tool, policy=policy) as two,
        driving(two),
    ):
        await ended(two, run)
        over = await two.run(run, "ann")
    assert [task.state.value for task in over.graphs[-1].tasks] == ["done", "done", "done"]
    assert len(calls) == 1
    assert heir.seen == ["do b", "do c"]


async def test_an_answer_given_to_one_process_moves_the_request_on_in_another(
    postgres_url: str,
) -> None:
    def writes(request: ModelRequest) -> Answer:
        return "it is written" if results(request) else [("write", "{}")]

    plan = rows(a="", b="a")
    tool = fake_tool("write", "written", risk=Risk.WRITE)
    model = SplittingModel(plan, {"do a": writes})
    async with (
        worker(postgres_url, "drives", model, tool) as one,
        worker(postgres_url, "asks", model, tool) as two,
        driving(one),
    ):
        run = await two.submit(message("all of it"))

        async def waits() -> bool:
            return (await two.record(run, None)).status is RunStatus.WAITING

        await until_it_is(waits)
        state = await two.run(run, "ann")
        (asked,) = run_tasks.waiting(state)
        assert asked.approval is not None
        # Where the task itself is decided nobody tells the request: the store does.
        task = state.graphs[-1]["a"].run
        await two.desk.decide(task, asked.approval.id, "approved", by="ann")
        await ended(two, run)
        over = await two.run(run, "ann")
    assert (over.graphs[-1].overall, len(tool.calls)) == ("done", 1)


async def test_cancelling_in_one_process_stops_the_tasks_in_another(postgres_url: str) -> None:
    inside = anyio.Event()

    async def hang(request: ModelRequest) -> str:
        inside.set()
        await anyio.sleep_forever()
        return ""

    model = SplittingModel(rows(a="", b="", c="a b"), {"do a": hang, "do b": hang})
    async with (
        worker(postgres_url, "drives", model) as one,
        worker(postgres_url, "asks", model) as two,
        driving(one),
    ):
        run = await two.submit(message("all of it"))

        async def is_split() -> bool:
            return (await two.record(run, None)).status is RunStatus.SPLIT

        with anyio.fail_after(60):
            await inside.wait()
            await until_it_is(is_split)
            await two.cancel(run, "ann")
        found = await two.runs(user="ann")
    assert {record.status for record in found} == {RunStatus.CANCELLED}
