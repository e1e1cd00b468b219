"""What the sources of a reply hold: their ids, numbers, days and times, and what can be reckoned.

Sources are the results of calls, the user's words, the instructions, and what was said before.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import combinations
from typing import Any

from msgspec import Struct

from pointsman.domain.times import ends
from pointsman.domain.values.figures import Figure, figures, normal
from pointsman.domain.values.units import quantities

Day = tuple[int, int, int]
"""Year (0 when unknown), month, day."""

_SEPARATORS = re.compile(r"[\s\-_./·()#:+]+")
_ISO = re.compile(
    r"(?:19|20)\d\d-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)"
    r"| \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+\d\d:?\d\d))",
    re.ASCII,
)
"""Instants with an offset; ``05-05 14:00-15:00`` is a span and none."""
_UNIX = re.compile(r"(?<!\d)1[0-9]{9}(?:[0-9]{3})?(?!\d)")
_MOST, _MOST_FOR_PAIRS, _MOST_CLOCKS = 400, 12, 20
_DAY = 86_400
_DAYS_AND_LESS = ("minute", "second", "part", "day")


class Held(Struct, frozen=True, kw_only=True):
    """What the sources hold, in forms that can be compared.

    Attributes:
        compact: everything, in lower case and without separators.
        numbers: as they stand. ``counts``: of rows. ``sums``: of columns, and their means.
        derived: from any two numbers; they count where the words speak of such.
        days: year (0 when unknown), month, day. ``clocks``: minutes of half a day.
        gaps: minutes between any two clock times.
    """

    text: str
    compact: str
    numbers: frozenset[float]
    sums: frozenset[float]
    derived: frozenset[float]
    counts: frozenset[float]
    days: frozenset[Day]
    clocks: frozenset[int]
    gaps: frozenset[int]


def compact(text: str) -> str:
    """The text in lower case and without separators, as ids are compared."""
    return _SEPARATORS.sub("", text.casefold())


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
    return _held(tuple(texts), tuple(map(_written, values)), tuple(spoken), now)


@lru_cache(maxsize=16)
def _held(
    texts: tuple[str, ...], values: tuple[str, ...], spoken: tuple[str, ...], now: datetime | None
) -> Held:
    """The same, kept: a reply that streams is looked at again and again."""
    whole = normal("\n".join((*texts, *spoken, *values)))
    found = figures(whole)
    said = {figure.value for figure in found if figure.kind == "number"}
    said |= {
        float(figure.text)
        for figure in found
        if figure.kind == "id" and figure.text.isdecimal() and len(figure.text) < 16
    }
    opened = (_opened(text) for text in (*texts, *values))
    counts, sums = _tallied(value for value in opened if value is not None)
    return Held(
        text=whole.casefold(),
        compact=compact(whole),
        numbers=frozenset(said),
        sums=frozenset(sums),
        derived=frozenset(_paired(said)),
        counts=frozenset(counts),
        days=frozenset(_days(found, whole, spoken, now)),
        clocks=frozenset(_clocks(found, whole, spoken, now)),
        gaps=frozenset(_gaps(found, now)),
    )


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


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
        round(one.amount / _DAY)
        for one in quantities(whole)
        if one.kind == "time" and one.amount >= _DAY
    }
    dated = [date(*figure.day) for figure in found if figure.kind == "date" and figure.day[0]]
    instants = list(_instants(whole, now))
    dated += [instant.date() for instant in instants]
    if now is not None:
        dated.append(now.date())
        dated += [when.date() for grain, when in _said(spoken, now) if grain in _DAYS_AND_LESS]
    for day in dated[:_MOST]:
        yield (day.year, day.month, day.day)
        for span in spans:
            if span < 400:
                shifted = day + timedelta(days=span)
                yield (shifted.year, shifted.month, shifted.day)


def _said(spoken: Sequence[str], now: datetime) -> Iterator[tuple[str, datetime]]:
    """The times that the user's words can mean, with their grain."""
    for text in spoken:
        for phrase in ends(text, now):
            for when in (*phrase.readings, *phrase.also):
                yield when.grain, when.start


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
        said = (when for grain, when in _said(spoken, now) if grain in _DAYS_AND_LESS[:2])
        minutes |= {when.hour * 60 + when.minute for when in said}
    spans = {
        round(one.amount / 60)
        for one in quantities(whole)
        if one.kind == "time" and 60 <= one.amount <= _DAY
    }
    for minute in minutes:
        yield minute % 720
        yield from ((minute + span) % 720 for span in spans)
        yield from ((minute - span) % 720 for span in spans)


def _gaps(found: Sequence[Figure], now: datetime | None) -> Iterator[int]:
    minutes = {int(figure.value) for figure in found if figure.kind == "clock"}
    if now is not None:
        minutes.add(now.hour * 60 + now.minute)
    pairs = combinations(sorted(minutes)[:_MOST_CLOCKS], 2)
    return (later - earlier for earlier, later in pairs)
