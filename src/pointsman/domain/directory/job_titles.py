"""Job titles as they are compared: 高级财务经理 and "senior finance manager" are one job.

A title is read as what kind of job it is (``base``), in which field, of which rank, and whether it
is a lesser one than its base says (a deputy). What is asked for fits what is held exactly, by rank
(an engineer is asked for, a senior engineer is one), or by field (a manager is asked for, a product
manager is one, perhaps).
"""

import re
from collections.abc import Set
from enum import IntEnum
from functools import cache

from msgspec import Struct

from pointsman.domain.directory.office_words import (
    BASES,
    FIELDS,
    KINDS_EN,
    KINDS_ZH,
    LESSER,
    RANKS,
    SHORT,
    WIDER,
    folded,
)

_OF = re.compile(r"(?P<base>.+?) (?:of|for|in) (?:the )?(?P<field>.+)")
_WIDE = re.compile("[\u3400-\u9fff]")


class Job(Struct, frozen=True):
    """A title; unknown ones are their own base. What is asked for may say the field alone."""

    base: str = ""
    field: str = ""
    rank: frozenset[str] = frozenset()
    lesser: frozenset[str] = frozenset()


class Fit(IntEnum):
    """How well a held job fits what was asked for."""

    EXACT = 0
    RANK = 1
    FIELD = 2


@cache
def job(title: str) -> Job:
    """A title, read."""
    text = folded(title)
    text = SHORT.get(text, text)
    if text in BASES:
        return Job(BASES[text])
    if found := _OF.fullmatch(text):
        inner = job(found["base"])
        if inner.base in BASES.values() and not inner.field:
            return Job(inner.base, field_of(found["field"]), inner.rank, inner.lesser)
    joiner = "" if _WIDE.search(text) else " "
    base, rest = _ending(text, joiner)
    rank, lesser, rest = _marks(rest, joiner)
    if not base:
        return Job(text)
    return Job(base, field_of(rest) if rest else "", rank, lesser)


def fit(
    asked: Job, held: Job, fields: Set[str] = frozenset(), own: Set[str] = frozenset()
) -> Fit | None:
    """How a held job fits; None when it does not.

    Args:
        fields: of the department that was named with the question: "the manager in sales" means
            the sales manager.
        own: of the departments of who holds the job: a manager of the sales department is a sales
            manager.
    """
    if not is_kind_of(held.base, asked.base):
        return None
    if asked.lesser != held.lesser or not asked.rank <= held.rank:
        return None
    if asked.field and held.field != asked.field and (held.field or asked.field not in own):
        return None
    if held.field and not asked.field and held.field not in fields:
        return Fit.FIELD
    if asked.base and asked.base != held.base:
        return Fit.FIELD
    return Fit.EXACT if asked.rank == held.rank else Fit.RANK


def is_kind_of(base: str, wider: str) -> bool:
    """Whether a kind of job is another or one of its kinds; everything is of no kind."""
    return wider in ("", base, WIDER.get(base))


@cache
def field_of(name: str) -> str:
    """The field that a department or a part of a title is about, by one name for both languages."""
    text = stem(folded(name))
    return FIELDS.get(text, text)


@cache
def stem(name: str) -> str:
    """A department's name without its kind: 财务 of 财务部."""
    for kind in KINDS_ZH:
        if name.endswith(kind) and len(name) > len(kind) + 1:
            return name[: -len(kind)]
    for kind in KINDS_EN:
        if name.endswith(" " + kind):
            return name[: -len(kind) - 1]
    return name


def _ending(text: str, joiner: str) -> tuple[str, str]:
    """The longest known job at the end, and what stands before it."""
    for start in _starts(text, joiner):
        if found := BASES.get(text[start:]):
            return found, text[:start].strip()
    return "", text


def _starts(text: str, joiner: str) -> list[int]:
    if not joiner:
        return list(range(len(text)))
    return [0, *(place + 1 for place, one in enumerate(text) if one == " ")]


def _marks(rest: str, joiner: str) -> tuple[frozenset[str], frozenset[str], str]:
    """Ranks and lesser marks at either end of what stands before a job, and what is left."""
    found: dict[str, set[str]] = {"rank": set(), "lesser": set()}
    changed = True
    while rest and changed:
        changed = False
        for kind, words in (("lesser", LESSER), ("rank", RANKS)):
            for word, name in words.items():
                if rest == word:
                    rest, changed = "", True
                elif rest.startswith(word + joiner):
                    rest, changed = rest[len(word) :].strip(), True
                elif rest.endswith(joiner + word):
                    rest, changed = rest[: -len(word)].strip(), True
                else:
                    continue
                found[kind].add(name)
                break
    return frozenset(found["rank"]), frozenset(found["lesser"]), rest
