"""What the parts of a list share: 财务部和人事部的经理 are two managers, as "heads of HR and IT".

Where a list may be read in two ways, both are given: they are an answer only when they mean the
same people.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from pointsman.domain.directory.lexicon import Token
from pointsman.domain.directory.noun_phrases import Phrase, Readings

Part = Sequence[Token]
List = list[list[Phrase]]
"""For each part of a list the phrases that it may be."""


def shared(
    parts: Sequence[Part], phrases: List, means: Callable[[Phrase], Readings]
) -> Iterator[List]:
    """The ways to read a list.

    Args:
        means: the readings of a phrase.
    """
    single = all(len(one) == 1 for one in phrases)
    if len(parts) < 2 or not single:
        yield phrases
        return
    flat = [one[0] for one in phrases]
    for way in _ways(parts, flat, means):
        yield [[one] for one in way]


def _ways(
    parts: Sequence[Part], flat: list[Phrase], means: Callable[[Phrase], Readings]
) -> Iterator[list[Phrase]]:
    first, last = flat[0], flat[-1]
    if all(one.is_bare_place for one in flat):
        yield (
            [*(_below(one, last, means) for one in flat[:-1]), last]
            if len(last.places) > 1
            else [first, *(_below(one, first, means, behind=True) for one in flat[1:])]
        )
        return
    of_place = bool(last.places or any(one.field for one in last.jobs))
    if last.jobs and of_place and all(one.is_bare_place for one in flat[:-1]):
        lower = [_below(_with_jobs(one, last), last, means) for one in flat[:-1]]
        yield [*lower, last]
        if _is_one_in_english(parts[-1]):
            yield flat
        return
    if last.sets and last.places and all(one.is_bare_place for one in flat[:-1]):
        yield flat
        named = [replace(one, sets=last.sets, jobs=last.jobs) for one in flat[:-1]]
        if all(means(one) for one in named):
            yield [*named, last]
        return
    behind = _place_is_last(parts[0])
    if behind and first.jobs and all(one.is_bare_place for one in flat[1:]):
        yield [first, *(_with_jobs(one, first) for one in flat[1:])]
        if not (first.plural or first.wants_all):
            yield flat
        return
    if first.sets and first.places and _place_is_last(parts[0]) and flat[1].is_bare_place:
        yield flat
        yield [first, *(replace(one, sets=first.sets) for one in flat[1:])]
        return
    yield from _placed(parts, flat, means)


def _placed(
    parts: Sequence[Part], flat: list[Phrase], means: Callable[[Phrase], Readings]
) -> Iterator[list[Phrase]]:
    """Names and jobs that take the department of a neighbour, and titles that take its "all"."""
    ways: list[list[Phrase]] = [[]]
    place: tuple[tuple[str, ...], ...] = ()
    behind = next(
        (
            one.places
            for part, one in zip(parts, flat, strict=True)
            if one.places and _place_is_last(part)
        ),
        (),
    )
    wants_all = False
    for part, one in zip(parts, flat, strict=True):
        if one.places:
            place = () if _place_is_last(part) else one.places
        if one.jobs and not one.sets and wants_all and not one.wants_all:
            one = replace(one, wants_all=True)
        wants_all = one.wants_all and bool(one.jobs)
        options = _options(one, place or behind, means)
        ways = [[*way, option] for way in ways for option in options]
    yield from ways


def _options(
    one: Phrase, place: tuple[tuple[str, ...], ...], means: Callable[[Phrase], Readings]
) -> list[Phrase]:
    if not place or one.places or not (one.is_bare_name or one.is_bare_job):
        return [one]
    alone, there = means(one), means(replace(one, places=place))
    if not there or alone == there:
        return [one]
    if one.is_bare_name:
        return [one] if len(alone) == 1 else [replace(one, places=place)]
    if one.plural or one.wants_all or len(alone) != 1:
        return [replace(one, places=place)]
    return [one, replace(one, places=place)]


def _below(
    one: Phrase, other: Phrase, means: Callable[[Phrase], Readings], *, behind: bool = False
) -> Phrase:
    """上海和深圳的销售部 are two sales departments: the part of the one that the other names, where
    there is one.

    Args:
        behind: "sales in Shanghai and Shenzhen".
    """
    if len(one.places) != 1 or len(other.places) < 2:
        return one
    own = other.places[:-1] if behind else other.places[1:]
    lower = replace(one, places=(*one.places, *own))
    return lower if means(lower) else one


def _with_jobs(one: Phrase, other: Phrase) -> Phrase:
    jobs = tuple(replace(job, field="") for job in other.jobs) if not other.places else other.jobs
    return replace(one, jobs=jobs, wants_all=other.wants_all, plural=other.plural)


def _place_is_last(part: Part) -> bool:
    """Whether the department stands behind who is in it, as in English, and not in brackets."""
    places = [n for n, token in enumerate(part) if token.kind == "department"]
    others = [n for n, token in enumerate(part) if token.kind in ("name", "title", "head", "me")]
    links = [n for n, token in enumerate(part) if token.kind == "of"]
    if not places or not others or not links:
        return False
    return max(others) < max(links) and max(others) < min(places)


def _is_one_in_english(part: Part) -> bool:
    """Whether a title in the singular ends the list: "finance and HR manager"."""
    titles = [token.meaning for token in part if token.kind == "title"]
    return any(one.latin and not one.plural for one in titles)
