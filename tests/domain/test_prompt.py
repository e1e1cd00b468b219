"""The date line (D3) and the instructions after it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from pointsman.domain.agent import Language
from pointsman.domain.prompt import date_line, system_prompt


@pytest.mark.parametrize(
    ("instant", "zone", "language", "expected"),
    [
        (
            datetime(2026, 2, 28, 23, 5, 9, tzinfo=UTC),
            "Asia/Shanghai",
            "zh",
            "今天是 2026年03月01日 07时05分09秒 星期日。",
        ),
        (
            datetime(2026, 2, 28, 23, 5, 9, tzinfo=UTC),
            "UTC",
            "en",
            "Today is Saturday, 2026-02-28 23:05:09.",
        ),
        (
            datetime(2028, 2, 29, 3, 0, tzinfo=UTC),
            "America/New_York",
            "en",
            "Today is Monday, 2028-02-28 22:00:00.",
        ),
        (
            datetime(2026, 12, 31, 16, 0, tzinfo=UTC),
            "Asia/Shanghai",
            "zh",
            "今天是 2027年01月01日 00时00分00秒 星期五。",
        ),
    ],
)
def test_the_date_line_is_of_the_agents_zone_and_language(
    instant: datetime, zone: str, language: Language, expected: str
) -> None:
    assert date_line(instant.astimezone(ZoneInfo(zone)), language) == expected


@pytest.mark.parametrize("day", range(2, 9))
def test_every_weekday_has_its_name(day: int) -> None:
    now = datetime(2026, 3, day, tzinfo=UTC)
    assert date_line(now, "zh").endswith(f"星期{'一二三四五六日'[day - 2]}。")
    assert f"is {now:%A}," in date_line(now, "en")


def test_the_instructions_follow_the_date_line() -> None:
    now = datetime(2026, 3, 2, tzinfo=UTC)
    assert system_prompt("Be brief.\n", now, "en") == f"{date_line(now, 'en')}\nBe brief."
    assert system_prompt("", now, "en") == date_line(now, "en")
