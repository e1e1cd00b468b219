"""Tables of time phrases: what each kind means, what is asked about, what says that it is past."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from pointsman.domain.times import TimePhrase, ends, phrases, weekly

NOW = datetime(2026, 3, 4, 9, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
"""A Wednesday."""


def only(text: str, now: datetime = NOW) -> TimePhrase:
    (phrase,) = phrases(text, now)
    return phrase


def short(at: datetime | None) -> str:
    return at.isoformat()[5:16] if at else ""


INSTANTS = {
    "明天下午3点半开会": "03-05T15:30",
    "下周三上午10点": "03-11T10:00",
    "后天这个时候": "03-06T09:30",
    "大后天晚上八点一刻": "03-07T20:15",
    "差一刻五点": "03-04T16:45",
    "明早七点": "03-05T07:00",
    "除夕那天晚上8点": "02-05T20:00",
    "中秋节早上9点": "09-25T09:00",
    "农历八月十五晚上8点": "09-25T20:00",
    "三天后上午9点": "03-07T09:00",
    "两周后周五上午10点": "03-20T10:00",
    "下个月今天下午3点": "04-04T15:00",
    "过半小时": "03-04T10:00",
    "2小时30分钟后": "03-04T12:00",
    "一个半小时后": "03-04T11:00",
    "3个工作日后下午五点": "03-09T17:00",
    "下个工作日上午10点": "03-05T10:00",
    "聽日下晝三點": "03-05T15:00",
    "下週一上午九點半": "03-09T09:30",
    "兩個小時後": "03-04T11:30",
    "tomorrow at half past three pm": "03-05T15:30",
    "noon tomorrow": "03-05T12:00",
    "this time tomorrow": "03-05T09:30",
    "in an hour and a half": "03-04T11:00",
    "three quarters of an hour from now": "03-04T10:15",
    "quarter to six pm": "03-04T17:45",
    "two weeks from tomorrow at 5pm": "03-19T17:00",
    "the last Friday of the month at 4 pm": "03-27T16:00",
    "on the first Monday of May at 10:00": "05-04T10:00",
    "Friday the 13th at 8 pm": "03-13T20:00",
    "Christmas eve at 6 pm": "12-24T18:00",
    "at 9 am on the day after tomorrow": "03-06T09:00",
    "4pm CET": "03-04T23:00",
    "end of day": "03-04T23:59",
    "half past five": "03-04T17:30",
    "ten to nine tomorrow": "03-05T08:50",
    "tomorrow at twenty to six": "03-05T17:40",
    "remind me at twenty past four": "03-04T16:20",
    "five past eight": "03-04T20:05",
    "nine fifteen tomorrow": "03-05T09:15",
    "around 9 tonight": "03-04T21:00",
    "9ish tomorrow": "03-05T09:00",
    "a week on Tuesday at 9am": "03-17T09:00",
    "Tuesday week at 9am": "03-17T09:00",
    "下周的今天上午9点": "03-11T09:00",
    "tomorrow at 10 to 11": "03-05T10:00",
    "tomorrow at ten to eleven": "03-05T10:00",
    "half past seven pm tomorrow": "03-05T19:30",
    "in 5m": "03-04T09:35",
    "in 1h30m": "03-04T11:00",
    "in 3d": "03-07T09:30",
    "same time next week": "03-11T09:30",
    "下个月这个时候": "04-04T09:30",
    "五天后晚上8点": "03-09T20:00",
    "3天后早上9点": "03-07T09:00",
    "提醒我后晚8点": "03-06T20:00",
    "下午3点前10分钟": "03-04T14:50",
    "明天3点半之前半小时": "03-05T15:00",
    "明天零点前10分钟": "03-04T23:50",
    "下午5点后一小时": "03-04T18:00",
    "an hour before noon tomorrow": "03-05T11:00",
    "half an hour before 5pm": "03-04T16:30",
    "圣诞节前一天下午3点": "12-24T15:00",
    "端午节后两天9点": "06-21T09:00",
    "the day before Christmas at 9am": "12-24T09:00",
    "tomorrow night at 9": "03-05T21:00",
    "9 at night": "03-04T21:00",
    "3 at night": "03-05T03:00",
    "2026-03-05 14:00": "03-05T14:00",
    "2026-03-05T09:00+09": "03-05T08:00",
    "2026-03-05 09:00:00 -0500": "03-05T22:00",
    "20260305T090000Z": "03-05T17:00",
    "20260305T0900": "03-05T09:00",
    "明天9点UTC+9": "03-05T08:00",
    "北京时间明天9点": "03-05T09:00",
    "UTC时间明天9点": "03-05T17:00",
    "美东时间周五下午3点": "03-07T04:00",
    "Friday 9am Tokyo time": "03-06T08:00",
    "3/5 at 2pm": "03-05T14:00",
}


@pytest.mark.parametrize(("text", "expected"), INSTANTS.items(), ids=list(INSTANTS))
def test_an_instant(text: str, expected: str) -> None:
    phrase = only(text)
    assert [short(when.start) for when in phrase.readings] == [expected]
    assert phrase.settled
    assert phrase.readings[0].end is None


OPEN = {
    "两三天后": "03-06T09:30",
    "两三个小时后": "03-04T11:30",
    "十七八分钟后": "03-04T09:47",
    "二三十分钟后": "03-04T09:50",
    "三五天后下午3点": "03-07T15:00",
    "5到10分钟后": "03-04T09:35",
    "in 2-3 days": "03-06T09:30",
    "in 2 or 3 weeks": "03-18T09:30",
    "十一二点": "03-04T11:00",
}


@pytest.mark.parametrize(("text", "expected"), OPEN.items(), ids=list(OPEN))
def test_of_two_numbers_the_earlier_is_taken_and_said(text: str, expected: str) -> None:
    phrase = only(text)
    assert [short(when.start) for when in phrase.readings] == [expected]
    assert (phrase.settled, phrase.why) == (True, "range")


SPANS = {
    "between 2 and 4 tomorrow": ("03-05T14:00", "03-05T16:00"),
    "tomorrow between 10 and 12": ("03-05T10:00", "03-05T12:00"),
    "tomorrow from 9 to 10": ("03-05T09:00", "03-05T10:00"),
    "from 9 to 10 tomorrow": ("03-05T09:00", "03-05T10:00"),
    "on Friday from 2 to 4": ("03-06T14:00", "03-06T16:00"),
    "between 2 and 4 on Friday": ("03-06T14:00", "03-06T16:00"),
    "下周": ("03-09T00:00", "03-16T00:00"),
    "这个周末": ("03-07T00:00", "03-09T00:00"),
    "本月": ("03-01T00:00", "04-01T00:00"),
    "月底": ("03-31T00:00", "04-01T00:00"),
    "下半年": ("07-01T00:00", "01-01T00:00"),
    "第二季度": ("04-01T00:00", "07-01T00:00"),
    "十月的第一个星期一": ("10-05T00:00", "10-06T00:00"),
    "3月的最后一个周五": ("03-27T00:00", "03-28T00:00"),
    "6月第三周": ("06-15T00:00", "06-22T00:00"),
    "本月最后一个工作日": ("03-31T00:00", "04-01T00:00"),
    "明天上午": ("03-05T09:00", "03-05T12:00"),
    "2026-03-05 09:00-10:30": ("03-05T09:00", "03-05T10:30"),
    "明天9点到11点": ("03-05T09:00", "03-05T11:00"),
    "3月28号到30号": ("03-28T00:00", "03-31T00:00"),
    "周五到下周二": ("03-06T00:00", "03-11T00:00"),
    "晚上10点到早上6点": ("03-04T22:00", "03-05T06:00"),
    "15个工作日内": ("03-04T09:30", "03-25T09:30"),
    "未来三天": ("03-04T00:00", "03-08T00:00"),
    "next month": ("04-01T00:00", "05-01T00:00"),
    "the week after next": ("03-16T00:00", "03-23T00:00"),
    "tomorrow evening": ("03-05T20:00", "03-06T00:00"),
    "from 3 to 5pm tomorrow": ("03-05T15:00", "03-05T17:00"),
    "between 10 and 2pm on Friday": ("03-06T10:00", "03-06T14:00"),
    "July 13 to 15": ("07-13T00:00", "07-16T00:00"),
    "from March to May": ("03-01T00:00", "06-01T00:00"),
    "within 2 hours": ("03-04T09:30", "03-04T11:30"),
    "Q3 2026": ("07-01T00:00", "10-01T00:00"),
}


@pytest.mark.parametrize(("text", "expected"), SPANS.items(), ids=list(SPANS))
def test_a_span(text: str, expected: tuple[str, str]) -> None:
    phrase = only(text)
    assert [(short(when.start), short(when.end)) for when in phrase.readings] == [expected]
    assert phrase.settled


REPEATS = {
    "每个工作日早上9点": ("03-05T09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"),
    "周一到周五每天早上9点": (
        "03-05T09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0",
    ),
    "每周二、周四": ("03-05T09:30", "FREQ=WEEKLY;BYDAY=TU,TH"),
    "每周一三五晚上8点": ("03-04T20:00", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=20;BYMINUTE=0"),
    "每天9点半和14点": (
        "03-04T14:00",
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=30\nFREQ=DAILY;BYHOUR=14;BYMINUTE=0",
    ),
    "每月最后一天下午5点": ("03-31T17:00", "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=17;BYMINUTE=0"),
    "每月31号上午9点": ("03-31T09:00", "FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9;BYMINUTE=0"),
    "每月最后一个工作日": (
        "03-31T09:30", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    ),
    "每个月最后一个周五下午3点": ("03-27T15:00", "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=15;BYMINUTE=0"),
    "每年3月5号": ("03-05T09:30", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5"),
    "每年春节早上9点": (
        "02-06T09:00", "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0",
    ),
    "每半小时": ("03-04T10:00", "FREQ=MINUTELY;INTERVAL=30"),
    "每隔一天早上8点": ("03-05T08:00", "FREQ=DAILY;INTERVAL=2;BYHOUR=8;BYMINUTE=0"),
    "每两周的周五": ("03-06T09:30", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    "every other Friday": ("03-06T09:30", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    "every weekday at 8:30am": (
        "03-05T08:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=30",
    ),
    "Mondays and Thursdays at 7pm": ("03-05T19:00", "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=19;BYMINUTE=0"),
    "last Friday of every month at 5pm": (
        "03-27T17:00", "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0",
    ),
    "on the 5th of every month": ("03-05T09:30", "FREQ=MONTHLY;BYMONTHDAY=5"),
    "every 2 hours from 10:00": ("03-04T10:00", "FREQ=HOURLY;INTERVAL=2"),
    "every 24 h from 01:00": ("03-05T01:00", "FREQ=HOURLY;INTERVAL=24"),
    "每晚十点": ("03-04T22:00", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0"),
    "每天东京时间9点": ("03-05T08:00", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"),
    "every Monday at 1am Beijing time": ("03-09T01:00", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=1;BYMINUTE=0"),
    "every Monday at 8pm UTC": ("03-10T04:00", "FREQ=WEEKLY;BYDAY=TU;BYHOUR=4;BYMINUTE=0"),
    "每周五晚上12点": ("03-07T00:00", "FREQ=WEEKLY;BYDAY=SA;BYHOUR=0;BYMINUTE=0"),
    "每周一0点前5分钟": ("03-08T23:55", "FREQ=WEEKLY;BYDAY=SU;BYHOUR=23;BYMINUTE=55"),
    "every day at 9am UTC": ("03-04T17:00", "FREQ=DAILY;BYHOUR=17;BYMINUTE=0"),
    "每月倒数第二天9点": ("03-30T09:00", "FREQ=MONTHLY;BYMONTHDAY=-2;BYHOUR=9;BYMINUTE=0"),
    "hourly": ("03-04T10:30", "FREQ=HOURLY"),
    "once a week on Friday at 4pm": ("03-06T16:00", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"),
    "twice a day at 9am and 5pm": ("03-04T17:00", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0"),
    "每月1号和15号上午9点": ("03-15T09:00", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=0"),
    "每月1、15号9点": ("03-15T09:00", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=0"),
    "每月10号到12号9点": (
        "03-10T09:00", "FREQ=MONTHLY;BYMONTHDAY=10,11,12;BYHOUR=9;BYMINUTE=0",
    ),
    "1st and 15th of every month at 9am": (
        "03-15T09:00", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=0",
    ),
    "5th of every month at 9am": ("03-05T09:00", "FREQ=MONTHLY;BYMONTHDAY=5;BYHOUR=9;BYMINUTE=0"),
    "每天早上9点到11点每小时": ("03-04T10:00", "FREQ=DAILY;BYHOUR=9,10,11;BYMINUTE=0"),
    "工作日9点到18点每三小时": (
        "03-04T12:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,12,15,18;BYMINUTE=0",
    ),
    "every hour from 2pm to 5pm": ("03-04T14:00", "FREQ=DAILY;BYHOUR=14,15,16,17;BYMINUTE=0"),
    "every 15 minutes from 9am": ("03-05T09:00", "FREQ=MINUTELY;INTERVAL=15"),
    "每小时的15分": ("03-04T10:15", "FREQ=HOURLY"),
    "每个整点": ("03-04T10:00", "FREQ=HOURLY"),
    "every hour on the half hour": ("03-04T10:30", "FREQ=HOURLY"),
    "除周末外每天9点": ("03-05T09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"),
    "每天早上8点，周末除外": (
        "03-05T08:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=0",
    ),
    "every day except Sunday at 9am": (
        "03-05T09:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9;BYMINUTE=0",
    ),
    "从下周一起每天9点": ("03-09T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    "starting tomorrow, every day at 9am": ("03-05T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    "every 4 hours starting at 8pm": ("03-04T20:00", "FREQ=HOURLY;INTERVAL=4"),
    "每天9点，直到3月10日": (
        "03-05T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20260310T155959Z",
    ),
    "到月底为止每天10点": (
        "03-04T10:00", "FREQ=DAILY;BYHOUR=10;BYMINUTE=0;UNTIL=20260331T155959Z",
    ),
    "every day until Friday at 9am": (
        "03-05T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20260306T155959Z",
    ),
    "从3月10日到3月20日每天9点": (
        "03-10T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20260320T155959Z",
    ),
    "每天早上8点，持续一周": (
        "03-05T08:00", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20260311T155959Z",
    ),
    "连续三天晚上8点": (
        "03-04T20:00", "FREQ=DAILY;BYHOUR=20;BYMINUTE=0;UNTIL=20260306T155959Z",
    ),
    "未来三天每天早上8点": (
        "03-05T08:00", "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20260307T155959Z",
    ),
    "每30分钟，直到下午6点": ("03-04T10:00", "FREQ=MINUTELY;INTERVAL=30;UNTIL=20260304T100000Z"),
    "每早7点半": ("03-05T07:30", "FREQ=DAILY;BYHOUR=7;BYMINUTE=30"),
    "每晚9点和10点": ("03-04T21:00", "FREQ=DAILY;BYHOUR=21,22;BYMINUTE=0"),
    "每天早上9点和3点": ("03-04T15:00", "FREQ=DAILY;BYHOUR=9,15;BYMINUTE=0"),
    "每天早晚8点": ("03-04T20:00", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
    "every morning at 7": ("03-05T07:00", "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"),
    "every night at 10": ("03-04T22:00", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0"),
    "every other evening at 8": ("03-04T20:00", "FREQ=DAILY;INTERVAL=2;BYHOUR=20;BYMINUTE=0"),
    "双周周五9点": ("03-06T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=9;BYMINUTE=0"),
    "隔周一早上9点": ("03-09T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
    "隔周一次": ("03-18T09:30", "FREQ=WEEKLY;INTERVAL=2"),
    "双周一早上9点": ("03-09T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
    "每周六日上午10点": ("03-07T10:00", "FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=10;BYMINUTE=0"),
    "每周五、六、日10点": ("03-06T10:00", "FREQ=WEEKLY;BYDAY=FR,SA,SU;BYHOUR=10;BYMINUTE=0"),
    "每天9点到10点": ("03-05T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    "every day from 9 to 10": ("03-05T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    "every day from 9am to 10am": ("03-05T09:00", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"),
    "every month on the last day": ("03-31T09:30", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    "monthly on the second Tuesday at 9am": (
        "03-10T09:00", "FREQ=MONTHLY;BYDAY=2TU;BYHOUR=9;BYMINUTE=0",
    ),
    "quarterly": ("06-04T09:30", "FREQ=MONTHLY;INTERVAL=3"),
    "every 15th at 9": ("03-15T09:00", "FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=9;BYMINUTE=0"),
    "every 1st of the month": ("04-01T09:30", "FREQ=MONTHLY;BYMONTHDAY=1"),
    "every last day of the month": ("03-31T09:30", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    "every Christmas at 9am": (
        "12-25T09:00", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25;BYHOUR=9;BYMINUTE=0",
    ),
    "每天早8点晚8点": ("03-04T20:00", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
    "每天8点12点18点": ("03-04T12:00", "FREQ=DAILY;BYHOUR=8,12,18;BYMINUTE=0"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), REPEATS.items(), ids=list(REPEATS))
def test_a_recurrence(text: str, expected: tuple[str, str]) -> None:
    phrase = only(text)
    assert [(short(when.start), when.rule) for when in phrase.readings] == [expected]
    assert phrase.settled


ASKED = {
    "周三": ["03-04T00:00", "03-11T00:00"],
    "next Friday": ["03-06T00:00", "03-13T00:00"],
    "3/5/2026": ["03-05T00:00", "05-03T00:00"],
    "周五3月5号": ["03-05T00:00", "03-06T00:00"],
    "今天9点": ["03-04T21:00", "03-05T09:00"],
    "中午10点": [],
    "4月31日": [],
    "第二天上午": [],
    "每年清明": [],
    "每隔两天": ["03-06T09:30", "03-07T09:30"],
    "几天后": ["03-07T09:30"],
    "纽约时间明天上午9点": ["03-05T22:00", "03-04T22:00"],
    "every Monday at 8pm New York time": ["03-10T09:00"],
    "每月1号晚上12点": [],
    "every day at 9am until yesterday": [],
    "in a few days": ["03-07T09:30"],
}


@pytest.mark.parametrize(("text", "expected"), ASKED.items(), ids=list(ASKED))
def test_what_is_not_settled_is_asked_about(text: str, expected: list[str]) -> None:
    phrase = only(text)
    assert [short(when.start) for when in phrase.readings] == expected
    assert not phrase.settled


@pytest.mark.parametrize(
    ("text", "said", "days"),
    [
        ("next Monday", date(2026, 3, 8), ["03-09", "03-16"]),
        ("next Monday", date(2026, 3, 9), ["03-16"]),
        ("next Monday", date(2026, 3, 10), ["03-16"]),
        ("next Sunday", date(2026, 3, 8), ["03-15"]),
        ("下周一", date(2026, 3, 8), ["03-09"]),
        ("下周一", date(2026, 3, 9), ["03-16"]),
        ("last Friday", date(2026, 3, 8), ["03-06"]),
        ("这周一", date(2026, 3, 8), ["03-02"]),
    ],
)
def test_weeks_start_on_monday_and_next_is_asked_about_near_it(
    text: str, said: date, days: list[str]
) -> None:
    phrase = only(text, NOW.replace(month=said.month, day=said.day))
    assert [short(when.start)[:5] for when in phrase.readings] == days


@pytest.mark.parametrize(
    ("text", "following"),
    [
        ("这周一", "03-09T00:00"),
        ("本月2号", "04-02T00:00"),
        ("the first Monday of the month", "04-06T00:00"),
        ("昨天", ""),
        ("三天前", ""),
        ("last week", ""),
    ],
)
def test_what_is_past_says_so_and_names_the_next_where_it_comes_again(
    text: str, following: str
) -> None:
    phrase = only(text)
    assert "past" in phrase.notes
    assert [short(when.start) for when in phrase.also[:1]] == ([following] if following else [])


def test_working_days_without_a_calendar_are_monday_to_friday_and_say_so() -> None:
    class Nobody:
        def is_workday(self, day: date) -> bool | None:
            return day != date(2026, 3, 5) if day.month == 3 else None

    for text in ("每个工作日早上9点", "3个工作日后", "本月最后一个工作日", "in 2 business days"):
        assert "monday to friday" in only(text).notes
        assert phrases(text, NOW, None, Nobody())[0].notes == ()
    assert "monday to friday" not in only("every weekday at 9").notes
    first = phrases("每个工作日早上9点", NOW, None, Nobody())[0].readings[0]
    assert (short(first.start), first.workdays) == ("03-06T09:00", True)


def test_a_recurrence_on_a_day_that_months_lack_says_so() -> None:
    assert only("每月31号").notes == ("short months",)


def test_a_bound_is_told_from_the_time_itself() -> None:
    assert only("周五之前交报告").bound == "before"
    assert only("after 5pm").bound == "after"
    assert only("明天3点前提醒我").bound == only("明天3点前提交").bound == "before"
    assert only("周五").bound == ""


def test_times_that_go_on_from_a_day_are_of_that_day() -> None:
    found = phrases("明天下午3点和5点", NOW)
    assert [short(one.readings[0].start) for one in found] == ["03-05T15:00", "03-05T17:00"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("周二和周四上午九点", ["03-10T09:00", "03-05T09:00"]),
        ("下周二和周四9点", ["03-10T09:00", "03-12T09:00"]),
        ("下周二、周四和周五9点", ["03-10T09:00", "03-12T09:00", "03-13T09:00"]),
        ("下下周二和周五9点", ["03-17T09:00", "03-20T09:00"]),
        ("下周五和周一9点", ["03-13T09:00", "03-09T09:00"]),
        ("next week Tuesday and Friday at 9am", ["03-10T09:00", "03-13T09:00"]),
        ("3月10号和3月12号9点", ["03-10T09:00", "03-12T09:00"]),
        ("tomorrow and Friday at 9am", ["03-05T09:00", "03-06T09:00"]),
        ("明天交报告，周五9点开会", ["03-05T00:00", "03-06T09:00"]),
    ],
)
def test_days_that_share_a_clock_time_each_have_it(text: str, expected: list[str]) -> None:
    assert [short(one.readings[0].start) for one in phrases(text, NOW)] == expected


def test_a_range_has_ends_that_stand_in_the_text() -> None:
    habit = "every weekday from 6:00 AM to 6:00 PM"
    assert [habit[one.start : one.end] for one in ends(habit, NOW)][1] == "6:00 PM"
    text = "会议是明天9点到11点"
    assert [text[one.start : one.end] for one in ends(text, NOW)] == ["明天9点", "11点"]


@pytest.mark.parametrize(
    ("text", "days"),
    [("每天", 7), ("周一到周五", 5), ("every Tuesday", 1), ("Monday", 0), ("Friday to Monday", 4)],
)
def test_weekdays_of_habits_and_ranges(text: str, days: int) -> None:
    assert sum(len(one.weekdays) for one in weekly(text)) == days


@pytest.mark.parametrize(
    ("now", "text", "expected"),
    [
        ("2026-03-07T12:00:00-05:00", "tomorrow at 2:30 am", "2026-03-08T03:30:00-04:00"),
        ("2026-10-31T12:00:00-04:00", "tomorrow at 1:30 am", "2026-11-01T01:30:00-04:00"),
        ("2026-11-01T01:40:00-04:00", "in 30 minutes", "2026-11-01T01:10:00-05:00"),
    ],
)
def test_a_time_in_a_gap_or_fold_is_read_as_documented(now: str, text: str, expected: str) -> None:
    there = datetime.fromisoformat(now).astimezone(ZoneInfo("America/New_York"))
    assert only(text, there).readings[0].start.isoformat() == expected


@pytest.mark.parametrize(
    "text",
    [
        "You may ask me", "He sat at the table", "the sun is bright", "a second opinion",
        "there are two to four people", "at 5 percent", "转账500元", "前面有个人", "天气不错",
        "每个人", "三个人", "第一时间回复", "早上好", "good morning", "一起吃午饭", "10号楼",
        "version 3.2.1", "call 010-12345678", "1/2 of it", "order A12-2030-9", "生日快乐",
        "周到的服务", "a 5m rope", "in 30 m", "half past",
    ],
)  # fmt: skip
def test_words_that_name_no_time(text: str) -> None:
    assert phrases(text, NOW) == ()
