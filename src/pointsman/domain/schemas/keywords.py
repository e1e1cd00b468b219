"""One node of a schema with keywords that providers take: they refuse a whole request for one that
is not as the metaschema wants it.

Above: ``wire_schemas``. Foreign servers write ``"type": "int"``, an array without ``items`` or
``"required": true``. What has one sensible reading is read so; the rest is left out, which allows
more and loses no tool (cases M10, M12).
"""

from collections.abc import Callable
from typing import Any

from pointsman.domain.schemas.schema_reading import Schema

_TYPES = frozenset("string number integer boolean object array null".split())
_SPELLINGS = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "map": "object",
    "none": "null",
}
"""Names of types that programming languages have, in JSON Schema's words."""


def legal(node: Schema) -> Schema:
    """The node without what is no legal value of its keyword; arrays say what is in them.

    Args:
        node: its subschemas are legal already.
    """
    kept = _with_exclusive_bounds(node)
    for keyword, fits in _FITS.items():
        if keyword in kept and not fits(kept[keyword]):
            del kept[keyword]
    if "type" in kept and (type_ := _type(kept.pop("type"))):
        kept["type"] = type_
    for keyword in ("required", "enum"):
        if keyword in kept:
            kept[keyword] = _distinct(kept[keyword])
    if "array" in _listed(kept.get("type")) and "items" not in kept:
        kept["items"] = _any_of(kept.get("prefixItems", []))
    return {keyword: kept[keyword] for keyword in (*node, "items") if keyword in kept}


def items_of(items: Any) -> Schema:
    """One schema for the items of an array: older drafts give one for each place."""
    return _any_of(items) if isinstance(items, list) else items if isinstance(items, dict) else {}


def _any_of(options: list[Any]) -> Schema:
    return {"anyOf": _distinct(options)} if options else {}


def _type(declared: Any) -> str | list[str] | None:
    """The declared types that there are; None when none is left."""
    names = [_SPELLINGS.get(name, name) for name in map(str.casefold, _listed(declared))]
    known = _distinct([name for name in names if name in _TYPES])
    if isinstance(declared, list):
        return known or None
    return known[0] if known else None


def _listed(declared: Any) -> list[str]:
    values = declared if isinstance(declared, list) else [declared]
    return [value for value in values if isinstance(value, str)]


def _with_exclusive_bounds(node: Schema) -> Schema:
    """The node with draft 4's bounds, where ``exclusiveMinimum`` is a flag, as they are now."""
    kept = dict(node)
    for bound in ("minimum", "maximum"):
        exclusive = "exclusive" + bound.capitalize()
        if isinstance(kept.get(exclusive), bool) and kept.pop(exclusive) and bound in kept:
            kept[exclusive] = kept.pop(bound)
    return kept


def _distinct(values: list[Any]) -> list[Any]:
    """The values without repetitions; 1 and true are not the same."""
    return list({repr(value): value for value in values}.values())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_filled_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


_FITS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys("title description format pattern $ref".split(), _is_text),
    **dict.fromkeys("minimum maximum exclusiveMinimum exclusiveMaximum".split(), _is_number),
    "multipleOf": lambda value: _is_number(value) and value > 0,
    **dict.fromkeys(
        "minLength maxLength minItems maxItems minProperties maxProperties".split(), _is_size
    ),
    "required": _is_list_of_texts,
    **dict.fromkeys("enum anyOf oneOf allOf prefixItems".split(), _is_filled_list),
    **dict.fromkeys(
        "additionalProperties not if then else contains propertyNames".split(), _is_schema
    ),
}
