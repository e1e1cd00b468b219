"""A fight: runs are submitted and followed while faults come over the processes that carry them."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Literal

import aiohttp
import psycopg

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.domain.runs import RunStatus
from pointsman.ports import Store
from tests.support.chaos import agent
from tests.support.chaos.judging import Verdict, judge
from tests.support.chaos.processes import Process, Site, free_port
from tests.support.chaos.till import Till
from tests.support.model_server import ModelServer
from tests.support.postgres import TEMPLATE, PostgresServer

OPEN = tuple(status for status in RunStatus if not status.ended)
TALKS = 6
"""Conversations that several runs share; half of the runs have one of their own."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How hard.

    Attributes:
        runs: how many at least; more are submitted until the last fault has struck.
        faults: how many.
        at_once: runs that are under way at the same time.
        between: seconds between two faults.
        patience: seconds after the last fault in which every run must end.
    """

    runs: int
    faults: int
    seed: int
    at_once: int = 8
    between: tuple[float, float] = (0.6, 2.0)
    patience: float = 120.0


@dataclass
class Fight:
    """What happens in one.

    Attributes:
        accepted: runs that a server has promised.
        streams: run → the positions that a client saw of it.
        struck: what was done to whom.
    """

    plan: Plan
    folder: Path
    chance: Random
    model: agent.Model
    site: Site
    processes: Sequence[Process]
    restart: Callable[[], Awaitable[str]] | None = None
    accepted: list[str] = field(default_factory=list)
    streams: dict[str, list[int]] = field(default_factory=dict)
    struck: list[str] = field(default_factory=list)

    async def hold(self, store: Store) -> None:
        """Fight it to its end.

        Raises:
            TimeoutError: some runs did not end.
        """
        async with aiohttp.ClientSession() as client, asyncio.TaskGroup() as keeping:
            kept = [keeping.create_task(one.keep()) for one in self.processes]
            await asyncio.wait_for(self.site.answers(client), 60)
            attending = keeping.create_task(self._attend(client))
            striking = keeping.create_task(self._strike())
            submitting = keeping.create_task(self._submit(client))
            await striking
            await asyncio.wait([submitting], timeout=self.plan.patience)
            await asyncio.wait_for(_ended(store), self.plan.patience)
            if not submitting.done():
                raise TimeoutError("a client still waits for the end of a run that has ended")
            for task in (*kept, attending):
                task.cancel()

    async def _submit(self, client: aiohttp.ClientSession) -> None:
        numbers = count(101)
        self._talks = [await self._talk(client, next(numbers)) for _ in range(TALKS)]

        async def keep_submitting() -> None:
            while len(self.accepted) < self.plan.runs or len(self.struck) < self.plan.faults:
                shared = self.chance.random() < 0.5
                talk = self._talks[self.chance.randrange(TALKS)] if shared else ""
                text = agent.WANTED.format(number=next(numbers))
                run = await self.site.say(client, agent.NAME, text, talk)
                self.accepted.append(run)
                self.streams[run] = await self.site.follow(client, run)

        async with asyncio.TaskGroup() as all_of_them:
            for _ in range(self.plan.at_once):
                all_of_them.create_task(keep_submitting())

    async def _talk(self, client: aiohttp.ClientSession, number: int) -> str:
        """A new conversation."""
        text = agent.WANTED.format(number=number)
        run = await self.site.say(client, agent.NAME, text, "")
        self.accepted.append(run)
        while True:
            try:
                async with client.get(f"{self.site.url}/api/runs/{run}") as answer:
                    return str((await answer.json())["conversation"])
            except (aiohttp.ClientError, TimeoutError, OSError, KeyError):
                await asyncio.sleep(0.2)

    async def _strike(self) -> None:
        sleepers: list[asyncio.Task[None]] = []
        async with asyncio.TaskGroup() as tasks:
            while len(self.struck) < self.plan.faults - 1:
                await asyncio.sleep(self.chance.uniform(*self.plan.between))
                dice = self.chance.random()
                awake = [one for one in self.processes if one.runs and not one.asleep]
                if self.restart is not None and dice < 0.15:
                    self.struck.append(await self.restart())
                elif awake:
                    victim = self.chance.choice(awake)
                    if self.restart is None or dice < 0.6:
                        victim.send(signal.SIGKILL)
                        self.struck.append(f"kill {victim.name}")
                    else:
                        seconds = self.chance.choice((0.5, 3.0, 9.0))
                        sleepers.append(tasks.create_task(victim.sleep(seconds)))
                        self.struck.append(f"stop {victim.name} for {seconds} s")
            # The others may all have met somebody idle. A run that concludes has rows in the store.
            while not self.model.concluding:  # noqa: ASYNC110 - nobody tells us
                await asyncio.sleep(0.01)
            for one in self.processes:
                one.send(signal.SIGKILL)
            self.struck.append("kill all")

    async def _attend(self, client: aiohttp.ClientSession) -> None:
        """Be the person: approve what waits for that, since an equal call's outcome is not known,
        and let go on what is parked."""
        url = f"{self.site.url}/api"
        while True:
            await asyncio.sleep(0.5)
            try:
                async with client.get(f"{url}/approvals") as answer:
                    waiting = [one["approval"] for one in (await answer.json())["approvals"]]
                if waiting:
                    decisions = [{"approval": one, "decision": "approve"} for one in waiting]
                    body = {"decisions": decisions}
                    async with client.post(f"{url}/approvals", json=body) as answer:
                        await answer.read()
                async with client.get(f"{url}/runs?status=parked") as answer:
                    parked = [one["run"] for one in (await answer.json())["runs"]]
                for run in parked:
                    async with client.post(f"{url}/runs/{run}/resume") as answer:
                        self.struck.append(f"resume {run}: {answer.status}")
            except (aiohttp.ClientError, TimeoutError, OSError, KeyError):
                """The server is away."""


async def _ended(store: Store) -> None:
    """Wait until no run is open."""
    while await store.records(status=OPEN, limit=1):  # noqa: ASYNC110 - nobody tells us
        await asyncio.sleep(0.5)


async def on_postgres(folder: Path, server: PostgresServer, plan: Plan) -> tuple[Fight, Verdict]:
    """Two workers and a server on PostgreSQL; what they did, and whether it was right."""
    url = server.create(TEMPLATE)
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    with psycopg.connect(url, autocommit=True) as connection:  # what was promised must stand
        connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = on'.encode())
    chance = Random(plan.seed)

    async def restart() -> str:
        how: Literal["fast", "crash"] = "crash" if chance.random() < 0.5 else "fast"
        await asyncio.to_thread(server.restart, how)
        return f"restart the database ({how})"

    port = free_port()
    thinking = agent.Model(chance)
    async with Till(chance) as till, ModelServer(thinking) as model:
        desk = agent.write(folder / "desk", model=model.base_url, till=till.url)
        environ = {"POINTSMAN_DATABASE": url}
        served = ("serve", str(desk), "--no-worker", "--port", str(port))
        fight = Fight(
            plan=plan,
            folder=folder,
            chance=chance,
            model=thinking,
            site=Site(port),
            processes=[
                Process("server", folder, *served, **environ),
                Process("worker 1", folder, "worker", str(desk), **environ),
                Process("worker 2", folder, "worker", str(desk), **environ),
            ],
            restart=restart,
        )
        return await _fought(fight, postgres(url), till, desk)


async def on_sqlite(folder: Path, plan: Plan) -> tuple[Fight, Verdict]:
    """One server on a SQLite file, which is killed again and again."""
    chance, port = Random(plan.seed), free_port()
    thinking = agent.Model(chance)
    async with Till(chance) as till, ModelServer(thinking) as model:
        desk = agent.write(folder / "desk", model=model.base_url, till=till.url)
        data = folder / "data"
        served = ("serve", str(desk), "--port", str(port), "--data", str(data))
        fight = Fight(
            plan=plan,
            folder=folder,
            chance=chance,
            model=thinking,
            site=Site(port),
            processes=[Process("server", folder, *served)],
        )
        data.mkdir()
        return await _fought(fight, sqlite(data / "pointsman.db"), till, desk)


async def _fought(fight: Fight, store: Store, till: Till, desk: Path) -> tuple[Fight, Verdict]:
    try:
        await fight.hold(store)
        verdict = await judge(
            store, till, desk, SystemClock(), accepted=fight.accepted, streams=fight.streams
        )
    finally:
        await store.aclose()
    return fight, verdict
