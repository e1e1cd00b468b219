"""``pointsman db prune`` on a journal that is a hundred days old."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from tests.support.command import Command
from tests.support.fake_clock import FakeClock
from tests.support.journals import filled

KEY: dict[str, Any] = {"POINTSMAN_AUDIT_KEY": "kept elsewhere"}
OLD = ("db", "prune", "--older-than", "90d")


async def fill(database: str) -> None:
    """Write a run of every kind, a hundred days ago."""
    store = postgres(database) if "://" in database else sqlite(Path(database))
    service = await filled(store, FakeClock(SystemClock().now() - timedelta(days=100)))
    await service.aclose()


@pytest.fixture(params=["sqlite", "postgres"])
def old(command: Command, request: pytest.FixtureRequest) -> Command:
    if request.param == "postgres":
        database = request.getfixturevalue("empty_postgres_url")
    else:
        database = str(command.folder / "pointsman.db")
    anyio.run(fill, database)
    command.environment["POINTSMAN_DATABASE"] = database
    return command


def count(command: Command) -> int:
    return len(command.json("runs", "list", "--limit", "100"))


def test_what_is_old_is_removed_and_the_audit_still_holds(old: Command) -> None:
    before = count(old)
    head = str(old.folder / "head.json")
    old.run("audit", "head", "--output", head, **KEY)
    pruned = old.run(*OLD, "--by", "li", **KEY).stdout
    assert "Removed" in pruned
    waiting = count(old)
    assert 0 < waiting < before
    told = old.run("audit", "verify", "--head", head, **KEY).stdout
    assert f"{before - waiting} more runs were pruned, and are accounted for" in told
    assert "All that the head" in told
    assert "was not checked: set POINTSMAN_AUDIT_KEY" in old.run("audit", "verify").stdout
    again = old.run("audit", "head", **KEY).stdout
    assert f'"runs": {before}' in again
    told = old.run("db", "check", **KEY).stdout
    assert f"{before - waiting} runs were pruned" in told


def test_a_rehearsal_says_the_same_and_removes_nothing(old: Command) -> None:
    before = count(old)
    assert "Would remove" in old.run(*OLD, "--dry-run").stdout
    assert count(old) == before
    rehearsed = old.run(*OLD, "--dry-run", "--json").stdout
    done = old.run(*OLD, "--json", **KEY).stdout
    assert '"removed": false' in rehearsed
    assert '"runs": ' in done
    assert '"removed": true' in done


def test_what_is_young_enough_or_to_be_kept_stays(old: Command) -> None:
    before = count(old)
    old.run("db", "prune", "--older-than", "26w", **KEY)
    old.run(*OLD, "--keep-agent", "desk", **KEY)
    assert count(old) == before
    (lost,) = old.json("runs", "list", "--user", "bo")
    old.run(*OLD, "--keep", lost["run"], **KEY)
    assert old.json("runs", "list", "--user", "bo") == [lost]


def test_without_the_key_it_takes_a_word(old: Command) -> None:
    before = count(old)
    assert "POINTSMAN_AUDIT_KEY" in old.run(*OLD, code=2).stderr
    assert "such as 90d" in old.run("db", "prune", "--older-than", "soon", **KEY, code=2).stderr
    assert count(old) == before
    old.run(*OLD, "--unsigned")
    assert count(old) < before
    old.run("audit", "verify")
    assert "is not signed" in old.run("audit", "verify", code=1, **KEY).stdout


def test_a_signature_of_another_key_is_found(old: Command) -> None:
    old.run(*OLD, **KEY)
    told = old.run("audit", "verify", code=1, POINTSMAN_AUDIT_KEY="another").stdout
    assert "signed with another key" in told
