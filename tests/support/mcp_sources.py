"""What the MCP tests share: starting a source on a server of ours, and a clock that waits."""

import json
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel

from pointsman.adapters.tools.mcp import McpServer
from pointsman.adapters.tools.mcp_settings import McpSettings
from pointsman.domain.tools import ToolResult
from pointsman.ports import CallContext, Tool
from tests.support.fake_clock import START, FakeClock

HERE = Path(__file__).parent
RAW = (sys.executable, "-S", "-m", "tests.support.raw_mcp_server")
OFFICIAL = (sys.executable, str(HERE / "official_mcp_server.py"))


class HeldClock(FakeClock):
    """A clock whose sleepers wait until the test lets them go on."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep, self.wake = anyio.Event(), anyio.Event()

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.asleep.set()
        await self.wake.wait()

    def let_go(self) -> None:
        """Wake who sleeps now."""
        self.wake.set()
        self.asleep, self.wake = anyio.Event(), anyio.Event()


def ignore(fraction: float | None, message: str) -> None:
    """Progress that nobody watches."""


def context(progress: Callable[[float | None, str], None] = ignore) -> CallContext:
    return CallContext(
        run="r",
        conversation="c",
        user="u",
        agent="a",
        input="",
        language="en",
        now=START,
        key="r/1.0",
        progress=progress,
    )


@asynccontextmanager
async def running(
    *, clock: FakeClock | None = None, settle: bool = True, **settings: Any
) -> AsyncGenerator[McpServer]:
    """A source that is open, and ready unless told otherwise."""
    given: dict[str, Any] = {"name": "s", "startup_timeout": 10.0, "call_timeout": 10.0} | settings
    server = McpServer(
        McpSettings(**given), clock or HeldClock(), environ={"TOKEN": "tok-12345678"}
    )
    await server.open()
    try:
        if settle:
            await server.settle()
        yield server
    finally:
        await server.aclose()


def raw(**env: Any) -> dict[str, Any]:
    """Settings for a process of ``raw_mcp_server``."""
    values = {name: v if isinstance(v, str) else json.dumps(v) for name, v in env.items()}
    return {"command": RAW, "cwd": str(HERE.parent.parent), "env": values}


def tool(server: McpServer, original: str) -> Tool:
    """The tool that the server calls so."""
    return next(tool for tool in server.tools() if tool.spec.original == original)


async def call(server: McpServer, original: str, **arguments: Any) -> ToolResult:
    return await tool(server, original).call(arguments, context())


async def heard(server: McpServer, method: str) -> list[dict[str, Any]]:
    """The messages of a method that a raw server has received."""
    history = await call(server, "history")
    return [message for message in history.data["heard"] if message.get("method") == method]


def originals(server: McpServer) -> list[str]:
    return [tool.spec.original for tool in server.tools()]


async def settled(server: McpServer, *offered: str) -> None:
    """Settle until news that are on their way have arrived, and the server offers these tools."""
    with anyio.fail_after(60):
        while not set(offered) <= set(originals(server)):
            await server.settle()
            await anyio.lowlevel.checkpoint()


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that others bring about."""
    with anyio.fail_after(60):
        while not holds():
            await anyio.lowlevel.checkpoint()


def fifo(path: Path) -> str:
    os.mkfifo(path)
    return str(path)
