"""Strict JSON with the rules that the standard leaves open: size, depth, duplicates, number ranges.

One reader for what models write; ``json_repair`` builds on the same rules. Nothing here repairs.
"""

import json
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NoReturn

from pointsman.domain.text import clean
from pointsman.errors import ArgumentsMalformed

MAX_CHARS = 1_000_000
MAX_DEPTH = 64
GIVEN_TWICE = "a key was given twice with the same value"
CLEANED = "characters that are not text were removed"

_EXACT = 1 << 53
"""From here on not every whole number is a double."""
TOO_DEEP = f"the arguments are nested deeper than {MAX_DEPTH} levels"

Member = tuple[str, Any]


class NotJson(Exception):
    """The text breaks JSON's grammar; a repair may be possible."""


class _Duplicate(Exception):
    """A key occurs twice in one object."""


def integer(digits: str) -> int:
    """A whole number that fits 64 bits (signed or unsigned), so that every store can keep it.

    Raises:
        ArgumentsMalformed: it does not fit.
    """
    value = int(digits) if len(digits) <= 21 else 1 << 70
    if not -(1 << 63) <= value < 1 << 64:
        raise ArgumentsMalformed(f"the number {digits[:24]}… has too many digits")
    return value


def real(text: str) -> float:
    """A finite float.

    Raises:
        ArgumentsMalformed: it is beyond the range of a double, or all its digits are written out
            and a double cannot hold them.
    """
    value = float(text)
    if value - value != 0.0:
        raise ArgumentsMalformed(f"the number {text[:24]} is out of range")
    if abs(value) >= _EXACT and text.strip("-0123456789.") == "" and Decimal(text) != value:
        raise ArgumentsMalformed(f"the number {text[:24]} has too many digits")
    return value


def has_signs_for_numbers(text: str) -> bool:
    """Whether a text holds ², ½ or ①: its compatibility form (5² → 52) is another number."""
    return not text.isascii() and any(unicodedata.category(char) == "No" for char in text)


def constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities: limits fail open on them."""
    raise ArgumentsMalformed(f"{name[:24]} is not a JSON value")


def members(pairs: Sequence[Member]) -> dict[str, Any]:
    """The object of these members; a key may come twice only with one and the same value.

    Raises:
        ArgumentsMalformed: a key has two values.
    """
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value and json.dumps(value[key]) != json.dumps(item):
            raise ArgumentsMalformed(f"the key {key[:64]!r} is given twice with different values")
        value[key] = item
    return value


def _distinct_members(pairs: list[Member]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Duplicate
    return value


_DISTINCT = json.JSONDecoder(
    parse_int=integer,
    parse_float=real,
    parse_constant=constant,
    object_pairs_hook=_distinct_members,
)
_TOLERANT = json.JSONDecoder(
    parse_int=integer, parse_float=real, parse_constant=constant, object_pairs_hook=members
)


def loads(text: str) -> tuple[Any, tuple[str, ...]]:
    """The JSON value of a text without NUL or surrogates, and notes about what was tidied in it.

    Raises:
        NotJson: the grammar is broken.
        ArgumentsMalformed: a rule is broken, which no repair can mend.
    """
    notes: tuple[str, ...] = ()
    try:
        try:
            value = _DISTINCT.decode(text)
        except _Duplicate:
            value, notes = _TOLERANT.decode(text), (GIVEN_TWICE,)
    except json.JSONDecodeError:
        raise NotJson from None
    except RecursionError:
        raise ArgumentsMalformed(TOO_DEEP) from None
    if text.count("{") + text.count("[") > MAX_DEPTH and deeper_than(value, MAX_DEPTH):
        raise ArgumentsMalformed(TOO_DEEP)
    if "\\u" in text:
        cleaned = clean_value(value)
        if cleaned != value:
            value, notes = cleaned, (*notes, CLEANED)
    return value, notes


def clean_value(value: Any) -> Any:
    """The value with every text in it cleaned (see ``text.clean``)."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_value(item) for item in value]
    if isinstance(value, dict):
        return members([(clean(key), clean_value(item)) for key, item in value.items()])
    return value


def deeper_than(value: Any, limit: int) -> bool:
    """Whether lists and objects are nested more than ``limit`` levels."""
    level = [value]
    for _ in range(limit):
        level = [
            item
            for container in level
            if isinstance(container, dict | list)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return False
    return any(isinstance(item, dict | list) for item in level)
