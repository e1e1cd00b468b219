"""Reminders as a calendar shows them: what is due in a span, and what became of what was.

Below: ``engine.reminders.book`` for what is kept, ``domain.schedule`` for what is to come.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from pointsman.domain.calendar.workdays import Workdays
from pointsman.domain.reminders.reminder import Reminder, ReminderState
from pointsman.domain.reminders.reminder_notices import titled
from pointsman.domain.schedule import occasions
from pointsman.engine.service import Service
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.parameters import Instant
from pointsman.entrypoints.web.problems import Refusal

LONGEST = timedelta(days=62)
MOST_REMINDERS = 200
MOST_OF_ONE = 200

router = APIRouter(prefix="/api", tags=["reminders"])


class DueShape(BaseModel):
    """One time of a reminder; ``due`` is still to come."""

    at: datetime
    reminder: str
    title: str
    state: Literal["due", "fired", "late", "missed", "failed"]


class CalendarShape(BaseModel):
    """In order of time. ``cut`` when there is more than is told: of the newest 200 reminders each
    is told 200 times at most."""

    due: list[DueShape]
    cut: bool


@router.get("/calendar")
async def calendar(
    service: Engine,
    user: User,
    begin: Annotated[Instant, Query(alias="from")],
    end: Annotated[Instant, Query(alias="to")],
) -> CalendarShape:
    """The user's reminders from one instant up to another, at most 62 days."""
    if not begin < end <= begin + LONGEST:
        raise Refusal(400, "expected `to` after `from`, by 62 days at most", field="to")
    found = await service.reminders.list(user, limit=MOST_REMINDERS + 1)
    cut, due = len(found) > MOST_REMINDERS, []
    for one in found[:MOST_REMINDERS]:
        times = [*await _past(service, one, begin, end), *_coming(service, one, begin, end)]
        cut = cut or len(times) > MOST_OF_ONE
        due += times[:MOST_OF_ONE]
    return CalendarShape(due=sorted(due, key=lambda one: one.at), cut=cut)


async def _past(
    service: Service, reminder: Reminder, begin: datetime, end: datetime
) -> list[DueShape]:
    seen = await service.reminders.occurrences(
        reminder.id, reminder.user, limit=MOST_OF_ONE, before=end
    )
    return [_shape(reminder, one.due, one.state.value) for one in seen if one.due >= begin]


def _coming(service: Service, reminder: Reminder, begin: datetime, end: datetime) -> list[DueShape]:
    if reminder.state is not ReminderState.ACTIVE or reminder.next is None:
        return []
    workdays = service.reminders.workdays(reminder.timezone)
    times = takewhile(lambda at: at < end, _times(reminder, begin, workdays))
    return [_shape(reminder, at, "due") for at in islice(times, MOST_OF_ONE + 1) if at >= begin]


def _times(reminder: Reminder, begin: datetime, workdays: Workdays | None) -> Iterator[datetime]:
    assert reminder.next is not None
    yield reminder.next
    after = max(reminder.next, begin - timedelta(microseconds=1))
    yield from occasions(reminder.schedule, after, workdays)


def _shape(
    reminder: Reminder,
    at: datetime,
    state: Literal["due", "fired", "late", "missed", "failed"],
) -> DueShape:
    return DueShape(
        at=at.astimezone(UTC), reminder=reminder.id, title=titled(reminder), state=state
    )
