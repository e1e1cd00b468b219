"""What the collected pieces of a call's arguments say: the first reading that is one JSON object.

Above: ``calls`` and ``deltas``. Nothing is repaired here: arguments without such a reading stay the
text that came, for the engine to judge.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

_MARK = re.compile(r'\\.?|["{}\[\]]', re.DOTALL)
_NOTHING = frozenset({"", "null", '""'})
"""How servers write that a call has no arguments."""


def read_arguments(pieces: Sequence[Any]) -> str:
    """The arguments as JSON text; empty for none.

    The readings, in order: the pieces one after the other; each piece the whole text so far; every
    piece sent twice; the whole said again at the end. Objects are merged by key, later values win.
    """
    texts = [piece for piece in pieces if isinstance(piece, str) and piece]
    if any(_is_value(piece) for piece in pieces):
        return _read_values([piece for piece in pieces if _is_value(piece)], texts)
    joined = "".join(texts)
    if joined.strip() in _NOTHING:
        return ""
    if object_in(joined) is not None:
        return joined
    if len(texts) > 1:
        for reading in _readings(texts):
            if object_in(reading) is not None:
                return reading
    return _last_of_row(joined) or joined


class Nesting:
    """Follows arguments through their pieces, each once: are they blank, open, or closed?"""

    def __init__(self) -> None:
        self.first = self._last = ""
        self._depth = 0
        self._in_text = self._escaped = self._is_value = False

    def feed(self, piece: Any) -> None:
        """Go on by this piece."""
        if not isinstance(piece, str):
            self._is_value = self._is_value or _is_value(piece)
            return
        if stripped := piece.strip():
            self.first = self.first or stripped[0]
            self._last = stripped[-1]
        mark = ""
        for mark in _MARK.findall(piece, int(self._escaped)):
            if mark == '"':
                self._in_text = not self._in_text
            elif mark[0] != "\\" and not self._in_text:
                self._depth += 1 if mark in "{[" else -1
        if piece:
            self._escaped = mark == "\\"

    @property
    def blank(self) -> bool:
        """Nothing has come."""
        return not (self.first or self._is_value)

    @property
    def cut(self) -> bool:
        """The text ends inside a string, an object or an array."""
        return self._in_text or self._depth > 0

    @property
    def closed(self) -> bool:
        """These are arguments from the first brace to the last."""
        return self._is_value or (self.first == "{" and self._last == "}" and not self.cut)


def is_cut(text: str) -> bool:
    """Whether the text ends inside a string, an object or an array."""
    nesting = Nesting()
    nesting.feed(text)
    return nesting.cut


def object_in(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is, or None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def has_grown(was: Any, now: Any) -> bool:
    """Whether the second value is the first, further written."""
    if isinstance(was, str) and isinstance(now, str):
        return now.startswith(was)
    if isinstance(was, dict) and isinstance(now, dict):
        return all(key in now and has_grown(value, now[key]) for key, value in was.items())
    if isinstance(was, list) and isinstance(now, list):
        return len(was) <= len(now) and all(map(has_grown, was, now))
    return bool(was == now)


def as_text(value: Any) -> str:
    """A JSON value as text, characters kept as they are."""
    return json.dumps(value, ensure_ascii=False)


def _is_value(piece: Any) -> bool:
    """Whether a piece is a JSON value by itself; an empty list is how PHP says no arguments."""
    return piece is not None and not isinstance(piece, str) and piece != []


def _read_values(values: Sequence[Any], texts: Sequence[str]) -> str:
    objects = [value for value in values if isinstance(value, dict)]
    if len(objects) < len(values):
        return as_text(values[-1])
    merged: dict[str, Any] = {}
    for value in objects:
        merged.update(value)
    written = read_arguments(texts)
    if not merged:
        return written or "{}"
    if (further := object_in(written)) is not None:
        merged.update(further)
    return as_text(merged)


def _readings(texts: Sequence[str]) -> list[str]:
    readings = []
    if all(map(str.startswith, texts[1:], texts[:-1])):
        readings.append(texts[-1])
    if texts[0::2] == texts[1::2]:
        readings.append("".join(texts[0::2]))
    readings.append(
        "".join(text for place, text in enumerate(texts) if not place or text != texts[place - 1])
    )
    if texts[-1].startswith("".join(texts[:-1])):
        readings.append(texts[-1])
    return readings


def _last_of_row(text: str) -> str | None:
    """The object that a row of objects amounts to when each says the one before again, or more."""
    decoder = json.JSONDecoder()
    position, kept = 0, ""
    value: Any = None
    while position < len(text):
        try:
            found, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or (found and kept and not has_grown(value, found)):
            return None
        if found:
            kept, value = text[position:end], found
        position = end + len(text[end:]) - len(text[end:].lstrip())
    return kept or "{}"
