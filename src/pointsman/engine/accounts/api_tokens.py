"""API tokens: for programs that act for somebody, with less than his rights and for a time."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from msgspec import Struct

from pointsman.domain import accounts as domain
from pointsman.domain.accounts import SCOPES, Account, Entry
from pointsman.engine.accounts.roster import Roster
from pointsman.errors import NotFound, Unfit
from pointsman.ports import Clock
from pointsman.ports.accounts import AccountStore, ApiToken

USED = timedelta(minutes=1)
"""A token's last use is stored as often as that."""
MOST_DAYS = 366


class Made(Struct, frozen=True, kw_only=True):
    """A new token; ``secret`` is shown once."""

    secret: str
    token: ApiToken


class ApiTokens:
    """The tokens of all users."""

    def __init__(
        self, store: AccountStore, clock: Clock, roster: Roster, *, secret: Callable[[], bytes]
    ) -> None:
        self._store, self._clock, self._roster, self._secret = store, clock, roster, secret

    async def make(
        self,
        login: str,
        *,
        name: str,
        scopes: Sequence[str],
        days: int,
        by: str,
        address: str = "",
    ) -> Made:
        """A token of this user.

        Raises:
            NotFound: there is no such user.
            Unfit: he may not sign in now; a scope that there is not, or that he may not have; no
                name; too long a time.
        """
        account = await self._store.user(login)
        if account is None:
            raise NotFound("user", login)
        self._check(account, name, scopes, days)
        now, secret = self._clock.now(), domain.api_token(self._secret())
        token = ApiToken(
            id=self._clock.new_id(),
            digest=domain.digest(secret),
            login=account.login,
            name=name.strip(),
            prefix=secret[: domain.SHOWN],
            scopes=tuple(scope for scope in SCOPES if scope in scopes),
            created=now,
            expires=now + timedelta(days=days),
        )
        about = {"token": token.id, "name": token.name, "scopes": token.scopes, "days": days}
        made = Entry(
            at=now, event="token_made", login=account.login, by=by, address=address, about=about
        )
        await self._store.add_token(token, [made])
        return Made(secret=secret, token=token)

    def _check(self, account: Account, name: str, scopes: Sequence[str], days: int) -> None:
        if account.state != "active":
            why = f"{account.login} is {account.state}: a token is for who may sign in"
            raise Unfit("token_user", why, field="login")
        if not 1 <= len(name.strip()) <= 100:
            raise Unfit("token_name", "a token needs a name of 1 to 100 characters", field="name")
        if not 1 <= days <= MOST_DAYS:
            raise Unfit("token_days", f"expected 1 to {MOST_DAYS} days", field="days")
        if not scopes or set(scopes) - set(SCOPES):
            known = ", ".join(SCOPES)
            raise Unfit("token_scopes", f"expected one or more of {known}", field="scopes")
        roles = self._roster.roles(account)
        if beyond := [scope for scope in scopes if not domain.may_have(roles, scope)]:
            why = f"{account.login} has not the role for the scope {beyond[0]}"
            raise Unfit("token_scopes", why, field="scopes")

    async def of(self, login: str | None) -> list[ApiToken]:
        """The tokens of a user, or of all, newest first."""
        return await self._store.tokens(login)

    async def revoke(self, id: str, login: str, *, by: str, address: str = "") -> None:
        """End a token of this user.

        Raises:
            NotFound: he has no such token.
        """
        revoked = Entry(
            at=self._clock.now(),
            event="token_revoked",
            login=login,
            by=by,
            address=address,
            about={"token": id},
        )
        if not await self._store.remove_token(id, login, [revoked]):
            raise NotFound("token", id)

    async def who(self, secret: str) -> tuple[Account, ApiToken] | None:
        """Whose token this is, and what it is for; None when it is none, or is over."""
        if not domain.is_api_token(secret):
            return None
        found = await self._store.token(domain.digest(secret))
        if found is None:
            return None
        token, account = found
        now = self._clock.now()
        if now >= token.expires or account.state != "active":
            return None
        if token.used is None or now - token.used >= USED:
            await self._store.use_token(token.id, now)
        self._roster.see(account)
        return account, token
