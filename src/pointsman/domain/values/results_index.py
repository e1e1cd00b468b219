"""Values inside tool results, by their place in the JSON."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from pointsman.domain.bounds import kept
from pointsman.domain.phrases import fold, spans
from pointsman.domain.values.natures import Parameter
from pointsman.domain.values.numerals import CHINESE_DIGITS

_MOST_LEAVES = 5000
_SEPARATORS = re.compile(r"[\s\-_./·()#:]+")
_NUMERAL = re.compile(rf"[\d{CHINESE_DIGITS}]")


class Leaf(Struct, frozen=True):
    """One scalar of a result; ``at`` is its path, such as ``$.orders[0].id``, and ``folded`` how it
    reads (width, case)."""

    at: str
    key: str
    value: Any
    folded: str


def leaves_of(result: Any) -> tuple[Leaf, ...]:
    """Every scalar of a result; a text that holds JSON is opened."""
    return _leaves_of_text(result) if isinstance(result, str) else _leaves(result)


@kept(256)
def _leaves_of_text(result: str) -> tuple[Leaf, ...]:
    if result.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return _leaves(json.loads(result))
    return _leaves(result)


def _leaves(result: Any) -> tuple[Leaf, ...]:
    found: list[Leaf] = []
    waiting: list[tuple[str, str, Any]] = [("$", "", result)]
    while waiting and len(found) < _MOST_LEAVES:
        at, key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{at}.{name}", name, item) for name, item in reversed(value.items())]
        elif isinstance(value, list):
            pairs = list(enumerate(value))
            waiting += [(f"{at}[{n}]", key, item) for n, item in reversed(pairs)]
        elif value is not None:
            found.append(Leaf(at, key, value, fold(str(value)).strip()))
    return tuple(found)


def find_leaf(value: Any, wanted: Parameter, leaves: Sequence[Leaf]) -> str | None:
    """Where a result holds the value: as a whole first, then inside a longer text.

    A yes or no, and a choice, mean nothing without their name: the key must be the parameter's.
    """
    named = wanted.nature in ("flag", "choice")
    same = fold(str(value)).strip()
    for leaf in leaves:
        if named and fold(leaf.key) != fold(wanted.name):
            continue
        if isinstance(leaf.value, bool) is not isinstance(value, bool):
            continue
        if leaf.value == value or leaf.folded == same:
            return leaf.at
    if named or not same or isinstance(value, bool):
        return None
    compact = _SEPARATORS.sub("", same)
    for leaf in leaves:
        text = leaf.value if isinstance(leaf.value, str) else ""
        if text and _may_hold(leaf.folded, same, compact, wanted) and spans(value, text):
            return leaf.at
        if wanted.nature == "time" and _same_digits(same, leaf.folded):
            return leaf.at
    return None


def _may_hold(text: str, value: str, compact: str, wanted: Parameter) -> bool:
    """Whether a closer look is worth its time."""
    match wanted.nature:
        case "name" | "place":
            return True
        case "number":
            return bool(_NUMERAL.search(text))
        case "id" | "contact":
            return value in text or compact in _SEPARATORS.sub("", text)
        case _:
            return value in text


def _same_digits(one: str, other: str) -> bool:
    """Whether two written times are the same but for their separators and precision."""
    first, second = (re.sub(r"\D", "", text) for text in (one, other))
    length = min(len(first), len(second))
    return length >= 8 and first[:length] == second[:length]
