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

from pointsman.domain.directory.cutting import (
    AND,
    Words,
    excepted,
    split,
    uncounted,
    without_slashes,
)
from pointsman.domain.directory.duties import with_duty
from pointsman.domain.directory.entries import Directory
from pointsman.domain.directory.lexicon import Lexicon, Token
from pointsman.domain.directory.likeness import Likeness
from pointsman.domain.directory.noun_phrases import Phrase, PhraseReader
from pointsman.domain.directory.office_words import LEADERS
from pointsman.domain.directory.possessives import Logins
from pointsman.domain.directory.sharing_words import shared
from pointsman.domain.directory.written_forms import others, plain

MOST_CANDIDATES = 20
_LONGEST = 300
_MOST_READINGS = 24
_SPACED = re.compile("(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])")


class Unclear(Struct, frozen=True, kw_only=True):
    """Why nobody was found without doubt.

    Attributes:
        why: ``nobody`` fits; ``several`` people may be meant; several departments
            (``department``); one ``or`` another; the words are not understood (``unread``).
        candidates: logins.
        departments: paths, when it is not clear which is meant.
        besides: logins of those who are meant together with one of the candidates.
        part: of the words, the one part of a list that is not clear.
    """

    why: Literal["nobody", "several", "department", "or", "unread"]
    candidates: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    part: str = ""


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
        self._likeness = Likeness(self._lexicon)

    def find(self, words: str, *, asking: str = "", within: Iterable[str] | None = None) -> Whom:
        """Whom the words mean.

        Args:
            asking: login of who says them, for "my manager".
            within: logins; nobody else can be meant.
        """
        written = words.strip()
        if within is None and written in self.directory.people:
            return Whom(words=words, people=(written,))
        text = plain(words)
        if not text or len(text) > _LONGEST:
            return Whom(words=words, unclear=Unclear(why="unread"))
        found = self._found(words, text, asking, within)
        for other in others(text):
            if found.unclear and (again := self._found(words, other, asking, within)).people:
                return again
        return self._of_a_list(found, text, asking, within) if found.unclear else found

    def _of_a_list(self, found: Whom, text: str, asking: str, within: Iterable[str] | None) -> Whom:
        """The same with the one part of a list that is not clear by itself."""
        cover = next(iter(self._lexicon.covers(text)), ())
        if any(token.kind in ("except", "except_end", "or", "one_of") for token in cover):
            return found
        parts = [_written(part) for part in split(cover)]
        if len(parts) < 2:
            return found
        each = [self._found(part, part, asking, within) for part in parts]
        unclear = [one for one in each if one.unclear]
        if len(unclear) != 1 or not unclear[0].unclear:
            return found
        besides = {login for one in each for login in one.people}
        said = _as_said(unclear[0].words, found.words)
        why = replace(unclear[0].unclear, part=said, besides=tuple(sorted(besides)))
        return replace(found, unclear=why)

    def _found(self, words: str, text: str, asking: str, within: Iterable[str] | None) -> Whom:
        pool = None if within is None else frozenset(within)
        reader = PhraseReader(self.directory, asking, pool)
        found: dict[Logins, None] = {}
        doubts: list[Unclear] = []
        known = [cover for cover in self._lexicon.covers(text) if _is_known(cover)]
        for covers in (known, with_duty(text, self._lexicon)):
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
        if not found and not doubts:
            near = self._likeness.near(text) or self._leaders(text)
            return Unclear(why="nobody", candidates=_few(near))
        common = frozenset.intersection(*found) if found else frozenset()
        singles = all(len(one - common) == 1 for one in found)
        ones = [one - common if singles else one for one in found if singles or len(one) == 1]
        people = sorted(frozenset().union(*ones))
        people += [login for one in doubts for login in one.candidates]
        departments = [path for one in doubts for path in one.departments]
        if found and not singles:
            departments += self._places(text, several=not ones)
        if doubts:
            why = doubts[0].why
        else:
            why = "department" if departments and not people else "several"
        return Unclear(
            why=why,
            candidates=_few(people),
            departments=_few(departments),
            besides=tuple(sorted(common)) if singles and not doubts else (),
        )

    def _leaders(self, text: str) -> Iterator[str]:
        """Who leads the departments that are named with a leader's title that nobody has there."""
        for cover in self._lexicon.covers(text):
            jobs = [token.meaning.job for token in cover if token.meaning.job]
            if _is_known(cover) and any(one.base in LEADERS and not one.lesser for one in jobs):
                paths = [path for token in cover for path in token.meaning.paths]
                yield from filter(None, map(self.directory.head, paths))

    def _places(self, text: str, *, several: bool) -> Iterator[str]:
        """The departments that are named; ``several``: only those of names that several have."""
        for cover in self._lexicon.covers(text):
            for token in cover:
                if len(token.meaning.paths) > several:
                    yield from token.meaning.paths


def _written(words: Sequence[Token]) -> str:
    """The text of words."""
    text = " ".join(token.text for token in words)
    return _SPACED.sub("", text).strip()


def _as_said(part: str, words: str) -> str:
    """A part of a text as it stands there, with its capitals."""
    start = words.casefold().find(part)
    return words[start : start + len(part)] if start >= 0 else part


def _is_known(cover: Sequence[Token]) -> bool:
    return all(token.kind != "unknown" for token in cover)


class _Doubt(Exception):
    def __init__(self, unclear: Unclear) -> None:
        self.unclear = unclear


class _Reading:
    """The readings of one cover: lists, exceptions, and what words share."""

    def __init__(self, reader: PhraseReader) -> None:
        self._reader = reader

    def all(self, cover: Words) -> Iterator[Logins]:
        if any(token.kind in ("or", "one_of") for token in cover):
            raise _Doubt(self._any_of(cover))
        for words in without_slashes(cover):
            found: dict[Logins, None] = {}
            for base, without in excepted(words):
                readings = list(self._listed(base))
                if without:
                    place = [token for token in base if token.kind == "department"]
                    readings = [
                        less for one in readings for less in self._less(one, without, place)
                    ]
                found |= dict.fromkeys(readings)
            yield from found
            if found:
                return

    def _any_of(self, cover: Words) -> Unclear:
        """Who may be meant by one or another."""
        said = [AND if token.kind == "or" else token for token in cover if token.kind != "one_of"]
        people: dict[str, None] = {}
        places: dict[str, None] = {}
        for part in split(said):
            if all(token.kind in ("department", "of", "stop") for token in part):
                places |= dict.fromkeys(path for token in part for path in token.meaning.paths)
            else:
                people |= dict.fromkeys(sorted(frozenset().union(*self._listed(part))))
        return Unclear(why="or", candidates=_few(people), departments=_few(places))

    def _less(self, people: Logins, without: Words, place: Words) -> Iterator[Logins]:
        """The people without those who are excepted, each of whom must be one of them.

        Args:
            place: the departments of the people, for "except the manager".
        """
        removed: set[str] = set()
        narrowed = self._reader.narrowed(people)
        for words in split(without):
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
        parts = uncounted(split(words))
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
        """李明和王芳的经理 and "the manager of Li Ming and Wang Fang" may be those of both."""
        if len(parts) < 2:
            return
        names = [_without_poss(part) for part in parts[:-1]]
        tail = self._relation(parts[-1])
        if tail and all(map(_is_name, names)):
            yield [*([*name, *tail] for name in names), parts[-1]]
        front = self._relation_before(parts[0])
        if front and all(map(_is_name, parts[1:])):
            yield [parts[0], *([*front, *name] for name in parts[1:])]

    def _relation_before(self, part: Words) -> Words:
        """ "The manager of", where somebody is named behind it."""
        for place, (word, link) in enumerate(pairwise(part)):
            if link.text == "of" and _relates(word) and _is_name(part[place + 2 :]):
                return part[: place + 2]
        return ()

    def _relation(self, part: Words) -> Words:
        """的经理 of 王芳的经理; empty when the part says no relation to somebody who is named."""
        for place, (link, word) in enumerate(pairwise(part)):
            if link.kind in ("of", "poss") and _relates(word) and _is_name(part[:place]):
                return part[place:]
        return ()


def _relates(word: Token) -> bool:
    """Whether a word says what somebody is to somebody else."""
    leads = word.meaning.job is not None and word.meaning.job.base in LEADERS
    return leads or word.kind in ("superior", "subordinates", "team", "assistant")


def _without_poss(part: Words) -> Words:
    return part[:-1] if part and part[-1].kind == "poss" else part


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
