"""What of a tool's schema providers accept: an object at the root, no references, not too large.

The wire form is only what the model is shown; arguments are validated against the original. Losing
a tool over its schema is worse than showing a loose one, so this never fails. Foreign schemas are
hostile until shown otherwise: recursion is unrolled to a fixed depth, work and size are bounded,
and no reference leaves the document (cases M09, M10, M12).
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pointsman.domain.schemas.keywords import items_of, legal
from pointsman.domain.schemas.schema_reading import (
    Schema,
    as_schema,
    local_target,
    normalised,
    properties,
    required,
    resolve,
    seen_before,
    types,
)

MAX_BYTES = 64 * 1024
MAX_RECURSION = 3

_MAX_NODES = 2000
_MAX_NESTING = 24
_BRANCHES = 32
_VALUE = 200
_SENTENCE = 600
_RULES = 2000
_DROPPED = frozenset(
    "$schema $id $defs $comment $anchor $dynamicRef $dynamicAnchor $vocabulary definitions".split()
)
_ROOT_ONLY = frozenset(
    "allOf anyOf oneOf not if then else dependentRequired dependentSchemas $ref".split()
)
_NAMED = ("properties", "patternProperties", "dependentSchemas")
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
)

_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)


class _TooLarge(Exception):
    """The schema does not fit at this depth of recursion."""


def wire_schema(parameters: Any) -> tuple[Schema, tuple[str, ...]]:
    """The schema as sent, and sentences for the tool's description that say what it no longer says.

    Args:
        parameters: any JSON value that was given as the schema of a tool's arguments.
    """
    root = normalised(parameters)
    flat = _flat_root(root)
    notes = _rules(root)
    for recursion in (MAX_RECURSION, 1, 0):
        try:
            wire = _Inliner(root, recursion).schema(flat)
        except _TooLarge:
            continue
        if len(json.dumps(wire, ensure_ascii=False).encode("utf-8", "replace")) <= MAX_BYTES:
            return wire, notes
    return _outline(flat, root), (*notes, "Only an outline of the parameters is shown.")


def _flat_root(root: Schema) -> Schema:
    """The root as a plain object schema: what its combinators name becomes its own properties."""
    found = resolve(root, root)
    flat = {key: value for key, value in found.items() if key not in _ROOT_ONLY}
    flat["type"] = "object"
    flat["properties"] = properties(root, root)
    if needed := required(root, root):
        flat["required"] = list(needed)
    return flat


class _Inliner:
    """Copies a schema with every local reference replaced by what it points to."""

    def __init__(self, root: Schema, recursion: int) -> None:
        self._root = root
        self._recursion = recursion
        self._inside: Counter[str] = Counter()
        self._nodes = 0
        self._stubs: dict[str, Schema] = {}

    def schema(self, node: Any, nesting: int = 0) -> Schema:
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise _TooLarge
        node = as_schema(node)
        reference = node.get("$ref")
        if reference is None:
            if nesting > _MAX_NESTING:
                return legal({"type": node.get("type", "object"), **_words(node)})
            return self._copied(node, nesting)
        beside = {key: value for key, value in node.items() if key != "$ref"}
        target = local_target(reference, self._root)
        if target is None:
            return self._copied(beside, nesting)
        if self._inside[reference] >= self._recursion or nesting > _MAX_NESTING:
            if reference not in self._stubs:
                self._stubs[reference] = _stub(target, self._root)
            return {**self._stubs[reference], **_words(beside)}
        self._inside[reference] += 1
        try:
            return self.schema({**as_schema(target), **beside}, nesting + 1)
        finally:
            self._inside[reference] -= 1

    def _copied(self, node: Schema, nesting: int) -> Schema:
        copy: Schema = {}
        for key, value in node.items():
            if key in _DROPPED or key.startswith("x-"):
                continue
            if key in _NAMED:
                named = as_schema(value)
                copy[key] = {name: self.schema(sub, nesting + 1) for name, sub in named.items()}
            elif key == "items":
                copy[key] = self.schema(items_of(value), nesting + 1)
            elif key in _LISTED and isinstance(value, list):
                copy[key] = [self.schema(sub, nesting + 1) for sub in value]
            elif key in _SINGLE and isinstance(value, dict):
                copy[key] = self.schema(value, nesting + 1)
            else:
                copy[key] = value
        return legal(copy)


def _stub(node: Any, root: Schema) -> Schema:
    """A node's type and words, without what is inside."""
    accepted = sorted(types(node, root) or {"object"})
    return legal(
        {"type": accepted[0] if len(accepted) == 1 else accepted, **_words(as_schema(node))}
    )


def _words(node: Schema) -> Schema:
    return {key: node[key] for key in ("title", "description") if isinstance(node.get(key), str)}


def _outline(flat: Schema, root: Schema) -> Schema:
    """Names and types only, as many properties as fit; required ones first."""
    needed = [name for name in flat.get("required", []) if isinstance(name, str)]
    outline: dict[str, Schema] = {}
    size = 0
    for name in dict.fromkeys([*needed, *flat["properties"]]):
        accepted = sorted(types(flat["properties"].get(name), root) or ())
        node: Schema = {"type": accepted[0] if len(accepted) == 1 else accepted} if accepted else {}
        size += 2 * len(name.encode("utf-8", "replace")) + 64
        if size > MAX_BYTES:
            break
        outline[name] = legal(node)
    return {
        "type": "object",
        "properties": outline,
        "required": [name for name in needed if name in outline],
    }


def _rules(root: Schema) -> tuple[str, ...]:
    """The root's combinators in words."""
    told: dict[str, None] = {}
    length = 0
    for sentence in _sentences(root, root, set()):
        short = sentence if len(sentence) <= _SENTENCE else sentence[:_SENTENCE] + "…"
        length += len(short)
        if length > _RULES:
            break
        told[short] = None
    return tuple(told)


def _sentences(part: Any, root: Schema, seen: set[str]) -> Iterator[str]:
    if seen_before(part, seen):
        return
    schema = resolve(part, root)
    for branch in _some(schema.get("allOf")):
        yield from _sentences(branch, root, seen)
    for word, lead in (("anyOf", "At least one"), ("oneOf", "Exactly one")):
        options = [_condition(branch, root) for branch in _some(schema.get(word))]
        if options:
            listed = "; ".join(f"({n}) {option}" for n, option in enumerate(options, 1))
            yield f"{lead} of these must hold: {listed}."
    if "not" in schema:
        yield f"This must not hold: {_condition(schema['not'], root)}."
    if "if" in schema and "then" in schema:
        yield f"If {_condition(schema['if'], root)}, then {_condition(schema['then'], root)}."
    if "if" in schema and "else" in schema:
        yield f"Unless {_condition(schema['if'], root)}, {_condition(schema['else'], root)}."
    for name, needed in as_schema(schema.get("dependentRequired")).items():
        yield f"If {_given(name)}, then {_all_given(needed)}."
    for name, sub in as_schema(schema.get("dependentSchemas")).items():
        yield f"If {_given(name)}, then {_condition(sub, root)}."


def _condition(branch: Any, root: Schema) -> str:
    """What a branch demands, in words; what words are missing for stays JSON."""
    schema = resolve(branch, root)
    parts: list[str] = []
    rest = {key: value for key, value in schema.items() if key not in ("type", *_words(schema))}
    if needed := rest.pop("required", None):
        parts.append(_all_given(needed))
    for name, sub in as_schema(rest.pop("properties", None)).items():
        wanted = as_schema(sub)
        if "const" in wanted:
            parts.append(f"`{name}` is {_json(wanted['const'])}")
        elif isinstance(wanted.get("enum"), list):
            parts.append(f"`{name}` is one of {', '.join(map(_json, wanted['enum'][:_BRANCHES]))}")
        elif limits := {key: value for key, value in wanted.items() if key not in _words(wanted)}:
            parts.append(f"`{name}` fits {_json(limits)}")
    rest = {key: value for key, value in rest.items() if key not in _DROPPED}
    if rest.pop("additionalProperties", True) is False and not parts:
        parts.append("nothing else is given")
    if rest:
        parts.append(f"the arguments fit {_json(rest)}")
    return " and ".join(parts) or "anything is given"


def _given(name: str) -> str:
    return f"`{name}` is given"


def _all_given(names: Any) -> str:
    listed = names if isinstance(names, list) else [names]
    return " and ".join(_given(str(name)) for name in listed) or "nothing more is needed"


def _some(branches: Any) -> list[Any]:
    return branches[:_BRANCHES] if isinstance(branches, list) else []


def _json(value: Any) -> str:
    text = ""
    for piece in _ENCODER.iterencode(value):
        text += piece
        if len(text) > _VALUE:
            return text[:_VALUE] + "…"
    return text
