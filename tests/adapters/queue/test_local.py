"""Runs handed out inside one process."""

from collections.abc import Awaitable, Callable

import anyio
import anyio.lowlevel
import pytest

from pointsman.adapters.queue.local import LocalQueue

pytestmark = pytest.mark.anyio


class Worker:
    """Drives runs, and lets a test hold them."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.over: list[str] = []
        self.held: dict[str, anyio.Event] = {}

    def hold(self, run: str) -> None:
        self.held[run] = anyio.Event()

    async def drive(self, run: str) -> None:
        self.begun.append(run)
        if run in self.held:
            await self.held[run].wait()
        await anyio.lowlevel.checkpoint()
        self.over.append(run)


async def while_serving(
    queue: LocalQueue,
    drive: Callable[[str], Awaitable[None]],
    act: Callable[[], Awaitable[None]],
) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(queue.serve, drive)
        await anyio.wait_all_tasks_blocked()
        await act()
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()


async def test_runs_of_one_conversation_come_one_at_a_time_in_order() -> None:
    queue, worker = LocalQueue(), Worker()
    worker.hold("a1")

    async def act() -> None:
        for run in ("a1", "a2", "a3"):
            await queue.put(run, "a")
        await anyio.wait_all_tasks_blocked()
        assert worker.begun == ["a1"]
        worker.held["a1"].set()

    await while_serving(queue, worker.drive, act)
    assert worker.over == ["a1", "a2", "a3"]


async def test_conversations_do_not_wait_for_one_another() -> None:
    queue, worker = LocalQueue(), Worker()
    worker.hold("a1")

    async def act() -> None:
        await queue.put("a1", "a")
        await queue.put("b1", "b")

    await while_serving(queue, worker.drive, act)
    assert (worker.begun, worker.over) == (["a1", "b1"], ["b1"])


async def test_what_was_put_before_serving_is_driven() -> None:
    queue, worker = LocalQueue(), Worker()
    await queue.put("a1", "a")
    await queue.put("a2", "a")
    await while_serving(queue, worker.drive, anyio.lowlevel.checkpoint)
    assert worker.over == ["a1", "a2"]
    assert (queue._waiting, queue._driven) == ({}, {})


async def test_a_conversation_whose_line_has_run_empty_is_served_again() -> None:
    queue, worker = LocalQueue(), Worker()

    async def act() -> None:
        await queue.put("a1", "a")
        await anyio.wait_all_tasks_blocked()
        await queue.put("a2", "a")

    await while_serving(queue, worker.drive, act)
    assert worker.over == ["a1", "a2"]


async def test_a_cancelled_run_is_over_when_the_call_returns_and_the_next_goes_on() -> None:
    queue, worker = LocalQueue(), Worker()
    worker.hold("a1")

    async def act() -> None:
        await queue.put("a1", "a")
        await queue.put("a2", "a")
        await anyio.wait_all_tasks_blocked()
        await queue.cancel("a1")
        assert "a1" not in queue._driven
        await queue.cancel("a1")
        await queue.cancel("unknown")

    await while_serving(queue, worker.drive, act)
    assert (worker.begun, worker.over) == (["a1", "a2"], ["a2"])


async def test_a_drive_that_fails_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    queue = LocalQueue(pauses=(0, 0))
    tries: list[str] = []

    async def drive(run: str) -> None:
        tries.append(run)
        if len(tries) < 3:
            raise OSError("the database is away")

    await queue.put("a1", "a")
    await while_serving(queue, drive, anyio.lowlevel.checkpoint)
    assert tries == ["a1"] * 3
    assert caplog.text.count("could not be driven") == 2


async def test_a_drive_that_keeps_failing_stops_no_other_run() -> None:
    queue, worker = LocalQueue(pauses=()), Worker()

    async def drive(run: str) -> None:
        if run == "a1":
            raise OSError("broken")
        await worker.drive(run)

    for run in ("a1", "a2", "b1"):
        await queue.put(run, run[0])
    await while_serving(queue, drive, anyio.lowlevel.checkpoint)
    assert sorted(worker.over) == ["a2", "b1"]
    assert queue._waiting == {}


async def test_what_a_shutdown_interrupts_is_driven_by_the_next_serve() -> None:
    queue, worker = LocalQueue(), Worker()
    worker.hold("a1")

    async def act() -> None:
        await queue.put("a1", "a")
        await queue.put("a2", "a")

    await while_serving(queue, worker.drive, act)
    assert (worker.begun, worker.over) == (["a1"], [])
    del worker.held["a1"]
    await queue.put("a3", "a")
    await while_serving(queue, worker.drive, anyio.lowlevel.checkpoint)
    assert worker.over == ["a1", "a2", "a3"]
