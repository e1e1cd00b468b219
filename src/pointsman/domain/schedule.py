"""When something is due: once, by a recurrence rule, or by a cron line; what was missed meanwhile.

The contract, as the wall clock of the schedule's zone sees it:

- An occasion is an instant; a reminder and the instant in UTC are its identity (``occasion_key``).
- Days, weeks, months and years keep the clock time over a change of the clocks; hours and minutes
  are counted exactly from the start, so they never drift.
- A clock time that the clocks skip is due as much later (02:30 at 03:30); one that comes twice is
  due the first time only.
- A day that a month does not have is its last one, and the day stays what it was: the 31st is 28
  February, then 31 March. ``SKIP=OMIT`` in a rule leaves such months out instead.
- A rule for working days follows the country's calendar where one is given (``workdays``).
- What was missed is due once, however many occasions it was, and is lost when it is older than its
  grace (``due``).

Above: the engine's reminders. Below: ``recurrence`` and ``cron``, which read the rules.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice

from msgspec import Struct

from pointsman.domain.calendar.cron import CronLine, cron_line
from pointsman.domain.calendar.recurrence import BadRule, Recurrence, recurrence
from pointsman.domain.calendar.workdays import Workdays

__all__ = [
    "BadRule",
    "Due",
    "Schedule",
    "check",
    "due",
    "next_after",
    "occasion_due",
    "occasion_key",
    "occasions",
]

_MOST_COUNTED = 1000
_BLINK = timedelta(microseconds=1)


class Schedule(Struct, frozen=True, kw_only=True):
    """When something is due.

    Attributes:
        start: aware, in the zone whose wall clock counts; the instant itself for what is due once,
            and where intervals are counted from.
        rule: an RFC 5545 RRULE (several in lines: any of them), a cron line of five fields, or
            nothing for what is due once.
        workdays: the rule means working days.
    """

    start: datetime
    rule: str = ""
    workdays: bool = False


class Due(Struct, frozen=True, kw_only=True):
    """What has come due.

    Attributes:
        at: the latest occasion that is due; for what is due once, the only one.
        late: how long ago that was.
        missed: earlier occasions that passed since the last one that was dealt with; a thousand
            stand for more.
        lost: too long ago to be done now; to be told, not done.
        next: the next occasion after now; None when there is none.
    """

    at: datetime
    late: timedelta
    missed: int = 0
    lost: bool = False
    next: datetime | None = None


def check(rule: str) -> None:
    """Refuses a rule that this module cannot follow.

    Raises:
        BadRule: with the reason.
    """
    _rules(rule)


def next_after(
    schedule: Schedule, after: datetime, workdays: Workdays | None = None
) -> datetime | None:
    """The first occasion later than the instant, in the schedule's zone.

    Raises:
        BadRule: the rule cannot be followed.
    """
    return next(occasions(schedule, after, workdays), None)


def occasions(
    schedule: Schedule, after: datetime, workdays: Workdays | None = None
) -> Iterator[datetime]:
    """Every occasion later than the instant, in order.

    Raises:
        BadRule: the rule cannot be followed.
    """
    if not schedule.rule:
        return iter((schedule.start,) if schedule.start > _utc(after) else ())
    several = [_of(rule, schedule, after, workdays) for rule in _rules(schedule.rule)]
    return several[0] if len(several) == 1 else _once_each(merge(*several, key=_utc))


def _of(
    rule: Recurrence | CronLine,
    schedule: Schedule,
    after: datetime,
    workdays: Workdays | None,
) -> Iterator[datetime]:
    since = max(_utc(after), _utc(schedule.start) - _BLINK)
    if isinstance(rule, CronLine):
        return rule.occasions(since, schedule.start)
    return rule.occasions(schedule.start, since, workdays, only_workdays=schedule.workdays)


def _once_each(instants: Iterator[datetime]) -> Iterator[datetime]:
    last: datetime | None = None
    for instant in instants:
        if _utc(instant) != last:
            yield instant
        last = _utc(instant)


def _utc(instant: datetime) -> datetime:
    """To compare by: two instants of one zone are compared by its wall clock otherwise."""
    return instant.astimezone(UTC)


def _rules(text: str) -> list[Recurrence | CronLine]:
    lines = text.strip().splitlines()
    if not lines:
        raise BadRule("there is no rule")
    return [recurrence(line) if "=" in line else cron_line(line) for line in lines]


def due(
    schedule: Schedule,
    since: datetime,
    now: datetime,
    *,
    grace: timedelta,
    workdays: Workdays | None = None,
) -> Due | None:
    """What is due now and has not been dealt with; None when nothing is.

    Args:
        since: the last occasion that was dealt with, or when the schedule was made or changed.
        grace: how late it may be done; later it is lost.

    Raises:
        BadRule: the rule cannot be followed.
    """
    now = _utc(now)
    coming = occasions(schedule, since, workdays)
    passed = list(islice(_until(coming, now), _MOST_COUNTED + 1))
    if not passed:
        return None
    at = passed[-1]
    if len(passed) > _MOST_COUNTED:
        at = _latest(schedule, at, now, workdays)
    return Due(
        at=at,
        late=now - at,
        missed=min(len(passed) - 1, _MOST_COUNTED),
        lost=now - at > grace,
        next=next_after(schedule, now, workdays),
    )


def _until(instants: Iterator[datetime], last: datetime) -> Iterator[datetime]:
    for instant in instants:
        if instant > last:
            return
        yield instant


def _latest(
    schedule: Schedule, known: datetime, now: datetime, workdays: Workdays | None
) -> datetime:
    """The latest occasion up to now, found by looking back ever farther from now."""
    back = timedelta(minutes=2)
    while now - back > known:
        found = list(islice(_until(occasions(schedule, now - back, workdays), now), _MOST_COUNTED))
        if found and len(found) < _MOST_COUNTED:
            return found[-1]
        back *= 2
    return known


def occasion_key(reminder: str, at: datetime) -> str:
    """What identifies an occasion, whatever the clocks do: written once, it fires once."""
    return f"{reminder}@{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def occasion_due(key: str) -> datetime:
    """The instant in a key of ``occasion_key``, in UTC."""
    return datetime.strptime(key.rpartition("@")[2], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
