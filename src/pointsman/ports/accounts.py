"""What the engine asks of the store of accounts, and of whoever hashes passwords.

Every change comes with the lines of the security log that tell of it, and is stored with them or
not at all. Instants are aware and in UTC; ``digest`` is ``domain.accounts.digest`` of a secret.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from pointsman.domain.accounts import Account, Entry
from pointsman.domain.throttling import Attempts, Lockout


class SignIn(Struct, frozen=True, kw_only=True):
    """A session. ``expires`` is its end however busy it is; ``seen`` is about a minute true."""

    digest: str
    login: str
    created: datetime
    seen: datetime
    expires: datetime
    address: str = ""
    client: str = ""


class ApiToken(Struct, frozen=True, kw_only=True):
    """A token for programs. ``prefix`` is what may be shown of it."""

    id: str
    digest: str
    login: str
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created: datetime
    expires: datetime
    used: datetime | None = None


LinkKind = Literal["setup", "invitation", "reset"]


class Link(Struct, frozen=True, kw_only=True):
    """A link that opens something once: the first administrator's account, an invitation, a new
    password. There is one of a kind for a login; ``setup`` is for nobody's yet."""

    digest: str
    kind: LinkKind
    login: str
    expires: datetime


Put = Literal["stored", "changed", "taken", "last_admin", "settled"]
"""``changed``: it is no longer as it was read. ``taken``: there is such a login, or such an
identity. ``last_admin``: no administrator would be left. ``settled``: there is one already."""


class AccountStore(Protocol):
    """Accounts as stored. Every method is one transaction, and durable when it returns.

    Raises (all): StoreError: the database failed.
    """

    async def users(self) -> list[Account]:
        """All, by login."""
        ...

    async def user(self, login: str) -> Account | None:
        """The one of this login, whatever its case."""
        ...

    async def identity(self, issuer: str, subject: str) -> Account | None:
        """The one whom this issuer knows as this subject."""
        ...

    async def stamp(self) -> int:
        """Another number whenever an account was added or changed."""
        ...

    async def put(self, account: Account, entries: Sequence[Entry], *, first: bool = False) -> Put:
        """Store a new account (version 1), or one in the place of its version before.

        Args:
            first: only while there is no administrator.
        """
        ...

    async def begin(
        self, session: SignIn, entries: Sequence[Entry], *, instead_of: str = ""
    ) -> None:
        """Store a session, in the place of another (its digest); what has expired goes."""
        ...

    async def session(self, digest: str) -> tuple[SignIn, Account] | None: ...

    async def touch(self, session: str, at: datetime) -> None:
        """The session (its digest) and its user were seen at this instant."""
        ...

    async def end(
        self, entries: Sequence[Entry], *, session: str = "", login: str = "", but: str = ""
    ) -> int:
        """End a session, or all of a login ``but`` one; how many."""
        ...

    async def add_token(self, token: ApiToken, entries: Sequence[Entry]) -> None: ...

    async def token(self, digest: str) -> tuple[ApiToken, Account] | None: ...

    async def tokens(self, login: str | None = None) -> list[ApiToken]:
        """Those of a login, or all, newest first."""
        ...

    async def use_token(self, id: str, at: datetime) -> None: ...

    async def remove_token(self, id: str, login: str, entries: Sequence[Entry]) -> bool:
        """Remove a token of this login; whether there was one."""
        ...

    async def put_link(self, link: Link, entries: Sequence[Entry]) -> None:
        """Store a link in the place of any of its kind and login."""
        ...

    async def link(self, digest: str) -> Link | None: ...

    async def take_link(self, digest: str) -> bool:
        """Remove a link; whether it was this call that did."""
        ...

    async def attempt(self, rules: Mapping[str, Lockout], now: datetime) -> int:
        """Count an attempt at each of these keys, or at none when one of them must wait; how many
        seconds that is."""
        ...

    async def forgive(self, *, wholly: str, once: str) -> None:
        """Forget the attempts at one key, and the last at another."""
        ...

    async def attempts(self, keys: Sequence[str]) -> dict[str, Attempts]: ...

    async def log(self, entries: Sequence[Entry]) -> None: ...

    async def entries(
        self, *, login: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[Entry]:
        """The security log, newest first; ``before`` is a ``seq``."""
        ...


@runtime_checkable
class KeepsAccounts(Protocol):
    """A store that keeps accounts beside the journals."""

    @property
    def accounts(self) -> AccountStore: ...


class Passwords(Protocol):
    """Hashes what people chose. Slow on purpose, and beside the event loop."""

    async def hashed(self, password: str) -> str: ...

    async def fits(self, password: str, hashed: str) -> bool:
        """Whether the password is the one; with no hash it takes as long and is False."""
        ...

    def outdated(self, hashed: str) -> bool:
        """Whether it should be hashed anew, as is done today."""
        ...
