"""What a text says about time, before any clock is looked at: a row of moments and ranges."""

from functools import lru_cache

from msgspec import Struct

from pointsman.domain.times import (
    amounts,
    dates_en,
    dates_zh,
    hourly,
    hours,
    joins,
    monthdays,
    months_en,
    months_zh,
    repeats,
    terms,
)
from pointsman.domain.times.calendar import Length
from pointsman.domain.times.cascade import Piece, Rules
from pointsman.domain.times.kinds import WEAK, kind
from pointsman.domain.times.moments import Moment, Range, moment
from pointsman.domain.times.words import HAN, LETTERS, names_times, pieces

_ROUNDS: tuple[tuple[Rules, str], ...] = (
    (amounts.NUMBERS, "en"),
    (months_zh.MONTHS, "zh"),
    (months_en.MONTHS, "en"),
    (hours.HOURS, ""),
    (amounts.LENGTHS, ""),
    (repeats.REPEATS, ""),
    (dates_zh.DATES, "zh"),
    (dates_en.DATES, ""),
    (hourly.HOURLY, ""),
    (monthdays.MONTHDAYS, ""),
    (joins.MOMENTS, ""),
    (terms.TERMS, ""),
    (joins.RANGES, ""),
)
"""The rules in the order in which they run, and the language without which they do nothing."""
_RANGE, _LEAD = kind("range"), kind("lead")
_ALONE = {kind("may"): "month", kind("sat"): "weekday", kind("season_en"): "season"}
_LINKS = frozenset(map(kind, "and comma to dash until".split()))


class Said(Struct, frozen=True, kw_only=True):
    """A moment or range and where it stands.

    Attributes:
        goes_on: only a comma or "and" stands between it and the one before.
    """

    start: int
    end: int
    what: Moment | Range
    goes_on: bool = False


class Lead(Struct, frozen=True):
    """How long before, and where that stands."""

    length: Length
    start: int
    end: int


def _is_bare(row: list[Piece]) -> bool:
    """A few numbers and nothing else, as one answers a question for a date: 3-5."""
    return len(row) <= 3 and all(piece.kind != kind("x") for piece in row)


def said(text: str) -> tuple[Said, ...]:
    """Everything the text says about time, in its order."""
    return read(text)[0]


def leads(text: str) -> tuple[Lead, ...]:
    """How long before its times something is to be (提前10分钟)."""
    return read(text)[1]


@lru_cache(maxsize=1024)
def read(text: str) -> tuple[tuple[Said, ...], tuple[Lead, ...]]:
    """What ``said`` and ``leads`` give."""
    if not names_times(text):
        return (), ()
    row = pieces(text)
    if len(row) == 1 and (alone := _ALONE.get(row[0].kind)):
        row = [Piece(kind(alone), row[0].start, row[0].end, row[0].value)]
    elif WEAK.issuperset(piece.kind for piece in row) and not _is_bare(row):
        return (), ()
    has_han, has_letters = HAN.search(text) is not None, LETTERS.search(text) is not None
    for rules, language in _ROUNDS:
        if (has_han or language != "zh") and (has_letters or language != "en"):
            row = rules.run(row)
    found: list[Said] = []
    linked = False
    for piece in row:
        what = piece.value if piece.kind == _RANGE else moment(piece)
        if what is not None:
            found.append(Said(start=piece.start, end=piece.end, what=what, goes_on=linked))
            linked = True
        else:
            linked = linked and piece.kind in _LINKS
    ahead = (Lead(one.value, one.start, one.end) for one in row if one.kind == _LEAD)
    return tuple(found), tuple(ahead)
