"""What could go wrong with a queue of many processes, and does not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from typing import Any

import anyio
import psycopg
import pytest
from msgspec.structs import replace
from procrastinate.jobs import Status

from pointsman.adapters.queue.owned import OwnedJobs
from pointsman.adapters.queue.pace import Pace
from pointsman.adapters.queue.postings import queue_of
from pointsman.adapters.queue.procrastinate import ProcrastinateQueue
from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.system import SystemClock
from pointsman.domain.runs import RunStatus
from pointsman.errors import JournalCorrupt, PositionConflict
from pointsman.ports import Append, Due
from tests.support.deliveries import World, row
from tests.support.postgres import TEMPLATE, PostgresServer
from tests.support.waiting import until, until_it_is

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

FAST = Pace(grace=0.0, poll=0.1)


@asynccontextmanager
async def world_of(
    url: str, *names: str, pace: Pace = FAST, alone: bool = False
) -> AsyncIterator[World]:
    queues = [
        ProcrastinateQueue(
            url, agents=["desk"], name=name, clock=SystemClock(), pace=pace, alone=alone
        )
        for name in names
    ]
    store = postgres(url, enqueue=queues[0].enqueue)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.aclose)
        for one in queues:
            await stack.enter_async_context(one.opened())
        yield World(store, *queues)


@pytest.fixture
async def world(postgres_url: str) -> AsyncIterator[World]:
    async with world_of(postgres_url, "a") as made:
        yield made


@pytest.fixture
async def sql(postgres_url: str) -> AsyncIterator[Any]:
    """Runs a statement, gives its rows."""
    async with await psycopg.AsyncConnection.connect(
        postgres_url, autocommit=True, options='-c search_path="$user",public,procrastinate'
    ) as connection:

        async def run(statement: bytes, *values: Any) -> list[Any]:
            cursor = await connection.execute(statement, values)
            return await cursor.fetchall() if cursor.description else []

        yield run


def jobs_of(queue: Any) -> OwnedJobs:
    jobs: OwnedJobs = queue._jobs
    return jobs


async def dead_worker(sql: Any, *, seconds: float = 60) -> int:
    """A worker that gave its last sign of life so long ago."""
    [(worker,)] = await sql(
        b"INSERT INTO procrastinate_workers (last_heartbeat)"
        b" VALUES (now() - make_interval(secs => %s)) RETURNING id",
        seconds,
    )
    return int(worker)


async def test_a_run_and_its_job_stand_together_or_not_at_all(world: World, sql: Any) -> None:
    await world.submit("a1", "a")
    record = await world.store.record("a1")
    assert record is not None
    with pytest.raises(PositionConflict):
        await world.store.append(Append(expected=7, rows=(row(8),), run=record, wake=True))
    jobs = await sql(b"SELECT queue_name, lock, status::text FROM procrastinate_jobs")
    assert jobs == [("agent-desk", "a", "todo")]


async def test_a_conversation_waits_once_however_many_runs_wait_in_it(
    world: World, sql: Any
) -> None:
    for number in range(5):
        await world.submit(f"a{number}", "a")
    await asyncio.gather(*(world.submit(f"b{number}", "b") for number in range(5)))
    assert await sql(b"SELECT lock FROM procrastinate_jobs ORDER BY lock") == [("a",), ("b",)]


async def test_the_runs_of_a_dead_worker_go_on(world: World, sql: Any) -> None:
    await world.submit("a1", "a")
    worker = await dead_worker(sql)
    await sql(b"UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s", worker)
    async with world.serving():
        await world.ended("a1")


async def test_the_runs_of_a_worker_that_lives_are_left_to_it(world: World, sql: Any) -> None:
    await world.submit("a1", "a")
    worker = await dead_worker(sql, seconds=1)
    await sql(b"UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s", worker)
    async with world.serving():
        await world.submit("b1", "b")
        await world.ended("b1")
        await anyio.sleep(1.5)
    assert world.begun == ["b1"]


async def test_a_dead_workers_job_gives_way_to_one_that_waits(world: World, sql: Any) -> None:
    await world.submit("a1", "a")
    worker = await dead_worker(sql)
    await sql(b"UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s", worker)
    await world.submit("a2", "a")
    async with world.serving():
        await world.ended("a1", "a2")
        await until_it_is(lambda: no_jobs(sql))
    assert world.over == ["a1", "a2"]


async def test_a_process_that_works_alone_drives_what_is_submitted_to_it(
    postgres_url: str,
) -> None:
    async with (
        world_of(postgres_url, "server") as server,
        world_of(postgres_url, "terminal", alone=True) as terminal,
        terminal.serving(),
    ):
        await server.submit("a1", "a")
        await terminal.submit("b1", "b")
        await terminal.ended("b1")
        assert server.begun == []
        assert terminal.begun == ["b1"]
        async with server.serving():
            await server.ended("a1")


async def test_what_such_a_process_leaves_is_driven_by_others(postgres_url: str, sql: Any) -> None:
    async with world_of(postgres_url, "terminal", alone=True) as terminal:
        terminal.hold("a1")
        await terminal.submit("a1", "a")
        async with terminal.serving():
            await until(lambda: terminal.begun == ["a1"])
        await terminal.submit("b1", "b")
    await sql(b"UPDATE procrastinate_events SET at = at - interval '1 hour'")
    async with world_of(postgres_url, "server") as server, server.serving():
        await server.ended("a1", "b1")


async def no_jobs(sql: Any) -> bool:
    return not await sql(b"SELECT 1 FROM procrastinate_jobs WHERE lock IS NOT NULL")


async def test_the_end_of_a_job_counts_only_from_whoever_has_it(world: World, sql: Any) -> None:
    await world.submit("a1", "a")
    jobs = jobs_of(world.queue)
    first = await jobs.fetch_job([queue_of("desk")], await jobs.register_worker())
    assert first is not None
    assert await jobs.give_back(first)
    second = await jobs.fetch_job([queue_of("desk")], await jobs.register_worker())
    assert second is not None
    assert second.id == first.id
    await jobs.finish_job(first, Status.SUCCEEDED, delete_job=True)
    await jobs.retry_job(first)
    assert not await jobs.give_back(first)
    assert await sql(b"SELECT status::text, worker_id FROM procrastinate_jobs") == [
        ("doing", second.worker_id)
    ]
    await jobs.finish_job(second, Status.SUCCEEDED, delete_job=True)
    assert await no_jobs(sql)


async def test_a_job_that_a_worker_got_without_hearing_of_it_goes_on(
    world: World, sql: Any
) -> None:
    async with world.serving():
        await until(lambda: jobs_of(world.queue).worker is not None)
        worker = jobs_of(world.queue).worker
        await sql(
            b"INSERT INTO procrastinate_jobs"
            b" (queue_name, task_name, lock, args, status, worker_id)"
            b" VALUES ('agent-desk', 'drive', 'a',"
            b" jsonb_build_object('conversation', 'a', 'home', 'agent-desk'), 'doing', %s)",
            worker,
        )
        await world.submit("a1", "a")
        await world.ended("a1")


async def test_a_run_that_no_job_stands_for_is_found(
    world: World, sql: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await world.submit("a1", "a")
    await sql(b"DELETE FROM procrastinate_jobs")
    async with world.serving():
        await world.ended("a1")
    assert "no job stood for" in caplog.text


async def test_a_worker_that_is_taken_for_dead_starts_again(world: World, sql: Any) -> None:
    async with world.serving():
        await until(lambda: jobs_of(world.queue).worker is not None)
        worker = jobs_of(world.queue).worker
        await sql(b"DELETE FROM procrastinate_workers")
        await until(lambda: jobs_of(world.queue).worker not in (None, worker))
        await world.submit("a1", "a")
        await world.ended("a1")


async def test_what_people_wait_for_goes_before_what_nobody_waits_for(postgres_url: str) -> None:
    async with world_of(postgres_url, "a", pace=Pace(concurrency=1, poll=0.1)) as world:
        world.hold("a1")
        async with world.serving():
            await world.submit("a1", "a")
            await until(lambda: world.begun == ["a1"])
            await world.submit("b1", "b", background=True)
            await world.submit("c1", "c", background=True)
            await world.submit("c2", "c")
            world.release("a1")
            await world.ended("b1", "c2")
    assert world.over == ["a1", "c1", "c2", "b1"]


async def test_a_cancel_that_nobody_tells_of_is_noticed(world: World) -> None:
    world.hold("a1")
    async with world.serving():
        await world.submit("a1", "a")
        await until(lambda: world.begun == ["a1"])
        await world.store.request_cancel("a1")
        await until(lambda: len(world.begun) > 1)


async def test_a_run_that_cannot_be_read_holds_up_no_other(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    async def drive(run: str) -> None:
        if run == "a1":
            raise JournalCorrupt("the hash chain breaks")
        await world.drive(run)

    await world.submit("a1", "a")
    await world.submit("a2", "a")
    async with world.serving(drive):
        await world.ended("a2")
    assert "run a1 is left where it is: the hash chain breaks" in caplog.text


async def test_a_drive_that_leaves_its_run_is_not_repeated_without_rest(world: World) -> None:
    """Somebody else may have it, and be about to end it."""
    times: list[float] = []

    async def drive(run: str) -> None:
        times.append(asyncio.get_running_loop().time())
        if len(times) == 3:
            await world.end(run)

    await world.submit("a1", "a")
    async with world.serving(drive):
        await world.ended("a1")
    assert all(later - sooner >= FAST.poll for sooner, later in pairwise(times))


async def test_a_worker_goes_on_through_a_restart_of_the_database(
    own_postgres: PostgresServer,
) -> None:
    async with world_of(own_postgres.create(TEMPLATE), "a") as world:
        world.hold("a1")
        async with world.serving():
            await world.submit("a1", "a")
            await until(lambda: world.begun == ["a1"])
            await asyncio.to_thread(own_postgres.restart, "crash")
            world.release("a1")
            await world.ended("a1")
            await world.submit("b1", "b")
            await world.ended("b1")
    assert world.begun == ["a1", "b1"]


async def test_whoever_looks_sees_what_waits_and_who_works(world: World, sql: Any) -> None:
    await dead_worker(sql)
    world.hold("a1")
    await world.submit("a1", "a")
    await world.submit("b1", "b")
    before = await world.queue.state()
    assert before is not None
    assert (before.waiting, before.driven) == (2, 0)
    async with world.serving():
        await until(lambda: "a1" in world.begun)
        await world.ended("b1")
        await until_it_is(lambda: only_a1_is_driven(world))
        state = await world.queue.state()
    assert state is not None
    [worker] = [one for one in state.workers if one.alive]
    assert (worker.name, worker.agents, worker.driving) == ("a", ("desk",), 1)
    assert worker.since is not None
    after = await world.queue.state()
    assert after is not None
    assert not any(one.alive for one in after.workers)


async def only_a1_is_driven(world: World) -> bool:
    state = await world.queue.state()
    return state is not None and (state.waiting, state.driven) == (0, 1)


def test_the_queue_of_an_agent_with_a_long_name_makes_a_channel_that_postgres_takes() -> None:
    names = ("desk", "a" * 64, "智能体" * 20)
    assert all(len(b"procrastinate_queue_v1#" + queue_of(name).encode()) < 64 for name in names)
    assert len({queue_of(name) for name in names}) == 3


async def test_a_run_that_rests_is_looked_at_when_another_s_append_wakes_it(
    world: World, sql: Any
) -> None:
    await world.submit("a1", "a")
    await world.submit("b1", "b")
    looked: list[str] = []

    async def drive(run: str) -> None:
        looked.append(run)
        record = await world.store.record(run)
        assert record is not None
        if run == "a1" and record.position == 0:  # it comes to rest
            rests = replace(record, status=RunStatus.SPLIT, position=1)
            await world.store.append(Append(expected=0, rows=(row(1),), run=rests))
        if run == "b1":
            over = replace(record, status=RunStatus.DONE, position=1)
            due = Due(run="a1", conversation="a", agent="desk")
            await world.store.append(Append(expected=0, rows=(row(1),), run=over, wakes=(due,)))

    async def is_idle() -> bool:
        jobs = b"SELECT id FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
        return not await sql(jobs)

    async with world.serving(drive):
        await until(lambda: looked.count("a1") == 2)
        await until_it_is(is_idle)
    assert sorted(looked) == ["a1", "a1", "b1"]


async def test_a_run_is_woken_once_however_many_appends_wake_it(world: World, sql: Any) -> None:
    await world.submit("a1", "a")
    await sql(b"DELETE FROM procrastinate_jobs")
    due = Due(run="a1", conversation="a", agent="desk")
    for number in range(4):
        await world.submit(f"b{number}", f"b{number}")
        record = await world.store.record(f"b{number}")
        assert record is not None
        over = replace(record, status=RunStatus.DONE, position=1)
        await world.store.append(Append(expected=0, rows=(row(1),), run=over, wakes=(due,)))
    jobs = await sql(b"SELECT args->>'run' FROM procrastinate_jobs WHERE lock = 'a'")
    assert jobs == [("a1",)]


async def test_a_wake_stands_together_with_its_append_or_not_at_all(world: World, sql: Any) -> None:
    await world.submit("b1", "b")
    record = await world.store.record("b1")
    assert record is not None
    due = Due(run="a1", conversation="a", agent="desk")
    with pytest.raises(PositionConflict):
        await world.store.append(Append(expected=7, rows=(row(8),), run=record, wakes=(due,)))
    assert await sql(b"SELECT id FROM procrastinate_jobs WHERE lock = 'a'") == []
