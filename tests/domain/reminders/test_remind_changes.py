"""A new time for a reminder that there is keeps what its owner leaves unsaid."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from pointsman.domain.reminders.remind_changes import Former, changed
from pointsman.domain.reminders.remind_times import Doubt, Heard, Settled
from pointsman.domain.schedule import Schedule

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 4, 9, 40, tzinfo=ZONE)
"""A Wednesday."""
FRIDAY = datetime(2026, 3, 6, 9, tzinfo=ZONE)
ONCE = Former(schedule=Schedule(start=FRIDAY), due=FRIDAY)
WEEKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"
HABIT = Former(schedule=Schedule(start=FRIDAY, rule=WEEKDAYS), due=FRIDAY)


def meant(words: str, former: Former = ONCE) -> Settled:
    found = changed(Heard(when=words, said=(f"改到{words}",)), former, NOW)
    assert isinstance(found, Settled)
    return found


@pytest.mark.parametrize(
    ("words", "day", "hour", "minute"),
    [
        ("10点", 6, 10, 0),
        ("下午", 6, 14, 0),
        ("晚上8点半", 6, 20, 30),
        ("10am", 6, 10, 0),
        ("4 pm", 6, 16, 0),
        ("in the afternoon", 6, 14, 0),
        ("明天", 5, 9, 0),
        ("后天", 6, 9, 0),
        ("next Monday", 9, 9, 0),
        ("明天10点", 5, 10, 0),
        ("周六下午3点", 7, 15, 0),
        ("10分钟后", 4, 9, 50),
        ("in two hours", 4, 11, 40),
    ],
)
def test_what_is_not_said_stays_as_it_was(words: str, day: int, hour: int, minute: int) -> None:
    schedule = meant(words).schedule
    assert schedule == Schedule(start=datetime(2026, 3, day, hour, minute, tzinfo=ZONE))
    assert meant(words).words == words


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("8点", WEEKDAYS.replace("BYHOUR=9", "BYHOUR=8")),
        ("9:30", WEEKDAYS.replace("BYMINUTE=0", "BYMINUTE=30")),
        ("每天9点", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    ],
)
def test_an_hour_moves_a_habit_and_leaves_its_days(words: str, rule: str) -> None:
    assert meant(words, HABIT).schedule.rule == rule


def test_an_hour_that_has_passed_on_its_day_is_asked_about() -> None:
    tonight = datetime(2026, 3, 4, 20, tzinfo=ZONE)
    found = changed(
        Heard(when="上午8点"), Former(schedule=Schedule(start=tonight), due=tonight), NOW
    )
    assert isinstance(found, Doubt)
    assert found.why == "passed"
