"""How a reminder moves on: when it is made, fired, changed, snoozed, paused, or found ahead of a
clock that was set back.

Pure: each gives the reminder as it is afterwards, its version one above. Instants that are given
are aware.
"""

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import schedule as schedules
from pointsman.domain.calendar.workdays import Workdays
from pointsman.domain.reminders.reminder import (
    LATE,
    Changes,
    Occurrence,
    OccurrenceState,
    Reminder,
    ReminderState,
)
from pointsman.domain.schedule import BadRule, Schedule
from pointsman.errors import CallerError, Conflict

_PASSED = "nothing of this reminder is still to come: give it a time that is not over"


class Fired(Struct, frozen=True, kw_only=True):
    """What comes of a reminder that is due.

    Attributes:
        occurrence: None when its schedule no longer has what it was waiting for: a calendar of
            working days that has changed.
        reminder: as it is afterwards.
    """

    occurrence: Occurrence | None
    reminder: Reminder


def begun(reminder: Reminder, now: datetime, workdays: Workdays | None) -> Reminder:
    """A new reminder with its first occasion.

    Raises:
        CallerError: nothing of it is ever due, its rule or zone cannot be followed, or it says
            nothing.
    """
    if not reminder.content.strip():
        raise CallerError(f"a reminder of kind {reminder.kind} needs a text: what is it about?")
    made = replace(
        _whole(reminder),
        state=ReminderState.ACTIVE,
        created=now,
        updated=now,
        snoozed=None,
        version=0,
    )
    return _from(made, now, workdays)


def named(reminder: Reminder, new_id: Callable[[], str]) -> Reminder:
    """A new reminder with the ids that it was not given."""
    return replace(
        reminder,
        id=reminder.id or new_id(),
        conversation=reminder.conversation or new_id(),
    )


def fired(reminder: Reminder, now: datetime, workdays: Workdays | None) -> Fired | None:
    """What is due of it now; None when nothing is.

    However many occasions passed, one occurrence stands for them: the latest.
    """
    if reminder.next is None or reminder.next > now:
        return None
    grace, snoozed = reminder.grace, reminder.snoozed
    since = reminder.handled if snoozed is None else max(snoozed, reminder.handled)
    found = schedules.due(reminder.schedule, since, now, grace=grace, workdays=workdays)
    passed = found.missed if found else 0
    if found is not None:
        at, following = found.at, found.next
        passed += snoozed is not None
    elif snoozed is not None:
        at, following = snoozed, schedules.next_after(reminder.schedule, now, workdays)
    else:
        return Fired(occurrence=None, reminder=_from(reminder, now, workdays, lenient=True))
    at = at.astimezone(UTC)
    occurrence = Occurrence(
        reminder=reminder.id, due=at, state=_state(now - at, grace), fired=now, passed=passed
    )
    return Fired(
        occurrence=occurrence,
        reminder=_waiting(reminder, following, handled=at, snoozed=None, updated=now),
    )


def _state(late: timedelta, grace: timedelta) -> OccurrenceState:
    if late > grace:
        return OccurrenceState.MISSED
    return OccurrenceState.LATE if late >= LATE else OccurrenceState.FIRED


def changed(
    reminder: Reminder, changes: Changes, now: datetime, workdays: Workdays | None
) -> Reminder:
    """The reminder after a person's changes. A new time is never due at once (case T40).

    Args:
        workdays: of the zone that it has afterwards.

    Raises:
        Conflict: it was cancelled.
        CallerError: as ``begun``.
    """
    if reminder.state is ReminderState.CANCELLED:
        raise Conflict("this reminder was cancelled: make a new one")
    given = {
        name: value
        for name in Changes.__struct_fields__
        if (value := getattr(changes, name)) is not None
    }
    if "action" in given and given["action"] != reminder.action:
        given.setdefault("covered", ())
    made = replace(reminder, **given, updated=now)
    if not made.content.strip():
        raise CallerError("a reminder needs a text: what is it about?")
    if changes.schedule is None and changes.timezone is None:
        return replace(made, version=reminder.version + 1)
    if changes.schedule is None:
        made = replace(made, schedule=_in_zone(made.schedule, made.timezone))
    made = replace(_whole(made), snoozed=None)
    if made.state is not ReminderState.PAUSED:
        return _from(made, now, workdays)
    _from(replace(made, state=ReminderState.ACTIVE), now, workdays)  # it must be of some use
    return replace(made, handled=now, version=reminder.version + 1)


def _in_zone(schedule: Schedule, timezone: str) -> Schedule:
    """The schedule by the same wall clock of another zone."""
    return replace(schedule, start=schedule.start.replace(tzinfo=_zone(timezone)))


def snoozed(reminder: Reminder, until: datetime, now: datetime) -> Reminder:
    """The reminder, quiet until then and due then.

    Raises:
        Conflict: it is paused or cancelled.
        CallerError: ``until`` is not to come.
    """
    if reminder.state in (ReminderState.PAUSED, ReminderState.CANCELLED):
        raise Conflict(f"this reminder is {reminder.state.value} and cannot be snoozed")
    until = _ceiling(until.astimezone(UTC))
    if until <= now:
        raise CallerError("snooze it until an instant that is still to come")
    return _waiting(reminder, until, snoozed=until, updated=now)


def paused(reminder: Reminder, now: datetime) -> Reminder:
    """The reminder with nothing due until it is resumed.

    Raises:
        Conflict: nothing of it is due any more.
    """
    if reminder.over:
        raise Conflict(f"this reminder is {reminder.state.value}: there is nothing to pause")
    if reminder.state is ReminderState.PAUSED:
        return reminder
    return replace(
        reminder,
        state=ReminderState.PAUSED,
        next=None,
        updated=now,
        version=reminder.version + 1,
    )


def resumed(reminder: Reminder, now: datetime, workdays: Workdays | None) -> Reminder:
    """The reminder as it goes on; what was due meanwhile is passed over.

    Raises:
        Conflict: nothing of it is due any more, or its only time has passed meanwhile.
    """
    if reminder.over:
        raise Conflict(f"this reminder is {reminder.state.value}: there is nothing to resume")
    if reminder.state is ReminderState.ACTIVE:
        return reminder
    until = reminder.snoozed
    if until is not None and until > now:
        return _waiting(reminder, until, updated=now)
    following = schedules.next_after(reminder.schedule, now, workdays)
    if following is None:
        raise Conflict("its time has passed while it was paused: give it another time")
    return _waiting(reminder, following, handled=now, snoozed=None, updated=now)


def cancelled(reminder: Reminder, now: datetime) -> Reminder:
    """The reminder at its end; one that was cancelled stays as it is."""
    if reminder.state is ReminderState.CANCELLED:
        return reminder
    return replace(
        reminder,
        state=ReminderState.CANCELLED,
        next=None,
        snoozed=None,
        updated=now,
        version=reminder.version + 1,
    )


def rewound(
    reminder: Reminder, done: Collection[datetime], now: datetime, workdays: Workdays | None
) -> Reminder:
    """A reminder that was ahead of the clock, waiting for the first occasion that it has not done.

    Args:
        done: when the occurrences were due that it did; those are never done again.
    """
    following: datetime | None = None
    for at in schedules.occasions(reminder.schedule, now, workdays):
        if at.astimezone(UTC) not in done:
            following = at
            break
    if reminder.snoozed is not None and reminder.snoozed > now:
        following = reminder.snoozed
    return _waiting(reminder, following, handled=now, updated=now)


def _from(
    reminder: Reminder, now: datetime, workdays: Workdays | None, *, lenient: bool = False
) -> Reminder:
    """The reminder as it waits for its first occasion after now.

    Args:
        lenient: it is done when there is none.
    """
    try:
        if reminder.schedule.rule:
            schedules.check(reminder.schedule.rule)
        following = schedules.next_after(reminder.schedule, now, workdays)
    except BadRule as fault:
        rule = reminder.schedule.rule
        raise CallerError(f"the rule {rule!r} cannot be followed: {fault}") from None
    if following is None and not lenient:
        raise CallerError(_PASSED)
    return _waiting(reminder, following, handled=now, updated=now)


def _waiting(reminder: Reminder, following: datetime | None, **more: object) -> Reminder:
    """The reminder as it waits for this instant, or done when there is none."""
    return replace(
        reminder,
        state=ReminderState.DONE if following is None else ReminderState.ACTIVE,
        next=None if following is None else following.astimezone(UTC),
        version=reminder.version + 1,
        **more,
    )


def _whole(reminder: Reminder) -> Reminder:
    """The reminder with a schedule of whole seconds by its zone's clock: an occurrence's identity
    knows no less."""
    start = reminder.schedule.start
    if start.tzinfo is None:
        raise CallerError("the start of a schedule needs a time zone")
    start = _ceiling(start).astimezone(_zone(reminder.timezone))
    return replace(reminder, schedule=replace(reminder.schedule, start=start))


def _ceiling(instant: datetime) -> datetime:
    """The first whole second that is not earlier."""
    if not instant.microsecond:
        return instant
    return (instant.astimezone(UTC) + timedelta(seconds=1)).replace(microsecond=0)


def _zone(timezone: str) -> ZoneInfo:
    try:
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CallerError(f"there is no time zone {timezone!r}") from None
