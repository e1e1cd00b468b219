"""Who has which role now: what the settings say, and what the accounts do.

Policies and approvals read it as a mapping at every call. It is kept in memory; a change made in
this process, or seen at a request, counts at once, one made elsewhere within ``SECONDS``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pointsman.domain.accounts import Account, completed, roles_of

SECONDS = 2.0
"""Between two looks for what other processes have changed."""


class Roster(Mapping[str, Sequence[str]]):
    """Role → the logins that have it."""

    def __init__(self, settings: Mapping[str, Sequence[str]]) -> None:
        """Args:
        settings: role → the logins that have it by the settings.
        """
        self._settings = settings
        self._accounts: dict[str, frozenset[str]] = {}
        self._merged: dict[str, tuple[str, ...]] = {}
        self._merge()

    def __getitem__(self, role: str) -> Sequence[str]:
        return self._merged[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._merged)

    def __len__(self) -> int:
        return len(self._merged)

    @property
    def logins(self) -> list[str]:
        """The logins that the settings name, and those of accounts that may sign in."""
        named = (login for holders in self._settings.values() for login in holders)
        return [*named, *(login for login, roles in self._accounts.items() if roles)]

    def roles(self, account: Account) -> frozenset[str]:
        """All the roles of an account."""
        return completed(account.own_roles | roles_of(account.login, self._settings))

    def fill(self, accounts: Iterable[Account]) -> None:
        """These are all the accounts."""
        self._accounts = {one.login: self._counted(one) for one in accounts}
        self._merge()

    def see(self, account: Account) -> None:
        """This is how the account stands now."""
        counted = self._counted(account)
        if self._accounts.get(account.login) != counted:
            self._accounts[account.login] = counted
            self._merge()

    def _counted(self, account: Account) -> frozenset[str]:
        """The roles that count: none of who may not sign in."""
        return self.roles(account) if account.state == "active" else frozenset()

    def _merge(self) -> None:
        merged = {role: dict.fromkeys(logins) for role, logins in self._settings.items()}
        for login, roles in self._accounts.items():
            for role in sorted(roles - {"user"}):
                merged.setdefault(role, {})[login] = None
        self._merged = {role: tuple(logins) for role, logins in merged.items()}
