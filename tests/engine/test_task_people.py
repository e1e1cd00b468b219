"""Tasks that ask people: what they ask is shown with the request, and the answer goes to them."""

import json
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.masking import masked_events
from pointsman.domain.messages import ModelRequest, UserMessage
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import Risk
from pointsman.engine.record.audit import explained
from pointsman.engine.service import Service
from pointsman.errors import Conflict, NotDecided, NotFound
from tests.support.engine import events, message, say, service_of, serving
from tests.support.fake_clock import FakeClock
from tests.support.graphs import SplittingModel, decomposition, results, rows, split
from tests.support.scripted_model import Answer
from tests.support.tools import FakeTool, fake_tool, strict_tool
from tests.support.waiting import until_it_is

pytestmark = pytest.mark.anyio

PLAN = rows(a="", b="a", c="")


def call(name: str, **arguments: Any) -> Answer:
    return [(name, json.dumps(arguments, ensure_ascii=False))]


def paying(amount: str = "5") -> SplittingModel:
    def pay(request: ModelRequest) -> Answer:
        told = results(request)
        if not told:
            return call("pay", amount=amount)
        return f"paid {amount}" if told[-1] == "paid" else f"The payment was not made: {told[-1]}"

    return SplittingModel(PLAN, {"do a": pay})


def till() -> FakeTool:
    return strict_tool("pay", {"amount": {"type": "string"}}, "paid")


async def asked(model: SplittingModel, *tools: FakeTool, **more: Any) -> tuple[Service, Run]:
    """A service and a run whose task waits for a person."""
    service = await service_of(model, decomposition(), *tools, **more)
    run = await say(service, "pay 5, then b, and c")
    assert run.status is RunStatus.WAITING
    return service, run


async def has_ended(service: Service, run: str) -> bool:
    return (await service.record(run, None)).status.ended


async def asks(service: Service, run: str) -> bool:
    return any(run_tasks.questions(await service.run(run, "ann")))


async def has_done(service: Service, run: str, task: str) -> bool:
    return (await service.run(run, "ann")).graphs[-1][task].state.value == "done"


def states(run: Run) -> str:
    return " ".join(task.state.value for task in run.graphs[-1].tasks)


async def test_a_confirmation_of_a_task_is_asked_for_with_the_request() -> None:
    service, run = await asked(paying(), tool := till())
    assert states(run) == "waiting pending done"
    (waits,) = run_tasks.waiting(run)
    assert waits.approval is not None
    assert (waits.tool, waits.arguments) == ("pay", {"amount": "5"})
    assert run.said == waits.approval.question != ""
    assert tool.calls == []
    (listed,) = await service.desk.waiting("ann")
    assert listed.approval.id == waits.approval.id


async def test_a_plain_yes_goes_to_the_task() -> None:
    service, run = await asked(paying(), tool := till())
    ended = await say(service, "yes", conversation=run.conversation)
    assert (ended.id, ended.status) == (run.id, RunStatus.DONE)
    assert ended.reply == "do a: paid 5\ndo b: did do b\ndo c: did do c"
    assert tool.calls == [{"amount": "5"}]


async def test_a_plain_no_leaves_the_rest() -> None:
    service, run = await asked(paying(), tool := till())
    ended = await say(service, "no", conversation=run.conversation)
    assert states(ended) == "failed skipped done"
    assert tool.calls == []
    assert "do a was not done" in ended.reply


async def test_confirmations_of_two_tasks_are_asked_for_one_after_the_other() -> None:
    model, tool = paying(), till()
    model._acts = {**model._acts, "do c": paying("7")._acts["do a"]}
    service = await service_of(model, decomposition(), tool)
    run = await say(service, "pay 5, then b, and pay 7")
    first, second = run_tasks.confirmations(run)
    assert run.said == f"{first.question}\n(1 more to confirm after this)"
    run = await say(service, "yes", conversation=run.conversation)
    assert (run.status, run.said) == (RunStatus.WAITING, second.question)
    assert len(tool.calls) == 1
    ended = await say(service, "no", conversation=run.conversation)
    assert sorted(states(ended).split()) in (
        ["done", "done", "failed"],  # the first was that of a
        ["done", "failed", "skipped"],
    )
    assert len(tool.calls) == 1


async def test_a_decision_with_the_request_s_id_goes_to_the_task() -> None:
    service, run = await asked(paying(), till())
    (waits,) = run_tasks.waiting(run)
    assert waits.approval is not None
    async with serving(service):
        after = await service.decide(run.id, waits.approval.id, "approved", by="ann")
        assert (after.id, after.status) == (run.id, RunStatus.SPLIT)
        ended = await service.wait(run.id, "ann")
    assert ended.status is RunStatus.DONE
    with pytest.raises(NotDecided):
        await service.decide(run.id, waits.approval.id, "approved", by="ann")
    with pytest.raises(NotFound):
        await service.decide("0" * 32, waits.approval.id, "approved", by="ann")


async def test_a_decision_on_the_task_itself_moves_the_request_on() -> None:
    service, run = await asked(paying(), till())
    (waits,) = run_tasks.waiting(run)
    assert waits.approval is not None
    task = run.graphs[-1]["a"].run
    async with serving(service):
        await service.desk.decide(task, waits.approval.id, "approved", by="ann")
        with anyio.fail_after(60):
            await until_it_is(lambda: has_ended(service, run.id))
    assert (await service.run(run.id, "ann")).reply.startswith("do a: paid 5")


async def test_another_message_withdraws_the_request_and_its_tasks() -> None:
    """Case P14."""
    service, run = await asked(paying(), tool := till())
    await say(service, "forget it, what is the weather?", conversation=run.conversation)
    withdrawn = await service.run(run.id, "ann")
    assert withdrawn.status is RunStatus.CANCELLED
    assert states(withdrawn) == "cancelled cancelled done"
    task = await service.run(run.graphs[-1]["a"].run, "ann")
    assert task.status is RunStatus.CANCELLED
    assert tool.calls == []


async def test_the_others_go_on_while_one_task_waits() -> None:
    go = anyio.Event()

    async def hang(request: ModelRequest) -> str:
        await go.wait()
        return "the others went on"

    model = paying()
    model._acts = {**model._acts, "do c": hang}
    service = await service_of(model, decomposition(), till())
    async with serving(service):
        run = await service.submit(message("pay 5, then b, and c"))
        with anyio.fail_after(60):
            await until_it_is(lambda: asks(service, run))
            seen = await service.run(run, "ann")
        assert (seen.status, states(seen)) == (RunStatus.SPLIT, "waiting pending running")
        go.set()
        rests = await service.wait(run, "ann")
    assert (rests.status, states(rests)) == (RunStatus.WAITING, "waiting pending done")


async def test_a_yes_is_taken_while_others_go_on() -> None:
    go = anyio.Event()

    async def hang(request: ModelRequest) -> str:
        await go.wait()
        return "the others went on"

    model = paying()
    model._acts = {**model._acts, "do c": hang}
    service = await service_of(model, decomposition(), till())
    async with serving(service):
        run = await service.submit(message("pay 5, then b, and c"))
        with anyio.fail_after(60):
            await until_it_is(lambda: asks(service, run))
            seen = await service.run(run, "ann")
            again = await service.submit(message("yes", conversation=seen.conversation))
            assert again == run
            await until_it_is(lambda: has_done(service, run, "b"))
            go.set()
            ended = await service.wait(run, "ann")
    assert states(ended) == "done done done"


def asking() -> SplittingModel:
    def send(request: ModelRequest) -> Answer:
        said = [one.text for one in request.messages if isinstance(one, UserMessage)]
        if results(request)[-1:] == ["sent"]:
            return "it is sent"
        return call("send", to=said[-1]) if said[-1] != "do a" else call("send")

    return SplittingModel(PLAN, {"do a": send})


def post() -> FakeTool:
    return strict_tool(
        "send", {"to": {"type": "string", "x-title": {"zh": "收件人", "en": "recipient"}}}, "sent"
    )


ALLOWED = [{"tool": "send", "then": "allow"}]


async def test_what_a_task_needs_to_know_is_asked_with_the_request() -> None:
    service, run = await asked(asking(), tool := post(), policy=ALLOWED)
    assert states(run) == "waiting pending done"
    assert "recipient" in run.said
    assert run_tasks.waiting(run) == ()
    ended = await say(service, "bob", conversation=run.conversation)
    assert (ended.id, ended.reply) == (run.id, "do a: it is sent\ndo b: did do b\ndo c: did do c")
    assert tool.calls == [{"to": "bob"}]
    starts = [one for one in await events(service, run.id, ev.TaskStarted) if one.node == "a"]
    assert [one.attempt for one in starts] == [1, 2]
    first, second = [await service.run(one.run, "ann") for one in starts]
    assert first.conversation == second.conversation != run.conversation
    assert first.id < second.id
    assert ended.graphs[-1]["a"].spent.turns == 2


async def test_a_model_s_own_question_is_asked_and_what_needs_the_task_waits() -> None:
    def look(request: ModelRequest) -> Answer:
        said = [one.text for one in request.messages if isinstance(one, UserMessage)]
        return f"{said[-1]}: 5 boxes" if len(said) > 1 else "Which warehouse, north or south?"

    service, run = await asked(SplittingModel(PLAN, {"do a": look}))
    assert (states(run), run.said) == (
        "waiting pending done",
        "Which warehouse, north or south?",
    )
    ended = await say(service, "north", conversation=run.conversation)
    assert (ended.id, ended.graphs[-1]["a"].result) == (run.id, "north: 5 boxes")
    assert states(ended) == "done done done"


async def test_never_mind_gives_the_task_up_and_what_needs_it() -> None:
    service, run = await asked(asking(), tool := post(), policy=ALLOWED)
    ended = await say(service, "never mind", conversation=run.conversation)
    assert (ended.id, states(ended), tool.calls) == (run.id, "cancelled skipped done", [])
    assert "do a was not done: you said that it is not wanted any more" in ended.reply


async def test_a_task_whose_question_was_answered_with_something_else_is_not_done() -> None:
    def send(request: ModelRequest) -> Answer:
        said = [one.text for one in request.messages if isinstance(one, UserMessage)]
        return call("send") if len(said) == 1 else "Tomorrow will be sunny."

    service, run = await asked(SplittingModel(PLAN, {"do a": send}), post(), policy=ALLOWED)
    ended = await say(service, "what is the weather tomorrow?", conversation=run.conversation)
    assert (ended.id, states(ended)) == (run.id, "failed skipped done")


async def test_a_task_that_waits_for_words_can_be_cancelled_alone() -> None:
    service, run = await asked(asking(), post(), policy=ALLOWED)
    task = run.graphs[-1]["a"].run
    async with serving(service):
        await service.cancel(task, "ann")
        with anyio.fail_after(10):
            await until_it_is(lambda: has_ended(service, run.id))
    assert states(await service.run(run.id, "ann")) == "cancelled skipped done"
    with pytest.raises(Conflict):
        await service.cancel(task, "ann")


async def test_an_answer_that_nobody_came_to_note_is_found_again() -> None:
    """The run that carries the answer is there before the request's journal names it."""
    service, run = await asked(asking(), post(), policy=ALLOWED)
    other = await service_of(asking(), decomposition(), post(), policy=ALLOWED, store=service.store)
    tasks = other._tasks

    def lost(*_: Any) -> None:
        raise anyio.get_cancelled_exc_class()

    tasks._record_start = lost  # type: ignore[method-assign, assignment]
    with pytest.raises(anyio.get_cancelled_exc_class()):
        await tasks.answer(run.id, "bob")
    assert (await service.run(run.id, "ann")).graphs[-1]["a"].attempt == 1
    async with serving(service):
        await service.recover()
        with anyio.fail_after(60):
            await until_it_is(lambda: has_ended(service, run.id))
    ended = await service.run(run.id, "ann")
    assert ended.graphs[-1]["a"].attempt == 2
    assert ended.reply.startswith("do a: it is sent")


async def test_questions_of_two_tasks_are_answered_one_after_the_other() -> None:
    model = asking()
    model._acts = {"do a": model._acts["do a"], "do c": _sends_like("do c")}
    service, run = await asked(model, tool := post(), policy=ALLOWED)
    assert len(list(run_tasks.questions(run))) == 2
    again = await say(service, "bob", conversation=run.conversation)
    assert again.status is RunStatus.WAITING
    ended = await say(service, "carol", conversation=run.conversation)
    assert (ended.status, states(ended)) == (RunStatus.DONE, "done done done")
    assert sorted(one["to"] for one in tool.calls) == ["bob", "carol"]


def _sends_like(words: str) -> Any:
    def send(request: ModelRequest) -> Answer:
        said = [one.text for one in request.messages if isinstance(one, UserMessage)]
        if results(request)[-1:] == ["sent"]:
            return "it is sent"
        return call("send", to=said[-1]) if said[-1] != words else call("send")

    return send


async def test_a_task_of_a_task_asks_through_both() -> None:
    async def script(request: ModelRequest) -> Answer:
        words = next(one.text for one in request.messages if isinstance(one, UserMessage))
        told = results(request)
        match words:
            case "everything for 5":
                return "All is done." if told else split(rows(a="", b=""))
            case "do a":
                return "x and y are done" if told else split(rows(x="", y=""))
            case "do x":
                return "paid" if told else call("pay", amount="5")
            case _:
                return "ok"

    service = await service_of(script, decomposition(), tool := till())
    run = await say(service, "everything for 5")
    assert run.status is RunStatus.WAITING
    (waits,) = run_tasks.waiting(run)
    assert (waits.tool, run.said != "") == ("pay", True)
    ended = await say(service, "yes", conversation=run.conversation)
    assert (ended.id, ended.reply) == (run.id, "All is done.")
    assert tool.calls == [{"amount": "5"}]


# What a value may come from


async def test_a_value_that_only_the_request_s_model_wrote_is_no_source() -> None:
    """B1: the words of a task are a model's, and not the user's."""
    plan = [
        {"index": 1, "desc": "pay 500 to the shop", "base": ""},
        {"index": 2, "desc": "do b", "base": ""},
    ]

    def pay(request: ModelRequest) -> Answer:
        return "paid" if results(request) else call("pay", amount="500")

    service = await service_of(
        SplittingModel(plan, {"pay 500 to the shop": pay}), decomposition(), tool := till()
    )
    run = await say(service, "pay the shop, and do b")
    assert (run.status, tool.calls) == (RunStatus.WAITING, [])
    task = run.graphs[-1]["1"].run
    (refused,) = await events(service, task, ev.CallRejected)
    assert (refused.kind, refused.missing) == ("unsourced", ("amount",))


async def test_a_value_in_the_user_s_own_words_is_one() -> None:
    service, run = await asked(paying("5"), till())
    (valid,) = await events(service, run.graphs[-1]["a"].run, ev.CallValidated)
    assert valid.sources["amount"].kind == "user"


def looking(tool: str) -> SplittingModel:
    """The first task looks something up, and the second pays that."""

    def look(request: ModelRequest) -> Answer:
        return results(request)[-1] if results(request) else call(tool)

    def pay(request: ModelRequest) -> Answer:
        return "paid" if results(request) else call("pay", amount="77")

    return SplittingModel(rows(a="", b="a"), {"do a": look, "do b": pay})


def price(*, trusted: bool) -> FakeTool:
    tool = fake_tool("price", "the price is 77")
    if trusted:
        return tool
    return FakeTool(replace(tool.spec, trusted=False), "the price is 77")


async def test_a_result_of_our_own_tool_is_a_source_for_the_next_task() -> None:
    service = await service_of(looking("price"), decomposition(), price(trusted=True), till())
    run = await say(service, "pay the price")
    (waits,) = run_tasks.waiting(run)
    assert waits.approval is not None
    (valid,) = await events(service, run.graphs[-1]["b"].run, ev.CallValidated)
    assert (valid.sources["amount"].kind, valid.tainted) == ("tool", ())
    assert waits.approval.by == "user"


async def test_what_comes_from_others_stays_untrusted_in_the_next_task() -> None:
    service = await service_of(
        looking("price"),
        decomposition(),
        price(trusted=False),
        till(),
        policy=[{"tool": "pay", "then": "allow"}],
    )
    run = await say(service, "pay the price")
    (valid,) = await events(service, run.graphs[-1]["b"].run, ev.CallValidated)
    assert valid.tainted == ("amount",)
    (waits,) = run_tasks.waiting(run)
    assert waits.approval is not None
    assert waits.approval.by == "approver"


async def test_what_comes_from_others_stays_untrusted_in_the_request_and_after() -> None:
    async def script(request: ModelRequest) -> Answer:
        if any(not getattr(one, "own", True) for one in request.messages):
            return results(request)[-1] if results(request) else call("price")
        told = results(request)
        if not told:
            return split(rows(a="", b=""))
        return call("pay", amount="77") if told[-1] != "paid" else "It is paid."

    service = await service_of(script, decomposition(), price(trusted=False), till())
    run = await say(service, "pay the price")
    (waits,) = run.waiting
    assert waits.approval is not None
    assert (waits.tainted, waits.approval.by) == (("amount",), "approver")
    assert run.past[0].result is not None
    assert run.past[0].result.untrusted


async def test_what_a_policy_knows_of_a_task_is_what_started_the_request() -> None:
    _, run = await asked(
        paying(),
        till(),
        policy=[{"tool": "pay", "when": "origin == 'user'", "then": "approve", "by": "finance"}],
    )
    (waits,) = run_tasks.waiting(run)
    assert waits.approval is not None
    assert waits.approval.by == "finance"


async def test_private_values_of_a_task_stand_in_no_view_of_the_request() -> None:
    card = strict_tool(
        "charge", {"card": {"type": "string", "x-private": True}}, "charged", risk=Risk.WRITE
    )

    def charge(request: ModelRequest) -> Answer:
        return (
            "charged 4111111111111111"
            if results(request)
            else call("charge", card="4111111111111111")
        )

    service = await service_of(
        SplittingModel(rows(a="", b=""), {"do a": charge}), decomposition(), card
    )
    run = await say(service, "charge 4111111111111111 and do b")
    await say(service, "yes", conversation=run.conversation)
    shown = masked_events([one.event for one in await service.trace(run.id, None)])
    told = [one for one in shown if isinstance(one, ev.TaskAsks | ev.TaskEnded)]
    assert any(isinstance(one, ev.TaskAsks) and one.questions for one in told)
    assert "4111111111111111" not in str(told)


async def test_a_question_of_a_task_of_a_task_is_answered_there() -> None:
    async def script(request: ModelRequest) -> Answer:
        words = [one.text for one in request.messages if isinstance(one, UserMessage)]
        told = results(request)
        match words[0]:
            case "everything":
                return "All is done." if told else split(rows(a="", b=""))
            case "do a":
                return "x and y are done" if told else split(rows(x="", y=""))
            case "do x":
                if told[-1:] == ["sent"]:
                    return "it is sent"
                return call("send", to=words[-1]) if len(words) > 1 else call("send")
            case _:
                return "ok"

    service = await service_of(script, decomposition(), tool := post(), policy=ALLOWED)
    run = await say(service, "everything")
    assert (run.status, "recipient" in run.said) == (RunStatus.WAITING, True)
    ended = await say(service, "bob", conversation=run.conversation)
    assert (ended.id, ended.reply) == (run.id, "All is done.")
    assert tool.calls == [{"to": "bob"}]
    inner = await service.run(ended.graphs[-1]["a"].run, "ann")
    assert (inner.graphs[-1]["x"].attempt, ended.graphs[-1]["a"].attempt) == (2, 1)


async def test_the_record_quotes_the_words_that_a_task_s_value_came_from() -> None:
    service, run = await asked(paying("5"), till())
    found = await explained(service.store, run.graphs[-1]["a"].run, "en")
    assert any("“5”" in sentence for call_ in found.calls for sentence in call_.sentences)
    request = await explained(service.store, run.id, "en")
    told = [sentence for call_ in request.calls for sentence in call_.sentences]
    assert "split into 3 tasks (version 1)" in told


async def test_a_question_may_be_answered_days_later() -> None:
    clock = FakeClock()
    service, run = await asked(asking(), tool := post(), policy=ALLOWED, clock=clock)
    clock.advance(3 * 86_400)
    ended = await say(service, "bob", conversation=run.conversation)
    assert ended.reply.startswith("do a: it is sent")
    assert tool.calls == [{"to": "bob"}]


async def test_a_confirmation_may_be_given_hours_later() -> None:
    clock = FakeClock()
    service, run = await asked(paying(), tool := till(), clock=clock)
    clock.advance(20 * 3600)
    ended = await say(service, "yes", conversation=run.conversation)
    assert ended.reply.startswith("do a: paid 5\ndo b: did do b")
    assert tool.calls == [{"amount": "5"}]
