"""In which language a user is answered: his own, where his words show it."""

import re
from collections.abc import Sequence

from pointsman.domain.agent import Language
from pointsman.domain.messages import Message, UserMessage

_CJK = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"(?<![\w@.:/#-])[A-Za-z]{2,}(?:['’][a-z]+)?(?![\w@:/-]|\.\w)|\b[IaA]\b(?= )")
_FEW = 2
"""Words that may be no more than a name."""


def language_of(text: str) -> Language | None:
    """Chinese where there is any, English where there are Latin words; None for numbers, ids and
    addresses alone."""
    if not text.isascii() and _CJK.search(text):
        return "zh"
    return "en" if _WORD.search(text) else None


def answered_in(messages: Sequence[Message], default: Language, *, asked: bool = False) -> Language:
    """The language of the engine's own sentences to the user's last words: theirs, else that of
    those before.

    Args:
        messages: of the conversation, the latest last.
        default: the agent's.
        asked: a question is open; a name or two in answer to it say nothing of the language.
    """
    said = [one.text for one in messages if isinstance(one, UserMessage)] or [""]
    own = language_of(said[-1])
    if own and not (own == "en" and asked and len(_WORD.findall(said[-1])) <= _FEW):
        return own
    for text in reversed(said[:-1]):
        if earlier := language_of(text):
            return earlier
    return default
