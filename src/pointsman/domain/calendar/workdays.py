"""Which days people work: asked of whoever knows a country's calendar.

In China holidays move working days to weekends each year, by decree; nobody can reckon that, so an
adapter brings it. Where none does, or for a year that is not decreed yet, Monday to Friday are
working days, and whoever reads a phrase is told so.
"""

from datetime import date
from typing import Protocol


class Workdays(Protocol):
    """A country's working days; to be kept as a key, so hashable."""

    def __hash__(self) -> int: ...

    def is_workday(self, day: date) -> bool | None:
        """Whether people work on the day; None where that is not decreed yet."""


def is_workday(day: date, workdays: Workdays | None = None) -> bool:
    """Whether people work on the day, as far as is known: else on Monday to Friday."""
    known = workdays.is_workday(day) if workdays is not None else None
    return day.weekday() < 5 if known is None else known


def is_decreed(day: date, workdays: Workdays | None) -> bool:
    """Whether the working days around the day are known, not assumed."""
    return workdays is not None and workdays.is_workday(day) is not None


_CHINA = frozenset(
    {
        "Asia/Shanghai",
        "Asia/Chongqing",
        "Asia/Chungking",
        "Asia/Harbin",
        "Asia/Urumqi",
        "Asia/Kashgar",
        "PRC",
    }
)


def calendar_of(timezone: str, china: Workdays | None) -> Workdays | None:
    """The calendar that working days in this zone follow, as far as one is known.

    Args:
        timezone: IANA name.
        china: the calendar of the People's Republic of China.
    """
    return china if timezone in _CHINA else None
