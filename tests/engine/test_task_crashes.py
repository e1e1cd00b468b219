"""Requests with tasks through crashes: wherever the process ends, they go on, and nothing runs
twice (B2)."""

from asyncio import Future
from typing import Any

import anyio
import pytest

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain import events as ev
from pointsman.domain.messages import ModelRequest
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import Risk
from pointsman.engine.record.replay import replay
from pointsman.engine.record.verification import verify
from pointsman.engine.service import Service
from pointsman.ports import Append, StoredRun
from tests.support.engine import message, say, service_of, serving
from tests.support.fake_clock import START
from tests.support.graphs import SplittingModel, decomposition, results, rows
from tests.support.scripted_model import Answer
from tests.support.tools import FakeTool, fake_tool
from tests.support.waiting import until_it_is

pytestmark = pytest.mark.anyio

PLAN = rows(a="", b="a", c="", d="b c")
DONE = "do a: did do a\ndo b: it is written\ndo c: did do c\ndo d: did do d"


class LoggedStore(MemoryStore):
    """Knows everything that was done to it, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Append | str] = []

    def append(self, change: Append) -> Future[None]:
        done = super().append(change)
        if done.exception() is None:
            self.log.append(change)
        return done

    async def claim(self, run: str) -> StoredRun | None:
        self.log.append(run)
        return await super().claim(run)


async def left_after(log: list[Append | str]) -> MemoryStore:
    """The store as a crash left it after these."""
    store = MemoryStore()
    for one in log:
        if isinstance(one, str):
            await store.claim(one)
        else:
            await store.append(one)
    return store


def model() -> SplittingModel:
    def write(request: ModelRequest) -> Answer:
        told = results(request)
        if not told:
            return [("write", "{}")]
        return "it is written" if told[-1] == "written" else f"not known whether: {told[-1]}"

    return SplittingModel(PLAN, {"do b": write})


async def service(store: MemoryStore, **more: Any) -> tuple[Service, FakeTool]:
    tool = fake_tool("write", "written", risk=Risk.WRITE)
    policy = more.pop("policy", [{"tool": "write", "then": "allow"}])
    made = await service_of(model(), decomposition(), tool, store=store, policy=policy, **more)
    return made, tool


async def ended(made: Service) -> Run:
    """The request at its end, after a restart."""
    async with serving(made):
        await made.recover()
        request = next(
            record.id
            for record in await made.runs(user="ann", limit=100)
            if record.input == "do it all"
        )

        async def is_over() -> bool:
            return (await made.record(request, None)).status.ended

        await until_it_is(is_over)
        return await made.run(request, "ann")


async def test_wherever_the_process_ends_the_request_goes_on_and_no_task_runs_twice() -> None:
    store = LoggedStore()
    whole, tool = await service(store)
    run = await say(whole, "do it all")
    assert (run.reply, len(tool.calls)) == (DONE, 1)
    children = {task.run for task in run.graphs[-1].tasks}
    for crash in range(1, len(store.log) + 1):
        left = await left_after(store.log[:crash])
        made, again = await service(left)
        over = await ended(made)
        assert over.status is RunStatus.DONE, crash
        assert {task.run for task in over.graphs[-1].tasks} <= {"", *children}, crash
        assert {record.id for record in await made.runs(user=None)} <= {over.id, *children}, crash
        if written_before(store.log[:crash]):
            assert again.calls == [], crash
            states = [task.state.value for task in over.graphs[-1].tasks]
            assert states in (["done"] * 4, ["done", "failed", "done", "skipped"]), crash
            if states[1] == "failed":
                assert "do b was not done" in over.reply or "not known" in over.reply, crash
        else:
            assert (over.reply, len(again.calls)) == (DONE, 1), crash
        assert (await verify(left, START)).holds, crash


def written_before(log: list[Append | str]) -> bool:
    """Whether the tool may have been called before the crash."""
    for one in log:
        if not isinstance(one, Append) or one.run.input != "do b":
            continue
        if any(isinstance(ev.decode(row.body), ev.AttemptStarted) for row in one.rows):
            return True
    return False


async def test_a_request_that_waits_for_a_person_waits_after_a_crash_too() -> None:
    store = LoggedStore()
    whole, _ = await service(store, policy=())
    run = await say(whole, "do it all")
    assert run.status is RunStatus.WAITING
    for crash in range(len(store.log) // 2, len(store.log) + 1):
        left = await left_after(store.log[:crash])
        made, tool = await service(left, policy=())

        async def asks(made: Service = made) -> bool:
            return any(run_tasks.questions(await made.run(run.id, "ann")))

        async with serving(made):
            await made.recover()
            await until_it_is(asks)
            await made.submit(message("yes", conversation=run.conversation))
            with anyio.fail_after(60):
                over = await made.wait(run.id, "ann")
                while over.status is RunStatus.WAITING:
                    over = await made.wait(run.id, "ann")
        assert (over.reply, len(tool.calls)) == (DONE, 1), crash


async def test_a_crash_after_a_yes_loses_nothing() -> None:
    store = LoggedStore()
    whole, _ = await service(store, policy=())
    run = await say(whole, "do it all")
    before = len(store.log)
    answered = await say(whole, "yes", conversation=run.conversation)
    assert answered.reply == DONE
    for crash in range(before + 1, len(store.log) + 1):
        left = await left_after(store.log[:crash])
        made, tool = await service(left, policy=())
        over = await ended(made)
        assert over.status is RunStatus.DONE, crash
        assert len(tool.calls) == (0 if written_before(store.log[:crash]) else 1), crash


async def test_two_workers_on_one_request_do_not_start_a_task_twice() -> None:
    store = LoggedStore()
    whole, _ = await service(store)
    await say(whole, "do it all")
    accepted = next(
        place
        for place, one in enumerate(store.log, start=1)
        if isinstance(one, Append)
        and any(isinstance(ev.decode(row.body), ev.PlanAccepted) for row in one.rows)
    )
    left = await left_after(store.log[:accepted])
    one, tool = await service(left)
    other, second = await service(left)
    request = next(
        record.id for record in await one.runs(user="ann") if record.input == "do it all"
    )
    async with serving(one), serving(other):
        await one.recover()
        await other.recover()

        async def is_over() -> bool:
            return (await one.record(request, None)).status.ended

        await until_it_is(is_over)
    assert len(tool.calls) + len(second.calls) == 1
    records = await one.runs(user=None)
    assert len(records) == 5
    assert all(record.status is RunStatus.DONE for record in records)


async def test_a_task_whose_request_is_over_stops_itself() -> None:
    store = LoggedStore()
    whole, _ = await service(store)
    run = await say(whole, "do it all")
    begun = next(
        place
        for place, one in enumerate(store.log, start=1)
        if isinstance(one, Append) and one.run.input == "do a"
    )
    left = await left_after(store.log[:begun])
    made, _ = await service(left)
    await made.cancel(run.id, "ann")
    (task,) = [one.id for one in await made.runs(user="ann") if one.input == "do a"]

    async def is_over() -> bool:
        return (await made.record(task, None)).status.ended

    async with serving(made):
        await made.recover()
        await until_it_is(is_over)
    assert (await made.run(task, "ann")).status is RunStatus.CANCELLED


async def test_a_task_that_waits_for_a_request_that_is_over_asks_nobody_any_more() -> None:
    """The process ended between the end of the request and that of its task."""
    store = LoggedStore()
    whole, _ = await service(store, policy=[])
    run = await say(whole, "do it all")
    assert run.status is RunStatus.WAITING
    await whole.cancel(run.id, "ann")
    over = next(
        place
        for place, one in enumerate(store.log, start=1)
        if isinstance(one, Append) and one.run.status is RunStatus.CANCELLED
    )
    made, tool = await service(await left_after(store.log[:over]), policy=[])
    assert len(await made.desk.waiting("ann")) == 1

    async def nobody_is_asked() -> bool:
        return not await made.desk.waiting("ann")

    async with serving(made):
        await made.recover()
        await until_it_is(nobody_is_asked)
    assert tool.calls == []


async def test_a_request_with_tasks_can_be_replayed_from_its_journal() -> None:
    store = LoggedStore()
    whole, _ = await service(store)
    run = await say(whole, "do it all")
    live = whole.agents.get("desk")
    for id in [run.id, *(task.run for task in run.graphs[-1].tasks)]:
        stored = await store.load(id)
        assert stored is not None
        assert await replay(stored, live, MemoryStore(), MemoryBus()) == []


async def test_the_run_of_a_task_that_is_not_there_is_made_again() -> None:
    store = LoggedStore()
    whole, _ = await service(store)
    run = await say(whole, "do it all")
    said = next(
        place
        for place, one in enumerate(store.log, start=1)
        if isinstance(one, Append)
        and any(isinstance(ev.decode(row.body), ev.TaskStarted) for row in one.rows)
    )
    kept = [
        one
        for one in store.log[:said]
        if isinstance(one, str) or not (one.run.input == "do c" and one.expected < 0)
    ]
    left = await left_after(kept)
    assert [record.input for record in await left.records()].count("do c") == 0
    made, _ = await service(left)
    over = await ended(made)
    assert (over.reply, over.graphs[-1]["c"].run) == (DONE, run.graphs[-1]["c"].run)
