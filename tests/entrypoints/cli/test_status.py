"""How the runs, the queue and the workers stand, on a file and on PostgreSQL; and workers."""

import asyncio
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.domain import events as ev
from pointsman.engine.journal import Journal
from pointsman.engine.recovery import park
from tests.support.command import Command, until
from tests.support.engine import message, service_of


def parked(path: Path) -> str:
    """A run in the database that worker after worker was lost on."""

    async def make() -> str:
        store = sqlite(path)
        service = await service_of(["never"], store=store)
        run = await service.submit(message())
        journal = await Journal.open(store, service._bus, SystemClock(), run)
        now = journal.clock.now()
        journal.record(ev.RunStarted(at=now, system="s", model="m"))
        journal.record(ev.ModelAsked(at=now, turn=1, tools=(), tool_choice="auto"))
        await park(journal)
        await service.aclose()
        return run

    return asyncio.run(make())


def queued(path: Path) -> str:
    """A run in the database that nobody has taken up."""

    async def make() -> str:
        service = await service_of(["never"], store=sqlite(path))
        run = await service.submit(message())
        await service.aclose()
        return run

    return asyncio.run(make())


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "pointsman.db"


def test_a_database_where_nothing_waits_is_well(cafe: Command) -> None:
    cafe.run("ask", "cafe", "who are you?")
    state = cafe.json("status")
    assert set(state["runs"]) >= {"queued", "running", "waiting", "parked"}
    assert not any(state["runs"].values())
    assert (state["oldest_queued"], state["workers"], state["server"]) == (None, [], None)
    assert "0 queued" in cafe.run("status").stdout


def test_a_run_that_waits_and_nobody_to_drive_it_is_said(cafe: Command, database: Path) -> None:
    run = queued(database)
    place = ("--data", str(database.parent))
    state = cafe.json("status", *place, code=1)
    assert state["runs"]["queued"] == 1
    assert state["oldest_queued"]["run"] == run
    said = cafe.run("status", *place, code=1).stdout
    assert f"Waits longest: {run}" in said
    assert "nobody works" in said


def test_a_parked_run_is_shown_and_a_person_lets_it_go_on(cafe: Command, database: Path) -> None:
    run = parked(database)
    place = ("--data", str(database.parent))
    assert [one["run"] for one in cafe.json("status", *place, code=1)["parked"]] == [run]
    assert "1 runs are parked" in cafe.run("status", *place, code=1).stdout
    assert [one["run"] for one in cafe.json("runs", "list", "--status", "parked", *place)] == [run]
    assert "parked" in cafe.run("runs", "show", run, *place).stdout
    done = cafe.run("runs", "resume", run[:18], "--by", "fay", "--reason", "mended", *place)
    assert f"Run {run} goes on" in done.stdout
    assert "fay lets it go on: mended" in cafe.run("runs", "show", run, *place).stdout
    cafe.run("runs", "resume", run, *place, code=2)


def test_a_parked_run_can_be_cancelled(cafe: Command, database: Path) -> None:
    run, place = parked(database), ("--data", str(database.parent))
    cafe.run("runs", "cancel", run, *place)
    assert [one["status"] for one in cafe.json("runs", "list", *place)] == ["cancelled"]


def test_nobody_asks_about_a_database_that_is_not_there(cafe: Command) -> None:
    assert "database" in cafe.run("status", code=2).stderr


def test_workers_and_servers_without_one_need_a_database_that_is_shared(cafe: Command) -> None:
    assert "need a PostgreSQL database" in cafe.run("worker", "cafe", code=2).stderr
    refused = cafe.run("serve", "cafe", "--no-worker", "--port", "0", code=2)
    assert "--no-worker" in refused.stderr


@pytest.mark.slow
def test_a_worker_shows_itself_and_signs_off_when_it_is_told_to_stop(
    cafe: Command, postgres_url: str
) -> None:
    cafe.environment["POINTSMAN_DATABASE"] = postgres_url
    with cafe.started("worker", "cafe", "--concurrency", "3") as worker:
        until(worker, "Worker ")
        state = _with_worker(cafe)
        [shown] = state["workers"]
        assert (shown["alive"], shown["concurrency"], shown["agents"]) == (True, 3, ["cafe"])
        assert f":{worker.pid}" in shown["name"]
        assert "alive since" in cafe.run("status").stdout
        _stopped(worker)
    assert cafe.json("status")["workers"] == []


def _with_worker(cafe: Command) -> Any:
    """The state when the worker has signed on."""
    while not (state := cafe.json("status"))["workers"]:
        continue
    return state


def _stopped(worker: subprocess.Popen[str]) -> None:
    worker.send_signal(signal.SIGTERM)
    _, log = worker.communicate(timeout=60)
    assert worker.returncode == 0, log
    assert "Traceback" not in log


@pytest.mark.slow
def test_a_question_at_the_terminal_is_answered_there_on_a_shared_database(
    cafe: Command, postgres_url: str
) -> None:
    cafe.environment["POINTSMAN_DATABASE"] = postgres_url
    asked = cafe.json("ask", "cafe", "who are you?")
    assert asked["status"] == "done"
    state = cafe.json("status")
    assert state["queue"] == {"waiting": 0, "driven": 0}
    assert state["runs"]["queued"] == 0
