"""Calls that models write as text, through the bytes that a server would send."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.messages import Stop, TextDelta
from pointsman.errors import ModelProtocolError
from tests.support.replies import (
    SEARCH,
    Reading,
    call,
    called,
    chunk,
    events,
    read,
    read_whole,
    text_stream,
    tool_spec,
)

WEATHER = tool_spec(
    "get_weather",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "metric": {"type": ["boolean", "null"]},
            "where": {"type": "object"},
            "anything": {},
        },
        "required": ["city"],
    },
)
TOOLS = (WEATHER, SEARCH, tool_spec("get_time"))
A = ("get_weather", {"city": "A"})
X = ("search", {"q": "x"})
TIME: tuple[str, Any] = ("get_time", {})


def reading(content: str, size: int = 10_000, finish: str = "stop", **how: Any) -> Reading:
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    how = {"tools": TOOLS, "text_calls": True, **how}
    return Reading([text_stream(*pieces, finish=finish)], **how)


DSML = (
    '<｜DSML｜tool_calls><｜DSML｜invoke name="get_weather">'
    '<｜DSML｜parameter name="city" string="true">A</｜DSML｜parameter>'
    '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>'
    "</｜DSML｜invoke></｜DSML｜tool_calls>"
)
BEGIN, END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
ONE, SEP, STOP = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "A"}}\n</tool_call>'
SEARCH_X = '<tool_call>{"name":"search","arguments":{"q":"x"}}</tool_call>'

FOUND: dict[str, tuple[str, str, list[tuple[str, Any]]]] = {
    "hermes": (HERMES, "", [A]),
    "hermes-text-before": (f"好。\n{HERMES}", "好。", [A]),
    "hermes-on-the-line": (f"好{HERMES}", "好", [A]),
    "hermes-text-after": (f"{HERMES}\nso", "so", [A]),
    "hermes-two": (f"{HERMES}\n{SEARCH_X}", "", [A, X]),
    "hermes-two-in-one": (
        '<tool_call>{"name":"search","arguments":{"q":"x"}}\n{"name":"get_time"}</tool_call>',
        "",
        [X, TIME],
    ),
    "hermes-arguments-as-text": (
        '<tool_call>{"name":"search","arguments":"{\\"q\\":\\"x\\"}"}</tool_call>',
        "",
        [X],
    ),
    "hermes-parameters": (
        '<tool_call>{"name":"search","parameters":{"q":"x"}}</tool_call>',
        "",
        [X],
    ),
    "hermes-function-inside": (
        '<tool_call>{"type":"function",'
        '"function":{"name":"search","arguments":{"q":"x"}}}</tool_call>',
        "",
        [X],
    ),
    "hermes-no-arguments": (
        '<tool_call>{"name":"get_time","arguments":null}</tool_call>',
        "",
        [TIME],
    ),
    "hermes-closer-left-out": ('<tool_call>{"name":"search","arguments":{"q":"x"}}', "", [X]),
    "hermes-a-brace-too-many": (
        '<tool_call>{"name":"search","arguments":{"q":"x"}}}\n</tool_call>',
        "",
        [X],
    ),
    "hermes-closer-in-a-value": (
        '<tool_call>{"name":"search","arguments":{"q":"</tool_call>"}}</tool_call>',
        "",
        [("search", {"q": "</tool_call>"})],
    ),
    "hermes-raw-newline-in-a-value": (
        '<tool_call>{"name":"search","arguments":{"q":"a\nb"}}</tool_call>',
        "",
        [("search", {"q": "a\nb"})],
    ),
    "functions-prefix": (
        '<tool_call>{"name":"functions.search","arguments":{"q":"x"}}</tool_call>',
        "",
        [X],
    ),
    "after-prose-with-signs": (
        f"1 < 2, [a](b), `code`, <b>!\n{SEARCH_X}",
        "1 < 2, [a](b), `code`, <b>!",
        [X],
    ),
    "after-a-code-block": (f"```\n<x>\n```\n{SEARCH_X}", "```\n<x>\n```", [X]),
    "qwen-coder": (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nA\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n<parameter=metric>\ntrue\n</parameter>\n</function>\n</tool_call>",
        "",
        [("get_weather", {"city": "A", "days": 3, "metric": True})],
    ),
    "qwen-coder-text-stays-text": (
        "<tool_call><function=get_weather><parameter=city>123</parameter>"
        '<parameter=where>{"a":1}</parameter><parameter=anything>7</parameter></function></tool_call>',
        "",
        [("get_weather", {"city": "123", "where": {"a": 1}, "anything": "7"})],
    ),
    "qwen-coder-lines-kept": (
        "<tool_call><function=search><parameter=q>\n a\n\nb\n</parameter></function></tool_call>",
        "",
        [("search", {"q": " a\n\nb"})],
    ),
    "qwen-coder-no-wrapper": (
        "好\n<function=search><parameter=q>x</parameter></function>",
        "好",
        [X],
    ),
    "qwen-coder-no-arguments": (
        "<tool_call><function=get_time></function></tool_call>",
        "",
        [TIME],
    ),
    "qwen-coder-closer-left-out": (
        "<tool_call><function=get_weather><parameter=city>A\n"
        "<parameter=days>3</function></tool_call>",
        "",
        [("get_weather", {"city": "A", "days": 3})],
    ),
    "function-with-json": ('<function=search>{"q":"x"}</function>', "", [X]),
    "seed": (
        "<seed:tool_call><function=search><parameter=q>x</parameter></function></seed:tool_call>",
        "",
        [X],
    ),
    "glm": (
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>A</arg_value>\n"
        "<arg_key>days</arg_key><arg_value>3</arg_value>\n</tool_call>",
        "",
        [("get_weather", {"city": "A", "days": 3})],
    ),
    "glm-no-arguments": ("<tool_call>get_time\n</tool_call>", "", [TIME]),
    "glm-two": (
        "<tool_call>get_time\n</tool_call>\n<tool_call>get_time\n</tool_call>",
        "",
        [TIME, TIME],
    ),
    "deepseek-v3": (
        f'好{BEGIN}{ONE}function{SEP}search\n```json\n{{"q": "x"}}\n```{STOP}{END}',
        "好",
        [X],
    ),
    "deepseek-v3.1": (
        f'{BEGIN}{ONE}search{SEP}{{"q": "x"}}{STOP}{ONE}get_time{SEP}{{}}{STOP}{END}',
        "",
        [X, TIME],
    ),
    "deepseek-plain-signs": (
        f'{BEGIN}{ONE}search{SEP}{{"q": "x"}}{STOP}{END}'.replace("｜", "|").replace("▁", "_"),
        "",
        [X],
    ),
    "dsml": (f"好{DSML}", "好", [("get_weather", {"city": "A", "days": 3})]),
    "dsml-function-calls": (
        DSML.replace("tool_calls", "function_calls"),
        "",
        [("get_weather", {"city": "A", "days": 3})],
    ),
    "dsml-no-attribute": (
        DSML.replace(' string="true"', "").replace(' string="false"', ""),
        "",
        [("get_weather", {"city": "A", "days": 3})],
    ),
    "dsml-text-that-is-a-number": (
        DSML.replace(">A<", ">12<"),
        "",
        [("get_weather", {"city": "12", "days": 3})],
    ),
    "dsml-two": (
        DSML.replace(
            "</｜DSML｜tool_calls>",
            '<｜DSML｜invoke name="get_time"></｜DSML｜invoke></｜DSML｜tool_calls>',
        ),
        "",
        [("get_weather", {"city": "A", "days": 3}), TIME],
    ),
    "minimax": (
        '<minimax:tool_call>\n<invoke name="search">\n<parameter name="q">x</parameter>\n'
        "</invoke>\n</minimax:tool_call>",
        "",
        [X],
    ),
    "mistral-list": ('[TOOL_CALLS][{"name": "search", "arguments": {"q": "x"}}]', "", [X]),
    "mistral-list-two": (
        '[TOOL_CALLS] [{"name":"search","arguments":{"q":"x"}},{"name":"get_time","arguments":{}}]',
        "",
        [X, TIME],
    ),
    "mistral-args": ('好[TOOL_CALLS]search[ARGS]{"q": "x"}', "好", [X]),
    "mistral-args-two": (
        '[TOOL_CALLS]search[ARGS]{"q": "x"}[TOOL_CALLS]get_time[ARGS]{}',
        "",
        [X, TIME],
    ),
    "mistral-call-id": ('[TOOL_CALLS]search[CALL_ID]aB3dE6fG9[ARGS]{"q": "x"}</s>', "</s>", [X]),
    "mistral-name-and-object": ('[TOOL_CALLS]search{"q": "x"}', "", [X]),
    "llama": ('<|python_tag|>{"name": "search", "parameters": {"q": "x"}}<|eom_id|>', "", [X]),
    "doubao": (
        '<|FunctionCallBegin|>[{"name":"search","parameters":{"q":"x"}}]<|FunctionCallEnd|>',
        "",
        [X],
    ),
    "kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0"
        '<|tool_call_argument_begin|>{"q":"x"}<|tool_call_end|><|tool_calls_section_end|>',
        "",
        [X],
    ),
    "hermes-in-a-fence-inside": (
        '<tool_call>\n```json\n{"name":"search","arguments":{"q":"x"}}\n```\n</tool_call>',
        "",
        [X],
    ),
    "list-in-tool-calls": (
        '<tool_calls>[{"name":"search","arguments":{"q":"x"}},{"name":"get_time"}]</tool_calls>',
        "",
        [X, TIME],
    ),
    "hermes-inside-tool-calls": (f"<tool_calls>\n{HERMES}\n{SEARCH_X}\n</tool_calls>", "", [A, X]),
    "function-call": (SEARCH_X.replace("tool_call", "function_call"), "", [X]),
    "functioncall": (SEARCH_X.replace("tool_call", "functioncall"), "", [X]),
    "tool-use": ('<tool_use>{"name":"search","input":{"q":"x"}}</tool_use>', "", [X]),
    "nemotron": (
        '<TOOLCALL>[{"name":"search","arguments":{"q":"x"}}]</TOOLCALL>',
        "",
        [X],
    ),
    "granite": ('<|tool_call|>[{"name":"search","arguments":{"q":"x"}}]', "", [X]),
    "internlm": (
        '<|action_start|><|plugin|>\n{"name":"search","parameters":{"q":"x"}}<|action_end|>',
        "",
        [X],
    ),
    "gpt-oss": (
        "好<|start|>assistant<|channel|>commentary to=functions.search <|constrain|>json<|message|>"
        '{"q":"x"}<|call|>',
        "好",
        [X],
    ),
    "gpt-oss-closer-left-out": (
        '<|channel|>commentary to=search json<|message|>{"q":"x"}',
        "",
        [X],
    ),
    "gemma": (
        'ok<|tool_call>call:get_weather{city:<|"|>A<|"|>,days:3,where:{k:[<|"|>a: b<|"|>]}}'
        "<tool_call|><|tool_call>call:get_time{}<tool_call|>",
        "ok",
        [("get_weather", {"city": "A", "days": 3, "where": {"k": ["a: b"]}}), TIME],
    ),
    "kimi-no-section": (
        '<|tool_call_begin|>search:0<|tool_call_argument_begin|>{"q":"x"}<|tool_call_end|>',
        "",
        [X],
    ),
}
INVOKE = '<invoke name="search">\n<parameter name="q">x</parameter>\n</invoke>'
FOUND |= {
    "invoke-no-wrapper": (f"好\n{INVOKE}", "好", [X]),
    "invoke-two": (f"{INVOKE}\n{INVOKE.replace('>x<', '>y<')}", "", [X, ("search", {"q": "y"})]),
    "invoke-single-quotes": (INVOKE.replace('"', "'"), "", [X]),
    "invoke-in-function-calls": (f"<function_calls>\n{INVOKE}\n</function_calls>", "", [X]),
    "invoke-in-tool-call": (f"<tool_call>{INVOKE}</tool_call>", "", [X]),
    "invoke-in-a-namespace": (
        f"<function_calls>{INVOKE}</function_calls>".replace("</", "</antml:")
        .replace("<f", "<antml:f")
        .replace("<i", "<antml:i")
        .replace("<p", "<antml:p"),
        "",
        [X],
    ),
}
for bars in ("‖", "|", "｜｜", "||", "‖‖"):
    FOUND[f"dsml-bars-{bars}"] = (
        f"好{DSML}".replace("｜", bars),
        "好",
        [("get_weather", {"city": "A", "days": 3})],
    )


@pytest.mark.parametrize(("content", "text", "calls"), FOUND.values(), ids=FOUND.keys())
def test_a_call_written_as_text_is_a_call_and_never_shown(
    content: str, text: str, calls: list[Any]
) -> None:
    for size in (1, 2, 3, 7, 10_000):
        found = reading(content, size)
        assert called(found.reply) == calls
        assert found.reply.stop is Stop.TOOL_CALLS
        assert found.reply.message.text.strip() == text
        assert found.shown.strip() == text
    whole = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    assert called(read_whole(whole, tools=TOOLS, text_calls=True)) == calls


@pytest.mark.parametrize(("content", "text", "calls"), FOUND.values(), ids=FOUND.keys())
def test_with_the_switch_off_markup_is_text(content: str, text: str, calls: list[Any]) -> None:
    found = reading(content, 3, text_calls=False)
    assert (found.reply.message.text, found.reply.message.calls) == (content, ())
    assert found.shown == content


PROSE = {
    "the-word": "Qwen opens with <tool_call> and closes with </tool_call>.",
    "the-format": "Write <tool_call>{json}</tool_call>, or [TOOL_CALLS] and a list.",
    "special-words": "<｜DSML｜tool_calls> and <｜tool▁calls▁begin｜>, <|python_tag|> are words",
    "inline-code": f"such as `{SEARCH_X}` here",
    "inline-code-two-ticks": f"such as `` {SEARCH_X} `` here",
    "code-block": f"```xml\n{SEARCH_X}\n```\nso",
    "code-block-in-a-list": f"- ```\n  {SEARCH_X}\n  ```\nso",
    "tilde-block": f"~~~\n{SEARCH_X}\n~~~",
    "long-fence": f"````\n```\n{SEARCH_X}\n```\n````",
    "block-in-the-line": f"``` {SEARCH_X} ```",
    "unregistered": 'x <tool_call>{"name":"other","arguments":{"a":1}}</tool_call> y',
    "unregistered-glm": "<tool_call>other\n<arg_key>a</arg_key></tool_call>",
    "unregistered-function": "<function=other><parameter=a>1</parameter></function>",
    "unregistered-invoke": '<invoke name="other"><parameter name="a">1</parameter></invoke>',
    "special-words-of-more-models": "<|channel|> and <|tool_call|>, <tool_use> and <invoke name=x>",
    "unregistered-dsml": DSML.replace("get_weather", "other"),
    "bare-json": '{"name": "search", "arguments": {"q": "x"}}',
    "fenced-json": '```json\n{"name": "search", "arguments": {"q": "x"}}\n```',
    "thinking": f"<think>perhaps {SEARCH_X}</think>no",
    "thinking-in-another-tag": f"<thought>perhaps {SEARCH_X}</think></thought>no",
    "signs": "a < b, [x], <b>, <tool, [TOOL",
    "ends-in-a-start": "a <tool_ca",
    "ends-in-a-tag": "a <tool_call>",
    "ends-in-a-bar": "a <|",
    "many-blanks-after-a-tag": "<tool_call>" + " " * 300 + "x",
}


@pytest.mark.parametrize("content", PROSE.values(), ids=PROSE.keys())
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_prose_and_code_are_never_calls(content: str, size: int) -> None:
    found = reading(content, size)
    assert (found.reply.message.text, found.reply.message.calls) == (content, ())
    assert found.shown == content


@pytest.mark.parametrize("tools", [(), (tool_spec("other"),)])
def test_only_offered_tools_are_found(tools: Any) -> None:
    assert reading(SEARCH_X, tools=tools).reply.message.text == SEARCH_X


def test_text_before_markup_is_released_at_once_and_what_turns_out_prose_too() -> None:
    stream = [
        chunk({"content": "see <tool"}),
        chunk({"content": "_call> in"}),
        chunk({"content": " prose"}),
    ]
    found = Reading([events([*stream, "[DONE]"])], tools=TOOLS, text_calls=True)
    assert found.told == [TextDelta(text) for text in ("see ", "<tool_call> in", " prose")]


BROKEN = {
    "no-json": '<tool_call>{"name": search}</tool_call>',
    "half-json": '<tool_call>{"name":"search","arguments":{"q":"x',
    "no-name": '<tool_call>{"arguments":{"q":"x"}}</tool_call>',
    "arguments-no-object": '<tool_call>{"name":"search","arguments":[1]}</tool_call>',
    "required-missing": '<tool_call>{"name":"get_weather","arguments":{}}</tool_call>',
    "half-function": "<tool_call><function=search><parameter=q>x",
    "junk-in-function": "<function=search>junk<parameter=q>x</parameter></function>",
    "half-dsml": DSML[:60],
    "half-deepseek": f'{BEGIN}{ONE}search{SEP}{{"q": "x"',
    "half-invoke": '<invoke name="search"><parameter name="q">x',
    "half-kimi": '<|tool_call_begin|>search:0<|tool_call_argument_begin|>{"q":"x',
    "half-mistral": '[TOOL_CALLS]search[ARGS]{"q": "x',
    "half-glm": "<tool_call>search<arg_key>q</arg_key><arg_value>x",
    "one-registered-one-not": (
        '[TOOL_CALLS][{"name":"search","arguments":{"q":"x"}},{"name":"other","arguments":{}}]'
    ),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_broken_markup_fails_the_attempt_and_is_not_shown(content: str) -> None:
    with pytest.raises(ModelProtocolError, match="malformed tool markup"):
        reading("好" + content)


@pytest.mark.parametrize("name", ["half-json", "half-function", "half-deepseek", "half-glm"])
def test_markup_that_the_limit_cut_is_a_cut_call(name: str) -> None:
    found = reading("好" + BROKEN[name], finish="length")
    assert found.reply.stop is Stop.LENGTH
    assert [(cut.name, cut.arguments) for cut in found.reply.cut] == [("search", "{}")]
    assert (found.reply.message.text, found.reply.message.calls) == ("好", ())
    assert found.shown == "好"


def test_whole_markup_in_a_reply_that_was_cut_runs_nothing() -> None:
    found = reading(SEARCH_X, finish="length")
    assert (found.reply.stop, found.reply.message.calls) == (Stop.LENGTH, ())
    assert [cut.name for cut in found.reply.cut] == ["search"]


def test_native_calls_win_over_markup_and_markup_is_still_not_shown() -> None:
    for markup in (SEARCH_X, BROKEN["half-json"]):
        raw = events(
            [
                chunk({"content": "好" + markup}),
                chunk({"tool_calls": [call('{"city":"A"}', "get_weather", id="a")]}, "tool_calls"),
                "[DONE]",
            ]
        )
        reply = read(raw, tools=TOOLS, text_calls=True)
        assert called(reply) == [A]
        assert reply.message.text == "好"


def test_ids_are_made_for_calls_in_text() -> None:
    reply = reading(f"{HERMES}\n{SEARCH_X}").reply
    assert [one.id for one in reply.message.calls] == ["made_1", "made_2"]


@given(
    st.sampled_from(sorted(FOUND)),
    st.lists(st.integers(1, 12), min_size=1, max_size=8),
)
def test_any_fragmentation_finds_the_same_calls(name: str, sizes: list[int]) -> None:
    content, text, calls = FOUND[name]
    pieces: list[str] = []
    at = 0
    while at < len(content):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(content[at : at + size])
        at += size
    found = Reading([text_stream(*pieces)], tools=TOOLS, text_calls=True)
    assert called(found.reply) == calls
    assert found.shown.strip() == text
