"""A person stops a run, wherever it is."""

import threading
from asyncio import Future
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain import events as ev
from pointsman.domain.messages import ModelRequest
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import Risk
from pointsman.engine.service import Service
from pointsman.errors import Conflict, NotFound
from pointsman.ports import Append, CallContext, StoredRun
from tests.support.engine import (
    events,
    is_paired,
    message,
    say,
    service_of,
    serving,
    tool_texts,
)
from tests.support.scripted_model import ScriptedModel
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio

ALLOW = ({"then": "allow"},)


class Hanging:
    """Something that starts and never ends, and knows whether it was stopped."""

    def __init__(self) -> None:
        self.started = anyio.Event()
        self.stopped = False

    async def model(self, request: ModelRequest) -> str:
        await self._hang()
        return ""

    async def tool(self, arguments: Mapping[str, Any], context: CallContext) -> str:
        await self._hang()
        return ""

    async def _hang(self) -> None:
        self.started.set()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            self.stopped = True
            raise


async def cancelled_while_carried(
    service: Service, started: anyio.Event, then: Callable[[], object] = lambda: None
) -> tuple[Run, Run]:
    """The run as the person gets it who cancels it, and as its caller does.

    Args:
        then: done when it is cancelled.
    """
    carried: list[Run] = []

    async def carry() -> None:
        carried.append(await say(service))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as callers:
            callers.start_soon(carry)
            await started.wait()
            while not (found := await service.runs(user="ann")):
                await anyio.lowlevel.checkpoint()
            cancelled = await service.cancel(found[0].id, "ann")
            then()
    (run,) = carried
    return cancelled, run


async def cancelled_events(service: Service, run: str) -> list[ev.RunCancelled]:
    return await events(service, run, ev.RunCancelled)


@pytest.mark.parametrize("way", ["queue", "carry"])
async def test_the_question_to_the_model_is_cancelled(way: str) -> None:
    hanging = Hanging()
    service = await service_of(hanging.model)
    with anyio.fail_after(60):
        async with serving(service), anyio.create_task_group() as callers:
            if way == "queue":
                await service.submit(message())
            else:
                callers.start_soon(say, service)
            await hanging.started.wait()
            while not (found := await service.runs(user="ann")):
                await anyio.lowlevel.checkpoint()
            run = await service.cancel(found[0].id, "ann", reason="changed my mind")
            assert run.status is RunStatus.CANCELLED
            assert run.reply == "Cancelled."
    assert hanging.stopped
    assert len(await cancelled_events(service, run.id)) == 1


async def test_who_carries_a_cancelled_run_gets_it_as_cancelled() -> None:
    hanging = Hanging()
    service = await service_of(hanging.model)
    _, run = await cancelled_while_carried(service, hanging.started)
    assert run.status is RunStatus.CANCELLED


async def test_a_fault_that_is_a_timeout_is_not_taken_for_a_cancel() -> None:
    class Slow(MemoryStore):
        def append(self, change: Append) -> Future[None]:
            raise TimeoutError("the store")

    tool = fake_tool("pay", "paid", risk=Risk.WRITE)
    service = await service_of([[("pay", "{}")], "never"], tool, policy=ALLOW, store=Slow())
    with pytest.raises(TimeoutError, match="the store"):
        await say(service)


async def test_a_caller_that_goes_away_cancels_its_run() -> None:
    hanging = Hanging()
    service = await service_of(hanging.model)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as callers:
            callers.start_soon(say, service)
            await hanging.started.wait()
            callers.cancel_scope.cancel()
    (record,) = await service.runs(user="ann")
    assert record.status is RunStatus.CANCELLED
    (cancelled,) = await cancelled_events(service, record.id)
    assert cancelled.reason == "caller cancelled"


async def test_a_caller_that_goes_away_at_the_very_end_is_cancelled_and_the_run_is_done() -> None:
    class Slow(MemoryStore):
        """Tells late that the last append is durable."""

        def append(self, change: Append) -> Future[None]:
            done = super().append(change)
            if change.transcript is None:
                return done
            last.set()
            return held

    last, held = anyio.Event(), Future[None]()
    service = await service_of(["hello"], store=Slow())
    scope = anyio.CancelScope()

    async def carry() -> None:
        with scope:
            await say(service)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as callers:
            callers.start_soon(carry)
            await last.wait()
            scope.cancel()
            await anyio.wait_all_tasks_blocked()
            held.set_result(None)
    assert scope.cancelled_caught
    (record,) = await service.runs(user="ann")
    assert (record.status, record.reply) == (RunStatus.DONE, "hello")


async def test_a_running_tool_is_given_up_and_a_read_is_said_to_be() -> None:
    hanging = Hanging()
    service = await service_of([[("look", "{}")], "never"], fake_tool("look", hanging.tool))
    with anyio.fail_after(60):
        async with serving(service):
            run_id = await service.submit(message())
            await hanging.started.wait()
            run = await service.cancel(run_id, "ann")
    assert hanging.stopped
    assert tool_texts(run.messages) == ["given up: the run ended before"]
    assert run.reply == "Cancelled."


@pytest.mark.parametrize("idempotent", [False, True])
async def test_a_write_that_was_going_on_is_said_to_be_uncertain(idempotent: bool) -> None:
    hanging = Hanging()
    tool = fake_tool("pay", hanging.tool, risk=Risk.WRITE, idempotent=idempotent)
    calls = [("look", "{}"), ("pay", "{}"), ("pay", "{}")]
    service = await service_of([calls, "never"], fake_tool("look", "seen"), tool, policy=ALLOW)
    with anyio.fail_after(60):
        async with serving(service):
            run_id = await service.submit(message())
            await hanging.started.wait()
            run = await service.cancel(run_id, "ann")
    seen, first, second = tool_texts(run.messages)
    assert seen == "seen"
    assert first.startswith("UNCERTAIN")
    assert second == "not run: the run ended before"
    assert run.reply == (
        "Cancelled. Run before that: look. "
        "It is not known whether these happened: pay. Please check before trying again."
    )
    stored = await service.conversation(run.conversation, "ann")
    assert stored.messages == run.messages
    assert is_paired(run.messages)


async def test_a_carried_run_ends_at_once_whatever_its_tool_makes_of_it() -> None:
    started, release = anyio.Event(), anyio.Event()

    async def stubborn(arguments: Mapping[str, Any], context: CallContext) -> str:
        started.set()
        with suppress(anyio.get_cancelled_exc_class()):
            await anyio.sleep_forever()
        await release.wait()
        return "paid"

    tool = fake_tool("pay", stubborn, risk=Risk.WRITE)
    service = await service_of([[("pay", "{}")], "never"], tool, policy=ALLOW)
    cancelled, carried = await cancelled_while_carried(service, started, release.set)
    assert tool_texts(cancelled.messages)[0].startswith("UNCERTAIN")
    assert carried.messages == cancelled.messages


async def test_a_tool_in_a_thread_is_given_up_at_once() -> None:
    started, release = threading.Event(), threading.Event()

    def block() -> str:
        started.set()
        release.wait(10)
        return "late"

    async def tool(arguments: Mapping[str, Any], context: CallContext) -> str:
        return await anyio.to_thread.run_sync(block, abandon_on_cancel=True)

    service = await service_of(
        [[("pay", "{}")], "never"], fake_tool("pay", tool, risk=Risk.WRITE), policy=ALLOW
    )
    with anyio.fail_after(60):
        async with serving(service):
            run_id = await service.submit(message())
            await anyio.to_thread.run_sync(started.wait)
            run = await service.cancel(run_id, "ann")
            release.set()
    assert run.status is RunStatus.CANCELLED
    assert tool_texts(run.messages)[0].startswith("UNCERTAIN")


async def test_a_waiting_run_is_cancelled() -> None:
    service = await service_of([[("pay", "{}")], "never"], fake_tool("pay", risk=Risk.WRITE))
    waiting = await say(service)
    run = await service.cancel(waiting.id, "ann")
    assert (run.status, run.said) == (RunStatus.CANCELLED, "Cancelled.")
    assert tool_texts(run.messages) == ["not run: the run ended before"]
    async with serving(service):
        await service.recover()
        await anyio.wait_all_tasks_blocked()
    assert await service.run(run.id, "ann") == run


async def test_a_queued_run_never_starts() -> None:
    model = ScriptedModel(["never"])
    service = await service_of(model)
    run_id = await service.submit(message())
    run = await service.cancel(run_id, "ann")
    async with serving(service):
        await anyio.wait_all_tasks_blocked()
    assert (run.status, model.requests) == (RunStatus.CANCELLED, [])


async def test_the_runs_behind_a_cancelled_one_go_on() -> None:
    hanging = Hanging()

    async def script(request: ModelRequest) -> str:
        if "first" in repr(request.messages[-1]):
            await hanging.model(request)
        return "answered"

    service = await service_of(script)
    with anyio.fail_after(60):
        async with serving(service):
            conversation = (await service.wait(await service.submit(message()), "ann")).conversation
            first = await service.submit(message("first", conversation=conversation))
            second = await service.submit(message("second", conversation=conversation))
            await hanging.started.wait()
            await service.cancel(first, "ann")
            assert (await service.wait(second, "ann")).reply == "answered"


async def test_a_run_that_has_ended_cannot_be_cancelled() -> None:
    service = await service_of(["hello"])
    run = await say(service)
    with pytest.raises(Conflict, match="has ended already"):
        await service.cancel(run.id, "ann")
    with pytest.raises(NotFound):
        await service.cancel(run.id, "bob")
    assert await service.run(run.id, "ann") == run


async def test_an_operator_may_cancel_anybodys_run() -> None:
    service = await service_of(["never"])
    run_id = await service.submit(message())
    await service.cancel(run_id, None)
    (cancelled,) = await cancelled_events(service, run_id)
    assert cancelled.by == "operator"


async def test_a_cancel_does_not_give_up_when_another_process_is_quicker() -> None:
    """Between reading the journal and appending to it, the other process takes the run up."""
    loaded, hanging = anyio.Event(), Hanging()

    class Racing(MemoryStore):
        async def load(self, run: str) -> StoredRun | None:
            stored = await super().load(run)
            if not loaded.is_set():
                loaded.set()
                while self._records[run].position == 0:
                    await anyio.lowlevel.checkpoint()
            return stored

    store = Racing()
    service = await service_of(["never"], store=store)
    other = await service_of(hanging.model, store=store)
    run_id = await service.submit(message())
    with anyio.fail_after(60):
        async with serving(other), anyio.create_task_group() as tasks:
            tasks.start_soon(service.cancel, run_id, "ann")
            await loaded.wait()
            # The other process had read the run before it was marked.
            store._records[run_id] = replace(store._records[run_id], cancel_requested=False)
            await other.recover()
            await hanging.started.wait()
    run = await service.run(run_id, "ann")
    assert (run.status, run.reply) == (RunStatus.CANCELLED, "Cancelled.")
    assert len(await cancelled_events(service, run_id)) == 1


async def test_a_cancel_that_a_crash_overtook_is_carried_out_at_the_next_start(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    store = sqlite(path)
    service = await service_of(["never"], store=store)
    run_id = await service.submit(message())
    await store.request_cancel(run_id)
    await service.aclose()

    model = ScriptedModel(["never"])
    service = await service_of(model, store=sqlite(path))
    async with serving(service):
        await service.recover()
        run = await service.wait(run_id, "ann")
    assert (run.status, model.requests) == (RunStatus.CANCELLED, [])
    await service.aclose()


async def test_a_shutdown_leaves_the_run_to_the_next_start() -> None:
    hanging = Hanging()
    store = MemoryStore()
    service = await service_of(hanging.model, store=store)
    with anyio.fail_after(60):
        async with serving(service):
            run_id = await service.submit(message())
            await hanging.started.wait()
        assert hanging.stopped
        assert (await service.record(run_id, "ann")).status is RunStatus.RUNNING
        service = await service_of(["hello"], store=store)
        async with serving(service):
            assert await service.recover() == 1
            assert (await service.wait(run_id, "ann")).reply == "hello"
