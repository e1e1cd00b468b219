"""``kill -9`` of a serving process between a tool's result and the reply, then a restart: the run
ends, and the tool ran once."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.model_server import Answer, ModelServer, Reply, calling
from tests.support.waiting import until_it_is

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

AGENT = """\
agent: desk
model: {{use: compatible, name: m, base_url: "{base_url}"}}
tools:
  - python: tools:book
    risk: {risk}
policy:
  - {{tool: book, then: allow}}
"""
TOOLS = '''\
from pathlib import Path


def book(room: str) -> str:
    """Book a room."""
    with (Path(__file__).parent / "booked.txt").open("a", encoding="utf-8") as booked:
        booked.write(room + "\\n")
    return f"{room} is booked"
'''


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def serving(folder: Path, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """A server process that answers; killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).parent / "pointsman"), "serve", str(folder)),
        *("--port", str(port), "--data", str(folder / "data")),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
    )
    try:
        async with asyncio.timeout(60):
            while not await is_up(port):
                assert process.returncode is None, "the server ended at its start"
                await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def is_up(port: int) -> bool:
    try:
        async with (
            aiohttp.ClientSession() as client,
            client.get(f"http://127.0.0.1:{port}/healthz") as answer,
        ):
            return answer.status == 200
    except aiohttp.ClientError:
        return False


async def call(method: str, url: str, **body: Any) -> Any:
    async with (
        aiohttp.ClientSession(raise_for_status=True) as client,
        client.request(method, url, json=body or None) as answer,
    ):
        return await answer.json()


async def is_stored(trace: str) -> bool:
    events = (await call("GET", trace))["events"]
    return any(one["type"].startswith("attempt_finished") for one in events)


@pytest.mark.parametrize("risk", ["read", "write"])
async def test_a_run_ends_after_kill_9_and_its_tool_ran_once(risk: str, tmp_path: Path) -> None:
    killed = asyncio.Event()

    def model(asked: dict[str, Any]) -> Answer:
        if asked["messages"][-1]["role"] == "user":
            return calling("book", room="201")
        # The first server never gets this answer: it is killed while it waits.
        return Reply(text="Room 201 is yours.", first_byte=killed.wait)

    async with ModelServer(model) as models:
        (tmp_path / "agent.yaml").write_text(AGENT.format(base_url=models.base_url, risk=risk))
        (tmp_path / "tools.py").write_text(TOOLS)
        port = free_port()
        url = f"http://127.0.0.1:{port}/api"
        async with serving(tmp_path, port) as server:
            sent = await call("POST", f"{url}/messages", agent="desk", text="Book room 201.")
            await models.arrived(2)
            # The result of a tool that only reads is stored while the model is asked.
            await until_it_is(lambda: is_stored(f"{url}/runs/{sent['run']}/trace"))
            server.send_signal(signal.SIGKILL)
            await server.wait()
        killed.set()
        async with serving(tmp_path, port):
            async with (
                asyncio.timeout(60),
                aiohttp.ClientSession() as client,
                client.get(f"{url}/runs/{sent['run']}/events") as events,
            ):
                story = (await events.read()).decode()
            run = await call("GET", f"{url}/runs/{sent['run']}")
    assert run["status"] == "done"
    assert run["text"] == "Room 201 is yours."
    assert (tmp_path / "booked.txt").read_text() == "201\n"
    assert story.count("event: attempt_started") == 1
    assert story.count("event: run_resumed") == 1
