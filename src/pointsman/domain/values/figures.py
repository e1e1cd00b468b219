"""Ids, contacts, dates, clock times and numbers as they stand in a text.

``figures`` takes a text apart into them, each once: what is part of a date is no number. What only
orders the text (list marks, 第一步, "Option 2") is left out, and small counts in words (一个) too.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date
from typing import Literal

from msgspec import Struct

from pointsman.domain.replies.reply_words import pattern
from pointsman.domain.values.numerals import Number, numbers

Kind = Literal["id", "contact", "date", "clock", "number"]


class Figure(Struct, frozen=True, kw_only=True):
    """One figure of a text.

    Attributes:
        text: as it is written.
        value: of a number, as its words say it (20 for 20 %); of a clock time, minutes of the day.
        step: of a number, what its last written digit is worth (0.1 for 3.5, 1000 for 3.5万).
        day: (year or 0, month, day) of a date.
        after, before: a few characters around it.
    """

    kind: Kind
    text: str
    start: int
    value: float = 0.0
    step: float = 1.0
    day: tuple[int, int, int] = (0, 0, 0)
    before: str = ""
    after: str = ""


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:,?\s+(?P<y{0}>(?:19|20)\d\d))?"
_DATE = pattern(
    r"(?<!\d)(?P<y1>(?:19|20)\d\d)\s?[-/.年]\s?(?P<m1>\d{1,2})\s?[-/.月]\s?(?P<d1>\d{1,2})(?!\d)[日号]?",
    r"(?<!\d)(?P<m2>\d{1,2})\s?月\s?(?P<d2>\d{1,2})(?:\s?[日号])?",
    rf"\b{_MONTH.format('n3')}\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:\d){_YEAR.format(3)}",
    rf"(?<![\d.])(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('n4')}\b{_YEAR.format(4)}",
    r"(?<![\d./])(?P<m5>1[0-2]|0?[1-9])/(?P<d5>3[01]|[12]\d|0?[1-9])(?![\d/%])",
)
_PART = "(?P<part>上午|下午|晚上|傍晚|凌晨|早上|中午)?"
_HOUR_12 = "1[0-2]|0?[1-9]"
_CLOCK = re.compile(
    # 14:30, 2:30 pm; not the offset of an ISO instant
    rf"{_PART}\s?(?:(?<![\d.])(?<!\d:)(?<!:\d\d:\d\d[+-])(?<!T\d\d:\d\d[+-])"
    r"(?P<h1>[01]?\d|2[0-4])[:：](?P<min1>[0-5]\d)(?:[:：]\d\d)?(?![\d:])(?:\s?(?P<ap1>[ap])\.?m\b)?"
    # 2 pm, and the 2 of "2 to 4 pm"
    rf"|(?<![\d.])(?P<h2>{_HOUR_12})\s?(?P<ap2>[ap])\.?m\b\.?"
    rf"|(?<![\d.])(?P<h4>{_HOUR_12})"
    rf"(?=\s?(?:[-–—~]|to|and|until)\s?(?:{_HOUR_12})\s?(?P<ap4>[ap])\.?m\b)"
    # 3点半, 17时28分
    r"|(?<![\d.])(?P<h3>[01]?\d|2[0-4])\s?(?:点钟?|时(?![长间候效区段]))"
    r"(?:(?P<min3>[0-5]?\d)分?|(?P<half>半)|(?P<quarter>一刻))?)",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://[^\s<>()（）\"'，。；、]+"
    r"|(?<![\w.-])(?:[\w-]+\.)+(?:com|cn|org|net|io|gov|edu)\b(?:/[^\s<>()（），。；]*)?",
    re.ASCII | re.IGNORECASE,
)
_LONG = re.compile(r"(?<![\w+/=.-])[\w+/=.-]{200,}", re.ASCII)
"""One figure by its length: a key, an encoded file. The other patterns would try every place of it,
and each of these up to its end."""
_ID = re.compile(
    r"(?<![A-Za-z0-9_.@$¥€£-])(?<!\d,)(?:"
    r"(?=(?:[A-Za-z_-]*\d){3})[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*"
    r"|\d+[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*"
    r"|\+?\d{2,4}(?:[-\s]\d{3,4}){1,3}(?!\d)|\d+(?:[-_]\d+){2,}|\d{6,}"
    r")(?![A-Za-z0-9_-]|[.,]\d)"
)
"""Letters with at least three digits, grouped digits, six digits and more."""
_COMMON = pattern(
    r"(?:iso|rfc|http|utf|gb|ieee|sha|md|aes|gpt|cve|base|win|python|x)[-_]?\d+",
    r"\d+(?:st|nd|rd|th|px|ms|[kmgt]b|kg|km|cm|mm|ml|mins?|hrs?|days?|[kmwhdsgtlvxp])",
)
_MARK = pattern(
    r"(?:^|(?<=[\n：:；;])|(?<=[.:;] ))[ \t]*(?:[-*#>]+[ \t]*)?(?:\*\*)?[（(]?\d{1,2}"
    r"(?:[.、)）:：]|\.\s)(?!\d)",
    r"[①-⑳]|第\s?(?:\d{1,3}|[一二三四五六七八九十]+)(?=[步条项个点次种位名轮页章天周类部])",
    r"(?:步骤|方案|选项|方法|情况|注|附件|图|表)\s?\d{1,2}(?!\d)",
    r"\b(?:step|option|method|part|case|section|note|figure|table|line|page)\s?\d{1,2}\b",
    r"24\s?小时(?!内)|7\s?[*x×]\s?24(?:小时)?|24/7|百分之?百|100\s?%|365\s?天",
    r"\b(?:gpt|mp|covid|web|[a-z])-?\d{1,2}\b|(?<![\d.])[1-9][gdk]\b",
)
"""What orders a text or only sounds like a number."""
_MEASURE = pattern(
    r"\s?(?:元|块|美元|欧元|人民币|万|千|亿|%|°|度|℃|公里|千米|米|厘米|毫米|公斤|千克|克|斤|吨|升|毫升|小时|分钟)",
    r"\s?(?:分|秒|天|日|周|星期|个?月|年|岁|级|折|倍|个?工作日|个?小时)",
    r"\s?(?:yuan|rmb|cny|usd|dollars?|euros?|eur|pounds?|cents?|percent|degrees?|km|kilomet|met(?:er|re)s?\b"
    r"|miles?|kg|kilos?|grams?|hours?|hrs?|minutes?|mins?|seconds?"
    r"|(?:(?:business|working) )?days?|weeks?|months?|years?|times)",
)
_MONEY_BEFORE = pattern(r"(?:[$¥￥€£]|rmb|cny|usd)\s?$")


def normal(text: str) -> str:
    """Width made the same, length too."""
    if text.isascii():
        return text
    return "".join(
        plain if len(plain := unicodedata.normalize("NFKC", one)) == 1 else one for one in text
    )


def figures(text: str) -> tuple[Figure, ...]:
    """Every figure of the text, in order of kind."""
    text = normal(text)
    found: list[Figure] = []
    rest = text
    for shape, read in _READERS:
        kept, end = [], 0
        for match in shape.finditer(rest):
            figure = read(match)
            if figure is None:
                continue
            if isinstance(figure, Figure):
                found.append(figure)
            kept += [rest[end : match.start()], "\x00" * len(match[0])]
            end = match.end()
        rest = "".join([*kept, rest[end:]]) if kept else rest
    found += _numbers(rest)
    return tuple(found)


def _contact(match: re.Match[str]) -> Figure:
    return Figure(kind="contact", text=match[0].rstrip(".,"), start=match.start())


def _long(match: re.Match[str]) -> Figure | bool:
    return _id(match) or True


def _id(match: re.Match[str]) -> Figure | None:
    if _COMMON.fullmatch(match[0]) or sum(c.isdigit() for c in match[0]) < 3:
        return None
    return Figure(kind="id", text=match[0], start=match.start())


def _date(match: re.Match[str]) -> Figure | None:
    for n in "12345":
        groups = match.groupdict()
        if groups.get(f"d{n}") is None:
            continue
        named = groups.get(f"n{n}")
        month = _MONTHS.index(named[:3].lower()) + 1 if named else int(groups[f"m{n}"] or 0)
        year, day = int(groups.get(f"y{n}") or 0), int(groups[f"d{n}"] or 0)
        try:
            date(year or 2000, month, day)
        except ValueError:
            return None
        return Figure(kind="date", text=match[0], start=match.start(), day=(year, month, day))
    return None


def _clock(match: re.Match[str]) -> Figure:
    groups = match.groupdict()
    hour = int(groups["h1"] or groups["h2"] or groups["h3"] or groups["h4"])
    minute = int(groups["min1"] or groups["min3"] or 0)
    minute = 30 if groups["half"] else 15 if groups["quarter"] else minute
    mark = (groups["ap1"] or groups["ap2"] or groups["ap4"] or "").lower()
    late = mark == "p" or groups["part"] in ("下午", "晚上", "傍晚")
    if late and hour < 12:
        hour += 12
    elif mark == "a" and hour == 12:
        hour = 0
    return Figure(
        kind="clock", text=match[0].strip(), start=match.start(), value=hour * 60 + minute
    )


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Figure | bool | None]], ...] = (
    (_CONTACT, _contact),
    (_LONG, _long),
    (_DATE, _date),
    (_CLOCK, _clock),
    (_MARK, bool),
    (_ID, _id),
)
"""In this order, each with what its matches are: True is nothing, but used up; None is left."""


def _numbers(text: str) -> Iterator[Figure]:
    for number in numbers(text):
        written, after = text[number.start : number.end], text[number.end : number.end + 14]
        before = text[max(number.start - 14, 0) : number.start]
        figure = Figure(
            kind="number",
            text=written.strip(),
            start=number.start,
            value=number.value,
            step=_step(written, number),
            before=before,
            after=after,
        )
        if number.form != "numeral" or not _says_little(figure):
            yield figure


def _says_little(figure: Figure) -> bool:
    """一个, 两种, "one of", "first": counting words that claim nothing."""
    return figure.value <= 1 or (figure.value <= 10 and not measured(figure))


def measured(figure: Figure) -> bool:
    """Whether a unit or currency stands beside a number."""
    money = figure.text[:1] in "$¥€£" or _MONEY_BEFORE.search(figure.before)
    return bool(money or _MEASURE.match(figure.after))


def _step(written: str, number: Number) -> float:
    digits = re.match(r"[^\d]*([\d,]+)(?:\.(\d+))?", written)
    if digits is None:
        return 1.0
    places = len(digits[2] or "")
    plain = float(digits[1].replace(",", "") + "." + (digits[2] or "0"))
    scale = abs(number.value) / plain if plain else 1.0
    return max(scale, 1e-9) * 10.0**-places
