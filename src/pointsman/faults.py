"""What pydantic finds wrong in foreign data, as sentences for the person who wrote it.

Used where files and settings enter (``agentfile``, ``settings``, the offline rules). Above: whoever
knows files and lines. It is not the error tree: a fault has a path in the data, and no file.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

Place = tuple[str | int, ...]
"""Keys and indexes from the root of the data."""

_SECRET = re.compile(
    r"(^|[_-])(api[_-]?key|key|secret|password|passwd|pwd|token|access[_-]?key[_-]?(id)?"
    r"|authorization|cookie|credentials?)$",
    re.IGNORECASE,
)
WORDS = r"\S"
"""The pattern of a text that says something: more than spaces and line breaks."""
_EXPECTED = {
    "string_type": "expected text",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "bool_type": "expected true or false",
    "list_type": "expected a list",
    "dict_type": "expected keys and values",
    "model_type": "expected keys and values",
    "model_attributes_type": "expected keys and values",
    "finite_number": "expected a finite number",
}


class Fault(Struct, frozen=True):
    """One thing that is wrong, and what to do about it."""

    place: Place
    problem: str
    hint: str = ""


def looks_secret(key: str) -> bool:
    """Whether a key's name says that its value is a secret."""
    return bool(_SECRET.search(key)) and not key.lower().endswith("key_env")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the nearest known word, else with all of them when they are few."""
    names = [str(name) for name in known]
    near = difflib.get_close_matches(word.lower(), [name.lower() for name in names], 1, 0.6)
    if near:
        return f"did you mean {next(name for name in names if name.lower() == near[0])!r}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 40 else ""


def dotted(place: Place) -> str:
    """``tools[0].mcp.command``."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def faults_of(error: ValidationError, model: type[BaseModel], raw: Any) -> list[Fault]:
    """The faults that pydantic found, each at a place that exists in ``raw``."""
    schema: dict[str, Any] | None = None
    faults = []
    for details in error.errors(include_url=False, include_context=True):
        place = _existing(details["loc"], raw, keep_last=details["type"] == "missing")
        if details["type"] == "extra_forbidden":
            schema = schema or model.model_json_schema()
            known = _keys_at(schema, place[:-1])
            key = str(place[-1])
            faults.append(Fault(place, f"unknown key {key!r}", did_you_mean(key, known)))
        else:
            faults.append(_fault(details, place))
    return faults


def _fault(details: ErrorDetails, place: Place) -> Fault:
    kind, context = details["type"], details.get("ctx", {})
    got = "" if kind == "missing" else f", not {shown(details['input'], place)}"
    match kind:
        case "missing":
            return Fault(place, "this key is required")
        case "literal_error":
            known = [word.strip("'") for word in re.findall(r"'[^']*'", str(context["expected"]))]
            value = details["input"]
            hint = did_you_mean(value, known) if isinstance(value, str) else ""
            hint = "" if hint.startswith("known") else hint
            return Fault(place, f"expected one of {', '.join(known)}{got}", hint)
        case "value_error":
            return Fault(place, str(context["error"]))
        case "too_short" | "string_too_short" if context["min_length"] == 1:
            return Fault(place, "must not be empty")
        case "too_long":
            most, given = context["max_length"], context["actual_length"]
            return Fault(place, f"may hold at most {most}, not {given or 'more'}")
        case "string_pattern_mismatch" if context["pattern"] == WORDS:
            return Fault(place, "must not be blank")
        case _ if kind in _EXPECTED:
            return Fault(place, _EXPECTED[kind] + got)
        case _:
            message = details["msg"]
            return Fault(place, message[:1].lower() + message[1:] + got)


def shown(value: Any, place: Place) -> str:
    """A value as an error may show it: short, and never a secret."""
    if any(
        isinstance(step, str) and (step in ("env", "headers") or looks_secret(step))
        for step in place
    ):
        return "the value given"
    if isinstance(value, Mapping):
        return "keys and values"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _existing(location: tuple[int | str, ...], raw: Any, *, keep_last: bool) -> Place:
    """pydantic's location without the steps that only pydantic knows, such as a union's branch."""
    place: list[str | int] = []
    for number, step in enumerate(location):
        known = step in raw if isinstance(raw, Mapping) else False
        if known or (isinstance(raw, list) and isinstance(step, int) and step < len(raw)):
            raw = raw[step]
        elif not (keep_last and number == len(location) - 1):
            continue
        place.append(step)
    return tuple(place)


def _keys_at(schema: Mapping[str, Any], place: Place) -> list[str]:
    """The keys that a JSON Schema knows at a place."""
    nodes = [schema]
    for step in place:
        nodes = [child for node in nodes for child in _children(node, step, schema)]
    return [
        key
        for node in nodes
        for real in _resolve(node, schema)
        for key in real.get("properties", {})
    ]


def _resolve(node: Mapping[str, Any], root: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "$ref" in node:
        return _resolve(root["$defs"][node["$ref"].rsplit("/", 1)[1]], root)
    branches = [real for branch in node.get("anyOf", ()) for real in _resolve(branch, root)]
    return [node, *branches]


def _children(
    node: Mapping[str, Any], step: str | int, root: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    children: list[Any] = []
    for real in _resolve(node, root):
        if isinstance(step, int):
            children.append(real.get("items"))
        else:
            children.append(real.get("properties", {}).get(step, real.get("additionalProperties")))
    return [child for child in children if isinstance(child, Mapping)]
