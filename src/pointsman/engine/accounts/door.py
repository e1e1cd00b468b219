"""Signing in and out, and who comes with a session.

Above: the web's sign-in routes. Below: ``ports.AccountStore`` and ``ports.Passwords``. For a login
that there is not the answer is the same as for a wrong password, and so is the work.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import accounts as domain
from pointsman.domain.accounts import PASSWORD_FAULTS, Account, Entry, digest, folded
from pointsman.domain.throttling import OF_ADDRESS, OF_LOGIN, Lockout
from pointsman.engine.accounts.roster import Roster
from pointsman.errors import Conflict, NotSignedIn, TooManyAttempts, Unfit
from pointsman.ports import Clock
from pointsman.ports.accounts import AccountStore, Passwords, SignIn

TOUCHED = timedelta(minutes=1)
"""A session's last use is stored as often as that."""


class SessionLengths(Struct, frozen=True, kw_only=True):
    """How long sessions last: without a request, and in all."""

    idle: timedelta = timedelta(hours=8)
    whole: timedelta = timedelta(days=7)


class Visitor(Struct, frozen=True, kw_only=True):
    """Where a request comes from, for the security log and the throttle."""

    address: str = ""
    client: str = ""


class Opened(Struct, frozen=True, kw_only=True):
    """A session that was begun; ``secret`` is for the browser alone."""

    secret: str
    account: Account
    lasts: timedelta


class Identity(Struct, frozen=True, kw_only=True):
    """Somebody for whom an identity provider vouches.

    Attributes:
        login: what he is called there; it names a new account.
        granted: the roles that his groups give him here.
        welcome: whether he gets an account if he has none.
    """

    issuer: str
    subject: str
    login: str
    name: str = ""
    granted: tuple[str, ...] = ()
    welcome: bool = False


def check_password(password: str, login: str) -> None:
    """Raises:
    Unfit: it will not do.
    """
    if fault := domain.password_fault(password, login):
        raise Unfit(fault, PASSWORD_FAULTS[fault], field="password")


class Door:
    """Where people come in."""

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
        self._store, self._passwords, self._clock = store, passwords, clock
        self._roster, self._secret, self.lengths = roster, secret, lengths

    async def sign_in(
        self, login: str, password: str, visitor: Visitor, *, instead_of: str = ""
    ) -> Opened:
        """Begin a session.

        Args:
            instead_of: the session that the browser had; it ends, so that nobody else knows the
                new one.

        Raises:
            TooManyAttempts: it was tried too often, with this login or from this address.
            NotSignedIn: login and password do not fit.
        """
        account = await self._verified(login, password, visitor)
        if self._passwords.outdated(account.password):
            hashed = await self._passwords.hashed(password)
            await self._store.put(
                replace(account, password=hashed, version=account.version + 1), ()
            )
        return await self.begin(account, visitor, by="password", instead_of=instead_of)

    async def begin(
        self, account: Account, visitor: Visitor, *, by: str, instead_of: str = ""
    ) -> Opened:
        """Begin a session of somebody who has shown who he is; ``by`` says how."""
        now, secret = self._clock.now(), domain.code(self._secret())
        session = SignIn(
            digest=digest(secret),
            login=account.login,
            created=now,
            seen=now,
            expires=now + self.lengths.whole,
            address=visitor.address,
            client=visitor.client[:200],
        )
        entry = self._entry("signed_in", account.login, visitor, about={"by": by})
        before = digest(instead_of) if instead_of else ""
        await self._store.begin(session, [entry], instead_of=before)
        self._roster.see(account)
        return Opened(secret=secret, account=account, lasts=self.lengths.whole)

    async def who(self, secret: str) -> Account | None:
        """Whose session this is; None when it is none, or is over."""
        found = await self._store.session(digest(secret))
        if found is None:
            return None
        session, account = found
        now = self._clock.now()
        idle = now - session.seen
        if now >= session.expires or idle >= self.lengths.idle or account.state != "active":
            return None
        if idle >= TOUCHED:
            await self._store.touch(session.digest, now)
        self._roster.see(account)
        return account

    async def sign_out(self, secret: str, login: str, visitor: Visitor) -> None:
        """End a session."""
        entry = self._entry("signed_out", login, visitor)
        await self._store.end([entry], session=digest(secret))

    async def change_password(
        self, login: str, old: str, new: str, visitor: Visitor, *, session: str
    ) -> None:
        """Set another password; all sessions but this one end.

        Raises:
            TooManyAttempts, NotSignedIn: as ``sign_in``.
            Unfit: the new one will not do.
            Conflict: the account was changed at this moment.
        """
        check_password(new, login)
        account = await self._verified(login, old, visitor)
        hashed = await self._passwords.hashed(new)
        changed = replace(account, password=hashed, version=account.version + 1)
        entry = self._entry("password_changed", account.login, visitor)
        if await self._store.put(changed, [entry]) != "stored":
            raise Conflict("the account was changed at this moment; try again")
        ended = self._entry("sessions_ended", account.login, visitor)
        await self._store.end([ended], login=account.login, but=digest(session))

    async def admit(self, identity: Identity, visitor: Visitor) -> Account:
        """The account of somebody whom an identity provider knows, as it stands after that.

        An account with a password is never taken for his, whatever it is called.

        Raises:
            NotSignedIn: he has none and gets none; or it is closed.
        """
        known = await self._store.identity(identity.issuer, identity.subject)
        if known is None:
            known = await self._new(identity, visitor)
        if known.state == "disabled":
            raise NotSignedIn("account_disabled", "this account is closed; ask an administrator")
        given = {"granted": identity.granted, "name": identity.name or known.name}
        if known.state == "active" and all(getattr(known, k) == v for k, v in given.items()):
            return known
        entries: list[Entry] = []
        if known.granted != identity.granted:
            about = {"granted": identity.granted, "before": known.granted}
            entries.append(self._entry("roles_changed", known.login, visitor, about=about))
        changed = replace(known, **given, state="active", version=known.version + 1)
        if await self._store.put(changed, entries) != "stored":
            raise NotSignedIn("try_again", "the account was changed at this moment; try again")
        self._roster.see(changed)
        return changed

    async def turned_away(self, kind: str, visitor: Visitor) -> None:
        """Write into the security log that an identity provider's word opened nothing."""
        about = {"by": "oidc", "why": kind}
        await self._store.log([self._entry("sign_in_failed", "", visitor, about=about)])

    async def _new(self, identity: Identity, visitor: Visitor) -> Account:
        there = await self._store.user(identity.login)
        if there is not None:
            awaited = there.source == "oidc" and not there.subject
            if not awaited or there.issuer not in ("", identity.issuer):
                raise _refusal("login_taken")
            bound = replace(
                there,
                issuer=identity.issuer,
                subject=identity.subject,
                version=there.version + 1,
            )
            entry = self._entry("user_changed", there.login, visitor, about={"bound": True})
            if await self._store.put(bound, [entry]) == "stored":
                return bound
            raise _refusal("login_taken")
        if not identity.welcome:
            raise _refusal("not_invited")
        if domain.login_fault(identity.login):
            raise _refusal("login_unfit")
        made = Account(
            login=identity.login,
            name=identity.name,
            granted=identity.granted,
            source="oidc",
            issuer=identity.issuer,
            subject=identity.subject,
            created=self._clock.now(),
        )
        about = {"source": "oidc", "granted": identity.granted}
        entry = self._entry("user_added", made.login, visitor, about=about)
        if await self._store.put(made, [entry]) != "stored":
            raise _refusal("login_taken")
        self._roster.see(made)
        return made

    async def _verified(self, login: str, password: str, visitor: Visitor) -> Account:
        """The account that login and password open."""
        keys = keys_of(login, visitor.address)
        of_login, of_address = keys
        if wait := await self._store.attempt(keys, self._clock.now()):
            raise TooManyAttempts(wait)
        account = await self._store.user(login)
        usable = account is not None and account.state == "active"
        hashed = account.password if account is not None and usable else ""
        fits = await self._passwords.fits(password, hashed)
        if account is None or not fits:
            await self._failed(login, keys, visitor)
            raise NotSignedIn("credentials", "login and password do not fit")
        await self._store.forgive(wholly=of_login, once=of_address)
        return account

    async def _failed(self, login: str, keys: Iterable[str], visitor: Visitor) -> None:
        """Write it into the security log, and whether it was once too often."""
        entries = [self._entry("sign_in_failed", login[:64], visitor)]
        known = await self._store.attempts(list(keys))
        wait = max((one.wait(self._clock.now()) for one in known.values()), default=0)
        if wait:
            entries.append(self._entry("locked", login[:64], visitor, about={"seconds": wait}))
        await self._store.log(entries)

    def _entry(
        self,
        event: domain.Event,
        login: str,
        visitor: Visitor,
        *,
        about: Mapping[str, object] | None = None,
    ) -> Entry:
        return Entry(
            at=self._clock.now(),
            event=event,
            login=login,
            by=login if event != "sign_in_failed" else "",
            address=visitor.address,
            about=dict(about or {}),
        )


def keys_of(login: str, address: str) -> dict[str, Lockout]:
    """Under which keys attempts are counted: the login, then the address."""
    return {
        digest(f"login:{folded(login)}"): OF_LOGIN,
        digest(f"address:{address}"): OF_ADDRESS,
    }


def _refusal(kind: str) -> NotSignedIn:
    """Why somebody for whom an identity provider vouches gets no account."""
    return NotSignedIn(kind, _REFUSALS[kind])


_REFUSALS = {
    "login_taken": "there is another account with this login; ask an administrator",
    "not_invited": "there is no account for you here; ask an administrator",
    "login_unfit": "the identity provider gave no login that will do",
}
