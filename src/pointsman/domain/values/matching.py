"""Whether one message says one value, by the kind of parameter that the value is for."""

import re
from datetime import datetime
from typing import Any

from pointsman.domain.flags import affirms, denies, is_safety, is_true, mentioned
from pointsman.domain.phrases import assembled, fold, kin, words
from pointsman.domain.times import ends, weekly
from pointsman.domain.values.matches import Match, any_of, located, plain
from pointsman.domain.values.meanings import means, said
from pointsman.domain.values.moments import moment
from pointsman.domain.values.natures import Parameter
from pointsman.domain.values.number_matching import lasting, otherwise
from pointsman.domain.values.places import places_inside

_ALL = re.compile(
    r"\b(?:all|every|any|both|various|different|each)\b|全部|所有|各种?|每[种个]|都|分别"
)
_WEEKDAYS = {
    word: n
    for n, listed in enumerate(
        (
            "monday mon 周一 星期一 礼拜一",
            "tuesday tue 周二 星期二 礼拜二",
            "wednesday wed 周三 星期三 礼拜三",
            "thursday thu 周四 星期四 礼拜四",
            "friday fri 周五 星期五 礼拜五",
            "saturday sat 周六 星期六 礼拜六",
            "sunday sun 周日 星期日 星期天 礼拜天",
        )
    )
    for word in listed.split()
}
_LISTED = re.compile(r"\s*[,，、;；]\s*")
_HEX = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)
_COLOURS = {
    "#ff0000": "red", "#ffffff": "white", "#000000": "black", "#0000ff": "blue",
    "#00ff00": "green", "#008000": "green", "#ffff00": "yellow", "#808080": "grey",
    "#800080": "purple", "#ffa500": "orange", "#ffc0cb": "pink", "#a52a2a": "brown",
    "#ffd700": "gold", "#c0c0c0": "silver", "#add8e6": "light blue", "#90ee90": "light green",
    "#00008b": "dark blue", "#000080": "navy", "#d3d3d3": "light grey", "#f5f5dc": "beige",
}  # fmt: skip
_TIMELIKE = re.compile(r"\d|week|month|year|day|hour|today|tomorrow|周|月|年|天|日|时|季")


def in_message(
    value: Any,
    wanted: Parameter,
    text: str,
    asked: str,
    now: datetime,
    *,
    siblings: tuple[Any, ...] = (),
) -> Match | None:
    """Where the user's message says the value.

    Args:
        asked: the question that the message answers; a yes to it says what it says.
        siblings: all items of the list that the value is in.
    """
    match wanted.nature:
        case "flag":
            return _flag(value, wanted, text, asked)
        case "choice":
            return _choice(value, wanted, text, asked, now, siblings)
        case "number":
            return (
                plain(value, text)
                or _titled(value, wanted, text)
                or otherwise(value, wanted, text, now)
            )
        case "time":
            return (
                _timed(value, text, now, wanted)
                or plain(value, text, forms=("exact", "width"))
                or lasting(value, wanted, text)
            )
        case "id" | "contact":
            return plain(value, text, forms=("exact", "width", "separators", "number"))
        case "name":
            return plain(value, text) or _each(value, wanted, text, now)
        case "place":
            return plain(value, text) or _place(value, text) or _each(value, wanted, text, now)
        case "text":
            return plain(value, text, forms=("exact", "width"))
        case _:
            return _loose(value, wanted, text, now)


def _timed(value: Any, text: str, now: datetime, wanted: Parameter) -> Match | None:
    found = moment(value, text, now, listed=wanted.listed)
    return Match(found.start, found.end, "time", found.rivals) if found else None


def _titled(option: Any, wanted: Parameter, text: str) -> Match | None:
    for title in wanted.titles.get(str(option), ()):
        if found := plain(title, text):
            return Match(found.start, found.end, "title")
        if means(title, text):
            return located(_where(title, text), "title", text)
    return None


def _flag(value: Any, wanted: Parameter, text: str, asked: str) -> Match | None:
    folded = fold(text)
    yes = is_true(value)
    if about := mentioned(wanted, folded, yes=yes):
        return located(about, "flag", text)
    if (
        asked
        and mentioned(wanted, fold(asked), yes=True)
        and (affirms(text) if yes else denies(text))
    ):
        return Match(0, len(text), "answer")
    return None if yes or is_safety(wanted) else Match(0, 0, "unmentioned")


def contradicts(value: Any, wanted: Parameter, text: str) -> bool:
    """Whether the message says the opposite of a flag: what was said before it counts no more."""
    return wanted.nature == "flag" and bool(mentioned(wanted, fold(text), yes=not is_true(value)))


def _choice(
    value: Any,
    wanted: Parameter,
    text: str,
    asked: str,
    now: datetime,
    siblings: tuple[Any, ...],
) -> Match | None:
    if found := plain(value, text) or _titled(value, wanted, text):
        return found
    option = str(value)
    if means(option, text) or _told_apart(option, wanted, text):
        return located(_where(option, text), "meaning", text)
    if found := _weekday(option, text, now):
        return found
    if _TIMELIKE.search(option) and (timed := _timed(value, text, now, wanted)):
        return timed
    everything = _ALL.search(fold(text))
    if (
        everything
        and len(wanted.options) > 1
        and {*map(str, wanted.options)} <= {*map(str, siblings)}
    ):
        return located(everything.span(), "all", text)
    if asked and affirms(text) and len(text) <= 20 and means(option, asked):
        others = [one for one in wanted.options if one != value and means(str(one), asked)]
        return None if others else Match(0, len(text), "answer")
    return None


def _told_apart(option: str, wanted: Parameter, text: str) -> bool:
    """Whether the text has a word of the option that no other option has (the "timeline" of
    "timeline creation")."""
    parts = words(option)
    if len(parts) < 2:
        return False
    others = {word for one in wanted.options if one != option for word in words(str(one))}
    spoken = words(text)
    return any(
        len(part) >= 5 and part not in others and any(kin(part, word) for word in spoken)
        for part in parts
    )


def _weekday(option: str, text: str, now: datetime) -> Match | None:
    """A weekday that a range or a habit holds (Monday to Friday, every day), or a named day is."""
    wanted = _WEEKDAYS.get(fold(option))
    if wanted is None:
        return None
    for named in weekly(text):
        if wanted in named.weekdays:
            return Match(named.start, named.end, "weekdays")
    for phrase in ends(text, now):
        for when in phrase.readings:
            last = when.end or when.start
            if when.grain in ("day", "minute", "span") and when.start.weekday() <= wanted <= max(
                when.start.weekday(), (last.weekday() - 1) % 7 if when.end else 0
            ):
                return Match(phrase.start, phrase.end, "time")
    return None


def _loose(value: Any, wanted: Parameter, text: str, now: datetime) -> Match | None:
    if found := plain(value, text) or _titled(value, wanted, text):
        return found
    if not isinstance(value, str):
        return None
    if _HEX.fullmatch(value):
        return _meaning(_COLOURS.get(value.casefold(), value), text)
    if _TIMELIKE.search(value) and (timed := _timed(value, text, now, wanted)):
        return timed
    return (
        _weekday(value, text, now)
        or _in_words(value, text)
        or _meaning(value, text)
        or _each(value, wanted, text, now)
    )


def _each(value: Any, wanted: Parameter, text: str, now: datetime) -> Match | None:
    """A list written as one text (``CN,US``): the first item's place, if all are said."""
    parts = _LISTED.split(str(value)) if isinstance(value, str) else []
    if len(parts) < 2:
        return None
    found = [in_message(part, wanted, text, "", now) for part in parts if part]
    first = found[0] if found and all(found) else None
    return Match(first.start, first.end, first.form) if first else None


def _meaning(value: Any, text: str) -> Match | None:
    if isinstance(value, str) and len(value) <= 40 and means(value, text):
        return located(_where(value, text), "meaning", text)
    return None


def _in_words(value: str, text: str) -> Match | None:
    """The value put together from the message's own words."""
    return located(_where(value, text), "words", text) if assembled(value, (text,)) else None


def _place(value: Any, text: str) -> Match | None:
    """A place in the other language, or a country by one of its cities. Never words put together:
    99 Main St is not in "from 12 Main St to 99 Oak Ave"."""
    if found := said(str(value), fold(text)):
        return located(found, "meaning", text)
    return any_of(places_inside(str(value)), text, "place")


def _where(value: str, text: str) -> tuple[int, int]:
    """Where the folded text says the first of the value's words it holds; (0, 0) when it says them
    all in other forms."""
    folded = fold(text)
    if found := said(value, folded):
        return found
    for part in words(value):
        at = folded.find(part[:4] if part.isascii() else part[:2])
        if at >= 0:
            return at, min(at + len(part), len(folded))
    return 0, 0
