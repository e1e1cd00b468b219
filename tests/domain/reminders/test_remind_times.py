"""When a reminder is meant to fire: the user's words, against what a model made of them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from pointsman.domain.reminders import remind_texts
from pointsman.domain.reminders.remind_times import Doubt, Heard, Settled, named, understood
from pointsman.domain.schedule import Schedule

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2025, 3, 5, 10, 0, 30, tzinfo=SHANGHAI)
"""A Wednesday."""
WORKWEEK = "MO,TU,WE,TH,FR"


def at(day: int, hour: int, minute: int = 0, month: int = 3) -> datetime:
    return datetime(2025, month, day, hour, minute, tzinfo=SHANGHAI)


def meant(said: str, when: str = "", *, time: str = "", daily: bool = False) -> Settled | Doubt:
    heard = Heard(when=when or said, said=(said,), time=time, daily=daily)
    return understood(heard, NOW)


def settled(said: str, when: str = "", *, time: str = "", daily: bool = False) -> Schedule:
    found = meant(said, when, time=time, daily=daily)
    assert isinstance(found, Settled), found
    return found.schedule


def doubted(said: str, when: str = "", *, time: str = "", daily: bool = False) -> Doubt:
    found = meant(said, when, time=time, daily=daily)
    assert isinstance(found, Doubt), found
    return found


def answered(question: Doubt, when: str, answer: str, language: str = "zh") -> Settled | Doubt:
    """What the answer to our own question means."""
    asked = remind_texts.question(question, "en" if language == "en" else "zh")
    heard = Heard(when=when, said=(answer, when), asked=asked, time=answer)
    return understood(heard, NOW)


@pytest.mark.parametrize(
    ("said", "start"),
    [
        ("在晚上17点28统计一下知识库数量，发给admin", at(5, 17, 28)),
        ("at 17:28 count the users", at(5, 17, 28)),
        ("明天下午3点提醒我开会", at(6, 15)),
        ("叫我明天8点起床", at(6, 8)),
        ("明天8点前往机场", at(6, 8)),
        ("明天8点后勤开会", at(6, 8)),
        ("10点提醒我拿东西", at(5, 22)),
        ("明早提醒我", at(6, 8)),
        ("remind me to call Bob tomorrow at 3 pm", at(6, 15)),
        ("2025-03-06T09:00:00Z", at(6, 17)),
    ],
)
def test_an_instant_is_taken_as_the_words_say(said: str, start: datetime) -> None:
    assert settled(said) == Schedule(start=start)


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("每天早上9点提醒我吃药", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("每天提醒我早上9点吃药", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("每周二周四上午九点", "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=9;BYMINUTE=0"),
        ("every Monday at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("每月31号上午10点交房租", "FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=10;BYMINUTE=0"),
        ("every 2 hours", "FREQ=HOURLY;INTERVAL=2"),
        ("0 9 * * 1-5 提醒我打卡", "0 9 * * 1-5"),
        ("@daily back up", "@daily"),
        ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9"),
        ("每天9点提醒我站会，周末除外", f"FREQ=WEEKLY;BYDAY={WORKWEEK};BYHOUR=9;BYMINUTE=0"),
        (
            "remind me every day at 9 to stretch, except on Sundays",
            f"FREQ=WEEKLY;BYDAY={WORKWEEK},SA;BYHOUR=9;BYMINUTE=0",
        ),
        ("每天9点提醒我给除了张三以外的人发邮件", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("every day at 9 tell me all but Bob's tasks", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
        ("每个工作日9点写日报，节假日除外", f"FREQ=WEEKLY;BYDAY={WORKWEEK};BYHOUR=9;BYMINUTE=0"),
    ],
)
def test_a_recurrence_is_a_rule(said: str, rule: str) -> None:
    assert settled(said).rule == rule


def test_working_days_are_those_of_the_country() -> None:
    assert settled("每个工作日9点打卡").workdays


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("提醒我开会", "none"),
        ("提醒我生日前一天买蛋糕", "none"),
        ("会议前十分钟提醒我", "none"),
        ("明天提醒我交报告", "clock"),
        ("每天提醒我喝水", "clock"),
        ("每周一提醒我交周报", "clock"),
        ("今天9点提醒我", "passed"),
        ("昨天下午3点提醒我", "passed"),
        ("remind me yesterday at 3pm", "passed"),
        ("2月30日9点", "impossible"),
        ("中午10点", "impossible"),
        ("周五之前提醒我交报告", "bound"),
        ("过几天提醒我", "vague"),
        ("99 9 * * * 打卡", "rule"),
        ("每天9点提醒我站会，国庆除外", "except"),
        ("除了节假日，每天9点提醒我站会", "except"),
        ("remind me every day at 9 to stretch, except on holidays", "except"),
    ],
)
def test_what_cannot_be_taken_is_a_doubt_with_a_question_in_both_languages(
    said: str, why: str
) -> None:
    found = doubted(said)
    assert found.why == why
    for language in ("zh", "en"):
        question = remind_texts.question(found, language)
        assert "?" in question or "？" in question


def test_a_time_that_has_passed_is_asked_about_with_what_is_to_come() -> None:
    assert [one.start for one in doubted("今天9点提醒我").options] == [at(5, 21), at(6, 9)]


class TestTheModelsTime:
    def test_is_no_doubt_when_it_is_the_same(self) -> None:
        assert settled("明天下午3点提醒我", time="2025-03-06 15:00").start == at(6, 15)

    def test_is_asked_about_when_it_differs_with_both_readings(self) -> None:
        found = doubted("明天下午3点提醒我", time="2025-03-07 15:00")
        assert found.why == "differs"
        assert [one.start for one in found.options] == [at(6, 15), at(7, 15)]
        question = remind_texts.question(found, "zh")
        assert "3月6日 周四 15:00" in question
        assert "3月7日 周五 15:00" in question

    def test_may_be_a_minute_off_for_a_span(self) -> None:
        assert settled("3分钟后提醒我", "3分钟后", time="2025-03-05 10:03").start.minute == 3

    @pytest.mark.parametrize("time", ["", "soon", "2025-03-05 09:00", "2025-03-06"])
    def test_counts_for_nothing_when_it_has_passed_or_is_no_instant(self, time: str) -> None:
        assert settled("明天下午3点提醒我", time=time).start == at(6, 15)

    def test_is_compared_by_the_clock_for_a_rule(self) -> None:
        assert settled("每天9点提醒我", time="2025-03-05 09:00", daily=True).rule
        assert settled("每天9点提醒我", time="2025-03-06 09:00").rule
        found = doubted("每天9点提醒我", time="2025-03-06 10:00")
        assert [one.rule for one in found.options] == [
            "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
            "FREQ=DAILY;BYHOUR=10;BYMINUTE=0",
        ]

    def test_does_not_make_something_daily_that_the_user_said_once(self) -> None:
        found = doubted("明天9点提醒我", daily=True)
        assert found.why == "daily"
        assert [one.rule for one in found.options] == ["", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"]


class TestTheAnswer:
    @pytest.mark.parametrize(
        ("answer", "start"),
        [
            ("第二个", at(6, 9)),
            ("2", at(6, 9)),
            ("前一个", at(5, 21)),
            ("晚上", at(5, 21)),
            ("早上9点", at(6, 9)),
            ("明天", at(6, 9)),
            ("明天10点", at(6, 10)),
        ],
    )
    def test_picks_one_of_the_readings_or_says_another(self, answer: str, start: datetime) -> None:
        found = answered(doubted("今天9点"), "今天9点", answer)
        assert isinstance(found, Settled), found
        assert found.schedule.start == start

    @pytest.mark.parametrize(
        ("answer", "start"), [("the first one", at(5, 21)), ("9 am", at(6, 9))]
    )
    def test_does_so_in_english(self, answer: str, start: datetime) -> None:
        found = answered(doubted("今天9点"), "今天9点", answer, "en")
        assert isinstance(found, Settled), found
        assert found.schedule.start == start

    @pytest.mark.parametrize(
        ("when", "answer", "told"),
        [
            ("明天", "9点", "2025年3月6日 周四 09:00"),
            ("明天", "下午三点", "2025年3月6日 周四 15:00"),
            ("每周一", "下午4点", "每周一 16:00"),
            ("tomorrow", "at 9am", "2025年3月6日 周四 09:00"),
            ("", "in 20 minutes", "2025年3月5日 周三 10:20"),
        ],
    )
    def test_gives_the_hour_of_a_day_that_is_known(self, when: str, answer: str, told: str) -> None:
        found = answered(doubted(when or "提醒我"), when, answer)
        assert isinstance(found, Settled), found
        assert remind_texts.told(found.schedule, "zh") == told

    def test_that_says_no_time_is_asked_again(self) -> None:
        found = answered(doubted("明天"), "明天", "嗯")
        assert isinstance(found, Doubt)
        assert found.why == "none"


@pytest.mark.parametrize(
    ("said", "zh", "en"),
    [
        ("每天9点和14点", "每天 09:00、14:00", "every day at 09:00 and 14:00"),
        ("每个工作日9点", "每个工作日 09:00", "every working day at 09:00"),
        ("every weekday at 9", "每周一至周五 09:00", "every weekday, Monday to Friday, at 09:00"),
        ("每两周的周一9点", "每2周周一 09:00", "every 2 weeks, on Monday at 09:00"),
        ("每月最后一天18点", "每月最后一天 18:00", "the last day of every month at 18:00"),
        (
            "每月1号、10号和20号8点",
            "每月1日、10日、20日 08:00",
            "every month on the 1st, 10th and 20th at 08:00",
        ),
        ("每月2号8点", "每月2日 08:00", "every month on the 2nd at 08:00"),
        (
            "每月最后一个周五17点",
            "每月最后一个周五 17:00",
            "the last Friday of every month at 17:00",
        ),
        ("每年3月5日9点", "每年3月5日 09:00", "every 5 Mar at 09:00"),
        (
            "每天9点半和14点，直到12月31日",
            "每天 09:30、每天 14:00，到2025年12月31日 周三为止",
            "every day at 09:30 and every day at 14:00, until Wed, 31 Dec 2025",
        ),
        ("0 9 * * 1-5", "按 cron “0 9 * * 1-5”", "by cron “0 9 * * 1-5”"),
    ],
)
def test_a_rule_is_told_in_words_of_both_languages(said: str, zh: str, en: str) -> None:
    schedule = settled(said)
    assert remind_texts.told(schedule, "zh") == zh
    assert remind_texts.told(schedule, "en") == en


@pytest.mark.parametrize(
    "said",
    [
        "明天下午3点", "今年12月31日8点", "每周二、周四9点", "每天9点", "每天9点直到12月31日",
        "连续三天早上8点", "每月1号和15号9点",
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_a_question_lists_can_be_read_back(said: str, language: str) -> None:
    """An answer is understood by reading the question again."""
    schedule = settled(said)
    told = remind_texts.told(schedule, "en" if language == "en" else "zh")
    assert settled(told) == schedule


def test_two_ways_to_say_one_time_are_found_together() -> None:
    text = "每天提醒我早上9点吃药"
    assert named(text, NOW) == [((0, 2), (5, 9))]
    assert named("昨天统计的用户数", NOW, ahead=True) == []


@pytest.mark.parametrize(
    ("said", "start", "rule"),
    [
        ("明天下午3点开会，提前10分钟提醒我", "03-06T14:50", ""),
        ("提前半小时提醒我明天9点的会", "03-06T08:30", ""),
        ("周五下午2点面试，提前一天提醒我", "03-06T14:00", ""),
        ("meeting at 3pm tomorrow, remind me an hour before", "03-06T14:00", ""),
        ("the meeting tomorrow at 3pm, 15 minutes in advance", "03-06T14:45", ""),
        ("remind me 10 minutes before my 3pm meeting", "03-05T14:50", ""),
        ("每天9点例会，提前5分钟提醒", "03-06T08:55", "FREQ=DAILY;BYHOUR=8;BYMINUTE=55"),
        ("每天0点提前5分钟", "03-05T23:55", "FREQ=DAILY;BYHOUR=23;BYMINUTE=55"),
    ],
)
def test_what_is_wished_earlier_is_earlier(said: str, start: str, rule: str) -> None:
    schedule = settled(said)
    assert (schedule.start.isoformat()[5:16], schedule.rule) == (start, rule)


@pytest.mark.parametrize(
    ("said", "why"),
    [("今天10:05开会，提前10分钟提醒我", "passed"), ("每周一0点开会，提前5分钟提醒我", "vague")],
)
def test_a_time_too_early_is_asked_about(said: str, why: str) -> None:
    found = understood(Heard(when=said), NOW)
    assert isinstance(found, Doubt)
    assert found.why == why


@pytest.mark.parametrize(
    ("said", "starts"),
    [
        ("明天9点和14点提醒我吃药", [at(6, 9), at(6, 14)]),
        ("今天下午3点或者明天上午9点", [at(5, 15), at(6, 9)]),
        ("tomorrow at 9am and 2pm", [at(6, 9), at(6, 14)]),
    ],
)
def test_of_several_times_in_a_row_none_is_dropped_unasked(
    said: str, starts: list[datetime]
) -> None:
    found = doubted(said)
    assert (found.why, [one.start for one in found.options]) == ("which", starts)
    assert settled("明天9点提醒我准备14点的会").start == at(6, 9)
    assert settled("明天9点和14点提醒我吃药", "14点").start == at(6, 14)
