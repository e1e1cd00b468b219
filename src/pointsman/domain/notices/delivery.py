"""What becomes of one message to one recipient by one channel: its states, and what follows from
what the channel said. The engine's ``outbox`` acts on it.

    pending → sending → sent
                ↓  ↑
              retry  →  dead_letter        tried too often or for too long
                ↓
              failed_permanent             the channel will never take it

A delivery of which a crash or a silent channel hides the outcome is sent again, so that it arrives
at least once; it is ``maybe_duplicated`` then, unless the channel knows a message that it has
taken by its key.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace


class DeliveryStatus(StrEnum):
    """Where a delivery stands."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    RETRY = "retry"
    FAILED = "failed_permanent"
    DEAD = "dead_letter"

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to it by itself."""
        return self in (DeliveryStatus.SENT, DeliveryStatus.FAILED, DeliveryStatus.DEAD)


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of one attempt to send one part.

    Attributes:
        verdict: ``sent``: the channel said yes; ``retry``: it did not take it, and may later;
            ``failed``: it never will; ``unknown``: it may have taken it.
        about: what a failure is the fault of; a broken ``channel`` fails everybody.
        code: the channel's own, as it wrote it.
        detail: for people; without secrets.
        after: seconds that the channel asked to wait.
    """

    verdict: Literal["sent", "retry", "failed", "unknown"]
    about: Literal["message", "recipient", "channel"] = "message"
    code: str = ""
    detail: str = ""
    after: float | None = None

    @property
    def ok(self) -> bool:
        return self.verdict == "sent"


SENT = Outcome(verdict="sent")


def of_one(outcome: Outcome, address: str, ways: Mapping[str, str]) -> Outcome:
    """The outcome where each of several addresses has a way of its own: one that is no good leaves
    the others be.

    Args:
        ways: address → its own; under the empty name the one of all others.
    """
    own = bool(address) and address in ways and len(ways) > 1
    if own and outcome.verdict == "failed" and outcome.about == "channel":
        return replace(outcome, about="recipient")
    return outcome


Kind = Literal["message", "reminder", "alert", "approval"]


class Delivery(Struct, frozen=True, kw_only=True):
    """One message to one recipient by one channel. Instants are aware and in UTC.

    Attributes:
        id: what the channel is given as the idempotency key, where it takes one.
        key: what the delivery was asked with: asking twice makes one.
        recipient: login of the person; empty for a group.
        name: of the person or group, for people.
        address: where the channel sends it: a mail address, a number, a group's name, a login.
        sender: login of who sends it. ``run`` and ``agent`` tell what did it for him.
        body: the whole text; it goes out in ``parts``, of which ``done`` were taken.
        attempts: that were started; ``since`` when the first was.
        due: when it may be tried next.
        token, lease: who is sending it, and until when nobody else may.
        fallback, fallback_address: the channel that takes it when this one will not, once.
        fallback_of: id of the delivery that failed and that this one stands for.
        maybe_duplicated: the recipient may have got it, or the beginning of it, twice.
        code, error: what the channel said last.
    """

    id: str
    key: str
    channel: str
    recipient: str
    name: str
    address: str
    sender: str
    subject: str
    body: str
    created: datetime
    due: datetime
    language: Literal["zh", "en"] = "zh"
    kind: Kind = "message"
    run: str = ""
    agent: str = ""
    status: DeliveryStatus = DeliveryStatus.PENDING
    parts: int = 1
    done: int = 0
    attempts: int = 0
    since: datetime | None = None
    token: str = ""
    lease: datetime | None = None
    fallback: str = ""
    fallback_address: str = ""
    fallback_of: str = ""
    maybe_duplicated: bool = False
    code: str = ""
    error: str = ""
    updated: datetime
    sent: datetime | None = None

    @property
    def lane(self) -> tuple[str, str]:
        """What is sent here is sent one after the other."""
        return self.channel, self.address


PAUSES = (5, 20, 60, 300, 900, 1800, 3600, 7200)
"""Seconds before the second attempt, the third, and so on; the last for all after."""
MOST_ATTEMPTS = 12
LONGEST = timedelta(hours=24)
"""After its first attempt a delivery is given up."""
ERROR = 300
"""Characters that are kept of what a channel said."""


def claimed(delivery: Delivery, *, token: str, until: datetime, now: datetime) -> Delivery:
    """The delivery as somebody begins to send it."""
    return replace(
        delivery,
        status=DeliveryStatus.SENDING,
        attempts=delivery.attempts + 1,
        since=delivery.since or now,
        token=token,
        lease=until,
        updated=now,
    )


def after_part(delivery: Delivery, outcome: Outcome, now: datetime, *, jitter: float) -> Delivery:
    """The delivery after its next part was tried.

    Args:
        jitter: a number in [0, 1) that spreads attempts out.
    """
    match outcome.verdict:
        case "sent":
            done = delivery.done + 1
            if done < delivery.parts:
                return replace(delivery, done=done, updated=now, code="", error="")
            at_end = {"status": DeliveryStatus.SENT, "sent": now, "lease": None, "token": ""}
            return replace(delivery, done=done, updated=now, code="", error="", **at_end)
        case "failed":
            return _left(delivery, DeliveryStatus.FAILED, outcome, now)
        case "retry" | "unknown":
            since = delivery.since or now
            if delivery.attempts >= MOST_ATTEMPTS or now - since >= LONGEST:
                return _left(delivery, DeliveryStatus.DEAD, outcome, now)
            pause = max(_pause(delivery.attempts, jitter), outcome.after or 0.0)
            left = _left(delivery, DeliveryStatus.RETRY, outcome, now)
            return replace(left, due=now + timedelta(seconds=min(pause, LONGEST.total_seconds())))


def put_off(delivery: Delivery, seconds: float, now: datetime, *, why: str = "") -> Delivery:
    """The delivery as it waits for its channel: what was begun is no attempt."""
    attempts = max(delivery.attempts - 1, 0)
    if now - (delivery.since or now) >= LONGEST:
        return _left(delivery, DeliveryStatus.DEAD, Outcome(verdict="retry", detail=why), now)
    status = DeliveryStatus.RETRY if attempts else DeliveryStatus.PENDING
    outcome = Outcome(verdict="retry", code=delivery.code, detail=why or delivery.error)
    left = _left(delivery, status, outcome, now)
    return replace(left, due=now + timedelta(seconds=seconds), attempts=attempts)


def _left(delivery: Delivery, status: DeliveryStatus, outcome: Outcome, now: datetime) -> Delivery:
    return replace(
        delivery,
        status=status,
        code=outcome.code,
        error=outcome.detail[:ERROR],
        token="",
        lease=None,
        updated=now,
    )


def _pause(attempts: int, jitter: float) -> float:
    pause = PAUSES[min(max(attempts, 1), len(PAUSES)) - 1]
    return pause * (0.75 + jitter / 2)


def tried_anew(delivery: Delivery, now: datetime) -> Delivery:
    """A delivery that was given up, as a person has it tried again, from the part that failed."""
    return replace(
        delivery, status=DeliveryStatus.RETRY, attempts=0, since=None, due=now, updated=now
    )
