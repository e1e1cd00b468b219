"""Accounts: the store's tables, the hashing of passwords, the roles of settings and accounts."""

from collections.abc import Mapping
from datetime import timedelta

from pointsman.adapters.system import secret
from pointsman.engine.accounts.door import SessionLengths
from pointsman.engine.accounts.roster import Roster
from pointsman.engine.accounts.users import Accounts
from pointsman.errors import CallerError, Conflict, MissingExtra, SettingsError
from pointsman.ports import Clock, Store
from pointsman.ports.accounts import KeepsAccounts, Passwords
from pointsman.settings import Settings

LOGIN, PASSWORD = "POINTSMAN_ADMIN_LOGIN", "POINTSMAN_ADMIN_PASSWORD"
"""Variables of the first administrator."""


def accounts_of(settings: Settings, store: Store, clock: Clock) -> Accounts:
    """The accounts in the store."""
    assert isinstance(store, KeepsAccounts)
    lengths = SessionLengths(
        idle=timedelta(seconds=settings.access.session_idle),
        whole=timedelta(seconds=settings.access.session_lifetime),
    )
    roster = Roster(settings.roles)
    return Accounts(store.accounts, _Hashing(), clock, roster, secret=secret, lengths=lengths)


async def admin_of_environment(accounts: Accounts, environ: Mapping[str, str]) -> bool:
    """Make the first administrator whom the environment names; whether one was made. Where there
    is an administrator the variables say nothing.

    Raises:
        SettingsError: only one of the two is set, or one will not do.
    """
    login, password = environ.get(LOGIN, "").strip(), environ.get(PASSWORD, "")
    if not (login or password):
        return False
    if not (login and password):
        raise SettingsError(f"the first administrator needs both {LOGIN} and {PASSWORD}")
    if await accounts.has_admin():
        return False
    try:
        await accounts.first(login, password)
    except Conflict:
        return False  # another process was first
    except CallerError as fault:
        raise SettingsError(f"{LOGIN}, {PASSWORD}: {fault}") from None
    return True


class _Hashing:
    """``ports.Passwords``; what it needs is loaded when there is a password."""

    def __init__(self) -> None:
        self._made: Passwords | None = None

    async def hashed(self, password: str) -> str:
        return await self._real().hashed(password)

    async def fits(self, password: str, hashed: str) -> bool:
        return await self._real().fits(password, hashed)

    def outdated(self, hashed: str) -> bool:
        return self._real().outdated(hashed)

    def _real(self) -> Passwords:
        if self._made is None:
            try:
                from pointsman.adapters.passwords import Argon2Passwords
            except ModuleNotFoundError as missing:
                raise MissingExtra("signing in with a password", "server") from missing
            self._made = Argon2Passwords()
        return self._made
