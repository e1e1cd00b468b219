"""What is to be stored of reminders that are due: the messages, the run, the word to their owner.
Nothing is stored here.

Above: ``firing``. Below: ``post`` and ``journal``, for the rows.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.directory.recipients import Way
from pointsman.domain.messages import UserMessage
from pointsman.domain.notices.delivery import Delivery, Kind
from pointsman.domain.reminders import reminder_notices as notices
from pointsman.domain.reminders.covering import ReminderOf
from pointsman.domain.reminders.reminder import Occurrence, OccurrenceState, Reminder
from pointsman.domain.reminders.reminder_moves import Fired
from pointsman.engine.journal import Journal
from pointsman.engine.notices.channels import SYSTEM
from pointsman.engine.notices.post import Notice, Post
from pointsman.ports import Append, Bus, Clock, Committed, Settlement, Store


class Plan(Struct, frozen=True, kw_only=True):
    """What comes of reminders that are due.

    Attributes:
        begun: what is to be told of a run that it starts, when it stands.
    """

    settlement: Settlement
    begun: Committed | None = None


def run_of(occurrence: str, due: datetime) -> str:
    """The id of an occurrence's run, as one of version 7 (hex): however often it is begun, it is
    the same run. It sorts by the instant that was due."""
    told = sha256(occurrence.encode()).hexdigest()
    variant = "89ab"[int(told[0], 16) % 4]
    return f"{int(due.timestamp() * 1000):012x}7{told[1:4]}{variant}{told[4:19]}"


class Planning:
    """Plans what comes of reminders; of one process."""

    def __init__(self, store: Store, post: Post, clock: Clock, bus: Bus) -> None:
        self.post = post
        self._store, self._clock, self._bus = store, clock, bus

    def plans(
        self, fired: Sequence[tuple[Reminder, Fired]], agents: Collection[str], now: datetime
    ) -> list[Plan]:
        """One plan for each, and one for all that a user has missed (case T35).

        Args:
            fired: each reminder as it was, and what comes of it.
            agents: that somebody drives.
        """
        plans: list[Plan] = []
        missed: dict[str, list[tuple[Reminder, Fired]]] = defaultdict(list)
        for reminder, one in fired:
            occurrence = one.occurrence
            if occurrence is not None and occurrence.state is OccurrenceState.MISSED:
                missed[reminder.user].append((reminder, one))
            elif occurrence is None:
                plans.append(_plan(one, None))
            elif occurrence.note:
                plans.append(self._failed(reminder, one, occurrence, occurrence.note))
            elif reminder.kind == "text":
                plans.append(self._sent(reminder, one, occurrence))
            elif reminder.agent in agents:
                plans.append(self._begun(reminder, one, occurrence, now))
            else:
                why = notices.NO_AGENT[reminder.language].format(agent=reminder.agent)
                plans.append(self._failed(reminder, one, occurrence, why))
        return plans + [self._missed(theirs) for theirs in missed.values()]

    def _sent(self, reminder: Reminder, fired: Fired, occurrence: Occurrence) -> Plan:
        """The text on its way to where it was to go when the reminder was made (case T45)."""
        ways = reminder.target.ways or (inbox_of(reminder.user),)
        there = tuple(one for one in ways if self.post.channels.get(one.channel) is not None)
        drafted: list[Delivery] = []
        if there:
            drafted = self._drafted(
                reminder,
                key=occurrence.key,
                ways=there,
                subject=notices.subject(reminder),
                body=notices.body(reminder, occurrence),
            )
        occurrence = replace(occurrence, deliveries=tuple(one.id for one in drafted))
        if len(there) == len(ways):
            return _plan(fired, occurrence, drafted)
        gone = ", ".join(sorted({one.channel for one in ways if one not in there}))
        why = notices.NO_CHANNEL[reminder.language].format(channel=gone)
        return self._failed(reminder, fired, occurrence, why, drafted)

    def _begun(
        self, reminder: Reminder, fired: Fired, occurrence: Occurrence, now: datetime
    ) -> Plan:
        """The run that does it, in the background, with what was confirmed when it was made."""
        key = occurrence.key
        journal = Journal.start(
            self._store,
            self._bus,
            self._clock,
            run=run_of(key, occurrence.due),
            first=ev.MessageReceived(
                at=now,
                agent=reminder.agent,
                user=reminder.user,
                conversation=reminder.conversation,
                language=reminder.language,
                messages=(UserMessage(text=reminder.action),),
                origin=f"reminder:{reminder.id}",
                reminder=ReminderOf(
                    reminder=reminder.id,
                    key=key,
                    due=occurrence.due,
                    late=occurrence.late.total_seconds(),
                    # What the arguments were may be private; the digest is all that counts.
                    covered=tuple(replace(one, arguments={}) for one in reminder.covered),
                ),
            ),
            past=(),
            pending=None,
        )
        run, told = journal.opening()
        return _plan(fired, replace(occurrence, run=run.run.id), run=run, begun=told)

    def _failed(
        self,
        reminder: Reminder,
        fired: Fired,
        occurrence: Occurrence,
        why: str,
        drafted: Sequence[Delivery] = (),
    ) -> Plan:
        """It cannot be done, and its owner hears of it; the reminder goes on."""
        told = self._drafted(
            reminder,
            key=f"{occurrence.key} failed",
            subject=notices.failed_subject(reminder),
            body=notices.failed(reminder, occurrence.due, why),
            kind="alert",
        )
        failed = replace(occurrence, state=OccurrenceState.FAILED, note=why)
        return _plan(fired, failed, [*drafted, *told])

    def _missed(self, theirs: Sequence[tuple[Reminder, Fired]]) -> Plan:
        """What a user's reminders were too late for, in one message."""
        pairs = [(reminder, one.occurrence) for reminder, one in theirs if one.occurrence]
        first, occurrence = pairs[0]
        told = self._drafted(
            first,
            key=f"{occurrence.key} missed",
            subject=notices.missed_subject(len(pairs), first.language),
            body=notices.missed(pairs, first.language),
        )
        settlement = Settlement(
            occurrences=tuple(
                replace(one, deliveries=tuple(sent.id for sent in told)) for _, one in pairs
            ),
            reminders=tuple(one.reminder for _, one in theirs),
            deliveries=tuple(told),
        )
        return Plan(settlement=settlement)

    def _drafted(
        self,
        reminder: Reminder,
        *,
        key: str,
        subject: str,
        body: str,
        ways: Sequence[Way] = (),
        kind: Kind = "reminder",
    ) -> list[Delivery]:
        """A message as rows of the outbox; to the owner's inbox without other ways."""
        notice = notice_to(ways or (inbox_of(reminder.user),), reminder, key=key, body=body)
        return self.post.drafted(replace(notice, subject=subject, kind=kind))


def notice_to(ways: Sequence[Way], reminder: Reminder, *, key: str, body: str) -> Notice:
    """A message of a reminder's."""
    return Notice(
        key=key,
        recipients=tuple(ways),
        body=body,
        sender=reminder.user,
        agent=reminder.agent,
        kind="reminder",
        language=reminder.language,
    )


def inbox_of(user: str) -> Way:
    """The way to a user's inbox."""
    return Way(channel=SYSTEM, address=user, name=user, login=user)


def _plan(
    fired: Fired,
    occurrence: Occurrence | None,
    deliveries: Sequence[Delivery] = (),
    *,
    run: Append | None = None,
    begun: Committed | None = None,
) -> Plan:
    settlement = Settlement(
        occurrences=(occurrence,) if occurrence else (),
        reminders=(fired.reminder,),
        deliveries=tuple(deliveries),
        run=run,
    )
    return Plan(settlement=settlement, begun=begun)
