"""A server that is told to stop: what runs ends by itself, who watches is told to come back."""

import json
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.support.command import Command, until, wait_for

AGENT = """\
agent: slow
language: en
tools:
  - python: tools:linger
offline:
  calls:
    linger: {tool: linger, when: [linger]}
  fallback: What?
"""
TOOLS = '''\
from pathlib import Path

import anyio

from pointsman import Risk, tool

HERE = Path(__file__).parent


@tool(risk=Risk.READ, timeout=300)
async def linger() -> str:
    """Take until somebody says go."""
    (HERE / "lingers").touch()
    while not (HERE / "go").exists():
        await anyio.sleep(0.02)
    return "done"
'''


class Server:
    """A running server with a run in flight."""

    def __init__(self, process: Popen[str], command: Command) -> None:
        self.process, self.command = process, command
        self.folder = command.folder / "slow"
        (self.url,) = re.findall(r"on (http://[\d.:]+);", until(process, "-d '"))
        self.run = self.post("/api/messages", {"agent": "slow", "text": "linger"})["run"]
        wait_for(self.folder / "lingers")
        command.reach(self.run, "running")

    def post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        request = Request(self.url + path, data=json.dumps(body).encode(), headers=headers)
        with build_opener(ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)

    def until_closed(self) -> None:
        """Return when nobody listens there any more."""
        host, _, port = self.url.removeprefix("http://").partition(":")
        while True:
            try:
                socket.create_connection((host, int(port)), timeout=5).close()
            except OSError:
                return

    @property
    def status(self) -> str:
        status: str = self.command.json("runs", "show", self.run)["status"]
        return status


@contextmanager
def lingering(folder: Path, grace: float) -> Iterator[Server]:
    command = Command(folder)
    (folder / "slow").mkdir()
    (folder / "slow" / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (folder / "slow" / "tools.py").write_text(TOOLS, encoding="utf-8")
    command.environment["POINTSMAN_SERVER_GRACE"] = str(grace)
    with command.started("serve", "slow", "--port", "0") as process:
        yield Server(process, command)


def _read_on(tab: ClientConnection) -> None:
    while True:
        tab.recv(timeout=60)


@pytest.mark.slow
def test_a_run_in_flight_ends_by_itself_in_its_grace(tmp_path: Path) -> None:
    with lingering(tmp_path, 300) as server:
        server.process.send_signal(signal.SIGTERM)
        server.until_closed()
        (server.folder / "go").touch()
        _, log = server.process.communicate(timeout=120)
        assert server.process.returncode == 0, log
        assert "Traceback" not in log
        assert server.status == "done"


@pytest.mark.slow
def test_what_does_not_end_is_left_and_watchers_are_told_to_come_back(tmp_path: Path) -> None:
    with lingering(tmp_path, 0.2) as server:
        address = server.url.replace("http", "ws") + "/api/channel"
        with connect(address, proxy=None) as tab:
            tab.send(json.dumps({"op": "open", "topic": f"run:{server.run}"}))
            assert json.loads(tab.recv())["event"] == "message_received"
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed) as closed:
                _read_on(tab)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        _, log = server.process.communicate(timeout=120)
        assert server.process.returncode == 0, log
        assert "Traceback" not in log
        assert server.status == "running"


@pytest.mark.slow
def test_a_second_signal_ends_the_server_where_it_is(tmp_path: Path) -> None:
    with lingering(tmp_path, 300) as server:
        server.process.send_signal(signal.SIGTERM)
        server.until_closed()
        server.process.send_signal(signal.SIGTERM)
        server.process.communicate(timeout=120)
        assert server.process.returncode == 128 + signal.SIGTERM
        assert server.status == "running"
