"""``pointsman users`` and ``tokens`` on the database, and a server that knows users."""

import json
import re
import stat
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from tests.entrypoints.cli.test_serve import serving
from tests.support.command import Command

PASSWORD = "correct horse battery"


def ask(url: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """Status and answer of a request."""
    sent = {"Content-Type": "application/json", **headers}
    request = Request(url, None if body is None else json.dumps(body).encode(), sent)
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except HTTPError as fault:
        return fault.code, json.load(fault)


def test_a_user_is_added_changed_disabled_and_on_record(cafe: Command) -> None:
    made = cafe.run("users", "add", "root", "--roles", "admin", "--data", "cafe").stdout
    assert re.search(r"http://127\.0\.0\.1:8765/invite/[0-9A-Za-z]{43}", made)
    added = cafe.json("users", "add", "li", "--name", "李雷", "--roles", "finance, approver",
                      "--data", "cafe")  # fmt: skip
    assert added["user"]["roles"] == ["approver", "finance"]
    assert added["user"]["state"] == "invited"
    assert "/invite/" in added["invitation"]
    roles = cafe.json("users", "roles", "LI", "operator", "--data", "cafe")
    assert roles["effective"] == ["operator", "user"]
    cafe.run("users", "disable", "li", "--data", "cafe")
    listed = cafe.json("users", "list", "--data", "cafe")
    assert [(one["login"], one["state"]) for one in listed] == [
        ("li", "disabled"), ("root", "invited")
    ]  # fmt: skip
    assert "已停用" in cafe.run("--language", "zh", "users", "list", "--data", "cafe").stdout
    cafe.run("users", "enable", "li", "--data", "cafe")
    assert "/invite/" in cafe.run("users", "reset", "li", "--data", "cafe").stdout
    assert "0 sessions" in cafe.run("users", "sessions-end", "li", "--data", "cafe").stdout
    log = cafe.json("users", "log", "--login", "li", "--data", "cafe")
    assert [(one["event"], one["by"]) for one in reversed(log)] == [
        ("user_added", "command line"),
        ("link_made", "command line"),
        ("roles_changed", "command line"),
        ("user_disabled", "command line"),
        ("user_enabled", "command line"),
        ("link_made", "command line"),
    ]
    assert "roles_changed" in cafe.run("users", "log", "--data", "cafe").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("users", "add", "local"), "taken by the program"),
        (("users", "add", "a b"), "expected 1 to 64 letters"),
        (("users", "add", "root"), "there is a user with this login"),
        (("users", "add", "bo", "--roles", "a/b"), "no name for a role"),
        (("users", "roles", "root", ""), "no administrator would be left"),
        (("users", "disable", "root"), "no administrator would be left"),
        (("users", "reset", "nobody"), "no user 'nobody'"),
        (("tokens", "create", "nobody", "--name", "x"), "no user 'nobody'"),
        (("tokens", "create", "root", "--name", "x", "--scopes", "all"), "expected one or more of"),
        (("tokens", "revoke", "nothing"), "no single token"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    cafe: Command, arguments: tuple[str, ...], said: str
) -> None:
    _make_admin(cafe)
    assert said in cafe.run(*arguments, "--data", "cafe", code=2).stderr


def _make_admin(cafe: Command) -> None:
    """``root``, who has a password."""
    import anyio

    from pointsman.adapters.store.sqlite import sqlite
    from tests.support.accounts import accounts_of

    async def make() -> None:
        store = sqlite(cafe.folder / "cafe" / ".pointsman" / "pointsman.db")
        await accounts_of(store).first("root", PASSWORD)
        await store.aclose()

    anyio.run(make)


def test_a_token_is_printed_once_and_can_be_revoked(cafe: Command) -> None:
    _make_admin(cafe)
    made = cafe.run("tokens", "create", "root", "--name", "nightly", "--data", "cafe")
    token = made.stdout.strip()
    assert re.fullmatch(r"pm_[0-9A-Za-z]{49}", token)
    (shown,) = cafe.json("tokens", "list", "--data", "cafe")
    assert (shown["name"], shown["scopes"], shown["prefix"]) == ("nightly", ["chat"], token[:8])
    assert token not in cafe.run("tokens", "list", "--data", "cafe").stdout
    cafe.run("tokens", "revoke", shown["id"][:12], "--data", "cafe")
    assert cafe.json("tokens", "list", "--data", "cafe") == []


def test_no_token_is_made_for_who_may_not_sign_in(cafe: Command) -> None:
    _make_admin(cafe)
    cafe.run("users", "add", "li", "--data", "cafe")
    refused = cafe.run("tokens", "create", "li", "--name", "x", "--data", "cafe", code=2)
    assert "li is invited: a token is for who may sign in" in refused.stderr


def test_without_a_database_nothing_is_listed_and_none_is_made(command: Command) -> None:
    assert "no database" in command.run("users", "list", code=2).stderr
    assert not list(command.folder.glob("**/*.db"))


def test_where_others_can_reach_it_there_must_be_an_administrator(cafe: Command) -> None:
    public = {"POINTSMAN_PUBLIC_URL": "https://agents.test"}
    for host in ("0.0.0.0", "127.0.0.1"):
        refused = cafe.run("serve", "cafe", "--host", host, "--port", "0", code=2, **public)
        assert "it has no administrator yet" in refused.stderr
    half = {**public, "POINTSMAN_ADMIN_LOGIN": "root"}
    refused = cafe.run("serve", "cafe", "--host", "0.0.0.0", "--port", "0", code=2, **half)
    assert "needs both POINTSMAN_ADMIN_LOGIN and POINTSMAN_ADMIN_PASSWORD" in refused.stderr
    weak = {**half, "POINTSMAN_ADMIN_PASSWORD": "admin"}
    refused = cafe.run("serve", "cafe", "--host", "0.0.0.0", "--port", "0", code=2, **weak)
    assert "a password needs 10 characters" in refused.stderr
    assert "admin" not in refused.stderr.replace("ADMIN", "").replace("administrator", "")


@pytest.mark.slow
def test_the_link_in_the_terminal_makes_the_first_administrator(cafe: Command) -> None:
    with serving(cafe, "cafe") as server:
        (lock,) = cafe.folder.glob("**/*.lock")
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
        link = _line_with(server.process, "/setup/")
        assert link.startswith(server.url)
        body = {"code": link.rpartition("/")[2], "login": "root", "password": PASSWORD}
        assert ask(f"{server.url}/api/runs")[0] == 200
        assert ask(f"{server.url}/api/setup", body)[0] == 201
        assert ask(f"{server.url}/api/runs")[0] == 401
        token = cafe.run("tokens", "create", "root", "--name", "x", "--data", "cafe").stdout.strip()
        assert ask(f"{server.url}/api/runs", Authorization=f"Bearer {token}")[0] == 200
        server.stop()


@pytest.mark.slow
def test_the_command_line_works_beside_a_server_that_wants_a_sign_in(cafe: Command) -> None:
    cafe.environment |= {
        "POINTSMAN_ADMIN_LOGIN": "root",
        "POINTSMAN_ADMIN_PASSWORD": PASSWORD,
        "POINTSMAN_ROLES": "",
    }
    booking = "book a table for 2 people tomorrow under the name Bo"
    with serving(cafe, "cafe") as server:
        assert PASSWORD not in server.greeting
        token = cafe.run("tokens", "create", "root", "--name", "x", "--data", "cafe").stdout.strip()
        shown = {"Authorization": f"Bearer {token}"}
        body = {"agent": "cafe", "text": booking}
        runs = []
        for _ in range(2):
            status, accepted = ask(f"{server.url}/api/messages", body, **shown)
            assert status == 202
            runs.append(accepted["run"])
            cafe.reach(accepted["run"], "waiting")
        approved = cafe.run("approvals", "approve", runs[0], "--by", "root")
        assert "server carries the run on" in approved.stderr
        assert "Booked for Bo" in cafe.reach(runs[0], "done")["reply"]
        assert "is cancelled" in cafe.run("runs", "cancel", runs[1]).stdout
        secret = json.loads(next(cafe.folder.glob("**/*.lock")).read_text())["secret"]
        machine = {"Authorization": f"Bearer {secret}"}
        assert ask(f"{server.url}/api/runs", **machine)[0] == 200
        assert ask(f"{server.url}/api/users", **machine)[0] == 403
        log = server.stop()
        assert PASSWORD not in log
        assert secret not in log
    with serving(cafe, "cafe") as server:  # another start, another secret
        assert ask(f"{server.url}/api/runs", **machine)[0] == 401
        server.stop()


def _line_with(process: Any, words: str) -> str:
    while words not in (line := process.stdout.readline()):
        assert line
    return str(line.strip())


def test_the_lock_file_of_an_older_release_is_closed_to_others(tmp_path: Path) -> None:
    from pointsman.entrypoints.cli import lock

    file = tmp_path / "p.db.lock"
    file.touch(0o644)
    with lock.held(tmp_path / "p.db") as declare:
        declare("http://127.0.0.1:1", "secret")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        owner = lock.owner_of(tmp_path / "p.db")
        assert owner is not None
        assert owner.secret == "secret"
        assert "secret" not in repr(owner)
