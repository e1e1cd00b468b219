"""Rules over kinds of words: each round of a grammar makes larger pieces of smaller ones.

A text is a row of pieces; each has a kind, written as one character. A rule is a pattern over the
kinds and a function that builds one piece of what it matched. All rules run once, in the order of
their tables; one that can apply to its own product is run until it no longer does. No rule looks at
letters, so the time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from msgspec import Struct

from pointsman.domain.times.kinds import kind, members

_WORD = re.compile(r"(?:<([a-z_|]+)>|([a-z_]+))(?::([a-z_]+))?|\s+")


class Piece(Struct, frozen=True):
    """Words of a text that belong together.

    Attributes:
        kind: one character, from ``kind``.
        start, end: where it stands.
        value: what the kind's rules expect.
    """

    kind: str
    start: int
    end: int
    value: Any


Made = tuple[str, Any] | None
"""The name of a kind and its value, or None where the rule does not apply after all."""


class Found:
    """What a rule matched."""

    __slots__ = ("_match", "_pieces")

    def __init__(self, match: re.Match[str], pieces: list[Piece]) -> None:
        self._match, self._pieces = match, pieces

    def __getitem__(self, name: str) -> Any:
        """The value of the piece with that name in the pattern; None when it is not there."""
        at = self._at(name)
        return self._pieces[at].value if at >= 0 else None

    def __contains__(self, name: str) -> bool:
        return self._at(name) >= 0

    def _at(self, name: str) -> int:
        return self._match.start(name) if name in self._match.re.groupindex else -1

    def is_a(self, name: str, *names: str) -> bool:
        """Whether the piece with that name in the pattern is of one of these kinds."""
        at = self._at(name)
        return at >= 0 and self._pieces[at].kind in map(kind, names)

    def all(self, *names: str) -> list[Piece]:
        """Every matched piece of these kinds."""
        wanted = {kind(name) for name in names}
        return [one for one in self.pieces() if one.kind in wanted]

    def pieces(self) -> list[Piece]:
        return self._pieces[self._match.start() : self._match.end()]


Build = Callable[[Found], Made]


class Rule:
    """A pattern as ``pattern`` reads it, and what is made of what it matches."""

    def __init__(self, words: str, build: Build, *, again: bool) -> None:
        self._words, self.build, self.again = words, build, again

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Made when the first text is read: many processes read none."""
        return pattern(self._words)


def pattern(words: str) -> re.Pattern[str]:
    """A regular expression over kinds. A word is a kind or a set of kinds, ``<a|b>`` is one of
    several, ``kind:name`` names the piece; everything else is as in ``re``, blanks apart."""

    def character(match: re.Match[str]) -> str:
        names = (match[1] or match[2] or "").split("|")
        several = "".join(members(name) for name in names if name)
        one = f"[{several}]" if len(several) > 1 else several
        return f"(?P<{match[3]}>{one})" if match[3] else one

    return re.compile(_WORD.sub(character, words))


class Rules:
    """A table of rules, in the order in which they run."""

    def __init__(self) -> None:
        self.table: list[Rule] = []

    def rule(self, *patterns: str, again: bool = False) -> Callable[[Build], Build]:
        """Adds a rule for each pattern, in this order."""

        def added(build: Build) -> Build:
            self.table += [Rule(words, build, again=again) for words in patterns]
            return build

        return added

    def run(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces after all rules."""
        row = "".join(piece.kind for piece in pieces)
        for rule in self.table:
            row = _applied(rule, row, pieces)
        return pieces


def _applied(rule: Rule, row: str, pieces: list[Piece]) -> str:
    """One rule, left to right; ``pieces`` is changed in place."""
    at = 0
    while (match := rule.pattern.search(row, at)) is not None:
        first, last = match.span()
        made = rule.build(Found(match, pieces))
        if made is None:
            at = first + 1
            continue
        name, value = made
        piece = Piece(kind(name), pieces[first].start, pieces[last - 1].end, value)
        pieces[first:last] = [piece]
        row = f"{row[:first]}{piece.kind}{row[last:]}"
        at = first if rule.again else first + 1
    return row


def merged(pieces: Iterator[Piece]) -> list[Piece]:
    """The pieces, each run of words that mean nothing here as one."""
    row: list[Piece] = []
    nothing = kind("x")
    for piece in pieces:
        if piece.kind == nothing and row and row[-1].kind == nothing:
            row[-1] = Piece(nothing, row[-1].start, piece.end, None)
        else:
            row.append(piece)
    return row
