"""Words and patterns of the rule language, looked for in a text.

Traditional characters are read as simplified ones where a pattern finds nothing in the text as it
stands; places are those of the text.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from pointsman.domain.traditional import simplified


class Words(Struct, frozen=True):
    """Words and patterns that mean the same.

    Attributes:
        gate: matches where any of them does, so that most texts are passed over at once; None when
            the patterns cannot be joined.
    """

    patterns: tuple[re.Pattern[str], ...] = ()
    gate: re.Pattern[str] | None = None

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Every match of every word, in no order."""
        if self.gate and not seen(self.gate, text):
            return
        for pattern in self.patterns:
            yield from (found for found in matches(pattern, text) if found.end() > found.start())

    def in_(self, text: str) -> bool:
        return next(self.matches(text), None) is not None

    def whole(self, text: str) -> bool:
        forms = dict.fromkeys((text, simplified(text)))
        return any(pattern.fullmatch(form) for pattern in self.patterns for form in forms)


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Every match in the text, or in its simplified form where there is none."""
    none = True
    for found in pattern.finditer(text):
        none = False
        yield found
    if none and (folded := simplified(text)) != text:
        yield from pattern.finditer(folded)


def seen(pattern: re.Pattern[str], text: str) -> bool:
    return next(matches(pattern, text), None) is not None


def joined(patterns: Sequence[re.Pattern[str]]) -> re.Pattern[str] | None:
    """One expression for all; None where groups of different patterns would get into each other's
    way."""
    if not patterns or any(pattern.groups for pattern in patterns):
        return None
    return re.compile("|".join(f"(?:{p.pattern})" for p in patterns), re.IGNORECASE)
