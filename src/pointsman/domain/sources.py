"""Where every argument's value comes from, and whether that will do (B1).

``find`` gives each leaf of the arguments its source: the user's words, a tool's result, the
context, a declared default, or nobody but the model. ``judge`` decides by the tool's risk: a tool
that only reads may take anything; in one that changes something only free text may be the model's
own (design, section 4; the kinds of parameters are in ``domain.values.natures``).

A tool's author says otherwise with ``x-source`` in the parameter's schema: a kind or a list of
kinds (``user``, ``tool``, ``tool:<name>``, ``context``, ``default``, ``model``).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.phrases import assembled
from pointsman.domain.times import When
from pointsman.domain.tools import Risk, ToolSpec
from pointsman.domain.values.doubts import grounded, looks_wrong, quotes
from pointsman.domain.values.matches import Match
from pointsman.domain.values.matching import contradicts, in_message
from pointsman.domain.values.natures import Parameter, parameters
from pointsman.domain.values.results_index import Leaf, find_leaf, leaves_of

_COUNTER = re.compile(
    r"(?:^|_)(?:index|idx|order|seq|sequence|position|step|no|id)$|序号", re.IGNORECASE
)
Kind = Literal["user", "tool", "context", "directory", "default", "model"]

__all__ = ["Evidence", "Kind", "Message", "Result", "Source", "Verdict", "find", "judge"]


class Message(Struct, frozen=True, kw_only=True):
    """What the user wrote once.

    Attributes:
        index: its place in the conversation, for the record.
        asked: the question that it answers, if the assistant or the engine asked one just before.
    """

    index: int
    text: str
    asked: str = ""


class Result(Struct, frozen=True, kw_only=True):
    """What a tool gave.

    Attributes:
        call: key of the call, unique in the conversation.
        data: the structured result; ``content`` is searched when there is none.
        trusted: its content is our own; what comes from others taints.
    """

    call: str
    tool: str
    content: str = ""
    data: Any = None
    trusted: bool = False


class Evidence(Struct, frozen=True, kw_only=True):
    """All that a value can come from.

    Attributes:
        messages: the user's, the latest first: this run's, then earlier ones.
        results: of this run and of earlier ones of the conversation, the latest first.
        now: aware, in the user's zone; what "tomorrow" is counted from.
    """

    messages: tuple[Message, ...]
    now: datetime
    results: tuple[Result, ...] = ()


class Source(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where one value comes from.

    Attributes:
        message: index of the user's message; -1 when the words stand in several. ``start`` and
            ``end`` are the span there.
        call, tool, at: the tool result and the JSON path in it.
        kind: ``directory``: the tool itself found it, in the directory or in the user's words.
        form: which normal form matched (``exact``, ``number``, ``time``, ``meaning`` …).
        tainted: only untrusted content holds it, or free text that repeats such content.
        rivals: readings that the words allow as well; the user is to be asked.
    """

    kind: Kind
    message: int = -1
    start: int = 0
    end: int = 0
    call: str = ""
    tool: str = ""
    at: str = ""
    form: str = ""
    tainted: bool = False
    rivals: tuple[When, ...] = ()


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether a call's arguments may be used. Names are dotted paths, as in ``rooms.0.id``.

    Attributes:
        unsourced: nobody gave these values: the user is to be asked.
        ambiguous: the user's words have these readings: the user is to be asked which.
        invalid: name → what is wrong with a value that the schema lets pass.
        tainted: they come from untrusted content alone. This does not stop the call; it raises the
            risk by one step.
    """

    unsourced: tuple[str, ...] = ()
    ambiguous: dict[str, tuple[When, ...]] = {}
    invalid: dict[str, str] = {}
    tainted: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not (self.unsourced or self.ambiguous or self.invalid)


def find(
    arguments: Mapping[str, Any], spec: ToolSpec, evidence: Evidence
) -> dict[str, Source | None]:
    """The source of every leaf of the arguments, by its dotted path; None when there is none.

    An empty list or object is a leaf that needs no source and is left out.
    """
    search = _Search(spec, evidence)
    return {
        ".".join(path): search.source(path, value, arguments)
        for path, value in _leaves(arguments, ())
        if value is not None and value != ""
    }


def judge(
    spec: ToolSpec, sources: Mapping[str, Source | None], arguments: Mapping[str, Any]
) -> Verdict:
    """Whether the sources are good enough for the tool.

    Args:
        sources: what ``find`` gave for these arguments.
    """
    unsourced: list[str] = []
    tainted: list[str] = []
    ambiguous: dict[str, tuple[When, ...]] = {}
    invalid: dict[str, str] = {}
    known = parameters(spec)
    values = {".".join(path): (path, value) for path, value in _leaves(arguments, ())}
    for name, source in sources.items():
        path, value = values[name]
        wanted = known[path]
        if path[0] not in spec.context and (wrong := looks_wrong(value, wanted)):
            invalid[name] = wrong
        elif not _will_do(source, wanted, spec):
            unsourced.append(name)
        elif source is not None and source.rivals and _matters(wanted, spec):
            ambiguous[name] = source.rivals
        if source is not None and source.tainted:
            tainted.append(name)
    return Verdict(
        unsourced=tuple(unsourced),
        ambiguous=ambiguous,
        invalid=invalid,
        tainted=tuple(tainted),
    )


def _matters(wanted: Parameter, spec: ToolSpec) -> bool:
    """Whether it is asked which of several readings is meant; a tool that takes the words reads
    them itself."""
    return spec.risk is not Risk.READ and "x-nature" not in wanted.schema


def _will_do(source: Source | None, wanted: Parameter, spec: ToolSpec) -> bool:
    if wanted.allowed:
        return source is not None and _is_allowed(source, wanted.allowed)
    if spec.risk is Risk.READ:
        return True
    if source is None:
        return False
    return source.kind != "model" or wanted.nature in ("text", "flag")


def _is_allowed(source: Source, allowed: tuple[str, ...]) -> bool:
    return source.kind in allowed or (source.kind == "tool" and f"tool:{source.tool}" in allowed)


def _leaves(value: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        items: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return [(path, value)]
    found = []
    for name, item in items:
        if isinstance(item, dict | list):
            found += _leaves(item, (*path, str(name)))
        else:
            found.append(((*path, str(name)), item))
    return found


class _Search:
    """The search for the sources of one call; tool results are opened once, and only if needed."""

    def __init__(self, spec: ToolSpec, evidence: Evidence) -> None:
        self.spec = spec
        self.evidence = evidence
        self._parameters = parameters(spec)
        self._opened: dict[int, tuple[Leaf, ...]] = {}

    def source(
        self, path: tuple[str, ...], value: Any, arguments: Mapping[str, Any]
    ) -> Source | None:
        """The best source that the parameter allows; the best of all if it allows none of them."""
        if path[0] in self.spec.context:
            return Source(kind="context", form="filled")
        wanted = self._parameters[path]
        best: Source | None = None
        for found in self._candidates(value, wanted, arguments, path):
            if not wanted.allowed or _is_allowed(found, wanted.allowed):
                return found
            best = best or found
        return best

    def _candidates(
        self,
        value: Any,
        wanted: Parameter,
        arguments: Mapping[str, Any],
        path: tuple[str, ...],
    ) -> Iterator[Source]:
        """User, our own tools, defaults, other tools, and at last the model."""
        if (said := self._said(value, wanted, arguments, path)) is not None:
            yield said
        yield from self._given(value, wanted, trusted=True)
        if "default" in wanted.schema and wanted.schema["default"] == value:
            yield Source(kind="default", form="declared")
        elif len(wanted.options) == 1 and wanted.options[0] == value:
            yield Source(kind="default", form="only choice")
        yield from self._given(value, wanted, trusted=False)
        if wanted.nature == "text" and isinstance(value, str):
            if grounded(value, self._texts()):
                yield Source(kind="model", form="composed", tainted=self._repeats(value))
        elif wanted.nature == "flag" and in_message(value, wanted, "", "", self.evidence.now):
            yield Source(kind="model", form="not asked for")
        if "model" in wanted.allowed:
            yield Source(kind="model", form="composed", tainted=self._repeats(str(value)))
        if _numbered(value, wanted, arguments, path):
            yield Source(kind="default", form="position")

    def _said(
        self,
        value: Any,
        wanted: Parameter,
        arguments: Mapping[str, Any],
        path: tuple[str, ...],
    ) -> Source | None:
        best: tuple[Match, int] | None = None
        siblings = _siblings(arguments, path)
        for message in self.evidence.messages:
            found = in_message(
                value,
                wanted,
                message.text,
                message.asked,
                self.evidence.now,
                siblings=siblings,
            )
            if found is None or found.form == "unmentioned":
                if contradicts(value, wanted, message.text):
                    break
                continue
            if best is None or (best[0].rivals and not found.rivals):
                best = found, message.index
                if not found.rivals:
                    break
        if best is None:
            return self._scattered(value, wanted)
        match, index = best
        return Source(
            kind="user",
            message=index,
            start=match.start,
            end=match.end,
            form=match.form,
            rivals=match.rivals,
        )

    def _scattered(self, value: Any, wanted: Parameter) -> Source | None:
        """Words of the user's that stand in several messages."""
        messages = self.evidence.messages
        if wanted.nature != "words" or len(messages) < 2 or not isinstance(value, str):
            return None
        said = assembled(value, tuple(message.text for message in messages))
        return Source(kind="user", form="words") if said else None

    def _given(self, value: Any, wanted: Parameter, *, trusted: bool) -> Iterator[Source]:
        for n, result in enumerate(self.evidence.results):
            if result.trusted is not trusted:
                continue
            if n not in self._opened:
                self._opened[n] = leaves_of(
                    result.data if result.data is not None else result.content
                )
            at = find_leaf(value, wanted, self._opened[n])
            if at is not None:
                yield Source(
                    kind="tool", call=result.call, tool=result.tool, at=at, tainted=not trusted
                )

    def _texts(self) -> Iterator[str]:
        for message in self.evidence.messages:
            yield message.text
        for result in self.evidence.results:
            yield result.content or str(result.data)

    def _repeats(self, value: str) -> bool:
        return any(
            quotes(value, result.content or str(result.data))
            for result in self.evidence.results
            if not result.trusted
        )


def _numbered(
    value: Any, wanted: Parameter, arguments: Mapping[str, Any], path: tuple[str, ...]
) -> bool:
    """Whether a whole number only counts the objects of a list, from 0 or 1."""
    if type(value) is not int or not _COUNTER.search(wanted.name) or len(path) < 2:
        return False
    if not path[-2].isdecimal():
        return False
    rows = _siblings(arguments, path[:-1])
    counted = [row.get(path[-1]) for row in rows if isinstance(row, dict)]
    return len(counted) > 1 and counted in (
        list(range(len(rows))),
        list(range(1, len(rows) + 1)),
    )


def _siblings(arguments: Mapping[str, Any], path: tuple[str, ...]) -> tuple[Any, ...]:
    """The other items of the list that a leaf is in."""
    if not path[-1].isdecimal():
        return ()
    holder: Any = arguments
    for step in path[:-1]:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    return tuple(holder) if isinstance(holder, list) else ()
