"""What people may ask an agent, to begin with: requests from its file, or from its intents."""

import re
from collections.abc import Iterable
from itertools import zip_longest

from pointsman.domain.agent import AgentSpec, Language
from pointsman.domain.intents import Intent

MOST = 4
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def examples(spec: AgentSpec, intents: Iterable[Intent]) -> dict[Language, list[str]]:
    """Four example requests at most in each language: those that the agent's file gives, else the
    first of each of its intents that has tools, then their second ones, and so on."""
    return {
        language: list(spec.examples.get(language, ())[:MOST]) or _of(intents, language)
        for language in ("zh", "en")
    }


def _of(intents: Iterable[Intent], language: Language) -> list[str]:
    own = [
        [one for one in intent.examples if language_of(one) == language and len(one) > 3]
        for intent in intents
        if intent.tools
    ]
    turns = (one for turn in zip_longest(*own) for one in turn if one)
    return list(dict.fromkeys(turns))[:MOST]


def language_of(text: str) -> Language:
    """The language of a request, by its letters."""
    return "zh" if _CHINESE.search(text) else "en"
