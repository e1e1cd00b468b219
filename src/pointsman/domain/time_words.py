"""The words that make up a time phrase, and which of them belong together.

Below ``times``, which gives each group its readings.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import reduce
from typing import Literal

from msgspec import Struct

from pointsman.domain.clocks import EN_PART, PART_OF, Clock, clocks
from pointsman.domain.day_arithmetic import Days, completed, month_shift
from pointsman.domain.days import days
from pointsman.domain.numerals import CHINESE_DIGITS, english_number, whole_number
from pointsman.domain.repeats import Repeat, repeats

Grain = Literal["second", "minute", "part", "day", "week", "month", "year", "span"]


class When(Struct, frozen=True, kw_only=True):
    """One reading: an instant, or a span that starts there.

    Attributes:
        start: aware, in the zone that was asked for. For a recurrence, its next occasion.
        end: the first instant after a span; None for an instant.
        rule: an RFC 5545 RRULE for a recurrence, else empty.
    """

    start: datetime
    end: datetime | None = None
    grain: Grain = "minute"
    rule: str = ""


class Impossible(Struct, frozen=True):
    """A written instant that does not exist (2026-02-30T09:00)."""


Word = Clock | Days | Repeat | When | Impossible | str
"""What a token means; a text is a day part."""


class Token(Struct, frozen=True):
    """Words that name a part of a time, and where they stand."""

    start: int
    end: int
    what: Word


_ISO = re.compile(
    r"(?<!\d)(?P<day>\d{4}-\d{2}-\d{2})[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?"
    r"(?P<offset>\s?[Zz]|[+-]\d{2}:?\d{2})?(?![\d:])"
)
_N = rf"(?:\d+(?:\.\d+)?|[{CHINESE_DIGITS[:12]}两半]+)"
_LATER = re.compile(
    rf"(?P<count>{_N})\s?(?P<half>个半)?个?(?P<unit>秒钟?|分钟?|刻钟|小时|钟头|天|日|周|星期|礼拜|月|年)(?P<tail>半)?"
    r"(?:(?P<more>\d+|[一二三四五六七八九十]+)分钟?)?(?P<way>之后|以后|后(?![天日年面])|之前|以前|前(?![天年面]))",
)
_EN_COUNT = r"(?P<count>half\s+an?|an?|\d+(?:\.\d+)?|[a-z]+(?:[\s-][a-z]+)?(?:\s+and\s+a\s+half)?)"
_EN_UNIT = r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_EN_LATER = re.compile(rf"\bin\s+{_EN_COUNT}\s+{_EN_UNIT}\b(?!\s+(?:of|before))", re.IGNORECASE)
_EN_AWAY = re.compile(
    rf"\b{_EN_COUNT}\s+{_EN_UNIT}\s+(?P<way>from\s+now|later|ago)\b", re.IGNORECASE
)
_NOW = re.compile(
    r"现在|此刻|马上|立刻|立即|\bright\s+now\b|\bnow\b|\bimmediately\b", re.IGNORECASE
)
_PART = re.compile(
    r"(?<=[今明昨当])(?P<zh>早上|早晨|早|晚上|晚间|晚|夜里)|(?P<zh2>凌晨|清晨|早上|早晨|上午|中午|下午|午后|傍晚|晚上|夜里|半夜)"
    rf"|(?<![a-z]){EN_PART}|(?P<tonight>(?<=to)night)",
    re.IGNORECASE,
)
_GLUE = re.compile(
    r"[\s,，的;()（]*(?:(?:starting|ending)?\s*(?:at|on|in|of|by|from|the|around|about)|于|在|大约|大概)?[\s,，]*(?:the\s+)?",
    re.IGNORECASE,
)
_AND = re.compile(r"[\s,，]*(?:和|、|及|与|and|&|,)\s*(?:at\s+)?", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:到|至|[-~–—]+|to|until|till|through|and)\s*(?:the\s+)?", re.IGNORECASE)
_SECONDS = {"秒": 1, "分": 60, "刻": 900, "小": 3600, "钟": 3600, "天": 86_400, "日": 86_400}
_SECONDS |= {
    "周": 604_800,
    "星": 604_800,
    "礼": 604_800,
    "s": 1,
    "h": 3600,
    "d": 86_400,
    "w": 604_800,
}


def tokens(text: str, now: datetime) -> list[Token]:
    """Words that name a part of a time; the longest wins where they overlap."""
    found = [Token(f.start, f.end, f.clock) for f in clocks(text)]
    found += [Token(f.start, f.end, f.days) for f in days(text, now.date())]
    found += [Token(f.start, f.end, f.repeat) for f in repeats(text)]
    found += _instants(text, now)
    for match in _PART.finditer(text):
        word = match["zh"] or match["zh2"] or match["part"] or "evening"
        found.append(Token(*match.span(), _part(word)))
    found.sort(key=lambda token: (token.start - token.end, token.start))
    kept: list[Token] = []
    for token in found:
        if all(token.end <= other.start or token.start >= other.end for other in kept):
            kept.append(token)
    return sorted(kept, key=lambda token: token.start)


def _part(word: str) -> str:
    lowered = word.lower()
    return PART_OF.get(word) or {"night": "evening", "midday": "noon"}.get(lowered, lowered)


def _instants(text: str, now: datetime) -> Iterator[Token]:
    for match in _ISO.finditer(text):
        yield Token(*match.span(), _iso(match, now) or Impossible())
    for match in _NOW.finditer(text):
        yield Token(*match.span(), When(start=now, grain="second"))
    for pattern in (_LATER, _EN_LATER, _EN_AWAY):
        for match in pattern.finditer(text):
            when = _offset(match, now)
            if when is not None:
                yield Token(*match.span(), when)


def _iso(match: re.Match[str], now: datetime) -> When | None:
    try:
        naive = datetime.fromisoformat(f"{match['day']}T{match['clock']}")
    except ValueError:
        return None
    offset = (match["offset"] or "").strip().upper()
    if not offset:
        return When(start=naive.replace(tzinfo=now.tzinfo))
    written = "+00:00" if offset == "Z" else offset
    return When(start=datetime.fromisoformat(naive.isoformat() + written).astimezone(now.tzinfo))


def _offset(match: re.Match[str], now: datetime) -> When | None:
    found = match.groupdict()
    count, unit = _count(match["count"]), match["unit"].lower()
    if count is None:
        return None
    count += 0.5 if found.get("half") or found.get("tail") else 0
    sign = -1 if (found.get("way") or "").startswith(("前", "之前", "以前", "ago")) else 1
    try:
        if unit.startswith(("月", "mo", "年", "y")):
            months = count * (12 if unit.startswith(("年", "y")) else 1)
            if months != int(months):
                return None
            day = month_shift(now.date(), sign * int(months))
            return When(start=datetime.combine(day, now.timetz()), grain="day")
        seconds = count * _SECONDS.get(unit[0], 60)
        if more := found.get("more"):
            seconds += (whole_number(more) or 0) * 60
        start = shifted(now, sign * seconds)
    except (ValueError, OverflowError):
        return None
    return When(start=start, grain="day" if seconds >= 86_400 else "minute")


def shifted(now: datetime, seconds: float) -> datetime:
    """Whole days keep the clock's time; anything shorter is exact, also over a clock change."""
    if seconds % 86_400 == 0:
        return now + timedelta(seconds=seconds)
    utc = now.timestamp() + seconds
    return datetime.fromtimestamp(utc, now.tzinfo)


def _count(words: str) -> float | None:
    lowered = words.lower().strip()
    if lowered in ("a", "an"):
        return 1.0
    if lowered.startswith("half"):
        return 0.5
    if lowered in ("a few", "few"):
        return None
    if lowered.startswith("a couple"):
        return 2.0
    return whole_number(words) or english_number(lowered)


def groups(text: str, tokens: list[Token]) -> Iterator[tuple[list[Token], bool]]:
    """Neighbours that make up one phrase, and whether it goes on from the one before (…到11点)."""
    group: list[Token] = []
    inherits = False
    for token in tokens:
        between = text[group[-1].end : token.start] if group else ""
        if group and _joins(group, token, between):
            group.append(token)
            continue
        if group:
            yield group, inherits
        goes_on = bool(group) and bool(_RANGE.fullmatch(between) or _AND.fullmatch(between))
        group, inherits = [token], goes_on
    if group:
        yield group, inherits


def completed_groups(
    groups: list[tuple[list[Token], bool]],
) -> Iterator[tuple[list[Token], bool]]:
    """The two ends of a range lend each other the month and the year."""
    for n, (group, goes_on) in enumerate(groups):
        neighbours = [groups[n - 1]] if goes_on else []
        if n + 1 < len(groups) and groups[n + 1][1]:
            neighbours.append(groups[n + 1])
        others = [t.what for near, _ in neighbours for t in near if isinstance(t.what, Days)]
        told = [
            Token(token.start, token.end, reduce(completed, others, token.what))
            if isinstance(token.what, Days)
            else token
            for token in group
        ]
        yield told, goes_on


def _joins(group: list[Token], token: Token, between: str) -> bool:
    kinds = [kind_of(one) for one in group]
    kind = kind_of(token)
    if kind == "clock" and "repeat" in kinds and "clock" in kinds:
        return bool(_AND.fullmatch(between))
    if kind in kinds or not _GLUE.fullmatch(between):
        return False
    if "when" in (*kinds, kind):
        other = kinds if kind == "when" else [*kinds, kind]
        days_later = any(
            isinstance(o.what, When) and o.what.grain == "day" for o in (*group, token)
        )
        return days_later and all(one in ("when", "clock", "part") for one in other)
    return not {"repeat", "days"} <= {*kinds, kind} or "clock" in kinds


def kind_of(token: Token) -> str:
    for kind, shape in (("clock", Clock), ("days", Days), ("repeat", Repeat), ("when", When)):
        if isinstance(token.what, shape):
            return kind
    return "part"
