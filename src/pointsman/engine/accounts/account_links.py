"""Links that open something once: what is stored of them is a digest."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from pointsman.domain import accounts as domain
from pointsman.domain.accounts import Entry
from pointsman.errors import NotSignedIn
from pointsman.ports import Clock
from pointsman.ports.accounts import AccountStore, Link, LinkKind


class Links:
    """The links of all users, and the one of the first."""

    def __init__(self, store: AccountStore, clock: Clock, secret: Callable[[], bytes]) -> None:
        """Args:
        secret: gives 256 bits that nobody can guess.
        """
        self._store, self._clock, self._secret = store, clock, secret

    async def make(
        self, kind: LinkKind, login: str, lasts: timedelta, entries: Sequence[Entry]
    ) -> str:
        """The code of a new link; those of its kind and login are over."""
        code = domain.code(self._secret())
        expires = self._clock.now() + lasts
        link = Link(digest=domain.digest(code), kind=kind, login=login, expires=expires)
        await self._store.put_link(link, entries)
        return code

    async def find(self, code: str, *kinds: LinkKind) -> Link:
        """The link of this code, of one of these kinds.

        Raises:
            NotSignedIn: there is none that can be used.
        """
        link = await self._store.link(domain.digest(code))
        if link is None or link.kind not in kinds or link.expires <= self._clock.now():
            raise _over()
        return link

    async def use(self, link: Link) -> None:
        """Use it up.

        Raises:
            NotSignedIn: somebody else has.
        """
        if not await self._store.take_link(link.digest):
            raise _over()


def _over() -> NotSignedIn:
    return NotSignedIn("link", "this link was used, has expired, or never was one")
