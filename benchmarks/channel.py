"""Many tabs that stream at once from one server process: is every piece there, how late is it, and
what does a tab cost? ``python -m benchmarks.channel [tabs] [tokens] [tokens a second]``.

The server is a process of its own, with a model that says one token after another, each when its
time has come. The first says when that began; the reader compares the others' times with its own
clock (one machine, one clock).
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp
import anyio
import uvicorn

from pointsman.domain.messages import ModelReply, ModelRequest, TextDelta
from pointsman.entrypoints.web.app import create_app
from pointsman.entrypoints.web.http_server import configured
from pointsman.settings import Serving, Settings
from tests.support.engine import service_of
from tests.support.function_model import FunctionModel, Tell, reply

TABS, TOKENS, RATE = 50, 3000, 100
MARK = "·"


async def serve(tokens: int, rate: float) -> None:
    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        begun = time.monotonic()
        said = [f"begun at {begun:.4f}{MARK}"] + [f"word{MARK}"] * (tokens - 1)
        for number, token in enumerate(said):
            await anyio.sleep(max(begun + number / rate - time.monotonic(), 0))
            tell(TextDelta(token))
        return reply("".join(said))

    service = await service_of(FunctionModel(ask))
    app = create_app(service, Settings(serving=Serving(sockets=1000)))
    config = configured(app, app.state.settings.serving)
    config.port, config.lifespan = 0, "on"
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await server.main_loop()


class Tab:
    """One tab: the lags of its tokens, its frames, and the longest silence between two."""

    def __init__(self, rate: float) -> None:
        self._rate, self._begun = rate, 0.0
        self.lags: list[float] = []
        self.frames = 0
        self.silence = 0.0

    async def watch(self, http: aiohttp.ClientSession) -> None:
        async with http.ws_connect("/api/channel") as socket:
            async with http.post("/api/messages", json={"agent": "desk", "text": "go"}) as answer:
                run = (await answer.json())["run"]
            await socket.send_json({"op": "open", "topic": f"run:{run}"})
            last = 0.0
            async for message in socket:
                frame = message.json()
                if frame["event"] == "end":
                    return
                if frame["event"] != "text":
                    continue
                now = time.monotonic()
                self.frames += 1
                self.silence = max(self.silence, now - last) if last else 0.0
                last = now
                said = frame["data"]["text"].split(MARK)[:-1]
                if not self.lags:
                    self._begun = float(said[0].rpartition(" ")[2])
                read = len(self.lags)
                due = (
                    self._begun + number / self._rate for number in range(read, read + len(said))
                )
                self.lags += [now - one for one in due]


def memory(pid: int) -> int:
    """Bytes that the process holds."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def seconds(pid: int) -> float:
    """Processor time of the process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def idle_cost(http: aiohttp.ClientSession, pid: int, tabs: int) -> float:
    """Bytes that a tab costs which watches what the console's tabs always watch."""
    sockets: list[Any] = [await http.ws_connect("/api/channel") for _ in range(tabs)]
    before = memory(pid)
    more: list[Any] = [await http.ws_connect("/api/channel") for _ in range(tabs)]
    for socket in more:
        for topic in ("runs", "approvals"):
            await socket.send_json({"op": "open", "topic": topic})
            await socket.receive()
    cost = (memory(pid) - before) / tabs
    for socket in sockets + more:
        await socket.close()
    return cost


async def measure(tabs: int, tokens: int, rate: float) -> None:
    command = [sys.executable, "-m", "benchmarks.channel", "serve", str(tokens), str(rate)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: ASYNC220
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        connector = aiohttp.TCPConnector(limit=0)
        try:
            async with aiohttp.ClientSession(url, connector=connector) as http:
                idle = await idle_cost(http, server.pid, 100)
                seen = [Tab(rate) for _ in range(tabs)]
                spent, began = seconds(server.pid), time.monotonic()
                async with anyio.create_task_group() as tasks:
                    for tab in seen:
                        tasks.start_soon(tab.watch, http)
                took = time.monotonic() - began
                spent = seconds(server.pid) - spent
                held = memory(server.pid)
        finally:
            server.kill()
    lags = sorted(lag for tab in seen for lag in tab.lags)
    whole = sum(len(tab.lags) == tokens for tab in seen)
    print(f"{tabs} tabs, {tokens} tokens each at {rate:g} a second, {took:.1f} s")
    print(f"  tabs that read every token        {whole} of {tabs}")
    print(
        f"  token said until read             median {statistics.median(lags) * 1000:.0f} ms, "
        f"99 % {lags[int(len(lags) * 0.99)] * 1000:.0f} ms, worst {lags[-1] * 1000:.0f} ms"
    )
    print(f"  longest silence of any tab        {max(t.silence for t in seen) * 1000:.0f} ms")
    print(
        "  frames of a tab                   "
        f"{statistics.mean(tab.frames for tab in seen) / took:.1f} a second"
    )
    print(f"  the server's processor            {spent / took * 100:.0f} % of one core")
    print(f"  the server's memory at the end    {held / 1e6:.0f} MB")
    print(f"  memory of an idle tab, two topics {idle / 1000:.0f} kB")


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["serve"]:
        anyio.run(serve, int(arguments[1]), float(arguments[2]))
    else:
        given = [float(TABS), float(TOKENS), float(RATE)]
        given[: len(arguments)] = map(float, arguments)
        tabs, tokens, rate = given
        anyio.run(measure, int(tabs), int(tokens), rate)


if __name__ == "__main__":
    main(sys.argv[1:])
