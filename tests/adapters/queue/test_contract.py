"""What every queue does: in one process, and over PostgreSQL with one worker or two."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import anyio
import pytest

from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.queue.pace import Pace
from pointsman.adapters.queue.postings import enqueue
from pointsman.adapters.queue.procrastinate import ProcrastinateQueue
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.system import SystemClock
from tests.support.deliveries import World
from tests.support.waiting import until

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["local", "procrastinate", "procrastinate, two workers"])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    if request.param == "local":
        yield World(MemoryStore(), LocalQueue(pauses=(0.01, 0.01)))
        return
    url = request.getfixturevalue("postgres_url")
    store = postgres(url, enqueue=enqueue)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.aclose)
        queues: list[ProcrastinateQueue] = []

        def interrupt(run: str) -> None:
            for one in queues:
                one.stop(run)

        for name in ("a", "b") if "two" in request.param else ("a",):
            queues.append(
                ProcrastinateQueue(
                    url,
                    agents=["desk"],
                    name=name,
                    clock=SystemClock(),
                    pace=Pace(grace=0.0, poll=0.1),
                    interrupt=interrupt,
                )
            )
            await stack.enter_async_context(queues[-1].opened())
        yield World(store, *queues)


async def test_runs_of_one_conversation_come_one_at_a_time_in_order(world: World) -> None:
    world.hold("a1")
    async with world.serving():
        for run in ("a1", "a2", "a3"):
            await world.submit(run, "a")
        await until(lambda: world.begun == ["a1"])
        world.release("a1")
        await world.ended("a3")
    assert world.begun == world.over == ["a1", "a2", "a3"]


async def test_conversations_do_not_wait_for_one_another(world: World) -> None:
    world.hold("a1")
    async with world.serving():
        await world.submit("a1", "a")
        await world.submit("b1", "b")
        await world.ended("b1")
        assert world.over == ["b1"]
        world.release("a1")
        await world.ended("a1")


async def test_what_was_put_before_serving_is_driven(world: World) -> None:
    await world.submit("a1", "a")
    await world.submit("a2", "a")
    async with world.serving():
        await world.ended("a2")
    assert world.over == ["a1", "a2"]


async def test_a_conversation_whose_line_has_run_empty_is_served_again(world: World) -> None:
    async with world.serving():
        for run in ("a1", "a2", "a3", "a4"):
            await world.submit(run, "a")
            await world.ended(run)
    assert world.over == ["a1", "a2", "a3", "a4"]


async def test_a_run_that_comes_while_another_one_ends_is_not_forgotten(world: World) -> None:
    """The line may be found empty just as the next run joins it."""
    count = 30
    async with world.serving():
        for number in range(count):
            await world.submit(f"a{number:02}", "a")
            if number % 3 == 0:
                await until(lambda number=number: len(world.begun) > number)  # type: ignore[misc]
        await world.ended(f"a{count - 1:02}")
    assert world.over == sorted(world.over)
    assert len(world.over) == count


async def test_a_cancelled_run_is_over_when_the_call_returns_and_the_next_goes_on(
    world: World,
) -> None:
    world.hold("a1")

    async def drive(run: str) -> None:
        try:
            await world.drive(run)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await world.end(run)
            raise

    async with world.serving(drive):
        await world.submit("a1", "a")
        await world.submit("a2", "a")
        await until(lambda: world.begun == ["a1"])
        for queue in world.queues:
            await queue.cancel("a1")
        assert world.over[:1] == ["a1"]
        await world.queue.cancel("a1")
        await world.queue.cancel("unknown")
        await world.ended("a2")
    assert world.over == ["a1", "a2"]


async def test_a_drive_that_fails_is_tried_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[str] = []

    async def drive(run: str) -> None:
        tries.append(run)
        if len(tries) < 2:
            raise OSError("the database is away")
        await world.drive(run)

    await world.submit("a1", "a")
    async with world.serving(drive):
        await world.ended("a1")
    assert tries == ["a1"] * 2


async def test_what_a_shutdown_interrupts_is_driven_by_the_next_serve(world: World) -> None:
    world.hold("a1")
    await world.submit("a1", "a")
    await world.submit("a2", "a")
    async with world.serving():
        await until(lambda: world.begun == ["a1"])
    assert world.over == []
    world.release("a1")
    async with world.serving():
        await world.submit("a3", "a")
        await world.ended("a3")
    assert world.over == ["a1", "a2", "a3"]


async def test_a_run_that_is_put_though_nothing_waits_does_no_harm(world: World) -> None:
    async with world.serving():
        await world.submit("a1", "a")
        await world.ended("a1")
        await world.submit("a2", "a")
        await world.queue.put("a2", "a")
        await world.ended("a2")
