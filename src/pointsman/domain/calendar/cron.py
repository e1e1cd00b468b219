"""Cron lines: minute, hour, day of month, month, day of week, as the cron of Unix reads them.

``*``, lists, ranges, steps (``*/15``), names (``mon``, ``jan``), 0 and 7 for Sunday, and
``@hourly`` to ``@yearly``. When both days are restricted, either will do.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from msgspec import Struct

from pointsman.domain.calendar.recurrence import BadRule
from pointsman.domain.calendar.wall_clock import exactly_later, on_day

_NAMED = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}  # fmt: skip
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "sun mon tue wed thu fri sat".split()
_PIECE = re.compile(r"(?P<first>\*|\w+)(?:-(?P<last>\w+))?(?:/(?P<step>\d{1,2}))?")
_YEARS = 9
"""29 February comes within these."""


class CronLine(Struct, frozen=True, kw_only=True):
    """A cron line, read; weekdays with Monday as 0.

    Attributes:
        either: a day fits by its number or by its weekday.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    monthdays: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool

    def occasions(self, after: datetime, start: datetime) -> Iterator[datetime]:
        """Every occasion later than ``after``, which is in UTC, on the wall clock of ``start``."""
        if len(self.hours) == 24:
            yield from self._every_hour(after, start)
            return
        day = after.astimezone(start.tzinfo).date()
        last: datetime | None = None
        for _ in range(366 * _YEARS):
            if self._fits(day):
                for hour in self.hours:
                    for minute in self.minutes:
                        instant = on_day(day, start.tzinfo, hour, minute)
                        if instant > (last or after):
                            last = instant.astimezone(UTC)
                            yield instant
            try:
                day += timedelta(days=1)
            except OverflowError:
                return
        if last is not None:
            yield from self.occasions(last, start)

    def _every_hour(self, after: datetime, start: datetime) -> Iterator[datetime]:
        """Minute by minute, as no hour is left out when the clocks change."""
        instant = after.astimezone(start.tzinfo).replace(second=0, microsecond=0)
        idle = 0
        while idle < 366 * _YEARS:
            try:
                instant = exactly_later(instant, timedelta(minutes=1))
                if not self._fits(instant.date()):
                    tomorrow = on_day(instant.date(), start.tzinfo, 24)
                    instant, idle = exactly_later(tomorrow, timedelta(minutes=-1)), idle + 1
                elif instant.minute in self.minutes:
                    idle = 0
                    yield instant
            except OverflowError:
                return

    def _fits(self, day: date) -> bool:
        if day.month not in self.months:
            return False
        number, weekday = day.day in self.monthdays, day.weekday() in self.weekdays
        return number or weekday if self.either else number and weekday


@lru_cache(maxsize=256)
def cron_line(text: str) -> CronLine:
    """Reads a cron line.

    Raises:
        BadRule: it is none, or has no occasion.
    """
    fields = _NAMED.get(text.strip().lower(), text.lower()).split()
    if len(fields) != 5:
        raise BadRule("a cron line has five fields: minute, hour, day, month, weekday")
    minutes, hours = _field(fields[0], 0, 59), _field(fields[1], 0, 23)
    days, months = _field(fields[2], 1, 31), _field(fields[3], 1, 12, _MONTHS)
    weekdays = {(day - 1) % 7 for day in _field(fields[4], 0, 7, _WEEKDAYS)}
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    line = CronLine(
        minutes=tuple(minutes),
        hours=tuple(hours),
        monthdays=frozenset(days),
        months=frozenset(months),
        weekdays=frozenset(weekdays),
        either=either,
    )
    longest = max(29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31 for month in months)
    if not either and min(days) > longest:
        raise BadRule("no month has such a day")
    return line


def _field(text: str, least: int, most: int, names: list[str] | None = None) -> list[int]:
    found: set[int] = set()
    for piece in text.split(","):
        match = _PIECE.fullmatch(piece)
        if match is None:
            raise BadRule(f"cannot read {piece!r}")
        if match["first"] == "*":
            first, last = least, most
        else:
            first = _number(match["first"], least, names)
            open_end = most if match["step"] else first
            last = _number(match["last"], least, names) if match["last"] else open_end
        step = int(match["step"] or 1)
        if not least <= first <= last <= most or not step:
            raise BadRule(f"{piece!r} is not between {least} and {most}")
        found.update(range(first, last + 1, step))
    return sorted(found)


def _number(text: str, least: int, names: list[str] | None) -> int:
    if names and text in names:
        return names.index(text) + least
    if not text.isdecimal():
        raise BadRule(f"cannot read {text!r}")
    return int(text)
