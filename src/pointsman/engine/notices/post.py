"""Where messages are handed in and asked for: a row a recipient and channel, which ``outbox``
carries.

A row is written before anybody hears that the message was accepted. What a message is handed in
with (its key) makes the key of each row: handing it in again after a crash makes no second one.
Why rows are not written with the journal: ``docs/adr``.

Above: ``System_Notify``, reminders, the entry points. Below: ``ports.Outbox``.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence

import anyio
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.agent import Language
from pointsman.domain.directory.recipients import Way
from pointsman.domain.notices import delivery_texts, letters
from pointsman.domain.notices.delivery import Delivery, DeliveryStatus, Kind, tried_anew
from pointsman.engine.notices.channels import SYSTEM, Channels
from pointsman.errors import Conflict, NotFound
from pointsman.ports import Bus, Clock, Outbox, Signal

OUTBOX = "outbox"
"""Under which name the bus tells that there is something to carry."""
PATIENCE = 10.0
"""Seconds that who sends waits for the outcome (case N19)."""
LOOKED_FOR = 400
"""Deliveries that are looked for as often as one ends; more of them more seldom."""
LOOK = 0.5
"""Seconds between two looks at what another process may have carried."""


class Notice(Struct, frozen=True, kw_only=True):
    """A message as it is handed in.

    Attributes:
        key: handing in the same key twice sends once.
        sender: login.
    """

    key: str
    recipients: tuple[Way, ...]
    body: str
    sender: str
    subject: str = ""
    run: str = ""
    agent: str = ""
    kind: Kind = "message"
    language: Language = "zh"


class Post:
    """Where messages are handed in, and asked for."""

    def __init__(
        self,
        outbox: Outbox,
        channels: Channels,
        clock: Clock,
        bus: Bus,
        *,
        alerts: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Args:
        alerts: gives the logins that are told what could not be delivered.
        """
        self.channels = channels
        self._outbox, self._clock, self._bus = outbox, clock, bus
        self._alerts = alerts
        self._ended = anyio.Event()

    async def send(self, notice: Notice) -> list[Delivery]:
        """Take the message in; it is safe when this returns. One row a recipient, as it stands.

        Raises:
            StoreError: it may not have been taken in; the same key may be handed in again.
        """
        stored = await self._outbox.put(self.drafted(notice))
        self.wake()
        return stored

    def drafted(self, notice: Notice) -> list[Delivery]:
        """The rows of the message, for whoever stores them together with something else and then
        calls ``wake``."""
        rows = (self._row(notice, to) for to in notice.recipients)
        return list({one.key: one for one in rows}.values())

    async def settled(self, ids: Sequence[str], patience: float = PATIENCE) -> list[Delivery]:
        """The deliveries when all have ended, or as they stand after so many seconds."""
        found: list[Delivery] = []
        with anyio.move_on_after(patience):
            while True:
                await anyio.sleep(min(len(ids), LOOKED_FOR) * 0.0005)
                ended = self._ended
                found = await self._outbox.deliveries(ids=ids, limit=len(ids))
                if all(one.status.ended for one in found):
                    return found
                with anyio.move_on_after(LOOK):
                    await ended.wait()
        return await self._outbox.deliveries(ids=ids, limit=len(ids))

    async def deliveries(
        self,
        *,
        sender: str | None = None,
        run: str | None = None,
        channel: str | None = None,
        status: Sequence[DeliveryStatus] = (),
        limit: int = 50,
        before: str | None = None,
    ) -> list[Delivery]:
        """Deliveries, newest first."""
        return await self._outbox.deliveries(
            sender=sender, run=run, channel=channel, status=status, limit=limit, before=before
        )

    async def delivery(self, delivery: str, sender: str | None) -> Delivery:
        """One delivery.

        Args:
            sender: whose it must be; None for an operator.

        Raises:
            NotFound: there is none of his.
        """
        found = await self._outbox.deliveries(ids=[delivery], limit=1)
        if not found or sender not in (None, found[0].sender):
            raise NotFound("delivery", delivery)
        return found[0]

    async def retry(self, delivery: str, sender: str | None) -> Delivery:
        """Try a delivery again that was given up.

        Raises:
            NotFound: there is none of his.
            Conflict: it was not given up.
        """
        found = await self.delivery(delivery, sender)
        anew = tried_anew(found, self._clock.now())
        if not await self._outbox.requeue(anew):
            raise Conflict(f"delivery {delivery} was not given up ({found.status.value})")
        self.wake()
        return anew

    def wake(self) -> None:
        """Tell whoever carries that there is something."""
        self._bus.publish(OUTBOX, Signal(0))

    def follows(self, delivery: Delivery) -> list[Delivery]:
        """What follows from how a delivery stands: the fallback takes over what failed, and people
        are told."""
        failed = delivery.status in (DeliveryStatus.FAILED, DeliveryStatus.DEAD)
        if not failed or delivery.kind == "alert":
            return []
        return [*self._fallback(delivery), *self._told_of(delivery)]

    def look(self) -> None:
        """A delivery has ended: who waits for some looks at them."""
        ended, self._ended = self._ended, anyio.Event()
        ended.set()

    def _row(self, notice: Notice, to: Way) -> Delivery:
        now, channel = self._clock.now(), self.channels.get(to.channel)
        fallback = channel.fallback if channel else ""
        address = to.login if fallback == SYSTEM else to.also.get(fallback, "")
        return Delivery(
            id=self._clock.new_id(),
            key=_key(notice.key, to.channel, to.address),
            channel=to.channel,
            recipient=to.login,
            name=to.name,
            address=to.address,
            sender=notice.sender,
            run=notice.run,
            agent=notice.agent,
            kind=notice.kind,
            language=notice.language,
            subject=letters.one_line(notice.subject)
            or letters.subject_of(notice.body, notice.language),
            body=notice.body,
            created=now,
            due=now,
            updated=now,
            fallback=fallback if address else "",
            fallback_address=address,
        )

    def _fallback(self, failed: Delivery) -> list[Delivery]:
        if not failed.fallback or failed.fallback_of:
            return []
        return [
            self._fresh(
                failed,
                key=_key(failed.id, failed.fallback, failed.fallback_address),
                channel=failed.fallback,
                address=failed.fallback_address,
                fallback_of=failed.id,
            )
        ]

    def _told_of(self, failed: Delivery) -> list[Delivery]:
        """What the sender is told of this delivery, and the operators of its channel, once
        an hour."""
        hour = failed.updated.strftime("%Y%m%d%H")
        of_channel = f"{failed.channel} {failed.status.value} {failed.code} {hour}"
        keys = {login: _key("alert", login, of_channel) for login in self._alerts()}
        if failed.sender:
            keys[failed.sender] = _key("alert", failed.sender, failed.id)
        return [
            self._fresh(
                failed,
                key=key,
                channel=SYSTEM,
                address=login,
                recipient=login,
                name=login,
                kind="alert",
                sender="",
                subject=delivery_texts.alert_subject(failed),
                body=delivery_texts.alert(failed),
                fallback="",
                fallback_address="",
            )
            for login, key in keys.items()
        ]

    def _fresh(self, failed: Delivery, **changes: object) -> Delivery:
        now = self._clock.now()
        new = {
            "id": self._clock.new_id(),
            "status": DeliveryStatus.PENDING,
            "attempts": 0,
            "done": 0,
            "parts": 1,
            "since": None,
            "token": "",
            "lease": None,
            "sent": None,
            "code": "",
            "error": "",
            "maybe_duplicated": False,
            "created": now,
            "due": now,
            "updated": now,
        }
        return replace(failed, **{**new, **changes})


def _key(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
