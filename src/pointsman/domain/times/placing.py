"""The readings of a moment at a reference instant, as values; ``reading`` makes them."""

from datetime import UTC, date, datetime, time
from typing import Literal

from msgspec import Struct

from pointsman.domain.calendar.workdays import Workdays

Grain = Literal["second", "minute", "part", "day", "week", "month", "year", "span"]
Why = Literal[
    "", "passed", "two days", "contradiction", "impossible", "range", "interval", "vague", "unread"
]
Note = Literal["past", "monday to friday", "short months"]


class When(Struct, frozen=True, kw_only=True):
    """One reading: an instant, or a span that starts there.

    Attributes:
        start: aware, in the zone that was asked for. For a recurrence, its next occasion.
        end: the first instant after a span; None for an instant.
        rule: an RFC 5545 RRULE for a recurrence, else empty.
        workdays: the recurrence means working days, of which the rule's Monday to Friday is only
            the nearest that an RRULE can say.
    """

    start: datetime
    end: datetime | None = None
    grain: Grain = "minute"
    rule: str = ""
    workdays: bool = False


class Placed(Struct, frozen=True, kw_only=True):
    """The readings of one moment; see ``TimePhrase``."""

    readings: tuple[When, ...]
    also: tuple[When, ...] = ()
    other: tuple[When, ...] = ()
    settled: bool = True
    why: Why = ""
    clock: tuple[time, ...] = ()
    notes: tuple[Note, ...] = ()


class Reference(Struct, frozen=True):
    """From where a moment is seen: an instant in the user's zone, and who works when."""

    now: datetime
    workdays: Workdays | None = None

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def utc(self) -> datetime:
        """To compare by: instants of one zone are compared by its wall clock otherwise."""
        return self.now.astimezone(UTC)
