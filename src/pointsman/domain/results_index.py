"""Values inside tool results, by their place in the JSON."""

import json
import re
from contextlib import suppress
from typing import Any

from msgspec import Struct

from pointsman.domain.natures import Parameter
from pointsman.domain.phrases import fold, spans

_MOST_LEAVES = 5000
_WHOLE = frozenset(("id", "contact", "name", "place", "words", "text", "time", "number"))


class Leaf(Struct, frozen=True):
    """One scalar of a result; ``at`` is its path, such as ``$.orders[0].id``."""

    at: str
    key: str
    value: Any


def leaves_of(result: Any) -> list[Leaf]:
    """Every scalar of a result; a text that holds JSON is opened."""
    if isinstance(result, str) and result.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            result = json.loads(result)
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
            found.append(Leaf(at, key, value))
    return found


def find_leaf(value: Any, wanted: Parameter, leaves: list[Leaf]) -> str | None:
    """Where a result holds the value: as a whole first, then inside a longer text.

    A yes or no, and a choice, mean nothing without their name: the key must be the parameter's.
    """
    named = wanted.nature in ("flag", "choice")
    same = fold(str(value)).strip()
    for leaf in leaves:
        if named and fold(leaf.key) != fold(wanted.name):
            continue
        if leaf.value == value and isinstance(leaf.value, bool) is isinstance(value, bool):
            return leaf.at
        if not isinstance(leaf.value, bool) and fold(str(leaf.value)).strip() == same:
            return leaf.at
    if named or not same or wanted.nature not in _WHOLE:
        return None
    for leaf in leaves:
        if isinstance(leaf.value, str) and spans(value, leaf.value):
            return leaf.at
        if wanted.nature == "time" and _same_digits(same, str(leaf.value)):
            return leaf.at
    return None


def _same_digits(one: str, other: str) -> bool:
    """Whether two written times are the same but for their separators and precision."""
    first, second = (re.sub(r"\D", "", text) for text in (one, other))
    length = min(len(first), len(second))
    return length >= 8 and first[:length] == second[:length]
