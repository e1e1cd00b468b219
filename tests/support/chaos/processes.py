"""Servers and workers as real processes, which a supervisor starts again when they die."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import aiohttp

PAUSE = 0.3
"""Seconds before a process that died is started again."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Process:
    """A ``pointsman`` command that is kept running.

    Attributes:
        deaths: how often it was found dead.
        asleep: it is stopped by a signal.
    """

    def __init__(self, name: str, folder: Path, *command: str, **environ: str) -> None:
        self.name = name
        self._command = (str(Path(sys.executable).parent / "pointsman"), *command)
        self._environ = {**os.environ, "NO_PROXY": "127.0.0.1", **environ}
        self._log = folder / f"{name}.log"
        self._process: asyncio.subprocess.Process | None = None
        self.deaths = 0
        self.asleep = False

    async def keep(self) -> None:
        """Run it, and again when it dies, until cancelled; then kill it."""
        with self._log.open("ab") as log:
            try:
                while True:
                    self._process = await asyncio.create_subprocess_exec(
                        *self._command, stdout=log, stderr=log, env=self._environ
                    )
                    await self._process.wait()
                    self.deaths += 1
                    self.asleep = False
                    await asyncio.sleep(PAUSE)
            finally:
                self.send(signal.SIGKILL)
                if self._process is not None:
                    await self._process.wait()

    @property
    def pid(self) -> int:
        """Of the process that runs now."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def send(self, number: signal.Signals) -> None:
        """Send it a signal if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    async def sleep(self, seconds: float) -> None:
        """Stop it for a while."""
        self.asleep = True
        self.send(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.send(signal.SIGCONT)
            self.asleep = False

    def log(self) -> str:
        """What it has written."""
        return self._log.read_text(encoding="utf-8", errors="replace")


class Site:
    """A server as a client sees it: it may be away."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    async def say(self, client: aiohttp.ClientSession, agent: str, text: str, talk: str) -> str:
        """Hand a message over, however often it takes; the id of its run. A message whose answer
        was lost is said again, and makes a second run."""
        body = {"agent": agent, "text": text, "conversation": talk}
        while True:
            try:
                async with asyncio.timeout(10):
                    async with client.post(f"{self.url}/api/messages", json=body) as answer:
                        if answer.status == 202:
                            return str((await answer.json())["run"])
            except (aiohttp.ClientError, TimeoutError, OSError):
                """It is away."""
            await asyncio.sleep(0.2)

    async def answers(self, client: aiohttp.ClientSession) -> None:
        """Wait until it does."""
        while True:
            try:
                async with asyncio.timeout(2):
                    async with client.get(f"{self.url}/healthz") as answer:
                        if answer.status == 200:
                            return
            except (aiohttp.ClientError, TimeoutError, OSError):
                """It is away."""
            await asyncio.sleep(0.1)

    async def follow(
        self, client: aiohttp.ClientSession, run: str, seen: list[int] | None = None
    ) -> list[int]:
        """The positions of all events of a run, however often the stream breaks.

        Args:
            seen: those that were seen before.
        """
        seen = [] if seen is None else seen
        while not await self.follow_once(client, run, seen):  # noqa: ASYNC110 - it is away
            await asyncio.sleep(0.2)
        return seen

    async def follow_once(self, client: aiohttp.ClientSession, run: str, seen: list[int]) -> bool:
        """Read on until the stream breaks or ends; whether it came to its end."""
        headers = {"Last-Event-ID": str(seen[-1])} if seen else {}
        url = f"{self.url}/api/runs/{run}/events"
        try:
            async with client.get(url, headers=headers) as told:
                return told.status == 200 and await _read(told, seen)
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False


async def _read(told: aiohttp.ClientResponse, seen: list[int]) -> bool:
    """Read a stream; whether it came to its end."""
    async for line in told.content:
        if line.startswith(b"id: "):
            seen.append(int(line[4:]))
        elif line.startswith(b"event: end"):
            return True
    return False
