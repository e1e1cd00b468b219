"""When reminders are due: recurrences, changes of the clocks, what was missed.

The cases of group 7 that are about firing."""

import re
from datetime import UTC, date, datetime, timedelta
from itertools import islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.schedule import Schedule, due, next_after, occasion_key, occasions
from tests.cases import params

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def rule_of(short: str) -> str:
    """The shared cases' shorthand as an RRULE: ``DAILY 01:30``, ``MONTHLY day 31 09:00``."""
    found = re.fullmatch(r"(\w+)(?: day (\d+))? (\d\d):(\d\d)", short)
    assert found
    frequency, day, hour, minute = found.groups()
    days = f"BYMONTHDAY={day};" if day else ""
    return f"FREQ={frequency};{days}BYHOUR={int(hour)};BYMINUTE={int(minute)}"


def fires(schedule: Schedule, after: datetime, count: int) -> list[str]:
    return [at.isoformat() for at in islice(occasions(schedule, after), count)]


@pytest.mark.parametrize("case", params(7, only=("T31", "T32", "T43")))
def test_a_recurrence_is_due_when_its_case_says(case: dict[str, Any]) -> None:
    sent, expected = case["input"], case["expected"]
    after = datetime.fromisoformat(sent["after"]).astimezone(ZoneInfo(sent["tz"]))
    schedule = Schedule(start=after - DAY, rule=rule_of(sent["rrule"]))
    assert fires(schedule, after, sent["count"]) == expected["fires"]


@pytest.mark.parametrize("case", params(7, only=("T33",)))
def test_every_minute_goes_on_through_the_hour_that_comes_twice(case: dict[str, Any]) -> None:
    begin, minutes = case["input"]["simulate"].split(" -> ")
    start = datetime.fromisoformat(begin).astimezone(ZoneInfo(case["input"]["tz"]))
    span = timedelta(minutes=int(minutes.split()[0]))
    schedule = Schedule(start=start, rule="FREQ=MINUTELY")
    last = start.astimezone(UTC) + span
    found = [at for at in islice(occasions(schedule, start), 100) if at.astimezone(UTC) <= last]
    assert len(found) == case["expected"]["fires_count"]


@pytest.mark.parametrize("case", params(7, only=("T34",)))
def test_a_clock_set_back_makes_nothing_due_again(case: dict[str, Any]) -> None:
    done = datetime.fromisoformat(case["input"]["due"].split(" (")[0])
    back = datetime.fromisoformat(case["input"]["clock_set_to"])
    schedule = Schedule(start=done, rule="FREQ=DAILY;BYHOUR=9;BYMINUTE=0")
    assert due(schedule, done, back, grace=DAY) is None
    shanghai = done.astimezone(SHANGHAI)
    assert occasion_key("r1", done) == occasion_key("r1", shanghai) == "r1@20250305T090030Z"


@pytest.mark.parametrize("case", params(7, only=("T35",)))
def test_one_missed_while_down_is_due_late_and_lost_after_its_grace(case: dict[str, Any]) -> None:
    at = datetime.fromisoformat(case["input"]["due"])
    schedule, made = Schedule(start=at), at - DAY
    back = at + timedelta(minutes=40)
    found = due(schedule, made, back, grace=DAY)
    assert found is not None
    assert (found.at, found.late, found.lost) == (at, timedelta(minutes=40), False)
    assert found.next is None
    too_late = due(schedule, made, at + DAY + HOUR, grace=DAY)
    assert too_late is not None
    assert too_late.lost


@pytest.mark.parametrize("case", params(7, only=("T36",)))
def test_a_backlog_is_due_once_and_then_the_next_regular_time(case: dict[str, Any]) -> None:
    start = datetime(2025, 3, 5, 9, tzinfo=SHANGHAI)
    schedule = Schedule(start=start, rule="FREQ=MINUTELY")
    down = timedelta(minutes=case["input"]["down_minutes"], seconds=30)
    found = due(schedule, start, start + down, grace=DAY)
    assert found is not None
    assert (found.at, found.missed) == (start + timedelta(minutes=90), 89)
    assert found.next == start + timedelta(minutes=91)
    assert due(schedule, found.at, start + down, grace=DAY) is None


@pytest.mark.parametrize("case", params(7, only=("T37",)))
def test_seconds_of_delay_lose_nothing(case: dict[str, Any]) -> None:
    at = datetime.fromisoformat(f"2025-03-05T{case['input']['due']}+00:00")
    reached = datetime.fromisoformat(f"2025-03-05T{case['input']['loop_reached']}+00:00")
    found = due(Schedule(start=at), at - HOUR, reached, grace=DAY)
    assert found is not None
    assert not found.lost


@pytest.mark.parametrize("case", params(7, only=("T40",)))
def test_a_changed_schedule_is_not_due_at_once(case: dict[str, Any]) -> None:
    changed = datetime(2025, 3, 5, 10, tzinfo=SHANGHAI)
    schedule = Schedule(start=changed, rule="FREQ=DAILY;BYHOUR=18;BYMINUTE=0")
    assert due(schedule, changed, changed, grace=DAY) is None
    following = next_after(schedule, changed)
    assert following is not None
    assert following.isoformat() == case["expected"]["next"]


@pytest.mark.parametrize("case", params(7, only=("T41",)))
def test_an_interval_keeps_its_anchor(case: dict[str, Any]) -> None:
    anchor = datetime(2025, 3, 5, 1, tzinfo=SHANGHAI)
    schedule = Schedule(start=anchor, rule="FREQ=HOURLY;INTERVAL=24")
    hour, minute = map(int, case["input"]["manual_run"].split(":"))
    following = next_after(schedule, anchor.replace(hour=hour, minute=minute))
    assert following == datetime(2025, 3, 6, 1, tzinfo=SHANGHAI)


@pytest.mark.parametrize("case", params(7, only=("T42",)))
def test_a_snooze_stands_beside_the_series(case: dict[str, Any]) -> None:
    nine = datetime(2025, 3, 5, 9, tzinfo=SHANGHAI)
    series = Schedule(start=nine, rule="FREQ=DAILY;BYHOUR=9;BYMINUTE=0")
    snoozed = Schedule(start=nine + timedelta(minutes=case["input"]["snooze_minutes"]))
    assert next_after(snoozed, nine) == nine.replace(minute=10)
    assert next_after(series, nine.replace(minute=10)) == nine + DAY


TABLE: dict[str, tuple[str, str, list[str]]] = {
    "a time that the clocks skip is as much later": (
        "FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "2026-03-07T12:00:00-05:00",
        ["2026-03-08T03:30:00-04:00", "2026-03-09T02:30:00-04:00"],
    ),
    "hours are counted through a gap": (
        "FREQ=HOURLY;INTERVAL=1", "2026-03-08T00:30:00-05:00",
        ["2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00"],
    ),
    "29 February is the 28th in other years": (
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0", "2026-01-01T00:00:00-05:00",
        ["2026-02-28T09:00:00-05:00", "2027-02-28T09:00:00-05:00", "2028-02-29T09:00:00-05:00"],
    ),
    "SKIP=OMIT leaves short months out": (
        "FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9;BYMINUTE=0;SKIP=OMIT", "2026-01-31T10:00:00-05:00",
        ["2026-03-31T09:00:00-04:00", "2026-05-31T09:00:00-04:00"],
    ),
    "the last day of each month": (
        "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0", "2028-01-31T10:00:00-05:00",
        ["2028-02-29T09:00:00-05:00", "2028-03-31T09:00:00-04:00"],
    ),
    "the last Friday of each month": (
        "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0", "2026-01-30T10:00:00-05:00",
        ["2026-02-27T09:00:00-05:00", "2026-03-27T09:00:00-04:00"],
    ),
    "every other Friday counts weeks from its start": (
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=9;BYMINUTE=0", "2026-01-02T08:00:00-05:00",
        ["2026-01-02T09:00:00-05:00", "2026-01-16T09:00:00-05:00"],
    ),
    "several times a day, also with other minutes": (
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=30\nFREQ=DAILY;BYHOUR=14;BYMINUTE=0",
        "2026-01-02T08:00:00-05:00",
        ["2026-01-02T09:30:00-05:00", "2026-01-02T14:00:00-05:00", "2026-01-03T09:30:00-05:00"],
    ),
    "COUNT ends it": (
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=2", "2026-01-02T08:00:00-05:00",
        ["2026-01-02T09:00:00-05:00", "2026-01-03T09:00:00-05:00"],
    ),
    "UNTIL ends it": (
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20260103T140000Z", "2026-01-02T08:00:00-05:00",
        ["2026-01-02T09:00:00-05:00", "2026-01-03T09:00:00-05:00"],
    ),
    "a lunar new year": (
        "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0",
        "2026-01-01T00:00:00-05:00",
        ["2026-02-17T09:00:00-05:00", "2027-02-06T09:00:00-05:00", "2028-01-26T09:00:00-05:00"],
    ),
    "a cron line": (
        "*/30 9-10 * * mon-fri", "2026-01-02T10:00:00-05:00",
        ["2026-01-02T10:30:00-05:00", "2026-01-05T09:00:00-05:00"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "after", "expected"), TABLE.values(), ids=list(TABLE))
def test_occasions(rule: str, after: str, expected: list[str]) -> None:
    since = datetime.fromisoformat(after).astimezone(NEW_YORK)
    more = "UNTIL" in rule or "COUNT" in rule
    found = fires(Schedule(start=since, rule=rule), since, len(expected) + more)
    assert found == expected


class MadeUp:
    """A country that works on one Saturday for a Monday, and has decreed one year."""

    def is_workday(self, day: date) -> bool | None:
        if day.year != 2026:
            return None
        swapped = {date(2026, 2, 14): True, date(2026, 2, 16): False}
        return swapped.get(day, day.weekday() < 5)


def test_working_days_are_those_of_the_country_and_monday_to_friday_beyond_its_decrees() -> None:
    rule = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"
    friday = datetime(2026, 2, 13, 10, tzinfo=SHANGHAI)
    schedule = Schedule(start=friday, rule=rule, workdays=True)
    days = [at.date() for at in islice(occasions(schedule, friday, MadeUp()), 2)]
    assert days == [date(2026, 2, 14), date(2026, 2, 17)]
    new_year = datetime(2027, 1, 1, 10, tzinfo=SHANGHAI)
    following = next_after(schedule, new_year, MadeUp())
    assert following is not None
    assert following.date() == date(2027, 1, 4)


def test_the_last_working_day_of_a_month() -> None:
    rule = "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=9;BYMINUTE=0"
    start = datetime(2026, 1, 1, tzinfo=SHANGHAI)
    schedule = Schedule(start=start, rule=rule, workdays=True)
    days = [at.day for at in islice(occasions(schedule, start, MadeUp()), 3)]
    assert days == [30, 27, 31]


def test_a_long_backlog_is_still_the_latest_occasion() -> None:
    start = datetime(2025, 1, 1, tzinfo=SHANGHAI)
    schedule = Schedule(start=start, rule="FREQ=MINUTELY")
    now = start + timedelta(days=400, seconds=30)
    found = due(schedule, start, now, grace=DAY)
    assert found is not None
    assert (found.at, found.missed) == (start + timedelta(days=400), 1000)


def test_nothing_is_due_before_its_time() -> None:
    start = datetime(2026, 1, 1, 9, tzinfo=SHANGHAI)
    assert due(Schedule(start=start), start - DAY, start - HOUR, grace=DAY) is None


FREQUENCIES = st.sampled_from(
    [
        "FREQ=DAILY;INTERVAL={n};BYHOUR={h};BYMINUTE={m}",
        "FREQ=WEEKLY;INTERVAL={n};BYDAY=MO,TH;BYHOUR={h};BYMINUTE={m}",
        "FREQ=MONTHLY;INTERVAL={n};BYMONTHDAY={d};BYHOUR={h};BYMINUTE={m}",
        "FREQ=YEARLY;INTERVAL={n};BYMONTH=2;BYMONTHDAY={d};BYHOUR={h};BYMINUTE={m}",
        "FREQ=HOURLY;INTERVAL={n}",
        "FREQ=MINUTELY;INTERVAL={n}",
        "{m} {h} {d} * *",
        "{m} * * * *",
    ]
)
INSTANTS = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    datetime(2037, 1, 1),  # noqa: DTZ001
    timezones=st.just(NEW_YORK),
    allow_imaginary=False,
)


@given(
    FREQUENCIES, st.integers(1, 5), st.integers(0, 23), st.integers(0, 59), st.integers(1, 31),
    INSTANTS, st.integers(0, 4000),
)  # fmt: skip
def test_occasions_come_in_order_whatever_is_asked_from(
    shape: str, n: int, h: int, m: int, d: int, start: datetime, days: int
) -> None:
    schedule = Schedule(start=start, rule=shape.format(n=n, h=h, m=m, d=d))
    after = start + timedelta(days=days)
    several = [at.astimezone(UTC) for at in islice(occasions(schedule, after), 5)]
    assert len(several) == 5
    assert all(one < other for one, other in pairwise(several))
    assert several[0] > after.astimezone(UTC)
    again = next_after(schedule, several[2].astimezone(NEW_YORK))
    assert again is not None
    assert again.astimezone(UTC) == several[3]


@given(st.integers(-31, 31).filter(bool), st.integers(1, 3), INSTANTS)
def test_a_day_of_the_month_is_what_a_walk_over_all_days_finds(
    number: int, interval: int, start: datetime
) -> None:
    rule = f"FREQ=MONTHLY;INTERVAL={interval};BYMONTHDAY={number};BYHOUR=12;BYMINUTE=0;SKIP=OMIT"
    found = next_after(Schedule(start=start, rule=rule), start)
    assert found is not None
    day = start.date()
    for _ in range(2000):
        months = (day.year - start.year) * 12 + day.month - start.month
        last = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - DAY
        fits = day.day == (number if number > 0 else last.day + 1 + number)
        noon = datetime(day.year, day.month, day.day, 12, tzinfo=NEW_YORK)
        if fits and months % interval == 0 and noon > start:
            break
        day += DAY
    assert found.date() == day
