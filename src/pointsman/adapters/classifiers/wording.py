"""The form in which the learned classifier reads a text. Pure."""

import re

from pointsman.domain.phrases import fold
from pointsman.domain.text import clean

LONGEST = 1000
_NUMBER = re.compile(r"\d(?:[ -]?\d){4,}")


def plain(text: str) -> str:
    """The start of a text with width and case made the same and long numbers as 0: which order it
    is says nothing of what is wanted, and the embedding of a sentence turns with its digits."""
    return _NUMBER.sub("0", fold(clean(text[:LONGEST])))
