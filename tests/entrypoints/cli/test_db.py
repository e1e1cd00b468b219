"""``pointsman db`` on databases that the commands themselves have filled."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pointsman.adapters.store.schema import REVISION
from tests.support.command import Command
from tests.support.postgres import PostgresServer

BOOKING = "book a table for 3 people tomorrow under the name Ann"
KEY: dict[str, Any] = {"POINTSMAN_AUDIT_KEY": "kept elsewhere"}


def fill(command: Command) -> None:
    """Two talks that have ended, and a booking that waits."""
    command.run("ask", "cafe", "when are you open tomorrow?", "--user", "ann")
    command.run("ask", "cafe", BOOKING, "--user", "ann", code=4)
    command.run("ask", "cafe", "who are you?", "--user", "bo")


@pytest.fixture
def asked(cafe: Command) -> Command:
    """Talks in the agent's own file."""
    fill(cafe)
    return cafe


@pytest.fixture(params=["sqlite", "postgres"])
def either(cafe: Command, request: pytest.FixtureRequest) -> Command:
    """Talks in a file, or in PostgreSQL."""
    if request.param == "postgres":
        cafe.environment["POINTSMAN_DATABASE"] = request.getfixturevalue("empty_postgres_url")
    fill(cafe)
    return cafe


def file_of(command: Command) -> Path:
    return command.folder / "cafe" / ".pointsman" / "pointsman.db"


def change(command: Command, sql: str) -> None:
    """Change the database by hand."""
    if url := command.environment.get("POINTSMAN_DATABASE"):
        with psycopg.connect(url, autocommit=True) as postgres:
            postgres.execute(sql.encode())
        return
    with closing(sqlite3.connect(file_of(command))) as sqlite, sqlite:
        sqlite.execute(sql)


def states(checks: Any) -> dict[str, str]:
    return {check["check"]: check["state"] for check in checks["checks"]}


def test_a_database_that_is_well_is_said_to_be(either: Command) -> None:
    checked = either.json("db", "check")
    assert checked["ok"]
    assert states(checked).keys() >= {"database", "integrity", "tables", "journal"}
    told = either.run("db", "check").stdout
    assert "3 runs" in told
    assert "0 runs were pruned" in told
    assert "数据库一切正常。" in either.run("--language", "zh", "db", "check").stdout


def test_a_journal_that_was_changed_is_not_well(either: Command) -> None:
    change(either, "UPDATE runs SET reply = 'x' WHERE status = 'done'")
    checked = either.json("db", "check", code=1)
    assert states(checked)["journal"] == "broken"
    assert "audit verify" in either.run("db", "check", code=1).stdout


def test_a_file_that_is_damaged_is_found_and_not_made_worse(asked: Command) -> None:
    file = file_of(asked)
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * 4096 + whole[8192:])
    checked = asked.json("db", "check", code=1)
    assert not checked["ok"]
    assert "broken" in states(checked).values()


@pytest.mark.parametrize(("at", "mend"), [("0001", "db migrate"), ("9999", "upgrade pointsman")])
def test_tables_of_another_release_are_told(either: Command, at: str, mend: str) -> None:
    change(either, f"UPDATE alembic_version SET version_num = '{at}'")
    told = either.run("db", "check", code=1).stdout
    assert f"the database is at {at}, this release needs {REVISION}" in told
    assert mend in told
    assert "nothing was changed" not in told


def test_migrating_says_what_it_did_and_would_do(asked: Command) -> None:
    assert f"is at {REVISION}, the newest" in asked.run("db", "migrate").stdout
    empty: dict[str, Any] = {"POINTSMAN_DATABASE": "empty.db"}
    (asked.folder / "empty.db").touch()
    told = asked.run("db", "migrate", "--dry-run", **empty).stdout
    assert f"Would bring the database from - to {REVISION}" in told
    done = json.loads(asked.run("db", "migrate", "--json", **empty).stdout)
    assert (done["from"], done["to"], done["migrated"]) == (None, REVISION, True)
    change(asked, "UPDATE alembic_version SET version_num = '9999'")
    for options in ((), ("--dry-run",)):
        assert "upgrade pointsman" in asked.run("db", "migrate", *options, code=2).stderr


def test_a_backup_is_a_whole_database(asked: Command) -> None:
    saved = asked.json("db", "backup", "saved.db")
    backup = asked.folder / "saved.db"
    assert saved["bytes"] == backup.stat().st_size
    assert backup.stat().st_mode & 0o077 == 0
    restored = asked.folder / "restored" / "pointsman.db"
    restored.parent.mkdir()
    backup.rename(restored)
    assert asked.json("audit", "verify", "--data", "restored")["runs"] == 3


@pytest.mark.slow
def test_a_backup_is_made_while_a_server_writes(asked: Command) -> None:
    with asked.started("serve", "cafe", "--port", "0") as server:
        assert server.stdout is not None
        server.stdout.readline()
        asked.run("ask", "cafe", "who are you?")
        asked.run("db", "backup", "saved.db")
    with closing(sqlite3.connect(asked.folder / "saved.db")) as saved:
        assert saved.execute("SELECT count(*) FROM runs").fetchone() == (4,)


def test_no_file_is_overwritten_by_a_backup(asked: Command) -> None:
    (asked.folder / "saved.db").write_text("mine")
    assert "is there already" in asked.run("db", "backup", "saved.db", code=2).stderr
    assert (asked.folder / "saved.db").read_text() == "mine"
    assert "cannot be written" in asked.run("db", "backup", "no/saved.db", code=2).stderr


@pytest.mark.slow
def test_postgresql_is_backed_up_by_its_own_program(
    cafe: Command, empty_postgres_url: str, postgres_server: PostgresServer
) -> None:
    cafe.environment |= {
        "POINTSMAN_DATABASE": empty_postgres_url,
        "PATH": f"{postgres_server.bin}:{cafe.environment['PATH']}",
    }
    fill(cafe)
    cafe.run("db", "backup", "saved.dump")
    restored = postgres_server.create()
    program, dump = postgres_server.bin / "pg_restore", cafe.folder / "saved.dump"
    restore = [str(program), "-d", restored, str(dump)]
    subprocess.run(restore, check=True)
    told = cafe.run("audit", "verify", POINTSMAN_DATABASE=restored).stdout
    assert "The journal holds: 3 runs" in told
    cafe.environment["PATH"] = "/nowhere"
    told = cafe.run("db", "backup", "again.dump", code=2).stderr
    assert "pg_dump is not installed" in told


def test_a_file_moves_into_postgresql_and_back(asked: Command, empty_postgres_url: str) -> None:
    head = asked.folder / "head.json"
    asked.run("audit", "head", "--output", str(head), **KEY)
    told = asked.run("db", "copy", str(file_of(asked)), empty_postgres_url)
    assert "3 runs" in told.stdout
    in_postgres: dict[str, Any] = {"POINTSMAN_DATABASE": empty_postgres_url, **KEY}
    told = asked.run("audit", "verify", "--head", str(head), **in_postgres)
    assert "All that the head" in told.stdout
    assert asked.run("runs", "list", **in_postgres).stdout == asked.run("runs", "list").stdout
    asked.run("db", "copy", empty_postgres_url, "back.db")
    asked.run("audit", "verify", "--head", str(head), POINTSMAN_DATABASE="back.db", **KEY)


def test_a_rehearsed_copy_writes_nothing(asked: Command, empty_postgres_url: str) -> None:
    told = asked.run("db", "copy", str(file_of(asked)), empty_postgres_url, "--dry-run")
    assert "Would copy" in told.stdout
    assert asked.json("runs", "list", "--limit", "5") != []
    listed = asked.run("runs", "list", POINTSMAN_DATABASE=empty_postgres_url)
    assert listed.stdout == ""


def test_a_target_that_is_not_empty_is_refused(asked: Command) -> None:
    other = asked.folder / "other.db"
    asked.run("db", "copy", str(file_of(asked)), str(other))
    told = asked.run("db", "copy", str(file_of(asked)), str(other), code=2)
    assert "the target is not empty" in told.stderr
    told = asked.run("db", "copy", str(other), str(other), code=2)
    assert "are the same" in told.stderr
    assert "no database" in asked.run("db", "copy", "none.db", "new.db", code=2).stderr
    assert not (asked.folder / "new.db").exists()


def test_what_was_tampered_with_is_not_copied(asked: Command) -> None:
    change(asked, "UPDATE runs SET reply = 'x' WHERE status = 'done'")
    told = asked.run("db", "copy", str(file_of(asked)), "other.db", code=2)
    assert "does not hold" in told.stderr


def test_what_the_database_numbers_goes_on_after_a_copy(
    asked: Command, empty_postgres_url: str
) -> None:
    change(
        asked,
        "INSERT INTO inbox VALUES (7, 'n1', 'ann', 'notice', '', 'hi', 'bo', 'r', 'cafe', 1, NULL)",
    )
    asked.run("db", "copy", str(file_of(asked)), empty_postgres_url)
    with psycopg.connect(empty_postgres_url) as target:
        kept = target.execute("SELECT seq, id FROM inbox").fetchall()
        following = target.execute("SELECT nextval(pg_get_serial_sequence('inbox', 'seq'))")
        assert (kept, following.fetchone()) == ([(7, "n1")], (8,))


@pytest.mark.slow
def test_a_file_that_a_server_uses_is_not_copied(asked: Command) -> None:
    with asked.started("serve", "cafe", "--port", "0") as server:
        assert server.stdout is not None
        server.stdout.readline()
        told = asked.run("db", "copy", str(file_of(asked)), "other.db", code=2)
        assert f"process {server.pid}" in told.stderr


def test_a_password_is_shown_nowhere(cafe: Command) -> None:
    url = "postgresql://ann:hunter2@127.0.0.1:9/d"
    shown = cafe.run("db", "check", code=1, POINTSMAN_DATABASE=url)
    told = cafe.run("db", "migrate", code=2, POINTSMAN_DATABASE=url)
    copied = cafe.run("db", "copy", "postgresql://ann:hunter2@h", code=2)
    for done in (shown, told, copied):
        assert "hunter2" not in done.stdout + done.stderr
    assert "cannot open the PostgreSQL database" in told.stderr


WITHOUT = """
import sys
sys.modules["psycopg"] = None
from pointsman.entrypoints.cli.border import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_the_extra_it_is_said_what_to_install(cafe: Command) -> None:
    database = {"POINTSMAN_DATABASE": "postgresql:///app"}
    for command in (("db", "check"), ("runs", "list"), ("ask", "cafe", "hi")):
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT, *command],
            cwd=cafe.folder,
            env={**cafe.environment, **database},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 2
        assert "pip install 'pointsman[postgres]'" in done.stderr
