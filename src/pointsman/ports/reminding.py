"""What the engine asks of the store of reminders."""

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from msgspec import Struct

from pointsman.domain.notices.delivery import Delivery
from pointsman.domain.reminders.reminder import Occurrence, Reminder, ReminderState
from pointsman.ports.storage import Append


class Settlement(Struct, frozen=True, kw_only=True):
    """What comes of reminders that are due: stored whole, or not at all.

    Attributes:
        occurrences, reminders: pairs; each reminder as it is afterwards, its version one above the
            one that was read.
        deliveries: what is handed to the outbox with it.
        run: the first rows of the run that carries out an action.
    """

    occurrences: tuple[Occurrence, ...]
    reminders: tuple[Reminder, ...]
    deliveries: tuple[Delivery, ...] = ()
    run: Append | None = None


class Reminders(Protocol):
    """Reminders and their occurrences as stored. Every method is one transaction, and durable when
    it returns.

    Raises (all): StoreError: the database failed.
    """

    async def add(self, reminder: Reminder) -> Reminder:
        """Store it, unless one of its id is there; the one that is stored."""
        ...

    async def get(self, reminder: str) -> Reminder | None: ...

    async def reminders(
        self,
        *,
        user: str | None = None,
        conversation: str | None = None,
        state: Collection[ReminderState] = (),
        due_from: datetime | None = None,
        due_to: datetime | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[Reminder]:
        """Reminders, newest first; ``before`` is an id to page on.

        Args:
            due_from, due_to: only those that are due next from then on, and before then.
        """
        ...

    async def change(self, reminder: Reminder) -> bool:
        """Store it as it is now, its version one above the one that was read; False, and nothing
        is stored, when somebody has changed or fired it since."""
        ...

    async def due(
        self, now: datetime, *, agents: Collection[str], waited: datetime, limit: int
    ) -> list[Reminder]:
        """Active reminders that are due, those due first before the others.

        Args:
            agents: that somebody drives; an action of another agent is only there when it has been
                due since before ``waited``.
        """
        ...

    async def next_due(self) -> datetime | None:
        """When something is due next; None when nothing is."""
        ...

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """Store what came of reminders that were due, each settlement for itself; False for one
        that does not stand, since one of its reminders was changed or fired meanwhile. An
        occurrence that is there already stays as it is, and nothing is handed in with it again."""
        ...

    async def occurrences(
        self, reminder: str, *, limit: int = 50, before: datetime | None = None
    ) -> list[Occurrence]:
        """What became of a reminder's occurrences, the latest due first; ``before`` is an instant
        to page on."""
        ...

    async def ahead(self, now: datetime, limit: int) -> list[Reminder]:
        """Reminders that dealt with what is due after this instant: the clock was set back."""
        ...

    async def rewind(self, reminder: Reminder, now: datetime) -> bool:
        """Store it as ``change`` does, and forget its missed occurrences that are due after this
        instant: they were not done."""
        ...

    async def forget(self, before: datetime, *, users: Collection[str], rehearsed: bool) -> int:
        """Remove occurrences that were due before then, and reminders that have been over since
        before then; how many of both.

        Args:
            users: whose stay.
            rehearsed: only count.
        """
        ...


@runtime_checkable
class KeepsReminders(Protocol):
    """A store that keeps reminders beside the journals."""

    @property
    def reminders(self) -> Reminders: ...


def reminders_news(user: str) -> str:
    """Under which name the bus tells that something has changed in the user's reminders: as long as
    a run's id, whatever the login."""
    return f"remind:{hashlib.sha256(user.encode()).hexdigest()[:25]}"
