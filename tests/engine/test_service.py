"""What can be asked of the engine."""

from asyncio import Future
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain import events as ev
from pointsman.domain.messages import (
    AssistantMessage,
    ModelRequest,
    TextDelta,
    Usage,
    UserMessage,
)
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import Risk
from pointsman.engine.service import Recorded, Service
from pointsman.errors import CallerError, NotFound, StoreError
from pointsman.ports import Append, CallContext, Signal, Store
from tests import cases
from tests.support.engine import (
    approve,
    events,
    message,
    say,
    service_of,
    serving,
)
from tests.support.scripted_model import ScriptedModel, results
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else sqlite(tmp_path / "test.db")
    yield made
    await made.aclose()


def last_words(request: ModelRequest) -> str:
    """Answers with the user's last words."""
    last = request.messages[-1]
    assert isinstance(last, UserMessage)
    return f"you said {last.text}"


async def test_a_submitted_message_is_driven_by_the_queue(store: Store) -> None:
    service = await service_of(last_words, store=store)
    async with serving(service):
        run = await service.wait(await service.submit(message("hello")), "ann")
    assert run.reply == "you said hello"
    assert (await service.record(run.id, "ann")).reply == "you said hello"


async def test_a_conversation_remembers_across_runs_and_a_restart(tmp_path: Path) -> None:
    """D7."""
    path = tmp_path / "journal.db"
    service = await service_of(last_words, store=sqlite(path))
    first = await say(service, "我叫小王")
    await service.aclose()

    model = ScriptedModel(["你叫小王"])
    service = await service_of(model, store=sqlite(path))
    second = await say(service, "我叫什么？", conversation=first.conversation)
    assert model.requests[0].messages[1:] == (
        UserMessage(text="我叫小王"),
        AssistantMessage(text="you said 我叫小王"),
        UserMessage(text="我叫什么？"),
    )
    found = await service.conversation(first.conversation, "ann")
    assert found.messages[-1] == AssistantMessage(text="你叫小王")
    assert [one.id for one in await service.runs(user="ann")] == [second.id, first.id]
    await service.aclose()


async def test_runs_that_follow_at_once_still_remember_one_another() -> None:
    """Ids rise within a millisecond, or an earlier run would count as a later one."""
    service = await service_of(last_words)
    conversation = (await say(service, "0")).conversation
    for number in range(1, 30):
        await say(service, str(number), conversation=conversation)
    found = await service.conversation(conversation, "ann")
    told = [one.text for one in found.messages if isinstance(one, UserMessage)]
    assert told == [str(number) for number in range(30)]


async def test_messages_of_one_conversation_are_answered_in_order(store: Store) -> None:
    model = ScriptedModel(last_words)
    service = await service_of(model, store=store)
    conversation = (await say(service, "0")).conversation
    async with serving(service):
        runs = [
            await service.submit(message(str(number), conversation=conversation))
            for number in range(1, 5)
        ]
        for run in runs:
            await service.wait(run, "ann")
    lengths = [len(request.messages) for request in model.requests]
    assert lengths == [2, 4, 6, 8, 10]


async def test_usage_is_summed_per_conversation_and_user(store: Store) -> None:
    """D9."""
    service = await service_of([[("look", "{}")], "a", "b", "c"], fake_tool("look"), store=store)
    first = await say(service)
    await say(service, conversation=first.conversation)
    await say(service, user="bob")
    assert first.usage == Usage(prompt=20, completion=10, total=30)
    of_conversation = await service.usage(conversation=first.conversation)
    assert of_conversation == Usage(prompt=30, completion=15, total=45)
    assert (await service.usage(user="bob")).total == 15
    assert (await service.usage(user="nobody")) == Usage()
    with pytest.raises(CallerError):
        await service.usage()


async def test_another_users_things_are_not_found() -> None:
    service = await service_of(["hi"])
    run = await say(service)
    for ask in (service.run, service.record, service.trace, service.cancel, service.wait):
        with pytest.raises(NotFound):
            await ask(run.id, "bob")
    with pytest.raises(NotFound):
        await service.blob(run.id, "b", "bob")
    with pytest.raises(NotFound):
        await service.conversation(run.conversation, "bob")
    for act in (service.submit, service.carry):
        with pytest.raises(NotFound):
            await act(message(user="bob", conversation=run.conversation))
    with pytest.raises(NotFound):
        await service.submit(replace(message(), agent="nobody"))


@pytest.mark.parametrize("case", cases.params(4, only=("M21",)))
async def test_a_huge_result_is_cut_for_the_model_and_kept_whole(
    store: Store, case: dict[str, Any]
) -> None:
    (described,) = case["input"]["result"]["content"]
    assert described["text"] == "<1,700,000 chars>"
    whole = "頭" + "x" * 1_699_998 + "尾"
    model = ScriptedModel([[("look", "{}")], "done"])
    service = await service_of(model, fake_tool("look", whole), store=store)
    run = await say(service)
    (told,) = results(model.requests[1])
    assert len(told) <= 20_000
    assert (told[0], told[-1]) == ("頭", "尾")
    assert "left out, saved as result://" in told
    blob = run.past[0].result.blob if run.past[0].result else ""
    assert f"result://{blob} " in told
    assert await service.blob(run.id, blob, "ann") == whole
    with pytest.raises(NotFound):
        await service.blob(run.id, "unknown", "ann")


@pytest.mark.parametrize("after", range(-1, 5))
async def test_a_follower_of_an_ended_run_gets_what_it_has_not_seen(after: int) -> None:
    service = await service_of(["hello"])
    run = await say(service)
    trace = await service.trace(run.id, "ann")
    assert [type(one.event).__name__ for one in trace] == [
        "MessageReceived",
        "RunStarted",
        "ModelAsked",
        "ModelAnswered",
        "ReplyGiven",
    ]
    with anyio.fail_after(60):
        assert [one async for one in service.follow(run.id, "ann", after=after)] == trace[
            after + 1 :
        ]


async def test_a_follower_gets_every_event_once_and_the_deltas_between() -> None:
    service = await service_of([[("look", "{}")], "one\ntwo\n"], fake_tool("look"))
    run = await service.submit(message(stream=True))
    seen: list[Any] = []

    async def follow() -> None:
        seen.extend([one async for one in service.follow(run, "ann")])

    with anyio.fail_after(60):
        async with anyio.create_task_group() as followers:
            followers.start_soon(follow)
            await anyio.wait_all_tasks_blocked()
            async with serving(service):
                await service.wait(run, "ann")
    recorded = [one for one in seen if isinstance(one, Recorded)]
    assert recorded == await service.trace(run, "ann")
    assert [one.text for one in seen if isinstance(one, TextDelta)] == ["one\n", "two\n"]
    assert not any(isinstance(one, Signal) for one in seen)
    assert not service._bus.watched(run)


async def test_a_follower_is_let_go_when_the_run_waits_and_can_come_back() -> None:
    pay = fake_tool("pay", risk=Risk.WRITE)
    service = await service_of([[("pay", "{}")], "paid"], pay)
    async with serving(service):
        run_id = await service.submit(message())
        with anyio.fail_after(60):
            first = [one async for one in service.follow(run_id, "ann")]
            assert isinstance(first[-1], Recorded)
            assert isinstance(first[-1].event, ev.ApprovalAsked)
            after = first[-1].position
            assert [one async for one in service.follow(run_id, "ann", after=after)] == []
            await approve(service, await service.run(run_id, "ann"))
            rest = [one async for one in service.follow(run_id, "ann", after=after)]
    assert first + rest == await service.trace(run_id, "ann")


async def test_a_follower_may_stay_while_the_run_waits() -> None:
    pay = fake_tool("pay", risk=Risk.WRITE)
    service = await service_of([[("pay", "{}")], "paid"], pay)
    seen: list[Any] = []

    async def follow(run: str) -> None:
        seen.extend([one async for one in service.follow(run, "ann", to_end=True)])

    with anyio.fail_after(60):
        async with serving(service), anyio.create_task_group() as followers:
            run = await service.submit(message())
            followers.start_soon(follow, run)
            await approve(service, await service.wait(run, "ann"))
    assert seen == await service.trace(run, "ann")


async def test_waiting_for_a_run_that_waited_before_sees_its_end() -> None:
    pay = fake_tool("pay", risk=Risk.WRITE)
    service = await service_of([[("pay", "{}")], "paid"], pay)
    run = await say(service)
    assert (run.status, run.waiting[0].tool) == (RunStatus.WAITING, "pay")
    await approve(service, run)
    with anyio.fail_after(60):
        async with serving(service):
            assert (await service.wait(run.id, "ann")).reply == "paid"


async def test_no_secret_of_one_conversation_is_in_another() -> None:
    """Case X10."""

    async def remember(arguments: Mapping[str, Any], context: CallContext) -> str:
        await anyio.lowlevel.checkpoint()
        return f"{context.user} told {context.input}"

    async def script(request: ModelRequest) -> Any:
        await anyio.lowlevel.checkpoint()
        told = results(request)
        return f"kept: {told[-1]}" if told else [("remember", "{}")]

    model = ScriptedModel(script)
    service = await service_of(model, fake_tool("remember", remember))
    conversations: dict[str, str] = {}

    async def talk(user: str) -> None:
        for turn in range(4):
            run_id = await service.submit(
                message(
                    f"secret-{user}-{turn}", user=user, conversation=conversations.get(user, "")
                )
            )
            run = await service.wait(run_id, user)
            conversations[user] = run.conversation
            assert run.reply == f"kept: {user} told secret-{user}-{turn}"

    users = [f"u{number:02}" for number in range(50)]
    async with serving(service), anyio.create_task_group() as talking:
        for user in users:
            talking.start_soon(talk, user)
    assert len(model.requests) == 50 * 4 * 2
    for request in model.requests:
        text = repr(request.messages)
        assert sum(f"secret-{user}-" in text for user in users) == 1


class FailingStore(MemoryStore):
    """A store that can be told to fail."""

    failing = False

    def append(self, change: Append) -> Any:
        if not self.failing:
            return super().append(change)
        done: Future[None] = Future()
        done.set_exception(StoreError("the disk is full"))
        return done


async def test_no_reply_leaves_that_is_not_durable() -> None:
    store = FailingStore()

    def script(request: ModelRequest) -> Any:
        store.failing = True
        return "you are rich"

    service = await service_of(script, store=store)
    with pytest.raises(StoreError, match="disk is full"):
        await say(service)
    store.failing = False
    assert not any(record.status.ended for record in await service.runs(user="ann"))


async def test_a_run_is_driven_again_when_the_database_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = FailingStore()
    answers = iter([True, False])

    def script(request: ModelRequest) -> Any:
        store.failing = next(answers)
        return "hello"

    service = await service_of(script, store=store)
    run_id = await service.submit(message())
    async with serving(service):
        while "could not be driven" not in caplog.text:
            await anyio.lowlevel.checkpoint()
        store.failing = False
        await service.recover()
        run = await service.wait(run_id, "ann")
    assert run.reply == "hello"
    assert len(await events(service, run_id, ev.ReplyGiven)) == 1


async def test_two_services_on_one_file_give_one_reply(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked, release = anyio.Event(), anyio.Event()

    async def slow(request: ModelRequest) -> str:
        asked.set()
        await release.wait()
        return "the first"

    path = tmp_path / "journal.db"
    first = await service_of(slow, store=sqlite(path))
    second = await service_of(["the second"], store=sqlite(path))
    with anyio.fail_after(60):
        async with serving(first):
            run_id = await first.submit(message())
            await asked.wait()
            while (await second.record(run_id, "ann")).status is not RunStatus.RUNNING:
                await anyio.lowlevel.checkpoint()
            async with serving(second):
                assert await second.recover() == 1
                assert (await second.wait(run_id, "ann")).reply == "the second"
            release.set()
            while "another worker" not in caplog.text:
                await anyio.lowlevel.checkpoint()
    (reply,) = await events(first, run_id, ev.ReplyGiven)
    assert reply.text == "the second"
    assert (await first.run(run_id, "ann")).reply == "the second"
    await first.aclose()
    await second.aclose()


async def test_who_carries_a_run_that_another_worker_took_gets_what_stands(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    second = await service_of(["the second"], store=sqlite(path))

    async def slow(request: ModelRequest) -> str:
        run_id = ""
        while not run_id:
            found = await second.runs(user="ann", status=(RunStatus.RUNNING,))
            run_id = found[0].id if found else ""
        async with serving(second):
            await second.recover()
            await second.wait(run_id, "ann")
        return "the first"

    first = await service_of(slow, store=sqlite(path))
    with anyio.fail_after(60):
        assert (await say(first)).reply == "the second"
    await first.aclose()
    await second.aclose()


async def test_a_run_that_is_delivered_twice_is_answered_once() -> None:
    service = await service_of(["hello"])
    run_id = await service.submit(message())
    await service.recover()
    async with serving(service):
        await service.wait(run_id, "ann")
        await anyio.wait_all_tasks_blocked()
    assert len(await events(service, run_id, ev.ReplyGiven)) == 1


async def test_a_waiting_run_that_is_delivered_again_still_waits() -> None:
    service = await service_of([[("pay", "{}")], "paid"], fake_tool("pay", risk=Risk.WRITE))
    run = await say(service)
    before = await service.trace(run.id, "ann")
    await service._queue.put(run.id, run.conversation)
    async with serving(service):
        await anyio.wait_all_tasks_blocked()
    assert (await service.record(run.id, "ann")).status is RunStatus.WAITING
    assert await service.trace(run.id, "ann") == before


async def test_nothing_of_an_ended_run_is_held() -> None:
    service = await service_of(["hello"])
    async with serving(service):
        runs = [await service.submit(message()) for _ in range(3)]
        for run in runs:
            await service.wait(run, "ann")
        runs.append((await say(service)).id)
        await anyio.wait_all_tasks_blocked()
    queue = vars(service._queue)
    held = (queue["_waiting"], queue["_driven"], queue["_ready"], service._carried)
    assert not any((*held, *map(service._bus.watched, runs)))


async def test_text_from_outside_is_cleaned_before_it_is_stored() -> None:
    """Case H08."""
    model = ScriptedModel(last_words)
    service = await service_of(model)
    run = await say(service, "ok \ud83d end\x00")
    assert run.reply == "you said ok \ufffd end"
    again = await say(
        service, messages=(UserMessage(text="\ud83d"),), history=(AssistantMessage(text="\udc97"),)
    )
    assert again.reply == "you said \ufffd"
    assert model.requests[1].messages[1] == AssistantMessage(text="\ufffd")


async def test_a_service_closes_its_store_whatever_its_agents_do() -> None:
    closed: list[str] = []

    class Closing(MemoryStore):
        async def aclose(self) -> None:
            closed.append("store")

    class Broken(ScriptedModel):
        async def aclose(self) -> None:
            raise RuntimeError("no")

    service: Service = await service_of(Broken(["hi"]), store=Closing())
    with pytest.raises(RuntimeError):
        await service.aclose()
    assert closed == ["store"]
