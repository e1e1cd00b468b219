"""A reminder: when it is due, what it does then, and how it moves on.

    active  →  done                 nothing more is due
      ↓ ↑   →  cancelled            by its owner; final
    paused

Its occurrences are identified by the reminder and the instant that they are due (``occasion_key``).
Every function gives the reminder as it is afterwards; storing it, and checking that nobody else
moved it on meanwhile (``version``), is the store's part.

Above: ``engine.reminders.book``. Below: ``schedule``, which says when something is due.
"""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.directory.recipients import Way
from pointsman.domain.reminders.covering import Covered
from pointsman.domain.schedule import Schedule, occasion_key

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GRACE = timedelta(hours=24)
"""How late an occurrence is still done, unless the reminder says otherwise."""
LATE = timedelta(seconds=60)
"""From when on an occurrence counts as late: less is the engine's own pace."""
AHEAD = timedelta(seconds=60)
"""What was dealt with so far in the future shows that the clock was set back; less is what clocks
of two machines differ by."""

Kind = Literal["text", "action"]


class ReminderState(StrEnum):
    """Where a reminder stands."""

    ACTIVE = "active"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class OccurrenceState(StrEnum):
    """What became of an occurrence."""

    FIRED = "fired"
    LATE = "late"
    """It fired, after the engine had been down."""
    MISSED = "missed"
    """It was too late to be done; its owner was told."""
    FAILED = "failed"
    """It could not be done: its agent or a channel is gone. Its owner was told."""


class Target(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a text goes, fixed when the reminder is made: whatever the user does later, and
    wherever he writes from, it goes there (case T45).

    Attributes:
        ways: recipients by channel and address; nobody stands for the owner's inbox.
        mention: name of the person whom a message to a group is for.
    """

    ways: tuple[Way, ...] = ()
    mention: str = ""


class Reminder(Struct, frozen=True, kw_only=True):
    """A reminder as stored. Instants are aware and in UTC, but for ``schedule.start``.

    Who makes one gives the first group; the rest is filled in by ``ReminderBook.add``.

    Attributes:
        id: 32 hex digits; empty for a new one. Giving one that follows from the call that makes the
            reminder makes it once, whatever runs twice.
        agent, conversation: where an action runs, and what a text is said to come from.
        text, action: what is sent, or what the agent is asked to do, as ``kind`` says.
        title: a few words, for lists.
        words: the user's own words for the time.
        timezone: IANA name; whose wall clock ``schedule`` follows.
        target: where a text goes.
        covered: calls that the user confirmed when he made it, for an action.
        grace: how late an occurrence is still done.
        run: in which it was made; empty when it was made by hand.
        next: when something is due next; None when nothing is, or it is paused.
        snoozed: it is quiet until then, and due then; then the schedule goes on as ever.
        handled: what was due up to here is dealt with.
        version: rises by one with each change.
    """

    user: str
    agent: str
    kind: Kind
    schedule: Schedule
    timezone: str
    id: str = ""
    conversation: str = ""
    language: Language = "zh"
    text: str = ""
    action: str = ""
    title: str = ""
    words: str = ""
    target: Target = Target()
    covered: tuple[Covered, ...] = ()
    grace: timedelta = GRACE
    run: str = ""

    state: ReminderState = ReminderState.ACTIVE
    next: datetime | None = None
    snoozed: datetime | None = None
    handled: datetime = EPOCH
    created: datetime = EPOCH
    updated: datetime = EPOCH
    version: int = 1

    @property
    def content(self) -> str:
        """What it says or does."""
        return self.text if self.kind == "text" else self.action

    @property
    def over(self) -> bool:
        """Whether nothing more is due, unless it is changed or snoozed."""
        return self.state in (ReminderState.DONE, ReminderState.CANCELLED)


class Occurrence(Struct, frozen=True, kw_only=True):
    """One time that a reminder was due, and what became of it. Instants are aware and in UTC.

    Attributes:
        due: when it was; with the reminder it is the occurrence's identity.
        fired: when it was dealt with.
        passed: earlier occurrences that this one stands for, since they passed while nobody fired
            them.
        run: that carries out the action; empty for a text.
        deliveries: ids of the messages that the text went out with.
        note: what went wrong, for people.
    """

    reminder: str
    due: datetime
    state: OccurrenceState
    fired: datetime
    passed: int = 0
    run: str = ""
    deliveries: tuple[str, ...] = ()
    note: str = ""

    @property
    def key(self) -> str:
        """Its identity in a word."""
        return occasion_key(self.reminder, self.due)

    @property
    def late(self) -> timedelta:
        """How long after it was due it was dealt with."""
        return max(self.fired - self.due, timedelta())


class Changes(Struct, frozen=True, kw_only=True):
    """What a person changes of a reminder; None leaves a thing as it is.

    Attributes:
        covered: the calls confirmed for the new action. A new action without them has none: what
            was confirmed was another.
    """

    schedule: Schedule | None = None
    timezone: str | None = None
    words: str | None = None
    text: str | None = None
    action: str | None = None
    title: str | None = None
    target: Target | None = None
    covered: tuple[Covered, ...] | None = None
    grace: timedelta | None = None
    language: Language | None = None
