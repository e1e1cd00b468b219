"""Conditions of policy rules: a tiny language in which every question has an answer.

Nothing in it fails, loops or calls. Where a name is missing, or two values cannot be compared for
certain, the answer is None, *unknown*, and stays so through ``and``, ``or`` and ``not`` (Kleene's
three values). What looks the same and is not (another case or width, hidden characters) is unknown
too: whoever writes arguments must not slip past a rule by spelling. ``policy`` gives unknown its
meaning: it never loosens.

Texts that are amounts compare as numbers (``1,200.50 元``); a bare number takes any currency, two
units must be the same.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct

from pointsman.domain.condition_syntax import (
    Compare,
    Constant,
    Every,
    Listed,
    Name,
    Node,
    Not,
    Some,
    parse,
    render,
)
from pointsman.domain.condition_syntax import ConditionFault as ConditionFault
from pointsman.domain.values.amounts import MONEY, Amount, read_amount

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?", re.ASCII)
_MISSING = object()


class Condition(Struct, frozen=True):
    """A condition as a tree; ``str(condition)`` writes it again."""

    root: Node

    def __str__(self) -> str:
        return render(self.root)


def compile(text: str) -> Condition:
    """The condition that a text says.

    Raises:
        ConditionFault: says the column and what was expected there.
    """
    return Condition(parse(text))


def evaluate(condition: Condition, names: Mapping[str, Any]) -> bool | None:
    """Whether it holds for these values, or None where that cannot be known.

    Args:
        names: the value of every known name; JSON values.
    """
    return _truth(condition.root, names)


def names_in(condition: Condition) -> frozenset[str]:
    """The names that it reads, with their paths (``to``, ``arguments.to.address``)."""
    return frozenset(render(name) for name in _names(condition.root))


def _names(node: Node) -> Iterator[Name]:
    match node:
        case Name():
            yield node
        case Compare(_, left, right):
            yield from _names(left)
            yield from _names(right)
        case Not(of):
            yield from _names(of)
        case Every(of) | Some(of):
            for part in of:
                yield from _names(part)


def _truth(node: Node, names: Mapping[str, Any]) -> bool | None:
    match node:
        case Compare(operator, left, right):
            return _compare(operator, _value(left, names), _value(right, names))
        case Not(of):
            return _opposite(_truth(of, names))
        case Every(of):
            return _opposite(_some(_opposite(_truth(part, names)) for part in of))
        case Some(of):
            return _some(_truth(part, names) for part in of)
        case _:
            value = _value(node, names)
            return value if isinstance(value, bool) else None


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _some(truths: Iterator[bool | None]) -> bool | None:
    unknown = False
    for truth in truths:
        if truth:
            return True
        unknown = unknown or truth is None
    return None if unknown else False


def _value(node: Node, names: Mapping[str, Any]) -> Any:
    match node:
        case Constant(value):
            return value
        case Listed(items):
            return [item.value for item in items]
        case Name(path):
            return _found(path, names)
        case _:
            truth = _truth(node, names)
            return _MISSING if truth is None else truth


def _found(path: tuple[str | int, ...], names: Mapping[str, Any]) -> Any:
    value: Any = names
    for step in path:
        if isinstance(value, Mapping):
            value = value.get(step, _MISSING)
        elif isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return _MISSING
    return value


def _compare(operator: str, left: Any, right: Any) -> bool | None:
    if left is _MISSING or right is _MISSING:
        return None
    match operator:
        case "==":
            return _equal(left, right)
        case "!=":
            return _opposite(_equal(left, right))
        case "<":
            return _less(left, right)
        case ">":
            return _less(right, left)
        case "<=":
            return _opposite(_less(right, left))
        case ">=":
            return _opposite(_less(left, right))
        case "in":
            return _contains(right, left)
        case "not in":
            return _opposite(_contains(right, left))
        case "contains":
            return _contains(left, right)
        case "startswith":
            return _of_texts(left, right, str.startswith)
        case _:
            return _of_texts(left, right, str.endswith)


def _equal(left: Any, right: Any) -> bool | None:
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) != len(right):
            return False
        pairs = zip(left, right, strict=True)
        return _opposite(_some(_opposite(_equal_single(one, other)) for one, other in pairs))
    return _equal_single(left, right)


def _equal_single(left: Any, right: Any) -> bool | None:
    """Whether two values that are no lists are equal."""
    if left is None or right is None:
        return left is right
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right if isinstance(left, bool) and isinstance(right, bool) else None
    if isinstance(left, str) and isinstance(right, str):
        if left == right:
            return True
        alike = _folded(left) == _folded(right) or _ordered(left, right) == 0
        return None if alike else False
    order = _ordered(left, right)
    return None if order is None else order == 0


def _less(left: Any, right: Any) -> bool | None:
    order = _ordered(left, right)
    if order is not None:
        return order < 0
    if not (isinstance(left, str) and isinstance(right, str)):
        return None
    dates = _DATE.fullmatch(left) and _DATE.fullmatch(right) and len(left) == len(right)
    return left.replace("T", " ") < right.replace("T", " ") if dates else None


def _ordered(left: Any, right: Any) -> int | None:
    """-1, 0 or 1 for two amounts of the same kind, else None."""
    one, other = _amount(left), _amount(right)
    if one is None or other is None or not _same_kind(one.unit, other.unit):
        return None
    return (one.value > other.value) - (one.value < other.value)


def _same_kind(one: str, other: str) -> bool:
    return one == other or (one == "" and other in MONEY) or (other == "" and one in MONEY)


def _amount(value: Any) -> Amount | None:
    if isinstance(value, str):
        return read_amount(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return Amount(value=number) if number.is_finite() else None


def _contains(holder: Any, item: Any) -> bool | None:
    if isinstance(holder, list | tuple):
        return _some(_equal(one, item) for one in holder)
    return _of_texts(holder, item, str.__contains__)


def _of_texts(left: Any, right: Any, test: Any) -> bool | None:
    if not (isinstance(left, str) and isinstance(right, str)):
        return None
    if test(left, right):
        return True
    return None if test(_folded(left), _folded(right)) else False


def _folded(text: str) -> str:
    """The text without case, width, hidden characters and extra blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    shown = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    return " ".join(shown.split())
