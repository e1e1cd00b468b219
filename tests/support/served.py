"""``pointsman serve`` as a process of its own, on a clock that a test moves.

python -m tests.support.served AGENT_FOLDER CLOCK_FILE
"""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import anyio
from msgspec import Struct

from pointsman import settings
from pointsman.entrypoints.cli.serve import serve
from pointsman.entrypoints.cli.terminal import Terminal
from tests.support.file_clock import FileClock

PASSWORD = "a good long password"


class Served(Struct, frozen=True):
    """The running server: its address, and the code that lets the first administrator in."""

    url: str
    code: str


@asynccontextmanager
async def served(folder: Path, clock: Path) -> AsyncIterator[Served]:
    """The server of an agent folder; it is killed at the end."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("POINTSMAN_")}
    with (folder.parent / "server.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.support.served", str(folder), str(clock)),
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env={**kept, "NO_PROXY": "127.0.0.1"},
        )
    try:
        async with asyncio.timeout(60):
            found = await _greeting(process)
        yield Served(found["url"], found["code"])
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _greeting(process: asyncio.subprocess.Process) -> re.Match[str]:
    assert process.stdout is not None
    told = ""
    while (found := re.search(r"(?P<url>http://[\w.:]+)/setup/(?P<code>[\w-]+)", told)) is None:
        line = await process.stdout.readline()
        assert line, f"the server ended at its start: {told}"
        told += line.decode()
    return found


class Person:
    """Somebody who is signed in, with his own cookies."""

    def __init__(self, http: aiohttp.ClientSession, csrf: str) -> None:
        self.http, self._csrf = http, csrf

    async def call(self, method: str, path: str, **body: Any) -> Any:
        """What the server answers."""
        async with self.http.request(
            method, path, json=body or None, headers={"X-CSRF-Token": self._csrf}
        ) as answer:
            assert answer.ok, await answer.text()
            return await answer.json()


@asynccontextmanager
async def signed_in(url: str, path: str, **body: str) -> AsyncIterator[Person]:
    """A person who came in by this request."""
    jar = aiohttp.CookieJar(unsafe=True)  # keeps those of an address without a name too
    async with aiohttp.ClientSession(url, cookie_jar=jar) as http:
        async with http.post(path, json=body) as answer:
            assert answer.ok, await answer.text()
        async with http.get("/api/session") as answer:
            yield Person(http, (await answer.json())["csrf"])


if __name__ == "__main__":
    agent, on = map(Path, sys.argv[1:])
    loaded = settings.load(os.environ, folder=agent)
    anyio.run(
        partial(
            serve,
            [agent],
            loaded,
            Terminal("en"),
            host="127.0.0.1",
            port=0,
            clock=FileClock(on),
        )
    )
