"""Text as it enters and as it is cut: no lone surrogates, no NUL, no half characters."""

import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNSEEN = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Shows nothing by itself, or turns the order of what stands around it; joiners are part of letters
and pictures."""
_JOINERS = "\u200d\ufe0e\ufe0f"


def clean(text: str) -> str:
    """The text with surrogate pairs combined, lone surrogates as U+FFFD, and no NUL.

    Internet text must not kill a run: UTF-8 encoders, databases and hashes refuse lone surrogates,
    and PostgreSQL refuses NUL.
    """
    if "\x00" in text:
        text = text.replace("\x00", "")
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_value(value: Any) -> Any:
    """A JSON value with every text in it clean."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): clean_value(item) for name, item in value.items()}
    return [clean_value(item) for item in value] if isinstance(value, list | tuple) else value


def cut_bytes(text: str, limit: int) -> str:
    """The longest start of the text of at most ``limit`` UTF-8 bytes that ends on a character and
    not on a joiner or variation selector."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    return encoded[: max(limit, 0)].decode(errors="ignore").rstrip(_JOINERS)


def cut_middle(text: str, limit: int, note: str) -> str:
    """Head and tail of a text of more than ``limit`` characters, with a note between them.

    Args:
        note: a format string with ``{left_out}``, the number of characters left out.
    """
    if len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit - head
    left_out = len(text) - head - tail
    return text[:head].rstrip(_JOINERS) + note.format(left_out=left_out) + text[len(text) - tail :]


def printable(text: str) -> str:
    """The text without control characters other than newline and tab."""
    return _CONTROL.sub("", text)


def visible(text: str) -> str:
    """The text with everything that cannot be seen spelled out, so that nobody agrees to other
    words than he reads: ``[U+202E]``."""
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def one_line(text: str, limit: int = 200) -> str:
    """The text on one line, cut to so many characters."""
    flat = " ".join(printable(text.replace("\r", "\n")).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
