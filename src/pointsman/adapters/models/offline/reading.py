"""Texts read by one agent's rules, each text once: conversations are read again at every question.

Pure but for its memory, which holds only what the same text would give again.
"""

from collections.abc import Callable
from datetime import date
from typing import TypeVar

from pointsman.adapters.models.offline.clauses import Clause, read_clauses
from pointsman.adapters.models.offline.rules import OfflineRules
from pointsman.adapters.models.offline.values import (
    Found,
    changes_values,
    find_free,
    find_known,
)

K = TypeVar("K")
T = TypeVar("T")
_KEPT = 4096


class Reader:
    """What the rules find in a text on a day."""

    def __init__(self, rules: OfflineRules) -> None:
        self.rules = rules
        self._clauses: dict[tuple[str, date | None], tuple[Clause, ...]] = {}
        self._changes: dict[tuple[str, date | None], bool] = {}
        self._known: dict[tuple[str, str, date | None], list[Found]] = {}
        self._free: dict[tuple[str, str], list[Found]] = {}

    def clauses(self, text: str, today: date | None) -> tuple[Clause, ...]:
        return _once(self._clauses, (text, today), lambda: read_clauses(text, self.rules, today))

    def changes(self, text: str, today: date | None) -> bool:
        """Whether the text only changes values of the request before it."""
        return _once(self._changes, (text, today), lambda: changes_values(self.rules, text, today))

    def known(self, name: str, text: str, today: date | None) -> list[Found]:
        rule = self.rules.values[name]
        return _once(self._known, (name, text, today), lambda: find_known(rule, text, today))

    def free(self, name: str, text: str) -> list[Found]:
        rule = self.rules.values[name]
        return _once(self._free, (name, text), lambda: find_free(rule, text))

    def values(self, name: str, text: str, today: date | None) -> list[Found]:
        return self.known(name, text, today) or self.free(name, text)


def _once(memory: dict[K, T], key: K, read: Callable[[], T]) -> T:
    if key not in memory:
        if len(memory) >= _KEPT:
            memory.clear()
        memory[key] = read()
    return memory[key]
