"""A scripted model that never asks: what it was not told, it makes up plausibly.

What the user did give it takes from the message, roughly; that half is not what is measured.
"""

import re
from datetime import timedelta
from typing import Any

from benchmarks.acebench import Item
from pointsman.domain.schemas.schema_reading import Schema, properties, required, resolve, types
from pointsman.domain.tools import ToolSpec
from pointsman.domain.values.meanings import means
from pointsman.domain.values.natures import Parameter, parameter
from pointsman.domain.values.numerals import numbers

VARIANTS = 3
_EXAMPLE = re.compile(
    r"(?:例如|比如|如|e\.g\.,?|such as|for example)[:：,，]?\s*['\"‘“]([^'\"’”]{1,30})['\"’”]"
)
_WORDS = {
    "zh": {
        "id": ("A10023", "USR-88412", "20230917"),
        "contact": ("user@example.com", "https://example.com/data", "13912345678"),
        "name": ("张伟", "李娜", "王芳"),
        "place": ("青岛", "拉萨", "台北"),
        "text": ("请及时处理。", "祝一切顺利。", "如有变化另行通知。"),
        "words": ("标准", "丙烯颜料", "有氧运动"),
    },
    "en": {
        "id": ("A10023", "USR-88412", "20230917"),
        "contact": ("user@example.com", "https://example.com/data", "+1-202-555-0143"),
        "name": ("Emma Stone", "Noah Miller", "Olivia Park"),
        "place": ("Lisbon", "Oslo", "Nairobi"),
        "text": ("Please handle this promptly.", "Thank you very much.", "Kind regards."),
        "words": ("standard", "acrylic", "quarterly audit"),
    },
}
_FITTING = (
    *"2019 48213 100234 ABCD AB12CD34 a1B2c3D4e5F6 123e4567-e89b-42d3-a456-556642440000".split(),
    *"Alpha alpha 李白 青岛 2019-06-15 2019-Q2 2019-2020 18-25 GMT+3 en CN 07:45".split(),
    *("Alpha Beta", "Q2 2019", "2019-06-15 to 2019-06-20"),
    *("someone@example.org", "https://example.org"),
)


def call(item: Item, tool: ToolSpec, missing: set[str], variant: int) -> dict[str, Any]:
    """Arguments for a tool: the missing parameters made up, the required others from the text."""
    return _members(item, tool, tool.parameters, (), missing, variant)


def fitting(item: Item, tool: ToolSpec, name: str) -> Any:
    """A made-up value that the schema of a top-level parameter lets pass, or None."""
    wanted = parameter(tool, (name,))
    pattern = wanted.schema.get("pattern")
    if pattern and not wanted.options:
        return next((one for one in _FITTING if _fits(pattern, one)), None)
    return _invented(item, wanted, 0)


def _fits(pattern: str, text: str) -> bool:
    try:
        return bool(re.search(pattern, text))
    except re.error:
        return True


def _members(
    item: Item,
    tool: ToolSpec,
    schema: Schema,
    path: tuple[str, ...],
    missing: set[str],
    variant: int,
) -> dict[str, Any]:
    needed = required(schema, tool.parameters)
    made = {}
    for name, inner in properties(schema, tool.parameters).items():
        inside = resolve(inner, tool.parameters)
        if name in needed or name in missing or _holds(inside, tool.parameters, missing):
            made[name] = _value(item, tool, inside, (*path, name), missing, variant)
    return made


def _holds(schema: Schema, root: Schema, names: set[str], depth: int = 0) -> bool:
    """Whether a parameter of one of these names lies somewhere inside."""
    inner = [*properties(schema, root).items(), ("", schema.get("items") or {})]
    return depth < 6 and any(
        name in names or (sub and _holds(resolve(sub, root), root, names, depth + 1))
        for name, sub in inner
        if sub or name
    )


def _value(
    item: Item,
    tool: ToolSpec,
    schema: Schema,
    path: tuple[str, ...],
    missing: set[str],
    variant: int,
) -> Any:
    made_up = not missing.isdisjoint(path)
    accepted = types(schema, tool.parameters) or frozenset()
    if "object" in accepted:
        names = missing if not made_up else {*missing, *properties(schema, tool.parameters)}
        return _members(item, tool, schema, path, names, variant) or {"value": "standard"}
    if "array" in accepted:
        inner = resolve(schema.get("items") or {"type": "string"}, tool.parameters)
        return [_value(item, tool, inner, (*path, "0"), missing, variant)]
    wanted = parameter(tool, path)
    return _invented(item, wanted, variant) if made_up else _taken(item, wanted)


def _invented(item: Item, wanted: Parameter, variant: int) -> Any:
    if wanted.nature == "flag":
        return next((one for one in wanted.options if str(one).casefold() in ("yes", "是")), True)
    if wanted.options:
        unsaid = [one for one in wanted.options if not means(str(one), item.said)]
        return (unsaid or list(wanted.options))[variant % len(unsaid or wanted.options)]
    if wanted.nature == "number":
        return _number(wanted.schema, variant)
    if wanted.nature == "time":
        return _time(item, wanted, variant)
    example = _EXAMPLE.search(wanted.words)
    if example and variant == 0:
        return example[1]
    pattern = wanted.schema.get("pattern")
    if pattern:
        fits = [one for one in _FITTING if _fits(pattern, one)]
        if fits:
            return fits[variant % len(fits)]
    return _WORDS[item.language][wanted.nature][variant]


def _number(schema: Schema, variant: int) -> Any:
    low = float(schema.get("minimum", 1))
    high = float(schema.get("maximum", low + 72))
    value = low + (high - low) * (0.25 + 0.25 * variant)
    return round(value, 1) if schema.get("type") == "number" else int(value)


def _time(item: Item, wanted: Parameter, variant: int) -> str:
    day = (item.evidence.now + timedelta(days=(0, 1, 40)[variant])).date().isoformat()
    form = str(wanted.schema.get("format") or "")
    if form == "time" or (re.search(r"HH:MM|hh:mm", wanted.words) and "YYYY" not in wanted.words):
        return "08:45"
    if form == "date-time" or "ISO" in wanted.words:
        return f"{day}T08:45:00"
    return day


def _taken(item: Item, wanted: Parameter) -> Any:
    text = item.evidence.messages[0].text
    if wanted.nature == "flag":
        return True
    if wanted.options:
        said = [one for one in wanted.options if means(str(one), item.said)]
        return (said or list(wanted.options))[0]
    if wanted.nature == "number":
        low = float(wanted.schema.get("minimum", 1))
        high = float(wanted.schema.get("maximum", 1e9))
        found = [one.value for one in numbers(text) if low <= one.value <= high]
        return int(found[0] if found else low)
    pattern = str(wanted.schema.get("pattern") or "")
    length = int(wanted.schema.get("minLength") or 0), int(wanted.schema.get("maxLength") or 24)
    if wanted.schema.get("format") in ("uri", "url"):
        return "https://example.org"
    if wanted.schema.get("format") == "email":
        return "someone@example.org"
    pieces = [text, *re.split(r"[\s,，。.!?！？]+", text), *_FITTING]
    if pattern:
        fits = (one for one in pieces if _fits(pattern, one) and length[0] <= len(one) <= length[1])
        return next(fits, text)
    return _time(item, wanted, 0) if wanted.nature == "time" else text[:24]
