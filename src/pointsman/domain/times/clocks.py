"""What hours a clock time can mean before the day is known.

Rules: a bare 三点 (one to six) is the afternoon; a bare 10点 is the nearest one to come; what the
day part contradicts (中午10点) has no reading. A written 24-hour time (``09:00``, ``13:30``) is
taken as it stands.
"""

from datetime import time

from msgspec import Struct
from msgspec.structs import replace

PARTS: dict[str, tuple[int, int]] = {
    "night": (0, 6),
    "morning": (6, 12),
    "forenoon": (8, 12),
    "noon": (11, 13),
    "afternoon": (12, 18),
    "dusk": (17, 19),
    "evening": (18, 24),
    "daytime": (8, 18),
    "lunch": (11, 14),
    "late": (24, 30),
}
"""Day part → first hour and the hour it ends with; 24 and more are the night after the day."""
PART_STARTS = {"night": 0, "morning": 8, "forenoon": 9, "noon": 12, "afternoon": 14, "dusk": 18}
PART_STARTS |= {"evening": 20, "daytime": 8, "lunch": 12, "late": 24}
"""When a day part without an hour is meant to begin ("tomorrow morning")."""


class Clock(Struct, frozen=True, kw_only=True):
    """Hours that a phrase can mean; the first is the one that is meant when nothing else is said.

    Attributes:
        hour: as it was written.
        hours: 0 to 24; 24 is the midnight that ends the day, more is the night after it. Empty: the
            day part contradicts the hour, or there is no such time.
        bare: neither a day part nor a 24-hour form was given.
        part: the day part that was given.
        later: the end of a range such as 七八点.
        impossible: there is no such time on any day (25点).
    """

    hours: tuple[int, ...]
    hour: int = 0
    minute: int = 0
    second: int = 0
    bare: bool = False
    part: str = ""
    later: int | None = None
    impossible: bool = False

    def times(self) -> tuple[time, ...]:
        """The times of day, midnight as 00:00."""
        return tuple(time(hour % 24, self.minute, self.second) for hour in self.hours)


def on_clock(
    hour: int,
    minute: int = 0,
    second: int = 0,
    *,
    part: str = "",
    later: int | None = None,
    exact: bool = False,
) -> Clock:
    """The hours that a number on the clock can mean.

    Args:
        exact: written as on a 24-hour clock.
        part: a day part, ``am`` or ``pm``.
    """
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and minute):
        return Clock(hours=(), hour=hour, impossible=True)
    bare = not part and not exact and 1 <= hour <= 12
    hours = _bare(hour) if bare else (hour,) if not part else _in_part(hour, part)
    if later is not None:
        later = later + 12 if hours and hours[0] >= 12 else later
    return Clock(
        hours=hours, hour=hour, minute=minute, second=second, bare=bare, part=part, later=later
    )


def in_part(clock: Clock, part: str) -> Clock:
    """The clock time inside a day part that was said with it (tomorrow morning, at 9)."""
    if clock.impossible or clock.part:
        return clock
    return on_clock(clock.hour, clock.minute, clock.second, part=part, later=clock.later)


def moved(clock: Clock, seconds: float) -> Clock | None:
    """The clock time so much later, at most a day; before midnight the hours are below 0."""
    minutes, odd = divmod(int(seconds), 60)
    hours = [hour * 60 + clock.minute + minutes for hour in clock.hours]
    if odd or not hours or abs(minutes) > 24 * 60:
        return None
    return replace(
        clock,
        hours=tuple(one // 60 for one in hours),
        hour=(clock.hour * 60 + clock.minute + minutes) // 60 % 24,
        minute=hours[0] % 60,
        later=None,
    )


def going_on(clock: Clock, before: Clock) -> Clock:
    """A clock time that goes on from another, inside its day part (晚上8点和10点); not where it
    would lie before it (早上9点和3点)."""
    if not (before.part and before.hours and clock.bare):
        return clock
    inside = in_part(clock, before.part)
    return inside if inside.hours and inside.hours[0] > before.hours[0] else clock


def _bare(hour: int) -> tuple[int, ...]:
    if hour == 12:
        return (12, 24)
    return (hour + 12, hour) if hour <= 6 else (hour, hour + 12)


def _in_part(hour: int, part: str) -> tuple[int, ...]:
    """The hour inside the day part; nothing where the two contradict each other."""
    if part == "am":
        return (hour % 12,) if hour <= 12 else ()
    if part == "pm":
        return (hour % 12 + 12,) if hour <= 12 else (hour,)
    if part in ("night", "morning", "forenoon"):
        if part == "night" and hour in (11, 12):
            return (0,) if hour == 12 else (23,)
        return (hour,) if hour < (6 if part == "night" else 12) else ()
    if part == "late":
        return (hour + 12,) if hour in (11, 12) else (24 + hour,) if hour < 6 else ()
    if part in ("noon", "lunch"):
        return {11: (11,), 12: (12,), 13: (13,), 1: (13,), 2: (14,)}.get(hour, ())
    if part == "daytime":
        return (hour,) if 7 <= hour <= 19 else (hour + 12,) if 1 <= hour <= 6 else ()
    if hour >= 12:
        allowed = range(12, 19) if part == "afternoon" else range(17, 25)
        if part == "evening" and hour == 12:
            return (24,)
        return (hour,) if hour in allowed else ()
    first = {"afternoon": 1, "dusk": 4, "evening": 5}[part]
    last = {"afternoon": 11, "dusk": 8, "evening": 11}[part]
    if first <= hour <= last:
        return (hour + 12,)
    return (24 + hour,) if part == "evening" and hour <= 4 else ()
