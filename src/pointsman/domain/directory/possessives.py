"""Whose: my manager, 李明的上级, the boss of Li Ming, 我们部门, as the people that they mean."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from pointsman.domain.directory.entries import Directory
from pointsman.domain.directory.lexicon import Meaning, Token
from pointsman.domain.directory.office_words import GENERIC, TEAMS
from pointsman.domain.directory.relatives import Relatives, is_leader

Logins = frozenset[str]

_RELATIONS = frozenset({"superior", "subordinates", "team", "colleagues", "assistant"})
_MY = frozenset({"my", "my own", "我的"})
"""Not "our": our accountant is the company's."""
_UNLINKED = frozenset("上级 上司 直属领导 下属 手下 部下".split())
"""Relations that follow a name without 的."""
_ONES_OWN = frozenset(
    ("", "全", "整个", "whole", "entire", "the whole", "the entire", "all", "all of", "all the")
)
_OF_SEVERAL = ("他们的", "their")
_GROUPS = frozenset((*TEAMS, *GENERIC, "团队", "组里", "科", "科室", "处"))
_SAYS_WHOSE = frozenset(
    "name me my his department title head field rank company except except_end".split()
)


class Possessives:
    """Rewrites the words of a phrase for one asker.

    Args:
        me: login of the asker; empty when nobody is known.
        find: the people who may be meant by some words, each by himself.
    """

    def __init__(
        self,
        directory: Directory,
        me: str,
        find: Callable[[list[Token], Logins], list[Logins]],
    ) -> None:
        self._directory, self._me, self._find = directory, me, find
        self._kin = Relatives(directory)

    def _known(self, people: Iterable[str]) -> Logins:
        return frozenset(one for one in people if one in self._directory.people)

    def related(self, words: list[Token], before: Logins) -> Iterator[list[Token]]:
        """The words with every relation (my manager, 李明的上级) replaced by whom it means."""
        words = _without_his(words) if before else _own_group(_without_his(words))
        for place, token in enumerate(words):
            if token.kind in ("my", "his") or self._is_my(words, place):
                yield from self._from_pronoun(words, place, before)
                return
            if place and self._relates(words, place):
                yield from self._from_others(words, place, before)
                return
            if token.kind == "reporting":
                for one in self._find(words[place + 1 :], before):
                    yield [*words[:place], _many(self._directory.reports(*one))]
                return
            if self._relates_to_what_follows(words, place):
                for one in self._find(words[place + 2 :], before):
                    for related in self._relation(one, [token], 0):
                        yield from self.related([*words[:place], *related], before)
                return
        yield words

    def _is_my(self, words: Sequence[Token], place: int) -> bool:
        """Whether "I" says whose: 我领导, 我经理."""
        after = words[place + 1] if place + 1 < len(words) else None
        return (
            words[place].kind == "me"
            and after is not None
            and (after.kind in _RELATIONS or is_leader(after.meaning.job))
        )

    def _from_pronoun(
        self, words: list[Token], place: int, before: Logins
    ) -> Iterator[list[Token]]:
        """My manager; our finance department is just the one."""
        mine = words[place].kind != "his"
        people = self._known({self._me} if mine else before)
        after = place + 1
        while after < len(words) and words[after].kind == "of":
            after += 1
        rest = list(self._relation(people, words, after)) if after < len(words) else []
        for related in rest:
            yield from self.related([*words[:place], *related], before)
        if rest:
            return
        if after >= len(words) or not mine or self._is_of_somebody(words[after]):
            yield [_token(Meaning("unknown"))]
        elif words[after].kind == "title" and words[place].text in _MY and people:
            mine_too = _reported(self._directory.reports(*people))
            yield from self.related([*words[:place], mine_too, *words[after:]], before)
        else:
            yield from self.related([*words[:place], *words[after:]], before)

    @staticmethod
    def _is_of_somebody(token: Token) -> bool:
        """Whether the word says a relation by itself, so that "my" counts."""
        return token.kind in _RELATIONS or token.kind == "kind" or is_leader(token.meaning.job)

    def _relates(self, words: Sequence[Token], place: int) -> bool:
        """Whether the word says a relation to the people before it, or after it."""
        token, link = words[place], words[place - 1].kind
        left = words[:place]
        linked = link in ("poss", "of")
        if not any(map(_is_person, left)):
            by_title = token.kind in ("superior", "subordinates", "assistant")
            return by_title and linked and any(one.kind in ("title", "head") for one in left)
        if token.kind in ("kind", "team"):
            return linked or _is_person(words[place - 1])
        if token.kind == "colleagues":
            return linked and not any(one.kind in ("named", "all", "count") for one in left)
        if token.kind in _RELATIONS:
            return linked or token.text in _UNLINKED
        return token.kind == "title" and linked and is_leader(token.meaning.job)

    def _from_others(self, words: list[Token], place: int, before: Logins) -> Iterator[list[Token]]:
        """李明的上级: the readings of what stands before, each with its relation."""
        left = words[:place]
        while left and left[-1].kind in ("poss", "of"):
            left = left[:-1]
        people = self._find(left, before)
        for one in people:
            for related in self._relation(one, words, place):
                yield from self.related(list(related), before)
        if not people:
            yield [_token(Meaning("unknown"))]

    def _relates_to_what_follows(self, words: Sequence[Token], place: int) -> bool:
        """The manager of Li Ming, but not the manager of finance."""
        token, rest = words[place], words[place + 2 :]
        return (
            (token.kind in _RELATIONS or is_leader(token.meaning.job))
            and place + 2 < len(words)
            and words[place + 1].text == "of"
            and any(map(_is_person, rest))
            and not any(one.kind in ("my", "his") for one in rest)
        )

    def _relation(
        self, people: Logins, words: Sequence[Token], place: int
    ) -> Iterator[list[Token]]:
        """Whom the word at a place means for one person, with the words after it."""
        if len(people) != 1:
            return
        (one,) = people
        token, rest = words[place], list(words[place + 1 :])
        match token.kind:
            case "kind":
                places = self._directory.people[one].departments
                yield [_token(Meaning("department", paths=tuple(places))), token, *rest]
            case "superior":
                yield from ([_named(leader), *rest] for leader in self._kin.leaders(one))
            case "title" if is_leader(token.meaning.job):
                leaders = self._kin.leaders(one, token.meaning.job)
                yield from ([_named(leader), *rest] for leader in leaders)
            case "subordinates":
                yield [_many(self._directory.reports(one)), *rest]
            case "colleagues":
                yield [_many(self._kin.colleagues(one)), *rest]
            case "team":
                yield from ([_many(team), *rest] for team in self._kin.teams(one))
            case "assistant":
                yield from ([_named(other), *rest] for other in self._kin.assistants(one))


def _own_group(words: list[Token]) -> list[Token]:
    """The words of "the whole team" and 部门所有人 as those of "my team": each says only one."""
    kinds = [n for n, token in enumerate(words) if token.kind in ("kind", "team")]
    if not all(words[n].text in _GROUPS for n in kinds):
        return words
    if len(kinds) != 1 or any(token.kind in _SAYS_WHOSE for token in words):
        return words
    (place,) = kinds
    before = [token for token in words[:place] if token.kind != "of"]
    if any(token.kind == "all" and token.text not in _ONES_OWN for token in before[-1:]):
        return words
    return [*(token for token in words[:place] if token.kind != "all"), _MY_OWN, *words[place:]]


def _without_his(words: list[Token]) -> list[Token]:
    """李四他领导 is 李四的领导."""
    if len(words) < 3:
        return words
    between = [
        _OF if _is_his_own(one, his) and relation.kind in _RELATIONS else his
        for one, his, relation in zip(words, words[1:], words[2:], strict=False)
    ]
    return [words[0], *between, words[-1]]


def _is_his_own(one: Token, his: Token) -> bool:
    """Whether "his" says again whose: 李四他, but not 李四他们的."""
    return his.kind == "his" and his.text not in _OF_SEVERAL and _is_person(one)


def _is_person(token: Token) -> bool:
    return token.kind in ("name", "me")


def _token(meaning: Meaning) -> Token:
    return Token("", meaning)


def _named(login: str) -> Token:
    return _token(Meaning("name", people=frozenset({login} if login else ())))


def _reported(people: Logins) -> Token:
    """My: one of those who report to me."""
    return _token(Meaning("name", people=people))


def _many(people: Logins) -> Token:
    return _token(Meaning("name", people=people, plural=True))


_MY_OWN = Token("my", Meaning("my"))
_OF = Token("的", Meaning("of"))
