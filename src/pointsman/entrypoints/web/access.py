"""Who asks, and of which engine: what every route depends on.

A request is somebody's by its bearer token, else by its session's cookie, else by the local rule:
as long as there is no administrator, whoever reaches a server that only this machine reaches is
the user ``local``, who minds the machine. Nothing else in a request chooses a user.
"""

import hmac
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal, cast

from fastapi import Depends, Request
from msgspec import Struct
from starlette.requests import HTTPConnection

from pointsman.domain.accounts import LOCAL, ROLES, csrf_of, within
from pointsman.engine.accounts.door import Visitor
from pointsman.engine.accounts.users import Accounts, By
from pointsman.engine.service import Service
from pointsman.entrypoints.web.problems import Refusal, is_openai
from pointsman.settings import Settings, is_loopback_name

Role = Literal["user", "approver", "operator", "admin"]

CSRF = "x-csrf-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""What a proxy may add: who comes through one is not known to be on this machine."""


class Viewer(Struct, frozen=True, kw_only=True):
    """Who asks.

    Attributes:
        login: what everything of his belongs to.
        roles: what he may do besides. An operator sees the runs of all and what the machinery
            does; an admin may do all, and minds the users. Those of a token are within its scopes.
        by: how that is known; ``machine`` is the command line beside the server.
        scopes: of the token; None without one.
        session: the secret of his session; empty without one.
    """

    login: str
    roles: frozenset[str] = frozenset({"user"})
    by: Literal["local", "session", "token", "machine"] = "local"
    scopes: tuple[str, ...] | None = None
    session: str = ""

    def has(self, role: Role) -> bool:
        """Whether he may do what this role may."""
        return role in self.roles or "admin" in self.roles


class Entrance(Struct, frozen=True, kw_only=True):
    """How people come in to this application.

    Attributes:
        accounts: None where none can be kept: then there is the local rule alone.
        machine: what the command line beside the server shows; empty when it need not.
    """

    accounts: Accounts | None
    settings: Settings
    machine: str = ""

    async def known(self, connection: HTTPConnection) -> Viewer | None:
        """Who asks; None when that is not known.

        Raises:
            Refusal: 401, what was shown is no good; 403, the page did not show its CSRF token.
        """
        required = await self.sign_in_required()
        kind, _, bearer = connection.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            if _is_machine(self, connection, bearer.strip()):
                return Viewer(login=LOCAL, roles=frozenset({"user", "operator"}), by="machine")
            if required:
                return await _by_token(self, connection, bearer.strip())
        if not required:
            return None if is_forwarded(connection) else Viewer(login=LOCAL, roles=frozenset(ROLES))
        return await _by_session(self, connection)

    async def sign_in_required(self) -> bool:
        """Whether the local rule is over."""
        if not self.settings.is_local:
            return True
        return self.accounts is not None and await self.accounts.required()

    def secure(self, connection: HTTPConnection) -> bool:
        """Whether the browser came by TLS, so that cookies need it too."""
        scheme = connection.scope["scheme"]
        return scheme in ("https", "wss") or self.settings.access.public_url.startswith("https:")

    def cookie(self, connection: HTTPConnection) -> str:
        """The name of the session's cookie. Browsers share cookies among the ports of a host, so
        the port is in it where no prefix ties it to the host."""
        if self.secure(connection):
            return "__Host-pointsman"
        return f"pointsman-{connection.url.port or 80}"


def entrance(connection: HTTPConnection) -> Entrance:
    """How people come in to the application that was asked."""
    return cast(Entrance, connection.app.state.entrance)


async def viewer(connection: HTTPConnection) -> Viewer:
    """Who asks.

    Raises:
        Refusal: 401, nobody is known to ask; 403 as ``Entrance.known``.
    """
    found = await entrance(connection).known(connection)
    if found is None:
        raise unknown(connection, "sign in first")
    return found


def unknown(connection: HTTPConnection, why: str, code: str = "sign_in") -> Refusal:
    """The refusal of who is not known."""
    if is_openai(connection.url.path):
        why, code = f"{why}: give an API token of this server as api_key", "invalid_api_key"
    return Refusal(401, why, code=code, headers={"www-authenticate": 'Bearer realm="pointsman"'})


def is_forwarded(connection: HTTPConnection) -> bool:
    """Whether the request came through a proxy that says so."""
    return any(name in connection.headers for name in _FORWARDED)


async def _by_token(into: Entrance, connection: HTTPConnection, bearer: str) -> Viewer:
    found = None if into.accounts is None else await into.accounts.tokens.who(bearer)
    if found is None or into.accounts is None:
        raise unknown(connection, "this token is none, has expired or was revoked", "token")
    account, token = found
    roles = within(into.accounts.roster.roles(account), token.scopes)
    return Viewer(login=account.login, roles=roles, by="token", scopes=token.scopes)


async def _by_session(into: Entrance, connection: HTTPConnection) -> Viewer | None:
    secret = connection.cookies.get(into.cookie(connection), "")
    if not secret or into.accounts is None:
        return None
    account = await into.accounts.door.who(secret)
    if account is None:
        return None
    changing = connection.scope["type"] == "http" and connection.scope["method"] not in SAFE_METHODS
    shown = connection.headers.get(CSRF, "")
    if changing and not _same(shown, csrf_of(secret)):
        why = f"the request must carry {CSRF}, as GET /api/session gives it"
        raise Refusal(403, why, code="csrf")
    roles = into.accounts.roster.roles(account)
    return Viewer(login=account.login, roles=roles, by="session", session=secret)


def _is_machine(into: Entrance, connection: HTTPConnection, bearer: str) -> bool:
    """Whether this is the command line beside the server, which can read its lock file."""
    client = connection.client
    near = client is not None and is_loopback_name(client.host) and not is_forwarded(connection)
    return near and bool(into.machine) and _same(bearer, into.machine)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


async def current_user(who: Annotated[Viewer, Depends(viewer)]) -> str:
    """The login of who asks for himself.

    Raises:
        Refusal: 403, the token is not for that.
    """
    if "user" not in who.roles:
        raise Refusal(403, "this needs a token with the scope chat", code="scope")
    return who.login


async def anybody(who: Annotated[Viewer, Depends(viewer)]) -> Viewer:
    """Who asks, for himself or for all.

    Raises:
        Refusal: 403, the token is for neither.
    """
    if not who.roles & {"user", "operator", "admin"}:
        raise Refusal(403, "this needs a token with the scope chat or operate", code="scope")
    return who


async def decider(who: Annotated[Viewer, Depends(viewer)]) -> str:
    """The login of who decides on calls that wait.

    Raises:
        Refusal: 403, the token is not for that.
    """
    if who.scopes is not None and "approve" not in who.scopes:
        raise Refusal(403, "this needs a token with the scope approve", code="scope")
    return who.login


async def waiter(who: Annotated[Viewer, Depends(viewer)]) -> str:
    """The login of who looks at calls that wait.

    Raises:
        Refusal: 403, the token is not for that.
    """
    if who.scopes is not None and not {"chat", "approve"} & set(who.scopes):
        raise Refusal(403, "this needs a token with the scope approve or chat", code="scope")
    return who.login


def needs(role: Role) -> Callable[..., Awaitable[Viewer]]:
    """A dependency that lets only those pass who have the role.

    Raises (when asked):
        Refusal: 403.
    """

    async def checked(who: Annotated[Viewer, Depends(viewer)]) -> Viewer:
        if not who.has(role):
            raise Refusal(403, f"this needs the role {role}", code="role")
        return who

    return checked


async def member(who: Annotated[Viewer, Depends(viewer)]) -> Viewer:
    """Somebody who has signed in himself: no token changes what else opens his account.

    Raises:
        Refusal: 403; 409 while there are no accounts.
    """
    if who.by == "local":
        raise Refusal(409, "there are no accounts yet: use the set-up link", code="set_up_needed")
    if who.by != "session":
        raise Refusal(403, "this needs a signed-in browser, not a token", code="session_needed")
    return who


async def keeper(who: Annotated[Viewer, Depends(needs("admin"))]) -> Viewer:
    """An administrator of accounts.

    Raises:
        Refusal: 403; 409 while there are no accounts: the first is made with the set-up link.
    """
    if who.by == "local":
        raise Refusal(409, "there are no accounts yet: use the set-up link", code="set_up_needed")
    return who


async def accounts(connection: HTTPConnection) -> Accounts:
    """The accounts of this application.

    Raises:
        Refusal: 404, there are none.
    """
    found = entrance(connection).accounts
    if found is None:
        raise Refusal(404, "this server keeps no accounts: its journal is in memory")
    return found


def address_of(connection: HTTPConnection) -> str:
    """Where the request comes from, as far as the trusted proxies tell."""
    return connection.client.host if connection.client else ""


async def visitor(connection: HTTPConnection) -> Visitor:
    """The same for the door."""
    client = connection.headers.get("user-agent", "")
    return Visitor(address=address_of(connection), client=client)


def acting(who: Viewer, connection: HTTPConnection) -> By:
    """Who changes something, for the security log."""
    return By(login=who.login, address=address_of(connection))


async def engine(request: Request) -> Service:
    """The engine behind this application."""
    return cast(Service, request.app.state.service)


User = Annotated[str, Depends(current_user)]
Who = Annotated[Viewer, Depends(anybody)]
Decider = Annotated[str, Depends(decider)]
Waiter = Annotated[str, Depends(waiter)]
Operator = Annotated[Viewer, Depends(needs("operator"))]
Admin = Annotated[Viewer, Depends(needs("admin"))]
Keeper = Annotated[Viewer, Depends(keeper)]
Member = Annotated[Viewer, Depends(member)]
Engine = Annotated[Service, Depends(engine)]
Book = Annotated[Accounts, Depends(accounts)]
Visit = Annotated[Visitor, Depends(visitor)]
KNOWN = [Depends(viewer)]
"""What every router is included with whose routes are not for everybody: nothing of a request is
read before it is known who asks, whatever the route itself depends on."""
