"""Which way a message goes: to an intent's tools, to an answer without tools, or back to the user
with a question. Pure functions of scores and thresholds (R2, R4)."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.intents import Classification, Intent

CANDIDATES = 3
"""Intents that a question names at most."""
NEVER_MIND = "never mind"
PICK = "the user's pick"
"""Why a way is taken that the user was asked for."""
OPEN = "open mode"
"""Why every tool is on offer: the agent has no intents."""

_ASK: dict[Language, tuple[str, str]] = {
    "zh": ("您想办的是哪一件？", "请回复编号，或换个说法。"),
    "en": ("Which of these do you mean?", "Reply with a number, or say it in other words."),
}
_SURE: dict[Language, str] = {
    "zh": "您想办的是「{title}」吗？（回复“是”，或换个说法）",
    "en": "Do you mean “{title}”? (reply “yes”, or say it in other words)",
}
_NUMBERS = {"一": 1, "二": 2, "三": 3, "one": 1, "two": 2, "three": 3}
_NUMBERS |= {
    "first": 1,
    "second": 2,
    "third": 3,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "前者": 1,
    "former": 1,
}
_OF = r"\s*(?:个|项|号|条|种|件|样|那个|一个)?"
_PLACE = re.compile(
    rf"(?:(?:第|no\.?\s*|number\s*|option\s*|#)?\s*(?P<number>\d|[一二三]|one|two|three){_OF}"
    rf"|(?P<word>first|second|third|1st|2nd|3rd|前者|former)|(?P<last>最后{_OF}|last|后者|latter))"
)
_AND = re.compile(r"和|跟|与|以及|还有|、|,|，|\band\b|&|\+")
_ALL = re.compile(
    r"(?:这|以上)?(?:[几两三俩全]?[个项样件]?)?(?:全|都)(?:部|都)?(?:办|查|做|是|需要)?"
    r"|(?:do )?all(?: of (?:them|these))?|everything"
)
_BOTH = re.compile(r"(?:这)?(?:两[个项样件]|俩)|both(?: of (?:them|these))?")
_AROUND = re.compile(
    r"^(?:我|就|那|先|想|要|选|是|请|给|帮|麻烦|办)+|(?:吧|好了|谢谢|就行|就好|啊|呢|要|的)+$"
    r"|^(?:i(?:'d| would)? ?(?:want|mean|like|choose|take|need)\b|let's (?:take|do)\b|please\b)"
    r"|\b(?:the|please|thanks|then|one)\b(?!$)|(?<=[a-z\d]) one$|\b(?:please|thanks)$"
)
"""Words around a pick that say nothing of it."""
_YES = frozenset("yes y yeah yep ok right correct 是 是的 对 对的 嗯 好 好的".split())


class Route(Struct, frozen=True, kw_only=True):
    """Where a run goes; see ``events.RouteChosen``."""

    kind: Literal["tools", "answer", "ask"]
    intents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    why: str = ""


def route(classification: Classification, intents: Mapping[str, Intent]) -> Route:
    """The way of a message.

    Intents at or above their ``accept`` are taken, several if several are. If none is, and some are
    at or above their ``ask``, the user is asked which. Below that the agent answers without tools.
    """
    scored = sorted(
        ((score, name) for name, score in classification.scores.items() if name in intents),
        key=lambda pair: (-pair[0], pair[1]),
    )
    taken = [name for score, name in scored if score >= intents[name].accept]
    if taken and not classification.abstains:
        return to_intents(taken, intents, f"{classification.by}: {_shown(scored, taken)}")
    near = [name for score, name in scored if score >= intents[name].ask][:CANDIDATES]
    if near:
        why = f"{classification.by}: below accept: {_shown(scored, near)}"
        return Route(kind="ask", candidates=tuple(near), why=why)
    best = _shown(scored, [name for _, name in scored[:1]])
    return Route(kind="answer", why=f"{classification.by}: no intent: {best or 'no scores'}")


def to_intents(names: Sequence[str], intents: Mapping[str, Intent], why: str) -> Route:
    """The way to these intents: with their tools, or without when they have none."""
    tools = dict.fromkeys(tool for name in names for tool in intents[name].tools)
    kind: Literal["tools", "answer"] = "tools" if tools else "answer"
    return Route(kind=kind, intents=tuple(names), tools=tuple(tools), why=why)


def _shown(scored: Sequence[tuple[float, str]], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {score:.2f}" for score, name in scored if name in names)


def question(candidates: Sequence[str], intents: Mapping[str, Intent], language: Language) -> str:
    """Which of the candidates is meant, by title."""
    titles = [intents[name].titled(language) for name in candidates]
    if len(titles) == 1:
        return _SURE[language].format(title=titles[0])
    before, after = _ASK[language]
    listed = [f"{number}. {title}" for number, title in enumerate(titles, start=1)]
    return "\n".join([before, *listed, after])


def picked(text: str, candidates: Sequence[str], intents: Mapping[str, Intent]) -> tuple[str, ...]:
    """The candidates that an answer names by number, by title or by name, or all of them; none when
    it names none, or may mean one of several."""
    plain = unicodedata.normalize("NFKC", text).strip().strip("。.!！?？~ ").casefold()
    if len(candidates) == 1 and plain in _YES:
        return (candidates[0],)
    said = _AROUND.sub("", plain).strip(" ,，")
    if _ALL.fullmatch(said) or (len(candidates) == 2 and _BOTH.fullmatch(said)):
        return tuple(candidates)
    places = [_place(one, len(candidates)) for one in _AND.split(said) if one]
    if places and all(place is not None for place in places):
        wanted = {place for place in places if place is not None and 0 <= place < len(candidates)}
        return tuple(candidates[n] for n in sorted(wanted)) if len(wanted) == len(places) else ()
    return _titled(plain, candidates, intents)


def _place(said: str, many: int) -> int | None:
    """The place in a list, from 0, that a number or a word such as "the last one" means."""
    found = _PLACE.fullmatch(said.strip())
    if found is None:
        return None
    if found["last"]:
        return many - 1
    written = found["number"] or found["word"]
    return (int(written) if written.isdecimal() else _NUMBERS[written]) - 1


def _titled(
    plain: str, candidates: Sequence[str], intents: Mapping[str, Intent]
) -> tuple[str, ...]:
    """The candidate whose title or name stands in the answer, or that has the answer in its own;
    several only where the answer is nothing but their titles."""
    titles = {
        name: [t.casefold() for t in (name, *intents[name].title.values()) if t]
        for name in candidates
    }
    named = {name: [t for t in own if t in plain] for name, own in titles.items()}
    longest = {name: max(found, key=len) for name, found in named.items() if found}
    longest = {
        name: title
        for name, title in longest.items()
        if not any(title != other and title in other for other in longest.values())
    }
    if len(longest) > 1:
        rest = plain
        for title in sorted(longest.values(), key=len, reverse=True):
            rest = rest.replace(title, " ", 1)
        return () if _AND.sub("", _AROUND.sub("", rest)).strip() else tuple(longest)
    if not longest and len(plain) > 1:
        part = [name for name, own in titles.items() if any(plain in title for title in own)]
        return tuple(part) if len(part) == 1 else ()
    return tuple(longest)
