"""Recurrences in words (每周二周四, every weekday, daily) as the fields of an RFC 5545 rule."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from msgspec import Struct

from pointsman.domain.day_arithmetic import weekday_index
from pointsman.domain.days import WEEKDAY
from pointsman.domain.numerals import whole_number

BYDAY = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = (0, 1, 2, 3, 4)
WEEKEND = (5, 6)
_ZH_DAY = "[一二三四五六日天]"
_ZH_WEEKDAY = rf"(?:周|星期|礼拜){_ZH_DAY}"
_EN_LIST = rf"{WEEKDAY.replace('?P<weekday>', '?:')}s?"
_PATTERNS = (
    rf"(?:每个?|逢){_ZH_WEEKDAY}(?:[到至](?:周|星期|礼拜)?{_ZH_DAY}|(?:[、和及与]?(?:每个?)?(?:周|星期|礼拜)?{_ZH_DAY}(?![点时月]))*)",
    rf"\b(?:every|each)\s+{_EN_LIST}(?:\s*(?:,|and|&|to|through|-)\s*(?:every\s+)?{_EN_LIST})*\b",
    rf"\b(?:on\s+)?{_EN_LIST.replace(')s?', ')s')}(?:\s*(?:,|and"
    rf"|&)\s*{_EN_LIST.replace(')s?', ')s')})*\b",
    r"每?(?:一?个)?工作日|\b(?:every|each|on)?\s*(?:weekday|work(?:ing)?\s?day|business\s+day)s?\b",
    r"每个?周末|\b(?:every|each|on)\s+weekends?\b",
    r"每[天日]|天天|每一天|\b(?:every\s?day|daily|each\s+day)\b",
    r"每个?月(?:的)?(?P<monthday>\d{1,2}|[一二三四五六七八九十]{1,3})[号日]|每个?月(?:的)?(?P<last>最后一天|底)"
    r"|\b(?:every|each)\s+month\s+on\s+the\s+(?P<en_monthday>\d{1,2})(?:st|nd|rd|th)?\b",
    r"每个?月|\bmonthly\b|\b(?:every|each)\s+month\b",
    r"每个?(?:周|星期|礼拜)(?![一二三四五六日天末])|\bweekly\b|\b(?:every|each)\s+week\b",
    r"每年|\b(?:yearly|annually|every\s+year|each\s+year)\b",
    r"每隔?(?P<count>\d+|[一二两三四五六七八九十]+|半)?\s?个?(?P<unit>分钟|小时|天)(?!前)"
    r"|\bevery\s+(?P<en_count>\d+)?\s*(?P<en_unit>minutes?|hours?|days?)\b",
)
_COMPILED = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS)
_EN_NAMES = re.compile(rf"\b{WEEKDAY}s?\b", re.IGNORECASE)
_RANGE = re.compile(r"[到至-]|\bto\b|\bthrough\b", re.IGNORECASE)


class Repeat(Struct, frozen=True, kw_only=True):
    """How often, without the time of day.

    Attributes:
        frequency: ``MINUTELY`` to ``YEARLY``.
        weekdays: 0 is Monday.
        monthday: day of the month, -1 the last; 0 for none.
    """

    frequency: str
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    monthday: int = 0

    def rule(self, times: tuple[tuple[int, int], ...]) -> str:
        """The RRULE, with hour and minute of each time of day."""
        parts = [f"FREQ={self.frequency}"]
        if self.interval != 1:
            parts.append(f"INTERVAL={self.interval}")
        if self.weekdays:
            parts.append("BYDAY=" + ",".join(BYDAY[day] for day in self.weekdays))
        if self.monthday:
            parts.append(f"BYMONTHDAY={self.monthday}")
        if times:
            parts.append("BYHOUR=" + ",".join(str(hour) for hour, _ in times))
            parts.append("BYMINUTE=" + ",".join(str(m) for m in dict.fromkeys(m for _, m in times)))
        return ";".join(parts)

    def happens(self, day: date) -> bool:
        """Whether an occasion can fall on the day."""
        if self.weekdays:
            return day.weekday() in self.weekdays
        if self.monthday > 0:
            return day.day == self.monthday
        return (day + timedelta(days=1)).day == 1 if self.monthday < 0 else True


class FoundRepeat(Struct, frozen=True):
    """A recurrence and where it stands."""

    repeat: Repeat
    start: int
    end: int


def repeats(text: str) -> Iterator[FoundRepeat]:
    """Every recurrence in a text; places may overlap."""
    for pattern in _COMPILED:
        for match in pattern.finditer(text):
            repeat = _read(match)
            if repeat is not None:
                lead = len(match[0]) - len(match[0].lstrip())
                yield FoundRepeat(repeat, match.start() + lead, match.end())


def _read(match: re.Match[str]) -> Repeat | None:
    words, found = match[0].lower(), match.groupdict()
    if "工作日" in words or re.search(r"weekday|work|business", words):
        return Repeat(frequency="WEEKLY", weekdays=WORKDAYS)
    if "周末" in words or "weekend" in words:
        return Repeat(frequency="WEEKLY", weekdays=WEEKEND)
    if named := listed_weekdays(words):
        return Repeat(frequency="WEEKLY", weekdays=named)
    if day := found.get("monthday") or found.get("en_monthday"):
        number = whole_number(day)
        return Repeat(frequency="MONTHLY", monthday=int(number)) if number else None
    if found.get("last"):
        return Repeat(frequency="MONTHLY", monthday=-1)
    unit = found.get("unit") or found.get("en_unit")
    if unit:
        return _interval(found.get("count") or found.get("en_count"), unit)
    for marks, frequency in (
        ("月 month", "MONTHLY"),
        ("周 星期 礼拜 week", "WEEKLY"),
        ("年 year annual", "YEARLY"),
    ):
        if any(mark in words for mark in marks.split()):
            return Repeat(frequency=frequency)
    return Repeat(frequency="DAILY")


def _interval(count: str | None, unit: str) -> Repeat | None:
    if count == "半":
        return Repeat(frequency="MINUTELY", interval=30) if unit.startswith("小时") else None
    number = whole_number(count) if count else 1.0
    by = {"分": "MINUTELY", "m": "MINUTELY", "小": "HOURLY", "h": "HOURLY"}.get(unit[0], "DAILY")
    return Repeat(frequency=by, interval=int(number)) if number else None


def listed_weekdays(words: str) -> tuple[int, ...]:
    """The weekdays of a list or a range: 周一到周五, "Monday and Thursday"."""
    names = [found["weekday"] for found in _EN_NAMES.finditer(words)]
    names = names or re.findall(
        rf"(?<=[周期拜]){_ZH_DAY}|(?<=[、和及与到至]){_ZH_DAY}|(?<={_ZH_DAY}){_ZH_DAY}", words
    )
    listed = [weekday_index(name) for name in names]
    if len(listed) == 2 and _RANGE.search(words):
        first, last = listed
        return tuple((first + n) % 7 for n in range((last - first) % 7 + 1))
    return tuple(dict.fromkeys(listed))
