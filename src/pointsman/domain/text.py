"""Text as it enters and as it is cut: no lone surrogates, no NUL, no half characters."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")
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
