"""Which reminder words mean."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pointsman.domain.reminders import remind_finding
from pointsman.domain.reminders.reminder import Reminder
from pointsman.domain.schedule import Schedule

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2025, 3, 5, 10, tzinfo=SHANGHAI)


def made(id: str, text: str, hours: float, rule: str = "") -> Reminder:
    due = NOW + timedelta(hours=hours)
    return Reminder(
        id=id * 32,
        user="ann",
        agent="office",
        kind="text",
        text=text,
        schedule=Schedule(start=due, rule=rule),
        timezone="Asia/Shanghai",
        next=due,
    )


THREE = remind_finding.in_order(
    [
        made("c", "call Bob about the budget", 29),
        made("a", "去会议室开会", 5),
        made("b", "吃药", 11, "FREQ=DAILY;BYHOUR=21;BYMINUTE=0"),
    ]
)


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("开会", "a"),
        ("开会的提醒", "a"),
        ("那个吃药的", "b"),
        ("Bob", "c"),
        ("the reminder about the budget", "c"),
        ("第二个", "b"),
        ("第二個", "b"),
        ("開會的提醒", "a"),
        ("那個吃藥的", "b"),
        ("2", "b"),
        ("the last one", "c"),
        ("第五个", ""),
        ("所有提醒", "abc"),
        ("all", "abc"),
        ("今天下午3点的", "a"),
        ("明天的提醒", "c"),
        ("the one at 9 pm", "b"),
        ("c" * 12, "c"),
        ("", "abc"),
        ("那个提醒", "abc"),
        ("买菜", ""),
        ("dentist", ""),
    ],
)
def test_words_mean_what_fits_them(words: str, ids: str) -> None:
    found = remind_finding.found(words, THREE, NOW)
    assert "".join(one.id[0] for one in found) == ids


def test_lines_have_the_numbers_of_the_whole_list() -> None:
    assert remind_finding.lines(THREE, THREE[1:2], "zh") == ["2. 每天 21:00：吃药"]
    assert remind_finding.lines(THREE, THREE[2:], "en") == [
        "3. Thu, 6 Mar 2025, 15:00: call Bob about the budget"
    ]
