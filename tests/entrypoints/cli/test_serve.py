"""The server as a process: where it listens, what it owns, how it stops and takes up again."""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from tests.support.command import Command, until, wait_for


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.com", "10.0.0.1", ""])
def test_an_address_that_others_reach_is_refused(cafe: Command, host: str) -> None:
    if host:
        refused = cafe.run("serve", "cafe", "--host", host, "--port", "0", code=2)
    else:
        refused = cafe.run("serve", "cafe", "--port", "0", code=2, POINTSMAN_HOST="0.0.0.0")
    assert "others can reach it" in refused.stderr or "expected an address" in refused.stderr
    assert not list(cafe.folder.glob("**/*.lock"))


def test_a_port_that_is_taken_is_named(cafe: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = cafe.run("serve", "cafe", "--port", port, code=2)
    assert f"port {port}: Address already in use" in refused.stderr


def test_two_agents_of_one_name_are_refused(cafe: Command) -> None:
    cafe.run("init", "twice/cafe")
    refused = cafe.run("serve", "cafe", "twice/cafe", "--port", "0", code=2)
    assert "same name" in refused.stderr


class Served:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], greeting: str) -> None:
        self.process, self.greeting = process, greeting
        (self.url,) = re.findall(r"serves? .*? on (http://[\d.:]+);", greeting)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        request = Request(
            self.url + path,
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with build_opener(ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)

    def stop(self) -> str:
        """End it as a service manager does; what it logged."""
        self.process.send_signal(signal.SIGTERM)
        _, log = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, log
        assert "Traceback" not in log
        return log


@contextmanager
def serving(command: Command, *arguments: str) -> Iterator[Served]:
    with command.started("serve", *arguments, "--port", "0") as process:
        yield Served(process, until(process, "-d '"))


@pytest.mark.slow
def test_one_server_owns_a_database_answers_and_stops_on_a_signal(cafe: Command) -> None:
    with serving(cafe, "cafe") as server:
        assert '{"model": "cafe", "messages"' in server.greeting
        answer = server.post(
            "/v1/chat/completions",
            {"model": "cafe", "messages": [{"role": "user", "content": "who are you?"}]},
        )
        assert answer["choices"][0]["message"]["content"] == "I am the desk of the café."
        second = cafe.run("serve", "cafe", "--port", "0", code=2)
        assert f"process {server.process.pid} on " in second.stderr
        assert f" {server.url}); stop it" in second.stderr
        assert f"served by process {server.process.pid}" in cafe.run("doctor", "cafe").stdout
        assert "stopped" in server.stop()


@pytest.mark.slow
def test_a_killed_server_leaves_no_lock_and_the_next_takes_its_runs_up(command: Command) -> None:
    mark = command.slow_agent() / "lingers"
    with serving(command, "slow") as server:
        run = server.post("/api/messages", {"agent": "slow", "text": "linger"})["run"]
        wait_for(mark)
        server.process.kill()
        server.process.wait(timeout=60)
    with serving(command, "slow") as server:
        wait_for(mark)
        assert "is cancelled" in command.run("runs", "cancel", run).stdout
        assert "cancelled by local" in command.run("runs", "show", run).stdout
        assert "1 unfinished runs are taken up again" in server.stop()


@pytest.mark.slow
def test_a_run_in_flight_is_left_to_the_next_start(command: Command) -> None:
    mark = command.slow_agent() / "lingers"
    command.environment["POINTSMAN_SERVER_GRACE"] = "0.5"
    with serving(command, "slow") as server:
        run = server.post("/api/messages", {"agent": "slow", "text": "linger"})["run"]
        wait_for(mark)
        server.stop()
    assert command.json("runs", "show", run)["status"] == "running"


@pytest.mark.slow
def test_decisions_reach_the_server_and_it_carries_the_run_on(cafe: Command) -> None:
    booking = "book a table for 2 people tomorrow under the name Bo"
    with serving(cafe, "cafe") as server:
        runs = [
            server.post("/api/messages", {"agent": "cafe", "text": booking})["run"]
            for _ in range(2)
        ]
        for run in runs:
            cafe.reach(run, "waiting")
        approved = cafe.run("approvals", "approve", runs[0])
        assert "server carries the run on" in approved.stderr
        cafe.run("approvals", "deny", runs[1])
        assert "Booked for Bo" in cafe.reach(runs[0], "done")["reply"]
        assert [call["status"] for call in cafe.reach(runs[1], "done")["calls"]] == ["refused"]
        server.stop()
