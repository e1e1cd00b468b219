"""The directory of an installation that has none: the logins that the settings name, and who
asks."""

from collections.abc import Iterable

from pointsman.domain.recipients import Contact
from pointsman.ports import Found

_ME = frozenset("我 我自己 自己 本人 me myself".split())


class KnownLogins:
    """``ports.Directory`` of logins alone; nobody has an address but his inbox."""

    def __init__(self, logins: Iterable[str]) -> None:
        self._logins = {login.casefold(): login for login in logins}

    async def find(self, words: str, *, asking: str, said: str = "") -> Found:
        plain = words.strip().casefold()
        login = asking if plain in _ME or plain == asking.casefold() else self._logins.get(plain)
        return Found() if login is None else Found(people=(Contact(login=login, name=login),))
