"""The directory of an installation that has none: the logins that are known, and who asks."""

from collections.abc import Callable, Iterable, Sequence

from pointsman.domain.directory.entries import Person
from pointsman.domain.directory.recipients import Contact
from pointsman.ports import Found

_ME = frozenset("我 我自己 自己 本人 me myself".split())


class KnownLogins:
    """``ports.Directory`` of logins alone; nobody has an address but his inbox."""

    def __init__(self, logins: Callable[[], Iterable[str]]) -> None:
        """Args:
        logins: gives those that are known now.
        """
        self._logins = logins

    def people(self) -> Sequence[Person]:
        return [Person(login=login, name=login) for login in sorted(set(self._logins()))]

    async def find(self, words: str, *, asking: str, said: str = "") -> Found:
        plain = words.strip().casefold()
        mine = plain in _ME or plain == asking.casefold()
        known = {} if mine else {login.casefold(): login for login in self._logins()}
        login = asking if mine else known.get(plain)
        return Found() if login is None else Found(people=(Contact(login=login, name=login),))
