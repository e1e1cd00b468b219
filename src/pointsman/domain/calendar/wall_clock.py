"""Wall-clock times as instants that exist.

A local time that the clocks skip is read with the offset from before the change, so it is as much
later (02:30 becomes 03:30); one that comes twice is the first. Source: RFC 5545, section 3.3.5.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo


def existing(local: datetime) -> datetime:
    """The local time, moved on when it stands in a gap."""
    if local.tzinfo is None or local.utcoffset() == local.replace(fold=1).utcoffset():
        return local
    return local.astimezone(UTC).astimezone(local.tzinfo)


def on_day(day: date, zone: tzinfo | None, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """A clock time of a day; hours may go beyond 24, into the next day."""
    days, hour = divmod(hour, 24)
    day += timedelta(days=days)
    return existing(datetime.combine(day, time(hour, minute, second), zone))


def later(instant: datetime, seconds: float) -> datetime:
    """Whole days keep the clock's time; anything shorter is exact, also over a change."""
    if seconds % 86_400 == 0:
        return existing(instant + timedelta(seconds=seconds))
    return exactly_later(instant, timedelta(seconds=seconds))


def exactly_later(instant: datetime, span: timedelta) -> datetime:
    """So much later, whatever the clocks do."""
    return (instant.astimezone(UTC) + span).astimezone(instant.tzinfo)
