"""Words of choices that mean the same in Chinese and English: 经济舱 is economy, 每周 is weekly.

A small table of what enumerations are made of. An author's own titles in a schema say more, and
come first. A group is one meaning; a word may be in several.
"""

from functools import lru_cache

from pointsman.domain.phrases import fold, kin, occurrences, plain_words, stem, words
from pointsman.domain.values.meaning_table import MEANINGS

_GROUPS = [
    frozenset(fold(word.replace("_", " ")) for word in group.split())
    for line in MEANINGS.strip().splitlines()
    for group in line.split("|")
]
_BY_WORD: dict[str, list[frozenset[str]]] = {}
for _group in _GROUPS:
    for _word in _group:
        _BY_WORD.setdefault(_word, []).append(_group)


@lru_cache(maxsize=4096)
def synonyms(word: str) -> frozenset[str]:
    """Other ways to say the word or phrase, in either language, folded; itself among them."""
    plain = fold(word).replace("_", " ").strip()
    found = frozenset({plain})
    for key in (plain, plain.replace(" ", "-"), plain.replace("-", " ")):
        for group in _BY_WORD.get(key, ()):
            found |= group
    return found


def said(word: str, text: str) -> tuple[int, int] | None:
    """Where a text (folded) says the word in other words, or None.

    Short Latin words must stand alone, others may have another ending; one Chinese character alone
    counts only where no longer word of the table holds it.
    """
    for other in sorted(synonyms(word), key=len, reverse=True):
        if other.isascii():
            if found := next(occurrences(other, text), None):
                return found
        elif len(other) > 1:
            if (at := text.find(other)) >= 0:
                return at, at + len(other)
        else:
            for start, end in occurrences(other, text):
                if _stands_alone(text, start):
                    return start, end
    return None


def _stands_alone(text: str, at: int) -> bool:
    """Whether a single character is a word here: beside punctuation, or 为, 是, 性, 级, 度, 色."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return (not before or before in "的为是选，,、：: (（“\"'度从到" or not before.isalpha()) and (
        not after or after in "级度性色型等的排，,。、；;）)”\"'到优" or not after.isalpha()
    )


def means(option: str, text: str) -> bool:
    """Whether a text says the option: each of its words in any ending, or in the other language."""
    folded = fold(text)
    if said(option, folded):
        return True
    parts = plain_words(option)
    spoken = words(text)
    return bool(parts) and all(
        any(kin(stem(part), word) for word in spoken) or said(part, folded) for part in parts
    )
