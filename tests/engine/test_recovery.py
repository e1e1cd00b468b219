"""What a crash leaves behind is carried to its end: at whatever event it came."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain import events as ev
from pointsman.domain.messages import ModelRequest, ToolMessage, UserMessage
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.journal import verify
from pointsman.engine.service import Service
from pointsman.ports import CallContext, Store
from tests.support.engine import (
    approve,
    copied,
    events,
    is_paired,
    message,
    say,
    service_of,
    serving,
    tool_texts,
)
from tests.support.fake_clock import FakeClock
from tests.support.scripted_model import ScriptedModel
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio

ALLOW = ({"then": "allow"},)


class World:
    """Tools, some of which change something, and the runs that a model makes of them.

    The second look fails once, so that there are retries to crash between.
    """

    def __init__(self, left: Sequence[ev.Event] = ()) -> None:
        """Args:
        left: what happened before the crash.
        """
        self.failed = any(
            isinstance(one, ev.AttemptFinished) and one.retry_in is not None for one in left
        )
        self.tools = {
            "look": fake_tool("look", self._look, properties={"n": {}}),
            "pay": fake_tool("pay", "paid", properties={"n": {}}, risk=Risk.WRITE),
            "set": fake_tool("set", "set", risk=Risk.WRITE, idempotent=True),
        }

    async def _look(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult | str:
        if arguments["n"] == 2 and not self.failed:
            self.failed = True
            return ToolResult(status=ResultStatus.FAILED, content="ERROR: busy", retryable=True)
        return f"seen {arguments['n']}"

    async def service(self, store: Store, policy: Any = ALLOW) -> Service:
        return await service_of(
            script, *self.tools.values(), store=store, policy=policy, clock=FakeClock()
        )


def script(request: ModelRequest) -> Any:
    """Three turns, whatever the results are."""
    match sum(isinstance(one, ToolMessage) for one in request.messages):
        case 0:
            return [
                ("look", '{"n": 1}'),
                ("look", '{"n": 2}'),
                ("pay", '{"n": 1}'),
                ("set", "{}"),
                ("nothing", "{}"),
            ]
        case 5:
            return [("pay", '{"n": 2}'), ("look", '{"n": 3}')]
        case _:
            unsure = any(text.startswith("UNCERTAIN") for text in tool_texts(request.messages))
            return "I do not know whether all of it was paid." if unsure else "all done"


async def finished_run(policy: Any = ALLOW) -> tuple[MemoryStore, Run]:
    """A run that no crash has touched, in its store."""
    store, world = MemoryStore(), World()
    service = await world.service(store, policy)
    run = await carried_on(service, (await say(service)).id)
    assert run.reply == "all done"
    return store, run


async def carried_on(service: Service, run_id: str) -> Run:
    """The run at its end; whoever is asked says yes."""
    with anyio.fail_after(60):
        async with serving(service):
            await service.recover()
            while not (run := await service.wait(run_id, "ann")).status.ended:
                await approve(service, run)
    return run


@pytest.mark.parametrize("policy", [ALLOW, ()], ids=["allowed", "approved"])
async def test_a_run_that_crashed_anywhere_ends_and_no_write_runs_twice(policy: Any) -> None:
    source, whole = await finished_run(policy)
    rows = await source.rows(whole.id)
    assert len(rows) > 25
    for count in range(1, len(rows) + 1):
        left = [ev.decode(row.body) for row in rows[:count]]
        store, world = MemoryStore(), World(left)
        await copied(source, whole.id, count, store)
        service = await world.service(store, policy)
        run = await carried_on(service, whole.id)
        _check(run, world, left)
        after = await store.rows(whole.id)
        assert after[:count] == rows[:count]
        verify(whole.id, after)
        assert await service.run(whole.id, "ann") == run
        stored = await service.conversation(run.conversation, "ann")
        assert stored.messages == run.messages


def _check(run: Run, world: World, left: list[ev.Event]) -> None:
    assert run.status is RunStatus.DONE
    assert is_paired(run.messages)
    texts = tool_texts(run.messages)
    assert len(texts) == 7
    begun = {one.call for one in left if isinstance(one, ev.AttemptStarted)}
    over = {
        one.call for one in left if isinstance(one, ev.AttemptFinished) and one.retry_in is None
    }
    for key, text, arguments in (("1.2", texts[2], {"n": 1}), ("2.0", texts[5], {"n": 2})):
        again = world.tools["pay"].calls.count(arguments)
        assert again == (0 if key in begun else 1), f"{key} after {left[-1]}"
        assert text.startswith("UNCERTAIN" if key in begun - over else "paid")
    for key, name in (("1.0", "look"), ("1.3", "set")):
        ran = len(world.tools[name].calls)
        assert ran > 0 or key in over
    assert texts[3] == "set"
    assert [text for text in texts if text.startswith("seen")] == ["seen 1", "seen 2", "seen 3"]


async def test_the_model_hears_that_the_outcome_is_unknown() -> None:
    source, whole = await finished_run()
    trace = [ev.decode(row.body) for row in await source.rows(whole.id)]
    started = next(
        at
        for at, one in enumerate(trace)
        if isinstance(one, ev.AttemptStarted) and one.call == "1.2"
    )
    store = MemoryStore()
    await copied(source, whole.id, started + 1, store)
    model = ScriptedModel(["I do not know whether it was paid."])
    service = await service_of(model, *World().tools.values(), store=store, policy=ALLOW)
    run = await carried_on(service, whole.id)
    told = tool_texts(model.requests[0].messages)
    assert told[2].startswith("UNCERTAIN: the call was started and it is not known")
    assert "the worker stopped before the call ended" in told[2]
    assert run.past[2].uncertain


async def test_a_restart_with_the_tool_gone_still_ends(tmp_path: Path) -> None:
    pay = fake_tool("pay", risk=Risk.WRITE)
    service = await service_of([[("pay", "{}")], "never"], pay)
    source, run = service._store, await say(service)
    store = MemoryStore()
    await copied(source, run.id, run.position + 1, store)
    service = await service_of(["It was not paid: I cannot do that any more."], store=store)
    run = await carried_on(service, run.id)
    assert tool_texts(run.messages) == ["ERROR: tool no longer available."]
    assert run.status is RunStatus.DONE


async def test_a_run_whose_agent_is_gone_ends_honestly(caplog: pytest.LogCaptureFixture) -> None:
    service = await service_of(["never"])
    run_id = await service.submit(message())
    service.agents._by_name.clear()
    run = await carried_on(service, run_id)
    assert (run.status, run.failure) == (RunStatus.FAILED, "internal")
    assert "no agent 'desk'" in caplog.text


async def test_unfinished_runs_are_queued_oldest_first_and_waiting_ones_left() -> None:
    pay = fake_tool("pay", risk=Risk.WRITE)
    order: list[str] = []

    def answer(request: ModelRequest) -> Any:
        last = request.messages[-1]
        assert isinstance(last, UserMessage)
        order.append(last.text)
        return [("pay", "{}")] if last.text == "waits" else "ok"

    store = MemoryStore()
    service = await service_of(answer, pay, store=store)
    conversation = (await say(service, "first")).conversation
    await say(service, "waits")
    await say(service, "ends")
    for text in ("a", "b", "c"):
        await service.submit(message(text, conversation=conversation))
    order.clear()

    service = await service_of(answer, pay, store=store)
    async with serving(service):
        assert await service.recover() == 3
        for record in await service.runs(user="ann", conversation=conversation):
            await service.wait(record.id, "ann")
    assert order == ["a", "b", "c"]


async def test_a_crash_before_the_fallback_answered_asks_again() -> None:
    store = MemoryStore()
    service = await service_of(["hello"], store=store)
    run_id = await service.submit(message())
    journal = await service._open(run_id)
    for event in (
        ev.RunStarted(at=journal.clock.now(), system="s", model="m"),
        ev.ModelAsked(at=journal.clock.now(), turn=1, tools=(), tool_choice="auto"),
        ev.ModelFailed(at=journal.clock.now(), turn=1, error="ModelUnavailable", detail="503"),
    ):
        journal.record(event)
    await journal.commit()
    run = await carried_on(service, run_id)
    assert (run.reply, run.turns) == ("hello", 2)


async def test_the_time_that_the_process_was_down_is_no_time_of_the_run() -> None:
    source, whole = await finished_run()
    store, clock = MemoryStore(), FakeClock()
    await copied(source, whole.id, 4, store)
    clock.advance(86_400)
    service = await service_of(script, *World().tools.values(), store=store, clock=clock)
    assert (await service.run(whole.id, "ann")).started is not None
    run = await carried_on(service, whole.id)
    assert run.status is RunStatus.DONE


async def test_a_run_goes_on_from_a_file(tmp_path: Path) -> None:
    source, whole = await finished_run()
    trace = [ev.decode(row.body) for row in await source.rows(whole.id)]
    results = [at for at, one in enumerate(trace) if isinstance(one, ev.AttemptFinished)]
    path = tmp_path / "journal.db"
    store = sqlite(path)
    await copied(source, whole.id, results[3] + 1, store)
    await store.aclose()

    world = World()
    service = await world.service(sqlite(path))
    run = await carried_on(service, whole.id)
    assert run.reply == "all done"
    assert len(await events(service, whole.id, ev.RunResumed)) == 1
    assert is_paired((await service.conversation(run.conversation, "ann")).messages)
    await service.aclose()
