"""``pointsman users`` and ``tokens``: on the database, with or without a server.

Whoever can write the database is trusted; the security log says ``command line``.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Literal

from msgspec.json import encode

from pointsman import bootstrap
from pointsman.domain.accounts import Source
from pointsman.engine.accounts.users import COMMAND_LINE, Accounts, Standing
from pointsman.entrypoints import links
from pointsman.entrypoints.cli import lock
from pointsman.entrypoints.cli.render import local
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.errors import NotFound
from pointsman.ports.accounts import ApiToken
from pointsman.settings import Settings

STATES = {
    "active": "users.active",
    "disabled": "users.disabled_state",
    "invited": "users.invited",
    "locked": "users.locked",
}


@asynccontextmanager
async def _opened(settings: Settings, *, new: bool = False) -> AsyncIterator[Accounts]:
    """The accounts of the database.

    Args:
        new: make it when there is none.

    Raises:
        NotFound: there is none.
    """
    if not (new or settings.has_database):
        raise NotFound("database", str(settings.database))
    async with bootstrap.opened([], settings) as service:
        assert service.accounts is not None
        yield service.accounts


async def list_users(settings: Settings, terminal: Terminal, *, as_json: bool) -> int:
    """Print all users."""
    async with _opened(settings) as accounts:
        found = await accounts.all()
    if as_json:
        print_json([_user(one) for one in found])
    elif not found:
        terminal.mention("users.none")
    else:
        rows = [
            [
                one.account.login,
                one.account.name,
                ", ".join(sorted(one.roles)),
                say(STATES[one.state], terminal.language),
                one.account.source,
                local(one.account.seen) if one.account.seen else "-",
            ]
            for one in found
        ]
        terminal.table(["login", "name", "roles", "status", "source", "seen"], rows)
    return 0


async def add(
    settings: Settings,
    terminal: Terminal,
    login: str,
    *,
    name: str,
    roles: Sequence[str],
    source: Source,
    as_json: bool,
) -> int:
    """Invite a user, and print the link by which he chooses his password."""
    async with _opened(settings, new=True) as accounts:
        made, code = await accounts.add(
            login, name=name, roles=roles, source=source, by=COMMAND_LINE
        )
        standing = await accounts.get(made.login)
    link = _address(settings) + links.invitation(code) if code else None
    if as_json:
        print_json({"user": _user(standing), "invitation": link})
        return 0
    terminal.tell("users.added", login=made.login)
    if link:
        terminal.tell("users.link", link=link)
    else:
        terminal.tell("users.oidc")
    return 0


async def set_roles(
    settings: Settings, terminal: Terminal, login: str, roles: Sequence[str], *, as_json: bool
) -> int:
    """Give a user exactly these roles; print what he has then."""
    async with _opened(settings) as accounts:
        await accounts.change(login, roles=roles, by=COMMAND_LINE)
        standing = await accounts.get(login)
    if as_json:
        print_json(_user(standing))
    else:
        held = ", ".join(sorted(standing.roles))
        terminal.tell("users.roles", login=standing.account.login, roles=held)
    return 0


async def reset(settings: Settings, terminal: Terminal, login: str, *, as_json: bool) -> int:
    """End a user's password and sessions, and print the link by which he chooses another."""
    async with _opened(settings) as accounts:
        code = await accounts.reset(login, by=COMMAND_LINE)
    link = _address(settings) + links.invitation(code)
    if as_json:
        print_json({"login": login, "link": link})
    else:
        terminal.tell("users.link", link=link)
    return 0


async def enable(settings: Settings, terminal: Terminal, login: str, *, wanted: bool) -> int:
    """Let a user sign in, or no longer."""
    async with _opened(settings) as accounts:
        state: Literal["active", "disabled"] = "active" if wanted else "disabled"
        account = await accounts.change(login, state=state, by=COMMAND_LINE)
    terminal.tell("users.enabled" if wanted else "users.disabled", login=account.login)
    return 0


async def end_sessions(settings: Settings, terminal: Terminal, login: str) -> int:
    """End all sessions of a user."""
    async with _opened(settings) as accounts:
        count = await accounts.end_sessions(login, by=COMMAND_LINE)
    terminal.tell("users.ended", login=login, count=count)
    return 0


async def log(
    settings: Settings, terminal: Terminal, *, login: str | None, limit: int, as_json: bool
) -> int:
    """Print the security log, newest first."""
    async with _opened(settings) as accounts:
        found = await accounts.entries(login=login, limit=limit)
    if as_json:
        print_json(
            [
                {**{name: getattr(one, name) for name in one.__struct_fields__}, "at": _at(one.at)}
                for one in found
            ]
        )
        return 0
    for one in found:
        terminal.tell(
            "users.entry",
            at=local(one.at),
            event=one.event,
            login=one.login,
            by=one.by or "-",
            address=one.address or "-",
            about=encode(one.about).decode() if one.about else "",
        )
    if not found:
        terminal.mention("users.no_entries")
    return 0


async def make_token(
    settings: Settings,
    terminal: Terminal,
    login: str,
    *,
    name: str,
    scopes: Sequence[str],
    days: int,
    as_json: bool,
) -> int:
    """Make a token for a user, and print it: this once."""
    async with _opened(settings) as accounts:
        made = await accounts.tokens.make(
            login, name=name, scopes=scopes, days=days, by=COMMAND_LINE.login
        )
    if as_json:
        print_json({"token": made.secret, **_token(made.token)})
        return 0
    expires = local(made.token.expires)
    terminal.mention("tokens.made", login=made.token.login, expires=expires)
    terminal.answer(made.secret)
    return 0


async def list_tokens(
    settings: Settings, terminal: Terminal, *, login: str | None, as_json: bool
) -> int:
    """Print the tokens of a user, or of all, newest first."""
    async with _opened(settings) as accounts:
        found = await accounts.tokens.of(login)
    if as_json:
        print_json([_token(one) for one in found])
    elif not found:
        terminal.mention("tokens.none")
    else:
        rows = [
            [
                one.id,
                one.login,
                one.name,
                one.prefix + "…",
                ", ".join(one.scopes),
                local(one.expires),
                local(one.used) if one.used else "-",
            ]
            for one in found
        ]
        terminal.table(["id", "login", "name", "starts", "scopes", "until", "seen"], rows)
    return 0


async def revoke_token(settings: Settings, terminal: Terminal, prefix: str) -> int:
    """Revoke the token whose id, or whose beginning, this is."""
    async with _opened(settings) as accounts:
        found = [
            one
            for one in await accounts.tokens.of(None)
            if prefix in (one.id, one.prefix) or one.id.startswith(prefix)
        ]
        if len(found) != 1 or not prefix:
            raise NotFound("single token", prefix)
        (token,) = found
        await accounts.tokens.revoke(token.id, token.login, by=COMMAND_LINE.login)
    terminal.tell("tokens.revoked", id=token.id)
    return 0


def _address(settings: Settings) -> str:
    """Where people reach the server: as the settings say, or as the running one does."""
    if settings.access.public_url:
        return settings.access.public_url
    owner = lock.owner_of(settings.database)
    if owner is not None and owner.address:
        return owner.address
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _at(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def _user(one: Standing) -> dict[str, Any]:
    account = one.account
    return {
        "login": account.login,
        "name": account.name,
        "roles": list(account.roles),
        "effective": sorted(one.roles),
        "state": one.state,
        "created": _at(account.created),
        "last_seen": _at(account.seen),
        "source": account.source,
    }


def _token(one: ApiToken) -> dict[str, Any]:
    return {
        "id": one.id,
        "login": one.login,
        "name": one.name,
        "scopes": list(one.scopes),
        "created": _at(one.created),
        "expires": _at(one.expires),
        "last_used": _at(one.used),
        "prefix": one.prefix,
    }
