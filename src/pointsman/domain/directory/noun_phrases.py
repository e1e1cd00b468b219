"""One description of people without "and" and "except", as sets of logins.

Words are conditions, in any order: 财务部的李明, "Li Ming from Finance" and 李明（财务部） are one.
A description has several readings when it may mean several things: one person each for "the
accountant" where there are three, one department each where two have the name. Only one reading is
an answer.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.directory.entries import Directory, is_within
from pointsman.domain.directory.job_titles import Fit, Job, field_of, fit, is_kind_of
from pointsman.domain.directory.lexicon import Token
from pointsman.domain.directory.office_words import LEADERS, PLAIN_HEAD, SEVERAL
from pointsman.domain.directory.possessives import Logins, Possessives
from pointsman.domain.directory.relatives import Relatives, is_any_group

Readings = frozenset[Logins]

NONE: Readings = frozenset()
_WHOLE = ("全", "整个", "the whole", "the entire")
_NOT_OVER_PEOPLE = frozenset({"product", "project", "customer", "channel"})
"""Fields whose managers manage no people: they are not meant by "all managers"."""


class Phrase(Struct, frozen=True, kw_only=True):
    """The conditions of a description.

    Attributes:
        sets: logins, of each name.
        places: paths, of each department that is named; they may have several.
        jobs: titles that are named.
        wants_all: all, everyone.
        collective: people, staff, a team: the many, unless a person or title is named.
        plural: managers, two, 们.
        single: a person, somebody.
        kind: the word that speaks of departments as such, or of teams.
        literal: the title is said in the words of one that somebody holds.
        valid: every word has its place.
    """

    sets: tuple[Logins, ...] = ()
    places: tuple[tuple[str, ...], ...] = ()
    jobs: tuple[Job, ...] = ()
    wants_all: bool = False
    collective: bool = False
    plural: bool = False
    single: bool = False
    kind: str = ""
    company: bool = False
    count: int = 0
    literal: bool = False
    valid: bool = True

    @property
    def is_bare_place(self) -> bool:
        return bool(self.places) and not (self.sets or self.jobs or self.wants_all or self.single)

    @property
    def is_bare_job(self) -> bool:
        return bool(self.jobs) and not (self.sets or self.places)

    @property
    def is_bare_name(self) -> bool:
        return bool(self.sets) and not (self.jobs or self.places)


class PhraseReader:
    """Reads phrases for one asker.

    Args:
        asking: login of who says it; empty when nobody is known.
        within: only these people can be meant.
    """

    def __init__(self, directory: Directory, asking: str, within: Logins | None = None) -> None:
        self._directory, self._kin = directory, Relatives(directory)
        one = directory.person(asking) if asking else None
        self._me = one.login if one else ""
        self._within = directory.members() if within is None else within
        self._whose = Possessives(directory, self._me, self._one_of)

    def narrowed(self, within: Logins) -> "PhraseReader":
        """The same for the same asker among fewer people."""
        return PhraseReader(self._directory, self._me, within & self._within)

    def read(self, tokens: Sequence[Token], before: Logins = frozenset()) -> list[Phrase]:
        """The conditions that a phrase may put: several when it goes on from a person who may be
        one of several.

        Args:
            before: whom "his" means.
        """
        words = [token for token in tokens if token.kind != "stop"]
        return [self._conditions(one) for one in self._whose.related(words, before)]

    def readings(self, phrase: Phrase) -> Readings:
        """What the conditions may mean; none when a word has no place or nobody fits."""
        if not phrase.valid:
            return NONE
        found: set[Logins] = set()
        for scope in self._scopes(phrase):
            found |= self._in(phrase, scope)
        return frozenset(one for one in found if one)

    def _one_of(self, words: list[Token], before: Logins) -> list[Logins]:
        """The people who may be meant, each by himself."""
        people = {
            reading
            for phrase in self.read(words, before)
            for reading in self.readings(phrase)
            if len(reading) == 1
        }
        return sorted(people, key=sorted)

    def _known(self, people: Iterable[str]) -> Logins:
        return frozenset(one for one in people if one in self._directory.people)

    # Conditions

    def _conditions(self, words: Sequence[Token]) -> Phrase:
        phrase, mark = Phrase(), Job()
        for place, token in enumerate(words):
            phrase, mark = self._with(phrase, mark, token)
            last = place == len(words) - 1
            of_title = token.kind == "kind" and place > 0 and words[place - 1].kind == "title"
            breaks_off = (token.kind == "poss" and (last or place == 0)) or (
                last and _goes_on(token)
            )
            if breaks_off or of_title:  # 董事长办公室 is no person.
                return Phrase(valid=False)
        alone = mark.field and mark == Job(field=mark.field) and not phrase.jobs
        if alone and (phrase.sets or (phrase.places and phrase.wants_all)):
            phrase, mark = replace(phrase, jobs=(mark,)), Job()
        begun = bool(words) and words[0].text == "的" and not (phrase.places or phrase.sets)
        valid = phrase.valid and mark == Job() and not begun and _holds(phrase, words)
        return replace(phrase, valid=valid)

    def _with(self, phrase: Phrase, mark: Job, token: Token) -> tuple[Phrase, Job]:
        """The phrase with one more word, and the rank and field that wait for a title."""
        meaning = token.meaning
        match token.kind:
            case "name":
                phrase = replace(phrase, sets=(*phrase.sets, meaning.people))
                if meaning.plural:
                    phrase = replace(phrase, wants_all=True)
            case "me":
                phrase = replace(phrase, sets=(*phrase.sets, self._known({self._me})))
            case "department":
                phrase = replace(phrase, places=(*phrase.places, meaning.paths))
            case "field" | "rank" if meaning.job:
                mark = _marked(mark, meaning.job)
            case "title" if meaning.job:
                named = _marked(meaning.job, mark)
                plural = phrase.plural or meaning.plural
                literal = token.text in self._directory.titles
                phrase = replace(phrase, jobs=(*phrase.jobs, named), plural=plural, literal=literal)
                mark = Job()
            case "head":
                phrase = replace(phrase, jobs=(*phrase.jobs, Job(PLAIN_HEAD)))
            case "all":
                phrase = replace(phrase, wants_all=True)
            case "everyone":
                phrase = replace(phrase, wants_all=True, collective=True)
            case "people" | "team":
                phrase = replace(phrase, collective=True)
            case "person":
                phrase = replace(phrase, single=True)
            case "kind":
                phrase = replace(phrase, kind=token.text)
            case "company":
                whole = phrase.wants_all or token.text.startswith(_WHOLE)
                phrase = replace(phrase, company=True, wants_all=whole)
            case "plural":
                phrase = replace(phrase, plural=True)
            case "count":
                phrase = replace(phrase, count=meaning.number, plural=True)
            case "of" | "poss" | "honorific" | "named":
                pass
            case _:
                phrase = replace(phrase, valid=False)
        return phrase, mark

    def _scopes(self, phrase: Phrase) -> list[str | None]:
        """The departments that may be meant: the lowest of a chain from one named to another."""
        found: dict[str, None] = {}
        for chosen in product(*phrase.places):
            lowest = max(chosen, key=lambda path: path.count("/"), default="")
            if chosen and all(is_within(lowest, one) for one in chosen):
                found[lowest] = None
        return list(found) if phrase.places else [None]

    def _in(self, phrase: Phrase, scope: str | None) -> set[Logins]:
        """The readings within a department."""
        pool = self._directory.members(scope or "") & self._within
        everybody = phrase.wants_all or (phrase.plural and not phrase.single)
        if phrase.sets:
            base = pool.intersection(*phrase.sets)
            base = self._best(base, phrase.jobs, scope)
            return _counted(base, phrase.count) if everybody else _each(base)
        if phrase.jobs:
            if (
                phrase.kind
                and everybody
                and not (phrase.places and phrase.jobs[0].base != PLAIN_HEAD)
            ):
                return {self._kin.heads(phrase.kind, scope or "", phrase.jobs[0]) & pool}
            return self._holders(phrase, scope, pool)
        if phrase.single:
            return {pool} if phrase.wants_all else _each(pool)
        if scope is not None:
            return _counted(pool, phrase.count) if not phrase.kind or not phrase.count else set()
        if phrase.kind and not is_any_group(phrase.kind):
            return set()
        means_all = phrase.wants_all and (phrase.collective or phrase.company or phrase.kind)
        return {pool} if means_all or (phrase.company and not phrase.kind) else set()

    def _best(self, people: Logins, jobs: Sequence[Job], scope: str | None) -> Logins:
        """Those of the people who are named who hold the jobs that are said with the name: who has
        the very title before who has one like it."""
        fits: dict[str, Fit] = {}
        for login in people:
            found = [self._fit(login, wanted, scope) for wanted in jobs]
            found = [
                Fit.EXACT if one.base == PLAIN_HEAD and self._directory.led(login) else how
                for one, how in zip(jobs, found, strict=True)
            ]
            held = [one for one in found if one is not None]
            if len(held) == len(jobs):
                fits[login] = max(held, default=Fit.EXACT)
        best = min(fits.values(), default=None)
        return frozenset(login for login, how in fits.items() if how == best)

    def _fit(self, login: str, wanted: Job, scope: str | None) -> Fit | None:
        own = frozenset(self._fields(self._directory.people[login].departments))
        fields = frozenset(self._fields([scope] if scope else []))
        fits = [fit(wanted, held, fields, own) for held in self._directory.jobs[login]]
        return min((one for one in fits if one is not None), default=None)

    def _fields(self, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            one = self._directory.departments.get(path)
            for name in (one.name, *one.aliases) if one else ():
                yield field_of(name)

    def _holders(self, phrase: Phrase, scope: str | None, pool: Logins) -> set[Logins]:
        """Who holds the jobs."""
        fits: dict[str, Fit] = {}
        for login in pool:
            found = [
                one for job in phrase.jobs if (one := self._fit(login, job, scope)) is not None
            ]
            if len(found) == len(phrase.jobs):
                fits[login] = max(found)
        core = frozenset(login for login, one in fits.items() if one < Fit.FIELD)
        loose = frozenset(fits) - core
        (wanted, *others) = phrase.jobs
        leads = wanted.base in LEADERS - SEVERAL and not (wanted.lesser or wanted.rank or others)
        if (phrase.wants_all or phrase.plural) and not (scope and wanted.base == PLAIN_HEAD):
            many = self._many(core, loose, wanted, pool, literal=phrase.literal)
            return _counted(many, phrase.count)
        if leads and scope is not None:
            return _each(self._leader(wanted, scope, fits, pool))
        exact = frozenset(login for login in core if fits[login] is Fit.EXACT)
        return _each((exact if leads and exact else core) or loose)

    def _many(
        self, core: Logins, loose: Logins, wanted: Job, pool: Logins, *, literal: bool
    ) -> Logins:
        """All who hold a job: all engineers are of any field, all managers are over people, all
        leaders are whoever leads a department.

        Args:
            literal: the job is said in the words of a title that somebody holds.
        """
        if wanted.base not in LEADERS:
            return core | loose
        if wanted == Job(PLAIN_HEAD) and not literal:
            return core | {login for login in pool if self._directory.led(login)}
        over = frozenset(
            login
            for login in loose
            if any(
                is_kind_of(held.base, wanted.base) and held.field not in _NOT_OVER_PEOPLE
                for held in self._directory.jobs[login]
            )
        )
        return core | over if core or over == loose else frozenset()

    def _leader(self, wanted: Job, scope: str, fits: dict[str, Fit], pool: Logins) -> Logins:
        """The manager, head … of a department: of its own members, or else whoever leads it."""
        direct = self._directory.direct(scope)
        lead = frozenset({self._directory.head(scope)} & pool)
        exact = frozenset(login for login in direct if fits.get(login) is Fit.EXACT)
        if wanted.base == PLAIN_HEAD:
            return lead | exact
        if exact:
            return exact
        ranked = frozenset(login for login in fits if fits[login] is not Fit.FIELD)
        others = ranked or frozenset(fits) & direct
        generic = wanted.base in ("manager", "lead") and not wanted.field
        return others | lead if generic or others & lead else others


def _goes_on(token: Token) -> bool:
    """Whether something is missing behind a word: "everyone in"."""
    return token.kind == "of" and token.text.isascii()


def _each(people: Logins) -> set[Logins]:
    return {frozenset({one}) for one in people}


def _counted(people: Logins, count: int) -> set[Logins]:
    return {people} if not count or len(people) == count else set()


def _marked(title: Job, mark: Job) -> Job:
    """A title with the rank and field that were said before it."""
    return Job(
        title.base,
        title.field or mark.field,
        title.rank | mark.rank,
        title.lesser | mark.lesser,
    )


def _is_in_a_name(words: Sequence[Token]) -> bool:
    """Whether a name is said where a department is: "everyone in Grace", 华东的同事."""
    if any(token.kind == "named" for token in words):
        return False
    for one, link, other in zip(words, words[1:], words[2:], strict=False):
        kinds = (one.kind, other.kind)
        in_name = kinds == ("everyone", "name") or kinds in (
            ("name", "everyone"),
            ("name", "people"),
        )
        if link.kind == "of" and in_name and one.text and other.text:
            return True
    return False


def _holds(phrase: Phrase, words: Sequence[Token]) -> bool:
    """Whether every word says something of the people who are named: 林峰团队 is not 林峰, and no
    family name is enough."""
    if not phrase.sets:
        return True
    kinds = {token.kind for token in words}
    if phrase.kind and not phrase.places:
        return False
    if phrase.collective and not (phrase.wants_all or kinds & {"named", "count", "plural"}):
        return False
    if _is_in_a_name(words):
        return False
    alone = len(phrase.sets) == 1 and not (phrase.jobs or phrase.places or "honorific" in kinds)
    return not (alone and any(token.meaning.family for token in words))
