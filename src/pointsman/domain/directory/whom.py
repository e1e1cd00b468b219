"""Whom a description means: "the head of finance", 研发部除实习生外的所有人, 李明和王芳.

Only one reading is an answer. When words may mean several people, or nobody, or are not understood,
the person who said them is asked, with the candidates; nobody is guessed. The answer is a value
that a journal can hold.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, product
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.directory.duties import with_duty
from pointsman.domain.directory.entries import Directory
from pointsman.domain.directory.lexicon import Lexicon, Meaning, Token
from pointsman.domain.directory.noun_phrases import Phrase, PhraseReader
from pointsman.domain.directory.office_words import LEADERS, folded
from pointsman.domain.directory.possessives import Logins
from pointsman.domain.directory.sharing_words import shared

MOST_CANDIDATES = 20
_LONGEST = 300
_MOST_READINGS = 24
_LEAD_IN = re.compile(
    r"\A(?:请帮我|帮我|请|麻烦|please )?"
    r"(?:发送给|发给|发信给|发消息给|发邮件给|转发给|转给|抄送给?|寄给|通知到?|告诉|告知|提醒|联系|给"
    r"|(?:to:?|send (?:it |this |a message )?to|notify|tell|inform|let|cc|email|message)(?= ))\s*"
)
_SPACE = re.compile("(?<=[\u3400-\u9fff)]) (?=[\u3400-\u9fff])")
"""Between Chinese words it may part a list."""
_LAST_FIRST = re.compile(r"\A([a-z'-]+), ([a-z'-]+)\Z")
_TAIL = re.compile(r"[。.!！?？~～;；,，、\s]+$")


class Unclear(Struct, frozen=True, kw_only=True):
    """Why nobody was found without doubt.

    Attributes:
        why: ``nobody`` fits; ``several`` people may be meant; several departments
            (``department``); one ``or`` another; the words are not understood (``unread``).
        candidates: logins.
        departments: paths, when it is not clear which is meant.
    """

    why: Literal["nobody", "several", "department", "or", "unread"]
    candidates: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()


class Whom(Struct, frozen=True, kw_only=True):
    """Whom words mean: ``people`` (logins), or why that is not clear."""

    words: str
    people: tuple[str, ...] = ()
    unclear: Unclear | None = None


class Recipients:
    """Descriptions of people, read against a directory."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self._lexicon = Lexicon(directory)

    def find(self, words: str, *, asking: str = "", within: Iterable[str] | None = None) -> Whom:
        """Whom the words mean.

        Args:
            asking: login of who says them, for "my manager".
            within: logins; nobody else can be meant.
        """
        text = _TAIL.sub("", _LEAD_IN.sub("", folded(words), count=1))
        if not text or len(text) > _LONGEST:
            return Whom(words=words, unclear=Unclear(why="unread"))
        found = self._found(words, text, asking, within)
        for other in {_SPACE.sub(",", text), _LAST_FIRST.sub(r"\2 \1", text)} - {text}:
            if found.unclear and (again := self._found(words, other, asking, within)).people:
                return again
        return found

    def _found(self, words: str, text: str, asking: str, within: Iterable[str] | None) -> Whom:
        pool = None if within is None else frozenset(within)
        reader = PhraseReader(self.directory, asking, pool)
        found: dict[Logins, None] = {}
        doubts: list[Unclear] = []
        plain = [cover for cover in self._lexicon.covers(text) if _is_known(cover)]
        for covers in (plain, with_duty(text, self._lexicon)):
            for cover in covers:
                try:
                    found |= dict.fromkeys(islice(_Reading(reader).all(cover), _MOST_READINGS))
                except _Doubt as doubt:
                    doubts.append(doubt.unclear)
            if found or doubts:
                break
        if len(found) == 1 and not doubts:
            (people,) = found
            return Whom(words=words, people=tuple(sorted(people)))
        return Whom(words=words, unclear=self._unclear(text, list(found), doubts))

    def _unclear(self, text: str, found: Sequence[Logins], doubts: Sequence[Unclear]) -> Unclear:
        """What to ask with: the candidates of several readings, or people like those named."""
        common = frozenset.intersection(*found) if found else frozenset()
        singles = all(len(one - common) == 1 for one in found)
        people = sorted(frozenset().union(*found) - common) if found and singles else []
        people += [login for one in doubts for login in one.candidates]
        departments = [path for one in doubts for path in one.departments]
        if not found and not doubts:
            people = self._lexicon.near(text)
            return Unclear(why="nobody", candidates=_few(people))
        if found and not singles:
            departments += self._places(text)
        if doubts:
            why = doubts[0].why
        else:
            why = "department" if departments and not people else "several"
        return Unclear(why=why, candidates=_few(people), departments=_few(departments))

    def _places(self, text: str) -> Iterator[str]:
        """The departments of names that several have."""
        for cover in self._lexicon.covers(text):
            for token in cover:
                if len(token.meaning.paths) > 1:
                    yield from token.meaning.paths


def _is_known(cover: Sequence[Token]) -> bool:
    return all(token.kind != "unknown" for token in cover)


class _Doubt(Exception):
    def __init__(self, unclear: Unclear) -> None:
        self.unclear = unclear


Words = Sequence[Token]


class _Reading:
    """The readings of one cover: lists, exceptions, and what words share."""

    def __init__(self, reader: PhraseReader) -> None:
        self._reader = reader

    def all(self, cover: Words) -> Iterator[Logins]:
        if any(token.kind == "or" for token in cover):
            raise _Doubt(Unclear(why="or"))
        for words in _without_slashes(cover):
            base, without = _excepted(words)
            found = list(self._listed(base))
            if without:
                place = [token for token in base if token.kind == "department"]
                found = [less for one in found for less in self._less(one, without, place)]
            yield from found
            if found:
                return

    def _less(self, people: Logins, without: Words, place: Words) -> Iterator[Logins]:
        """The people without those who are excepted, each of whom must be one of them.

        Args:
            place: the departments of the people, for "except the manager".
        """
        removed: set[str] = set()
        narrowed = self._reader.narrowed(people)
        for words in _split(without):
            phrases = narrowed.read([*place, *words] if _is_the_leader(words) else words)
            found = self._readings(narrowed, phrases)
            if len(found) != 1 and not _is_one(words):
                found = self._readings(narrowed, [_every(phrase) for phrase in phrases])
            if len(found) > 1 or not (found or all(phrase.is_bare_job for phrase in phrases)):
                return
            removed |= frozenset().union(*found)
        if removed < people:
            yield people - removed

    @staticmethod
    def _readings(reader: PhraseReader, phrases: Sequence[Phrase]) -> set[Logins]:
        return {one for phrase in phrases for one in reader.readings(phrase)}

    def _listed(self, words: Words) -> Iterator[Logins]:
        """The readings of a list: every choice of one reading for each of its parts."""
        parts = _split(words)
        if len(parts) > 1 and parts[0] and parts[0][0].text == "both":
            parts[0] = parts[0][1:]
        one = list(self._of_parts([self._as_one(words, parts)]))
        if one and any(token.meaning.job for token in parts[1]):
            yield from one  # "Li Ming, accountant" says of one person who he is
            return
        yield from one
        for way in (parts, *self._each_with_relation(parts)):
            yield from self._of_parts(way)

    def _of_parts(self, parts: Sequence[Words]) -> Iterator[Logins]:
        phrases: list[list[Phrase]] = []
        before: Logins = frozenset()
        for words in parts:
            phrases.append(self._reader.read(words, before))
            people = {one for phrase in phrases[-1] for one in self._reader.readings(phrase)}
            before = next(iter(people)) if len(people) == 1 else frozenset()
        if not parts or not all(parts):
            return
        for way in shared(parts, phrases, self._reader.readings):
            readings = [
                dict.fromkeys(one for phrase in part for one in self._reader.readings(phrase))
                for part in way
            ]
            for chosen in islice(product(*readings), _MOST_READINGS):
                yield frozenset().union(*chosen)

    def _as_one(self, words: Words, parts: Sequence[Words]) -> Words:
        """The words of "Li Ming, Finance" as those of one person; empty for any other list."""
        commas = all(token.kind != "and" for token in words)
        if commas and len(parts) == 2 and _is_name(parts[0]) and not _has_name(parts[1]):
            return [*parts[0], *parts[1]]
        return ()

    def _each_with_relation(self, parts: Sequence[Words]) -> Iterator[list[Words]]:
        """李明和王芳的经理 may be the managers of both."""
        tail = self._relation(parts[-1]) if len(parts) > 1 else ()
        if tail and all(_is_name(part) for part in parts[:-1]):
            yield [*([*part, *tail] for part in parts[:-1]), parts[-1]]

    def _relation(self, part: Words) -> Words:
        """的经理 of 王芳的经理; empty when the part says no relation to somebody who is named."""
        for place, (link, word) in enumerate(pairwise(part)):
            leads = word.meaning.job is not None and word.meaning.job.base in LEADERS
            relates = word.kind in ("superior", "subordinates", "team", "assistant") or leads
            if link.kind in ("of", "poss") and relates and _is_name(part[:place]):
                return part[place:]
        return ()


def _without_slashes(cover: Words) -> Iterator[Words]:
    """A slash joins what is said of one person, or else is a comma."""
    if all(token.kind != "slash" for token in cover):
        yield cover
        return
    yield [token for token in cover if token.kind != "slash"]
    yield [_COMMA if token.kind == "slash" else token for token in cover]


_COMMA = Token(",", Meaning("comma"))
_ALL = Token("", Meaning("all"))


def _excepted(cover: Words) -> tuple[Words, Words]:
    """The words of whom is meant, and of who is excepted."""
    words = list(cover)
    begins = [n for n, token in enumerate(words) if token.kind == "except"]
    ends = [n for n, token in enumerate(words) if token.kind == "except_end"]
    if not begins and not ends:
        return words, ()
    if len(begins) > 1 or len(ends) > 1:
        raise _Doubt(Unclear(why="unread"))
    begin = begins[0] if begins else -1
    if not begins:
        inner, outer = _before(words[: ends[0]], words[ends[0] + 1 :])
    elif ends:
        inner, outer = words[begin + 1 : ends[0]], words[: max(begin, 0)] + words[ends[0] + 1 :]
    elif begin > 0:
        inner, outer = words[begin + 1 :], words[:begin]
    else:
        comma = next((n for n, token in enumerate(words) if token.kind == "comma"), len(words))
        inner, outer = words[1:comma], words[comma + 1 :]
    outer = [_ALL if token.kind == "other" else token for token in outer]
    while outer and outer[-1].kind in ("comma", "of"):
        outer.pop()
    while outer and outer[0].kind in ("comma", "of"):
        outer.pop(0)
    if not outer or not inner:
        raise _Doubt(Unclear(why="unread"))
    return outer, inner


def _before(said: Words, after: Words) -> tuple[Words, Words]:
    """Who is excepted by words before "excepted", and the rest: 财务部全员（赵敏除外）,
    研发中心实习生之外的人, 财务部以外的所有人."""
    cuts = [n for n, token in enumerate(said) if token.text in ("(", ",")]
    if cuts:
        return said[cuts[-1] + 1 :], [*said[: cuts[-1]], *after]
    place = next(
        (n for n, token in enumerate(said) if token.kind not in ("department", "of")), len(said)
    )
    return (said[place:], [*said[:place], *after]) if place < len(said) else (said, after)


def _split(words: Words) -> list[Words]:
    parts: list[list[Token]] = [[]]
    for token in words:
        if token.kind in ("and", "comma"):
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if any(token.kind != "stop" for token in part)]


def _is_name(part: Words) -> bool:
    """Whether nothing but a name is said."""
    kinds = {token.kind for token in part} - {"stop", "honorific"}
    return bool(kinds) and kinds <= {"name", "me"}


def _has_name(part: Words) -> bool:
    return any(token.kind in ("name", "me", "my", "his") for token in part)


def _is_the_leader(words: Words) -> bool:
    """Whether "the manager" is said, and not "managers"."""
    said = [token for token in words if token.kind not in ("stop", "of")]
    return (
        len(said) == 1
        and said[0].meaning.job is not None
        and (said[0].meaning.job.base in LEADERS and not said[0].meaning.plural)
    )


def _is_one(words: Words) -> bool:
    """Whether a title is said of one person, as English tells."""
    return any(
        token.meaning.latin and not token.meaning.plural for token in words if token.meaning.job
    )


def _every(phrase: Phrase) -> Phrase:
    """Who is excepted by a title is everybody who has it."""
    return replace(phrase, wants_all=True) if phrase.is_bare_job else phrase


def _few(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(found), MOST_CANDIDATES))
