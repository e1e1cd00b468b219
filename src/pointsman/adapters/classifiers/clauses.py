"""A message cut where one request ends and the next may begin. Pure."""

import re

LONGEST = 2000
"""Characters of a message that are read; the rest is ignored, so that the time is bounded."""
MOST = 6
"""Clauses that are looked at."""

_BREAK = re.compile(
    r"[。！？!?；;\n]+"
    r"|\.(?=\s|$)"
    r"|[，,、]?\s*(?:然后|接着|另外|并且|而且|同时|顺便|此外|还有|以及|再(?=[帮给查看问来发]))[，,]?"
    r"|[,;]?\s*\b(?:and then|and also|and please|as well as|then also|then|also|besides"
    r"|in addition|by the way|plus)\b,?",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[一-鿿]|[^\W\d_]+")


def sentences(text: str) -> list[str]:
    """The parts between full stops and words such as 然后 or "and then"; one if there is no cut."""
    return _long_enough(_BREAK.split(text[:LONGEST]))


def _long_enough(parts: list[str]) -> list[str]:
    """Parts that can say something: two Chinese characters or two words, joined numbers aside."""
    stripped = [part.strip(" \t，,.、") for part in parts]
    return [part for part in stripped if len(_LETTER.findall(part)) >= 2][:MOST]
