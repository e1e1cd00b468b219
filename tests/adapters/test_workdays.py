"""The State Council's calendar of 2026: days that were moved, and a year that is not decreed."""

from datetime import date

import pytest

from pointsman.adapters.workdays import ChineseWorkdays


@pytest.mark.parametrize(
    ("day", "works"),
    [
        (date(2026, 2, 13), True),
        (date(2026, 2, 14), True),
        (date(2026, 2, 16), False),
        (date(2026, 2, 23), False),
        (date(2026, 2, 28), True),
        (date(2026, 3, 1), False),
        (date(1990, 1, 1), None),
        (date(2099, 1, 1), None),
    ],
)
def test_a_day_is_worked_as_decreed(day: date, works: bool | None) -> None:
    assert ChineseWorkdays().is_workday(day) is works
