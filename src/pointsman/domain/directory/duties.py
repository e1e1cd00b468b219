"""People described by what they do: 负责报销的同事, "whoever handles invoices".

The duty must stand in a person's own description, whole; a description that says that he does not
do it does not count.
"""

import re
from collections.abc import Iterator

from pointsman.domain.directory.entries import Person
from pointsman.domain.directory.lexicon import Lexicon, Meaning, Token
from pointsman.domain.directory.office_words import folded

_ZH_DOES = "负责|主管|分管|管理|管|处理|对接|经办|跟进|做|搞|办"
_WHO = (
    "person|people|guy|guys|woman|man|one|ones|colleagues?|coworkers?|someone|somebody|employees?"
    "|staff|member|contact"
)
_PATTERNS = (
    re.compile(
        rf"^(?P<before>.*?)(?P<does>{_ZH_DOES})(?P<what>[^,，、]+?)"
        r"(?:工作|事务|业务|事宜|的事|这一?块)?的"
        r"(?:那个|那位|一位)?(?:同事|员工|人员|老师|同学|负责人|人)?(?P<after>.*)$"
    ),
    re.compile(
        r"^(?P<before>(?:.*[的、,和与])?)(?P<what>[^,，、的]+?)的?"
        r"(?:负责人|对接人|联系人|接口人|经办人|管理人)(?P<after>)$"
    ),
    re.compile(
        rf"^(?P<before>.*?)\b(?:(?:the |a |our )?(?P<who>{_WHO})\b)?,? ?"
        r"(?:who|that|whoever|in charge of"
        r"|responsible for|handling|looking after|managing|doing|running|dealing with) "
        r"(?P<what>[^,]+?)(?P<after>)$"
    ),
)
_LEADS = re.compile(
    r"负责|主管|分管|管理?"
    r"|.*\b(?:who|that|whoever) (?:runs|leads|heads|manages|is in charge of) .*"
    r"|.*\b(?:in charge of|running|leading|managing) .*"
)
_EN_LEADS = re.compile(r"\A(?:is )?(?:runs|leads|heads|manages|in charge of) ")
_NOT = r"(?:不再?|未|没有?|无需|非)(?:{does})?[^,，。;；、]*?"
_EN_NOT = re.compile(r"\b(?:not|no longer|never|except|excluding|without|n't)\b")
_CJK = re.compile("[\u3400-\u9fff]")
_EN_WORD = re.compile(r"[a-z0-9]+")
_MANY = frozenset("people guys ones colleagues coworkers employees staff".split())


def _plain(word: str) -> str:
    """A word without the ending of many or of doing."""
    for ending in ("ing", "es", "s", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)]
    return word


_EN_SKIPPED = frozenset(
    _plain(word)
    for word in (
        "the a an of for and our all any to in on at with is are was does do doing who that charge"
        " responsible handle look after take care manage run work deal s"
    ).split()
)


def with_duty(text: str, lexicon: Lexicon) -> Iterator[tuple[Token, ...]]:
    """The covers of a text in which a duty stands for the people who have it."""
    for pattern in _PATTERNS:
        found = pattern.match(text)
        if not found:
            continue
        people = frozenset(
            login
            for login, one in lexicon.directory.people.items()
            if _does(one, found["what"].strip())
        ) or _leads(found, lexicon)
        who = found.groupdict().get("who") or ""
        duty = Token(found["what"], Meaning("name", 3, people, plural=who in _MANY))
        for before in lexicon.covers(found["before"].strip()):
            for after in lexicon.covers(found["after"].strip()):
                cover = (*before, duty, *after)
                if people and all(token.kind != "unknown" for token in cover):
                    yield cover


def _leads(found: re.Match[str], lexicon: Lexicon) -> frozenset[str]:
    """Who leads the department that a duty names whole: 负责采购部的人, "whoever runs support"."""
    said = found.groupdict().get("does") or found[0]
    what = _EN_LEADS.sub("", found["what"].strip()).removeprefix("the ")
    if not _LEADS.fullmatch(said):
        return frozenset()
    heads = {
        lexicon.directory.head(path)
        for cover in lexicon.covers(what)
        if len(cover) == 1 and cover[0].kind == "department" and not cover[0].meaning.level
        for path in cover[0].meaning.paths
    }
    return frozenset(heads) - {""} if len(heads) == 1 else frozenset()


def _does(one: Person, what: str) -> bool:
    told = folded(one.description)
    if not told or not what:
        return False
    if _CJK.search(what):
        denied = re.search(_NOT.format(does=_ZH_DOES) + re.escape(what), told)
        return what in told and not denied
    wanted = {_plain(word) for word in _EN_WORD.findall(what)} - _EN_SKIPPED
    if not wanted or _EN_NOT.search(what):
        return False
    return any(
        wanted <= {_plain(word) for word in _EN_WORD.findall(clause)}
        for clause in re.split(r"[;,.]", told)
        if not _EN_NOT.search(clause)
    )
