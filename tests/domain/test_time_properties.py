"""What holds for every time phrase: written and read again it is the same, nothing is past without
saying so, no text fails or takes long."""

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.schedule import Schedule, check, occasions
from pointsman.domain.times import phrases, readings
from pointsman.domain.times.chinese import LEXICON as CHINESE
from pointsman.domain.times.english import LEXICON as ENGLISH

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 4, 9, 30, tzinfo=ZONE)
DAYS = st.dates(date(1992, 1, 1), date(2099, 12, 31))
"""From when on China's clocks no longer change."""
HOURS, MINUTES = st.integers(0, 23), st.integers(0, 59)
MONTHS = (
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
BYDAY = "MO TU WE TH FR SA SU".split()
_NUMERALS = "零一二三四五六七八九"


def numeral(number: int) -> str:
    """A number below a hundred as one says it in Chinese."""
    tens, ones = divmod(number, 10)
    if not tens:
        return _NUMERALS[ones]
    return ("" if tens == 1 else _NUMERALS[tens]) + "十" + (_NUMERALS[ones] if ones else "")


def half_of_day(hour: int) -> tuple[str, str, int]:
    """Chinese day part, English half and the hour on a clock of twelve."""
    part = "凌晨" if hour < 6 else "上午" if hour < 12 else "中午" if hour == 12 else "下午"
    part = "晚上" if hour > 18 else part
    return part, "am" if hour < 12 else "pm", hour % 12 or 12


def at(text: str, now: datetime = NOW) -> list[datetime]:
    return [when.start for when in readings(text, now)]


@given(DAYS, HOURS, MINUTES)
def test_a_written_instant_is_read_as_it_stands(day: date, hour: int, minute: int) -> None:
    part, half, twelve = half_of_day(hour)
    chinese = 0 if hour == 0 else twelve
    expected = [datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZONE)]
    for text in (
        f"{day:%Y-%m-%d} {hour:02}:{minute:02}",
        f"{day:%Y/%m/%d} {hour:02}:{minute:02}",
        f"{day.year}年{day.month}月{day.day}日{part}{chinese}点{minute}分",
        f"{day.year}年{numeral(day.month)}月{numeral(day.day)}号{part}{numeral(chinese)}点{numeral(minute)}分",
        f"{MONTHS[day.month - 1]} {day.day}, {day.year} at {twelve}:{minute:02} {half}",
        f"at {twelve}:{minute:02}{half} on {day.day} {MONTHS[day.month - 1][:3]} {day.year}",
    ):
        assert at(text) == expected, text


@given(st.integers(0, 20), HOURS, MINUTES)
def test_a_day_of_these_weeks_is_read_as_it_stands(days: int, hour: int, minute: int) -> None:
    day = NOW.date() + timedelta(days=days)
    part, _, twelve = half_of_day(hour)
    weeks = (day - (NOW.date() - timedelta(days=NOW.weekday()))).days // 7
    named = f"{'下' * weeks or '这'}周{'一二三四五六日'[day.weekday()]}"
    text = f"{named}{part}{0 if hour == 0 else twelve}点{minute}分"
    assert at(text) == [datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZONE)]


@given(st.integers(1, 500), st.sampled_from([("分钟", "minutes", 60), ("小时", "hours", 3600)]))
def test_so_long_from_now_is_exact(count: int, unit: tuple[str, str, int]) -> None:
    expected = [NOW + timedelta(seconds=count * unit[2])]
    for text in (f"{count}{unit[0]}后", f"in {count} {unit[1]}", f"{count} {unit[1]} from now"):
        assert at(text) == expected


@given(st.sets(st.integers(0, 6), min_size=1, max_size=6), HOURS, MINUTES)
def test_weekdays_that_are_listed_make_a_rule(days: set[int], hour: int, minute: int) -> None:
    listed = sorted(days)
    part, half, twelve = half_of_day(hour)
    byday = ",".join(BYDAY[day] for day in listed)
    rule = f"FREQ=WEEKLY;BYDAY={byday};BYHOUR={hour};BYMINUTE={minute}"
    chinese = "、".join(f"周{'一二三四五六日'[day]}" for day in listed)
    english = " and ".join(WEEKDAYS[day] for day in listed)
    for text in (
        f"每{chinese}{part}{0 if hour == 0 else twelve}点{minute}分",
        f"every {english} at {twelve}:{minute:02} {half}",
    ):
        (found,) = readings(text, NOW)
        assert found.rule == rule, text
        assert found.start.weekday() in days


@given(st.integers(1, 31), HOURS)
def test_a_day_of_each_month_makes_a_rule_and_starts_with_its_first_occasion(
    day: int, hour: int
) -> None:
    part, _, twelve = half_of_day(hour)
    (found,) = readings(f"每月{day}号{part}{0 if hour == 0 else twelve}点", NOW)
    assert found.rule == f"FREQ=MONTHLY;BYMONTHDAY={day};BYHOUR={hour};BYMINUTE=0"
    first = next(occasions(Schedule(start=NOW, rule=found.rule), NOW))
    assert found.start == first


VOCABULARY = st.lists(
    st.one_of(
        st.sampled_from(sorted(CHINESE)),
        st.sampled_from([f" {word} " for word in sorted(ENGLISH)]),
        st.sampled_from("3 5 12 17 2026 15:30 3/5 2026-03-05 三 十五 两 半".split()),
    ),
    max_size=8,
).map("".join)


@given(VOCABULARY, st.datetimes(datetime(2000, 1, 1), datetime(2050, 1, 1)))  # noqa: DTZ001
def test_nothing_past_is_read_as_if_it_were_to_come(text: str, moment: datetime) -> None:
    now = moment.replace(microsecond=0, tzinfo=ZONE)
    for phrase in phrases(text, now):
        assert 0 <= phrase.start < phrase.end <= len(text)
        assert not phrase.settled or phrase.readings
        for when in phrase.readings[:1]:
            is_past = (when.end or when.start) <= now and when.start < now
            assert ("past" in phrase.notes) == is_past
            if when.rule:
                check(when.rule)
                assert not is_past
                following = islice(
                    occasions(
                        Schedule(start=when.start, rule=when.rule, workdays=when.workdays),
                        when.start - timedelta(seconds=1),
                    ),
                    1,
                )
                assert [one.astimezone(UTC) for one in following] == [when.start.astimezone(UTC)]


@given(st.text(max_size=80))
def test_any_text_is_read_without_failing(text: str) -> None:
    for phrase in phrases(text, NOW):
        assert 0 <= phrase.start < phrase.end <= len(text)


@pytest.mark.parametrize(
    "piece",
    [
        "1", "一", "一点", "1点", "下", "每", "每周一", "周一、", "the ", "in a ", "of the ",
        "last ", "from 3 to ", "3/5 ", "2026-", "12:30-", "半", "个半", "a m", "p. m. ", "and ",
        "十月的第一个", "two weeks from ", "' ", "点" * 3, " " * 50,
    ],
)  # fmt: skip
def test_ten_thousand_characters_are_read_at_once(piece: str) -> None:
    phrases((piece * 10_000)[:10_000], NOW)
