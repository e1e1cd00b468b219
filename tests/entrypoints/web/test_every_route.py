"""Every route as every role: who is let in, who is not known, who may not."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest

from pointsman.domain import accounts as domain
from pointsman.engine.service import Service
from pointsman.ports.accounts import SignIn
from tests.entrypoints.web.routes import LETS_IN, ROUTES, VISITORS, routes_of
from tests.support.accounts import MACHINE, Browser, House, house
from tests.support.engine import service_of

pytestmark = pytest.mark.anyio

USERS = {
    "root": ["admin"],
    "user": [],
    "approver": ["approver"],
    "oper": ["operator"],
    "admin": ["admin"],
}
SCOPE = {"chat": "chat", "approve": "approve", "operate": "operate", "administer": "admin"}
LOGIN = {"nobody": "", "operator": "oper"}
NOT_KNOWN, MAY_NOT = 401, 403
CLOSED = [route for route, kind in ROUTES.items() if kind != "open"]
FEW = ["GET /api/runs", "POST /api/messages", "POST /v1/chat/completions"]
"""For what is the same at every route, once it is shown at every route."""
CHANGING = [route for route in CLOSED if not route.startswith(("GET", "WEBSOCKET"))]


async def hello(**given: object) -> Service:
    return await service_of(["hello"], **given)  # type: ignore[arg-type]


@pytest.fixture
async def full(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, hello, users=USERS) as made:
        yield made


async def visitor(house: House, name: str) -> Browser:
    """Somebody of this kind."""
    if name in SCOPE:
        return await house.program(await house.token("root", SCOPE[name]))
    if name == "machine":
        return await house.program(MACHINE)
    return await house.browser(LOGIN.get(name, name))


def asked(route: str) -> tuple[str, str]:
    """Method and an address of the route at which there is nothing."""
    method, _, path = route.partition(" ")
    return method, re.sub(r"\{\w+\}", "nothing", path)


def there(house: House, routes: list[str]) -> list[str]:
    """Those of the routes that the application has."""
    here = set(routes_of(house.site.app))
    return [route for route in routes if route in here]


async def status(browser: Browser, route: str) -> int:
    method, path = asked(route)
    if method != "WEBSOCKET":
        return await browser.status(method, path, None if method == "GET" else {})
    try:
        async with browser.http.ws_connect(path, headers=browser.headers):
            return 101
    except aiohttp.WSServerHandshakeError as fault:
        return fault.status


async def test_every_route_says_who_may_ask_it(full: House) -> None:
    here = set(routes_of(full.site.app))
    assert here - set(ROUTES) == set(), "say in tests/entrypoints/web/routes.py who may ask it"
    assert set(ROUTES) - here == set(), "there is no such route any more"


@pytest.mark.parametrize("name", VISITORS)
async def test_every_route_as_every_role(full: House, name: str) -> None:
    browser = await visitor(full, name)
    ending = "DELETE /api/session"  # at the end: it ends the session
    for route in [*there(full, [one for one in ROUTES if one != ending]), ending]:
        may = name in LETS_IN[ROUTES[route]].split()
        got = await status(browser, route)
        if may and ROUTES[route] != "open":
            assert got not in (NOT_KNOWN, MAY_NOT), f"{name} {route}: {got}"
        elif not may:
            expected = NOT_KNOWN if name == "nobody" else MAY_NOT
            assert got == expected, f"{name} {route}: {got}"


@pytest.mark.parametrize("value", ["", "x", "short", "long", "ended", "é", "a" * 5000])
async def test_no_route_takes_a_session_that_is_none(full: House, value: str) -> None:
    real = await full.browser("user")
    (cookie,) = real.http.cookie_jar
    ended, now = domain.code(b"e" * 32), full.site.service.now()
    old = SignIn(
        digest=domain.digest(ended),
        login="user",
        created=now - timedelta(days=8),
        seen=now,
        expires=now - timedelta(seconds=1),
    )
    await full.store.accounts.begin(old, [])
    shown = {"short": cookie.value[:-1], "long": cookie.value + "A", "ended": ended}
    browser = await full.browser()
    browser.csrf = domain.csrf_of(shown.get(value, value))
    browser.headers["Cookie"] = f"{cookie.key}={shown.get(value, value)}"
    for route in there(full, CLOSED) if value == "ended" else FEW:
        assert await status(browser, route) == NOT_KNOWN, route


@pytest.mark.parametrize("value", ["", "none", "short", "long", "revoked", "other", "é"])
async def test_no_route_takes_a_token_that_is_none(full: House, value: str) -> None:
    good = await full.token("root", *domain.SCOPES)
    revoked = await full.token("root", *domain.SCOPES)
    made = await full.accounts.tokens.of("root")
    await full.accounts.tokens.revoke(made[0].id, "root", by="root")
    other = domain.api_token(b"x" * 32)
    shown = {"short": good[:-1], "long": good + "A", "revoked": revoked, "other": other}
    program = await full.program(shown.get(value, value))
    for route in there(full, CLOSED) if value == "revoked" else FEW:
        assert await status(program, route) == NOT_KNOWN, route


@pytest.mark.parametrize("wrong", ["none", "x", "another's", "short", "small"])
async def test_no_route_changes_anything_for_a_page_without_the_token_of_the_session(
    full: House, wrong: str
) -> None:
    browser, other = await full.browser("admin"), await full.browser("admin")
    right = browser.csrf
    given = {"none": "", "another's": other.csrf, "short": right[:-1], "small": right.upper()}
    browser.csrf = given.get(wrong, wrong)
    for route in there(full, CHANGING) if wrong == "another's" else FEW[1:]:
        method, path = asked(route)
        async with browser.ask(method, path, {}) as answer:
            assert answer.status == MAY_NOT, route
            said = await answer.json()
            assert (said.get("code") or said["error"]["code"]) == "csrf"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_no_route_takes_a_change_from_a_page_of_another_origin(
    full: House, headers: dict[str, str]
) -> None:
    browser = await full.browser("admin")
    browser.headers |= headers
    changing = there(full, [one for one in ROUTES if not one.startswith("GET")])
    for route in changing if "https://evil.test" in headers.values() else FEW[1:]:
        assert await status(browser, route) == MAY_NOT, route
