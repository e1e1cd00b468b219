"""Patterns of many alternatives that are cheap where they find nothing.

A text that holds none of the words of an alternative cannot match it, and to look for a word is
much cheaper than to try a pattern at every place. So each alternative is kept with such words
(``needles``), and only those are tried whose words are there. What is found is what ``re`` finds.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

_TOKEN = re.compile(
    r"(?P<escape>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<open>\((?:\?(?:P<\w+>|:|<?[=!]))?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<repeat>[*+?]|\{\d*,?\d*\})\??|(?P<literal>.)",
    re.DOTALL,
)
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
"""Brackets whose text is not part of the match."""
_MAY_LACK = ("*", "?", "{0", "{,")
"""Repeats that let a match be without the piece before them."""
_APART = bytes(
    ord(letter.lower()) if letter.isalnum() or letter == "_" else ord(" ")
    for letter in map(chr, range(128))
).ljust(256)
"""Every ASCII character that is part of no word → a blank; the others in lower case."""
Needles = frozenset[str]
_NONE: Needles = frozenset()


class Pattern:
    """Alternatives, whatever their case; searched like one ``re.Pattern`` of them all. They are
    read and compiled when a text first needs them.

    Groups of an alternative are known to its matches alone.
    """

    def __init__(self, *alternatives: str) -> None:
        self._given = alternatives
        self._compiled: dict[int, re.Pattern[str]] = {}

    @property
    def source(self) -> str:
        """The alternatives as one regular expression."""
        return "|".join(self._given)

    @property
    def needles(self) -> Needles:
        """The words that are looked for."""
        return frozenset(needle for needle, _ in self._needles)

    @property
    def any_text(self) -> bool:
        """Whether some alternative has no such words, so that every text must be looked at."""
        return bool(self._always)

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(self.source, re.IGNORECASE)

    @cached_property
    def _parts(self) -> list[str]:
        return [one for given in self._given for one in _split(given)]

    @cached_property
    def _needles(self) -> list[tuple[str, int]]:
        return [(one, n) for n, part in enumerate(self._parts) for one in sorted(needles(part))]

    @cached_property
    def _ascii(self) -> list[tuple[str, int]]:
        return [pair for pair in self._needles if pair[0].isascii()]

    @cached_property
    def _always(self) -> set[int]:
        return set(range(len(self._parts))) - {n for _, n in self._needles}

    def search(self, text: str) -> re.Match[str] | None:
        """The leftmost match; of several there, that of the first alternative."""
        best: re.Match[str] | None = None
        for part in self._possible(text):
            match = part.search(text)
            if match is not None and (best is None or match.start() < best.start()):
                best = match
                if match.start() == 0:
                    break
        return best

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match, from left to right, none inside another."""
        return self._whole.finditer(text) if self._possible(text) else iter(())

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the start of the text."""
        return self._whole.match(text)

    def _possible(self, text: str) -> list[re.Pattern[str]]:
        folded = text.casefold()
        held = self._ascii if folded.isascii() else self._needles
        found = {n for needle, n in held if needle in folded}
        return [self._part(n) for n in sorted(found | self._always)]

    def _part(self, n: int) -> re.Pattern[str]:
        found = self._compiled.get(n)
        if found is None:
            found = self._compiled[n] = re.compile(self._parts[n], re.IGNORECASE)
        return found


class Words:
    """Whole words, whatever their case: found where ``\\b(?:…)\\b`` finds one."""

    def __init__(self, *words: str) -> None:
        self._needles = [f" {word} ".encode() for word in words]
        self._whole = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)

    def stand_in(self, text: str) -> bool:
        """Whether one of them stands in the text."""
        if not text.isascii():
            return self._whole.search(text) is not None
        apart = b" %b " % text.encode().translate(_APART)
        return any(needle in apart for needle in self._needles)


class Lexicon:
    """Patterns by name. Asks a text once for the words of all of them."""

    def __init__(self, patterns: Mapping[str, Pattern]) -> None:
        self._patterns = dict(patterns)

    @cached_property
    def _always(self) -> list[str]:
        return [name for name, pattern in self._patterns.items() if pattern.any_text]

    @cached_property
    def _needles(self) -> list[tuple[str, str]]:
        patterns = self._patterns.items()
        return [(needle, name) for name, one in patterns for needle in sorted(one.needles)]

    @cached_property
    def _ascii(self) -> list[tuple[str, str]]:
        return [pair for pair in self._needles if pair[0].isascii()]

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self._patterns.values())

    def possible(self, text: str) -> list[tuple[str, Pattern]]:
        """Those that the text may match, in their order."""
        folded = text.casefold()
        held = self._ascii if folded.isascii() else self._needles
        found = {name for needle, name in held if needle in folded}
        found.update(self._always)
        return [pair for pair in self._patterns.items() if pair[0] in found] if found else []


def needles(alternative: str) -> Needles:
    """Words in lower case of which every match of the pattern holds one; none when no such words
    are known."""
    tokens = list(_TOKEN.finditer(alternative))
    return _needles_of(tokens, 0)[0]


def _needles_of(tokens: list[re.Match[str]], at: int) -> tuple[Needles, int]:
    """Of the alternatives that start at a token, and where they end."""
    branches: list[Needles] = []
    best, run = _NONE, ""
    while at < len(tokens) and tokens[at].lastgroup != "close":
        piece, kind = tokens[at][0], tokens[at].lastgroup
        at += 1
        inner = _NONE
        if kind == "bar":
            branches.append(_better(best, run))
            best, run = _NONE, ""
            continue
        if kind == "open":
            inner, at = _needles_of(tokens, at)
            at += 1
        repeat = tokens[at][0] if at < len(tokens) and tokens[at].lastgroup == "repeat" else ""
        at += bool(repeat)
        plain = kind == "literal" and piece not in ".^$"
        if plain and not repeat:
            run += piece
            continue
        best, run = _better(best, run), ""
        if repeat.startswith(_MAY_LACK) or piece in _LOOKS:
            continue
        best = _better(best, piece) if plain else max(best, inner, key=_worth)
    branches.append(_better(best, run))
    return (frozenset[str]().union(*branches) if all(branches) else _NONE), at


def _better(best: Needles, run: str) -> Needles:
    return max(best, frozenset((run.casefold(),)) if run else _NONE, key=_worth)


def _worth(found: Needles) -> tuple[float, int]:
    """Long words are rare; few are looked for quickly. A Chinese character says as much as three
    Latin letters."""
    if not found:
        return 0.0, 0
    return min(len(one) * (1 if one.isascii() else 3) for one in found), -len(found)


def _split(pattern: str) -> list[str]:
    """The alternatives of a pattern, taken apart where it is not in brackets."""
    depth, start, parts = 0, 0, []
    for token in _TOKEN.finditer(pattern):
        if token.lastgroup == "open":
            depth += 1
        elif token.lastgroup == "close":
            depth -= 1
        elif token.lastgroup == "bar" and depth == 0:
            parts.append(pattern[start : token.start()])
            start = token.end()
    return [*parts, pattern[start:]]
