"""What people read when a reminder fires, and when it could not."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from pointsman.domain.agent import Language
from pointsman.domain.reminders import reminder_notices as notices
from pointsman.domain.reminders.reminder import Occurrence, OccurrenceState, Target
from tests.support.reminders import DAY, HOUR, MINUTE, at, reminder


def occurrence(late: timedelta = timedelta(), passed: int = 0) -> Occurrence:
    state = OccurrenceState.LATE if late else OccurrenceState.FIRED
    return Occurrence(reminder="r1", due=at(11), fired=at(11) + late, state=state, passed=passed)


@pytest.mark.parametrize(
    ("length", "zh", "en"),
    [
        (40 * MINUTE, "40 分钟", "40 minutes"),
        (HOUR + MINUTE, "1 小时 1 分钟", "1 hour 1 minute"),
        (2 * DAY + 3 * HOUR + MINUTE, "2 天 3 小时", "2 days 3 hours"),
        (DAY, "1 天", "1 day"),
        (timedelta(seconds=30), "不到 1 分钟", "less than a minute"),
    ],
)
def test_a_span_is_told_in_its_two_largest_units(length: timedelta, zh: str, en: str) -> None:
    assert (notices.span(length, "zh"), notices.span(length, "en")) == (zh, en)


@pytest.mark.parametrize(
    ("language", "late", "text"),
    [
        ("zh", timedelta(), "喝水"),
        ("zh", timedelta(seconds=59), "喝水"),
        ("zh", 40 * MINUTE, "喝水 （迟到 40 分钟）"),
        ("en", 40 * MINUTE, "喝水 (40 minutes late)"),
    ],
)
def test_a_text_says_how_late_it_is(language: Language, late: timedelta, text: str) -> None:
    assert notices.body(reminder(language=language), occurrence(late)) == text


def test_a_text_says_for_whom_it_is_and_what_it_stands_for() -> None:
    one = replace(reminder(), target=Target(mention="安"))
    assert notices.body(one, occurrence(passed=3)) == "@安 喝水 （此前还有 3 次没有提醒到）"


def test_a_long_list_of_missed_ones_is_counted() -> None:
    pairs = [(reminder(text=f"第 {number} 件\n事"), occurrence()) for number in range(25)]
    told = notices.missed(pairs, "zh")
    assert told.count("\n- ") == notices.MOST_LISTED
    assert "2025-03-05 11:00 第 0 件 事" in told
    assert told.endswith("另有 5 项")
