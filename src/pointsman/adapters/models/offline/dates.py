"""Days in a user's words, Chinese and English, relative to a given today.

This reads days only, deterministically, for the offline model. A day without a year is the next
one to come; a bare weekday is the nearest one from today on; weeks start on Monday, so 下周一 said
on a Sunday is the day after. A day that does not exist (2月30日) is found and has no date: it must
be asked about, not guessed.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta

from msgspec import Struct

from pointsman.domain.agent import Language

WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
MAX_DAYS = 7
"""Days that "the next so many days" means at most."""
NUMERAL = r"(?:\d+|[零〇一二三四五六七八九十百千万两]+)"
_EN_NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"a": 1, "an": 1}


class FoundDate(Struct, frozen=True):
    """A day found in a text; ``day`` is None when there is no such day. Several days may stand in
    the same words ("the next three days")."""

    day: date | None
    start: int
    end: int


def numeral(text: str) -> int | None:
    """The whole number that digits, a Chinese numeral or a small English word write."""
    text = text.strip().lower()
    if text.isdecimal():
        return int(text)
    if text in _EN_NUMBERS:
        return _EN_NUMBERS[text]
    if not text or any(c not in _DIGITS and c not in _UNITS for c in text):
        return None
    if all(c in _DIGITS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total = section = digit = 0
    for c in text:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section += (digit or 1) * _UNITS[c]
            digit = 0
    return total + section + digit


def write_date(day: date, pattern: str) -> str:
    """The day by a pattern of ``%Y``, ``%m`` and ``%d``; the rest stays as it is in any locale."""
    for code, number, width in (("%Y", day.year, 4), ("%m", day.month, 2), ("%d", day.day, 2)):
        pattern = pattern.replace(code, f"{number:0{width}d}")
    return pattern


def read_written_date(text: str) -> date | None:
    """The day of ``2026-03-01``, ``2026/3/1`` or ``2026年3月1日``; a time may follow."""
    found = _FULL.match(text.strip())
    return _exact(*map(int, found.groups())) if found else None


def _exact(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _coming(month: int, day: int, today: date) -> date | None:
    """This year's day, or a later year's when it has passed; 29 February may be years away."""
    for year in range(today.year, min(today.year + 9, date.max.year)):
        found = _exact(year, month, day)
        if found and found >= today:
            return found
    return None


def _shift(today: date, days: int) -> date | None:
    try:
        return today + timedelta(days=days)
    except OverflowError:
        return None


def _weekday_index(text: str) -> int:
    text = text.lower()
    if text[0] in "日天":
        return 6
    if text[0] in "一二三四五六":
        return "一二三四五六".index(text[0])
    return next(i for i, name in enumerate(WEEKDAYS["en"]) if name.lower().startswith(text[:3]))


def _in_week(weeks: int, weekday: int, today: date) -> date | None:
    return _shift(today, weeks * 7 + weekday - today.weekday())


def _zh_weekday(found: re.Match[str], today: date) -> date | None:
    prefix, weekday = found["prefix"] or "", _weekday_index(found["day"])
    if prefix in ("这", "本", "这个", "本个"):
        return _in_week(0, weekday, today)
    if prefix.startswith("下"):
        return _in_week(prefix.count("下"), weekday, today)
    if prefix.startswith("上"):
        return _in_week(-prefix.count("上"), weekday, today)
    return _shift(today, (weekday - today.weekday()) % 7)


def _en_weekday(found: re.Match[str], today: date) -> date | None:
    prefix, weekday = (found["prefix"] or "").lower(), _weekday_index(found["day"])
    if prefix == "next":
        return _in_week(1, weekday, today)
    if prefix == "last":
        return _in_week(-1, weekday, today)
    return _shift(today, (weekday - today.weekday()) % 7)


def _month_day(found: re.Match[str], today: date) -> date | None:
    month, day = numeral(found["month"]), numeral(found["day"])
    return _coming(month, day, today) if month and day else None


def _en_month_day(found: re.Match[str], today: date) -> date | None:
    month, day = _MONTHS.index(found["month"].lower()[:3]) + 1, int(found["day"])
    return _exact(int(found["year"]), month, day) if found["year"] else _coming(month, day, today)


def _days_from_now(found: re.Match[str], today: date) -> date | None:
    count = numeral(found["count"])
    if count is None:
        return None
    per = 7 if found["unit"].lower() in ("周", "星期", "个星期", "week", "weeks") else 1
    return _shift(today, count * per)


def _next_days(found: re.Match[str], today: date) -> list[date | None]:
    count = 3 if found["count"] == "几" else numeral(found["count"]) or 0
    first = 0 if found["first"].startswith("这") else 1
    return [_shift(today, first + day) for day in range(min(count, MAX_DAYS))]


def _weekend(found: re.Match[str], today: date) -> list[date | None]:
    saturday = (5 - today.weekday()) % 7 if today.weekday() != 6 else -1
    days = [_shift(today, saturday), _shift(today, saturday + 1)]
    return [day for day in days if day is None or day >= today]


def _relative(days: int) -> Callable[[re.Match[str], date], date | None]:
    return lambda found, today: _shift(today, days)


_FULL = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_EN_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_EN_YEAR = r"(?:,?\s+(?P<year>\d{4}))?"
_EN_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_EN_WEEKDAY = (
    r"(?P<day>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?"
    r"|saturday|sunday)"
)

_Read = Callable[[re.Match[str], date], date | list[date | None] | None]
_PHRASES: tuple[tuple[str, _Read], ...] = (
    (_FULL.pattern + "[日号]?", lambda found, today: _exact(*map(int, found.groups()[:3]))),
    (rf"(?P<month>{NUMERAL})\s*月\s*(?P<day>{NUMERAL})\s*[日号]", _month_day),
    (rf"\b{_EN_MONTH}\s+{_EN_DAY}\b{_EN_YEAR}", _en_month_day),
    (rf"\b{_EN_DAY}\s+(?:of\s+)?{_EN_MONTH}\b{_EN_YEAR}", _en_month_day),
    (r"大后天", _relative(3)),
    (r"大前天", _relative(-3)),
    (r"后[天日]", _relative(2)),
    (r"前[天日]", _relative(-2)),
    (r"明[天日早晚]|\b(?:tomorrow|tommorr?ow|tomorow|tmrw?)\b", _relative(1)),
    (r"昨[天日晚]|\byesterday\b", _relative(-1)),
    (r"今[天日早晚]|\btoday\b|\btonight\b", _relative(0)),
    (r"\b(?:the\s+)?day\s+after\s+tomorrow\b", _relative(2)),
    (r"\b(?:the\s+)?day\s+before\s+yesterday\b", _relative(-2)),
    (rf"(?P<count>{NUMERAL})\s*(?P<unit>天|日|个星期|星期|周)(?:之后|以后|后)", _days_from_now),
    (r"\bin\s+(?P<count>\d+|an?|[a-z]+)\s+(?P<unit>days?|weeks?)\b", _days_from_now),
    (
        r"(?P<prefix>这个?|本|下{1,2}个?|上{1,2}个?)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])",
        _zh_weekday,
    ),
    (rf"\b(?:(?P<prefix>next|last|this|on)\s+)?{_EN_WEEKDAY}\b", _en_weekday),
    (r"(?:这个?|本)?周末|\b(?:(?:this|the|on)\s+)*weekend\b", _weekend),
    (rf"(?P<first>未来|接下来|今后|往后|这)的?(?P<count>{NUMERAL}|几)\s*天", _next_days),
    (r"\b(?P<first>next|coming|following)\s+(?P<count>\d+|[a-z]+)\s+days\b", _next_days),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in _PHRASES)


def find_dates(text: str, today: date) -> list[FoundDate]:
    """Every day that the text names, in the order of the text; longer phrases win over shorter."""
    matches = [(match, read) for pattern, read in _COMPILED for match in pattern.finditer(text)]
    matches.sort(key=lambda item: (item[0].start() - item[0].end(), item[0].start()))
    kept: list[FoundDate] = []
    for match, read in matches:
        start, end = match.span()
        if all(end <= other.start or start >= other.end for other in kept):
            days = read(match, today)
            listed = days if isinstance(days, list) else [days]
            kept += [FoundDate(day, start, end) for day in listed]
    return sorted(kept, key=lambda item: item.start)
