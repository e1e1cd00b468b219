"""How fast runs start, how soon a dead worker's run goes on elsewhere, and what more workers bring.

python -m benchmarks.durable [starts|take-over|workers ...]      (``make bench-durable`` does all)

Workers are processes of their own, the model is an HTTP server here that waits before it answers,
and the PostgreSQL server is one of the tests with its safety switched on. Quoted by
``benchmarks/durable.md``.
"""

import asyncio
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
from msgspec import Struct

from pointsman import bootstrap
from pointsman import settings as settings_of
from pointsman.domain import events as ev
from pointsman.domain.runs import RunStatus
from pointsman.engine.service import Service, Submission
from tests.support.chaos.processes import Process
from tests.support.model_server import Answer, ModelServer, Reply, calling
from tests.support.postgres import TEMPLATE, PostgresServer, prepare, running
from tests.support.waiting import until_it_is

STARTS = 300
GAP = 0.02
"""Seconds between two messages of the measure of starts: the machine is not busy."""
TAKE_OVERS = 20
RUNS = 160
CONCURRENCY = 8
LATENCY = 1.0
"""Seconds that the model takes for each of its two answers."""

AGENT = """\
agent: desk
model: {{use: compatible, name: m, base_url: "{model}"}}
tools:
  - {{python: "tools:look", risk: read}}
"""
TOOLS = '''\
def look(number: int) -> str:
    """Look at a number."""
    return f"seen {number}"
'''


class Started(Struct, frozen=True):
    """Seconds from handing a message over to its first event being durable, and to a worker's
    first word."""

    stored: float
    begun: float


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def folder_of(base: Path, model: str) -> Path:
    folder = base / "desk"
    folder.mkdir(exist_ok=True)
    (folder / "agent.yaml").write_text(AGENT.format(model=model), encoding="utf-8")
    (folder / "tools.py").write_text(TOOLS, encoding="utf-8")
    return folder


def calls_then_answers(pause: float) -> Any:
    """A model that looks once and answers, after a while each time."""

    async def wait() -> None:
        await asyncio.sleep(pause)

    def model(asked: dict[str, Any]) -> Answer:
        if asked["messages"][-1]["role"] == "user":
            return Reply(calls=calling("look", number=7).calls, first_byte=wait)
        return Reply(text="I have seen it.", first_byte=wait)

    return model


@asynccontextmanager
async def opened(
    folder: Path, database: str, *, serving: bool = False, **given: str
) -> AsyncIterator[Service]:
    """The engine in this process; it drives runs itself if ``serving``."""
    loaded = settings_of.load({"POINTSMAN_DATABASE": database, **given}, folder=folder)
    async with bootstrap.opened([folder], loaded) as service:
        if not serving:
            yield service
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(service.serve)
            yield service
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def workers(folder: Path, database: str, count: int) -> AsyncIterator[list[Process]]:
    """So many worker processes that have signed on."""
    environ = {"POINTSMAN_DATABASE": database, "POINTSMAN_WORKER_CONCURRENCY": str(CONCURRENCY)}
    made = [
        Process(f"worker {number}", folder.parent, "worker", str(folder), **environ)
        for number in range(count)
    ]
    kept = [asyncio.create_task(one.keep()) for one in made]
    try:
        async with opened(folder, database) as service:
            await signed_on(service, count)
        yield made
    finally:
        for task in kept:
            task.cancel()
        await asyncio.wait(kept)


async def signed_on(service: Service, count: int) -> None:
    while True:
        state = await service.workers()
        if state and sum(one.alive for one in state.workers) >= count:
            return
        await asyncio.sleep(0.1)


async def at(service: Service, run: str, kind: type[ev.Event]) -> datetime:
    trace = await service.trace(run, None)
    return next(one.event.at for one in trace if isinstance(one.event, kind))


async def started(service: Service) -> Started:
    """Hand one message over."""
    before = time.time()
    began = time.perf_counter()
    run = await service.submit(Submission(agent="desk", user="ann", text="hello"))
    stored = time.perf_counter() - began
    await service.wait(run, None)
    begun = (await at(service, run, ev.RunStarted)).timestamp() - before
    return Started(stored, begun)


async def starts(name: str, service: Service) -> None:
    for _ in range(20):
        await started(service)
    taken: list[Started] = []
    for _ in range(STARTS):
        taken.append(await started(service))
        await asyncio.sleep(GAP)
    stored, begun = [one.stored * 1000 for one in taken], [one.begun * 1000 for one in taken]
    cells = [
        f"{value:.1f}"
        for values in (stored, begun)
        for value in (statistics.median(values), percentile(values, 0.99))
    ]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


async def measure_starts(base: Path, server: PostgresServer) -> None:
    print("| database | first event, median ms | p99 | start, median ms | p99 |")
    print("|---|---:|---:|---:|---:|", flush=True)
    async with ModelServer(lambda asked: "hello") as model:
        folder = folder_of(base, model.base_url)
        async with opened(folder, str(base / "starts.db"), serving=True) as service:
            await starts("SQLite, one process", service)
        url = server.create(TEMPLATE)
        async with opened(folder, url, serving=True) as service:
            await signed_on(service, 1)
            await starts("PostgreSQL, driven in the same process", service)
        url = server.create(TEMPLATE)
        async with workers(folder, url, 1), opened(folder, url) as service:
            await starts("PostgreSQL, driven by another process", service)


async def measure_take_over(base: Path, server: PostgresServer) -> None:
    """Kill the worker that carries a run, and time until another has it."""
    taken: list[float] = []
    held = [asyncio.Event()]

    def model(asked: dict[str, Any]) -> Answer:
        return Reply(text="hello", first_byte=held[0].wait)

    async with ModelServer(model) as models:
        folder, url = folder_of(base, models.base_url), server.create(TEMPLATE)
        async with workers(folder, url, 2) as both, opened(folder, url) as service:
            for number in range(TAKE_OVERS):
                held[0] = asyncio.Event()
                await signed_on(service, 2)
                asked = len(models.requests)
                run = await service.submit(Submission(agent="desk", user="ann", text="hello"))
                await models.arrived(asked + 1)
                await until_it_is(lambda run=run: is_stored(service, run))  # type: ignore[misc]
                [victim] = await driving(service, both)
                await asyncio.sleep(0.3 * (number % 7))  # at any moment between two heartbeats
                killed = time.time()
                victim.send(signal.SIGKILL)
                taken.append((await resumed(service, run)).timestamp() - killed)
                held[0].set()
                await service.wait(run, None)
    print("| take-overs | median s | worst s |")
    print("|---:|---:|---:|")
    print(f"| {len(taken)} | {statistics.median(taken):.1f} | {max(taken):.1f} |", flush=True)


async def is_stored(service: Service, run: str) -> bool:
    """Whether the first worker's word of the run is."""
    return len(await service.trace(run, None)) > 1


async def driving(service: Service, processes: Sequence[Process]) -> list[Process]:
    """The process that drives something."""
    while True:
        state = await service.workers()
        assert state is not None
        names = [one.name for one in state.workers if one.driving]
        if found := [one for one in processes if any(n.endswith(f":{one.pid}") for n in names)]:
            return found
        await asyncio.sleep(0.05)


async def resumed(service: Service, run: str) -> datetime:
    """When another worker took it up."""
    while True:
        for one in await service.trace(run, None):
            if isinstance(one.event, ev.RunResumed):
                return one.event.at
        await asyncio.sleep(0.02)


def cpu_of(pid: int) -> float:
    """Seconds of CPU of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure_workers(base: Path, server: PostgresServer) -> None:
    print("| workers | runs/s | of one | CPU of the workers, ms/run | machine busy |")
    print("|---:|---:|---:|---:|---:|", flush=True)
    first = 0.0
    async with ModelServer(calls_then_answers(LATENCY)) as model:
        folder = folder_of(base, model.base_url)
        for count in (1, 2, 4):
            url = server.create(TEMPLATE)
            async with workers(folder, url, count) as processes, opened(folder, url) as service:
                await burst(service, count * CONCURRENCY)  # what is done once is done
                spent = sum(cpu_of(one.pid) for one in processes)
                busy, idle = machine()
                began = time.perf_counter()
                await burst(service, RUNS)
                took = time.perf_counter() - began
                spent = sum(cpu_of(one.pid) for one in processes) - spent
                after, idle_after = machine()
            rate = RUNS / took
            first = first or rate
            share = (after - busy) / (after - busy + idle_after - idle)
            print(
                f"| {count} | {rate:.2f} | {rate / first:.2f} | {spent / RUNS * 1000:.0f} | "
                f"{share:.0%} |",
                flush=True,
            )


def machine() -> tuple[float, float]:
    """Busy and idle time of all cores so far."""
    first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
    ticks = list(map(int, first))
    return sum(ticks) - ticks[3] - ticks[4], ticks[3] + ticks[4]


async def burst(service: Service, count: int) -> None:
    """So many runs, from the first message to the last reply."""
    async with asyncio.TaskGroup() as tasks:
        for number in range(count):
            text = f"look at {number}"
            tasks.create_task(service.submit(Submission(agent="desk", user="ann", text=text)))
    open_ones = [one for one in RunStatus if not one.ended]
    while await service.runs(user=None, status=tuple(open_ones), limit=1):  # noqa: ASYNC110
        await asyncio.sleep(0.05)


MEASURES = {
    "starts": measure_starts,
    "take-over": measure_take_over,
    "workers": measure_workers,
}


def main() -> None:
    for name in sys.argv[1:] or MEASURES:
        print(f"\n## {name}\n")
        with (
            tempfile.TemporaryDirectory(prefix="bench-durable-") as folder,
            running(safe=True) as server,
        ):
            prepare(server)
            asyncio.run(MEASURES[name](Path(folder), server))


if __name__ == "__main__":
    main()
