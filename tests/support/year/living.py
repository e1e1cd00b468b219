"""Lets the time of real processes pass, and kills them at random moments."""

import asyncio
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from aiohttp import web

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.notices.delivery import DeliveryStatus
from pointsman.domain.reminders import reminder_moves as moves
from pointsman.domain.runs import RunStatus
from tests.support.file_clock import FileClock
from tests.support.year.judging import Verdict, judged
from tests.support.year.plan import ROOMS, Span, reminders

_AGENT = """\
agent: desk
language: en
offline: {fallback: Noted.}
"""
_SETTINGS = """\
alerts = ["admin"]

[channels.hook]
kind = "webhook"
rooms = { ROOMS }
idempotent = true
"""
PATIENCE = 120.0
"""Seconds after which what is not done counts as lost."""
_GOING = tuple(one for one in RunStatus if not one.ended)
_OPEN = tuple(one for one in DeliveryStatus if not one.ended)


class StandIn:
    """A service that takes a letter with a known key once: it notes when each came."""

    def __init__(self, clock: FileClock) -> None:
        self.arrived: dict[str, list[datetime]] = defaultdict(list)
        self._clock = clock

    async def take(self, request: web.Request) -> web.Response:
        await request.read()
        self.arrived[request.headers["Idempotency-Key"]].append(self._clock.now())
        return web.json_response({"ok": True})

    @asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        """Its address while inside."""
        app = web.Application()
        app.router.add_post("/", self.take)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
        finally:
            await runner.cleanup()


class Engine:
    """One process, which can be killed and started again."""

    def __init__(self, name: str, folder: Path, environ: dict[str, str]) -> None:
        self._folder, self._log = folder, folder / f"{name}.log"
        self._environ = {**os.environ, "NO_PROXY": "127.0.0.1", **environ}
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.support.year.process",
                *(str(self._folder / name) for name in ("desk", "pointsman.toml", "clock")),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=self._environ,
            )
        assert self._process.stdout is not None
        if not await self._process.stdout.readline():
            raise RuntimeError(f"it did not start: {self._log.read_text()[-2000:]}")

    async def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
            await self._process.wait()


class World:
    """A span of time with its processes and its database."""

    def __init__(self, folder: Path, span: Span, database: str, *, processes: int) -> None:
        """Args:
        database: as the settings name it.
        """
        self._span, self._random = span, Random(span.seed)
        self._folder = folder
        self.clock = FileClock(folder / "clock", span.start)
        self._stand_in = StandIn(self.clock)
        (folder / "desk").mkdir()
        (folder / "desk" / "agent.yaml").write_text(_AGENT)
        rooms = ", ".join(f'{room} = "HOOK_URL"' for room in ROOMS)
        (folder / "pointsman.toml").write_text(_SETTINGS.replace("ROOMS", rooms))
        self._database = database
        url = database.startswith("postgresql")
        self.store: SqlStore = postgres(database) if url else sqlite(Path(database))
        self._count = processes
        self._engines: list[Engine] = []

    async def live(self, tell: Callable[[str], None]) -> Verdict:
        """Let the span pass, with its kills; what came of it."""
        for one in reminders(self._span):
            begun = moves.begun(one, self._span.start, None)
            await self.store.reminders.add(moves.named(begun, self.clock.new_id))
        async with self._stand_in.open() as url:
            environ = {"HOOK_URL": url, "POINTSMAN_DATABASE": self._database}
            self._engines = [
                Engine(f"engine{number}", self._folder, environ) for number in range(self._count)
            ]
            try:
                for engine in self._engines:
                    await engine.start()
                await self._pass(tell)
            finally:
                for engine in self._engines:
                    await engine.kill()
        return await judged(self.store, self._span, self._stand_in.arrived)

    async def _pass(self, tell: Callable[[str], None]) -> None:
        times = self._times()
        chosen = self._random.sample(range(len(times)), self._span.kills + self._span.jumps)
        kills, jumps = set(chosen[: self._span.kills]), set(chosen[self._span.kills :])
        for number, instant in enumerate(times):
            if self._random.random() < 0.1:
                await self._tick_past(instant)
            self.clock.set(max(instant, self.clock.now()))
            if number in kills:
                await self._kill()
            if number in jumps:
                await self._caught_up()
                self.clock.set(instant - timedelta(minutes=self._random.randrange(2, 180)))
                await self._caught_up()
                self.clock.set(max(instant, self.clock.now()))
            await self._caught_up()
            if number % 200 == 0:
                tell(f"{instant:%Y-%m-%d %H:%M}")

    def _times(self) -> list[datetime]:
        times, at = [], self._span.start
        while at < self._span.end:
            hours = self._random.uniform(0.5, self._span.steps)
            at = min(at + timedelta(hours=hours), self._span.end)
            times.append(at)
        return times

    async def _tick_past(self, instant: datetime) -> None:
        """Let the next occasion before the instant come by itself."""
        due = await self.store.reminders.next_due()
        if due is not None and self.clock.now() < due < instant:
            self.clock.set(due - timedelta(seconds=0.2))
            await asyncio.sleep(0.3)

    async def _kill(self) -> None:
        """Kill one in the middle of what has just come due; sometimes time passes without it."""
        one = self._random.choice(self._engines)
        await asyncio.sleep(self._random.choice((0.0, 0.01, 0.03, 0.1)) * self._random.random() * 2)
        await one.kill()
        if self._random.random() < 0.5:
            self.clock.set(self.clock.now() + timedelta(hours=self._random.uniform(0, 0.4)))
        await one.start()

    async def _caught_up(self) -> None:
        """Wait until nothing is due, on its way or running."""
        begun, pushed = time.monotonic(), time.monotonic()
        while not await self._is_caught_up():
            await asyncio.sleep(0.01)
            now = time.monotonic()
            if now - begun > PATIENCE:
                raise TimeoutError(f"not caught up at {self.clock.now()}")
            if now - pushed > 2.0:  # leases run out, and what is tried again is
                self.clock.set(self.clock.now() + timedelta(seconds=11))
                pushed = now

    async def _is_caught_up(self) -> bool:
        due = await self.store.reminders.next_due()
        if due is not None and due <= self.clock.now():
            return False
        if await self.store.outbox.deliveries(status=_OPEN, limit=1):
            return False
        return not await self.store.records(status=_GOING, limit=1)


async def lived(
    folder: Path,
    span: Span,
    database: str = "",
    *,
    processes: int = 1,
    tell: Callable[[str], None] = lambda words: None,
) -> Verdict:
    """A span of time on a database, SQLite by default."""
    world = World(folder, span, database or str(folder / "year.db"), processes=processes)
    try:
        return await world.live(tell)
    finally:
        await world.store.aclose()
