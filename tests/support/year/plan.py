"""The reminders of a simulated span of time, and when each of them is to be due."""

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from msgspec import Struct

from pointsman.domain.directory.recipients import Way
from pointsman.domain.reminders.reminder import Reminder, Target
from pointsman.domain.schedule import Schedule, occasions

AGENT = "desk"
HOOK = "hook"
ROOMS = tuple(f"room{number}" for number in range(40))
"""To one address one message goes at a time."""
ZONES = ("America/New_York", "Europe/Paris", "Asia/Shanghai", "Australia/Lord_Howe")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class Span(Struct, frozen=True, kw_only=True):
    """What is simulated.

    Attributes:
        kills: how many processes are killed in it.
        jumps: how often the clock is set back for a while.
        steps: hours that the clock moves at a time, at most.
    """

    start: datetime
    end: datetime
    reminders: int
    kills: int
    jumps: int
    steps: int = 10
    seed: int = 1


def reminders(span: Span) -> list[Reminder]:
    """Once, weekly, monthly, daily in the hours in which clocks change, by cron on workdays; a
    tenth of the weekly ones are actions, and half of all texts go to the keyed stand-in."""
    random = Random(span.seed)
    return [_reminder(number, random, span) for number in range(span.reminders)]


def _reminder(number: int, random: Random, span: Span) -> Reminder:
    zone = random.choice(ZONES)
    start, rule = _time(random, span, ZoneInfo(zone))
    action = rule.startswith("FREQ=WEEKLY") and random.random() < 0.1
    room = ROOMS[number % len(ROOMS)]
    way = Way(channel=HOOK, address=room, name=room)
    given: dict[str, object] = {"kind": "action" if action else "text"}
    given["action" if action else "text"] = f"reminder {number}"
    return Reminder(
        id=f"{number + 1:032x}",
        user=f"user{number % 100}",
        agent=AGENT,
        schedule=Schedule(start=start, rule=rule),
        timezone=zone,
        language="en",
        target=Target(ways=(way,) if number % 2 and not action else ()),
        **given,  # type: ignore[arg-type]
    )


def _time(random: Random, span: Span, zone: ZoneInfo) -> tuple[datetime, str]:
    local = span.start.astimezone(zone)
    hour, minute = random.randrange(24), random.randrange(60)
    clock = f"BYHOUR={hour};BYMINUTE={minute}"
    kind = random.random()
    if kind < 0.5:
        seconds = (span.end - span.start).total_seconds()
        at = span.start + timedelta(seconds=random.randrange(3600, int(seconds)))
        return at.astimezone(zone), ""
    if kind < 0.75:
        return local, f"FREQ=WEEKLY;BYDAY={random.choice(DAYS)};{clock}"
    if kind < 0.93:
        return local, f"FREQ=MONTHLY;BYMONTHDAY={random.randrange(1, 32)};{clock}"
    if kind < 0.97:
        return local, f"FREQ=DAILY;BYHOUR={random.choice((0, 1, 2, 3))};BYMINUTE=30"
    return local, f"{minute} {hour} * * 1-5"


def expected(reminder: Reminder, span: Span) -> set[datetime]:
    """Every instant at which it is due within the span."""
    due: set[datetime] = set()  # in UTC: an instant of an hour that comes twice equals no other
    for at in occasions(reminder.schedule, span.start):
        if at > span.end:
            break
        due.add(at.astimezone(UTC))
    return due
