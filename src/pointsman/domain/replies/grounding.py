"""Which figures of a reply something holds: results, the user's words, or arithmetic on them.

Ids and contacts must stand somewhere as they are. Numbers may be rounded, converted to another
unit, counted, added up, or compared; dates may be counted on from today or a date that is held.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from msgspec.structs import replace

from pointsman.domain.replies.holdings import Day, Held, compact
from pointsman.domain.replies.reply_words import pattern
from pointsman.domain.times import ends
from pointsman.domain.values.figures import Figure, measured, normal

_ABOUT = pattern(
    r"(?:约|大概|大约|将近|接近|近|超过|多达|左右|~|≈"
    r"|about|around|roughly|nearly|almost|over|approximately|some|more than)\s?$"
)
_SO = pattern(r"^\s?\w{0,2}(?:左右|上下|多)")
_MANNERS = pattern(
    r"\s?(?:[种步点次项类款句页行段]|方面|部分|个(?:步骤|方法|办法|问题|原因|选择|方案|建议|要点|方面))",
    r"\s?(?:steps?|ways?|options?|points?|things?|tips?|reasons?|questions?|times|parts?)\b",
)
"""What a text counts of its own."""
_THINGS = pattern(
    r"\s?(?:个(?!月|工作日|小时|百分)|人(?!民|均)|[条位份件笔封名张台家单班场列组间])",
    r"\s?(?:items?|results?|records?|orders?|invoices?|tickets?|people|files?|messages?|e-?mails?"
    r"|entries|rows|users?|documents?|tasks?|calls?|attempts?)\b",
)
_ROWS = pattern(
    r"\s?(?:[条笔张单份封班名位场])|\s?(?:records?|results?|rows|orders?|invoices?|tickets?|entries)\b"
)
"""What is counted by the rows of a result."""
_TOTAL = pattern(
    r"(?:共.{0,4}|合计|总计|到|有|剩余?|剩下"
    r"|found|total(?: of)?|are|were|have|has|returned|showing|of|all)\s?$"
)
_ADVICE = pattern("再[试问来看]|重试|稍后|稍等|try again|retry|wait|later")
_SPAN = pattern(r"\s?(?:分钟|小时|个小时|秒|天|min|hour|sec|day)")
_DAYS_LEFT = pattern(r"\s?(?:天|日|days?\b)")
_RANGE = pattern(r"\s?(?:[-–—~～至到]|to|and)\s?[\d.,]+")
_RECKONED = pattern(
    "共|合计|总|相差|温差|差[了价距]|还差|便宜|贵|[更较比][^，,。]{0,4}[多少高低长短]|多[了出]|少了|剩|余|其[中余他]",
    "非|未|增|减|涨|跌|降[了低]|升[了高]|平均|占|每|人均|不足|倍",
    r"\b(?:total|all|sum|altogether|together|cheaper|more|less|fewer|short|left|mean|each|per|extra)\b",
    r"\b(?:combined|higher|lower|other|rest|times|both)\b",
    r"\b(?:rose|grew|fell|up|down|over|compared|versus|vs)\b",
    r"\b(?:differen|sav(?:e|ing)|remain|average|increas|decreas|drop|gain|grow)",
)
"""Words of somebody who counts with what he has."""
_FACTORS: tuple[tuple[re.Pattern[str], tuple[float, ...]], ...] = (
    (
        pattern(r"\s?(?:秒|分|个?小时|天|日|周|星期|s(?:ec)|min|hours?|hrs?|days?|weeks?|h\b)"),
        (60, 3600, 24, 1440, 86_400, 7, 1000, 60_000, 3_600_000),
    ),
    (pattern(r"\s?(?:公里|千米|米|厘米|km|m\b|met|kilo|mile|cm)"), (1000, 100, 1.609344)),
    (pattern(r"\s?(?:公斤|千克|克|斤|吨|kg|g\b|pound|lb|ton)"), (1000, 500, 2, 0.45359237)),
    (pattern(r"\s?[kmgt]b\b"), (1024, 1024**2, 1024**3, 1000, 1000**2, 1000**3)),
    (pattern(r"\s?(?:%|percent|成|折|个百分点)"), (100, 10)),
    (pattern(r"\s?(?:个?月|年|months?|years?)"), (12, 3)),
)
_DIGIT = re.compile(r"\d")
_DEGREES = pattern(r"\s?(?:°|度|℃|℉|degrees?|[CF]\b)")
_CENTS = pattern(r"cents?|fen\b|minor|分")
_HOURS = pattern(r"\s?(?:个?小时|个?钟头|hours?|hrs?|h\b)")
_HOURS_END = pattern(r"(?:小时|钟头|hours?|hrs?|h)\s?(?:and\s)?$")
_MINUTES = pattern(r"\s?(?:分|min)")


def stands(figure: Figure, text: str) -> bool:
    """Whether a text (in normal form, lower case) holds the figure just as it is written."""
    written = re.escape(normal(figure.text).casefold())
    return re.search(rf"(?<![\w.,:/-]){written}(?![\w:/-]|[.,]\d)", text) is not None


def unsourced(
    draft: str, found: Sequence[Figure], sources: Held, *, now: datetime | None
) -> tuple[Figure, ...]:
    """Those of the draft's figures that nothing holds."""
    relative = _relative(draft, found, now)
    return tuple(
        figure for figure in found if not _supported(figure, sources, relative, normal(draft), now)
    )


def _relative(draft: str, found: Sequence[Figure], now: datetime | None) -> frozenset[Day]:
    """Days that the draft names by words as well: 下周一（5月4日）."""
    if now is None:
        return frozenset()
    rest = draft
    for figure in found:
        if figure.kind == "date":
            rest = rest.replace(figure.text, "\x00" * len(figure.text))
    days = [when.start for one in ends(rest, now) for when in (*one.readings, *one.also)]
    return frozenset((day.year, day.month, day.day) for day in days)


def _supported(
    figure: Figure, sources: Held, relative: frozenset[Day], draft: str, now: datetime | None
) -> bool:
    match figure.kind:
        case "contact":
            return _contact(figure.text, sources)
        case "id":
            plain = compact(figure.text)
            if plain in sources.compact:
                return True
            return figure.text.isdecimal() and float(figure.text) in sources.numbers
        case "date":
            return _dated(figure.day, sources.days | relative)
        case "clock":
            return int(figure.value) % 720 in sources.clocks
        case "number":
            return _numbered(figure, sources, draft, now)


def _contact(text: str, sources: Held) -> bool:
    plain = text.casefold().rstrip("/")
    if "@" in plain:
        return plain in sources.text
    host, slash, path = re.sub(r"^https?://", "", plain).partition("/")
    return (f"{host}{slash}{path}" if _DIGIT.search(path) else host) in sources.text


def _dated(day: Day, days: frozenset[Day]) -> bool:
    return any(
        day[1:] == other[1:] and (day[0] == other[0] or not day[0] or not other[0])
        for other in days
    )


def _numbered(figure: Figure, sources: Held, draft: str, now: datetime | None) -> bool:
    figure = _with_unit(figure)
    sentence = _sentence(draft, figure.start)
    if _claims_nothing(figure, sources, sentence) or _of_calendar(figure, sources, now):
        return True
    alike = [*sources.numbers]
    reckoned = [*sources.sums, *(sources.derived if _RECKONED.search(sentence) else ())]
    if measured(figure) and _CENTS.search(sources.text):
        alike += [one / 100 for one in alike]
        reckoned += [one / 100 for one in reckoned]
    alike += [*_converted(figure, [*alike, *sources.sums], sources.text)]
    if figure.value.is_integer() and not measured(figure):
        reckoned += sources.counts
    slack = 0.05 if _ABOUT.search(figure.before) or _SO.match(figure.after) else 0.0
    value, step = abs(figure.value), figure.step
    if any(_close(value, abs(one), step, slack) for one in alike):
        return True
    exact = step == 1 and not figure.text.endswith("%")
    return any(_close(value, abs(one), 0.0 if exact else step, slack) for one in reckoned)


def _claims_nothing(figure: Figure, sources: Held, sentence: str) -> bool:
    """Small counts ("2 ways", unless of what was found), and "try again in 5 minutes"."""
    if measured(figure):
        return bool(_SPAN.match(figure.after) and _ADVICE.search(sentence))
    if figure.value > 10 or not figure.value.is_integer():
        return False
    if _MANNERS.match(figure.after):
        return True
    rows = sources.counts and _ROWS.match(figure.after)
    return bool(_THINGS.match(figure.after) and not rows and not _TOTAL.search(figure.before))


def _of_calendar(figure: Figure, sources: Held, now: datetime | None) -> bool:
    """The year or month of a day that is held, or the time from one to another."""
    value, after = figure.value, figure.after
    if any(value == day[0] and value > 1900 for day in sources.days):
        return True
    if after.startswith("月"):
        return any(value == day[1] for day in sources.days)
    if after.startswith(("日", "号")):
        return any(value == day[2] for day in sources.days)
    if _HOURS.match(after):
        return any(value in (gap // 60, gap / 60) for gap in sources.gaps)
    if _MINUTES.match(after):
        rest = 60 if _HOURS_END.search(figure.before) else 1440
        return any(value == gap % rest for gap in sources.gaps)
    if _DAYS_LEFT.match(after) and now is not None:
        return any(value == abs((date(*day) - now.date()).days) for day in sources.days if day[0])
    return False


def _with_unit(figure: Figure) -> Figure:
    """The first number of a range has the unit of the second: 16–22 ℃."""
    further = _RANGE.match(figure.after)
    return replace(figure, after=figure.after[further.end() :]) if further else figure


def _close(value: float, other: float, step: float, slack: float) -> bool:
    """Equal, or the other one rounded to what was written."""
    gap = abs(value - other)
    if gap <= 1e-9 * max(1.0, value) or gap <= slack * other:
        return True
    rounded = not other.is_integer() or step > 1
    return rounded and gap <= step / 2 * (1 + 1e-9)


def _converted(figure: Figure, numbers: Sequence[float], text: str) -> Iterator[float]:
    """The numbers in other units of the figure's kind."""
    if figure.text.endswith("%"):
        yield from (one * 100 for one in numbers)
        if "折" in text:
            yield from (100 - (one if one > 10 else one * 10) for one in numbers)
    for unit, factors in _FACTORS:
        if unit.match(figure.after):
            yield from (one * factor for one in numbers for factor in factors)
            yield from (one / factor for one in numbers for factor in factors)
    if _DEGREES.match(figure.after):
        yield from (one * 1.8 + 32 for one in numbers)
        yield from ((one - 32) / 1.8 for one in numbers)


def _sentence(text: str, at: int) -> str:
    start = max(text.rfind(mark, 0, at) for mark in "。！？!?；;\n")
    ends = [end for mark in "。！？!?；;\n" if (end := text.find(mark, at)) >= 0]
    return text[start + 1 : min(ends, default=len(text))]
