"""Fitting values to a tool's schema where the schema leaves one reading.

Only the schema decides: the text "true" stays text in a text field and becomes a boolean in a
boolean field. Never by guess: a text with a unit, a half of a number, a value that two alternatives
of a union could take are left as they are, and the schema check refuses them with a sentence.
"""

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from pointsman.domain.arguments.json_repair import read_value
from pointsman.domain.arguments.json_text import has_signs_for_numbers
from pointsman.domain.schemas.schema_reading import (
    Schema,
    accepts,
    as_schema,
    is_open,
    kind,
    properties,
    required,
    resolve,
    takes_blank,
    types,
)
from pointsman.domain.values.calendar_forms import as_format
from pointsman.errors import ArgumentsMalformed

InFormat = Callable[[str, str, datetime | None], str | None]
"""A text, a format and the present → the text in that format, or None where it is left alone."""
BLANK = "x-blank"
"""``"x-blank": "absent"`` in a parameter's schema: an empty text is no value of it."""
_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
_TRUE = frozenset("true 1 yes 是".split())
_FALSE = frozenset("false 0 no 否".split())
_ITEM_TAGS = frozenset(("item", "items"))
_NOTHING = frozenset(("null", "none", "undefined"))
_FENCE = re.compile(r"```(?:json)?\s*([\[{].*[\]}])\s*```", re.DOTALL)
_SEPARATORS = re.compile(r"[,，、;；]")
_NUMBER = re.compile(r"[+-]?(\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(\.\d+)?([eE][+-]?\d{1,4})?", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+", re.ASCII)
_EXACT = 1 << 53
_JOINTS = re.compile(r"(?<=[^\W\d_])[\s_-]+(?=[^\W\d_])")
_SHOWN = 80
_DEEPEST = 100
_MOST_UNIONS = 2000


def coerce(
    value: dict[str, Any],
    schema: Schema,
    *,
    now: datetime | None = None,
    in_format: InFormat = as_format,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments as the schema means them, and a note for each change.

    Keys that the schema does not declare are dropped, unless it expressly welcomes more; a null for
    an optional parameter that may not be null is dropped (also the word, where no text may be), and
    so is an empty text where the schema says that it stands for nothing, or wants a text and
    forbids an empty one. Doing it twice changes nothing more.

    Args:
        now: an aware instant in the user's zone, for dates and times without an offset.
        in_format: puts a date or time into the format of its schema.
    """
    coercion = _Coercion(schema, lambda text, form: in_format(text, form, now), Counter())
    return coercion.members(value, schema, ()), tuple(coercion.notes)


class _Coercion:
    """One pass over the arguments.

    A hostile schema cannot make it costly: at one place each reference is followed once, and only
    so many unions are tried.
    """

    def __init__(
        self, root: Schema, in_format: Callable[[str, str], str | None], unions: Counter[str]
    ) -> None:
        self.root = root
        self._in_format = in_format
        self.notes: dict[str, None] = {}
        self.followed: set[tuple[str, tuple[str, ...]]] = set()
        self._unions = unions

    def value(self, value: Any, schema: Any, path: tuple[str, ...]) -> Any:
        """A value as one schema means it."""
        reference = as_schema(schema).get("$ref")
        if isinstance(reference, str):
            if (reference, path) in self.followed or len(path) > _DEEPEST:
                return value
            self.followed.add((reference, path))
        return self._value(value, resolve(schema, self.root), path)

    def _value(self, value: Any, found: Schema, path: tuple[str, ...]) -> Any:
        for word in ("anyOf", "oneOf"):
            if isinstance(found.get(word), list):
                value = self._union(value, found[word], path)
        for part in found["allOf"] if isinstance(found.get("allOf"), list) else ():
            value = self.value(value, part, path)
        if not accepts(found, self.root, value):
            value = self._converted(value, found, path)
        if isinstance(value, str):
            return self._text(value, found, path)
        if isinstance(value, list):
            return self._items(value, found, path)
        if isinstance(value, dict) and (
            isinstance(found.get("properties"), dict) or is_open(found)
        ):
            return self.members(value, found, path)
        return value

    def members(
        self, value: dict[str, Any], schema: Schema, path: tuple[str, ...]
    ) -> dict[str, Any]:
        """An object's members, each by its own schema."""
        known = properties(schema, self.root)
        needed = required(schema, self.root)
        extra = as_schema(schema).get("additionalProperties")
        welcome = is_open(schema) or "patternProperties" in schema
        fitted: dict[str, Any] = {}
        for given, item in value.items():
            key = given if given in known else self._meant(given, known, value, path)
            if key in known:
                if key not in needed and self._is_nothing(item, known[key]):
                    self._note((*path, key), f"{_shown(item)} was left out")
                else:
                    fitted[key] = self.value(item, known[key], (*path, key))
            elif welcome:
                fitted[key] = self.value(item, extra, (*path, key))
            elif path and extra is not False:
                fitted[key] = item
            else:
                self._note((*path, key), "there is no such parameter; it was left out")
        return fitted

    def _is_nothing(self, item: Any, schema: Schema) -> bool:
        """Whether this is how models leave out an optional value, and no value of it."""
        if item == "" and accepts(schema, self.root, item):
            return not takes_blank(schema, self.root)
        if item == "":
            return as_schema(schema).get(BLANK) == "absent"
        if accepts(schema, self.root, item) or accepts(schema, self.root, None):
            return False
        return item is None or (isinstance(item, str) and _folded(item) in _NOTHING)

    def _meant(
        self, given: str, known: dict[str, Schema], value: dict[str, Any], path: tuple[str, ...]
    ) -> str:
        """The declared key that differs from the given one only in case, width, ``_`` or ``-``."""
        alike = [name for name in known if _folded_key(name) == _folded_key(given)]
        rivals = [name for name in value if _folded_key(name) == _folded_key(given)]
        if len(alike) != 1 or len(rivals) != 1:
            return given
        self._note((*path, alike[0]), f"it was written {given[:64]!r}")
        return alike[0]

    def _union(self, value: Any, branches: list[Any], path: tuple[str, ...]) -> Any:
        self._unions["seen"] += 1
        if self._unions["seen"] > _MOST_UNIONS:
            return value
        fitting = [branch for branch in branches if self._takes(branch, value)]
        if isinstance(value, dict) and len(fitting) > 1:
            fitting = [branch for branch in fitting if self._is_tagged(value, branch)]
        if len(fitting) == 1:
            return self.value(value, fitting[0], path)
        if fitting:
            return value
        readings: dict[str, tuple[Any, _Coercion]] = {}
        for branch in branches:
            attempt = _Coercion(self.root, self._in_format, self._unions)
            attempt.followed |= self.followed
            reading = attempt.value(value, branch, path)
            if self._takes(branch, reading):
                readings[json.dumps(reading)] = reading, attempt
        if len(readings) != 1:
            return value
        reading, attempt = next(iter(readings.values()))
        self.notes |= attempt.notes
        return reading

    def _takes(self, branch: Any, value: Any) -> bool:
        """Whether a branch of a union allows the value by its type and its list of values."""
        listed = resolve(branch, self.root).get("enum")
        return accepts(branch, self.root, value) and (
            not isinstance(listed, list) or value in listed
        )

    def _is_tagged(self, value: dict[str, Any], branch: Any) -> bool:
        """Whether the value carries the constants by which this branch of a union is told."""
        tags = {
            name: sub["const"]
            for name, sub in properties(branch, self.root).items()
            if "const" in sub
        }
        return bool(tags) and all(value.get(name) == tag for name, tag in tags.items())

    def _items(self, value: list[Any], schema: Schema, path: tuple[str, ...]) -> list[Any]:
        first = schema.get("prefixItems")
        leading = first if isinstance(first, list) else []
        rest = schema.get("items")
        return [
            self.value(item, leading[n] if n < len(leading) else rest, (*path, str(n)))
            for n, item in enumerate(value)
        ]

    def _text(self, value: str, schema: Schema, path: tuple[str, ...]) -> str:
        options = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(options, list) and value not in options:
            for folded in (_folded, _folded_words):
                alike = [
                    option
                    for option in options
                    if isinstance(option, str) and folded(option) == folded(value)
                ]
                if len(alike) == 1:
                    return str(self._changed(path, value, alike[0]))
                if alike:
                    break
        form = schema.get("format")
        if form in ("date-time", "date", "time"):
            written = self._in_format(value, form)
            if written is not None and written.casefold() != value.casefold():
                return str(self._changed(path, value, written))
        return value

    def _converted(self, value: Any, schema: Schema, path: tuple[str, ...]) -> Any:
        """The value in a type that the schema accepts, if exactly one reading leads there."""
        accepted = types(schema, self.root) or frozenset()
        readings = {
            (kind(reading), json.dumps(reading)): reading for reading in _readings(value, accepted)
        }
        if not readings and "array" in accepted:
            listed = self._listed(value, schema)
            readings = {} if listed is None else {("array", ""): listed}
        if len(readings) != 1:
            return value
        return self._changed(path, value, next(iter(readings.values())))

    def _listed(self, value: Any, schema: Schema) -> list[Any] | None:
        """A list from a lone item, or from a text of scalars with separators between them."""
        items = schema.get("items")
        wanted = types(items, self.root)
        if wanted is None or value is None:
            return None
        if isinstance(value, str) and wanted <= _SCALARS:
            return self._split(value, items, wanted)
        if isinstance(value, dict) and self._is_item_tag(value, items, wanted):
            inner = next(iter(value.values()))
            return inner if isinstance(inner, list) else [inner]
        return [value] if accepts(items, self.root, value) else None

    def _is_item_tag(self, value: dict[str, Any], items: Any, wanted: frozenset[str]) -> bool:
        """Whether an object is what ``<item>`` in markup became, and cannot be an item itself."""
        known = properties(items, self.root)
        closed = "object" not in wanted or (bool(known) and not is_open(items))
        return len(value) == 1 and closed and next(iter(value)) in _ITEM_TAGS - known.keys()

    def _split(self, text: str, items: Any, wanted: frozenset[str]) -> list[Any] | None:
        plain = text.strip()
        if not plain or plain[0] in "[{":
            return None
        if text in (resolve(items, self.root).get("enum") or ()):
            return [text]
        if plain[0] in "\"'" and (quoted := _quoted_items(plain)):
            return quoted
        if "string" not in wanted and _GROUPED.fullmatch(unicodedata.normalize("NFKC", plain)):
            return None
        parts = [part.strip() for part in _SEPARATORS.split(plain)]
        if len(parts) == 1:
            return [text]
        if not parts[-1]:
            parts.pop()
        return parts if all(parts) else None

    def _changed(self, path: tuple[str, ...], old: Any, new: Any) -> Any:
        self._note(path, f"{_shown(old)} was read as {_shown(new)}")
        return new

    def _note(self, path: tuple[str, ...], what: str) -> None:
        self.notes[f"{'.'.join(path)[:_SHOWN]}: {what}"] = None


def _readings(value: Any, accepted: frozenset[str]) -> Iterator[Any]:
    """Every scalar, list or object of an accepted type that the value can mean."""
    if isinstance(value, str):
        yield from _text_readings(value, accepted)
    elif isinstance(value, bool):
        return
    elif isinstance(value, int):
        if "string" in accepted:
            yield str(value)
        if "boolean" in accepted and value in (0, 1):
            yield bool(value)
    elif isinstance(value, float) and "integer" in accepted and _is_exact(value):
        yield int(value)


def _text_readings(text: str, accepted: frozenset[str]) -> Iterator[Any]:
    plain = unicodedata.normalize("NFKC", text).strip().replace("\u2212", "-")
    if accepted & {"integer", "number"}:
        number = _number(plain, whole="number" not in accepted)
        if number is not None and not has_signs_for_numbers(text):
            yield number
    if "boolean" in accepted and plain.casefold() in _TRUE | _FALSE:
        yield plain.casefold() in _TRUE
    if "null" in accepted and plain.casefold() in ("null", "none"):
        yield None
    if structures := accepted & {"array", "object"}:
        value = _structure(text.strip())
        if kind(value) in structures:
            yield value


def _quoted_items(text: str) -> list[Any]:
    """The texts of ``"a", "b"``; nothing when the text is no such list."""
    try:
        items, _ = read_value(f"[{text}]")
    except ArgumentsMalformed:
        return []
    return items if all(isinstance(item, str) for item in items) else []


def _structure(text: str) -> Any:
    """The list or object that a text is as JSON, also in a fence or encoded twice; else None."""
    fenced = _FENCE.fullmatch(text)
    plain = fenced[1] if fenced else text
    for _ in range(2):
        if plain[:1] not in ("[", "{", "［", "｛", '"'):
            return None
        try:
            value, _notes = read_value(plain)
        except ArgumentsMalformed:
            return None
        if not isinstance(value, str):
            return value
        plain = value.strip()
    return None


def _number(text: str, *, whole: bool) -> int | float | None:
    found = _NUMBER.fullmatch(text)
    if found is None or len(text) > 40:
        return None
    plain = text.replace(",", "")
    if found[2] is None and found[3] is None:
        value = int(plain)
        return value if -(1 << 63) <= value < 1 << 64 else None
    if whole and found[2] is not None and len(found[2]) == 4:
        return None  # 1.000 is a thousand in half of the world
    real = float(plain)
    if not math.isfinite(real):
        return None
    if not whole:
        return real
    return int(real) if _is_exact(real) else None


def _is_exact(value: float) -> bool:
    """Whether a float is a whole number without doubt."""
    return value.is_integer() and abs(value) < _EXACT


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _folded_words(text: str) -> str:
    """Also without quotation marks around and without what joins words (in_progress)."""
    return _JOINTS.sub("", _folded(_folded(text).strip("\"'“”")))


def _folded_key(text: str) -> str:
    return _folded(text).replace("_", "").replace("-", "")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
