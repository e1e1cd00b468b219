"""The templates in which an agent file says a result: text with ``{{ … }}`` over JSON values.

    {{ data[0].temp_high }}                       a value; "—" when there is none
    {{ steps | count }}  {{ km | number 1 }}      filters, see ``FILTERS``
    {{ for step in steps }}{{ index }}. {{ step.text }}{{ end }}
    {{ if note }}{{ note }}{{ else }}nothing to note{{ end }}        also: {{ if not note }}

A line that holds nothing but one ``for``, ``if``, ``else`` or ``end`` leaves no empty line. The
language is total: loops run over arrays that exist, there are no calls, no arithmetic but the
filters, and no way to a Python attribute. The names are the loop variables, ``index`` (1-based),
what the caller gives (``result``, ``values`` …), then the keys of the result itself.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from pointsman.adapters.models.offline.dates import WEEKDAYS, read_written_date, write_date
from pointsman.domain.agent import Language

MISSING = "—"
MAX_ITEMS = 200
"""Items that a loop shows; a result of thousands must not become a reply of thousands of lines."""

_TAG = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_LONELY = re.compile(r"(?m)^[ \t]*(\{\{\s*(?:for|if|else|end)\b[^{}]*\}\})[ \t]*(?:\n|\Z)")
_STEP = re.compile(r"(?:^|\.)([^\W\d][\w-]*)|\[(\d+|\*)\]")


class Path(Struct, frozen=True):
    """Where a value lies in JSON: ``data[0].name``; ``[*]`` stands for every item of an array."""

    steps: tuple[str | int, ...]

    @classmethod
    def parse(cls, text: str) -> "Path":
        """Raises ValueError with a sentence about the fault."""
        steps: list[str | int] = []
        position = 0
        while position < len(text):
            found = _STEP.match(text, position)
            if not found:
                raise ValueError(f"{text!r} is no path; write it like data[0].name or data[*].name")
            key, index = found.groups()
            steps.append(key if key is not None else ("*" if index == "*" else int(index)))
            position = found.end()
        if not steps:
            raise ValueError("a path is empty; write it like data[0].name")
        return cls(tuple(steps))

    def all(self, value: Any) -> list[Any]:
        """Every value that the path reaches; none when a step leads nowhere."""
        reached = [value]
        for step in self.steps:
            reached = [found for item in reached for found in _children(item, step)]
        return reached

    def one(self, value: Any) -> Any:
        """The first value that the path reaches, or None."""
        return next(iter(self.all(value)), None)


def _children(item: Any, step: str | int) -> Sequence[Any]:
    if isinstance(item, Mapping):
        return [item[step]] if step in item else []
    if isinstance(item, list):
        if step == "*":
            return item
        if isinstance(step, int) and step < len(item):
            return [item[step]]
    return []


class Glossary(Struct, frozen=True):
    """Words of results in the reader's language: language → (word → word)."""

    words: dict[Language, dict[str, str]] = {}

    def say(self, text: str, language: Language) -> str:
        """The text with every known word replaced, the longest first; other text stays."""
        words = self.words.get(language, {})
        if text in words or not words:
            return words.get(text, text)
        longest = sorted(filter(None, words), key=len, reverse=True)
        known = re.compile("|".join(map(re.escape, longest)))
        return known.sub(lambda found: words[found.group()], text)


_NO_GLOSSARY = Glossary()


class _Scope(Struct, frozen=True):
    names: Mapping[str, Any]
    language: Language
    glossary: Glossary

    def look_up(self, path: Path) -> Any:
        if path.steps[0] in self.names:
            return path.one(self.names)
        return path.one(self.names.get("result"))

    def inner(self, **names: Any) -> "_Scope":
        return _Scope({**self.names, **names}, self.language, self.glossary)


def _text(value: Any) -> str:
    match value:
        case None | "":
            return MISSING
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.10g}"
        case list():
            return ", ".join(map(_text, value))
        case dict():
            return ", ".join(f"{key}: {_text(item)}" for key, item in value.items())
        case _:
            return str(value)


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _number(value: Any, argument: str, scope: _Scope) -> Any:
    number = _as_number(value)
    return value if number is None else f"{number:.{int(argument or 0)}f}"


def _divide(value: Any, argument: str, scope: _Scope) -> Any:
    number = _as_number(value)
    return value if number is None else number / float(argument)


def _join(value: Any, argument: str, scope: _Scope) -> Any:
    return argument.join(map(_text, value)) if isinstance(value, list) else value


def _count(value: Any, argument: str, scope: _Scope) -> Any:
    return len(value) if isinstance(value, list | dict | str) else 0


def _default(value: Any, argument: str, scope: _Scope) -> Any:
    return argument if value in (None, "", []) else value


def _date(value: Any, argument: str, scope: _Scope) -> Any:
    day = _day(value)
    return value if day is None else write_date(day, argument or "%Y-%m-%d")


def _weekday(value: Any, argument: str, scope: _Scope) -> Any:
    day = _day(value)
    return value if day is None else WEEKDAYS[scope.language][day.weekday()]


def _day(value: Any) -> date | None:
    return read_written_date(value) if isinstance(value, str) else None


def _word(value: Any, argument: str, scope: _Scope) -> Any:
    return scope.glossary.say(value, scope.language) if isinstance(value, str) else value


_Filter = Callable[[Any, str, _Scope], Any]
FILTERS: dict[str, tuple[_Filter, str]] = {
    "number": (_number, r"\d?"),
    "divide": (_divide, r"\d*[1-9]\d*(\.\d+)?"),
    "join": (_join, r".*"),
    "count": (_count, r""),
    "default": (_default, r".*"),
    "date": (_date, r".*"),
    "weekday": (_weekday, r""),
    "word": (_word, r""),
}
"""Filter → what it does and the shape of its argument. A filter leaves alone what it does not fit.

``number 1``: one decimal; ``divide 1000``; ``join 、``: the items of an array; ``count``: items or
characters; ``default none``; ``date %m月%d日``; ``weekday``: its name in the reader's language;
``word``: the glossary's word for it.
"""


class _Value(Struct, frozen=True):
    path: Path
    filters: tuple[tuple[str, str], ...] = ()

    def of(self, scope: _Scope) -> Any:
        value = scope.look_up(self.path)
        for name, argument in self.filters:
            value = FILTERS[name][0](value, argument, scope)
        return value


class _Loop(Struct, frozen=True):
    variable: str
    items: _Value
    body: "tuple[_Node, ...]"


class _If(Struct, frozen=True):
    negated: bool
    test: _Value
    then: "tuple[_Node, ...]"
    other: "tuple[_Node, ...]"


_Node = str | _Value | _Loop | _If


class Template(Struct, frozen=True):
    """A parsed template. ``source`` is the text as written."""

    source: str
    nodes: tuple[_Node, ...]

    @classmethod
    def parse(cls, source: str) -> "Template":
        """Raises ValueError with a sentence about the fault."""
        tokens = _TAG.split(_LONELY.sub(r"\1", source))
        nodes, left, closing = _parse(tokens, 0, depth=0)
        if left < len(tokens):
            raise ValueError(f"{{{{ {closing} }}}} closes nothing")
        if any("{{" in text or "}}" in text for text in tokens[::2]):
            raise ValueError("a {{ … }} is not closed, or a {{ or }} stands alone")
        return cls(source, nodes)

    def render(
        self, names: Mapping[str, Any], language: Language, glossary: Glossary = _NO_GLOSSARY
    ) -> str:
        """The text; ``names`` holds at least ``result``."""
        return _render(self.nodes, _Scope(names, language, glossary)).strip()


def _parse(tokens: list[str], start: int, depth: int) -> tuple[tuple[_Node, ...], int, str]:
    """Nodes from ``start`` to the tag that closes this block; then its place and its word.

    Even tokens are text, odd ones the insides of tags.
    """
    if depth > 8:
        raise ValueError("blocks are nested more than 8 deep")
    nodes: list[_Node] = []
    place = start
    while place < len(tokens):
        token = tokens[place]
        place += 1
        if place % 2:
            if token:
                nodes.append(token)
            continue
        words = token.split()
        match words:
            case ["end"] | ["else"]:
                return tuple(nodes), place, words[0]
            case ["for", variable, "in", *_] if variable.isidentifier():
                items = _parse_value(token.split(" in ", 1)[1])
                body, place, closing = _parse(tokens, place, depth + 1)
                if closing != "end":
                    raise ValueError(f"{{{{ for {variable} … }}}} needs an {{{{ end }}}}")
                nodes.append(_Loop(variable, items, body))
            case ["for", *_]:
                raise ValueError("a loop is written {{ for item in path }}")
            case ["if", *rest]:
                node, place = _parse_if(" ".join(rest), tokens, place, depth)
                nodes.append(node)
            case _:
                nodes.append(_parse_value(token))
    return tuple(nodes), place, ""


def _parse_if(test: str, tokens: list[str], place: int, depth: int) -> tuple[_If, int]:
    negated = test.startswith("not ")
    value = _parse_value(test.removeprefix("not "))
    then, place, closing = _parse(tokens, place, depth + 1)
    other: tuple[_Node, ...] = ()
    if closing == "else":
        other, place, closing = _parse(tokens, place, depth + 1)
    if closing != "end":
        raise ValueError(f"{{{{ if {test} }}}} needs an {{{{ end }}}}")
    return _If(negated, value, then, other), place


def _parse_value(text: str) -> _Value:
    head, *rest = text.split("|")
    filters = []
    for written in rest:
        name, _, argument = written.strip().partition(" ")
        if name not in FILTERS:
            raise ValueError(f"there is no filter {name!r}; the filters are {', '.join(FILTERS)}")
        if not re.fullmatch(FILTERS[name][1], argument.strip()):
            raise ValueError(f"filter {name} cannot be used with {argument.strip()!r}")
        filters.append((name, argument.strip()))
    return _Value(Path.parse(head.strip()), tuple(filters))


def _render(nodes: Sequence[_Node], scope: _Scope) -> str:
    parts = []
    for node in nodes:
        match node:
            case str():
                parts.append(node)
            case _Value():
                parts.append(_text(node.of(scope)))
            case _Loop():
                items = node.items.of(scope)
                for index, item in enumerate(items[:MAX_ITEMS] if isinstance(items, list) else []):
                    inner = scope.inner(**{node.variable: item, "index": index + 1})
                    parts.append(_render(node.body, inner))
            case _If():
                holds = bool(node.test.of(scope)) is not node.negated
                parts.append(_render(node.then if holds else node.other, scope))
    return "".join(parts)
