"""Clock times in words: what hour a phrase can mean, before the day is known.

Rules: a bare 三点 (one to six) is the afternoon; a bare 10点 is the nearest one to come; what the
day part contradicts (中午10点) has no reading. A written 24-hour time (``09:00``, ``13:30``) is
taken as it stands.
"""

import re
from collections.abc import Iterator
from datetime import time

from msgspec import Struct

from pointsman.domain.numerals import CHINESE_DIGITS, english_number, whole_number

PARTS: dict[str, tuple[int, int]] = {
    "night": (0, 6),
    "morning": (6, 12),
    "forenoon": (8, 12),
    "noon": (11, 13),
    "afternoon": (12, 18),
    "dusk": (17, 19),
    "evening": (18, 24),
}
"""Day part → first hour and the hour it ends with."""
PART_STARTS = {"night": 0, "morning": 8, "forenoon": 9, "noon": 12, "afternoon": 14, "dusk": 18}
PART_STARTS |= {"evening": 20}
"""When a day part without an hour is meant to begin ("tomorrow morning")."""
_PART_WORDS = {
    "凌晨 半夜 深夜 午夜": "night",
    "清晨 早晨 早上 大清早 一早 早": "morning",
    "上午": "forenoon",
    "中午 正午": "noon",
    "下午 午后": "afternoon",
    "傍晚": "dusk",
    "晚上 夜里 夜晚 晚间 夜间 晚": "evening",
}
PART_OF = {word: part for words, part in _PART_WORDS.items() for word in words.split()}
ZH_PART = "|".join(sorted(PART_OF, key=len, reverse=True))
EN_PART = (
    r"(?:in\s+the\s+|this\s+|during\s+the\s+)?(?:early\s+|late\s+)?"
    r"(?P<part>morning|afternoon|evening|night|noon|midday)\b"
)
_N = rf"(?:\d{{1,2}}|[{CHINESE_DIGITS[:12]}两]{{1,3}})"


class Clock(Struct, frozen=True, kw_only=True):
    """Hours that a phrase can mean; the first is the one that is meant when nothing else is said.

    Attributes:
        hours: 0 to 24; 24 is the midnight that ends the day, more is the night after it. Empty: the
            day part contradicts the hour, or there is no such time.
        bare: neither a day part nor a 24-hour form was given.
        later: the end of a range such as 七八点.
        impossible: there is no such time on any day (25点).
    """

    hours: tuple[int, ...]
    minute: int = 0
    second: int = 0
    bare: bool = False
    later: int | None = None
    impossible: bool = False

    def times(self) -> tuple[time, ...]:
        """The times of day, midnight as 00:00."""
        return tuple(time(hour % 24, self.minute, self.second) for hour in self.hours)


class FoundClock(Struct, frozen=True):
    """A clock time and where it stands."""

    clock: Clock
    start: int
    end: int


_A_BIT = r"一点[也都儿没不小]|(?<=[有早晚快慢多少大小好高低差])一点(?![半整钟\d])"
_ZH = re.compile(
    rf"(?P<part>{ZH_PART})?\s*的?\s*(?<![\d.])(?!{_A_BIT})(?P<hour>{_N})(?:点钟?|时(?!间|长|候|段|差))"
    rf"(?:(?P<half>半)|(?P<quarter>[一三])刻|整|零?(?P<minute>{_N})(?:分(?:(?P<second>{_N})秒)?)?"
    r"(?![\d点月号日天个%块元]))?(?!建议|意见|要求|原因|理由)"
)
_ZH_RANGE = re.compile(
    rf"(?P<part>{ZH_PART})?(?P<one>[一二两三四五六七八九十])(?P<two>[二三四五六七八九])点(?![半\d])"
)
_DIGITAL = re.compile(
    rf"(?:(?P<part>{ZH_PART})\s*)?(?<![\d:.\-])(?P<hour>\d{{1,2}})[:：](?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d))?(?![\d:])\s*(?P<ap>[ap]\.?m\b\.?)?"
    r"(?:\s+in\s+the\s+(?P<en>morning|afternoon|evening))?",
    re.IGNORECASE,
)
_EN = re.compile(
    r"(?<![\d:.$€£])\b(?:(?P<ap_hour>\d{1,2})\s*(?P<ap>[ap]\.?m\b\.?)"
    r"|(?P<oclock>\d{1,2}|[a-z]+)\s+o['’]?clock(?:\s+in\s+the\s+(?P<en>morning|afternoon|evening)"
    r"|\s+at\s+(?P<night>night))?"
    r"|at\s+(?P<hour>\d{1,2})(?![\d:%/.]|\s*(?:%|\w+\s+(?:street|st|ave)))(?!\s*[ap]\.?m\b)\b"
    r"(?:\s+(?:in\s+the\s+(?P<en2>morning|afternoon|evening)|at\s+(?P<night2>night)))?"
    r"|(?P<mark>half\s+past|quarter\s+past|quarter\s+to)\s+(?P<of>\d{1,2}|[a-z]+)"
    r"|(?P<word>noon|midday|midnight))",
    re.IGNORECASE,
)
_EN_PARTS = {"morning": "morning", "afternoon": "afternoon", "evening": "evening"}


def clocks(text: str) -> Iterator[FoundClock]:
    """Every clock time in a text; the same place may be found more than once."""
    for match in _ZH_RANGE.finditer(text):
        one, two = whole_number(match["one"]), whole_number(match["two"])
        if one is not None and two == one + 1:
            clock = _clock(int(one), part=_part(match["part"]), later=int(two))
            yield FoundClock(clock, *match.span())
    for match in _ZH.finditer(text):
        hour, minute = whole_number(match["hour"]), whole_number(match["minute"] or "0")
        second = whole_number(match["second"] or "0")
        if hour is None or minute is None or second is None:
            continue
        if match["half"] or match["quarter"]:
            minute = 30 if match["half"] else 15 if match["quarter"] == "一" else 45
        clock = _clock(int(hour), int(minute), int(second), part=_part(match["part"]))
        yield FoundClock(clock, *match.span())
    for match in _DIGITAL.finditer(text):
        part = _half(match["ap"]) or _EN_PARTS.get((match["en"] or "").lower(), "")
        part = part or _part(match["part"])
        exact = len(match["hour"]) == 2 and match["hour"][0] == "0" and not part
        clock = _clock(
            int(match["hour"]),
            int(match["minute"]),
            int(match["second"] or 0),
            part=part,
            exact=exact,
        )
        yield FoundClock(clock, match.start(), match.start() + len(match[0].rstrip()))
    for match in _EN.finditer(text):
        if (clock_ := _english(match)) is not None:
            yield FoundClock(clock_, *match.span())


def in_part(clock: Clock, part: str) -> Clock:
    """A bare clock time inside a day part that was said apart from it (tomorrow morning, at 9)."""
    hour = min(hour % 12 or 12 for hour in clock.hours)
    return _clock(hour, clock.minute, clock.second, part=part)


def _english(match: re.Match[str]) -> Clock | None:
    if match["word"]:
        return Clock(hours=(24 if match["word"].lower() == "midnight" else 12,))
    if match["mark"]:
        hour = english_number(match["of"]) if match["of"].isalpha() else float(match["of"])
        mark = match["mark"].lower()
        if hour is None or not 1 <= hour <= 12:
            return None
        minute = 30 if mark.startswith("half") else 15 if mark.endswith("past") else 45
        return _clock(int(hour) - (mark.endswith("to")), minute)
    if match["ap_hour"]:
        return _clock(int(match["ap_hour"]), part=_half(match["ap"]))
    word = match["oclock"] or match["hour"]
    number = float(word) if word.isdecimal() else english_number(word)
    if number is None or not 0 <= number <= 24:
        return None
    part = (match["en"] or match["en2"] or "").lower()
    return _clock(int(number), part="evening" if match["night"] or match["night2"] else part)


def _part(word: str | None) -> str:
    return PART_OF[word] if word else ""


def _half(mark: str | None) -> str:
    return {"a": "am", "p": "pm"}[mark[0].lower()] if mark else ""


def _clock(
    hour: int,
    minute: int = 0,
    second: int = 0,
    *,
    part: str = "",
    later: int | None = None,
    exact: bool = False,
) -> Clock:
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        return Clock(hours=(), impossible=True)
    bare = not part and not exact and 1 <= hour <= 12
    hours = _bare(hour) if bare else (hour,) if not part else _in_part(hour, part)
    if later is not None:
        later = later + 12 if hours and hours[0] >= 12 else later
    return Clock(hours=hours, minute=minute, second=second, bare=bare, later=later)


def _bare(hour: int) -> tuple[int, ...]:
    if hour == 12:
        return (12, 24)
    return (hour + 12, hour) if hour <= 6 else (hour, hour + 12)


def _in_part(hour: int, part: str) -> tuple[int, ...]:
    """The hour inside the day part; nothing where the two contradict each other."""
    if part == "am":
        return (hour % 12,) if hour <= 12 else ()
    if part == "pm":
        return (hour % 12 + 12,) if hour <= 12 else (hour,)
    if part in ("night", "morning", "forenoon"):
        if part == "night" and hour in (11, 12):
            return (0,) if hour == 12 else (23,)
        return (hour,) if hour < (6 if part == "night" else 12) else ()
    if part == "noon":
        return {11: (11,), 12: (12,), 13: (13,), 1: (13,), 2: (14,)}.get(hour, ())
    if hour >= 12:
        allowed = range(12, 19) if part == "afternoon" else range(17, 25)
        if part == "evening" and hour == 12:
            return (24,)
        return (hour,) if hour in allowed else ()
    first = {"afternoon": 1, "dusk": 4, "evening": 5}[part]
    last = {"afternoon": 7, "dusk": 8, "evening": 11}[part]
    if part == "afternoon":
        last = 11
    if first <= hour <= last:
        return (hour + 12,)
    return (24 + hour,) if part == "evening" and 1 <= hour <= 4 else ()
