"""A schedule that is so long before another (提前10分钟)."""

import re
from datetime import timedelta

from msgspec.structs import replace

from pointsman.domain.calendar.wall_clock import later
from pointsman.domain.schedule import Schedule
from pointsman.domain.times import Length

_CLOCK = re.compile(r"BYHOUR=(?P<hours>[\d,]+);BYMINUTE=(?P<minute>\d+)")


def earlier(schedule: Schedule, lead: Length) -> Schedule | None:
    """So long before each occasion; None where that cannot be said in a rule."""
    if lead.months or lead.workdays or lead.vague:
        return None
    start = later(schedule.start - timedelta(days=lead.days), -lead.seconds)
    if not schedule.rule:
        return replace(schedule, start=start)
    lines = schedule.rule.split("\n")
    moved = [_CLOCK.sub(lambda found: _moved(found, lead.seconds), line) for line in lines]
    kept_day = start.date() == schedule.start.date() or all("=DAILY" in one for one in lines)
    if lead.days or lead.seconds % 60 or not kept_day or moved == lines:
        return None
    return replace(schedule, start=start, rule="\n".join(moved))


def _moved(clock: re.Match[str], seconds: float) -> str:
    minutes = [int(one) * 60 + int(clock["minute"]) for one in clock["hours"].split(",")]
    moved = [(one - int(seconds) // 60) % 1440 for one in minutes]
    hours = ",".join(str(one // 60) for one in moved)
    return f"BYHOUR={hours};BYMINUTE={moved[0] % 60}"
