"""Time phrases, Chinese and English, against a reference instant (group 7 of the shared cases)."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.times import TimePhrase, ends, phrases, readings
from tests.cases import params

NOW = datetime(2026, 2, 28, 9, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
"""A Saturday."""


def first(text: str, now: datetime = NOW) -> TimePhrase:
    return phrases(text, now)[0]


def starts(text: str, now: datetime = NOW) -> list[str]:
    return [when.start.isoformat() for when in readings(text, now)]


@pytest.mark.parametrize(
    "case", [one for one in params(7) if one.values[0]["input"]["kind"] == "time_phrase"]
)
def test_a_phrase_means_what_its_speaker_meant(case: dict[str, Any]) -> None:
    sent, expected = case["input"], case["expected"]
    now = datetime.fromisoformat(sent["now"]).astimezone(ZoneInfo(sent["tz"]))
    phrase = first(sent["phrase"], now)
    if expected["status"] == "ok":
        assert starts(sent["phrase"], now) == [expected.get("at") or expected["next"]]
        assert phrase.settled
        assert phrase.readings[0].rule == expected.get("rrule", "")
        assert (phrase.why == "range") is expected.get("ambiguous", False)
    else:
        assert not phrase.settled
        assert starts(sent["phrase"], now) == expected.get("candidates", [])
    for text, at in expected.get("also", {}).items():
        assert starts(text, now) == [at]
    for text in expected.get("also_reject", ()):
        assert (first(text, now).readings, first(text, now).why) == ((), "impossible")


TABLE = {
    "明天下午3点半": "2026-03-01T15:30",
    "tomorrow at 3pm": "2026-03-01T15:00",
    "at five to twelve": "2026-02-28T11:55",
    "noon tomorrow": "2026-03-01T12:00",
    "今晚8点": "2026-02-28T20:00",
    "明早七点": "2026-03-01T07:00",
    "晚上12点": "2026-03-01T00:00",
    "今晚零点": "2026-03-01T00:00",
    "今晚一点": "2026-03-01T01:00",
    "凌晨1点": "2026-03-01T01:00",
    "下周一": "2026-03-02T00:00",
    "next Friday": "2026-03-06T00:00",
    "后天": "2026-03-02T00:00",
    "the day after tomorrow": "2026-03-02T00:00",
    "3月5号": "2026-03-05T00:00",
    "March 5th": "2026-03-05T00:00",
    "the 5th": "2026-03-05T00:00",
    "1月5号": "2027-01-05T00:00",
    "月底": "2026-02-28T00:00",
    "下个月底": "2026-03-31T00:00",
    "半小时后": "2026-02-28T10:00",
    "in 2 hours": "2026-02-28T11:30",
    "3天后下午5点": "2026-03-03T17:00",
    "2026年3月1日": "2026-03-01T00:00",
    "20260301": "2026-03-01T00:00",
    "2026/3/1 15:00": "2026-03-01T15:00",
    "三点": "2026-02-28T15:00",
    "10点": "2026-02-28T10:00",
    "9点": "2026-02-28T21:00",
    "quarter to four in the afternoon": "2026-02-28T15:45",
    "每个工作日早上9点": "2026-03-02T09:00",
    "every weekday at 9am": "2026-03-02T09:00",
    "上周五": "2026-02-20T00:00",
    "去年": "2025-01-01T00:00",
    "二十世纪七十年代": "1970-01-01T00:00",
    "Q2 2026": "2026-04-01T00:00",
}


@pytest.mark.parametrize(("text", "at"), TABLE.items(), ids=list(TABLE))
def test_a_phrase_has_one_reading(text: str, at: str) -> None:
    phrase = first(text)
    assert [when.start.isoformat()[:16] for when in phrase.readings] == [at]
    assert phrase.settled


def test_friday_said_on_a_friday_has_two_readings() -> None:
    friday = NOW.replace(day=27)
    phrase = first("Friday", friday)
    assert [when.start.day for when in phrase.readings] == [27, 6]
    assert not phrase.settled


def test_a_bare_hour_keeps_its_other_reading() -> None:
    phrase = first("明天10点")
    assert [when.start.hour for when in (*phrase.readings, *phrase.other)] == [10, 22]


def test_a_past_day_of_this_year_is_allowed_too() -> None:
    assert [when.start.year for when in first("1月5号").also] == [2026]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("3月28号到30号", ["2026-03-28", "2026-03-30"]),
        ("from the 1st to the 31st of January 2023", ["2023-01-01", "2023-01-31"]),
        ("between July 15 and August 10, 2022", ["2022-07-15", "2022-08-10"]),
        ("明天9点到11点", ["2026-03-01", "2026-03-01"]),
    ],
)
def test_the_ends_of_a_range_complete_each_other(text: str, days: list[str]) -> None:
    found = [phrase.readings[0].start.date().isoformat() for phrase in ends(text, NOW)]
    assert found == days


def test_a_span_starts_and_ends_at_midnight_of_the_zone() -> None:
    when = readings("下周", NOW)[0]
    assert (when.start.isoformat(), when.end and when.end.isoformat(), when.grain) == (
        "2026-03-02T00:00:00+08:00",
        "2026-03-09T00:00:00+08:00",
        "week",
    )


def test_the_answer_is_in_the_zone_that_was_asked_for() -> None:
    there = readings("tomorrow at 3pm", NOW, ZoneInfo("America/New_York"))[0].start
    assert there.isoformat() == "2026-02-28T15:00:00-05:00"


def test_hours_count_over_a_clock_change() -> None:
    night = datetime(2026, 3, 8, 1, 30, tzinfo=ZoneInfo("America/New_York"))
    assert starts("in 2 hours", night) == ["2026-03-08T04:30:00-04:00"]


@pytest.mark.parametrize(
    "text",
    [
        "三点建议",
        "一点也不",
        "第三季",
        "5楼",
        "version 3.2.1",
        "我要3个",
        "10号楼",
        "$2020",
        "打折",
    ],
)
def test_words_that_name_no_time_are_left_alone(text: str) -> None:
    assert phrases(text, NOW) == ()


@given(st.text(max_size=60, alphabet="今明后天上下周月年日号点分半一二三十0123456789:-/ 午at pm"))
def test_any_text_is_read_without_failing(text: str) -> None:
    for phrase in phrases(text, NOW):
        assert 0 <= phrase.start < phrase.end <= len(text)
        assert all(when.start.tzinfo is NOW.tzinfo for when in phrase.readings)


@given(st.datetimes(timezones=st.just(ZoneInfo("Asia/Shanghai"))).filter(lambda at: at.year > 2000))
def test_a_written_instant_is_read_as_it_stands(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    written = whole.replace(tzinfo=None).isoformat()
    assert [when.start for when in readings(written, NOW)] == [whole]
