"""Intents by the words and patterns that the agent file names. No training, nothing to install.

A message is read clause by clause, so that one message may want several things. In one clause the
longest words win; when several intents have words of about the same weight in it, none is sure of
it and the user is asked. Without any word the rules abstain.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from pointsman.domain.intents import Classification, Intent
from pointsman.domain.traditional import simplified

SURE = 0.9
LIKELY = 0.75
TORN = 0.5
"""Scores in [0, 1] of an intent: alone in a clause, clearly ahead of others, one of several."""
AHEAD = 2.0
"""How many times the weight of the next intent makes one clearly ahead."""
PATTERN_WEIGHT = 4
"""A pattern that matches weighs as much as a word of so many characters."""

_CLAUSES = re.compile(
    r"[，,。.!！?？;；\n]+|顺便|另外|还有|然后|并且|再帮我|同时"
    r"|\b(?:and also|and then|also|by the way|besides)\b",
    re.IGNORECASE,
)


class _Found(Struct, frozen=True):
    intent: str
    start: int
    end: int
    weight: int
    by_word: bool


class Rules:
    """``ports.Classifier`` by keywords and patterns. Patterns see the whole message."""

    name = "rules"

    def __init__(self, intents: Iterable[Intent]) -> None:
        self._words: list[tuple[str, re.Pattern[str]]] = []
        self._patterns: list[tuple[str, re.Pattern[str]]] = []
        for intent in intents:
            words = sorted({_normal(word) for word in intent.keywords if word}, key=len)
            self._words += [(intent.name, _word(word)) for word in words]
            self._patterns += [
                (intent.name, re.compile(pattern, re.IGNORECASE)) for pattern in intent.patterns
            ]

    async def classify(self, text: str, *, context: Sequence[str]) -> Classification:
        normal = _normal(text)
        ends = [match.end() for match in _CLAUSES.finditer(normal)]
        clauses: dict[int, dict[str, int]] = {}
        for found in _longest(list(self._found(text, normal))):
            weights = clauses.setdefault(bisect_left(ends, found.end), {})
            weights[found.intent] = weights.get(found.intent, 0) + found.weight
        scores: dict[str, float] = {}
        for weights in clauses.values():
            for intent, score in _shares(weights).items():
                scores[intent] = max(score, scores.get(intent, 0.0))
        return Classification(scores=scores, by=self.name, abstains=not scores)

    def _found(self, text: str, normal: str) -> Iterator[_Found]:
        for intent, pattern in self._words:
            for match in pattern.finditer(normal):
                yield _Found(intent, match.start(), match.end(), match.end() - match.start(), True)
        for intent, pattern in self._patterns:
            # A pattern may be written for what the normal form does not have: full-width signs.
            if found := pattern.search(normal) or pattern.search(text):
                yield _Found(intent, found.start(), found.end(), PATTERN_WEIGHT, False)


def _shares(weights: Mapping[str, int]) -> dict[str, float]:
    """The scores of the intents that have words in one clause."""
    if len(weights) < 2:
        return dict.fromkeys(weights, SURE)
    first, second = sorted(weights.values(), reverse=True)[:2]
    if first < AHEAD * second:
        return dict.fromkeys(weights, TORN)
    return {intent: LIKELY if weight == first else TORN / 2 for intent, weight in weights.items()}


def _longest(found: list[_Found]) -> list[_Found]:
    """What is found, without what lies inside a longer word of another intent. A pattern may see
    the whole message and hides nothing."""
    return [
        one
        for one in found
        if not any(
            other.by_word
            and other.intent != one.intent
            and other.start <= one.start
            and one.end <= other.end
            and other.end - other.start > one.end - one.start
            for other in found
        )
    ]


def _normal(text: str) -> str:
    """Half width, lower case, simplified characters."""
    return simplified(unicodedata.normalize("NFKC", text).casefold())


def _word(word: str) -> re.Pattern[str]:
    """A word as it stands in a text: Latin words whole, Chinese ones anywhere."""
    body = re.escape(word)
    if word.isascii():
        return re.compile(rf"(?<![a-z0-9]){body}(?![a-z0-9])")
    return re.compile(body)
