"""A run whose worker is gone, or only seems so: what another one makes of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import anyio
import pytest

from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain import events as ev
from pointsman.domain.messages import ModelRequest
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine import recovery
from pointsman.engine.journal import Journal
from pointsman.engine.service import Service
from pointsman.errors import Conflict, NotFound
from pointsman.ports import CallContext, Checked
from tests.support.engine import copied, events, message, say, service_of, serving, tool_texts
from tests.support.scripted_model import ScriptedModel, results
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio

ALLOW = ({"then": "allow"},)


class Asked(FakeTool):
    """A tool that may be asked whether a call happened."""

    def __init__(self, answer: Checked | Exception | None, *, timeout: float = 30.0) -> None:
        made = fake_tool("pay", "paid", risk=Risk.WRITE, timeout=timeout)
        super().__init__(made.spec, "paid")
        self.answer, self.asked = answer, list[CallContext]()

    async def check(self, arguments: Mapping[str, Any], context: CallContext) -> Checked | None:
        self.asked.append(context)
        if isinstance(self.answer, TimeoutError):
            await anyio.sleep_forever()
        assert not isinstance(self.answer, Exception)
        return self.answer


def pays(request: ModelRequest) -> Any:
    got = results(request)
    if not got:
        return [("pay", "{}")]
    return "I do not know whether it was paid." if got[0].startswith("UNCERTAIN") else "Paid."


async def cut_off(tool: FakeTool) -> tuple[Service, Run]:
    """A run whose worker vanished in the middle of its call, and who takes it up."""
    source = await service_of(pays, fake_tool("pay", "paid", risk=Risk.WRITE), policy=ALLOW)
    whole = await say(source)
    trace = [one.event for one in await source.trace(whole.id, None)]
    begun = next(at for at, one in enumerate(trace) if isinstance(one, ev.AttemptStarted))
    store = MemoryStore()
    await copied(source._store, whole.id, begun + 1, store)
    service = await service_of(pays, tool, store=store, policy=ALLOW)
    await service._loop.drive(whole.id)
    return service, await service.run(whole.id, None)


async def test_a_call_that_happened_is_not_run_again_and_its_result_goes_on() -> None:
    tool = Asked(
        Checked(
            answer="happened",
            result=ToolResult(status=ResultStatus.OK, content="paid, says the bank"),
        )
    )
    service, run = await cut_off(tool)
    assert (run.reply, tool.calls) == ("Paid.", [])
    assert tool_texts(run.messages) == ["paid, says the bank"]
    [checked] = await events(service, run.id, ev.AttemptChecked)
    assert (checked.call, checked.attempt, checked.answer) == ("1.0", 1, "happened")
    assert [context.key for context in tool.asked] == [f"{run.id}:1.0"]


async def test_a_call_that_did_not_happen_runs_again_under_another_key() -> None:
    tool = Asked(Checked(answer="not_happened"))
    service, run = await cut_off(tool)
    assert (run.reply, len(tool.calls)) == ("Paid.", 1)
    assert tool.asked[0].key != tool.contexts[0].key
    started = await events(service, run.id, ev.AttemptStarted)
    assert [one.attempt for one in started] == [1, 2]


@pytest.mark.parametrize("answer", [None, Checked(answer="unknown", detail="the bank is away")])
async def test_a_call_of_which_the_tool_does_not_know_is_uncertain(answer: Checked | None) -> None:
    tool = Asked(answer)
    service, run = await cut_off(tool)
    assert (run.reply, tool.calls) == ("I do not know whether it was paid.", [])
    checked = await events(service, run.id, ev.AttemptChecked)
    assert [one.detail for one in checked] == (["the bank is away"] if answer else [])


async def test_a_check_that_does_not_answer_in_time_knows_nothing() -> None:
    tool = Asked(TimeoutError(), timeout=0.01)
    service, run = await cut_off(tool)
    assert (run.reply, tool.calls) == ("I do not know whether it was paid.", [])
    [checked] = await events(service, run.id, ev.AttemptChecked)
    assert checked.detail == "no answer within 0.01 s"


async def test_a_tool_that_has_changed_since_is_not_asked() -> None:
    tool = Asked(Checked(answer="not_happened"))
    tool.spec = fake_tool("pay", "paid", required=["amount"], risk=Risk.WRITE).spec
    _, run = await cut_off(tool)
    assert (tool.asked, tool.calls) == ([], [])
    assert run.past[0].uncertain


async def vanishing(service: Service, run: str, times: int, *also: ev.Event) -> None:
    """So many workers take the run up and are never heard of again."""
    for _ in range(times):
        journal = await Journal.claim(service._store, service._bus, service._clock, run)
        now = journal.clock.now()
        if journal.run.system:
            journal.record(ev.RunResumed(at=now, reason="taken up again"))
        else:
            journal.record(ev.RunStarted(at=now, system="s", model="m"))
        for event in also:
            journal.record(event)
        turn = journal.run.turns + 1
        journal.record(ev.ModelAsked(at=now, turn=turn, tools=(), tool_choice="auto"))
        await journal.commit()


async def test_a_run_that_three_workers_were_lost_on_is_parked_with_what_is_known(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = ScriptedModel(["never"])
    service = await service_of(model)
    run_id = await service.submit(message())
    await vanishing(service, run_id, 3)
    await service._loop.drive(run_id)
    run = await service.run(run_id, "ann")
    assert (run.status, run.rests) == (RunStatus.PARKED, True)
    assert run_id in run.said
    [parked] = await events(service, run_id, ev.RunParked)
    assert (parked.deaths, parked.step) == (3, "asking the model (turn 3)")
    assert model.requests == []
    assert f"run {run_id} of agent desk is parked: 3 workers" in caplog.text
    await service._loop.drive(run_id)
    assert (await service.run(run_id, "ann")).position == run.position


async def test_a_person_lets_a_parked_run_go_on() -> None:
    service = await service_of(["hello"])
    run_id = await service.submit(message())
    await vanishing(service, run_id, 3)
    await service._loop.drive(run_id)
    with pytest.raises(NotFound):
        await service.unpark(run_id, "bo", by="bo")
    async with serving(service):
        await service.unpark(run_id, "ann", by="ann", reason="the machine is bigger now")
        with anyio.fail_after(60):
            run = await service.wait(run_id, "ann")
    assert (run.status, run.reply) == (RunStatus.DONE, "hello")
    [unparked] = await events(service, run_id, ev.RunUnparked)
    assert (unparked.by, unparked.reason) == ("ann", "the machine is bigger now")
    with pytest.raises(Conflict):
        await service.unpark(run_id, "ann", by="ann")


async def test_a_person_cancels_a_parked_run() -> None:
    service = await service_of(["never"])
    run_id = await service.submit(message())
    await vanishing(service, run_id, 3)
    await service._loop.drive(run_id)
    assert (await service.cancel(run_id, "ann")).status is RunStatus.CANCELLED


async def test_workers_that_are_lost_on_different_steps_do_not_count_together() -> None:
    service = await service_of(["hello"])
    run_id = await service.submit(message())
    await vanishing(service, run_id, 2)
    at = service._clock.now()
    route = ev.RouteChosen(at=at, kind="answer")
    await vanishing(service, run_id, 1, route)
    await service._loop.drive(run_id)
    assert (await service.run(run_id, "ann")).reply == "hello"


async def test_a_run_that_no_worker_lives_long_enough_to_begin_is_parked() -> None:
    service = await service_of(["never"])
    run_id = await service.submit(message())
    for _ in range(recovery.CLAIMS):
        await service._store.claim(run_id)
    await service._loop.drive(run_id)
    run = await service.run(run_id, "ann")
    assert run.status is RunStatus.PARKED
    [parked] = await events(service, run_id, ev.RunParked)
    assert parked.step == "taking the run up"


class Slow:
    """A tool that a test holds in the middle of its work."""

    def __init__(self) -> None:
        self.begun, self.go = anyio.Event(), anyio.Event()
        self.tool = fake_tool("pay", self._pay, risk=Risk.WRITE)

    async def _pay(self, arguments: Mapping[str, Any], context: CallContext) -> str:
        self.begun.set()
        await self.go.wait()
        return "paid"


async def test_a_worker_that_hands_its_run_back_is_no_death() -> None:
    slow = Slow()
    service = await service_of(pays, slow.tool, policy=ALLOW)
    run_id = await service.submit(message())
    async with serving(service):
        await slow.begun.wait()
    [released] = await events(service, run_id, ev.RunReleased)
    assert released.reason == "the worker stops"
    run = await service.run(run_id, "ann")
    assert (run.status, run.step) == (RunStatus.RUNNING, None)


async def test_a_worker_that_slept_and_wakes_can_do_nothing_any_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    slow = Slow()
    service = await service_of(pays, slow.tool, policy=ALLOW)
    run_id = await service.submit(message())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(service._loop.drive, run_id)  # falls asleep in its call
        await slow.begun.wait()
        await service._loop.drive(run_id)
        run = await service.run(run_id, "ann")
        slow.go.set()
    assert run.reply == "I do not know whether it was paid."
    assert await service.run(run_id, "ann") == run
    assert len(slow.tool.calls) == 1
    assert "driven by another worker" in caplog.text


async def test_a_worker_that_lost_its_run_starts_no_further_attempt() -> None:
    """It was asleep while it asked the model."""
    asked, go = anyio.Event(), anyio.Event()

    async def script(request: ModelRequest) -> Any:
        if not results(request):
            first = not asked.is_set()
            asked.set()
            if first:
                await go.wait()
        return pays(request)

    tool = fake_tool("pay", "paid", risk=Risk.WRITE)
    service = await service_of(script, tool, policy=ALLOW)
    run_id = await service.submit(message())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(service._loop.drive, run_id)
        await asked.wait()
        await service._loop.drive(run_id)
        go.set()
    assert (await service.run(run_id, "ann")).reply == "Paid."
    assert len(tool.calls) == 1


async def steps(service: Service, run: str) -> Sequence[str]:
    return [type(one.event).__name__ for one in await service.trace(run, None)]


async def test_the_journal_tells_of_every_worker() -> None:
    service = await service_of(["hello"])
    run_id = await service.submit(message())
    await vanishing(service, run_id, 1)
    await service._loop.drive(run_id)
    assert await steps(service, run_id) == [
        "MessageReceived",
        "RunStarted",
        "ModelAsked",
        "RunResumed",
        "ModelAsked",
        "ModelAnswered",
        "ReplyGiven",
    ]
