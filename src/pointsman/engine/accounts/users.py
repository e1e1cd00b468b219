"""Users: who there is, what they may do, the links by which they come in for the first time.

Above: the web's routes and the command line. Beside: ``door`` (sessions), ``api_tokens``. Below:
``ports.AccountStore``.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Literal

import anyio
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import accounts as domain
from pointsman.domain.accounts import Account, Entry, Source, State
from pointsman.domain.agent import Language
from pointsman.engine.accounts.account_links import Links
from pointsman.engine.accounts.api_tokens import ApiTokens
from pointsman.engine.accounts.door import Door, SessionLengths, check_password, keys_of
from pointsman.engine.accounts.roster import SECONDS, Roster
from pointsman.errors import Conflict, NotFound, NotSignedIn, StoreError, Unfit
from pointsman.ports import Clock
from pointsman.ports.accounts import AccountStore, Link, Passwords, Put

log = logging.getLogger("pointsman.accounts")

FRESH_SECONDS = 1.0
"""How late it may be noticed that another process has made the first administrator."""
LINK_OF_SETUP = timedelta(hours=24)
LINK_OF_USER = timedelta(days=3)

Shown = State | Literal["locked"]


class By(Struct, frozen=True, kw_only=True):
    """Who changes something, and from where, for the security log."""

    login: str
    address: str = ""


COMMAND_LINE = By(login="command line")


class Standing(Struct, frozen=True, kw_only=True):
    """A user as the administrators see him; ``roles`` are all that count."""

    account: Account
    state: Shown
    roles: frozenset[str]


class Accounts:
    """All about users; one a process."""

    def __init__(
        self,
        store: AccountStore,
        passwords: Passwords,
        clock: Clock,
        roster: Roster,
        *,
        secret: Callable[[], bytes],
        lengths: SessionLengths,
    ) -> None:
        """Args:
        secret: gives 256 bits that nobody can guess.
        """
        self.roster = roster
        self.door = Door(store, passwords, clock, roster, secret=secret, lengths=lengths)
        self.tokens = ApiTokens(store, clock, roster, secret=secret)
        self._store, self._passwords, self._clock = store, passwords, clock
        self._links = Links(store, clock, secret)
        self._stamp, self._looked = -1, -FRESH_SECONDS
        self._required = False

    async def required(self) -> bool:
        """Whether everybody must sign in: there is an administrator, or was one since the start."""
        if not self._required and self._clock.monotonic() - self._looked >= FRESH_SECONDS:
            await self.refresh()
        return self._required

    async def has_admin(self) -> bool:
        """Whether there is an administrator."""
        return any(one.is_admin for one in await self._store.users())

    async def refresh(self) -> None:
        """Look for what other processes have changed."""
        self._looked = self._clock.monotonic()
        stamp = await self._store.stamp()
        if stamp != self._stamp:
            found = await self._store.users()
            self.roster.fill(found)
            self._required |= any(one.is_admin for one in found)
            self._stamp = stamp

    async def keep_current(self) -> None:
        """Do so now and then, until cancelled."""
        while True:
            try:
                await self.refresh()
            except StoreError as fault:
                log.warning("whose roles have changed is not known: %s", fault)
            await anyio.sleep(SECONDS)

    async def all(self) -> list[Standing]:
        """Every user, by login."""
        found = await self._store.users()
        keys = {one.login: next(iter(keys_of(one.login, ""))) for one in found}
        tried = await self._store.attempts(list(keys.values()))
        now = self._clock.now()
        locked = {login for login, key in keys.items() if key in tried and tried[key].wait(now)}
        return [self._standing(one, locked=one.login in locked) for one in found]

    async def get(self, login: str) -> Standing:
        """One user.

        Raises:
            NotFound: there is none of this login.
        """
        account = await self._get(login)
        key = next(iter(keys_of(login, "")))
        known = (await self._store.attempts([key])).get(key)
        locked = known is not None and known.wait(self._clock.now()) > 0
        return self._standing(account, locked=locked)

    def _standing(self, one: Account, *, locked: bool) -> Standing:
        state: Shown = "locked" if locked and one.state == "active" else one.state
        return Standing(account=one, state=state, roles=self.roster.roles(one))

    async def add(
        self,
        login: str,
        *,
        by: By,
        name: str = "",
        roles: Sequence[str] = (),
        source: Source = "password",
    ) -> tuple[Account, str]:
        """A new user, and the code of the link by which he chooses a password; no code when an
        identity provider will vouch for him.

        Raises:
            Unfit: a login or a role that will not do.
            Conflict: there is one of this login.
        """
        if fault := domain.login_fault(login):
            raise Unfit("login", fault, field="login")
        _check_roles(roles)
        made = Account(
            login=login,
            name=name,
            roles=tuple(sorted({*roles} - {"user"})),
            state="invited",
            source=source,
            created=self._clock.now(),
        )
        about = {"roles": made.roles, "source": source}
        await self._put(made, [self._entry("user_added", made.login, by, about=about)])
        return made, "" if source == "oidc" else await self._invite(made, by, "invitation")

    async def change(
        self,
        login: str,
        *,
        by: By,
        name: str | None = None,
        roles: Sequence[str] | None = None,
        state: Literal["active", "disabled"] | None = None,
    ) -> Account:
        """Change what is given. Who is disabled loses his sessions; his tokens rest.

        Raises:
            NotFound: there is none of this login.
            Unfit: a role that will not do.
            Conflict: no administrator would be left, or he has no password yet.
        """
        account, entries = await self._get(login), list[Entry]()
        given: dict[str, object] = {}
        if name is not None and name != account.name:
            given["name"] = name
            entries.append(self._entry("user_changed", account.login, by, about={"name": name}))
        if roles is not None:
            _check_roles(roles)
            wanted = tuple(sorted({*roles} - {"user"}))
            if wanted != account.roles:
                given["roles"] = wanted
                about = {"roles": wanted, "before": account.roles}
                entries.append(self._entry("roles_changed", account.login, by, about=about))
        if state is not None and state != account.state:
            given["state"] = self._state(account, state)
            event: domain.Event = "user_disabled" if state == "disabled" else "user_enabled"
            entries.append(self._entry(event, account.login, by))
        if not given:
            return account
        changed = replace(account, **given, version=account.version + 1)
        await self._put(changed, entries)
        if state == "disabled":
            await self.end_sessions(account.login, by=by)
        return changed

    def _state(self, account: Account, wanted: Literal["active", "disabled"]) -> State:
        if wanted == "active" and account.state == "invited":
            raise Conflict(
                f"{account.login} has not used the invitation yet; `reset` makes another"
            )
        awaited = account.source == "password" and not account.password
        return "invited" if wanted == "active" and awaited else wanted

    async def set_up_as(
        self,
        login: str,
        *,
        language: Language | Literal[""] | None = None,
        timezone: str | None = None,
        name: str | None = None,
    ) -> Account:
        """What a user says of himself."""
        account = await self._get(login)
        given = {"language": language, "timezone": timezone, "name": name}
        kept = {key: value for key, value in given.items() if value is not None}
        changed = replace(account, **kept, version=account.version + 1)
        if kept:
            entry = self._entry("user_changed", login, By(login=login), about=dict(kept))
            await self._put(changed, [entry])
        return changed if kept else account

    async def reset(self, login: str, *, by: By) -> str:
        """The code of a link by which the user chooses another password. The old one, and his
        sessions, are over at once.

        Raises:
            NotFound: there is none of this login.
            Conflict: an identity provider vouches for him.
        """
        account = await self._get(login)
        if account.source != "password":
            raise Conflict(f"{account.login} signs in elsewhere: there is no password to reset")
        if account.state == "invited":
            return await self._invite(account, by, "invitation")
        await self._put(replace(account, password="", version=account.version + 1), ())
        code = await self._invite(account, by, "reset")
        await self.end_sessions(account.login, by=by)
        return code

    async def end_sessions(self, login: str, *, by: By) -> int:
        """End all sessions of a user; how many.

        Raises:
            NotFound: there is none of this login.
        """
        account = await self._get(login)
        ended = self._entry("sessions_ended", account.login, by)
        return await self._store.end([ended], login=account.login)

    async def _invite(self, account: Account, by: By, kind: Literal["invitation", "reset"]) -> str:
        about = {"kind": kind}
        entry = self._entry("link_made", account.login, by, about=about)
        return await self._links.make(kind, account.login, LINK_OF_USER, [entry])

    async def accept(self, code: str, password: str, *, address: str = "") -> Account:
        """Choose a password by a link, once.

        Raises:
            NotSignedIn: the link is none, was used, or is too old.
            Unfit: the password will not do; the link stays.
        """
        link = await self._links.find(code, "invitation", "reset")
        account = await self._get(link.login)
        check_password(password, account.login)
        hashed = await self._passwords.hashed(password)
        await self._links.use(link)
        state: State = "active" if account.state == "invited" else account.state
        chosen = replace(account, password=hashed, state=state, version=account.version + 1)
        by = By(login=account.login, address=address)
        used = self._entry("link_used", account.login, by, about={"kind": link.kind})
        await self._put(chosen, [used])
        await self.end_sessions(account.login, by=by)
        if chosen.state != "active":
            raise NotSignedIn("account_disabled", "this account is closed; ask an administrator")
        return chosen

    async def set_up_code(self) -> str:
        """The code of the link that makes the first administrator; any other is over."""
        return await self._links.make("setup", "", LINK_OF_SETUP, [])

    async def set_up(
        self, code: str, login: str, password: str, *, name: str = "", address: str = ""
    ) -> Account:
        """Make the first administrator, once.

        Raises:
            NotSignedIn: the link is none, was used, or is too old.
            Unfit: login or password will not do; the link stays.
            Conflict: there is an administrator.
        """
        link = await self._links.find(code, "setup")
        return await self.first(login, password, name=name, address=address, link=link)

    async def first(
        self,
        login: str,
        password: str,
        *,
        name: str = "",
        address: str = "",
        link: Link | None = None,
    ) -> Account:
        """Make the first administrator.

        Args:
            link: it is used up.

        Raises:
            Unfit, Conflict, NotSignedIn: as ``set_up``.
        """
        if fault := domain.login_fault(login):
            raise Unfit("login", fault, field="login")
        check_password(password, login)
        made = Account(
            login=login,
            name=name,
            roles=("admin",),
            password=await self._passwords.hashed(password),
            created=self._clock.now(),
        )
        if link is not None:
            await self._links.use(link)
        by = By(login=login, address=address)
        entry = self._entry("user_added", login, by, about={"roles": made.roles, "first": True})
        await self._put(made, [entry], first=True)
        return made

    async def entries(
        self, *, login: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[Entry]:
        """The security log, newest first; ``before`` is a ``seq``."""
        return await self._store.entries(login=login, limit=limit, before=before)

    async def _get(self, login: str) -> Account:
        account = await self._store.user(login)
        if account is None:
            raise NotFound("user", login)
        return account

    async def _put(
        self, account: Account, entries: Sequence[Entry], *, first: bool = False
    ) -> None:
        outcome = await self._store.put(account, entries, first=first)
        if outcome != "stored":
            raise Conflict(_WHY[outcome])
        await self.refresh()

    def _entry(
        self, event: domain.Event, login: str, by: By, *, about: Mapping[str, object] | None = None
    ) -> Entry:
        return Entry(
            at=self._clock.now(),
            event=event,
            login=login,
            by=by.login,
            address=by.address,
            about=dict(about or {}),
        )


_WHY: dict[Put, str] = {
    "changed": "the user was changed at this moment; try again",
    "taken": "there is a user with this login",
    "last_admin": "no administrator would be left: make another one first",
    "settled": "there is an administrator already: sign in",
}


def _check_roles(roles: Sequence[str]) -> None:
    for role in roles:
        if fault := domain.role_fault(role):
            raise Unfit("role", fault, field="roles")
