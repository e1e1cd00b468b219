"""Accounts, sessions, tokens, links, attempts and the security log, on both databases, as two
processes have them."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.accounts import Account, Entry
from pointsman.domain.throttling import Lockout
from pointsman.ports.accounts import ApiToken, Link, Put, SignIn
from tests.adapters.store.records import NOON

pytestmark = pytest.mark.anyio

Pair = tuple[SqlStore, SqlStore]
RULE = Lockout(free=3, first=30, most=100, forget=3600)


@pytest.fixture(params=["sqlite", "postgres"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pair]:
    def opened() -> SqlStore:
        if request.param == "sqlite":
            return sqlite(tmp_path / "test.db")
        return postgres(request.getfixturevalue("postgres_url"))

    pair = opened(), opened()
    yield pair
    for store in pair:
        await store.aclose()


def account(login: str, **more: object) -> Account:
    return Account(**{"login": login, "created": NOON, **more})  # type: ignore[arg-type]


def entry(login: str = "ann", **more: object) -> Entry:
    given = {"at": NOON, "event": "user_added", "login": login, "by": "root", **more}
    return Entry(**given)  # type: ignore[arg-type]


def session(digest: str, login: str = "ann", *, hours: float = 8) -> SignIn:
    ends = NOON + timedelta(hours=hours)
    return SignIn(digest=digest, login=login, created=NOON, seen=NOON, expires=ends)


def token(number: int, login: str = "ann") -> ApiToken:
    return ApiToken(
        id=f"{number:032x}",
        digest=f"{number:064x}",
        login=login,
        name="robot",
        prefix="pm_abcde",
        scopes=("chat", "approve"),
        created=NOON,
        expires=NOON + timedelta(days=1),
    )


def later(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


async def test_an_account_is_found_by_its_login_whatever_its_case_and_width(stores: Pair) -> None:
    one, other = stores
    full = account(
        "李雷-Ann", name="李雷", roles=("admin", "财务"), granted=("finance",), password="h",
        language="zh", timezone="Asia/Shanghai", seen=NOON,
    )  # fmt: skip
    assert await one.accounts.put(full, [entry()]) == "stored"
    for login in ("李雷-ann", "李雷-ANN", "李雷－Ａnn"):
        assert await other.accounts.user(login) == full
    assert await other.accounts.user("李雷") is None
    assert await one.accounts.put(account("李雷-aNN"), []) == "taken"
    assert await other.accounts.users() == [full]


async def test_a_change_needs_the_version_that_was_read(stores: Pair) -> None:
    one, other = stores
    first = account("ann")
    await one.accounts.put(first, [])
    before = await other.accounts.stamp()
    assert await one.accounts.put(replace(first, name="Ann", version=2), []) == "stored"
    assert await other.accounts.put(replace(first, name="Eve", version=2), []) == "changed"
    assert await other.accounts.stamp() != before
    kept = await other.accounts.user("ann")
    assert kept is not None
    assert (kept.name, kept.version) == ("Ann", 2)


async def test_an_entry_is_kept_with_its_change_or_not_at_all(stores: Pair) -> None:
    one, other = stores
    await one.accounts.put(account("ann"), [entry(about={"roles": ["a"]})])
    await one.accounts.put(account("Ann"), [entry("eve")])
    await one.accounts.log([entry("bo"), entry("ann", event="signed_in", address="::1")])
    found = await other.accounts.entries()
    assert [(e.login, e.event) for e in found] == [
        ("ann", "signed_in"), ("bo", "user_added"), ("ann", "user_added")
    ]  # fmt: skip
    assert found[-1].about == {"roles": ["a"]}
    assert await other.accounts.entries(login="bo", limit=5) == [found[1]]
    assert await other.accounts.entries(before=found[1].seq, limit=5) == [found[2]]


async def test_the_last_administrator_stays(stores: Pair) -> None:
    one, other = stores
    ann, bo = account("ann", roles=("admin",)), account("bo", granted=("admin",))
    await one.accounts.put(ann, [])
    less: dict[str, Put] = {}
    for name, change in {
        "roles": replace(ann, roles=(), version=2),
        "state": replace(ann, state="disabled", version=2),
    }.items():
        less[name] = await other.accounts.put(change, [])
    assert less == {"roles": "last_admin", "state": "last_admin"}
    await one.accounts.put(bo, [])
    assert await other.accounts.put(replace(ann, roles=(), version=2), []) == "stored"
    assert await one.accounts.put(replace(bo, state="disabled", version=2), []) == "last_admin"


async def test_of_two_administrators_who_remove_each_other_one_stays(stores: Pair) -> None:
    one, other = stores
    ann, bo = account("ann", roles=("admin",)), account("bo", roles=("admin",))
    for admin in (ann, bo):
        await one.accounts.put(admin, [])
    outcomes: list[Put] = []

    async def demote(store: SqlStore, whom: Account) -> None:
        outcomes.append(await store.accounts.put(replace(whom, roles=(), version=2), []))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(demote, one, ann)
        tasks.start_soon(demote, other, bo)
    assert sorted(outcomes) == ["last_admin", "stored"]


async def test_there_is_one_first_administrator(stores: Pair) -> None:
    one, other = stores
    outcomes: list[Put] = []

    async def make(store: SqlStore, login: str) -> None:
        admin = account(login, roles=("admin",))
        outcomes.append(await store.accounts.put(admin, [], first=True))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(make, one, "ann")
        tasks.start_soon(make, other, "bo")
    assert sorted(outcomes) == ["settled", "stored"]
    assert len(await one.accounts.users()) == 1


async def test_an_identity_belongs_to_one_account(stores: Pair) -> None:
    one, other = stores
    ann = account("ann", source="oidc", issuer="https://id.test", subject="1")
    await one.accounts.put(ann, [])
    same = account("bo", source="oidc", issuer="https://id.test", subject="1")
    assert await other.accounts.put(same, []) == "taken"
    assert await other.accounts.identity("https://id.test", "1") == ann
    assert await other.accounts.identity("https://id.test", "2") is None
    assert await other.accounts.identity("https://other.test", "1") is None
    for login in ("cy", "di"):  # with no subject yet
        awaited = account(login, source="oidc", issuer="https://id.test")
        assert await one.accounts.put(awaited, []) == "stored"
    assert await one.accounts.identity("https://id.test", "") is None


async def test_a_session_is_found_with_its_user_until_it_is_ended(stores: Pair) -> None:
    one, other = stores
    await one.accounts.put(account("Ann"), [])
    await one.accounts.begin(session("a", "Ann"), [entry(event="signed_in")])
    found = await other.accounts.session("a")
    assert found is not None
    assert found[0] == session("a", "Ann")
    assert found[1].seen == NOON
    await other.accounts.touch("a", NOON + later(60))
    touched = await one.accounts.session("a")
    assert touched is not None
    assert touched[0].seen == touched[1].seen == NOON + later(60)
    assert await one.accounts.end([entry(event="signed_out")], session="a") == 1
    assert await one.accounts.end([entry(event="signed_out")], session="a") == 0
    assert await other.accounts.session("a") is None
    events = [e.event for e in await other.accounts.entries()]
    assert events == ["signed_out", "signed_in"]


async def test_a_new_session_takes_the_place_of_the_one_before(stores: Pair) -> None:
    one, other = stores
    await one.accounts.put(account("ann"), [])
    await one.accounts.begin(session("a"), [])
    await other.accounts.begin(session("b"), [], instead_of="a")
    assert await one.accounts.session("a") is None
    assert await one.accounts.session("b") is not None


async def test_all_sessions_of_a_login_end_but_one(stores: Pair) -> None:
    one, other = stores
    for login in ("ann", "bo"):
        await one.accounts.put(account(login), [])
    for name, login in (("a", "ann"), ("b", "ann"), ("c", "ann"), ("d", "bo")):
        await one.accounts.begin(session(name, login), [])
    assert await other.accounts.end([], login="ANN", but="b") == 2
    left = [name for name in "abcd" if await one.accounts.session(name)]
    assert left == ["b", "d"]


async def test_what_has_expired_goes_when_somebody_signs_in(stores: Pair) -> None:
    one, other = stores
    await one.accounts.put(account("ann"), [])
    await one.accounts.begin(session("old", hours=-1), [])
    old = Link(digest="l", kind="reset", login="ann", expires=NOON - later(1))
    await one.accounts.put_link(old, [])
    await other.accounts.begin(session("new"), [])
    assert await one.accounts.session("old") is None
    assert await one.accounts.link("l") is None


async def test_a_token_is_found_with_its_user_until_it_is_removed(stores: Pair) -> None:
    one, other = stores
    for login in ("ann", "bo"):
        await one.accounts.put(account(login), [])
    await one.accounts.add_token(token(1), [entry(event="token_made")])
    await one.accounts.add_token(token(2, "bo"), [])
    found = await other.accounts.token(f"{1:064x}")
    assert found == (token(1), account("ann"))
    assert await other.accounts.token("nothing") is None
    await other.accounts.use_token(token(1).id, NOON + later(5))
    (used,) = await one.accounts.tokens("ANN")
    assert used == replace(token(1), used=NOON + later(5))
    assert [t.id for t in await one.accounts.tokens()] == [token(2).id, token(1).id]
    assert not await other.accounts.remove_token(token(1).id, "bo", [entry("bo")])
    assert await other.accounts.remove_token(token(1).id, "ann", [entry(event="token_revoked")])
    assert await one.accounts.token(f"{1:064x}") is None
    assert [e.event for e in await one.accounts.entries()] == ["token_revoked", "token_made"]


async def test_a_link_is_used_once_and_replaced_by_the_next_of_its_kind(stores: Pair) -> None:
    one, other = stores
    ends = NOON + later(60)
    for name, kind, login in (
        ("a", "reset", "ann"), ("b", "reset", "ann"), ("c", "invitation", "ann"),
        ("d", "reset", "bo"),
    ):  # fmt: skip
        made = Link(digest=name, kind=kind, login=login, expires=ends)  # type: ignore[arg-type]
        await one.accounts.put_link(made, [])
    assert [name for name in "abcd" if await other.accounts.link(name)] == ["b", "c", "d"]
    taken: list[bool] = []

    async def take(store: SqlStore) -> None:
        taken.append(await store.accounts.take_link("b"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take, one)
        tasks.start_soon(take, other)
    assert sorted(taken) == [False, True]


async def test_attempts_count_at_each_key_or_at_none(stores: Pair) -> None:
    one, other = stores
    rules = {"login": RULE, "address": Lockout(free=10)}
    waits = [await one.accounts.attempt(rules, NOON) for _ in range(4)]
    assert waits == [0, 0, 0, 30]
    tried = await other.accounts.attempts(["login", "address", "nobody"])
    assert {key: one.failures for key, one in tried.items()} == {"login": 3, "address": 3}
    assert await other.accounts.attempt(rules, NOON + later(30)) == 0
    assert await other.accounts.attempt(rules, NOON + later(31)) == 59
    await one.accounts.forgive(wholly="login", once="address")
    left = await other.accounts.attempts(["login", "address"])
    assert {key: one.failures for key, one in left.items()} == {"address": 3}


async def test_attempts_at_the_same_moment_are_all_counted(stores: Pair) -> None:
    waits: list[int] = []

    async def attempt(store: SqlStore) -> None:
        waits.append(await store.accounts.attempt({"login": RULE}, NOON))

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(attempt, stores[number % 2])
    assert waits.count(0) == RULE.free


async def test_old_attempts_are_forgotten(stores: Pair) -> None:
    one, other = stores
    await one.accounts.attempt({"old": RULE}, NOON)
    await other.accounts.attempt({"new": RULE}, NOON + later(3601))
    assert set(await one.accounts.attempts(["old", "new"])) == {"new"}
