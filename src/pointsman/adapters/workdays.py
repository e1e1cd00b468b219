"""Working days of the People's Republic of China, as the State Council decrees them each autumn for
the year to come. Needs the ``china`` extra; a newer package knows a newer year."""

from datetime import date

from pointsman.domain.calendar.workdays import Workdays
from pointsman.errors import MissingExtra


class ChineseWorkdays:
    """``domain.calendar.workdays.Workdays``: holidays, and weekends that are worked to make up
    for them.

    Raises:
        MissingExtra: chinesecalendar is not installed.
    """

    def __init__(self) -> None:
        try:
            import chinese_calendar
        except ModuleNotFoundError as missing:
            raise MissingExtra("the Chinese calendar of working days", "china") from missing
        self._calendar = chinese_calendar
        self._last = max(chinese_calendar.holidays).year
        self._first = min(chinese_calendar.holidays).year

    def is_workday(self, day: date) -> bool | None:
        if not self._first <= day.year <= self._last:
            return None
        return bool(self._calendar.is_workday(day))


def chinese_workdays() -> Workdays | None:
    """The calendar, or None where it is not installed: then Monday to Friday are working days."""
    try:
        return ChineseWorkdays()
    except MissingExtra:
        return None
