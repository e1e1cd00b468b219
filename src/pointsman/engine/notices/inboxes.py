"""Inboxes as their owners look at them: lists, how many are unread, and what arrives (O8)."""

from collections.abc import AsyncGenerator, Sequence

import anyio
from msgspec import Struct

from pointsman.domain.notices.delivery import Kind
from pointsman.errors import NotFound
from pointsman.ports import Bus, Clock, Inbox, InboxMessage, Signal, inbox_news

LOOK = 2.0
"""Seconds until an inbox is looked at again: another process on a file tells no news."""
PAGE = 100


class Unread(Struct, frozen=True):
    """How many messages of an inbox are unread now."""

    unread: int


class Inboxes:
    """Every user's messages."""

    def __init__(self, inbox: Inbox, bus: Bus, clock: Clock) -> None:
        self._inbox, self._bus, self._clock = inbox, bus, clock

    async def messages(
        self,
        user: str,
        *,
        unread: bool = False,
        kind: Kind | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[InboxMessage]:
        """The user's messages, newest first."""
        return await self._inbox.messages(
            user, unread=unread, kind=kind, before=before, limit=limit
        )

    async def unread(self, user: str) -> int:
        """How many messages the user has not read."""
        return await self._inbox.unread(user)

    async def mark(self, user: str, message: str, *, read: bool = True) -> None:
        """Mark a message as read or unread. One that is so already stays as it is.

        Raises:
            NotFound: the user has no such message.
        """
        if not await self._inbox.find(user, message):
            raise NotFound("message", message)
        await self._mark(user, read=read, ids=[message])

    async def mark_all(self, user: str) -> int:
        """Mark all as read; how many were not."""
        return await self._mark(user, read=True, ids=None)

    async def follow(
        self, user: str, after: int | None = None
    ) -> AsyncGenerator[InboxMessage | Unread]:
        """What arrives, each message once and in order, and how many are unread whenever that
        changes; without end.

        Args:
            after: the ``seq`` that was seen last; None begins with what arrives from now on.
        """
        async with self._bus.watch(inbox_news(user)) as news:
            if after is None:
                newest = await self._inbox.messages(user, limit=1)
                after = newest[0].seq if newest else 0
            told = -1
            while True:
                while new := await self._inbox.messages(user, after=after, limit=PAGE):
                    for message in new:
                        after = message.seq
                        yield message
                unread = await self._inbox.unread(user)
                if unread != told:
                    told = unread
                    yield Unread(unread)
                with anyio.move_on_after(LOOK):
                    await anext(news)

    async def _mark(self, user: str, *, read: bool, ids: Sequence[str] | None) -> int:
        changed = await self._inbox.mark(user, self._clock.now() if read else None, ids=ids)
        if changed:
            self._bus.publish(inbox_news(user), Signal(0))
        return changed
