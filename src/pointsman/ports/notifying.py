"""What the engine asks of channels, of the outbox that they are fed from, and of inboxes."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from pointsman.domain.directory.entries import Person
from pointsman.domain.directory.recipients import Contact
from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import Delivery, DeliveryStatus, Kind, Outcome


class Letter(Struct, frozen=True, kw_only=True):
    """One part of a message on its way to one recipient.

    Attributes:
        key: the idempotency key: the same for every attempt at this part, and for no other.
        address, name: where it goes and whose that is.
        part, parts: which of how many it is, from 1; ``text`` says so itself.
    """

    key: str
    address: str
    name: str
    subject: str
    text: str
    language: Literal["zh", "en"] = "zh"
    kind: Kind = "message"
    part: int = 1
    parts: int = 1
    sender: str = ""
    run: str = ""
    agent: str = ""


class Notifier(Protocol):
    """A channel: it takes one part for one recipient at a time, and says whether it did.

    Above: ``engine.outbox``, which cuts, orders, repeats and remembers. Below: a mail server, a
    chat service, the inboxes.
    """

    @property
    def limit(self) -> int:
        """Bytes of UTF-8 that one part may have; 0 for any."""
        ...

    @property
    def keyed(self) -> bool:
        """Whether a part that comes twice with one key arrives once."""
        ...

    @property
    def rate(self) -> Rate | None:
        """How often an address takes something; None for any."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds for one part."""
        ...

    def refuses(self, address: str) -> str:
        """Why this can be no address of the channel; empty when it can."""
        ...

    async def send(self, letter: Letter) -> Outcome:
        """Send one part. Never raises, but when cancelled; shows no secret."""
        ...

    async def aclose(self) -> None: ...


class Outbox(Protocol):
    """Deliveries as stored. Every method is one transaction, and durable when it returns.

    Raises (all): StoreError: the database failed.
    """

    async def put(self, new: Sequence[Delivery]) -> list[Delivery]:
        """Store those whose ``key`` is not there yet; all of them as they are stored, in order."""
        ...

    async def claim(
        self, channel: str, now: datetime, *, token: str, until: datetime, limit: int
    ) -> list[Delivery]:
        """Take what is due on the channel, oldest first, at most one of a lane; also what
        somebody was sending whose lease is over, which is ``maybe_duplicated`` in the answer. They
        are as ``delivery.claimed`` makes them.

        Nothing is taken of a lane where something is being sent, or was begun and waits.

        Args:
            token: of this claim alone: only who knows it may renew and write.
        """
        ...

    async def renew(self, ids: Sequence[str], *, token: str, until: datetime) -> set[str]:
        """Put off the end of the leases; those that are still held."""
        ...

    async def write(self, changed: Delivery, *, token: str, new: Sequence[Delivery] = ()) -> bool:
        """Store what became of a delivery, and what follows from it; False, and nothing is stored,
        when it is no longer held with this token."""
        ...

    async def requeue(self, changed: Delivery) -> bool:
        """Store a delivery that had ended and is tried anew; False when it had not ended badly."""
        ...

    async def due(self, channels: Sequence[str]) -> datetime | None:
        """When there is something to claim next; None when nothing waits."""
        ...

    async def deliveries(
        self,
        *,
        ids: Sequence[str] | None = None,
        sender: str | None = None,
        run: str | None = None,
        channel: str | None = None,
        status: Sequence[DeliveryStatus] = (),
        limit: int = 50,
        before: str | None = None,
    ) -> list[Delivery]:
        """Deliveries, newest first; ``before`` is an id to page on, ``ids`` the only ones."""
        ...


class InboxMessage(Struct, frozen=True, kw_only=True):
    """A message in somebody's inbox. Instants are aware and in UTC.

    Attributes:
        seq: rises with each message that arrives; 0 before it has.
        id: of the delivery that brought it.
    """

    id: str
    user: str
    subject: str
    text: str
    at: datetime
    kind: Kind = "message"
    sender: str = ""
    run: str = ""
    agent: str = ""
    seq: int = 0
    read: datetime | None = None


def inbox_news(user: str) -> str:
    """Under which name the bus tells that something has changed in the user's inbox: as long as a
    run's id, whatever the login."""
    return f"inbox:{hashlib.sha256(user.encode()).hexdigest()[:26]}"


class Inbox(Protocol):
    """Messages by user.

    Raises (all): StoreError: the database failed.
    """

    async def add(self, message: InboxMessage) -> bool:
        """Put it there, unless it is; whether it was new. What arrives later has a higher ``seq``,
        in every process."""
        ...

    async def messages(
        self,
        user: str,
        *,
        unread: bool = False,
        kind: Kind | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[InboxMessage]:
        """The user's messages, newest first; with ``after`` (a ``seq``) those above it, oldest
        first."""
        ...

    async def find(self, user: str, id: str) -> InboxMessage | None:
        """One of the user's messages."""
        ...

    async def unread(self, user: str) -> int: ...

    async def mark(
        self, user: str, at: datetime | None, *, ids: Sequence[str] | None = None
    ) -> int:
        """Mark messages of the user as read at this instant, or as unread (None); those not given
        ``ids``, all. How many were changed."""
        ...


@runtime_checkable
class KeepsNotices(Protocol):
    """A store that keeps deliveries and inboxes beside the journals."""

    @property
    def outbox(self) -> Outbox: ...

    @property
    def inbox(self) -> Inbox: ...


class Found(Struct, frozen=True, kw_only=True):
    """Whom words mean.

    Attributes:
        people: who is meant, without doubt; empty when that is not clear.
        candidates: who may be meant, when several may be.
        departments: which may be meant, when that is what is not clear.
        besides: who is meant together with one of the candidates.
        part: of the words, what is not clear, when that is not all of them.
        ambiguous: the words mean something, but not one thing.
    """

    people: tuple[Contact, ...] = ()
    candidates: tuple[Contact, ...] = ()
    departments: tuple[str, ...] = ()
    besides: tuple[Contact, ...] = ()
    part: str = ""
    ambiguous: bool = False


class Directory(Protocol):
    """Who is who."""

    def people(self) -> Sequence[Person]:
        """Everybody, by login."""
        ...

    async def find(self, words: str, *, asking: str, said: str = "") -> Found:
        """Whom a name or a description means.

        Args:
            asking: login of who says it, for "me" and "my boss".
            said: what else was said of the person, to tell namesakes apart.
        """
        ...
