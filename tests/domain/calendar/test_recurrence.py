"""Recurrence rules and cron lines: what is read, and what is refused rather than half read."""

from datetime import UTC, datetime
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.calendar.cron import cron_line
from pointsman.domain.calendar.recurrence import BadRule, recurrence
from pointsman.domain.schedule import Schedule, check, occasions


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "FREQ=SECONDLY",
        "INTERVAL=2",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;BYWEEKNO=3",
        "FREQ=DAILY;BYHOUR=25",
        "FREQ=DAILY;BYHOUR=nine",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=WEEKLY;BYMONTHDAY=3",
        "FREQ=WEEKLY;WKST=SU",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYDAY=6FR",
        "FREQ=MONTHLY;BYSETPOS=1",
        "FREQ=YEARLY;BYDAY=1MO",
        "FREQ=DAILY;UNTIL=tomorrow",
        "RSCALE=HEBREW;FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1",
        "RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=1",
        "* * * *",
        "60 * * * *",
        "*/0 * * * *",
        "0 9 31 2 *",
        "0 9 * * funday",
        "5-1 * * * *",
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused(rule: str) -> None:
    with pytest.raises(BadRule):
        check(rule)


@given(st.text(max_size=40, alphabet="FREQ=DAILYWKMONTH;BYHU0123456789,-*/ @adhilowk"))
def test_any_rule_is_followed_or_refused(rule: str) -> None:
    start = datetime(2026, 1, 31, 9, tzinfo=UTC)
    try:
        found = list(islice(occasions(Schedule(start=start, rule=rule), start), 3))
    except BadRule:
        return
    assert found == sorted(set(found))


def test_a_rule_may_bear_its_name() -> None:
    assert recurrence("RRULE:FREQ=DAILY") == recurrence("freq=daily")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("0 9 * * 1-5", ["2026-02-02T09:00", "2026-02-03T09:00"]),
        ("0 9 * * 0", ["2026-02-01T09:00", "2026-02-08T09:00"]),
        ("0 9 * * 7", ["2026-02-01T09:00", "2026-02-08T09:00"]),
        ("0 9 13 * fri", ["2026-02-06T09:00", "2026-02-13T09:00"]),
        ("0 9 29 feb *", ["2028-02-29T09:00", "2032-02-29T09:00"]),
        ("*/20 9 * * *", ["2026-01-31T09:20", "2026-01-31T09:40"]),
        ("5/30 10,12 * * *", ["2026-01-31T10:05", "2026-01-31T10:35"]),
        ("0 * * * *", ["2026-01-31T10:00", "2026-01-31T11:00"]),
        ("@monthly", ["2026-02-01T00:00", "2026-03-01T00:00"]),
    ],
)
def test_a_cron_line_is_read_as_unix_reads_it(line: str, expected: list[str]) -> None:
    start = datetime(2026, 1, 31, 9, tzinfo=UTC)
    found = islice(cron_line(line).occasions(start, start), 2)
    assert [at.isoformat()[:16] for at in found] == expected
