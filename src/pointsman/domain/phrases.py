"""Where a value stands in a text, also when the two are written differently.

A text is folded once (width, case) and kept with the way back to its own positions. Each normal
form has a name, which the journal shows: ``exact``, ``width``, ``separators``, ``number``,
``quantity``, ``place``, ``person``, ``words``.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from pointsman.domain.bounds import kept
from pointsman.domain.values.numerals import Number, numbers, whole_number
from pointsman.domain.values.people import person, persons
from pointsman.domain.values.places import is_place, place_parts, same_places
from pointsman.domain.values.units import quantities, same_amount, whole_quantity

_SEPARATORS = re.compile(r"[\s\-_./·()（）#:]+")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[一-鿿]+")
_NOISE = frozenset(
    "a an the of to in on at for and or with by from is are be it its s as per times".split()
)
_ENDINGS: tuple[str, ...] = (
    "ations",
    "ation",
    "ities",
    "ings",
    "ing",
    "ers",
    "ions",
    "ion",
    "ies",
    "ied",
    "ely",
)
_ENDINGS += ("ally", "ity", "ism", "ist", "ed", "er", "es", "al", "ly", "ic", "s", "e", "y")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_EDGES = " \t\r\n\"'“”‘’「」『』《》〈〉【】()（）,.;:!?，。；：！？、"
_COUNTRY_CODE = re.compile(r"^(?:\+|00)?86(?=1\d{10}$)")


class Span(Struct, frozen=True):
    """Where a value stands, and by which normal form it was found."""

    start: int
    end: int
    form: str


class Text(Struct, frozen=True, kw_only=True):
    """A text, folded.

    Attributes:
        raw: as it was written.
        folded: NFKC and lower case; ``places[i]`` is where its i-th character came from.
        compact: folded without separators; ``compact_places`` likewise, into ``raw``.
    """

    raw: str
    folded: str
    places: tuple[int, ...] | range
    compact: str
    compact_places: tuple[int, ...]


def fold(text: str) -> str:
    """Width and case made the same."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


@kept(512)
def prepared(text: str) -> Text:
    """The text, folded; kept, as the same message is looked at for every argument."""
    if text.isascii():
        folded, places = text.lower(), range(len(text) + 1)
    else:
        pieces = [unicodedata.normalize("NFKC", c).casefold() for c in text]
        folded = "".join(pieces)
        places = (*(n for n, piece in enumerate(pieces) for _ in piece), len(text))  # type: ignore[assignment]
    kept = [n for n, c in enumerate(folded) if not _SEPARATORS.match(c)]
    return Text(
        raw=text,
        folded=folded,
        places=places,
        compact="".join(folded[n] for n in kept),
        compact_places=tuple(places[n] for n in kept),
    )


def spans(value: Any, text: str) -> tuple[Span, ...]:
    """Every place in the text where the value stands, by the strictest form that finds any.

    Args:
        value: a scalar. Dates are found by ``domain.times``, meanings by
            ``domain.values.meanings``.
    """
    if isinstance(value, bool) or value is None:
        return ()
    if isinstance(value, int | float):
        return tuple(_number_spans(float(value), text))
    wanted = fold(str(value)).strip(_EDGES)
    if not wanted:
        return ()
    whole = prepared(text)
    for form in (_exact, _separated, _numeric, _measured, _person, _place):
        found = tuple(form(wanted, whole))
        if found:
            return found
    return ()


def _exact(wanted: str, text: Text) -> Iterator[Span]:
    for start, end in occurrences(wanted, text.folded):
        first, last = text.places[start], text.places[end - 1] + 1
        exact = text.raw[first:last].strip(_EDGES).casefold() == wanted
        yield Span(first, last, "exact" if exact else "width")


def occurrences(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the text holds the words; a Latin word or number never inside a longer one."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_runs_on(text, start) or _runs_on(text, end)):
            yield start, end
        start = text.find(wanted, start + 1)


def _runs_on(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isdigit() and after.isdigit():
        return True
    if after in ".," and before.isdigit() and text[at + 1 : at + 2].isdigit():
        return True
    if before in ".," and after.isdigit() and text[at - 2 : at - 1].isdigit():
        return True
    return _is_latin(before) and _is_latin(after)


def _is_latin(c: str) -> bool:
    return c.isascii() and c.isalnum()


def _separated(wanted: str, text: Text) -> Iterator[Span]:
    """Ids and phone numbers with other separators: ABC-123, abc123, +86 138 0000 0000."""
    compact = _COUNTRY_CODE.sub("", _SEPARATORS.sub("", wanted)).replace("'", "")
    if len(compact) < 3 or not any(map(_is_latin, compact)):
        return
    start = text.compact.find(compact)
    while start >= 0:
        end = start + len(compact)
        first, last = text.compact_places[start], text.compact_places[end - 1] + 1
        joined_before = (
            first > 0 and text.compact_places[start - 1] == first - 1 if start else False
        )
        joined_after = (
            end < len(text.compact) and text.compact_places[end] == last if last else False
        )
        torn = (joined_before and _runs_on(text.raw, first)) or (
            joined_after and _runs_on(text.raw, last)
        )
        if not torn:
            yield Span(first, last, "separators")
        start = text.compact.find(compact, start + 1)


def _numeric(wanted: str, text: Text) -> Iterator[Span]:
    number = whole_number(wanted.rstrip("元块刀 "))
    if number is None and wanted[-1:] == "%":
        number = whole_number(wanted[:-1])
    if number is not None and not re.fullmatch(r"0\d+", wanted):
        yield from _number_spans(number, text.raw)


def _number_spans(value: float, text: str) -> Iterator[Span]:
    whole = prepared(text)
    near = 1e-9 * max(1.0, abs(value))
    for found, alike in _said_numbers(whole.folded):
        for one in alike:
            if abs(value - one) <= near:
                yield _placed(whole, found.start, found.end, "number")
                break
    for quantity in quantities(whole.folded):
        if same_amount(value, quantity):
            yield _placed(whole, quantity.start, quantity.end, "quantity")


@kept(512)
def _said_numbers(text: str) -> tuple[tuple[Number, tuple[float, ...]], ...]:
    """The numbers of a folded text, each with the values that its words can stand for."""
    return tuple((found, tuple(_values(found, text))) for found in numbers(text))


def _values(found: Number, text: str) -> Iterator[float]:
    yield found.value
    if found.form == "percent":
        yield found.value / 100
    if text[found.end : found.end + 3].strip(" °度")[:1] in ("w", "s") or (
        text[max(found.start - 2, 0) : found.start] in ("西经", "南纬")
    ):
        yield -found.value


def _measured(wanted: str, text: Text) -> Iterator[Span]:
    """``1-week``, ``48h`` and 两周 by the amount."""
    amount = whole_quantity(wanted)
    if amount is None:
        return
    for found in quantities(text.folded):
        if found.kind == amount[0] and abs(found.amount - amount[1]) < 1e-6 * amount[1]:
            yield _placed(text, found.start, found.end, "quantity")


def _person(wanted: str, text: Text) -> Iterator[Span]:
    named = person(wanted)
    for name, start, end in persons(text.folded):
        if name == (named[0] if named else wanted):
            yield _placed(text, start, end, "person")
    if named and not named[1]:
        for start, end in occurrences(named[0], text.folded):
            yield _placed(text, start, end, "person")


def _place(wanted: str, text: Text) -> Iterator[Span]:
    if not is_place(wanted):
        return
    for name in same_places(wanted):
        if len(name) < 2 or (len(name) == 2 and name.isascii() and name.upper() not in text.raw):
            continue
        for start, end in occurrences(name, text.folded):
            yield _placed(text, start, end, "place")
    parts = place_parts(wanted)
    if len(parts) > 1 and all(part in text.folded for part in parts):
        first = min(text.folded.find(part) for part in parts)
        last = max(text.folded.find(part) + len(part) for part in parts)
        yield _placed(text, first, last, "place")


def _placed(text: Text, start: int, end: int, form: str) -> Span:
    return Span(text.places[start], text.places[max(end - 1, start)] + 1, form)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """An English word without its ending; a rough one that only has to be the same for kin."""
    word = word.removesuffix("'s").removesuffix("'")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@kept(2048)
def words(text: str) -> tuple[str, ...]:
    """The content words of a folded text: English by stem (camelCase and snake_case taken apart
    before folding), Chinese as runs of characters."""
    return tuple(stem(word) if word.isascii() else word for word in plain_words(text))


@kept(2048)
def plain_words(text: str) -> tuple[str, ...]:
    """The same with their endings."""
    apart = _CAMEL.sub(" ", text).replace("_", " ").replace("-", " ")
    return tuple(word for word in _WORD.findall(fold(apart)) if word not in _NOISE)


def kin(word: str, other: str) -> bool:
    """Whether two stems are of one family: equal, or with a long common start."""
    if word == other:
        return True
    if not (word.isalpha() and other.isalpha() and word.isascii() and other.isascii()):
        return False
    length = min(len(word), len(other))
    return (
        length >= 4
        and word[: max(4, length - 1)] == other[: max(4, length - 1)]
        and (abs(len(word) - len(other)) <= 4)
    )


def shares_word(word: str, text: str) -> bool:
    """Whether a content word stands in a text, in any of its endings; Chinese by two characters of
    it at least."""
    if word.isascii():
        return any(kin(word, other) for other in words(text))
    folded = fold(text)
    return any(word[n : n + 2] in folded for n in range(len(word) - 1))


def assembled(value: str, texts: tuple[str, ...]) -> bool:
    """Whether everything in the value was said somewhere in the texts, in whatever order.

    ``效率提升`` from 提升教学效率, ``gym, pool`` from "a gym and a pool".
    """
    parts = words(value)
    if not parts:
        return False
    whole = " \n ".join(texts)
    folded = fold(whole)
    return all(
        (any(kin(part, other) for other in words(whole)) or _counted(part, whole))
        if part.isascii()
        else _covered(part, folded)
        for part in parts
    )


def _counted(part: str, text: str) -> bool:
    return part.isdecimal() and any(number.value == float(part) for number in numbers(text))


def _covered(run: str, text: str) -> bool:
    """Whether Chinese characters are made of pieces of at least two that the text holds."""
    particles = "的和与及等、了"
    at = 0
    while at < len(run):
        length = next(
            (size for size in range(len(run) - at, 1, -1) if run[at : at + size] in text), 0
        )
        if length:
            at += length
        elif run[at] in particles:
            at += 1
        else:
            return False
    return True
