"""Reading JSON Schemas of tools: local references, types, properties.

Above: ``coercion``, ``wire_schemas``, ``schema_check``. A schema comes from foreign servers: every
function here takes any JSON value for a schema, never fetches anything, takes time in proportion to
the schema's size, and gives up quietly where a schema makes no sense ({} means "anything").
"""

import re
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import unquote

from pointsman.domain.arguments.json_text import deeper_than

Schema = dict[str, Any]

Role = Literal["always", "option", "condition"]
"""How a part of a schema applies: to every value, to some, or only to tell values apart."""

_MAX_HOPS = 16
_NEVER_BLANK = frozenset("date-time date time duration email uri uuid ipv4 ipv6 hostname".split())
_MAX_NESTING = 100
_MOST_REFERENCES = 200
_MOST_STEPS = 2000


def kind(value: Any) -> str:
    """The JSON type of a JSON value; whole floats are ``number``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def as_schema(value: Any) -> Schema:
    """The value if it is an object schema, else the schema that allows anything."""
    return value if isinstance(value, dict) else {}


def local_target(reference: Any, root: Schema) -> Any:
    """What ``#/…`` points to inside the root, or None; other documents are never read."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    target: Any = root
    for part in unquote(reference[1:]).split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(target, list) and name.isdecimal() and int(name) < len(target):
            target = target[int(name)]
        elif isinstance(target, dict) and name in target:
            target = target[name]
        else:
            return None
    return target if reference == "#" or "/" in reference else None


def resolve(schema: Any, root: Schema) -> Schema:
    """The schema with its own ``$ref`` followed; keywords beside the reference are kept."""
    found = as_schema(schema)
    for _ in range(_MAX_HOPS):
        if "$ref" not in found:
            return found
        beside = {key: value for key, value in found.items() if key != "$ref"}
        found = {**as_schema(local_target(found["$ref"], root)), **beside}
    return {}


def types(schema: Any, root: Schema) -> frozenset[str] | None:
    """The JSON types that a schema accepts; None when it does not say."""
    return _types(schema, root, set())


def _types(schema: Any, root: Schema, seen: set[str]) -> frozenset[str] | None:
    if seen_before(schema, seen):
        return frozenset()
    found = resolve(schema, root)
    declared = found.get("type")
    if isinstance(declared, str):
        return frozenset({declared})
    if isinstance(declared, list):
        return frozenset(_strings(declared))
    if "const" in found:
        return frozenset({kind(found["const"])})
    if isinstance(found.get("enum"), list):
        return frozenset(kind(value) for value in found["enum"])
    for word in ("anyOf", "oneOf"):
        if branches := _list(found.get(word)):
            options = [_types(branch, root, seen) for branch in branches]
            if None in options:
                return None
            return frozenset(name for option in options for name in option or ())
    for branch in _list(found.get("allOf")):
        if narrowed := _types(branch, root, seen):
            return narrowed
    return frozenset({"object"}) if isinstance(found.get("properties"), dict) else None


def accepts(schema: Any, root: Schema, value: Any) -> bool:
    """Whether the schema's types allow the value as it is."""
    accepted = types(schema, root)
    if accepted is None:
        return True
    name = kind(value)
    return name in accepted or (name == "integer" and "number" in accepted)


def takes_blank(schema: Any, root: Schema) -> bool:
    """Whether a schema that accepts texts can accept the empty one."""
    found = resolve(schema, root)
    branches = [*_list(found.get("anyOf")), *_list(found.get("oneOf"))]
    return any(_takes_blank(resolve(one, root)) for one in branches or [found])


def _takes_blank(found: Schema) -> bool:
    kinds = found.get("type", "string")
    listed = [found["const"]] if "const" in found else found.get("enum", [""])
    if "string" not in kinds or (isinstance(listed, list) and "" not in listed):
        return False
    least = found.get("minLength")
    if found.get("format") in _NEVER_BLANK or (isinstance(least, int) and least > 0):
        return False
    try:
        return re.search(str(found.get("pattern", "")), "") is not None
    except re.error:
        return True


def properties(schema: Any, root: Schema) -> dict[str, Schema]:
    """Every property that a schema names anywhere at its own level, also in its combinators.

    A property that is declared outside of combinators keeps that schema. One that only alternatives
    declare gets the union of what they say; one that is merely required gets ``{}``.
    """
    found = resolve(schema, root)
    if not found.keys() & _COMBINING:
        names = dict.fromkeys(
            [*_mapping(found.get("properties")), *_strings(found.get("required"))]
        )
        return {name: as_schema(_mapping(found.get("properties")).get(name)) for name in names}
    declared: dict[str, Schema] = {}
    options: dict[str, list[Schema]] = {}
    for part, role in _parts(schema, root, "always", set()):
        for name, sub in _mapping(part.get("properties")).items():
            if role == "always":
                declared[name] = {**as_schema(sub), **declared.get(name, {})}
            elif role == "option":
                options.setdefault(name, []).append(as_schema(sub))
        for name in _named(part):
            options.setdefault(name, [])
    return {
        name: declared.get(name) or _union(options.get(name, []))
        for name in dict.fromkeys([*declared, *options])
    }


def required(schema: Any, root: Schema) -> tuple[str, ...]:
    """Properties that are always required, in the schema's order."""
    names = {
        name
        for part, role in _parts(schema, root, "always", set())
        if role == "always"
        for name in _strings(part.get("required"))
    }
    return tuple(name for name in properties(schema, root) if name in names)


def is_open(schema: Any) -> bool:
    """Whether undeclared properties are expressly welcome."""
    extra = as_schema(schema).get("additionalProperties")
    return extra is True or isinstance(extra, dict)


def is_explosive(root: Schema) -> bool:
    """Whether checking one value could mean thousands of steps at one place, because references in
    combinators multiply or come back to where they started."""
    known: dict[str, int] = {}
    nodes: list[Any] = [root]
    while nodes:
        node = nodes.pop()
        inside = {"#"} if node is root else set()
        if isinstance(node, dict) and _steps(node, root, known, inside) >= _MOST_STEPS:
            return True
        if isinstance(node, dict | list):
            nodes += node.values() if isinstance(node, dict) else node
    return False


def _steps(node: Any, root: Schema, known: dict[str, int], inside: set[str]) -> int:
    """How many schemas apply to one value at one place, with repetitions."""
    schema = as_schema(node)
    steps = 1
    reference = schema.get("$ref")
    if isinstance(reference, str):
        if reference in inside or len(inside) > _MAX_NESTING // 2:
            return _MOST_STEPS
        if reference not in known:
            target = local_target(reference, root)
            known[reference] = _steps(target, root, known, inside | {reference})
        steps += known[reference]
    single = [schema[word] for word in ("not", "if", "then", "else") if word in schema]
    listed = [branch for word in ("allOf", "anyOf", "oneOf") for branch in _list(schema.get(word))]
    for branch in (*single, *listed, *_mapping(schema.get("dependentSchemas")).values()):
        steps += _steps(branch, root, known, inside)
        if steps >= _MOST_STEPS:
            break
    return min(steps, _MOST_STEPS)


def normalised(parameters: Any) -> Schema:
    """A tool's parameters as an object schema; anything that is none means "no parameters".

    A schema that is nested absurdly deep says nothing: then anything may be given.
    """
    schema = dict(as_schema(parameters))
    if deeper_than(schema, _MAX_NESTING):
        return {"type": "object", "properties": {}, "additionalProperties": True}
    schema["type"] = "object"
    if not isinstance(schema.get("properties"), dict):
        schema.pop("properties", None)
        if "$ref" not in schema:
            schema["properties"] = {}
    if "required" in schema and not isinstance(schema["required"], list):
        del schema["required"]
    return schema


_COMBINING = frozenset("allOf anyOf oneOf if then else dependentSchemas dependentRequired".split())


def _parts(schema: Any, root: Schema, role: Role, seen: set[str]) -> Iterator[tuple[Schema, Role]]:
    """A schema and its combinators' branches; each reference once, so that cycles end."""
    if seen_before(schema, seen):
        return
    found = resolve(schema, root)
    yield found, role
    for branch in _list(found.get("allOf")):
        yield from _parts(branch, root, role, seen)
    optional: Role = "condition" if role == "condition" else "option"
    if "if" in found:
        yield from _parts(found["if"], root, "condition", seen)
    for branch in (
        *_list(found.get("anyOf")),
        *_list(found.get("oneOf")),
        *(found[word] for word in ("then", "else") if word in found),
        *_mapping(found.get("dependentSchemas")).values(),
    ):
        yield from _parts(branch, root, optional, seen)


def seen_before(schema: Any, seen: set[str]) -> bool:
    """Whether the schema is a reference that was met before, or one too many."""
    reference = as_schema(schema).get("$ref")
    if not isinstance(reference, str):
        return False
    known = reference in seen or len(seen) >= _MOST_REFERENCES
    seen.add(reference)
    return known


def _named(part: Schema) -> Iterator[str]:
    """Properties that a part needs without saying what they are."""
    yield from _mapping(part.get("properties"))
    yield from _strings(part.get("required"))
    for name, needed in _mapping(part.get("dependentRequired")).items():
        yield name
        yield from _strings(needed)


def _union(options: list[Schema]) -> Schema:
    """One schema for what alternatives say about a property."""
    distinct: list[Schema] = []
    for option in options:
        if option not in distinct:
            distinct.append(option)
    if len(distinct) < 2:
        return distinct[0] if distinct else {}
    values: list[Any] = []
    for option in distinct:
        listed = [option["const"]] if "const" in option else option.get("enum")
        if not isinstance(listed, list):
            return {"anyOf": distinct}
        values += [value for value in listed if value not in values]
    return {"enum": values}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
