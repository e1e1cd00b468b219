"""Signing in and out: what is told, what is counted, what a session is worth and for how long."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pointsman.engine.accounts.door import SessionLengths
from pointsman.engine.accounts.users import COMMAND_LINE
from pointsman.engine.service import Service
from pointsman.settings import Access, Settings
from tests.support.accounts import MACHINE, PASSWORD, House, house
from tests.support.engine import service_of
from tests.support.fake_clock import FakeClock

pytestmark = pytest.mark.anyio

LENGTHS = SessionLengths(idle=timedelta(hours=1), whole=timedelta(hours=3))
USERS = {"root": ["admin"], "ann": ["approver", "finance"]}


async def hello(**given: Any) -> Service:
    return await service_of(["hello"], **given)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def full(tmp_path: Path, clock: FakeClock) -> AsyncIterator[House]:
    async with house(tmp_path, hello, clock=clock, users=USERS, lengths=LENGTHS) as made:
        yield made


@pytest.fixture
async def empty(tmp_path: Path, clock: FakeClock) -> AsyncIterator[House]:
    async with house(tmp_path, hello, clock=clock) as made:
        yield made


async def test_without_accounts_whoever_is_on_this_machine_is_local(empty: House) -> None:
    session = await (await empty.browser()).json("GET", "/api/session")
    assert session["login"] == "local"
    assert session["roles"] == ["admin", "approver", "operator", "user"]
    assert (session["signed_in"], session["sign_in_required"]) == (False, False)
    assert session["set_up"] == "needed"


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
async def test_who_comes_through_a_proxy_is_not_local(empty: House, header: str) -> None:
    browser = await empty.browser()
    browser.headers[header] = "203.0.113.9"
    assert await browser.status("GET", "/api/runs") == 401
    assert (await browser.json("GET", "/api/session"))["sign_in_required"]


async def test_without_accounts_users_are_made_with_the_link_alone(empty: House) -> None:
    browser = await empty.browser()
    body = {"login": "eve", "roles": ["admin"]}
    refused = await browser.json("POST", "/api/users", body, status=409)
    assert refused["code"] == "set_up_needed"
    wrong = {"code": "x", "login": "eve", "password": PASSWORD}
    assert (await browser.json("POST", "/api/setup", wrong, status=401))["code"] == "link"
    assert await empty.store.accounts.users() == []


async def test_the_link_makes_the_first_administrator_once_and_the_local_rule_is_over(
    empty: House,
) -> None:
    browser, other = await empty.browser(), await empty.browser()
    former = await empty.accounts.set_up_code()
    code = await empty.accounts.set_up_code()
    body = {"code": code, "login": "root", "password": PASSWORD, "name": "Root"}
    await browser.json("POST", "/api/setup", {**body, "code": former}, status=401)
    short = await browser.json("POST", "/api/setup", {**body, "password": "short"}, status=400)
    assert short["code"] == "password_too_short"
    assert "short" not in short["detail"].replace("too_short", "")
    session = await browser.json("POST", "/api/setup", body, status=201)
    assert (session["login"], session["name"], session["signed_in"]) == ("root", "Root", True)
    browser.csrf = session["csrf"]
    assert await browser.status("GET", "/api/users") == 200
    assert await other.status("GET", "/api/runs") == 401
    again = {**body, "login": "eve"}
    assert await other.status("POST", "/api/setup", again) == 401


async def test_the_link_expires(empty: House, clock: FakeClock) -> None:
    code = await empty.accounts.set_up_code()
    clock.advance(24 * 3600)
    body = {"code": code, "login": "root", "password": PASSWORD}
    assert await (await empty.browser()).status("POST", "/api/setup", body) == 401


async def test_a_session_says_who_it_is_and_its_cookie_is_for_the_browser_alone(
    full: House,
) -> None:
    browser = await full.browser()
    body = {"login": "ANN", "password": PASSWORD}
    async with browser.ask("POST", "/api/session", body) as answer:
        session, cookie = await answer.json(), answer.headers["Set-Cookie"]
        assert answer.headers["Cache-Control"] == "no-store"
    assert session["login"] == "ann"
    assert session["roles"] == ["approver", "finance", "user"]
    assert session["set_up"] == "done"
    assert re.match(r"pointsman-\d+=[0-9A-Za-z]{43}; ", cookie)
    for part in ("HttpOnly", "Path=/", "SameSite=lax"):
        assert part in cookie
    assert "Secure" not in cookie  # it would not come back over http
    assert session["csrf"] not in cookie
    assert (await browser.json("GET", "/api/session"))["csrf"] == session["csrf"]


async def test_what_is_stored_opens_nothing(full: House, tmp_path: Path) -> None:
    browser = await full.browser("ann")
    token = await full.token("ann", "chat")
    _, code = await full.accounts.add("bo", by=COMMAND_LINE)
    (cookie,) = browser.http.cookie_jar
    kept = _kept(tmp_path)
    for secret in (PASSWORD, cookie.value, token, code, browser.csrf):
        assert secret.encode() not in kept
    assert b"$argon2id$" in kept


def _kept(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.glob("house.db*"))


async def test_a_login_that_there_is_not_is_answered_like_a_wrong_password(full: House) -> None:
    browser, told = await full.browser(), []
    for login in ("ann", "nobody", "root"):
        body = {"login": login, "password": "wrong wrong wrong"}
        async with browser.ask("POST", "/api/session", body) as answer:
            said = await answer.json()
            said.pop("request_id")
            told.append((answer.status, said, "Set-Cookie" in answer.headers))
    assert told[0] == told[1] == told[2]
    assert told[0][0] == 401


async def test_a_login_that_there_is_not_is_as_much_work(full: House) -> None:
    passwords: Any = full.accounts.door._passwords
    checked: list[str] = []
    fits = passwords._fits

    def noted(password: str, hashed: str) -> bool:
        checked.append(hashed)
        return bool(fits(password, hashed))

    passwords._fits = noted
    browser = await full.browser()
    for login in ("ann", "nobody"):
        await browser.status("POST", "/api/session", {"login": login, "password": "x" * 12})
    assert len(checked) == 2
    assert checked[0].split("$")[:4] == checked[1].split("$")[:4]  # the same kind of hash


async def test_after_some_failures_a_login_must_wait_and_then_may_go_on(
    full: House, clock: FakeClock
) -> None:
    browser = await full.browser()
    wrong, right = {"login": "ann", "password": "x" * 12}, {"login": "ann", "password": PASSWORD}
    for _ in range(5):
        await browser.json("POST", "/api/session", wrong, status=401)
    for body in (wrong, right, {**right, "login": "ANN"}):
        async with browser.ask("POST", "/api/session", body) as answer:
            said = await answer.json()
            assert answer.status == 429
            assert said["retry_after"] == int(answer.headers["Retry-After"]) == 30
    await (await full.browser()).sign_in("root")  # nobody else must wait
    root = await full.browser("root")
    states = {u["login"]: u["state"] for u in (await root.json("GET", "/api/users"))["users"]}
    assert states == {"ann": "locked", "root": "active"}
    clock.advance(30)
    await browser.sign_in("ann")
    events = [e["event"] for e in (await root.json("GET", "/api/audit/accounts"))["entries"]]
    assert events.count("sign_in_failed") == 5
    assert events.count("locked") == 1


async def test_a_login_that_there_is_not_must_wait_too(full: House) -> None:
    browser = await full.browser()
    body = {"login": "nobody", "password": "x" * 12}
    got = [await browser.status("POST", "/api/session", body) for _ in range(6)]
    assert got == [401] * 5 + [429]


async def test_an_address_that_tries_many_logins_must_wait(full: House) -> None:
    browser = await full.browser()
    got = [
        await browser.status("POST", "/api/session", {"login": f"u{n}", "password": "x" * 12})
        for n in range(51)
    ]
    assert got == [401] * 50 + [429]


async def test_the_session_before_ends_at_sign_in_so_that_nobody_can_plant_one(
    full: House,
) -> None:
    planted = await full.browser("ann")
    (cookie,) = planted.http.cookie_jar
    victim = await full.browser()
    victim.http.cookie_jar.update_cookies({cookie.key: cookie.value}, planted.http._base_url)  # type: ignore[arg-type]
    await victim.sign_in("root")
    (fresh,) = victim.http.cookie_jar
    assert fresh.value != cookie.value
    assert await planted.status("GET", "/api/runs") == 401
    assert (await victim.json("GET", "/api/session"))["login"] == "root"


async def test_a_session_ends_with_signing_out_and_takes_what_was_kept_with_it(
    full: House,
) -> None:
    browser = await full.browser("ann")
    (cookie,) = browser.http.cookie_jar
    async with browser.ask("DELETE", "/api/session") as answer:
        assert answer.status == 204
        assert answer.headers["Clear-Site-Data"] == '"storage"'
    assert list(browser.http.cookie_jar) == []
    thief = await full.browser()
    thief.headers["Cookie"] = f"{cookie.key}={cookie.value}"
    assert await thief.status("GET", "/api/runs") == 401


async def test_a_page_of_another_cannot_sign_anybody_out(full: House) -> None:
    browser = await full.browser("ann")
    right, browser.csrf = browser.csrf, "wrong"
    assert await browser.status("DELETE", "/api/session") == 403
    browser.csrf = right
    assert await browser.status("GET", "/api/runs") == 200


async def test_a_session_ends_without_requests_and_after_its_time(
    full: House, clock: FakeClock
) -> None:
    idle, busy = await full.browser("ann"), await full.browser("ann")
    for _ in range(5):
        clock.advance(35 * 60)
        await busy.status("GET", "/api/runs")
    assert await idle.status("GET", "/api/runs") == 401
    assert await busy.status("GET", "/api/runs") == 200
    clock.advance(5 * 60)
    assert await busy.status("GET", "/api/runs") == 401


async def test_a_password_is_changed_by_who_knows_it_and_other_sessions_end(
    full: House,
) -> None:
    browser, elsewhere = await full.browser("ann"), await full.browser("ann")
    new = "another good password"
    wrong = {"password": {"old": "x" * 12, "new": new}}
    assert await browser.status("PATCH", "/api/session", wrong) == 401
    like = {"password": {"old": PASSWORD, "new": "I am ann and root"}}
    refused = await browser.json("PATCH", "/api/session", like, status=400)
    assert refused["code"] == "password_like_login"
    body = {"password": {"old": PASSWORD, "new": new}, "language": "zh", "name": "安"}
    told = await browser.json("PATCH", "/api/session", body)
    assert (told["language"], told["name"]) == ("zh", "安")
    assert await browser.status("GET", "/api/runs") == 200
    assert await elsewhere.status("GET", "/api/runs") == 401
    await (await full.browser()).sign_in("ann", new)


async def test_a_zone_that_there_is_not_is_refused(full: House) -> None:
    browser = await full.browser("ann")
    assert await browser.status("PATCH", "/api/session", {"timezone": "Mars/Base"}) == 400
    told = await browser.json("PATCH", "/api/session", {"timezone": "Asia/Shanghai"})
    assert told["timezone"] == "Asia/Shanghai"


async def test_over_tls_the_cookie_is_bound_to_the_host_and_to_tls(tmp_path: Path) -> None:
    settings = Settings(access=Access(public_url="https://agents.test"))
    async with house(tmp_path, hello, users=USERS, settings=settings) as made:
        browser = await made.browser()
        browser.headers |= {"Host": "agents.test"}
        body = {"login": "ann", "password": PASSWORD}
        for origin, status in (
            ("https://agents.test", 200),
            ("http://agents.test", 403),
            ("https://evil.test", 403),
        ):
            got = await browser.status("POST", "/api/session", body, Origin=origin)
            assert got == status, origin
        async with browser.ask("POST", "/api/session", body) as answer:
            cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith("__Host-pointsman=")
        assert "; Secure" in cookie
        browser.headers["Host"] = "other.test"
        assert await browser.status("GET", "/api/session") == 421


async def test_where_others_can_reach_the_server_nobody_is_local(tmp_path: Path) -> None:
    for settings in (
        Settings(host="0.0.0.0", access=Access(allowed_hosts=("agents.test",))),
        Settings(access=Access(public_url="https://agents.test")),
    ):
        async with house(tmp_path, hello, settings=settings) as made:
            browser = await made.browser()
            assert await browser.status("GET", "/api/runs") == 401
            assert (await browser.json("GET", "/api/session"))["sign_in_required"]


async def test_the_command_line_beside_the_server_is_local_and_not_through_a_proxy(
    full: House,
) -> None:
    program = await full.program(MACHINE)
    session = await program.json("GET", "/api/session")
    assert (session["login"], session["roles"]) == ("local", ["operator", "user"])
    assert await program.status("GET", "/api/users") == 403
    program.headers["X-Forwarded-For"] = "127.0.0.1"
    assert await program.status("GET", "/api/session") == 401


async def test_openais_client_is_refused_in_its_own_words_and_let_in_with_a_token(
    full: House,
) -> None:
    import openai

    asked: Any = {"model": "desk", "messages": [{"role": "user", "content": "hi"}]}
    with pytest.raises(openai.AuthenticationError) as refused:
        await full.site.client.chat.completions.create(**asked)
    assert refused.value.code == "invalid_api_key"
    token = await full.token("ann", "approve")
    with pytest.raises(openai.PermissionDeniedError) as scope:
        await full.site.client.with_options(api_key=token).chat.completions.create(**asked)
    assert scope.value.code == "scope"
    token = await full.token("ann", "chat")
    client = full.site.client.with_options(api_key=token)
    answer = await client.chat.completions.create(**asked)
    assert answer.choices[0].message.content == "hello"
    (run,) = await full.site.service.runs(user="ann")
    assert run.reply == "hello"
