"""Deliveries and messages as JSON values, the same for the HTTP API and for ``--json``."""

from typing import Any

import msgspec

from pointsman.domain.notices.delivery import Delivery
from pointsman.domain.notices.delivery_texts import state
from pointsman.ports import InboxMessage


def delivery_shape(delivery: Delivery) -> dict[str, Any]:
    """A delivery; instants are ISO 8601, in UTC. The text of the message is its recipient's."""
    shaped: dict[str, Any] = msgspec.to_builtins(
        {
            "delivery": delivery.id,
            "channel": delivery.channel,
            "recipient": delivery.recipient,
            "name": delivery.name,
            "address": delivery.address,
            "sender": delivery.sender,
            "run": delivery.run,
            "agent": delivery.agent,
            "kind": delivery.kind,
            "subject": delivery.subject,
            "status": delivery.status,
            "maybe_duplicated": delivery.maybe_duplicated,
            "parts": delivery.parts,
            "parts_sent": delivery.done,
            "attempts": delivery.attempts,
            "next_attempt": None if delivery.status.ended else delivery.due,
            "code": delivery.code,
            "error": delivery.error,
            "fallback": delivery.fallback,
            "fallback_of": delivery.fallback_of,
            "created": delivery.created,
            "updated": delivery.updated,
            "sent": delivery.sent,
            "text": state(delivery, delivery.language),
        }
    )
    return shaped


def message_shape(message: InboxMessage) -> dict[str, Any]:
    """A message of an inbox."""
    shaped: dict[str, Any] = msgspec.to_builtins(message)
    del shaped["user"]
    return shaped
