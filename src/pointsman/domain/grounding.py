"""Which figures of a reply something holds: results, the user's words, or simple arithmetic on them.

Ids and contacts must stand somewhere as they are. Numbers may be rounded, converted to another unit,
counted, added up, or compared; dates may be counted on from today or from a date that is held.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.figures import Figure, figures, measured, normal
from pointsman.domain.times import phrases
from pointsman.domain.units import quantities

Day = tuple[int, int, int]

_SEPARATORS = re.compile(r"[\s\-_./·()#:+]+")
_ISO = re.compile(
    r"(?:19|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)", re.ASCII
)
_ABOUT = re.compile(
    r"(?:约|大概|大约|将近|接近|近|超过|多达|左右|about|around|roughly|nearly|almost|over|approximately|some|~|≈|more than)\s?$",
    re.IGNORECASE,
)
_SO = re.compile(r"^\s?\w{0,2}(?:左右|上下|多)")
_COUNTED = re.compile(
    r"\s?(?:个(?!月|工作日|小时|百分)|[条项种步点次位份件笔封名张台家款类句页列行段组间]|方面|部分"
    r"|steps?\b|items?|ways?\b|options?|points?\b|things?|results?|records?|orders?|tickets?|tips?|reasons?|questions?|people|files?|messages?|e-?mails?|entries|rows|users?|documents?|tasks?|calls?|attempts?)",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"(?:共.{0,4}|合计|总计|到|有|剩余?|剩下|found|total(?: of)?|are|were|have|has|returned|showing|of|all)\s?$",
    re.IGNORECASE,
)
_ADVICE = re.compile(r"再[试问来看]|重试|稍后|稍等|try again|retry|wait|later", re.IGNORECASE)
_SPAN = re.compile(r"\s?(?:分钟|小时|个小时|秒|天|min|hour|sec|day)", re.IGNORECASE)
_DAYS_LEFT = re.compile(r"\s?(?:天|日|days?\b)", re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:[-–—~～至到]|to|and)\s?[\d.,]+")
_RECKONED = re.compile(
    r"共|合计|总|相差|温差|差[了价距]|还差|便宜|贵|[更较比][^，,。]{0,4}[多少高低长短]|多[了出]|少了|剩|余|其[中余他]|非|未"
    r"|增|减|涨|跌|降[了低]|升[了高]|平均|占|每|人均|不足|倍"
    r"|\b(?:total|all|sum|altogether|cheaper|more|less|fewer|short|left|mean|each|per|extra|combined|higher|lower"
    r"|other|rest|times|both)\b|\b(?:differen|sav(?:e|ing)|remain|average|increas|decreas)",
    re.IGNORECASE,
)
"""Words of somebody who counts with what he has."""
_FACTORS: tuple[tuple[re.Pattern[str], tuple[float, ...]], ...] = tuple(
    (re.compile(rf"\s?(?:{words})", re.IGNORECASE), factors)
    for words, factors in (
        (
            r"秒|分|小时|个?小时|天|日|周|星期|s(?:ec)|min|hours?|hrs?|days?|weeks?|h\b",
            (60, 3600, 24, 1440, 86400, 7, 1000, 60_000, 3_600_000),
        ),
        (r"公里|千米|米|厘米|km|m\b|met|kilo|mile|cm", (1000, 100, 1.609344)),
        (r"公斤|千克|克|斤|吨|kg|g\b|pound|lb|ton", (1000, 500, 2, 0.45359237)),
        (r"[kmgt]b\b", (1024, 1024**2, 1024**3, 1000, 1000**2, 1000**3)),
        (r"%|percent|成|折|个百分点", (100, 10)),
        (r"个?月|年|months?|years?", (12, 3)),
    )
)
_DEGREES = re.compile(r"\s?(?:°|度|℃|℉|degrees?|[CF]\b)", re.IGNORECASE)
_CENTS = re.compile(r"cents?|fen\b|minor|分", re.IGNORECASE)
_MOST, _MOST_FOR_PAIRS, _MOST_CLOCKS = 400, 12, 20
_HOURS = re.compile(r"\s?(?:个?小时|个?钟头|hours?|hrs?|h\b)", re.IGNORECASE)
_MINUTES = re.compile(r"\s?(?:分|min)", re.IGNORECASE)


class Held(Struct, frozen=True, kw_only=True):
    """What the sources hold, in forms that can be compared.

    Attributes:
        compact: everything, in lower case and without separators.
        numbers: as they stand. ``counts``: of rows. ``derived``: sums, differences and the like,
            which count where the words speak of such.
        days: year (0 when unknown), month, day. ``clocks``: minutes of half a day.
        gaps: minutes between any two clock times.
    """

    text: str
    compact: str
    numbers: frozenset[float]
    derived: frozenset[float]
    counts: frozenset[float]
    days: frozenset[Day]
    clocks: frozenset[int]
    gaps: frozenset[int]


def held(
    texts: Sequence[str], values: Sequence[Any], *, spoken: Sequence[str], now: datetime | None
) -> Held:
    """What these sources hold.

    Args:
        texts: results, instructions and earlier replies as text.
        values: structured results and arguments (JSON values).
        spoken: the user's words; relative days in them count.
        now: aware, in the user's zone.
    """
    written = [*texts, *spoken, *(json.dumps(value, ensure_ascii=False) for value in values)]
    whole = normal("\n".join(written))
    found = figures(whole)
    opened = [*values, *(value for text in texts if (value := _opened(text)) is not None)]
    said = {figure.value for figure in found if figure.kind == "number"}
    said |= {
        float(figure.text)
        for figure in found
        if figure.kind == "id" and figure.text.isdecimal() and len(figure.text) < 16
    }
    counts, sums = _tallied(opened)
    return Held(
        text=whole.casefold(),
        compact=_SEPARATORS.sub("", whole.casefold()),
        numbers=frozenset(said),
        derived=frozenset((*sums, *_paired(said))),
        counts=frozenset(counts),
        days=frozenset(_days(found, whole, spoken, now)),
        clocks=frozenset(_clocks(found, whole, spoken, now)),
        gaps=frozenset(_gaps(found)),
    )


def _opened(text: str) -> Any:
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tallied(values: Iterable[Any]) -> tuple[set[float], set[float]]:
    """Lengths of lists and how often a value stands in a column; sums and means of columns."""
    counts: set[float] = set()
    sums: set[float] = set()
    waiting, seen = list(values), 0
    while waiting and seen < _MOST:
        value = waiting.pop()
        seen += 1
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
            counts.add(float(len(value)))
            for column in _columns(value):
                numbers = [
                    one
                    for one in column
                    if isinstance(one, int | float) and not isinstance(one, bool)
                ]
                if len(numbers) > 1:
                    sums |= {
                        float(sum(numbers)),
                        sum(numbers) / len(numbers),
                        float(max(numbers) - min(numbers)),
                    }
                counts |= {float(n) for n in Counter(map(str, column)).values()}
                counts |= {float(len(set(map(str, column))))}
    return counts, sums


def _columns(rows: list[Any]) -> Iterator[list[Any]]:
    flat = [row for row in rows if not isinstance(row, dict | list)]
    if flat:
        yield flat
    objects = [row for row in rows if isinstance(row, dict)]
    for key in {key for row in objects for key in row}:
        yield [row[key] for row in objects if key in row and not isinstance(row[key], dict | list)]


def _paired(numbers: set[float]) -> Iterator[float]:
    """Sum, difference, product and share of any two, where there are few."""
    small = sorted(number for number in numbers if 0 < abs(number) < 1e7)
    if len(small) > _MOST_FOR_PAIRS:
        return
    yield float(sum(small))
    for one, other in combinations(small, 2):
        yield from (one + other, other - one, one * other)
        yield from (one / other * 100, (other - one) / one * 100, other / one)


def _days(
    found: Sequence[Figure], whole: str, spoken: Sequence[str], now: datetime | None
) -> Iterator[Day]:
    yield from (figure.day for figure in found if figure.kind == "date")
    spans = {
        round(one.amount / 86_400)
        for one in quantities(whole)
        if one.kind == "time" and one.amount >= 86_400
    }
    dated = [date(*figure.day) for figure in found if figure.kind == "date" and figure.day[0]]
    instants = list(_instants(whole, now))
    dated += [instant.date() for instant in instants]
    if now is not None:
        dated.append(now.date())
        dated += [
            when.start.date()
            for text in spoken
            for one in phrases(text, now)
            for when in (*one.readings, *one.also)
        ]
    for day in dated[:_MOST]:
        yield (day.year, day.month, day.day)
        for span in spans:
            if span < 400:
                shifted = day + timedelta(days=span)
                yield (shifted.year, shifted.month, shifted.day)


def _instants(whole: str, now: datetime | None) -> Iterator[datetime]:
    """Instants with an offset and Unix times, in the user's zone."""
    if now is None:
        return
    for match in _ISO.finditer(whole):
        try:
            yield datetime.fromisoformat(match[0]).astimezone(now.tzinfo)
        except (ValueError, OverflowError):
            continue
    for written in re.findall(r"(?<!\d)1[0-9]{9}(?:[0-9]{3})?(?!\d)", whole):
        yield datetime.fromtimestamp(int(written[:10]), now.tzinfo)


def _clocks(
    found: Sequence[Figure], whole: str, spoken: Sequence[str], now: datetime | None
) -> Iterator[int]:
    minutes = {int(figure.value) for figure in found if figure.kind == "clock"}
    minutes |= {one.hour * 60 + one.minute for one in _instants(whole, now)}
    if now is not None:
        minutes.add(now.hour * 60 + now.minute)
        minutes |= {
            when.start.hour * 60 + when.start.minute
            for text in spoken
            for one in phrases(text, now)
            for when in one.readings
            if when.grain in ("minute", "second")
        }
    spans = {
        round(one.amount / 60)
        for one in quantities(whole)
        if one.kind == "time" and 60 <= one.amount <= 86_400
    }
    for minute in minutes:
        yield minute % 720
        yield from ((minute + span) % 720 for span in spans)
        yield from ((minute - span) % 720 for span in spans)


def _gaps(found: Sequence[Figure]) -> Iterator[int]:
    minutes = sorted({int(figure.value) for figure in found if figure.kind == "clock"})[
        :_MOST_CLOCKS
    ]
    return (later - earlier for earlier, later in combinations(minutes, 2))


def unsourced(draft: str, sources: Held, *, now: datetime | None) -> tuple[Figure, ...]:
    """The figures of the draft that nothing holds."""
    found = figures(draft)
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
    days = [when.start for one in phrases(rest, now) for when in (*one.readings, *one.also)]
    return frozenset((day.year, day.month, day.day) for day in days)


def _supported(
    figure: Figure, sources: Held, relative: frozenset[Day], draft: str, now: datetime | None
) -> bool:
    match figure.kind:
        case "contact":
            return _contact(figure.text, sources)
        case "id":
            compact = _SEPARATORS.sub("", figure.text.casefold())
            if compact in sources.compact:
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
    host = re.sub(r"^https?://|/.*$", "", plain)
    return host in sources.text


def _dated(day: Day, days: frozenset[Day]) -> bool:
    return any(
        day[1:] == other[1:] and (day[0] == other[0] or not day[0] or not other[0])
        for other in days
    )


def _numbered(figure: Figure, sources: Held, draft: str, now: datetime | None) -> bool:
    value = abs(figure.value)
    figure = _with_unit(figure)
    unit = measured(figure.before, figure.after)
    whole = value.is_integer() and figure.step == 1
    if (
        not unit
        and whole
        and value <= 10
        and _COUNTED.match(figure.after)
        and not _TOTAL.search(figure.before)
    ):
        return True
    if unit and _ADVICE.search(_sentence(draft, figure.start)) and _SPAN.match(figure.after):
        return True
    if whole and 1900 <= value <= 2100 and any(day[0] == value for day in sources.days):
        return True
    if whole and figure.after.startswith("月") and any(day[1] == value for day in sources.days):
        return True
    slack = 0.05 if _ABOUT.search(figure.before) or _SO.match(figure.after) else 0.0
    counted = sources.counts if whole and not unit else frozenset()
    for one in (*sources.numbers, *counted):
        if _close(value, abs(one), figure.step, slack):
            return True
    sentence = _sentence(draft, figure.start)
    if _RECKONED.search(sentence) and any(
        _close(value, abs(one), figure.step, slack) for one in sources.derived
    ):
        return True
    if _HOURS.match(figure.after) and any(value in (gap // 60, gap / 60) for gap in sources.gaps):
        return True
    if _MINUTES.match(figure.after) and any(value in (gap % 60, gap) for gap in sources.gaps):
        return True
    if whole and now is not None and _DAYS_LEFT.match(figure.after):
        left = {abs((date(*day) - now.date()).days) for day in sources.days if day[0]}
        if value in left:
            return True
    return any(_close(value, abs(one), figure.step, slack) for one in _converted(figure, sources))


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


def _converted(figure: Figure, sources: Held) -> Iterator[float]:
    if figure.text.endswith("%"):
        yield from (one * 100 for one in sources.numbers)
    for unit, factors in _FACTORS:
        if unit.match(figure.after):
            for one in sources.numbers:
                yield from (one * factor for factor in factors)
                yield from (one / factor for factor in factors)
    if _DEGREES.match(figure.after):
        for one in sources.numbers:
            yield from (one * 1.8 + 32, (one - 32) / 1.8)
    if measured(figure.before, figure.after) and _CENTS.search(sources.text):
        yield from (one / 100 for one in sources.numbers)


def _sentence(text: str, at: int) -> str:
    start = max(text.rfind(mark, 0, at) for mark in "。！？!?；;\n")
    ends = [end for mark in "。！？!?；;\n" if (end := text.find(mark, at)) >= 0]
    return text[start + 1 : min(ends, default=len(text))]
