"""The user's words, with an answer to the engine's "which of these do you mean?" put in full.

The engine asks with numbered titles (``domain.routing``). "2" alone says nothing to rules that look
for words, so it is read as the message that led to the question, with the second title. Pure.
"""

import re
from collections.abc import Sequence

from pointsman.domain import routing
from pointsman.domain.intents import Intent
from pointsman.domain.messages import AssistantMessage, Message, UserMessage

_LISTED = re.compile(r"[^\n]*[？?]\n(?P<titles>(?:[1-9]\. [^\n]+\n){2,})[^\n]+")
_SINGLE = re.compile(
    r"[^\n]*「(?P<zh>[^」\n]+)」[^\n]*“是”[^\n]*|[^\n]*“(?P<en>[^”\n]+)”[^\n]*“yes”[^\n]*"
)


def said_in(messages: Sequence[Message]) -> list[str]:
    """The user's messages, oldest first."""
    said: list[str] = []
    asked = ""
    for message in messages:
        if isinstance(message, AssistantMessage):
            asked = message.text
        elif isinstance(message, UserMessage):
            titles = _picked(message.text, asked) if said else ()
            said.append(" ".join((said[-1], *titles)) if titles else message.text)
            asked = ""
    return said


def _picked(text: str, asked: str) -> tuple[str, ...]:
    titles = _titles(asked)
    return routing.picked(text, titles, {title: Intent(name=title) for title in titles})


def _titles(asked: str) -> tuple[str, ...]:
    if found := _LISTED.fullmatch(asked.strip()):
        return tuple(line.split(". ", 1)[1] for line in found["titles"].splitlines())
    if found := _SINGLE.fullmatch(asked.strip()):
        return (found["zh"] or found["en"],)
    return ()
