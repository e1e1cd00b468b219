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

_ASK: dict[Language, tuple[str, str]] = {
    "zh": ("您想办的是哪一件？", "请回复编号，或换个说法。"),
    "en": ("Which of these do you mean?", "Reply with a number, or say it in other words."),
}
_SURE: dict[Language, str] = {
    "zh": "您想办的是「{title}」吗？（回复“是”，或换个说法）",
    "en": "Do you mean “{title}”? (reply “yes”, or say it in other words)",
}
_NUMBERS = {"一": 1, "二": 2, "两": 2, "三": 3, "first": 1, "second": 2, "third": 3}
_NUMBER = re.compile(r"(?:第|no\.?\s*|number\s*|option\s*|#)?\s*(\d|[一二两三])\s*(?:个|项|号|条)?")
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


def picked(
    text: str, candidates: Sequence[str], intents: Mapping[str, Intent], language: Language
) -> str | None:
    """The candidate that an answer names by number, by title or by name; None when it names none,
    or more than one."""
    plain = unicodedata.normalize("NFKC", text).strip().strip("。.!！ ").casefold()
    if len(candidates) == 1 and plain in _YES:
        return candidates[0]
    number = _NUMBERS.get(plain)
    if number is None and (found := _NUMBER.fullmatch(plain)):
        number = _NUMBERS.get(found[1]) or (int(found[1]) if found[1].isdigit() else None)
    if number is not None:
        return candidates[number - 1] if 0 < number <= len(candidates) else None
    named = [
        name
        for name in candidates
        if any(
            (said := title.casefold()) and (said in plain or (len(plain) > 1 and plain in said))
            for title in (name, *intents[name].title.values())
        )
    ]
    return named[0] if len(named) == 1 else None
