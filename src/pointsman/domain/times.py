"""Time phrases, Chinese and English, with a reference instant and a zone.

``phrases`` finds them in a text; each has one or more readings, the likeliest first. A phrase that
is not settled must be asked about. Settled by rule: a bare 三点 is the afternoon, a bare 10点 the
nearest one to come, a span's instant is its start. Not settled: a 今天9点 that has passed, a
"Friday" said on a Friday. A phrase without a reading names a time that does not exist.

Above: ``sources``, ``filling`` and reminders. Below: ``clocks``, ``days``, ``repeats``.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache, reduce
from typing import Literal

from msgspec import Struct

from pointsman.domain.clocks import EN_PART, PART_OF, PART_STARTS, PARTS, Clock, clocks, in_part
from pointsman.domain.days import Dates, Days, completed, days, month_shift
from pointsman.domain.numerals import CHINESE_DIGITS, english_number, whole_number
from pointsman.domain.repeats import Repeat, repeats

Grain = Literal["second", "minute", "part", "day", "week", "month", "year", "span"]
Why = Literal["", "passed", "two days", "contradiction", "impossible", "range"]


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


class TimePhrase(Struct, frozen=True, kw_only=True):
    """Words that name a time.

    Attributes:
        readings: the likeliest first; empty when there is no such time.
        also: readings that are as right in another context (a 3月5号 that has passed this year).
        settled: the first reading is meant; otherwise the user is to be asked which.
        why: what is special about it.
        clock: times of day that the words can mean, when they name one.
    """

    start: int
    end: int
    readings: tuple[When, ...]
    also: tuple[When, ...] = ()
    settled: bool = True
    why: Why = ""
    clock: tuple[time, ...] = ()


class _Token(Struct, frozen=True):
    start: int
    end: int
    what: "Clock | Days | Repeat | When | str"


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
_EN_LATER = re.compile(
    rf"\bin\s+{_EN_COUNT}\s+{_EN_UNIT}\b(?!\s+(?:of|before))", re.IGNORECASE
)
_EN_AWAY = re.compile(rf"\b{_EN_COUNT}\s+{_EN_UNIT}\s+(?P<way>from\s+now|later|ago)\b", re.IGNORECASE)
_NOW = re.compile(r"现在|此刻|马上|立刻|立即|\bright\s+now\b|\bnow\b|\bimmediately\b", re.IGNORECASE)
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
_SECONDS |= {"周": 604_800, "星": 604_800, "礼": 604_800, "s": 1, "h": 3600, "d": 86_400, "w": 604_800}


def readings(text: str, now: datetime, zone: tzinfo | None = None) -> tuple[When, ...]:
    """What the first time phrase of a text can mean; empty when it names none or an impossible one.

    Args:
        now: the reference, aware.
        zone: of the answer and of times without an offset; the reference's own when None.
    """
    found = phrases(text, now, zone)
    return found[0].readings if found else ()


def phrases(text: str, now: datetime, zone: tzinfo | None = None) -> tuple[TimePhrase, ...]:
    """Every time phrase of a text, in its order."""
    local = now.astimezone(zone) if zone is not None else now
    return _phrases(text, local)


@lru_cache(maxsize=512)
def _phrases(text: str, now: datetime) -> tuple[TimePhrase, ...]:
    found: list[TimePhrase] = []
    named: Days | None = None
    for group, inherits in _completed(list(_groups(text, _tokens(text, now)))):
        own = next((token.what for token in group if isinstance(token.what, Days)), None)
        named = own or (named if inherits else None)
        for phrase in _resolved(group, now, None if own else named):
            found.append(phrase)
    return tuple(found)


def _tokens(text: str, now: datetime) -> list[_Token]:
    """Words that name a part of a time; the longest wins where they overlap."""
    found = [_Token(f.start, f.end, f.clock) for f in clocks(text)]
    found += [_Token(f.start, f.end, f.days) for f in days(text, now.date())]
    found += [_Token(f.start, f.end, f.repeat) for f in repeats(text)]
    found += _instants(text, now)
    for match in _PART.finditer(text):
        word = match["zh"] or match["zh2"] or match["part"] or "evening"
        found.append(_Token(*match.span(), _part(word)))
    found.sort(key=lambda token: (token.start - token.end, token.start))
    kept: list[_Token] = []
    for token in found:
        if all(token.end <= other.start or token.start >= other.end for other in kept):
            kept.append(token)
    return sorted(kept, key=lambda token: token.start)


def _part(word: str) -> str:
    lowered = word.lower()
    return PART_OF.get(word) or {"night": "evening", "midday": "noon"}.get(lowered, lowered)


def _instants(text: str, now: datetime) -> Iterator[_Token]:
    for match in _ISO.finditer(text):
        yield _Token(*match.span(), _iso(match, now) or "")
    for match in _NOW.finditer(text):
        yield _Token(*match.span(), When(start=now, grain="second"))
    for pattern in (_LATER, _EN_LATER, _EN_AWAY):
        for match in pattern.finditer(text):
            when = _offset(match, now)
            if when is not None:
                yield _Token(*match.span(), when)


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
        start = _shifted(now, sign * seconds)
    except (ValueError, OverflowError):
        return None
    return When(start=start, grain="day" if seconds >= 86_400 else "minute")


def _shifted(now: datetime, seconds: float) -> datetime:
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


def _groups(text: str, tokens: list[_Token]) -> Iterator[tuple[list[_Token], bool]]:
    """Neighbours that make up one phrase, and whether it goes on from the one before (9点到11点)."""
    group: list[_Token] = []
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


def _completed(
    groups: list[tuple[list[_Token], bool]],
) -> Iterator[tuple[list[_Token], bool]]:
    """The two ends of a range lend each other the month and the year."""
    for n, (group, goes_on) in enumerate(groups):
        neighbours = [groups[n - 1]] if goes_on else []
        if n + 1 < len(groups) and groups[n + 1][1]:
            neighbours.append(groups[n + 1])
        others = [t.what for near, _ in neighbours for t in near if isinstance(t.what, Days)]
        told = [
            _Token(token.start, token.end, reduce(completed, others, token.what))
            if isinstance(token.what, Days)
            else token
            for token in group
        ]
        yield told, goes_on


def _joins(group: list[_Token], token: _Token, between: str) -> bool:
    kinds = [_kind(one) for one in group]
    kind = _kind(token)
    if kind == "clock" and "repeat" in kinds and "clock" in kinds:
        return bool(_AND.fullmatch(between))
    if kind in kinds or not _GLUE.fullmatch(between):
        return False
    if "when" in (*kinds, kind):
        other = kinds if kind == "when" else [*kinds, kind]
        days_later = any(isinstance(o.what, When) and o.what.grain == "day" for o in (*group, token))
        return days_later and all(one in ("when", "clock", "part") for one in other)
    return not {"repeat", "days"} <= {*kinds, kind} or "clock" in kinds


def _kind(token: _Token) -> str:
    for kind, shape in (("clock", Clock), ("days", Days), ("repeat", Repeat), ("when", When)):
        if isinstance(token.what, shape):
            return kind
    return "part"


def _resolved(group: list[_Token], now: datetime, inherited: Days | None) -> Iterator[TimePhrase]:
    start, end = group[0].start, group[-1].end
    found: dict[str, list[_Token]] = {}
    for token in group:
        found.setdefault(_kind(token), []).append(token)
    clocks_ = [token.what for token in found.get("clock", ()) if isinstance(token.what, Clock)]
    part = next((t.what for t in found.get("part", ()) if isinstance(t.what, str)), "")
    if part and clocks_ and clocks_[0].bare:
        clocks_[0] = in_part(clocks_[0], part)
    repeat = next((t.what for t in found.get("repeat", ()) if isinstance(t.what, Repeat)), None)
    when = next((t.what for t in found.get("when", ()) if isinstance(t.what, When)), None)
    named = next((t.what for t in found.get("days", ()) if isinstance(t.what, Days)), inherited)
    times = tuple(clock_time for clock in clocks_ for clock_time in clock.times())
    if repeat is not None:
        whole = _recurring(repeat, clocks_, part, now)
        readings_, why, settled = (whole,) if whole else (), "" if whole else "impossible", True
        yield TimePhrase(
            start=start, end=end, readings=readings_, why=_why(why), settled=settled, clock=times
        )
        return
    if when is not None:
        named = Days(options=((when.start.date(), when.start.date() + timedelta(days=1)),))
        if not clocks_ and not part:
            yield TimePhrase(start=start, end=end, readings=(when,))
            return
    if "part" in found and not part and not clocks_ and named is None:
        yield TimePhrase(start=start, end=end, readings=(), why="impossible")
        return
    phrase = _placed(named, clocks_[0] if clocks_ else None, part, now)
    yield TimePhrase(
        start=start,
        end=end,
        readings=phrase.readings,
        also=phrase.also,
        settled=phrase.settled,
        why=phrase.why,
        clock=times,
    )


def _why(text: str) -> Why:
    return "impossible" if text else ""


class _Placed(Struct, frozen=True, kw_only=True):
    readings: tuple[When, ...]
    also: tuple[When, ...] = ()
    settled: bool = True
    why: Why = ""


def _placed(named: Days | None, clock: Clock | None, part: str, now: datetime) -> _Placed:
    if named is not None and not named.options:
        return _Placed(readings=(), settled=False, why="impossible")
    if clock is not None and not clock.hours:
        return _Placed(readings=(), settled=False, why="impossible" if clock.impossible else "contradiction")
    if clock is None:
        return _spans(named, part, now)
    if named is None or named.today:
        return _nearest(clock, now, today=named is not None)
    made = [_at(option, hour, clock, now) for option in named.options for hour in clock.hours[:1]]
    also = [
        _at(option, hour, clock, now)
        for option in (*named.options, *named.also)
        for hour in clock.hours
    ]
    if len(made) > 1 and made[0].start <= now:
        made = made[1:]
    why: Why = "two days" if len(made) > 1 else "range" if clock.later is not None else ""
    return _Placed(
        readings=tuple(made),
        also=tuple(one for one in dict.fromkeys(also) if one not in made),
        settled=len(made) == 1,
        why=why,
    )


def _spans(named: Days | None, part: str, now: datetime) -> _Placed:
    if named is None:
        named = Days(options=((now.date(), now.date() + timedelta(days=1)),))
    grain = named.grain
    if part:
        first, last = PART_STARTS[part], PARTS[part][1]
        made = [
            When(start=_local(day, first, now), end=_local(day, last, now), grain="part")
            for day, _ in named.options
        ]
        return _Placed(readings=tuple(made), settled=len(made) == 1)
    made = [_whole(option, grain, now) for option in named.options]
    also = tuple(_whole(option, grain, now) for option in named.also)
    settled = len(made) == 1
    return _Placed(
        readings=tuple(made), also=also, settled=settled, why="" if settled else "two days"
    )


def _whole(option: Dates, grain: str, now: datetime) -> When:
    kinds: dict[str, Grain] = {"day": "day", "week": "week", "month": "month", "year": "year"}
    first, after = option
    return When(
        start=_local(first, 0, now), end=_local(after, 0, now), grain=kinds.get(grain, "span")
    )


def _local(day: date, hour: int, now: datetime, minute: int = 0, second: int = 0) -> datetime:
    shift, hour = divmod(hour, 24)
    return datetime.combine(day + timedelta(days=shift), time(hour, minute, second), now.tzinfo)


def _at(option: Dates, hour: int, clock: Clock, now: datetime) -> When:
    return When(start=_local(option[0], hour, now, clock.minute, clock.second))


def _nearest(clock: Clock, now: datetime, *, today: bool) -> _Placed:
    """A clock time of today, said or not: the nearest one to come."""
    day = now.date()
    todays = [_local(day, hour, now, clock.minute, clock.second) for hour in clock.hours]
    tomorrows = [one + timedelta(days=1) for one in todays]
    if not today:
        hours = todays[:1] if clock.bare and clock.hours[0] in range(13, 19) else todays
        following = hours + [one + timedelta(days=1) for one in hours]
        coming = sorted(one for one in following if one > now)
        also = [one for one in (*todays, *tomorrows) if one != coming[0]]
        made = When(start=coming[0])
        return _Placed(readings=(made,), also=tuple(When(start=one) for one in also))
    meant = todays[0]
    if meant > now:
        rest = tuple(When(start=one) for one in todays[1:] if one > now)
        return _Placed(readings=(When(start=meant),), also=rest)
    later = [one for one in (*todays[1:], tomorrows[0]) if one > now]
    made_ = tuple(When(start=one) for one in later)
    return _Placed(readings=made_, also=(When(start=meant),), settled=False, why="passed")


def _recurring(
    repeat: Repeat, clocks_: list[Clock], part: str, now: datetime
) -> When | None:
    if any(not clock.hours for clock in clocks_):
        return None
    times = [(_usual(clock), clock.minute) for clock in clocks_]
    if not times and part:
        times = [(PART_STARTS[part], 0)]
    rule = repeat.rule(tuple(times))
    if repeat.frequency in ("MINUTELY", "HOURLY"):
        per = 60 if repeat.frequency == "MINUTELY" else 3600
        return When(start=_shifted(now, per * repeat.interval), rule=rule)
    occasions = sorted(times) or [(now.hour, now.minute)]
    for shift in range(800):
        day = now.date() + timedelta(days=shift)
        if not repeat.happens(day):
            continue
        for hour, minute in occasions:
            start = _local(day, hour, now, minute)
            if start > now:
                return When(start=start, rule=rule)
    return None


def _usual(clock: Clock) -> int:
    return clock.hours[0] % 24
