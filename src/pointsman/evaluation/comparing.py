"""Whether a value is the one that was expected, in whatever form it is written: 3 and "3", ２０２６
and 2026, 2026-12-05 and 2026年12月5日. Pure."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pointsman.domain.values.calendar_forms import as_format
from pointsman.evaluation.cases import ArgumentCheck

_ANCHOR = datetime(2000, 1, 1, tzinfo=UTC)
_OFFSET = re.compile(r"(?:Z|[+-]\d{2}:?\d{2})\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d*)(?:\.\d+)?")


def folded(text: str) -> str:
    """The text without what does not matter: width, case, doubled spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def holds(check: ArgumentCheck, arguments: Mapping[str, Any], name: str) -> bool:
    """Whether an argument is what the check wants."""
    if check.kind == "absent" or name not in arguments:
        return (check.kind == "absent") == (name not in arguments)
    got = arguments[name]
    match check.kind:
        case "any":
            return True
        case "matches":
            return re.search(check.value, got if isinstance(got, str) else str(got)) is not None
        case "one_of":
            return any(equal(one, got) for one in check.value)
        case _:
            return equal(check.value, got)


def equal(expected: Any, got: Any) -> bool:
    """Whether two JSON values mean the same."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        return expected.keys() == got.keys() and all(equal(expected[key], got[key]) for key in got)
    if _is_list(expected) and _is_list(got):
        return len(expected) == len(got) and all(map(equal, expected, got))
    if isinstance(expected, bool) or isinstance(got, bool):
        return str(expected).casefold() == str(got).casefold()
    if isinstance(expected, str) and isinstance(got, str):
        return folded(expected) == folded(got) or _same_time(expected, got)
    if expected is None or got is None:
        return expected is got
    numbers = _number(expected), _number(got)
    return None not in numbers and numbers[0] == numbers[1]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _number(value: Any) -> float | int | None:
    """A number, or a text that is one; ``007`` is an id."""
    if isinstance(value, int | float):
        return value
    text = folded(value) if isinstance(value, str) else ""
    return (float(text) if "." in text else int(text)) if _NUMBER.fullmatch(text) else None


def _same_time(expected: str, got: str) -> bool:
    """Whether both are the same day, or the same instant; where one has no offset, its clock."""
    days = [as_format(text, "date", None) for text in (expected, got)]
    if days[0] is not None and days[0] == days[1]:
        return True
    instants = [as_format(text, "date-time", _ANCHOR) for text in (expected, got)]
    if instants[0] is None or instants[1] is None:
        return False
    first, second = (datetime.fromisoformat(text) for text in instants if text)
    if all(_OFFSET.search(text) for text in (expected, got)):
        return first == second
    return first.replace(tzinfo=None) == second.replace(tzinfo=None)
