"""Days, weeks, months and years in words, Chinese and English, before a clock time is added.

Weeks start on Monday: 下周一 said on a Sunday is the next day. A day without its year is the next
one to come, and this year's is allowed too when it has passed. A day that does not exist (2月30日)
is found and has no reading.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from msgspec import Struct

from pointsman.domain.day_arithmetic import (
    Days,
    around,
    exact_day,
    month_day,
    month_shift,
    month_span,
    one,
    week,
    weekday,
    weekday_index,
    yearless,
    years,
)
from pointsman.domain.numerals import CHINESE_DIGITS, english_number, whole_number


class FoundDays(Struct, frozen=True):
    """Days in words and where they stand."""

    days: Days
    start: int
    end: int


_N = rf"(?:\d{{1,4}}|[{CHINESE_DIGITS[:12]}两]{{1,4}})"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
WEEKDAY = (
    r"(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d|:\d|\s*(?:am|pm)\b)"
_YEAR = r"(?:,?\s*(?:of\s+)?(?P<year>\d{4})(?!\d))"
_ZH_YEARS = {"今年": 0, "本年": 0, "明年": 1, "后年": 2, "去年": -1, "前年": -2}
_WORDS = {
    "今天 今日 今儿 当天 today": 0,
    "明天 明日 明儿 tomorrow": 1,
    "后天 后日": 2,
    "大后天": 3,
    "昨天 昨日 昨儿 yesterday": -1,
    "前天 前日": -2,
    "大前天": -3,
}
_SHIFT = {word: days for words, days in _WORDS.items() for word in words.split()}
_MERGED = {"今": 0, "明": 1, "昨": -1, "当": 0}


def _number(text: str | None) -> int:
    value = whole_number(text or "")
    return int(value) if value is not None else -1


def _spelled(match: re.Match[str], today: date) -> Days | None:
    year = match["year"]
    if match["relative"]:
        return exact_day(
            today.year + _ZH_YEARS[match["relative"]], _number(match["m"]), _number(match["d"])
        )
    if year:
        return exact_day(_number(year), _number(match["m"]), _number(match["d"]))
    return yearless(_number(match["m"]), _number(match["d"]), today)


def _iso(match: re.Match[str], today: date) -> Days | None:
    return exact_day(int(match["year"]), int(match["m"]), int(match["d"]))


def _slashed(match: re.Match[str], today: date) -> Days | None:
    one_, other, year = int(match["a"]), int(match["b"]), int(match["year"])
    readings = [*exact_day(year, one_, other).options, *exact_day(year, other, one_).options]
    return Days(options=tuple(dict.fromkeys(readings)))


def _zh_week(match: re.Match[str], today: date) -> Days | None:
    prefix = match["prefix"] or ""
    weeks = prefix.count("下") - prefix.count("上")
    if match["day"]:
        named = weeks if prefix else None
        return weekday(today, weekday_index(match["day"]), named)
    return Days(options=(week(today, weeks),), grain="week") if prefix else None


def _month(match: re.Match[str], today: date) -> Days | None:
    found = match.groupdict()
    if prefix := found.get("prefix"):
        base = month_shift(today.replace(day=1), prefix.count("下") - prefix.count("上"))
        return Days(options=(month_span(base.year, base.month),), grain="month")
    month = _number(found["m"]) if found.get("m") else _MONTHS.index(match["month"][:3].lower()) + 1
    if not 1 <= month <= 12:
        return Days(options=())
    if relative := found.get("relative"):
        return Days(options=(month_span(today.year + _ZH_YEARS[relative], month),), grain="month")
    if year := found.get("year"):
        return Days(options=(month_span(_number(year), month),), grain="month")
    ahead = today.year + (month < today.month)
    spans = [month_span(ahead, month), month_span(ahead - 1, month)]
    return Days(options=(spans[0],), also=(spans[1],), grain="month")


def _month_edge(match: re.Match[str], today: date) -> Days | None:
    base = month_shift(
        today, (match["prefix"] or "").count("下") - (match["prefix"] or "").count("上")
    )
    first, after = month_span(base.year, base.month)
    day = first if match["edge"] == "初" else after - timedelta(days=1)
    return Days(options=(one(day),))


def _year_edge(match: re.Match[str], today: date) -> Days | None:
    year = today.year + _ZH_YEARS.get(f"{match['prefix'] or '今'}年", 0)
    return Days(options=(one(date(year, 1, 1) if match["edge"] == "初" else date(year, 12, 31)),))


def _year(match: re.Match[str], today: date) -> Days | None:
    found = match.groupdict()
    if relative := found.get("relative"):
        year = today.year + _ZH_YEARS[relative]
    else:
        year = _number(match["year"])
    return years(year, year) if 1000 <= year <= 2999 else None


def _decade(match: re.Match[str], today: date) -> Days | None:
    if match["decade"]:
        tens = _number(match["decade"])
        base = (_number(match["century"]) - 1) * 100 if match["century"] else 1900
        return years(base + tens % 100, base + tens % 100 + 9)
    return years(int(match["tens"]), int(match["tens"]) + 9)


def _quarter(match: re.Match[str], today: date) -> Days | None:
    number = _number(match["q"] or match["zq"] or match["q2"])
    year = int(match["year"] or match["year2"] or today.year)
    if not 1 <= number <= 4:
        return Days(options=())
    first = date(year, number * 3 - 2, 1)
    return Days(options=((first, month_shift(first, 3)),), grain="span")


def _weekend(match: re.Match[str], today: date) -> Days | None:
    word = match[0].lower()
    weeks = word.count("下") - word.count("上") + ("next" in word) - ("last" in word)
    saturday = week(today, weeks)[0] + timedelta(days=5)
    if weeks == 0 and saturday < today:
        saturday = today
    return Days(options=(one(saturday, week(today, weeks)[1] - timedelta(days=1)),), grain="span")


def _en_day(match: re.Match[str], today: date) -> Days | None:
    month, day = _MONTHS.index(match["month"][:3].lower()) + 1, int(match["day"])
    if match["year"]:
        return exact_day(int(match["year"]), month, day)
    return yearless(month, day, today)


def _en_weekday(match: re.Match[str], today: date) -> Days | None:
    prefix, named = (match["prefix"] or "").lower(), weekday_index(match["weekday"])
    if prefix in ("next", "last", "this"):
        weeks = {"next": 1, "last": -1, "this": 0}[prefix]
        return weekday(today, named, weeks, next_word=prefix == "next")
    return weekday(today, named, None)


_EN_SHIFT = {"next": 1, "coming": 1, "following": 1, "last": -1, "past": -1, "previous": -1}


def _en_period(match: re.Match[str], today: date) -> Days | None:
    shift, unit = _EN_SHIFT.get(match["prefix"].lower(), 0), match["unit"].lower()
    rolling = around(today, shift, 1, unit) if shift else ()
    if unit == "week":
        return Days(options=(week(today, shift),), also=rolling, grain="week")
    if unit == "month":
        base = month_shift(today.replace(day=1), shift)
        return Days(options=(month_span(base.year, base.month),), also=rolling, grain="month")
    if unit == "quarter":
        base = month_shift(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * shift)
        return Days(options=((base, month_shift(base, 3)),), also=rolling, grain="span")
    year = today.year + shift
    return Days(options=((date(year, 1, 1), date(year + 1, 1, 1)),), also=rolling, grain="year")


def _rolling(match: re.Match[str], today: date) -> Days | None:
    word = match["way"].lower()
    sign = -1 if word in ("past", "last", "previous", "过去", "最近", "近") else 1
    text = match["count"]
    count = 3 if text in ("几", "few") else whole_number(text) or english_number(text.lower())
    if count is None or not 0 < count < 1000:
        return None
    if text == "半" or count != int(count):
        spans = around(today, sign, 6, "month") if match["unit"].startswith("年") else ()
    else:
        spans = around(today, sign, int(count), match["unit"].lower().replace("个", ""))
    return Days(options=spans[:1], also=spans[1:], grain="span") if spans else None


def _merged(match: re.Match[str], today: date) -> Days | None:
    shift = _MERGED[match[0][0]]
    return Days(options=(one(today + timedelta(days=shift)),), today=shift == 0)


def _named(match: re.Match[str], today: date) -> Days | None:
    shift = _SHIFT[match[0].lower()]
    return Days(options=(one(today + timedelta(days=shift)),), today=shift == 0)


def _fixed(days: int) -> Callable[[re.Match[str], date], Days | None]:
    return lambda match, today: Days(options=(one(today + timedelta(days=days)),), today=days == 0)


_PREFIX = r"(?P<prefix>这个?|本|上{1,2}个?|下{1,2}个?)"
_RELATIVE = f"(?P<relative>{'|'.join(_ZH_YEARS)})"
_Y = r"(?P<year>\d{4}|[〇零一二三四五六七八九]{4}|(?<!\d)\d{2})年"
_Read = Callable[[re.Match[str], date], Days | None]
_PATTERNS: tuple[tuple[str, _Read], ...] = (
    (
        rf"(?:{_RELATIVE}|{_Y}\s?)?(?P<m>{_N})月(?:份)?\s?(?P<d>{_N})(?:[日号]|(?![\d日号点个]))",
        _spelled,
    ),
    (r"(?<!\d)(?P<year>\d{4})(?P<mark>[-/.])(?P<m>\d{1,2})(?P=mark)(?P<d>\d{1,2})(?!\d)", _iso),
    (
        r"(?<![\dA-Za-z-])(?P<year>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>[0-3]\d)(?![\dA-Za-z])",
        _iso,
    ),
    (
        r"(?<![\d/])(?P<a>\d{1,2})(?P<mark>[/.-])(?P<b>\d{1,2})(?P=mark)(?P<year>\d{4})(?!\d)",
        _slashed,
    ),
    (
        rf"(?:(?P<prefix>这个?|本|上个?|下个?)月)?(?P<d>{_N})(?:号|日(?![元本前均常]))(?!线|楼|院|店|机|码|房)",
        lambda match, today: month_day(
            _number(match["d"]),
            today,
            match["prefix"].count("下") - match["prefix"].count("上") if match["prefix"] else None,
        ),
    ),
    (
        "|".join(word for word in sorted(_SHIFT, key=len, reverse=True) if not word.isascii()),
        _named,
    ),
    (r"\b(?:today|tomorrow|yesterday)\b", _named),
    (r"[今明昨当](?=早|晚|晨|夜)", _merged),
    (r"\btonight\b", _fixed(0)),
    (r"\b(?:the\s+)?day\s+after\s+tomorrow\b", _fixed(2)),
    (r"\b(?:the\s+)?day\s+before\s+yesterday\b", _fixed(-2)),
    (
        rf"{_PREFIX}?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])?(?!末|[一二三四五六日天边围])",
        _zh_week,
    ),
    (rf"{_PREFIX}?(?:周|星期|礼拜)末|\b(?:(?:this|next|last|the)\s+)?weekend\b", _weekend),
    (rf"(?P<prefix>这个?|本|上个?|下个?)月(?!底|末|初|{_N}[日号])", _month),
    (rf"(?:{_RELATIVE}|{_Y}\s?)?(?P<m>{_N})月份?(?!{_N}[日号]|[底末初\d])", _month),
    (r"(?:(?P<prefix>这个?|本|上个?|下个?))?月(?P<edge>底|末|初)", _month_edge),
    (r"(?P<prefix>今|明|去|后)?年(?P<edge>底|末|初)", _year_edge),
    (rf"{_Y}(?!\d)", _year),
    (_RELATIVE, _year),
    (
        r"(?<![\d.,$¥€/-])(?P<year>(?:19|20)\d\d)(?![\d.,/:]\d|\d|[-A-Za-z]|\s?(?:元|usd|users|cal|kcal|%|square|calories|px))",
        _year,
    ),
    (rf"(?:(?P<century>{_N})世纪)?(?P<decade>{_N})年代|\b(?P<tens>1[89]\d0|20\d0)s\b", _decade),
    (
        r"(?<![\w])(?:(?P<year>\d{4})[-\s]?)?(?:Q(?P<q>\d)|第(?P<zq>[一二三四1-4])季度)\b(?:\s+(?P<year2>\d{4}))?|(?P<q2>(?!))",
        _quarter,
    ),
    (rf"\b{MONTH}\s+(?:the\s+)?{_DAY}{_YEAR}?", _en_day),
    (rf"\b{_DAY}\s+(?:day\s+)?(?:of\s+)?{MONTH}\b{_YEAR}?", _en_day),
    (rf"\b{MONTH}(?!\s+\d{{1,2}}(?!\d))\b{_YEAR}?", _month),
    (
        r"\b(?:on\s+)?the\s+(?P<d>\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:of\s+)?[a-z]*(?:floor|street|avenue|time))",
        lambda match, today: month_day(int(match["d"]), today, None),
    ),
    (rf"\b(?:(?P<prefix>next|last|this|on|coming)\s+)?{WEEKDAY}\b", _en_weekday),
    (
        r"\b(?:the\s+)?(?P<prefix>this|next|last|past|previous|coming)\s+(?P<unit>week|month|quarter|year)\b",
        _en_period,
    ),
    (
        r"(?P<way>过去|最近|近|未来|接下来|今后|往后)的?(?P<count>半|几|\d{1,3}|[一二两三四五六七八九十]{1,3})\s?个?(?P<unit>天|日|周|星期|礼拜|月|年)",
        _rolling,
    ),
    (
        r"\b(?:the\s+)?(?P<way>past|last|previous|next|coming|following)\s+(?P<count>few|\d{1,3}|[a-z]+)\s+(?P<unit>days?|weeks?|months?|quarters?|years?)\b",
        _rolling,
    ),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in _PATTERNS)


def days(text: str, today: date) -> Iterator[FoundDays]:
    """Every day, week, month and year that a text names; places may overlap."""
    for pattern, read in _COMPILED:
        for match in pattern.finditer(text):
            try:
                found = read(match, today)
            except (ValueError, OverflowError):
                found = Days(options=())
            if found is not None:
                yield FoundDays(found, *match.span())
