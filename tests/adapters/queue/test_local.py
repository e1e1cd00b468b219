"""What only the queue inside one process does; the rest is in ``test_contract``."""

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

    async def drive(self, run: str) -> None:
        self.begun.append(run)
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


async def test_what_was_put_before_serving_is_driven() -> None:
    queue, worker = LocalQueue(), Worker()
    await queue.put("a1", "a")
    await queue.put("a2", "a")
    await while_serving(queue, worker.drive, anyio.lowlevel.checkpoint)
    assert worker.over == ["a1", "a2"]
    assert (queue._waiting, queue._driven) == ({}, {})


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


async def test_what_is_driven_may_end_by_itself_when_serving_ends_and_nothing_else_begins() -> None:
    queue, go = LocalQueue(grace=20), anyio.Event()
    begun: list[str] = []
    over: list[str] = []

    async def drive(run: str) -> None:
        begun.append(run)
        await go.wait()
        over.append(run)

    for run in ("a1", "a2", "b1"):
        await queue.put(run, run[0])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(queue.serve, drive)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await anyio.wait_all_tasks_blocked()
            await queue.put("c1", "c")
            go.set()
    assert sorted(begun) == sorted(over) == ["a1", "b1"]
    worker = Worker()
    await while_serving(queue, worker.drive, anyio.lowlevel.checkpoint)
    assert {"a2", "c1"} <= set(worker.over)


async def test_what_does_not_end_in_its_grace_is_interrupted_and_taken_up_by_the_next() -> None:
    queue, interrupted = LocalQueue(grace=0.01), []

    async def drive(run: str) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            interrupted.append(run)

    await queue.put("a1", "a")
    await while_serving(queue, drive, anyio.lowlevel.checkpoint)
    assert interrupted == ["a1"]
    worker = Worker()
    await while_serving(queue, worker.drive, anyio.lowlevel.checkpoint)
    assert worker.over == ["a1"]
