"""How long a graph of tasks takes over its critical path: the longest way through it, had every
task taken only the time of its own work.

A task's work is a model that thinks for a while, each task for another time. Everything else is the
product's: a run and a journal for each task, on a file that is synced, results handed on, the
request woken and put to rest.

Run: ``make bench-graphs``. Results: ``benchmarks/graphs.md``.
"""

import json
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from statistics import median

import anyio
from msgspec import Struct

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.builtin import BuiltIn, built_in_spec
from pointsman.domain import events as ev
from pointsman.domain.agent import AgentSpec, Limits
from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    Stop,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.tools import RawCall
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.registry import Registry
from pointsman.engine.service import Service, Submission
from pointsman.engine.tasks import planning
from pointsman.ports import Store

ROUNDS = 3


class Shape(Struct, frozen=True):
    """A graph: for each task those that it needs, and the seconds of its work."""

    name: str
    bases: tuple[tuple[int, ...], ...]
    seconds: tuple[float, ...]

    @property
    def critical(self) -> float:
        """Seconds of the longest way through it."""
        ends: list[float] = []
        for bases, seconds in zip(self.bases, self.seconds, strict=True):
            ends.append(seconds + max((ends[base] for base in bases), default=0.0))
        return max(ends)

    @property
    def longest(self) -> int:
        """Tasks on the way that has most of them."""
        counts: list[int] = []
        for bases in self.bases:
            counts.append(1 + max((counts[base] for base in bases), default=0))
        return max(counts)


def layers(wide: int, deep: int, work: tuple[float, float]) -> Shape:
    """Tasks in layers, each of which needs one to three of the layer before."""
    chance = Random(7)
    bases: list[tuple[int, ...]] = []
    for layer in range(deep):
        before = range((layer - 1) * wide, layer * wide)
        for _ in range(wide):
            some = chance.sample(before, min(chance.randint(1, 3), wide)) if layer else []
            bases.append(tuple(sorted(some)))
    seconds = tuple(round(chance.uniform(*work), 3) for _ in bases)
    return Shape(f"{wide * deep} tasks, {deep} layers of {wide}", tuple(bases), seconds)


def chain(count: int, work: tuple[float, float]) -> Shape:
    """Tasks one after the other: nothing hides what is between two of them."""
    chance = Random(8)
    bases = tuple((n - 1,) if n else () for n in range(count))
    seconds = tuple(round(chance.uniform(*work), 3) for _ in bases)
    return Shape(f"{count} tasks in a chain", bases, seconds)


def star(count: int, work: tuple[float, float]) -> Shape:
    """Tasks at the same time, and one that needs them all."""
    chance = Random(9)
    bases = (*[()] * (count - 1), tuple(range(count - 1)))
    seconds = tuple(round(chance.uniform(*work), 3) for _ in bases)
    return Shape(f"{count} tasks, {count - 1} of them at once", bases, seconds)


class Thinker:
    """Splits the request as the shape says; a task thinks for its time."""

    name = "thinker"

    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        words = next(one for one in reversed(request.messages) if isinstance(one, UserMessage))
        if not words.own:
            await anyio.sleep(self._shape.seconds[int(words.text.split()[-1])])
            return _reply(AssistantMessage(text="It is done."))
        if isinstance(request.messages[-1], ToolMessage):
            return _reply(AssistantMessage(text="These are the results."))
        tasks = [
            {"index": n, "desc": f"work on part {n}", "base": ",".join(map(str, bases))}
            for n, bases in enumerate(self._shape.bases)
        ]
        arguments = json.dumps({"tasks": tasks})
        call = RawCall(id="1", name=planning.NAME, arguments=arguments)
        return _reply(AssistantMessage(calls=(call,)))

    async def aclose(self) -> None:
        """Nothing is held."""


def _reply(message: AssistantMessage) -> ModelReply:
    stop = Stop.TOOL_CALLS if message.calls else Stop.STOP
    return ModelReply(message=message, stop=stop, model="thinker")


@asynccontextmanager
async def engine(shape: Shape, store: Store) -> AsyncIterator[Service]:
    """An engine that drives what is submitted, with room for all of the graph."""
    count = len(shape.bases)
    limits = Limits(turns=2 * count + 10, seconds=600.0, tasks=count, tasks_at_once=count)
    tool = planning.Decomposition(built_in_spec(planning.NAME, **planning.about()))
    live = LiveAgent(
        spec=AgentSpec(name="desk", limits=limits),
        model=Thinker(shape),
        registry=Registry([BuiltIn([tool])]),
    )
    service = Service(
        agents=Agents(live),
        store=store,
        queue=LocalQueue(),
        bus=MemoryBus(),
        clock=SystemClock(),
    )
    async with AsyncExitStack() as stack:
        await service.open()
        stack.push_async_callback(service.aclose)
        group = await stack.enter_async_context(anyio.create_task_group())
        group.start_soon(service.serve)
        yield service
        group.cancel_scope.cancel()


class Measured(Struct, frozen=True):
    """Seconds of one request: up to the first start of a task, and from there to the last end."""

    start_up: float
    tasks: float


async def measure(service: Service) -> Measured:
    """Carry one request out."""
    run = await service.submit(Submission(agent="desk", user="ann", text="do all of it"))
    ended = await service.wait(run, "ann")
    assert ended.graphs[-1].overall == "done"
    events = [one.event for one in await service.trace(run, None)]
    first = next(one.at for one in events if isinstance(one, ev.TaskStarted))
    last = next(one.at for one in events if isinstance(one, ev.AttemptFinished))
    begun = events[0].at
    return Measured((first - begun).total_seconds(), (last - first).total_seconds())


async def row(shape: Shape, place: str, store: Store) -> str:
    """A line of the table: the median of some rounds, and the worst."""
    async with engine(shape, store) as service:
        found = [await measure(service) for _ in range(ROUNDS)]
    overs = sorted(one.tasks / shape.critical - 1 for one in found)
    each = 1000 * (median(one.tasks for one in found) - shape.critical) / shape.longest
    return (
        f"| {shape.name} | {place} | {shape.critical:.2f} | "
        f"{median(one.tasks for one in found):.2f} | {median(overs):.1%} | {overs[-1]:.1%} | "
        f"{each:.1f} | {1000 * median(one.start_up for one in found):.0f} |"
    )


async def main() -> None:
    heads = "graph, journal, critical path (s), tasks (s), over, worst, ms a step, start-up (ms)"
    print(f"| {' | '.join(heads.split(', '))} |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for shape in (layers(5, 10, (0.5, 1.5)), star(50, (0.5, 2.0)), chain(50, (0.2, 0.4))):
        print(await row(shape, "memory", MemoryStore()))
        with tempfile.TemporaryDirectory() as folder:
            store = sqlite(Path(folder) / "journal.db", synchronous="full")
            print(await row(shape, "SQLite, synced", store))


if __name__ == "__main__":
    anyio.run(main)
