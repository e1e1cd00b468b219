"""What stands in addresses, read as strictly as bodies are."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator

from pointsman.entrypoints.web.problems import Refusal


def _written(value: Any) -> Any:
    """A number is no instant, whatever it may count from."""
    if isinstance(value, str) and not re.match(r"\d{4}-\d\d-\d\d", value):
        raise ValueError("expected an instant, such as 2027-01-31T09:00:00Z")
    return value


LARGEST = 2**53 - 1
"""Of the whole numbers that every client can write, and every database can compare."""


def _reckonable(value: datetime) -> datetime:
    """What lies so far away that days cannot be counted from it is a mistake."""
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    if not 2000 <= value.year <= 2199:
        raise ValueError("expected an instant from 2000 to 2199")
    return aware


Instant = Annotated[datetime, BeforeValidator(_written), AfterValidator(_reckonable)]
"""ISO 8601; in UTC when it does not say."""


Otherwise = TypeVar("Otherwise", int, int | None)


def place(last_event_id: str, otherwise: Otherwise) -> int | Otherwise:
    """The place in a stream that a ``Last-Event-ID`` names; without one, the other.

    Raises:
        Refusal: it is none.
    """
    if not last_event_id:
        return otherwise
    if not (last_event_id.isdecimal() and len(last_event_id) <= len(str(LARGEST))):
        raise Refusal(400, "Last-Event-ID is no place in this stream", field="Last-Event-ID")
    return min(int(last_event_id), LARGEST)
