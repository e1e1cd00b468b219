"""Marks in a text that call people in a chat, such as Feishu's ``<at user_id="all">``.

A message goes to whom it names as its recipients, and to nobody by what stands in its text, which
a model or a foreign page may have written: the marks are shown as the names in them.

Source: the vendors' pages on mentions (Feishu ``<at>``, WeCom and Discord ``<@id>``, Slack
``<!channel>``, Discord ``@everyone``).
"""

import re

_WHOLE = re.compile(r"<\s*at\b([^<>]*)>([^<>]*)<\s*/\s*at\s*>", re.IGNORECASE)
_HALF = re.compile(r"<\s*at\s(?P<said>[^<>]*=[^<>]*)>?|<\s*/\s*at\s*>", re.IGNORECASE)
_WHO = re.compile(r"""=\s*["']?([^"'\s>/]+)""")
_ID = re.compile(r"<[@!][!&]?(?:subteam\^)?(\w[^\s<>|]{0,63})(?:\|([^<>\n]{0,80}))?>")
_EVERYBODY = re.compile(r"(?<![\w.])@(?=(?:everyone|here|channel|all|room)\b)", re.IGNORECASE)
_NO_SPACE = "\u200b"


def without_tags(text: str) -> str:
    """The text with every tag that calls somebody as the name that it shows."""
    while True:
        shown = _WHOLE.sub(_shown, text)
        shown = _HALF.sub(_named, shown)
        shown = _ID.sub(lambda found: f"@{(found[2] or found[1]).strip().lstrip('@')}", shown)
        if shown == text:
            return text
        text = shown


def without_pings(text: str) -> str:
    """The same for a chat that is not known, where ``@everyone`` alone may call everybody."""
    return _EVERYBODY.sub("@" + _NO_SPACE, without_tags(text))


def _shown(found: re.Match[str]) -> str:
    who = found[2].strip().lstrip("@") or _who(found[1])
    return f"@{who}" if who else ""


def _named(found: re.Match[str]) -> str:
    who = _who(found["said"] or "")
    return f"@{who}" if who else ""


def _who(attributes: str) -> str:
    found = _WHO.search(attributes)
    return found[1] if found else ""
