"""Where a tool call that was written as text begins, and which registered tool it calls.

Above: ``text_calls``. Below: ``dialects``, which reads what each family of models writes.

Markup of a registered tool that cannot be read, or lacks a required argument, is broken. A whole
call of a name that nobody offered is text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from pointsman.adapters.models.dialects import NAMED, READERS, Written, decoded
from pointsman.adapters.models.readings import as_text, object_in
from pointsman.domain.tools import ToolSpec


class TextCall(Struct, frozen=True, kw_only=True):
    """A call that was written as text; ``arguments`` is a JSON object as text."""

    name: str
    arguments: str


class Block(Struct, frozen=True, kw_only=True):
    """Markup that could be read: its calls (none if it is text) and where it ends."""

    calls: tuple[TextCall, ...]
    end: int


_JSON = '{"', "{'", "[{"
_FENCED = (*_JSON, *(f"```{word}{start}" for word in ("json", "") for start in ("{", "[{")))
_INVOKED = "<invokename=", "<steptml:invokename="
_TO_TOOL = "commentaryto=NAME", "commentaryto=functions.NAME"
_OPENERS: dict[str, tuple[str, ...]] = {
    "<tool_call>": (*_FENCED, *_INVOKED, "<function=", "NAME<arg_key>", "NAME</tool_call>"),
    "<tool_calls>": (*_FENCED, "<tool_call>{"),
    "<function_call>": _FENCED,
    "<functioncall>": _FENCED,
    "<tool_use>": _FENCED,
    "<TOOLCALL>": _FENCED,
    "<seed:tool_call>": ("<function=",),
    "<function=": ("NAME>",),
    "<|tool_calls_begin|>": ("<|tool_call_begin|>",),
    "<|tool_call_begin|>": ("function<|tool_sep|>", "NAME<|tool_sep|>", "NAME:", "functions.NAME:"),
    "<|tool_call|>": _JSON,
    "<|tool_call>": ("call:NAME{",),
    "<|channel|>": _TO_TOOL,
    "<|start|>assistant<|channel|>": _TO_TOOL,
    "<|action_start|>": ('<|plugin|>{"',),
    "<|DSML|tool_calls>": ("<|DSML|invoke",),
    "<|DSML|function_calls>": ("<|DSML|invoke",),
    "<|DSML|invoke": ("name=",),
    "<minimax:tool_call>": _INVOKED,
    "<function_calls>": _INVOKED,
    "<invoke": ('name="NAME"', "name='NAME'"),
    "<antml:function_calls>": ("<antml:invokename=",),
    "<antml:invoke": ('name="NAME"', "name='NAME'"),
    "[TOOL_CALLS]": ("[{", "NAME{", "NAME[ARGS]", "NAME[CALL_ID]"),
    "<|python_tag|>": _JSON,
    "<|FunctionCallBegin|>": _JSON,
    "<|tool_calls_section_begin|>": ("<|tool_call_begin|>",),
}
"""Opening → what has to follow, blanks left out, for it to be more than a word in prose."""
_WINDOW = 256


class Markup:
    """Reads the markup of calls of these tools."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._openers = {
            opener: tuple(
                follow.replace("NAME", name)
                for follow in follows
                for name in (self._tools if "NAME" in follow else ("",))
            )
            for opener, follows in _OPENERS.items()
        }

    def begins(self, text: str, place: int) -> bool | None:
        """Whether a call begins here; None if that depends on what comes."""
        seen = _canonical(text[place : place + _WINDOW])
        undecided = False
        for opener, follows in self._openers.items():
            if seen.startswith(opener):
                rest = "".join(seen[len(opener) :].split())
                if rest.startswith(follows):
                    return True
                undecided = undecided or any(follow.startswith(rest) for follow in follows)
            elif opener.startswith(seen):
                undecided = True
        return None if undecided and place + _WINDOW > len(text) else False

    def read(self, text: str) -> Block | None:
        """The markup that this text begins with, or None when it is broken."""
        for reader in READERS:
            found = reader(text, self.value)
            if found is not None:
                written, end = found
                return self._checked(written, end)
        return None

    def names_in(self, text: str) -> tuple[str, ...]:
        """The registered names that broken markup seems to call."""
        named = [next(filter(None, found)) for found in NAMED.findall(text)]
        known = [name for name in named if name in self._tools]
        if not known:
            known = [word for word in re.findall(r"[\w-]+", text) if word in self._tools][:1]
        return tuple(known)

    def value(self, tool: str, parameter: str, text: str) -> Any:
        """A parameter's text as the value that the tool's schema wants."""
        spec = self._tools.get(tool)
        properties = spec.parameters.get("properties") if spec else None
        schema = properties.get(parameter) if isinstance(properties, Mapping) else None
        kinds = set(_kinds(schema))
        if "string" in kinds or (not kinds and text.lstrip()[:1] not in ("{", "[")):
            return text
        return decoded(text)

    def _checked(self, written: Iterable[Written], end: int) -> Block | None:
        calls: list[TextCall] = []
        unknown = 0
        for said, arguments in written:
            name = said if said in self._tools else said.removeprefix("functions.")
            if name not in self._tools:
                unknown += 1
                continue
            if arguments is None or arguments == "":
                arguments = {}
            value = object_in(arguments) if isinstance(arguments, str) else arguments
            required = self._tools[name].parameters.get("required") or ()
            if not isinstance(value, dict) or not set(required) <= value.keys():
                return None
            text = arguments if isinstance(arguments, str) else as_text(value)
            calls.append(TextCall(name=name, arguments=text))
        if calls and unknown:
            return None
        return Block(calls=tuple(calls), end=end) if calls or unknown else None


def _canonical(text: str) -> str:
    if not text.isascii():
        text = text.replace("｜", "|").replace("‖", "|").replace("▁", "_")
    while "||" in text:
        text = text.replace("||", "|")
    return text


def _kinds(schema: Any) -> Iterator[str]:
    """The JSON types that a schema allows, as far as it says so."""
    if not isinstance(schema, Mapping):
        return
    kind = schema.get("type")
    yield from [kind] if isinstance(kind, str) else kind if isinstance(kind, list) else ()
    for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _kinds(option)
