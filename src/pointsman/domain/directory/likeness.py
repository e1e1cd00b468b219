"""People whose names sound or look like what was said: for a question, never for an answer."""

import re
from difflib import get_close_matches
from functools import cached_property

from pointsman.domain.directory.lexicon import CHINESE_NAME, LATIN_NAME, Lexicon
from pointsman.domain.directory.romanised import spellings

_TITLED = re.compile(
    r"(?P<family>[\u3400-\u9fff]{1,2}?)(?:.?[总工董部处科长]|经理|主管|主任|老板|助理)"
)
_LATIN = re.compile(r"[a-z0-9][a-z0-9'._-]*")
_CJK = re.compile("[\u3400-\u9fff]")


class Likeness:
    """Names of a directory by sound and by spelling."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def near(self, text: str) -> list[str]:
        """Logins of people whose name sounds or looks like a part of the text, for a question."""
        found: dict[str, None] = {}
        plain = text.replace(" ", "")
        latin = frozenset(_LATIN.findall(text))
        for (word, level), people in self._lexicon.names.items():
            if (
                level == 0
                and len(word) > 1
                and (word in latin or (_CJK.match(word) and word in plain))
            ):
                found |= dict.fromkeys(sorted(people))
        for part in self._unread(text):
            for size in (3, 2):
                for start in range(len(part) - size + 1):
                    for syllables in spellings(part[start : start + size]):
                        found |= dict.fromkeys(sorted(self._sounds.get(syllables, ())))
        if titled := _TITLED.fullmatch(text):
            found |= dict.fromkeys(sorted(self._lexicon.family(titled["family"])))
        if not found and not _CJK.search(text):
            for word in get_close_matches(text, self._spelled, n=5, cutoff=0.8):
                found |= dict.fromkeys(sorted(self._lexicon.names[word, 0]))
        return list(found)

    def _unread(self, text: str) -> list[str]:
        """The Chinese words of a text that name no department or title."""
        cover = next(iter(self._lexicon.covers(text)), ())
        known = ("department", "title", "kind")
        return CHINESE_NAME.findall(
            "".join(" " if token.kind in known else token.text for token in cover)
        )

    @cached_property
    def _sounds(self) -> dict[tuple[str, ...], set[str]]:
        """Syllables of names in Chinese characters → logins."""
        found: dict[tuple[str, ...], set[str]] = {}
        for (word, level), people in self._lexicon.names.items():
            if level == 0 and CHINESE_NAME.fullmatch(word):
                for syllables in spellings(word):
                    found.setdefault(syllables, set()).update(people)
        return found

    @cached_property
    def _spelled(self) -> list[str]:
        """Names and logins in Latin letters."""
        return [
            word for word, level in self._lexicon.names if level == 0 and LATIN_NAME.fullmatch(word)
        ]
