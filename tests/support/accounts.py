"""A server with accounts, and people who use it in browsers and by tokens."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
from argon2 import PasswordHasher

from pointsman.adapters.passwords import Argon2Passwords
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock, secret
from pointsman.engine.accounts.door import SessionLengths
from pointsman.engine.accounts.roster import Roster
from pointsman.engine.accounts.users import COMMAND_LINE, Accounts
from pointsman.engine.service import Service
from pointsman.entrypoints.web.access import Entrance
from pointsman.ports import Clock
from pointsman.settings import Settings
from tests.support import web

PASSWORD = "correct horse battery"
MACHINE = "the-secret-in-the-lock-file"


def cheap() -> Argon2Passwords:
    """Real hashes that take next to no time."""
    return Argon2Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def accounts_of(
    store: SqlStore,
    clock: Clock | None = None,
    *,
    roles: Mapping[str, Sequence[str]] | None = None,
    lengths: SessionLengths | None = None,
) -> Accounts:
    """Accounts in this store, with cheap hashes."""
    return Accounts(
        store.accounts,
        cheap(),
        clock or SystemClock(),
        Roster(roles or {}),
        secret=secret,
        lengths=lengths or SessionLengths(idle=timedelta(hours=8), whole=timedelta(days=7)),
    )


async def add(accounts: Accounts, login: str, *roles: str, password: str = PASSWORD) -> None:
    """A user who has accepted his invitation."""
    _, code = await accounts.add(login, roles=roles, by=COMMAND_LINE)
    await accounts.accept(code, password)


@dataclass
class Browser:
    """One browser: its cookies, and the CSRF token that its page was given."""

    http: aiohttp.ClientSession
    csrf: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A request; whatever is sent as ``headers`` wins over what the browser sends."""
        sent = {"X-CSRF-Token": self.csrf} if self.csrf else {}
        sent |= {**self.headers, **{k.replace("_", "-"): v for k, v in headers.items()}}
        given = {} if body is None else {"json": body}
        return self.http.request(method, path, headers=sent, allow_redirects=False, **given)

    async def json(
        self, method: str, path: str, body: Any = None, *, status: int = 200, **headers: str
    ) -> Any:
        """The answer as JSON, which must have this status."""
        async with self.ask(method, path, body, **headers) as answer:
            assert answer.status == status, f"{answer.status} {await answer.text()}"
            return await answer.json(content_type=None) if answer.status != 204 else None

    async def status(self, method: str, path: str, body: Any = None, **headers: str) -> int:
        """What became of a request, in a number."""
        async with self.ask(method, path, body, **headers) as answer:
            return int(answer.status)

    async def sign_in(self, login: str, password: str = PASSWORD) -> Any:
        """Sign in; what the session is told."""
        session = await self.json("POST", "/api/session", {"login": login, "password": password})
        self.csrf = session["csrf"]
        return session


@dataclass(frozen=True)
class House:
    """A running server with accounts."""

    site: web.Site
    accounts: Accounts
    store: SqlStore
    stack: AsyncExitStack

    async def browser(self, login: str = "") -> Browser:
        """A new browser, signed in when a login is given."""
        jar = aiohttp.CookieJar(unsafe=True)
        http = aiohttp.ClientSession(self.site.url, cookie_jar=jar)
        await self.stack.enter_async_context(http)
        made = Browser(http)
        if login:
            await made.sign_in(login)
        return made

    async def program(self, token: str) -> Browser:
        """A program that shows this token."""
        made = await self.browser()
        made.headers["Authorization"] = f"Bearer {token}"
        return made

    async def token(self, login: str, *scopes: str, days: int = 1) -> str:
        """A new token of a user."""
        made = await self.accounts.tokens.make(
            login, name="robot", scopes=scopes, days=days, by="test"
        )
        return made.secret


@asynccontextmanager
async def house(
    folder: Path,
    make: Callable[..., Awaitable[Service]],
    *,
    clock: Clock | None = None,
    roles: Mapping[str, Sequence[str]] | None = None,
    users: Mapping[str, Sequence[str]] | None = None,
    settings: Settings | None = None,
    lengths: SessionLengths | None = None,
) -> AsyncIterator[House]:
    """A server with these users (login → roles); their password is ``PASSWORD``.

    Args:
        make: makes the service, of the keywords ``store``, ``roles`` and ``accounts``.
        roles: of the settings.
    """
    store = sqlite(folder / "house.db", synchronous="normal")
    accounts = accounts_of(store, clock, roles=roles, lengths=lengths)
    for login, held in (users or {}).items():
        await add(accounts, login, *held)
    service = await make(store=store, roles=accounts.roster, accounts=accounts)
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(
            web.serving(service, settings=settings or web.NOTHING_SET)
        )
        site.app.state.entrance = Entrance(
            accounts=accounts, settings=settings or web.NOTHING_SET, machine=MACHINE
        )
        yield House(site, accounts, store, stack)
