"""The Chinese lunar calendar, solar terms and feasts, against days that everybody can look up."""

from datetime import date, timedelta
from itertools import pairwise

import pytest

from pointsman.domain.calendar.lunar import TERMS, lunar_day, lunar_month, solar_term
from pointsman.domain.times.feasts import CHINESE, ENGLISH, feast


@pytest.mark.parametrize(
    ("year", "month", "day", "expected"),
    [
        (1900, 1, 1, "1900-01-31"),
        (2000, 1, 1, "2000-02-05"),
        (2020, 4, 1, "2020-04-23"),
        (2020, 5, 5, "2020-06-25"),
        (2023, 12, -1, "2024-02-09"),
        (2025, 8, 15, "2025-10-06"),
        (2026, 1, 1, "2026-02-17"),
        (2033, 12, 1, "2034-01-20"),
        (2099, 12, 1, "2100-01-10"),
    ],
)
def test_a_lunar_day_is_a_day_of_the_suns_calendar(
    year: int, month: int, day: int, expected: str
) -> None:
    assert str(lunar_day(year, month, day)) == expected


def test_months_follow_one_another_without_a_gap() -> None:
    leaps = 0
    following = date(1900, 1, 31)
    for year in range(1900, 2100):
        for month in range(1, 13):
            for leap in (False, True):
                if (span := lunar_month(year, month, leap=leap)) is None:
                    continue
                leaps += leap
                assert span[0] == following, (year, month, leap)
                assert (span[1] - span[0]).days in (29, 30)
                following = span[1]
    assert leaps == 74


@pytest.mark.parametrize(("year", "month", "day"), [(2101, 1, 1), (2026, 13, 1), (2026, 1, 31)])
def test_a_day_that_is_not_there_is_none(year: int, month: int, day: int) -> None:
    assert lunar_day(year, month, day) is None


@pytest.mark.parametrize(
    ("year", "term", "expected"),
    [
        (2024, "清明", "2024-04-04"),
        (2025, "清明", "2025-04-04"),
        (2026, "清明", "2026-04-05"),
        (2025, "冬至", "2025-12-21"),
        (2026, "立春", "2026-02-04"),
        (2014, "惊蛰", "2014-03-06"),
    ],
)
def test_a_solar_term_falls_on_the_day_of_the_almanac(year: int, term: str, expected: str) -> None:
    assert str(solar_term(year, term)) == expected


def test_the_terms_of_a_year_are_half_a_month_apart() -> None:
    for year in range(1950, 2051, 10):
        days = sorted(day for name in TERMS if (day := solar_term(year, name)))
        apart = {(later - earlier) // timedelta(days=1) for earlier, later in pairwise(days)}
        assert apart <= {14, 15, 16}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("除夕", "2026-02-16"), ("元宵节", "2026-03-03"), ("端午节", "2026-06-19"),
        ("中秋节", "2026-09-25"), ("小年", "2026-02-10"), ("母亲节", "2026-05-10"),
        ("easter", "2026-04-05"), ("good friday", "2026-04-03"), ("memorial day", "2026-05-25"),
        ("mlk day", "2026-01-19"), ("black friday", "2026-11-27"), ("labor day", "2026-09-07"),
    ],
)  # fmt: skip
def test_a_feast_falls_on_its_day(name: str, expected: str) -> None:
    assert str(feast((CHINESE | ENGLISH)[name], 2026)) == expected
