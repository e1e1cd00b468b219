"""Reminders and occurrences as rows of their tables."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import RowMapping

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.reading import instant
from pointsman.adapters.store.reminder_schema import reminders
from pointsman.domain.agent import Language
from pointsman.domain.reminders.covering import Covered
from pointsman.domain.reminders.reminder import (
    Occurrence,
    OccurrenceState,
    Reminder,
    ReminderState,
    Target,
)
from pointsman.domain.schedule import Schedule


class _Body(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the owner wrote. ``schedule.start`` is stored with its offset: the zone has the name."""

    language: Language
    schedule: Schedule
    timezone: str
    grace: timedelta
    text: str = ""
    action: str = ""
    title: str = ""
    words: str = ""
    target: Target = Target()
    covered: tuple[Covered, ...] = ()
    run: str = ""


_WRITTEN = _Body.__struct_fields__
_read_body = msgspec.json.Decoder(_Body)
_PLAIN = ("id", "user", "agent", "conversation", "kind", "version")
_REMINDER_COLUMNS = tuple(column.name for column in reminders.columns)

MOVED = ("state", "next", "snoozed", "handled", "updated", "version")
"""The columns that change when a reminder fires."""


def row_of(reminder: Reminder) -> dict[str, Any]:
    """A reminder as a row."""
    return {
        **{name: getattr(reminder, name) for name in _PLAIN},
        **moved_of(reminder),
        "created": micros(reminder.created),
        "body": body_of(reminder),
    }


def moved_of(reminder: Reminder) -> dict[str, Any]:
    """What changes when it fires."""
    return {
        "state": reminder.state.value,
        "next": _micros(reminder.next),
        "snoozed": _micros(reminder.snoozed),
        "handled": micros(reminder.handled),
        "updated": micros(reminder.updated),
        "version": reminder.version,
    }


def body_of(reminder: Reminder) -> bytes:
    return msgspec.json.encode(_Body(**{name: getattr(reminder, name) for name in _WRITTEN}))


def reminder_of(row: Mapping[str, Any] | RowMapping) -> Reminder:
    """A row as a reminder, its schedule by the clock of its zone."""
    body = _read_body.decode(row["body"])
    schedule = replace(body.schedule, start=_in_zone(body.schedule.start, body.timezone))
    written = {name: getattr(body, name) for name in _WRITTEN}
    return Reminder(
        **{name: row[name] for name in _PLAIN},
        **{**written, "schedule": schedule},
        state=ReminderState(row["state"]),
        next=_instant(row["next"]),
        snoozed=_instant(row["snoozed"]),
        handled=instant(row["handled"]),
        created=instant(row["created"]),
        updated=instant(row["updated"]),
    )


def named_reminder(row: Any) -> Reminder:
    """A row of the driver's as a reminder."""
    return reminder_of(dict(zip(_REMINDER_COLUMNS, row, strict=True)))


def occurrence_row(occurrence: Occurrence) -> dict[str, Any]:
    """An occurrence as a row."""
    return {
        "reminder": occurrence.reminder,
        "due": micros(occurrence.due),
        "state": occurrence.state.value,
        "fired": micros(occurrence.fired),
        "passed": occurrence.passed,
        "run": occurrence.run,
        "deliveries": " ".join(occurrence.deliveries),
        "note": occurrence.note,
    }


def occurrence_of(row: Mapping[str, Any] | RowMapping) -> Occurrence:
    """A row as an occurrence."""
    return Occurrence(
        reminder=row["reminder"],
        due=instant(row["due"]),
        state=OccurrenceState(row["state"]),
        fired=instant(row["fired"]),
        passed=row["passed"],
        run=row["run"],
        deliveries=tuple(row["deliveries"].split()),
        note=row["note"],
    )


def _in_zone(start: datetime, timezone: str) -> datetime:
    """The start by the clock of the zone; where this machine does not know it, by its offset."""
    try:
        return start.astimezone(ZoneInfo(timezone))
    except (ZoneInfoNotFoundError, ValueError):
        return start


def _micros(at: datetime | None) -> int | None:
    return None if at is None else micros(at)


def _instant(at: int | None) -> datetime | None:
    return None if at is None else instant(at)
