"""How open models write a tool call as text: a reader for each family.

The dialects: Hermes, Qwen, Ernie and Nemotron (JSON in ``<tool_call>`` or a tag like it),
Qwen3-Coder and Seed (``<function=…>``), GLM (``<arg_key>``), DeepSeek (special tokens and DSML),
MiniMax and Claude (``<invoke>``), Mistral (``[TOOL_CALLS]``), Llama (``<|python_tag|>``), Doubao
(``<|FunctionCallBegin|>``), gpt-oss (``<|channel|>``), Gemma, Granite, InternLM and Kimi.
Bars come as ``|``, ``｜`` or ``‖``, single or doubled; ``▁`` stands for ``_``. Above: ``markup``.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from pointsman.adapters.models.readings import as_text, object_in

Written = tuple[str, Any]
"""The name and the arguments of a call, as they were written."""
ValueOf = Callable[[str, str, str], Any]
"""Tool, parameter and text → the value that the tool's schema wants."""
Reader = Callable[[str, ValueOf], tuple[list[Written], int] | None]
"""Markup → its calls and where it ends; None when it is not of this dialect, or broken."""


def decoded(text: str) -> Any:
    """The JSON value that a text is, else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_BAR = "[｜‖|]{1,2}"
_DSML = f"(?:{_BAR}DSML{_BAR}|[a-z]+:)?"
NAMED = re.compile(
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


def _json_calls(text: str, _: ValueOf) -> tuple[list[Written], int] | None:
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


def _written(value: Any) -> Written | None:
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


def _tagged_calls(text: str, value_of: ValueOf) -> tuple[list[Written], int] | None:
    """Calls whose parameters have tags of their own."""
    for (opener, row, closer), parameter in (
        (_FUNCTIONS, _PARAMETER),
        (_INVOKES, _INVOKE_PARAMETER),
        (_GLM, _GLM_PARAMETER),
    ):
        if found := _rows(text, opener, row, closer):
            rows, end = found
            written = [
                (row["name"], _parameters(row["name"], row["body"], parameter, value_of))
                for row in rows
            ]
            return None if any(body is None for _, body in written) else (written, end)
    return None


def _parameters(
    tool: str, body: str, parameter: re.Pattern[str], value_of: ValueOf
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
            value = text if given == "true" else decoded(text)
        else:
            value = value_of(tool, name, text)
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


def _token_calls(text: str, _: ValueOf) -> tuple[list[Written], int] | None:
    """Calls between special tokens, with JSON arguments."""
    for opener, row, closer in _TOKEN_DIALECTS:
        if found := _rows(text, opener, row, closer):
            rows, end = found
            return [(row["name"], _PACKING.sub("", row["json"])) for row in rows], end
    return None


_MISTRAL = _pattern(
    r"\s*\[TOOL_CALLS\]\s*(?P<name>[\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\])?\s*(?=\{)"
)


def _mistral_calls(text: str, _: ValueOf) -> tuple[list[Written], int] | None:
    """``[TOOL_CALLS]name[ARGS]{…}``, as often as it comes."""
    decoder = json.JSONDecoder(strict=False)
    written: list[Written] = []
    end = 0
    while found := _MISTRAL.match(text, end):
        try:
            arguments, end = decoder.raw_decode(text, found.end())
        except (ValueError, RecursionError):
            return None
        written.append((found["name"], arguments))
    return (written, end) if written else None


_GEMMA = _pattern(
    r"\s*<BARtool_U_call>\s*call:(?P<name>[\w.-]+)\s*(?P<body>\{.*?\})\s*<tool_U_callBAR>"
)
_GEMMA_TEXT = _pattern(r'<BAR"BAR>(.*?)<BAR"BAR>')
_GEMMA_KEY = re.compile(r'("(?:[^"\\]|\\.)*")|([A-Za-z_][\w-]*)(?=\s*:)')


def _gemma_calls(text: str, _: ValueOf) -> tuple[list[Written], int] | None:
    """``<|tool_call>call:name{key:<|"|>text<|"|>}<tool_call|>``, as often as it comes."""
    written: list[Written] = []
    end = 0
    while found := _GEMMA.match(text, end):
        quoted = _GEMMA_TEXT.sub(lambda said: as_text(said[1]), found["body"])
        keyed = _GEMMA_KEY.sub(lambda key: key[1] or as_text(key[2]), quoted)
        written.append((found["name"], keyed))
        end = found.end()
    return (written, end) if written else None


READERS: tuple[Reader, ...] = (
    _json_calls,
    _tagged_calls,
    _token_calls,
    _mistral_calls,
    _gemma_calls,
)
