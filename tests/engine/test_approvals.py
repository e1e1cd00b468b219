"""A person decides on a call. Cases P02 to P20 are of group 6 of the shared cases."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, ModelRequest, ToolMessage
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import Risk
from pointsman.engine.service import Service
from pointsman.errors import Conflict, NotFound
from pointsman.ports import CallContext
from tests import cases
from tests.support.engine import (
    approve,
    events,
    is_paired,
    message,
    say,
    service_of,
    serving,
    tool_texts,
)
from tests.support.fake_clock import FakeClock
from tests.support.scripted_model import ScriptedModel, results
from tests.support.tools import FakeSource, FakeTool, fake_tool

pytestmark = pytest.mark.anyio


def pay(name: str = "pay", **more: Any) -> FakeTool:
    return fake_tool(name, f"{name} done", properties={"n": {}}, risk=Risk.WRITE, **more)


def approvals(run: Run) -> list[str]:
    return [call.approval.id for call in run.waiting if call.approval]


async def ended(service: Service, run: Run) -> Run:
    with anyio.fail_after(60):
        async with serving(service):
            return await service.wait(run.id, run.user)


async def test_a_call_that_changes_something_waits_for_the_user() -> None:
    tool = pay()
    model = ScriptedModel([[("pay", '{"n": 5}')], "paid"])
    service = await service_of(model, tool)
    run = await say(service)
    assert (run.status, tool.calls) == (RunStatus.WAITING, [])
    assert run.said == "I am about to run “pay”: n: 5. Shall I? (reply “yes” or “no”)"
    await approve(service, run)
    run = await ended(service, run)
    assert (run.reply, tool.calls, len(model.requests)) == ("paid", [{"n": 5}], 2)
    (clearance,) = await events(service, run.id, ev.CallCleared)
    assert "approved by ann" in clearance.rule


@pytest.mark.parametrize("case", cases.params(6, only=("P02",)))
async def test_p02_the_model_is_asked_once_after_all_of_them_are_settled(
    case: dict[str, Any],
) -> None:
    tools = [pay(name) for name in "abc"]
    model = ScriptedModel([[(name, "{}") for name in "abc"], "a and c are done; b was denied."])
    service = await service_of(model, *tools)
    run = await say(service)
    a, b, c = approvals(run)
    async with serving(service):
        await service.decide(run.id, a, "approved", by="ann")
        await service.decide(run.id, b, "denied", by="ann", reason="too risky")
        assert len(model.requests) == 1
        await service.decide(run.id, c, "approved", by="ann")
        run = await service.wait(run.id, "ann")
    assert len(model.requests) == 2
    assert results(model.requests[1]) == [
        "a done",
        "DENIED by user: too risky. Do not retry unless asked.",
        "c done",
    ]
    assert [one.call_id for one in run.messages if isinstance(one, ToolMessage)] == [
        "call_0",
        "call_1",
        "call_2",
    ]
    assert [len(tool.calls) for tool in tools] == [1, 0, 1]


@pytest.mark.parametrize("case", cases.params(6, only=("P03",)))
async def test_p03_each_call_has_its_own_decision(case: dict[str, Any]) -> None:
    tool = pay("x")
    service = await service_of([[("x", '{"n": 1}'), ("x", '{"n": 2}')], "ok"], tool)
    run = await say(service)
    first, second = approvals(run)
    await service.decide(run.id, second, "approved", by="ann")
    await service.decide(run.id, first, "denied", by="ann")
    await ended(service, run)
    assert tool.calls == [{"n": 2}]


async def test_decisions_on_two_calls_at_once_both_count(tmp_path: Path) -> None:
    tool = pay("x")
    service = await service_of(
        [[("x", '{"n": 1}'), ("x", '{"n": 2}')], "ok"], tool, store=sqlite(tmp_path / "j.db")
    )
    run = await say(service)
    async with anyio.create_task_group() as reviewers:
        for approval in approvals(run):

            async def decide(approval: str = approval) -> None:
                await service.decide(run.id, approval, "approved", by="ann")

            reviewers.start_soon(decide)
    await ended(service, run)
    assert tool.calls == [{"n": 1}, {"n": 2}]
    await service.aclose()


@pytest.mark.parametrize("case", cases.params(6, only=("P07",)))
async def test_p07_an_approval_outlives_the_process(tmp_path: Path, case: dict[str, Any]) -> None:
    path = tmp_path / "journal.db"
    service = await service_of([[("pay", "{}")], "never"], pay(), store=sqlite(path))
    run = await say(service)
    await service.aclose()

    tool = pay()
    service = await service_of(["paid"], tool, store=sqlite(path))
    assert await service.recover() == 0
    (record,) = await service.runs(user="ann", status=(RunStatus.WAITING,))
    waiting = await service.run(record.id, "ann")
    assert approvals(waiting) == approvals(run)
    await approve(service, waiting)
    run = await ended(service, waiting)
    assert (run.reply, len(tool.calls)) == ("paid", 1)
    with pytest.raises(Conflict, match=r"has ended|already approved"):
        await service.decide(run.id, approvals(waiting)[0], "approved", by="ann")
    await service.aclose()


async def test_a_decision_that_was_journaled_before_a_crash_is_carried_out(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    service = await service_of([[("pay", "{}")], "never"], pay(), store=sqlite(path))
    run = await say(service)
    await approve(service, run)
    await service.aclose()

    tool = pay()
    service = await service_of(["paid"], tool, store=sqlite(path))
    assert await service.recover() == 1
    assert (await ended(service, run)).reply == "paid"
    assert len(tool.calls) == 1
    await service.aclose()


@pytest.mark.parametrize(("word", "ran"), [("好的", 1), ("Yes.", 1), ("取消", 0), ("不要！", 0)])
@pytest.mark.parametrize("way", ["submit", "carry"])
@pytest.mark.parametrize("case", cases.params(6, only=("P14",)))
async def test_p14_a_plain_word_answers_the_one_question(
    word: str, ran: int, way: str, case: dict[str, Any]
) -> None:
    tool = pay()
    said = "It is paid." if ran else "It was not paid, as you wished."
    service = await service_of([[("pay", "{}")], said], tool)
    run = await say(service)
    answer = message(word, conversation=run.conversation)
    if way == "carry":
        answered = await service.carry(answer)
    else:
        assert await service.submit(answer) == run.id
        answered = await ended(service, run)
    assert (answered.id, answered.reply, len(tool.calls)) == (run.id, said, ran)


@pytest.mark.parametrize("case", cases.params(6, only=("P14",)))
async def test_p14_another_message_withdraws_the_call(case: dict[str, Any]) -> None:
    tool = pay()
    model = ScriptedModel([[("pay", "{}")], "sunny"])
    service = await service_of(model, tool, language="zh")
    run = await say(service, "付款")
    second = await say(service, "先别弄了，查下天气", conversation=run.conversation)
    run = await service.run(run.id, "ann")
    assert (run.status, run.reply, tool.calls) == (RunStatus.CANCELLED, "已取消。", [])
    (decided,) = await events(service, run.id, ev.ApprovalDecided)
    assert (decided.decision, decided.by) == ("superseded", "ann")
    told = model.requests[1].messages
    assert tool_texts(told) == ["NOT RUN: the user wrote a new message instead of confirming."]
    assert is_paired(told)
    assert second.reply == "sunny"


async def test_another_message_after_the_time_finds_the_call_expired_and_not_withdrawn() -> None:
    clock = FakeClock()
    model = ScriptedModel([[("pay", "{}")], "sunny"])
    service = await service_of(model, pay(), clock=clock)
    run = await say(service)
    clock.advance(timedelta(hours=25).total_seconds())
    await say(service, "the weather?", conversation=run.conversation)
    (decided,) = await events(service, run.id, ev.ApprovalDecided)
    assert (decided.decision, decided.by) == ("expired", "clock")
    assert "expired" in tool_texts(model.requests[1].messages)[0]


FINANCE = ({"then": "approve", "by": "finance"},)


@pytest.mark.parametrize(
    ("word", "calls", "policy", "said"),
    [
        pytest.param(
            "yes", [("pay", "{}"), ("pay", '{"n": 2}')], (), "2 things wait", id="two calls wait"
        ),
        pytest.param("yes", [("pay", "{}")], FINANCE, "up to finance", id="another must approve"),
        pytest.param("确认", [("pay", "{}")], FINANCE, "要由finance来批准", id="in Chinese"),
    ],
)
@pytest.mark.parametrize("case", cases.params(6, only=("P14",)))
async def test_p14_a_plain_yes_is_no_approval_of_more_and_withdraws_nothing(
    word: str, calls: Any, policy: Any, said: str, case: dict[str, Any]
) -> None:
    tool = pay()
    service = await service_of(
        [calls, "paid"], tool, policy=policy, roles={"finance": ["fay"]}, language="zh"
    )
    run = await say(service)
    second = await say(service, word, conversation=run.conversation)
    assert said in second.reply
    assert "reply" not in second.reply
    assert (second.status, tool.calls) == (RunStatus.DONE, [])
    run = await service.run(run.id, "ann")
    assert run.status is RunStatus.WAITING
    for waiting in run.waiting:
        assert waiting.approval is not None
        by = "fay" if policy else "ann"
        run = await service.decide(run.id, waiting.approval.id, "approved", by=by)
    assert (await ended(service, run)).reply == "paid"
    assert len(tool.calls) == len(calls)


async def test_a_plain_no_refuses_what_is_up_to_a_role() -> None:
    """Who asked may always refuse his own request."""
    tool = pay()
    service = await service_of([[("pay", "{}")], "not paid"], tool, policy=FINANCE)
    run = await say(service)
    answered = await service.carry(message("取消", conversation=run.conversation))
    assert (answered.id, answered.reply, tool.calls) == (run.id, "not paid", [])
    (decided,) = await events(service, run.id, ev.ApprovalDecided)
    assert (decided.decision, decided.by) == ("denied", "ann")


@pytest.mark.parametrize("policy", [(), FINANCE], ids=["two calls", "another must approve"])
@pytest.mark.parametrize("case", cases.params(6, only=("P16",)))
async def test_a_yes_after_the_time_is_not_told_that_anything_waits(
    policy: Any, case: dict[str, Any]
) -> None:
    clock, calls = FakeClock(), [("pay", "{}"), ("pay", '{"n": 2}')]
    model = ScriptedModel([calls, "what do you mean?"])
    service = await service_of(model, pay(), policy=policy, clock=clock)
    run = await say(service)
    clock.advance(timedelta(hours=25).total_seconds())
    second = await say(service, "yes", conversation=run.conversation)
    assert second.reply == "what do you mean?"
    assert all("expired" in text for text in tool_texts(model.requests[1].messages))
    assert {e.decision for e in await events(service, run.id, ev.ApprovalDecided)} == {"expired"}


async def test_after_a_yes_that_decided_nothing_another_message_withdraws_the_call() -> None:
    service = await service_of([[("pay", "{}")], "sunny"], pay(), policy=FINANCE)
    run = await say(service)
    await say(service, "yes", conversation=run.conversation)
    third = await say(service, "the weather?", conversation=run.conversation)
    assert third.reply == "sunny"
    assert (await service.run(run.id, "ann")).status is RunStatus.CANCELLED


@pytest.mark.parametrize("case", cases.params(6, only=("P14",)))
async def test_p14_a_plain_word_is_no_answer_when_two_runs_of_the_conversation_wait(
    case: dict[str, Any],
) -> None:
    tool = pay()

    def script(request: Any) -> Any:
        return "hm" if request.messages[-1].text == "hello" else [("pay", "{}")]

    service = await service_of(script, tool)
    run = await say(service, "hello")
    async with serving(service):
        # Both were sent before either was asked about.
        ids = [await service.submit(message(text, conversation=run.conversation)) for text in "ab"]
        for one in ids:
            await service.wait(one, "ann")
        waiting = await service.runs(user="ann", status=(RunStatus.WAITING,))
        assert [one.id for one in waiting] == ids[::-1]
    second = await say(service, "yes", conversation=run.conversation)
    assert "2 things wait" in second.reply
    assert tool.calls == []
    assert len(await service.runs(user="ann", status=(RunStatus.WAITING,))) == 2


async def test_two_plain_words_at_once_approve_once(tmp_path: Path) -> None:
    tool = pay()
    service = await service_of([[("pay", "{}")], "ok"], tool, store=sqlite(tmp_path / "j.db"))
    run = await say(service)
    ids: list[str] = []

    async def confirm() -> None:
        ids.append(await service.submit(message("yes", conversation=run.conversation)))

    async with anyio.create_task_group() as fingers:
        fingers.start_soon(confirm)
        fingers.start_soon(confirm)
    async with serving(service):
        for one in ids:
            await service.wait(one, "ann")
    assert len(tool.calls) == 1
    assert run.id in ids
    await service.aclose()


@pytest.mark.parametrize("case", cases.params(6, only=("P16",)))
async def test_p16_a_late_approval_is_expired_and_not_a_denial(case: dict[str, Any]) -> None:
    clock = FakeClock()
    tool = pay()
    model = ScriptedModel([[("pay", "{}")], "The approval had expired. Shall I ask again?"])
    service = await service_of(model, tool, clock=clock)
    run = await say(service)
    clock.advance(timedelta(hours=25).total_seconds())
    with pytest.raises(Conflict, match=r"expired.*ask again"):
        await approve(service, run)
    run = await ended(service, run)
    (told,) = results(model.requests[1])
    assert "the approval expired" in told
    assert "DENIED" not in told
    assert (run.status, tool.calls) == (RunStatus.DONE, [])


@pytest.mark.parametrize("case", cases.params(6, only=("P20",)))
async def test_p20_a_cancelled_run_cannot_be_approved(case: dict[str, Any]) -> None:
    tool = pay()
    service = await service_of([[("pay", "{}")], "never"], tool)
    run = await say(service)
    await service.cancel(run.id, "ann")
    with pytest.raises(Conflict, match=r"has ended \(cancelled\)"):
        await approve(service, run)
    async with serving(service):
        await anyio.wait_all_tasks_blocked()
    assert tool.calls == []
    assert (await service.run(run.id, "ann")).status is RunStatus.CANCELLED


async def test_an_approval_that_nobody_asked_for_is_not_found() -> None:
    service = await service_of([[("pay", "{}")], "ok"], pay())
    run = await say(service)
    with pytest.raises(NotFound):
        await service.decide(run.id, "forged", "approved", by="ann")
    with pytest.raises(NotFound):
        await service.decide("unknown", approvals(run)[0], "approved", by="ann")


async def test_reads_and_later_writes_wait_while_a_write_waits() -> None:
    """The decision must not race with a worker, and order must hold (case L19)."""
    order: list[str] = []

    async def note(arguments: Mapping[str, Any], context: CallContext) -> str:
        order.append(context.key.partition(":")[2])
        return "ok"

    tools = [
        fake_tool("look", note),
        fake_tool("create", note, risk=Risk.CRITICAL),
        fake_tool("pay", note, risk=Risk.WRITE),
    ]
    service = await service_of(
        [[("create", "{}"), ("look", "{}"), ("pay", "{}")], "ok"],
        *tools,
        policy=[{"risk": "write", "then": "allow"}],
        roles={"approver": ["boss"]},
    )
    run = await say(service)
    assert (order, [call.tool for call in run.waiting]) == ([], ["create"])
    await approve(service, run, by="boss")
    assert (await ended(service, run)).reply == "ok"
    assert order == ["1.0", "1.1", "1.2"]


@pytest.mark.parametrize(
    "offered",
    [
        pytest.param([], id="it was removed"),
        pytest.param([fake_tool("pay", required=["to"], risk=Risk.WRITE)], id="its schema changed"),
    ],
)
@pytest.mark.parametrize("case", cases.params(4, only=("M19",)))
async def test_an_approval_is_void_when_its_tool_has_changed(
    offered: list[FakeTool], case: dict[str, Any]
) -> None:
    tool = pay()
    source = FakeSource(tool)
    model = ScriptedModel([[("pay", "{}")], "sorry"])
    service = await service_of(model, sources=[source])
    run = await say(service)
    source.offered = offered
    await approve(service, run)
    await ended(service, run)
    assert tool.calls == []
    assert all(one.calls == [] for one in offered)
    assert results(model.requests[1]) == ["ERROR: tool no longer available."]


async def test_a_policy_that_became_stricter_while_a_call_waited_holds_for_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    service = await service_of([[("pay", "{}")], "never"], pay(), store=sqlite(path))
    run = await say(service)
    await service.aclose()

    tool = pay()
    stricter = ({"tool": "pay", "then": "approve", "by": "boss"},)
    roles = {"boss": ["zhao"]}
    service = await service_of(["paid"], tool, store=sqlite(path), policy=stricter, roles=roles)
    run = await say(service, "yes", conversation=run.conversation)
    assert (run.status, tool.calls) == (RunStatus.WAITING, [])
    assert [call.approval.by for call in run.waiting if call.approval] == ["boss"]
    await approve(service, run, by="zhao")
    run = await ended(service, run)
    assert (run.reply, len(tool.calls)) == ("paid", 1)
    await service.aclose()


@pytest.mark.parametrize("case", cases.params(4, only=("M19",)))
async def test_a_tool_that_was_removed_while_the_model_thought_is_no_longer_available(
    case: dict[str, Any],
) -> None:
    old = fake_tool("old")
    source = FakeSource(old, fake_tool("other"))

    async def script(request: ModelRequest) -> Any:
        if results(request):
            return "Sorry, that was not done: the tool is no longer available."
        source.offered = source.offered[1:]
        # As the question of another run does.
        await service.agents.get("desk").registry.settle()
        return [("old", "{}")]

    service = await service_of(script, sources=[source])
    run = await say(service)
    assert old.calls == []
    assert tool_texts(run.messages) == ["ERROR: tool no longer available."]


async def _unsure(arguments: Mapping[str, Any], context: CallContext) -> str:
    await anyio.sleep_forever()
    return ""


@pytest.mark.parametrize("case", cases.params(5, only=("H18",)))
async def test_an_equal_call_after_an_uncertain_one_needs_a_word(case: dict[str, Any]) -> None:
    tool = fake_tool("pay", _unsure, properties={"n": {}}, risk=Risk.WRITE, timeout=0.01)
    same, other = [("pay", '{"n": 1}')], [("pay", '{"n": 2}')]
    service = await service_of([same, other, same, "ok"], tool, policy=[{"then": "allow"}])
    run = await say(service)
    assert run.status is RunStatus.WAITING
    assert tool.calls == [{"n": 1}, {"n": 2}]
    assert [call.arguments for call in run.waiting] == [{"n": 1}]
    (question,) = await events(service, run.id, ev.ApprovalAsked)
    assert (question.by, question.rule) == ("user", "an equal call's outcome is unknown")


@pytest.mark.parametrize("case", cases.params(5, only=("H18",)))
@pytest.mark.parametrize("how", ["a timeout", "a cancel"])
@pytest.mark.parametrize("written", ["pay", "functions.pay"])
async def test_it_needs_a_word_in_a_later_run_of_the_conversation_too(
    case: dict[str, Any], how: str, written: str
) -> None:
    started = anyio.Event()

    async def hang(arguments: Mapping[str, Any], context: CallContext) -> str:
        started.set()
        await anyio.sleep_forever()
        return ""

    timeout = 0.01 if how == "a timeout" else 30.0
    tool = fake_tool("pay", hang, risk=Risk.WRITE, timeout=timeout)
    call = [(written, "{}")]
    script: list[Any] = [call, "unknown", call, "ok"] if how == "a timeout" else [call, call, "ok"]
    service = await service_of(script, tool, policy=[{"then": "allow"}])
    async with serving(service):
        first = await service.submit(message())
        await started.wait()
        if how == "a cancel":
            await service.cancel(first, "ann")
        conversation = (await service.wait(first, "ann")).conversation
        second = await service.wait(
            await service.submit(message("again", conversation=conversation)), "ann"
        )
    assert (second.status, len(tool.calls)) == (RunStatus.WAITING, 1)


async def test_a_repeatable_call_after_an_uncertain_one_needs_no_word() -> None:
    tool = fake_tool("set", _unsure, risk=Risk.WRITE, idempotent=True, timeout=0.01, retries=0)
    call: Any = [("set", "{}")]
    unsure = "I do not know whether it was set."
    service = await service_of([call, call, unsure], tool, policy=[{"then": "allow"}])
    run = await say(service)
    assert (run.status, len(tool.calls)) == (RunStatus.DONE, 2)
    assert isinstance(run.messages[-1], AssistantMessage)
