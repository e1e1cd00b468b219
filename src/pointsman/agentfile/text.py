"""YAML as an agent file writes it: plain data, and the line of every key and item.

Values follow YAML 1.2: only ``true`` and ``false`` are booleans, and keys are always text, so
``no:`` and ``on:`` mean what they say. No tags, one document, no key twice. Anchors and ``<<``
work, within a limit.
"""

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import yaml
from msgspec import Struct
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pointsman.domain.text import clean
from pointsman.faults import Fault, Place

MAX_BYTES = 1_000_000
MAX_NODES = 20_000
"""Aliases counted as often as they are used: a file of a few lines can otherwise mean billions."""
MAX_DEPTH = 50

_START = "pointsman init writes a file to start from"
_INT = re.compile(r"[-+]?\d{1,18}")
_FLOAT = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d{1,3})?")
_CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}
_PLAIN_TAG = re.compile(
    r"tag:yaml\.org,2002:(str|int|float|bool|null|map|seq|merge|timestamp|value)"
)


class Lines(Struct, frozen=True):
    """The 1-based line of every place in the data."""

    by_place: dict[Place, int]

    def of(self, place: Place) -> int | None:
        """The line of the place, else of the nearest place around it."""
        while place and place not in self.by_place:
            place = place[:-1]
        return self.by_place.get(place)


class Unreadable(Exception):
    """The text is no YAML that we accept. ``line`` is None for the file as a whole."""

    def __init__(self, problem: str, line: int | None = None, hint: str = "") -> None:
        self.problem, self.line, self.hint = problem, line, hint
        super().__init__(problem)


def decode(raw: bytes, *, most: int = MAX_BYTES) -> str:
    """The text of a file of at most so many bytes.

    Raises:
        Unreadable: too large, empty, or not UTF-8.
    """
    if len(raw) > most:
        raise Unreadable(f"the file is larger than {most} bytes")
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable("the file is UTF-16", hint="save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Unreadable("not UTF-8 text", line, "save the file as UTF-8") from None
    if not text.strip():
        raise Unreadable("the file is empty", hint=_START)
    return text


def parse(text: str, *, most: int = MAX_NODES) -> tuple[Any, Lines, list[Fault]]:
    """The data, its lines, and the faults that leave the rest readable (doubled keys, tags).

    Args:
        most: values that it may have, aliases counted as often as they are used.

    Raises:
        Unreadable: the text cannot be read as YAML at all.
    """
    try:
        documents = _documents(text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise Unreadable(f"the character U+{error.character:04X} is not allowed", line) from None
    except yaml.MarkedYAMLError as error:
        raise _unreadable(error, text) from None
    except RecursionError:
        raise Unreadable("the file is nested too deeply") from None
    if not documents:
        raise Unreadable("the file is empty", hint=_START)
    if len(documents) != 1:
        raise Unreadable("expected one document", hint="remove the line ---")
    reader = _Reader(most)
    data = reader.read(documents[0], ())
    return data, Lines(reader.lines), reader.faults


def _documents(text: str) -> list[Node]:
    """What libyaml refuses, the slower reader explains."""
    if yaml.__with_libyaml__:
        with suppress(yaml.YAMLError):
            return list(yaml.compose_all(text, Loader=yaml.CSafeLoader))
    return list(yaml.compose_all(text, Loader=yaml.SafeLoader))


def _unreadable(error: yaml.MarkedYAMLError, text: str) -> Unreadable:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else None
    problem = error.problem or error.context or "no valid YAML"
    lines = text.splitlines()
    written = lines[line - 1] if line and line <= len(lines) else ""
    if "\t" in written[: len(written) - len(written.lstrip())]:
        return Unreadable("a tab in the indentation", line, "YAML is indented with spaces")
    hint = ""
    if "mapping values are not allowed" in problem:
        problem, hint = "a second ': ' in this line", "put the text into quotes"
    elif "could not find expected ':'" in problem:
        problem, hint = "a key without ':'", "write key: value"
    elif "while parsing a flow" in (error.context or ""):
        hint = "a bracket, brace, comma or the quotes around a text may be missing"
    elif "cannot start any token" in problem or "expected alphabetic or numeric" in problem:
        hint = "put the text into quotes"
    return Unreadable(problem, line, hint)


class _Reader:
    """Builds data from nodes and remembers where each thing stands."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.lines: dict[Place, int] = {}
        self.faults: list[Fault] = []
        self._open: list[int] = []
        self._count = 0

    def read(self, node: Node, place: Place) -> Any:
        line = node.start_mark.line + 1
        self._count += 1
        if self._count > self._most:
            raise Unreadable("the file has too many values", line, "are aliases nested?")
        if id(node) in self._open:
            raise Unreadable("an alias inside of what it stands for", line)
        if len(self._open) >= MAX_DEPTH:
            raise Unreadable("the file is nested too deeply", line)
        self.lines.setdefault(place, line)
        if not _PLAIN_TAG.fullmatch(node.tag):
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            self.faults.append(Fault(place, f"the tag {tag} is not allowed", "remove it"))
        self._open.append(id(node))
        try:
            match node:
                case ScalarNode():
                    return _scalar(node)
                case SequenceNode():
                    return [self.read(item, (*place, i)) for i, item in enumerate(node.value)]
                case MappingNode():
                    return self._mapping(node, place)
                case _:
                    raise Unreadable("not a value", line)
        finally:
            self._open.pop()

    def _mapping(self, node: MappingNode, place: Place) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        merged: list[Node] = []
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, ScalarNode):
                raise Unreadable("a key must be text", line, "write key: value")
            if key_node.tag.endswith(":merge"):
                merged.append(value_node)
                continue
            key = clean(key_node.value)
            inner = (*place, key)
            if key in mapping:
                first = self.lines[inner]
                self.faults.append(
                    Fault(inner, f"the key {key!r} is here twice (also line {first})")
                )
                self.lines[inner] = line
                continue
            self.lines[inner] = line
            mapping[key] = self.read(value_node, inner)
        for source in merged:
            for key, value in self._merged(source, place):
                mapping.setdefault(key, value)
        return mapping

    def _merged(self, node: Node, place: Place) -> Iterator[tuple[str, Any]]:
        sources = node.value if isinstance(node, SequenceNode) else [node]
        for source in sources:
            if not isinstance(source, MappingNode):
                line = node.start_mark.line + 1
                raise Unreadable("<<: needs an alias of keys and values", line)
            yield from self.read(source, place).items()


def _scalar(node: ScalarNode) -> Any:
    text = clean(node.value)
    if node.style:
        return text
    if text.lower() in _CONSTANTS and text in (text.lower(), text.title(), text.upper()):
        return _CONSTANTS[text.lower()]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text
