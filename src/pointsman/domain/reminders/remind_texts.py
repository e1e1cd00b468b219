"""What people read of reminders: instants, rules in words, and the questions about both.

What a question lists can be read back by ``remind_times``: that is how an answer is understood.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from pointsman.domain.agent import Language
from pointsman.domain.reminders.remind_times import Doubt, Remark, Why
from pointsman.domain.schedule import Schedule

_WEEKDAYS = {
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
}
_FULL = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {
    "MINUTELY": ("分钟", "minute"),
    "HOURLY": ("小时", "hour"),
    "DAILY": ("天", "day"),
    "WEEKLY": ("周", "week"),
    "MONTHLY": ("个月", "month"),
    "YEARLY": ("年", "year"),
}
_NTH: dict[Language, dict[int, str]] = {
    "zh": {-1: "最后一个", 1: "第一个", 2: "第二个", 3: "第三个", 4: "第四个", 5: "第五个"},
    "en": {-1: "last", 1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"},
}
_KNOWN = frozenset("FREQ INTERVAL BYDAY BYMONTHDAY BYMONTH BYHOUR BYMINUTE BYSETPOS WKST".split())
_NTH_DAY = re.compile(r"(?P<nth>[+-]?\d)?(?P<day>[A-Z]{2})")

_UNTIL = re.compile(r";UNTIL=(\d{8}T\d{6}Z)")

_QUESTIONS: dict[Why, dict[Language, str]] = {
    "none": {
        "zh": "请问什么时候提醒？例如：明天下午3点、每个工作日9点、半小时后。",
        "en": "When shall I remind you? For example: tomorrow at 3 pm, every weekday at 9, "
        "in half an hour.",
    },
    "which": {"zh": "“{words}”指的是哪个时间？", "en": "Which time is “{words}”?"},
    "differs": {
        "zh": "“{words}”有两种理解，是哪个时间？",
        "en": "I can read “{words}” in two ways; which time is it?",
    },
    "clock": {"zh": "{day}几点提醒？", "en": "At what time{day}?"},
    "passed": {
        "zh": "“{words}”已经过去了，请问改到什么时候？",
        "en": "“{words}” has passed; when shall it be instead?",
    },
    "impossible": {
        "zh": "没有“{words}”这个时间，请问什么时候提醒？",
        "en": "There is no such time as “{words}”; when shall I remind you?",
    },
    "bound": {
        "zh": "“{words}”只说了期限，请问具体什么时候提醒？",
        "en": "“{words}” is only a limit; when exactly shall I remind you?",
    },
    "vague": {
        "zh": "“{words}”不够具体，请问准确时间是什么？",
        "en": "“{words}” is not exact; what is the exact time?",
    },
    "daily": {
        "zh": "“{words}”只提醒一次，还是每天都提醒？",
        "en": "Is “{words}” once, or every day?",
    },
    "except": {
        "zh": "“{words}”这样的例外记不下来，请问具体在哪些时候提醒？"
        "例如“周一到周四9点”，或“每个工作日9点”（不含法定节假日）。",
        "en": "I cannot keep the exception “{words}”. When shall it come instead? For example "
        "“Monday to Thursday at 9”, or “every working day at 9”, which leaves out public holidays.",
    },
    "rule": {
        "zh": "“{words}”这条规则无法执行（{detail}），请问什么时候提醒？",
        "en": "The rule “{words}” cannot be followed ({detail}); when shall it be?",
    },
}
_PICK: dict[Language, str] = {
    "zh": "（回复序号或准确时间）",
    "en": "(reply with its number, or the exact time)",
}
_REMARKS: dict[Remark, dict[Language, str]] = {
    "short months": {
        "zh": "没有这一天的月份，在当月最后一天提醒",
        "en": "in months without that day, on their last day",
    },
    "monday to friday": {
        "zh": "节假日安排未知的日子，按周一至周五算工作日",
        "en": "where holidays are not known, Monday to Friday count as working days",
    },
    "earlier of two": {"zh": "取其中较早的时间", "en": "the earlier of the times is taken"},
}


def instant(at: datetime, language: Language) -> str:
    """An instant in its own zone, to the minute, with the weekday: people check dates by it."""
    clock = f"{at:%H:%M}"
    weekday = _WEEKDAYS[language][at.weekday()]
    if language == "zh":
        return f"{at.year}年{at.month}月{at.day}日 {weekday} {clock}"
    return f"{weekday}, {at.day} {_MONTHS[at.month - 1]} {at.year}, {clock}"


def day(at: datetime, language: Language) -> str:
    """The day of an instant."""
    return instant(at, language).rpartition(" ")[0].rstrip(",")


def told(schedule: Schedule, language: Language) -> str:
    """When it is due: the instant, or the rule in words."""
    return instant(schedule.start, language) if not schedule.rule else rule(schedule, language)


def rule(schedule: Schedule, language: Language) -> str:
    """A rule in words; one that is too odd for words is quoted."""
    if ends := set(_UNTIL.findall(schedule.rule)):
        endless = replace(schedule, rule=_UNTIL.sub("", schedule.rule))
        whole = rule(endless, language)
        if len(ends) == 1 and endless.rule not in whole:
            return whole + _end(ends.pop(), schedule, language)
    lines = schedule.rule.strip().splitlines()
    words = [_line(line, schedule, language) for line in lines]
    if len(lines) > 1 and None not in words:
        joint = "、" if language == "zh" else " and "
        return joint.join(dict.fromkeys(filter(None, words)))
    if words[0] is not None and len(lines) == 1:
        return words[0]
    cron = "=" not in schedule.rule
    if language == "zh":
        return f"按 cron “{schedule.rule}”" if cron else f"按规则 {schedule.rule}"
    return f"by cron “{schedule.rule}”" if cron else f"by the rule {schedule.rule}"


def _end(until: str, schedule: Schedule, language: Language) -> str:
    """The last day, and the time for what comes within a day."""
    at = datetime.strptime(until, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    at = at.astimezone(schedule.start.tzinfo)
    told = day(at, language) if (at.hour, at.minute) == (23, 59) else instant(at, language)
    return f"，到{told}为止" if language == "zh" else f", until {told}"


def _line(text: str, schedule: Schedule, language: Language) -> str | None:
    parts = dict(
        part.split("=", 1) for part in text.removeprefix("RRULE:").split(";") if "=" in part
    )
    if not parts or parts.keys() - _KNOWN:
        return None
    step = int(parts.get("INTERVAL", "1"))
    days = _days(parts, schedule, language)
    if days is None:
        return None
    every = _every(parts["FREQ"], step, language)
    clocks = _clocks(parts, schedule, language)
    if language == "zh":
        if days and step == 1:
            return f"{days} {clocks}".strip()
        between = "" if clocks.startswith("，") else " "
        return f"{every}{days}{between}{clocks}"
    head = days if days and step == 1 else f"{every}, {days}" if days else every
    return f"{head} {clocks}".strip()


def _every(frequency: str, step: int, language: Language) -> str:
    zh, en = _UNITS[frequency]
    if language == "zh":
        return f"每{zh.removeprefix('个')}" if step == 1 else f"每{step}{zh}"
    return f"every {en}" if step == 1 else f"every {step} {en}s"


def _days(parts: dict[str, str], schedule: Schedule, language: Language) -> str | None:
    """On which days; empty for each of the frequency, None when there are no words."""
    zh = language == "zh"
    plain = parts.get("BYDAY") == "MO,TU,WE,TH,FR"
    if parts.get("BYSETPOS"):
        if not plain or parts["FREQ"] != "MONTHLY" or parts["BYSETPOS"] not in ("1", "-1"):
            return None
        nth = _NTH[language][int(parts["BYSETPOS"])]
        return f"每月{nth}工作日" if zh else f"the {nth} working day of every month"
    if plain and schedule.workdays:
        return "每个工作日" if zh else "every working day"
    if plain and parts["FREQ"] == "WEEKLY" and parts.get("INTERVAL", "1") == "1":
        return "每周一至周五" if zh else "every weekday, Monday to Friday,"
    if "BYMONTHDAY" in parts:
        return _monthday(parts, language)
    if "BYDAY" in parts:
        return _weekdays(parts, language)
    if "BYMONTH" in parts:
        return None
    return ""


def _monthday(parts: dict[str, str], language: Language) -> str | None:
    if "," in parts.get("BYMONTH", "") or "BYDAY" in parts:
        return None
    numbers = [int(one) for one in parts["BYMONTHDAY"].split(",")]
    if len(numbers) > 1:
        return _several_monthdays(numbers, language) if "BYMONTH" not in parts else None
    number = numbers[0]
    if "BYMONTH" in parts:
        month = int(parts["BYMONTH"])
        if number < 1:
            return None
        return (
            f"每年{month}月{number}日"
            if language == "zh"
            else f"every {number} {_MONTHS[month - 1]}"
        )
    if number not in (-1, *range(1, 32)):
        return None
    if language == "zh":
        return "每月最后一天" if number < 0 else f"每月{number}日"
    return "the last day of every month" if number < 0 else f"every month on the {_ordinal(number)}"


def _several_monthdays(numbers: Sequence[int], language: Language) -> str | None:
    if not all(0 < number <= 31 for number in numbers):
        return None
    if language == "zh":
        return "每月" + "、".join(f"{number}日" for number in numbers)
    *others, last = map(_ordinal, numbers)
    return f"every month on the {', '.join(others)} and {last}"


def _weekdays(parts: dict[str, str], language: Language) -> str | None:
    found = [_NTH_DAY.fullmatch(one) for one in parts["BYDAY"].split(",")]
    if any(one is None for one in found) or "BYMONTH" in parts:
        return None
    read = [(int(one["nth"] or 0), _CODES.index(one["day"])) for one in found if one]
    nths = {nth for nth, _ in read}
    if nths == {0} and parts["FREQ"] in ("WEEKLY", "DAILY"):
        if language == "zh":
            names = "、".join(_WEEKDAYS["zh"][weekday] for _, weekday in read)
            return f"每{names}" if parts.get("INTERVAL", "1") == "1" else names
        names = " and ".join(_FULL[weekday] for _, weekday in read)
        return f"every {names}" if parts.get("INTERVAL", "1") == "1" else f"on {names}"
    if len(read) == 1 and parts["FREQ"] == "MONTHLY" and read[0][0] in _NTH[language]:
        nth, weekday = _NTH[language][read[0][0]], read[0][1]
        if language == "zh":
            return f"每月{nth}{_WEEKDAYS['zh'][weekday]}"
        return f"the {nth} {_FULL[weekday]} of every month"
    return None


def _clocks(parts: dict[str, str], schedule: Schedule, language: Language) -> str:
    start = schedule.start
    if parts["FREQ"] in ("MINUTELY", "HOURLY"):
        since = instant(start, language)
        return f"，从 {since} 起" if language == "zh" else f"from {since} on"
    hours = [int(one) for one in parts.get("BYHOUR", str(start.hour)).split(",")]
    default = "0" if "BYHOUR" in parts else str(start.minute)
    minutes = [int(one) for one in parts.get("BYMINUTE", default).split(",")]
    clocks = [f"{hour:02}:{minute:02}" for hour in hours for minute in minutes]
    return "、".join(clocks) if language == "zh" else f"at {' and '.join(clocks)}"


def _ordinal(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 < number % 100 < 14 else ends.get(number % 10, 'th')}"


def question(doubt: Doubt, language: Language) -> str:
    """What the user is asked, with what his words can mean, one a line."""
    known = day(doubt.day, language) if doubt.day else f"“{doubt.words}”"
    if language == "en":
        known = f" on {known}" if doubt.day else f" for {known}"
    text = _QUESTIONS[doubt.why][language].format(words=doubt.words, day=known, detail=doubt.detail)
    if not doubt.options:
        return text
    lines = [f"{place}. {told(one, language)}" for place, one in enumerate(doubt.options, start=1)]
    return "\n".join((text, *lines, _PICK[language]))


def remarks(found: Sequence[Remark], language: Language) -> str:
    """What must be told with a time, in brackets; empty when there is nothing."""
    listed = [_REMARKS[one][language] for one in found]
    if not listed:
        return ""
    return f"（{'；'.join(listed)}）" if language == "zh" else f" ({'; '.join(listed)})"
