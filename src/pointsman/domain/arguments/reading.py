"""From the text that a model wrote as a call's arguments to one JSON object.

Strict JSON first; repairs only where one reading is possible (``json_repair``). Below here nothing
knows the tool's schema, except ``unwrap``. What follows is in ``coercion`` and ``schema_check``.
"""

from typing import Any

from msgspec import Struct

from pointsman.domain.arguments import json_repair, json_text
from pointsman.domain.schemas.schema_reading import is_open, properties
from pointsman.domain.text import clean
from pointsman.errors import ArgumentsMalformed

_WRAPPERS = ("arguments", "parameters", "args", "input", "params", "kwargs", "tool_input")
_TOOL_KEYS = ("name", "tool_name", "tool", "function", "action")
_INSIDE_KEYS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")
_WHOLE_CALLS = ("function", "tool_call", "function_call")
_LAYERS = 2


class Parsed(Struct, frozen=True, kw_only=True):
    """An object, and what had to be mended to read it."""

    value: dict[str, Any]
    notes: tuple[str, ...] = ()


def parse(text: str, *, cut: bool = False) -> Parsed:
    """The object that the text means. Blank text, ``null`` and ``[]`` mean no arguments.

    Args:
        cut: the output limit was hit: nothing is repaired, because what is missing is unknown.

    Raises:
        ArgumentsMalformed: the text is no object, or can be read in more than one way.
    """
    if len(text) > json_text.MAX_CHARS:
        raise ArgumentsMalformed(f"the arguments are longer than {json_text.MAX_CHARS} characters")
    text = clean(text)
    notes: tuple[str, ...] = ()
    for _ in range(_LAYERS + 1):
        value, more = _read(text, cut=cut)
        notes += more
        if isinstance(value, dict):
            return Parsed(value=value, notes=notes)
        if value is None or value == []:
            return Parsed(
                value={}, notes=(*notes, "null or an empty list was read as no arguments")
            )
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            return Parsed(value=value[0], notes=(*notes, "the object was taken out of a list"))
        if not isinstance(value, str):
            break
        text = value
        notes += ("the arguments were encoded twice",)
    raise ArgumentsMalformed("the arguments are not one JSON object")


def _read(text: str, *, cut: bool) -> tuple[Any, tuple[str, ...]]:
    try:
        return json_text.loads(text)
    except json_text.NotJson:
        if cut:
            raise ArgumentsMalformed("the arguments were cut off by the output limit") from None
        if not text.strip():
            return {}, ()
        return json_repair.read_arguments(text)


def unwrap(value: dict[str, Any], *, schema: dict[str, Any], tool: str) -> Parsed:
    """The arguments inside a wrapper that is not in the schema: ``{"parameters": {…}}``,
    ``{"<tool>": {…}}`` or ``{"name": "<tool>", "arguments": {…}}``, in the spellings of several
    models and alone in a list."""
    notes: tuple[str, ...] = ()
    known = properties(schema, schema)
    for _ in range(_LAYERS):
        key = _wrapper(value, tool)
        if not key or key in known or is_open(schema):
            break
        inner = value[key]
        if isinstance(inner, str):
            try:
                inner = parse(inner).value
            except ArgumentsMalformed:
                break
        if isinstance(inner, list) and len(inner) == 1:
            inner = inner[0]
        if not isinstance(inner, dict):
            break
        value = inner
        notes += (f"the arguments were taken out of {key!r}",)
    return Parsed(value=value, notes=notes)


def _wrapper(value: dict[str, Any], tool: str) -> str:
    """The key that holds the real arguments, or nothing."""
    if len(value) == 1:
        only, inner = next(iter(value.items()))
        is_call = only in _WHOLE_CALLS and isinstance(inner, dict) and inner.get("name") == tool
        return only if only in _WRAPPERS or only == tool or is_call else ""
    named = [key for key in _TOOL_KEYS if value.get(key) == tool]
    inside = [key for key in _INSIDE_KEYS if key in value]
    if len(named) == len(inside) == 1 and value.keys() <= {*named, *inside, "type", "id"}:
        return inside[0]
    return ""
