"""Dates, clock times and numbers that are written in digits: 2026-03-05, 3/5/26, 15:30, 5th."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, Final

from msgspec import Struct

from pointsman.domain.times.calendar import DayOf, Either, Exact, NoSuchDay
from pointsman.domain.times.clocks import on_clock


class Number(Struct, frozen=True):
    """A number as it was written; ``text`` tells 07 from 7 and 两 from 2."""

    value: float
    text: str


class Fraction(Struct, frozen=True):
    """3/4: a date or a part of a whole."""

    above: int
    below: int


class Written(Struct, frozen=True):
    """An instant with its offset from Greenwich, or naive; None: there is no such instant."""

    at: datetime | None


_NO_AMOUNT = r"(?!\s?(?:元|美元|块|%|％|kg|km|gb|mb|usd|px|cal|kcal|percent|square)|\d)"
NUMERIC: Final = re.compile(
    r"""
    (?P<iso>\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)
        (?P<offset>\s?z(?![a-z])|\s?[+]\d\d(?::?\d\d)?|(?<![t ]\d\d:\d\d)\s?-\d\d:?\d\d
        |(?<=t\d\d:\d\d)-\d\d(?::?\d\d)?|(?<=:\d\d)\s?-\d{4})(?![\d:])
    |(?<![\da-z])(?P<basic>(?:19|20)\d{6}t\d{4}(?:\d\d)?)
        (?P<basic_offset>z(?![a-z])|[+-]\d\d(?::?\d\d)?)?(?![\d:a-z])
    |(?<!\d)(?P<y>\d{4})[-/.·](?P<m>\d{1,2})[-/.·](?P<d>\d{1,2})
        (?:(?=t\d\d:)t|(?=\d\d:\d\d)|(?![\d]))
    |(?<![\da-z])(?P<packed>(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d)(?![\da-z])
    |(?<![\d/.])(?P<a>\d{1,2})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{4}|\d\d)(?![\d/]|\.\d)
    |(?<![\d.,$¥€£/-])(?P<y2>(?:19|20)\d\d)(?:[-/](?P<m2>0?[1-9]|1[0-2])|\.(?P<m3>0[1-9]|1[0-2]))
        (?![\d/]|[.]\d|-\d\d?(?!\d))"""
    + _NO_AMOUNT
    + r"""
    |(?<![\d.,$¥€£/-])(?P<m4>0?[1-9]|1[0-2])[-/](?P<y4>(?:19|20)\d\d)(?![\d/]|[.-]\d)
    |(?:(?<!\d)(?<!\d[:.])|(?<=\d{4}-\d\d-\d\d)(?=\d\d:))(?P<h>\d{1,2}):(?P<min>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?(?![\d:])
    |(?<![\d/])(?P<above>\d{1,2})/(?P<below>\d{1,2})(?![\d/]|\.\d)
    |(?<![\d-])(?P<m5>0[1-9]|1[0-2])-(?P<d5>[0-3]\d)(?![\d-])
    |(?<!\d)(?P<m6>[1-9]|1[0-2])·(?P<d6>\d{1,2})(?!\d)
    |(?<![\d:.])(?P<h2>\d{1,2})h(?P<min2>[0-5]\d)(?!\w)
    |(?P<ord>\d{1,3})(?:st|nd|rd|th)\b
    |(?P<tens>(?:1[89]|20)\d0|[2-9]0)'?s\b
    |(?:q(?P<q>[1-4])|h(?P<half>[12]))(?![a-z0-9_])
    |(?<![\d.,$¥€/-])(?P<year>(?:19|20)\d\d)(?![\d]|[.,/:]\d|[-](?!(?:19|20)\d\d)|[a-z]|\s?(?:users|calories|square))"""
    + _NO_AMOUNT
    + r"""
    |(?P<number>\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)
    """,
    re.VERBOSE,
)
"""Matches at a digit, or at q and h for a quarter and a half of a year."""


def numeric(found: re.Match[str], *, chinese: bool) -> tuple[str, Any]:
    """Kind and value of what ``NUMERIC`` has matched.

    Args:
        chinese: the text is Chinese: 12-11-10 is the tenth of November 2012.
    """
    if found["iso"]:
        return "written", Written(_instant(found["iso"], found["offset"].strip()))
    if found["basic"]:
        return "written", Written(_instant(found["basic"], found["basic_offset"] or ""))
    if found["y"]:
        return "day", exact(int(found["y"]), int(found["m"]), int(found["d"]))
    if packed := found["packed"]:
        return "day", exact(int(packed[:4]), int(packed[4:6]), int(packed[6:]))
    if found["a"]:
        return _slashed(found, chinese=chinese)
    if year := found["y2"] or found["y4"]:
        month = int(found["m2"] or found["m3"] or found["m4"])
        return "day", month_of(int(year), month)
    if found["h"]:
        clock = on_clock(
            int(found["h"]),
            int(found["min"]),
            int(found["s"] or 0),
            exact=found["h"][0] == "0" and len(found["h"]) == 2,
        )
        return "digital", clock
    if found["above"]:
        return "fraction", Fraction(int(found["above"]), int(found["below"]))
    if found["m5"] or found["m6"]:
        day = DayOf(int(found["d5"] or found["d6"]), int(found["m5"] or found["m6"]))
        return "dashed" if found["m5"] else "day", day
    if found["h2"]:
        return "digital", on_clock(int(found["h2"]), int(found["min2"]), exact=True)
    if found["ord"]:
        return "ord", int(found["ord"])
    if tens := found["tens"]:
        first = int(tens) if len(tens) == 4 else 1900 + int(tens)
        return "day", years(first, first + 9, "decade")
    if found["q"]:
        return "numbered", ("quarter", int(found["q"]))
    if found["half"]:
        return "numbered", ("half year", int(found["half"]))
    if year := found["year"]:
        return "year", Number(float(year), year)
    text = found["number"]
    return "num", Number(float(text.replace(",", "")[:40]), text)


def _instant(text: str, offset: str) -> datetime | None:
    """The instant; without an offset, naive."""
    try:
        return datetime.fromisoformat(text.upper()).replace(tzinfo=_offset(offset))
    except ValueError:
        return None


def _offset(text: str) -> timezone | None:
    if not text or text == "z":
        return UTC if text else None
    apart = timedelta(hours=int(text[1:3]), minutes=int(text[3:].lstrip(":") or 0))
    return timezone(-apart if text[0] == "-" else apart)


def exact(year: int, month: int, day: int) -> Exact | NoSuchDay:
    try:
        first = date(year, month, day)
        return Exact(first, first + timedelta(days=1), "day")
    except (ValueError, OverflowError):
        return NoSuchDay()


def month_of(year: int, month: int) -> Exact | NoSuchDay:
    if not (1 <= month <= 12 and 1 <= year < 9999):
        return NoSuchDay()
    return Exact(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1), "month")


def years(first: int, last: int, grain: Any = "year") -> Exact | NoSuchDay:
    if not 1 <= first <= last < 9999:
        return NoSuchDay()
    return Exact(date(first, 1, 1), date(last + 1, 1, 1), grain)


def full_year(year: int) -> int:
    """A year written with two digits."""
    return year if year >= 100 else year + (2000 if year < 33 else 1900)


def _slashed(found: re.Match[str], *, chinese: bool) -> tuple[str, Any]:
    a, b, year = int(found["a"]), int(found["b"]), full_year(int(found["c"]))
    orders = [(year, a, b), (year, b, a)]
    if len(found["c"]) == 2:
        if found["mark"] == ".":
            return "x", None
        if chinese and found["mark"] == "-":
            orders = [(full_year(a), b, int(found["c"]))]
        elif found["mark"] == "-":
            orders.append((full_year(a), b, int(found["c"])))
    days = [one.first for order in orders if isinstance(one := exact(*order), Exact)]
    days = list(dict.fromkeys(days))
    if not days:
        return "day", NoSuchDay()
    if len(days) == 1:
        return "day", Exact(days[0], days[0] + timedelta(days=1), "day")
    return "day", Either(tuple(days))
