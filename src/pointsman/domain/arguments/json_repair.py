"""Arguments out of text that is nearly JSON, where exactly one reading is possible.

Whatever could be read two ways is refused: a wrong value that is accepted is worse than a
rejection. Below: ``json_reader``. Above: ``arguments`` (which tries strict JSON first) and
``coercion`` (JSON text inside a value).
"""

import html
import json
import re
from typing import Any

from pointsman.domain.arguments import json_text
from pointsman.domain.arguments.json_reader import (
    BLANK,
    CLOSING,
    FULL_WIDTH,
    ONLY_CLOSERS,
    Reader,
)
from pointsman.domain.arguments.json_text import NotJson
from pointsman.errors import ArgumentsMalformed

_GOES_ON = re.compile("\\s*[,:，：\"'“”]")
_MEMBER = re.compile("[\"“”']\\s*[:：]")
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_CONTROL_TOKEN = re.compile(r"\[/?[A-Z][A-Z_]*\]")
_ESCAPED_WHOLE = re.compile(r'\s*[{\[]\s*\\+"')
_HTML_WHOLE = re.compile(r"\s*[{\[]\s*&(quot|apos|#34|#39|#x22|#x27);", re.IGNORECASE)
_DOUBLED_WHOLE = re.compile(r'\s*\{\s*""\w')
_DOUBLED_BRACES = re.compile(r"\s*\{\s*(\{.*\})\s*\}\s*", re.DOTALL)
_PLAIN_QUOTES = str.maketrans("“”＂", '"""')
_CLOSERS_EXTRA = "needless closing brackets were left out"
_BLANKS = "blank characters that JSON does not know were left out"
_PROSE = "text around the object was left out"


def read_value(text: str) -> tuple[Any, tuple[str, ...]]:
    """The one value that the whole text is, nearly JSON allowed.

    Raises:
        ArgumentsMalformed: no single reading.
    """
    try:
        return json_text.loads(text)
    except NotJson:
        reader = Reader(text)
        value = reader.value("the value")
        if reader.peek():
            reader.refuse("something follows the value")
        return json_text.clean_value(value), tuple(reader.notes)


def read_arguments(text: str) -> tuple[Any, tuple[str, ...]]:
    """The object (or the text, list or null that stands for one) in a text that is not JSON.

    Raises:
        ArgumentsMalformed: there is none, there are several, or it can be read two ways.
    """
    for respelled, note in _respellings(text):
        try:
            value, notes = json_text.loads(respelled)
        except NotJson:
            continue
        return value, (note, *notes)
    stripped = text.strip().strip(BLANK).strip()
    body = _THINKING.sub("", stripped, count=1).strip() if stripped[:1] == "<" else stripped
    first: tuple[str, ...] = (_PROSE,) if body != stripped else ()
    if body in ("None", "undefined"):
        return None, ("no arguments were written as " + body,)
    value, notes = _read_quoted(body)
    return json_text.clean_value(value), (*first, *notes) or (_BLANKS,)


def _read_quoted(body: str) -> tuple[Any, tuple[str, ...]]:
    """The value of a text whose curly quotation marks may come in pairs, or stand for plain ones
    (``{“city": "北京"}``); refused when both make sense."""
    plain = body.translate(_PLAIN_QUOTES)
    if plain == body or '"' not in body:
        return _read_body(body)
    try:
        mixed = _read_body(plain)
    except ArgumentsMalformed:
        return _read_body(body)
    try:
        paired = _read_body(body)
    except ArgumentsMalformed:
        if set(mixed[1]) - {FULL_WIDTH}:
            raise
        return mixed[0], (FULL_WIDTH,)
    if paired[0] != mixed[0]:
        raise ArgumentsMalformed("quotation marks of two kinds can be paired in two ways")
    return paired


def _read_body(body: str) -> tuple[Any, tuple[str, ...]]:
    if body[:1] in ("[", "［") and not _CONTROL_TOKEN.match(body):
        return read_value(body)
    if body[:1] in CLOSING and body:
        reader = Reader(body)
        text = reader.string()
        if reader.peek() == ":":
            value: Any = reader.members_without_brace(text)
        else:
            value = text
        if reader.peek():
            reader.refuse("something follows the arguments")
        return value, tuple(reader.notes)
    return _only_object(body)


def _only_object(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The one object in a text; equal copies count once, and an empty one beside it not at all."""
    found: list[dict[str, Any]] = []
    notes: dict[str, None] = {}
    at = 0
    while (start := _next_brace(text, at)) >= 0:
        _leave_out(text[at:start], notes)
        reader = Reader(text, start)
        found.append(reader.object())
        notes |= reader.notes
        at = reader.at
    if not found:
        raise ArgumentsMalformed("there is no JSON object in the arguments")
    if _GOES_ON.match(text, at):
        raise ArgumentsMalformed(f"something follows the object (character {at + 1})")
    _leave_out(text[at:], notes)
    distinct = {json.dumps(value, sort_keys=True): value for value in found}
    if len(distinct) == 2 and distinct.pop("{}", None) is not None:
        found = [value for value in found if value]
        notes["an empty object beside the arguments was left out"] = None
    if len(distinct) > 1:
        raise ArgumentsMalformed(f"the arguments hold {len(distinct)} different objects")
    if len(found) > 1:
        notes["the same object was given more than once"] = None
    return next(iter(distinct.values())), tuple(notes)


def _leave_out(around: str, notes: dict[str, None]) -> None:
    """Note that text around an object is left out; what looks like members of it must not be."""
    if _MEMBER.search(around):
        raise ArgumentsMalformed("there are members outside of the object")
    if around.strip():
        notes[_CLOSERS_EXTRA if ONLY_CLOSERS.fullmatch(around) else _PROSE] = None


def _next_brace(text: str, at: int) -> int:
    places = [place for brace in "{｛" if (place := text.find(brace, at)) >= 0]
    return min(places, default=-1)


def _respellings(text: str) -> list[tuple[str, str]]:
    """The text under each encoding that was put over it as a whole."""
    spelled: list[tuple[str, str]] = []
    if _HTML_WHOLE.match(text):
        spelled.append((html.unescape(text), "HTML entities were decoded"))
    if _ESCAPED_WHOLE.match(text):
        once = _unescaped(text)
        spelled += [(layer, "one layer of escapes was taken off") for layer in once]
    elif '\\\\"' in text:
        spelled.append((text.replace('\\\\"', '\\"'), "quotes were escaped twice"))
    if _DOUBLED_WHOLE.match(text):
        spelled.append((text.replace('""', '"'), "doubled quotes were read as single ones"))
    if braces := _DOUBLED_BRACES.fullmatch(text):
        spelled.append((braces[1], "doubled braces were read as single ones"))
    return spelled


def _unescaped(text: str) -> list[str]:
    layers: list[str] = []
    for _ in range(2):
        try:
            text = json.loads(f'"{text}"', strict=False)
        except ValueError:
            break
        layers.append(text)
    return layers
