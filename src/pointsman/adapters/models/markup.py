"""How open models write a tool call as text, and how to read it.

Above: ``text_calls``. The dialects: Hermes, Qwen, Ernie and Nemotron (JSON in ``<tool_call>`` or a
tag like it), Qwen3-Coder and Seed (``<function=…>``), GLM (``<arg_key>``), DeepSeek (special tokens
and DSML), MiniMax and Claude (``<invoke>``), Mistral (``[TOOL_CALLS]``), Llama
(``<|python_tag|>``), Doubao (``<|FunctionCallBegin|>``), gpt-oss (``<|channel|>``), Granite,
InternLM and Kimi.
Bars come as ``|``, ``｜`` or ``‖``, single or doubled; ``▁`` stands for ``_``.

Markup of a registered tool that cannot be read, or lacks a required argument, is broken. A whole
call of a name that nobody offered is text.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

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


_Written = tuple[str, Any]
_Reader = Callable[[str, "Markup"], tuple[list[_Written], int] | None]

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
        for reader in _READERS:
            found = reader(text, self)
            if found is not None:
                written, end = found
                return self._checked(written, end)
        return None

    def names_in(self, text: str) -> tuple[str, ...]:
        """The registered names that broken markup seems to call."""
        named = [next(filter(None, found)) for found in _NAMED.findall(text)]
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
        return _decoded(text)

    def _checked(self, written: Iterable[_Written], end: int) -> Block | None:
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


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_BAR = "[｜‖|]{1,2}"
_DSML = f"(?:{_BAR}DSML{_BAR}|[a-z]+:)?"
_NAMED = re.compile(
    r'"name"\s*:\s*"([^"]+)"|<function=\s*([^>\s]+)\s*>|invoke\s+name=["\']([^"\']+)["\']'
    rf"|tool[▁_]sep{_BAR}>\s*([\w.-]+)|functions\.([\w-]+)"
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("BAR", _BAR).replace("_U_", "[▁_]"), re.DOTALL)


def _rows(
    text: str, opener: re.Pattern[str], row: re.Pattern[str], closer: re.Pattern[str]
) -> tuple[list[re.Match[str]], int] | None:
    """The rows between an opener and a closer (which models forget), and where they end."""
    opened = opener.match(text)
    if opened is None:
        return None
    rows: list[re.Match[str]] = []
    place = opened.end()
    while found := row.match(text, place):
        rows.append(found)
        place = found.end()
    closed = closer.match(text, place)
    return (rows, closed.end() if closed else place) if rows else None


_TAGS = "tool_calls?|function_?call|tool_use|TOOLCALL"
_JSON_DIALECTS = [
    (_pattern(opener), _pattern(closer), optional)
    for opener, closer, optional in (
        (
            rf"(?:<tool_calls>\s*)?<(?:{_TAGS})>\s*(?:```(?:json)?\s*)?(?=[\[{{])",
            rf"[\s}}\]]*(?:```\s*)?</(?:{_TAGS})>(?:\s*</tool_calls>)?|\s*(?=<tool_call>|\Z)",
            False,
        ),
        (r"<BARtool_U_callBAR>\s*", r"\s*<BARend_U_of_U_textBAR>", True),
        (r"<BARaction_U_startBAR>\s*<BARpluginBAR>\s*", r"\s*<BARaction_U_endBAR>|\s*\Z", False),
        (r"<BARFunctionCallBeginBAR>\s*", r"\s*<BARFunctionCallEndBAR>|\s*\Z", False),
        (r"<BARpython_U_tagBAR>\s*", r"\s*<BARe(?:om|ot)_U_idBAR>", True),
        (r"\[TOOL_CALLS\]\s*(?=\[)", r"\s*</s>", True),
    )
]
_BETWEEN = re.compile(r"[\s,;]*")


def _json_calls(text: str, _: Markup) -> tuple[list[_Written], int] | None:
    decoder = json.JSONDecoder(strict=False)
    for opener, closer, optional in _JSON_DIALECTS:
        opened = opener.match(text)
        if opened is None:
            continue
        values: list[Any] = []
        place = end = opened.end()
        while text[place : place + 1] in ("{", "["):
            try:
                value, end = decoder.raw_decode(text, place)
            except (ValueError, RecursionError):
                return None
            values += value if isinstance(value, list) else [value]
            between = _BETWEEN.match(text, end)
            place = between.end() if between else end
        closed = closer.match(text, end)
        written = [_written(value) for value in values]
        if (closed is None and not optional) or None in written:
            return None
        return [call for call in written if call], closed.end() if closed else end
    return None


def _written(value: Any) -> _Written | None:
    """The name and arguments of a call as a JSON object, in the spellings of several models."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("function")
    if isinstance(inner, Mapping):
        return _written(inner)
    name = value.get("name") or value.get("tool_name") or inner
    arguments = next(
        (value[key] for key in ("arguments", "parameters", "args", "input") if key in value), None
    )
    return (name, arguments) if isinstance(name, str) and name else None


_FUNCTIONS = (
    _pattern(r"(?:<(?:seed:)?tool_call>)?(?=\s*<function=)"),
    _pattern(r"\s*<function=\s*(?P<name>[^>\s]+)\s*>(?P<body>.*?)</function>"),
    _pattern(r"\s*</(?:seed:)?tool_call>"),
)
_PARAMETER = _pattern(
    r"\s*<parameter=\s*(?P<name>[^>\s]+)\s*>(?P<value>.*?)"
    r"(?:</parameter>|(?=<parameter=)|\Z)"
)
_INVOKES = (
    _pattern(rf"<{_DSML}(?:tool|function)_calls?>|(?=<{_DSML}invoke)"),
    _pattern(
        rf"\s*<{_DSML}invoke\s+name=[\"'](?P<name>[^\"']+)[\"']\s*>(?P<body>.*?)</{_DSML}invoke>"
    ),
    _pattern(rf"\s*</{_DSML}(?:tool|function)_calls?>"),
)
_INVOKE_PARAMETER = _pattern(
    rf"\s*<{_DSML}parameter\s+name=[\"'](?P<name>[^\"']+)[\"']"
    rf'(?:\s+string="(?P<string>true|false)")?[^>]*>(?P<value>.*?)</{_DSML}parameter>'
)
_GLM = (
    _pattern(r"(?=<tool_call>\s*[\w.-]+\s*<)"),
    _pattern(r"\s*<tool_call>\s*(?P<name>[\w.-]+)(?P<body>.*?)</tool_call>"),
    _pattern(""),
)
_GLM_PARAMETER = _pattern(
    r"\s*<arg_key>(?P<name>[^<]*)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>"
)


def _tagged_calls(text: str, markup: Markup) -> tuple[list[_Written], int] | None:
    """Calls whose parameters have tags of their own."""
    for (opener, row, closer), parameter in (
        (_FUNCTIONS, _PARAMETER),
        (_INVOKES, _INVOKE_PARAMETER),
        (_GLM, _GLM_PARAMETER),
    ):
        if found := _rows(text, opener, row, closer):
            rows, end = found
            written = [
                (row["name"], _parameters(row["name"], row["body"], parameter, markup))
                for row in rows
            ]
            return None if any(body is None for _, body in written) else (written, end)
    return None


def _parameters(
    tool: str, body: str, parameter: re.Pattern[str], markup: Markup
) -> dict[str, Any] | None:
    if body.lstrip().startswith("{"):
        return object_in(body)
    values: dict[str, Any] = {}
    place = 0
    while found := parameter.match(body, place):
        name = found["name"].strip()
        text = found["value"].removeprefix("\n").removesuffix("\n")
        given = found.groupdict().get("string")
        if given:
            value = text if given == "true" else _decoded(text)
        else:
            value = markup.value(tool, name, text)
        values[name] = value
        place = found.end()
    return None if body[place:].strip() else values


_TOKEN_DIALECTS = (
    (  # gpt-oss
        _pattern(r"(?:<BARstartBAR>assistant)?(?=<BARchannelBAR>)"),
        _pattern(
            r"<BARchannelBAR>\s*commentary\s+to=(?P<name>[\w.-]+)\s*(?:<BARconstrainBAR>)?\s*"
            r"(?:json\s*)?<BARmessageBAR>(?P<json>.*?)(?:<BARcallBAR>|\Z)"
        ),
        _pattern(""),
    ),
    (  # Kimi
        _pattern(r"<BARtool_U_calls_U_section_U_beginBAR>|(?=<BARtool_U_call_U_beginBAR>)"),
        _pattern(
            r"\s*<BARtool_U_call_U_beginBAR>\s*(?P<name>[\w.-]+)(?::\d+)?\s*"
            r"<BARtool_U_call_U_argument_U_beginBAR>(?P<json>.*?)<BARtool_U_call_U_endBAR>"
        ),
        _pattern(r"\s*<BARtool_U_calls_U_section_U_endBAR>"),
    ),
    (  # DeepSeek; the older form says "function" first and has the JSON in a fence
        _pattern(r"<BARtool_U_calls_U_beginBAR>|(?=<BARtool_U_call_U_beginBAR>)"),
        _pattern(
            r"\s*<BARtool_U_call_U_beginBAR>\s*(?:function<BARtool_U_sepBAR>\s*)?"
            r"(?P<name>[\w.-]++)(?P<json>.*?)<BARtool_U_call_U_endBAR>"
        ),
        _pattern(r"\s*<BARtool_U_calls_U_endBAR>"),
    ),
)


_PACKING = _pattern(r"\A\s*(?:<BARtool_U_sepBAR>)?\s*(?:```(?:json)?)?|```\s*\Z")


def _token_calls(text: str, _: Markup) -> tuple[list[_Written], int] | None:
    """Calls between special tokens, with JSON arguments."""
    for opener, row, closer in _TOKEN_DIALECTS:
        if found := _rows(text, opener, row, closer):
            rows, end = found
            return [(row["name"], _PACKING.sub("", row["json"])) for row in rows], end
    return None


_MISTRAL = _pattern(
    r"\s*\[TOOL_CALLS\]\s*(?P<name>[\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\])?\s*(?=\{)"
)


def _mistral_calls(text: str, _: Markup) -> tuple[list[_Written], int] | None:
    """``[TOOL_CALLS]name[ARGS]{…}``, as often as it comes."""
    decoder = json.JSONDecoder(strict=False)
    written: list[_Written] = []
    end = 0
    while found := _MISTRAL.match(text, end):
        try:
            arguments, end = decoder.raw_decode(text, found.end())
        except (ValueError, RecursionError):
            return None
        written.append((found["name"], arguments))
    return (written, end) if written else None


_READERS: tuple[_Reader, ...] = (_json_calls, _tagged_calls, _token_calls, _mistral_calls)
