"""What is due is done once, whatever crashes or runs twice: actions, and what was confirmed for
them when they were made (O3)."""

import json
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.adapters.store.sql import SqlStore
from pointsman.domain import events as ev
from pointsman.domain.record.retention import Keep
from pointsman.domain.reminders.covering import Covered, cover
from pointsman.domain.reminders.reminder import OccurrenceState, Reminder
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import Risk, ToolSpec
from pointsman.engine.record.retention import Pruning
from pointsman.engine.reminders.confirmed import KEYS
from pointsman.engine.reminders.firing import Firing
from pointsman.engine.reminders.planned_firing import run_of
from pointsman.engine.service import Service
from pointsman.ports import QueueState, WorkerState
from tests.support.engine import approve, events, message, say, serving, tool_texts
from tests.support.graphs import SplittingModel, decomposition, results, rows
from tests.support.reminders import DAILY, StillClock, at, engine, fire, inbox, reminder
from tests.support.scripted_model import Answer
from tests.support.tools import FakeTool, fake_tool
from tests.support.waiting import until_it_is

pytestmark = pytest.mark.anyio

PAID = "付好了"


def till(**more: Any) -> FakeTool:
    return fake_tool("pay", "paid", required=("to", "amount"), **{"risk": Risk.WRITE, **more})


def pay(to: str = "wang", amount: str = "5") -> tuple[str, str]:
    return "pay", json.dumps({"to": to, "amount": amount})


def confirmed(tool: FakeTool, *, open: tuple[str, ...] = (), **arguments: str) -> Covered:
    """The call as it was shown and confirmed."""
    return cover(tool.spec, {"to": "wang", "amount": "5", **arguments}, open)


async def made(service: Service, *covered: Covered, **more: Any) -> Reminder:
    return await service.reminders.add(reminder(action="付给王芳5元", covered=covered, **more))


async def fired(service: Service, clock: StillClock, *, day: int = 5) -> Run:
    """The run that the reminder of 11:00 starts, when it rests."""
    clock.goto(at(11, day=day))
    assert await fire(service) == 1
    async with serving(service):
        (record, *_) = await service.runs(user="ann", limit=1)
        await until_it_is(lambda: _rests(service, record.id))
        return await service.run(record.id, "ann")


async def _rests(service: Service, run: str) -> bool:
    return (await service.record(run, None)).status.rests


async def test_an_action_is_a_run_of_its_owner_in_its_conversation(
    store: SqlStore, clock: StillClock
) -> None:
    service = await engine(store, clock, ["好", "两个"])
    before = await say(service, "你好")
    one = await service.reminders.add(
        reminder(action="数一数知识库", conversation=before.conversation, language="en")
    )
    run = await fired(service, clock)
    assert (run.status, run.reply) == (RunStatus.DONE, "两个")
    assert (run.user, run.conversation, run.language) == ("ann", before.conversation, "en")
    assert (run.input, run.origin) == ("数一数知识库", f"reminder:{one.id}")
    (first,) = await events(service, run.id, ev.MessageReceived)
    assert first.reminder is not None
    assert (first.reminder.key, first.reminder.due) == (f"{one.id}@20250305T030000Z", at(11))
    assert "as a reminder for 2025-03-05 03:00" in run.system
    (occurrence,) = await service.reminders.occurrences(one.id, "ann")
    assert (occurrence.run, occurrence.state) == (run.id, OccurrenceState.FIRED)


async def test_a_run_that_a_crash_left_unfinished_goes_on_and_is_no_second_one(
    store: SqlStore, clock: StillClock
) -> None:
    service = await engine(store, clock, ["done"])
    one = await made(service)
    clock.goto(at(11))
    await fire(service)  # and the process is gone
    again = await engine(store, clock, ["done"])
    assert await fire(again) == 0
    assert await again.recover() == 1
    key = f"{one.id}@20250305T030000Z"
    async with serving(again):
        run = await again.wait(run_of(key, at(11)), "ann")
    assert run.status is RunStatus.DONE
    assert len(await again.runs(user="ann")) == 1


async def test_what_was_shown_and_confirmed_needs_no_further_word(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()
    service = await engine(store, clock, [[pay()], PAID], tool)
    one = await made(service, confirmed(tool))
    run = await fired(service, clock)
    assert run.status is RunStatus.DONE
    assert tool.calls == [{"to": "wang", "amount": "5"}]
    (cleared,) = await events(service, run.id, ev.CallCleared)
    assert cleared.rule == f"confirmed when reminder {one.id} was made"


@pytest.mark.parametrize(
    "proposed", [pay(amount="6"), pay(to="li")], ids=["another amount", "another person"]
)
async def test_what_was_not_shown_waits_for_the_owner_who_is_told(
    store: SqlStore, clock: StillClock, proposed: tuple[str, str]
) -> None:
    tool = till()
    service = await engine(store, clock, [[proposed], PAID], tool)
    await made(service, confirmed(tool))
    run = await fired(service, clock)
    assert run.status is RunStatus.WAITING
    assert tool.calls == []
    (waiting,) = run.waiting
    assert waiting.approval is not None
    assert (waiting.approval.by, waiting.approval.requester) == ("user", "ann")
    async with serving(service):
        await until_it_is(lambda: _told(store, waiting.approval.id))  # type: ignore[union-attr]
        await approve(service, run)
        ended = await service.wait(run.id, "ann")
    assert ended.status is RunStatus.DONE
    assert len(tool.calls) == 1


async def _told(store: SqlStore, words: str) -> bool:
    return any(words in text for text in await inbox(store))


async def test_a_confirmed_call_passes_once_in_an_occurrence_and_again_in_the_next(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()
    service = await engine(store, clock, [[pay(), pay()], [pay()], PAID], tool)
    daily = "FREQ=DAILY;BYHOUR=11;BYMINUTE=0"
    await service.reminders.add(
        reminder(at(11), daily, action="付给王芳5元", covered=(confirmed(tool),))
    )
    run = await fired(service, clock)
    assert (run.status, len(run.waiting)) == (RunStatus.WAITING, 1)
    async with serving(service):
        await service.cancel(run.id, "ann")
    assert tool.calls == []
    next_one = await fired(service, clock, day=6)
    assert next_one.status is RunStatus.DONE
    assert len(tool.calls) == 1


async def test_another_version_of_the_tool_was_not_confirmed(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()
    service = await engine(store, clock, [[pay()], PAID], tool)
    old: ToolSpec = replace(tool.spec, digest="older")
    await made(service, cover(old, {"to": "wang", "amount": "5"}))
    assert (await fired(service, clock)).status is RunStatus.WAITING


async def test_what_was_shown_as_open_may_be_written_then_and_nothing_else(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()
    script: list[Answer] = [[pay(amount="17")], PAID, [pay(to="li", amount="17")], PAID]
    service = await engine(store, clock, script, tool)
    covered = confirmed(tool, open=("amount",))
    assert covered.arguments == {"to": "wang"}
    daily = "FREQ=DAILY;BYHOUR=11;BYMINUTE=0"
    await service.reminders.add(reminder(at(11), daily, action="付给王芳", covered=(covered,)))
    assert (await fired(service, clock)).status is RunStatus.DONE
    assert (await fired(service, clock, day=6)).status is RunStatus.WAITING
    assert len(tool.calls) == 1


async def test_what_needs_a_role_waits_for_it_whatever_the_owner_confirmed(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till(risk=Risk.CRITICAL)
    service = await engine(store, clock, [[pay()], PAID], tool)
    await made(service, confirmed(tool))
    run = await fired(service, clock)
    assert [one.approval.by for one in run.waiting if one.approval] == ["approver"]
    assert tool.calls == []


async def test_a_task_of_the_action_uses_the_same_confirmation_once(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()

    def paying(request: Any) -> Answer:
        told = results(request)
        return f"paid {told[-1]}" if told else [pay()]

    model = SplittingModel(rows(a="", b=""), {"do a": paying, "do b": paying})
    service = await engine(store, clock, model, decomposition(), tool)
    await made(service, confirmed(tool))
    clock.goto(at(11))
    await fire(service)
    async with serving(service):
        (record,) = [one for one in await service.runs(user="ann") if one.input.startswith("付")]
        await until_it_is(lambda: _asks(service, record.id))
        run = await service.run(record.id, "ann")
    assert len(tool.calls) == 1
    assert len(run_tasks.waiting(run)) == 1


async def _asks(service: Service, run: str) -> bool:
    state = await service.run(run, "ann")
    return bool(run_tasks.waiting(state)) and not any(
        task.state.value == "running" for task in state.graphs[-1].tasks
    )


async def test_a_policy_may_speak_of_reminders(store: SqlStore, clock: StillClock) -> None:
    tool = till()
    rules = [{"tool": "pay", "when": "origin == 'reminder'", "then": "deny"}]
    service = await engine(store, clock, [[pay()], "no"], tool, policy=rules)
    await made(service, confirmed(tool))
    run = await fired(service, clock)
    assert run.status is RunStatus.DONE
    assert tool.calls == []
    assert "policy" in tool_texts(run.messages)[0]


async def test_a_yes_in_the_conversation_is_no_word_on_what_a_reminder_does(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()
    service = await engine(store, clock, ["hi", [pay()], "sure"], tool)
    before = await say(service, "hello")
    await made(service, conversation=before.conversation)
    run = await fired(service, clock)
    assert run.status is RunStatus.WAITING
    for words in ("yes", "what is new?"):
        await say(service, words, conversation=before.conversation)
        assert (await service.run(run.id, "ann")).status is RunStatus.WAITING
    assert tool.calls == []


async def test_a_reminder_answers_no_open_question_and_leaves_it_open(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()
    service = await engine(store, clock, [[("pay", '{"amount": "5"}')], "ok", "paid"], tool)
    asking = await say(service, "pay 5")
    assert asking.kind == "question"
    await service.reminders.add(reminder(action="wang", conversation=asking.conversation))
    run = await fired(service, clock)
    assert (run.status, run.reply) == (RunStatus.DONE, "ok")
    held = await service.conversation(asking.conversation, "ann")
    assert held.pending is not None
    assert held.pending.tool == "pay"


async def test_a_run_that_fails_is_told_to_its_owner(store: SqlStore, clock: StillClock) -> None:
    service = await engine(store, clock, [[("pay", "{}")]], limits=_few_turns())
    await made(service)
    run = await fired(service, clock)
    assert run.status is RunStatus.FAILED
    async with serving(service):
        await until_it_is(lambda: _told(store, run.reply))


def _few_turns() -> Any:
    from pointsman.domain.agent import Limits

    return Limits(turns=1)


async def test_an_agent_that_is_gone_fails_the_occurrence_and_not_the_reminder(
    store: SqlStore, clock: StillClock
) -> None:
    service = await engine(store, clock, ["done"])
    one = await service.reminders.add(reminder(at(9), DAILY, action="数", agent="gone"))
    clock.goto(at(9, day=6))
    assert await fire(service) == 1
    (occurrence,) = await service.reminders.occurrences(one.id, "ann")
    assert (occurrence.state, occurrence.run) == (OccurrenceState.FAILED, "")
    assert "gone" in occurrence.note
    assert await _told(store, "gone")
    assert (await service.reminders.get(one.id, "ann")).next == at(9, day=7)


class _Shared:
    """A ``ports.Queue`` that other workers take from."""

    lasting = True

    def __init__(self, clock: StillClock, *agents: str) -> None:
        worker = WorkerState(name="w", agents=agents, heard=clock.now(), alive=True)
        self._state = QueueState(waiting=0, driven=0, workers=(worker,))

    async def state(self) -> QueueState:
        return self._state

    async def woken(self, run: str, conversation: str) -> None:
        """Whoever takes it has it."""


def shared(service: Service, store: SqlStore, clock: StillClock, *agents: str) -> Firing:
    """The firing of a process beside workers with these agents."""
    own = service.reminders.firing
    queue: Any = _Shared(clock, *agents)
    return Firing(store.reminders, own._planning, queue, clock, own._bus, agents=("desk",))


async def test_an_action_goes_to_another_worker_that_has_its_agent(
    store: SqlStore, clock: StillClock
) -> None:
    service = await engine(store, clock)
    one = await service.reminders.add(reminder(action="数", agent="office"))
    clock.goto(at(11))
    assert await shared(service, store, clock, "office").fire() == 1
    (occurrence,) = await service.reminders.occurrences(one.id, "ann")
    record = await service.record(occurrence.run, "ann")
    assert (record.agent, record.status) == ("office", RunStatus.QUEUED)


async def test_an_action_waits_a_while_for_a_worker_that_has_its_agent(
    store: SqlStore, clock: StillClock
) -> None:
    service = await engine(store, clock)
    one = await service.reminders.add(reminder(action="数", agent="office"))
    firing = shared(service, store, clock, "travel")
    clock.goto(at(11, 9))
    assert await firing.fire() == 0
    clock.goto(at(11, 11))
    assert await firing.fire() == 1
    (occurrence,) = await service.reminders.occurrences(one.id, "ann")
    assert occurrence.state is OccurrenceState.FAILED


async def test_a_process_that_works_alone_fires_texts_and_leaves_actions(
    store: SqlStore, clock: StillClock
) -> None:
    service = await engine(store, clock, alone=True)
    await service.reminders.add(reminder())
    action = await made(service)
    clock.goto(at(11))
    assert await fire(service) == 1
    assert await service.reminders.occurrences(action.id, "ann") == []


async def test_messages_of_the_user_are_not_held_up_by_a_run_that_waits(
    store: SqlStore, clock: StillClock
) -> None:
    service = await engine(store, clock, [[pay()], "hello"], till())
    one = await made(service)
    run = await fired(service, clock)
    async with serving(service):
        said = message("hi", conversation=one.conversation)
        reply = await service.wait(await service.submit(said), "ann")
    assert (reply.reply, run.status) == ("hello", RunStatus.WAITING)


async def test_old_occurrences_and_what_they_used_are_pruned(
    store: SqlStore, clock: StillClock
) -> None:
    tool = till()
    service = await engine(store, clock, [[pay()], PAID], tool)
    one = await made(service, confirmed(tool))
    await fired(service, clock)
    assert len(await store.shared_keys(KEYS)) == 1
    for day, left in ((6, 1), (20, 0)):
        clock.goto(at(12, day=day))
        before = clock.now() - timedelta(days=3)
        pruning = Pruning(
            store, clock, before=before, by="li", keep=Keep(), key=b"", rehearsed=False
        )
        pruned = await pruning.run(lambda so_far: None)
        assert len(await store.shared_keys(KEYS)) == left
        assert pruned.reminders == 2 - 2 * left
    assert await store.reminders.get(one.id) is None
