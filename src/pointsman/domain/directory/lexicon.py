"""The words in which people are described, found in a text: names, departments and titles of a
directory, and the small words between them.

Every character of a description must be a part of a word that is known; what is left over makes it
unread. So nothing is guessed: 张伟明 is not 张伟.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal

from msgspec import Struct

from pointsman.domain.directory.connectives import HONORIFICS, SMALL_WORDS, SURNAME_TITLES
from pointsman.domain.directory.entries import Directory, Person
from pointsman.domain.directory.job_titles import Job, job, stem
from pointsman.domain.directory.numbered_teams import numbered
from pointsman.domain.directory.office_words import (
    BASES,
    FIELDS,
    KINDS_EN,
    LESSER,
    RANKS,
    SHORT,
    folded,
    plural,
)
from pointsman.domain.directory.romanised import spellings, surname
from pointsman.domain.directory.written_forms import phone

Kind = Literal[
    "name", "department", "title", "field", "rank", "head", "all", "everyone", "named",
    "people", "person", "kind", "company", "me", "my", "his", "and", "comma", "slash", "or",
    "one_of", "except", "except_end", "other", "of", "poss", "superior", "subordinates",
    "reporting", "team", "colleagues", "assistant", "plural", "count", "honorific", "stop",
    "unknown",
]  # fmt: skip
_CJK = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile(r"[a-z0-9]")
_WORD = re.compile(r"[a-z0-9]+|.")
CHINESE_NAME = re.compile("[\u3400-\u9fff]{2,6}")
LATIN_NAME = re.compile(r"[a-z][a-z'. -]*[a-z.]")
_JOINED = re.compile(r" & | and |[/、与和及]")
_COSTS = {"word": 10, "addressed": 11, "part of a name": 14, "unknown": 1000}
_MOST_COVERS = 64
_LONGEST = 48


class Meaning(Struct, frozen=True):
    """What a word can mean.

    Attributes:
        level: meanings of a lower level take the place of those of a higher.
        people: logins, of a name.
        paths: of a department.
        plural: more than one is meant.
        latin: it is written in Latin letters.
        number: of a count.
        family: a family name in Latin letters, which nobody has alone.
    """

    kind: Kind
    level: int = 0
    people: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    job: Job | None = None
    plural: bool = False
    latin: bool = False
    number: int = 0
    family: bool = False


class Token(Struct, frozen=True):
    """A word of a text with one of its meanings."""

    text: str
    meaning: Meaning

    @property
    def kind(self) -> Kind:
        return self.meaning.kind


class Lexicon:
    """The words of a directory.

    Attributes:
        names: (name, level) → logins.
    """

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self.names: dict[tuple[str, int], set[str]] = {}
        self._places: dict[tuple[str, int], dict[str, None]] = {}
        self._jobs: dict[str, Meaning] = {}
        self._surnames: dict[str, set[str]] = {}
        self._last: dict[str, set[str]] = {}
        self._families: dict[str, set[str]] = {}
        self._parts: dict[str, set[str]] = {}
        for one in directory.people.values():
            self._add_person(one)
        for path in directory.departments:
            self._add_department(path)
        self._add_jobs()
        self._words = self._gathered()
        self._longest = min(max(map(len, self._words), default=1), _LONGEST)

    def covers(self, text: str) -> list[tuple[Token, ...]]:
        """The readings of a text as words, by the fewest words; few of many."""
        best: list[tuple[int, list[Token]]] = [(0, [])] * (len(text) + 1)
        steps: list[list[tuple[int, Token | None]]] = [[] for _ in text]
        for start in range(len(text) - 1, -1, -1):
            if text[start] == " ":
                best[start], steps[start] = (best[start + 1][0], []), [(start + 1, None)]
                continue
            options = list(self._at(text, start)) or [self._unknown(text, start)]
            costs = [best[end][0] + _COSTS[_rarity(token)] for end, token in options]
            least = min(costs)
            best[start] = (least, [])
            steps[start] = [
                option for option, cost in zip(options, costs, strict=True) if cost == least
            ]

        def walk(place: int) -> Iterator[tuple[Token, ...]]:
            if place >= len(text):
                yield ()
                return
            for end, token in steps[place]:
                for rest in walk(end):
                    yield rest if token is None else (token, *rest)

        return list(islice(walk(0), _MOST_COVERS))

    def family(self, name: str) -> set[str]:
        """Logins of who has a family name in Chinese characters."""
        return self._surnames.get(name, set())

    def _at(self, text: str, start: int) -> Iterator[tuple[int, Token]]:
        """Every word that begins here, with its end."""
        if start and _LETTER.match(text[start]) and _LETTER.match(text[start - 1]):
            return
        known: set[int] = set()
        for end in range(min(len(text), start + self._longest), start, -1):
            if end < len(text) and _LETTER.match(text[end - 1]) and _LETTER.match(text[end]):
                continue
            for meaning in self._words.get(text[start:end], ()):
                known.add(end)
                yield end, Token(text[start:end], meaning)
        for end, people in self._addressed(text, start):
            if end not in known:
                meaning = Meaning("name", 3, frozenset(people))
                yield end, Token(text[start:end], meaning)

    def _unknown(self, text: str, start: int) -> tuple[int, Token]:
        found = _WORD.match(text, start)
        end = found.end() if found else start + 1
        return end, Token(text[start:end], Meaning("unknown"))

    def _addressed(self, text: str, start: int) -> Iterator[tuple[int, set[str]]]:
        """Forms of address with a family name or the end of a given name: 小李, 王经理, 芳姐."""
        one = text[start]
        if one in "小老阿大":
            compound = text[start + 1 : start + 3]
            if len(compound) > 1 and compound in self._surnames:
                yield start + 3, self._surnames[compound]
            other = text[start + 1 : start + 2]
            people = self._surnames.get(other, set()) | (
                self._last.get(other, set()) if one in "小阿" else set()
            )
            if people and other not in SMALL_WORDS:
                yield start + 2, people
        for size in (4, 3, 2):
            people = self._called(text[start : start + size])
            short = SURNAME_TITLES.get(text[start + size : start + size + 1])
            if short and (found := {login for login in people if self._bears(login, short)}):
                yield start + size + 1, found
        for size in (2, 1):
            family = text[start : start + size]
            if family in SMALL_WORDS or len(family) < size:
                continue
            people = self._surnames.get(family, set())
            for end, wanted in self._titled(text, start + size):
                found = {
                    login
                    for login in people or (self._last.get(family, set()) if size == 1 else set())
                    if wanted is None or self._bears(login, wanted)
                }
                if found:
                    yield end, found

    def _called(self, name: str) -> set[str]:
        """Who has a whole or given name in Chinese characters."""
        if not CHINESE_NAME.fullmatch(name):
            return set()
        return self.names.get((name, 0), set()) | self.names.get((name, 2), set())

    def _titled(self, text: str, start: int) -> Iterator[tuple[int, Job | tuple[str, ...] | None]]:
        """Titles that follow a family name; None for one that anybody may have."""
        for end in range(start + 1, min(len(text), start + 8) + 1):
            word = text[start:end]
            if word in HONORIFICS:
                yield end, None
            elif word in SURNAME_TITLES:
                yield end, SURNAME_TITLES[word]
            elif (meaning := self._jobs.get(word)) and meaning.job:
                yield end, meaning.job

    def _bears(self, login: str, wanted: Job | tuple[str, ...]) -> bool:
        """Whether somebody is addressed by a title: a deputy and a product manager are, too."""
        held = self.directory.jobs[login]
        if isinstance(wanted, tuple):
            return any(one.base in wanted for one in held)
        return any(
            one.base == wanted.base
            and wanted.lesser <= one.lesser
            and (not wanted.field or wanted.field == one.field)
            for one in held
        )

    # Building

    def _add_person(self, one: Person) -> None:
        names = [one.name, *one.aliases]
        registered = [*names, one.login, one.number, *one.addresses.values()]
        for word in filter(None, map(folded, registered)):
            self._name(word, 0, one.login)
        for written in filter(None, (one.number, *one.addresses.values())):
            self._name(phone(folded(written)), 0, one.login)
        for name in map(folded, names):
            if CHINESE_NAME.fullmatch(name):
                self._add_chinese(name, one.login, whole=name == folded(one.name))
            elif LATIN_NAME.fullmatch(name):
                self._add_latin(name, one.login)
            elif " " in name and _CJK.search(name):
                self._name(name.replace(" ", ""), 0, one.login)
                self._name(name.split(" ")[0], 2, one.login)

    def _add_chinese(self, name: str, login: str, *, whole: bool) -> None:
        family, given = surname(name), name[len(surname(name)) :]
        if whole:
            self._surnames.setdefault(family, set()).add(login)
            self._last.setdefault(given[-1:], set()).add(login)
            if len(given) > 1:
                self._name(given, 2, login)
        for syllables in spellings(name):
            first = "".join(syllables[: len(family)])
            rest = syllables[len(family) :]
            joined = "".join(rest)
            for said in {joined, " ".join(rest), "-".join(rest)}:
                for word in (f"{first} {said}", f"{said} {first}", f"{first}{said}"):
                    self._name(word, 1, login)
            self._families.setdefault(first, set()).add(login)
            if len(rest) > 1:
                self._name(joined, 2, login)

    def _add_latin(self, name: str, login: str) -> None:
        words = name.replace(".", " ").split()
        plain = name.replace("-", " ").replace(".", " ").split()
        self._name(" ".join(plain), 0, login)
        if len(words) < 2:
            return
        first, last = words[0], words[-1]
        for word in (f"{first} {last}", f"{last} {first}"):
            self._name(word, 1, login)
        for word in (
            f"{first[0]} {last}",
            f"{first[0]}. {last}",
            first,
            last,
            first.replace("-", " "),
        ):
            if len(word) > 1:
                self._name(word, 2, login)
        for word in {first, last}:
            self._parts.setdefault(word, set()).add(login)

    def _name(self, word: str, level: int, login: str) -> None:
        self.names.setdefault((word, level), set()).add(login)

    def _add_department(self, path: str) -> None:
        one = self.directory.departments[path]
        for name in map(folded, (one.name, *one.aliases)):
            for said in (name, name.replace("&", "and")):
                self._place(said, 0, path)
                self._place(stem(said), 1, path)
            for said in _shortened(name):
                self._place(said, 1, path)
            for said, level in numbered(name):
                self._place(said, level, path)
            for part in (stem(name), *map(stem, _JOINED.split(name))):
                self._add_part(part, path)

    def _add_part(self, part: str, path: str) -> None:
        """What a department may be called by a part of its name: its field in either language, a
        word of it, its sound."""
        field = FIELDS.get(part)
        for word in [word for word, of in FIELDS.items() if field and of == field]:
            self._place(word, 2, path)
        for word in part.split() if part.isascii() else ():
            if len(word) > 3 and word not in KINDS_EN:
                self._place(word, 2, path)
        if not field and CHINESE_NAME.fullmatch(part):
            for syllables in spellings(part):
                self._place("".join(syllables), 2, path)

    def _place(self, word: str, level: int, path: str) -> None:
        if len(word) > 1:
            self._places.setdefault((word, level), {})[path] = None

    def _add_jobs(self) -> None:
        titles = {
            folded(t) for one in self.directory.people.values() for t in (*one.titles, *one.roles)
        }
        for word in (*BASES, *SHORT):
            titles.add(word)
            joiner = "" if _CJK.search(word) else " "
            titles |= {
                mark + joiner + word
                for mark in (*RANKS, *LESSER)
                if bool(_CJK.search(mark)) is not bool(joiner)
            }
        for title in titles:
            latin = not _CJK.search(title)
            self._jobs[title] = Meaning("title", job=job(title), latin=latin)
            if latin:
                self._jobs.setdefault(
                    plural(title), Meaning("title", job=job(title), latin=True, plural=True)
                )

    def _namesakes(self, word: str, people: set[str]) -> set[str]:
        """Who else has a registered word as his name: an alias or a login is no clearer than the
        same first name, and an alias that only spells one's own Chinese name tells nobody from
        those who have that name."""
        spelled = set() if self.directory.person(word) else self.names.get((word, 1), set())
        same = {self.directory.people[login].name for login in people & spelled}
        return self._parts.get(word, set()) | {
            login for login in spelled if self.directory.people[login].name in same
        }

    def _gathered(self) -> dict[str, tuple[Meaning, ...]]:
        """Word → what it can mean."""
        found: dict[str, list[Meaning]] = {}
        for (word, level), people in self.names.items():
            if level == 0:
                people = people | self._namesakes(word, people)
            found.setdefault(word, []).append(
                Meaning("name", level, frozenset(people), latin=not _CJK.search(word))
            )
        for word, people in self._families.items():
            found.setdefault(word, []).append(
                Meaning("name", 2, frozenset(people), latin=True, family=True)
            )
        for (word, level), paths in self._places.items():
            if level and word in self._jobs and word not in FIELDS:
                continue  # The CEO is not the CEO's office.
            latin = not _CJK.search(word)
            found.setdefault(word, []).append(
                Meaning("department", level, paths=tuple(paths), latin=latin)
            )
        for word, meaning in self._jobs.items():
            found.setdefault(word, []).append(meaning)
        for word, kinds in SMALL_WORDS.items():
            found.setdefault(word, []).extend(Meaning(*one) for one in kinds)
        for word, mark in RANKS.items():
            found.setdefault(word, []).append(Meaning("rank", job=Job(rank=frozenset({mark}))))
        for word, mark in LESSER.items():
            found.setdefault(word, []).append(Meaning("rank", job=Job(lesser=frozenset({mark}))))
        for word, field in FIELDS.items():
            if not any(one.kind == "department" for one in found.get(word, ())):
                found.setdefault(word, []).append(Meaning("field", job=Job("", field)))
        return {word: tuple(_strongest(meanings)) for word, meanings in found.items()}


def _shortened(name: str) -> Iterator[str]:
    """上海办 of 上海办事处, 华东区 of 华东大区."""
    for ending, short in (("办事处", "办"), ("大区", "区")):
        if name.endswith(ending) and len(name) > len(ending) + 1:
            yield name.removesuffix(ending) + short


def _rarity(token: Token) -> str:
    if token.kind == "unknown":
        return "unknown"
    return {2: "part of a name", 3: "addressed"}.get(
        token.meaning.level if token.kind == "name" else 0, "word"
    )


def _strongest(meanings: Iterable[Meaning]) -> Iterator[Meaning]:
    """Of each kind those of the lowest level; a part of a name only when nothing else is meant,
    and no kind of department where one has that name."""
    given = list(meanings)
    if any(one.kind == "department" and not one.level for one in given):
        given = [one for one in given if one.kind not in ("kind", "team")]
    for kind in dict.fromkeys(one.kind for one in given):
        level = min(one.level for one in given if one.kind == kind)
        if kind == "name" and level == 2 and any(one.kind not in (kind, "rank") for one in given):
            continue
        yield from (one for one in given if one.kind == kind and one.level == level)
