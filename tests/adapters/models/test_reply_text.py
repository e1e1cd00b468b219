"""Text and thinking of a reply, through the bytes that a server would send."""

import json
from typing import Any

import pytest

from pointsman.domain.messages import Stop
from pointsman.errors import (
    EmptyReply,
    ModelRejected,
)
from tests.support.replies import (
    WEATHER,
    A,
    Reading,
    call,
    called,
    calls_stream,
    chunk,
    events,
    read,
    text_stream,
    whole_chunk,
)

TEXTS: dict[str, tuple[list[str], str, str]] = {
    "content-null": ([chunk({"content": None}), chunk({"content": "a"})], "a", ""),
    "parts": (
        [chunk({"content": [{"type": "text", "text": "a"}, {"type": "image_url"}, "b"]})],
        "ab",
        "",
    ),
    "thinking-parts": (
        [
            chunk({"content": [{"type": "thinking", "thinking": [{"text": "t"}]}]}),
            chunk({"content": [{"type": "text", "text": "a"}]}),
        ],
        "a",
        "t",
    ),
    "one-part": ([chunk({"content": {"type": "text", "text": "a"}})], "a", ""),
    "reasoning": ([chunk({"reasoning": "t"}), chunk({"content": "a"})], "a", "t"),
    "reasoning-in-both-fields": (
        [chunk({"reasoning": "t", "reasoning_content": "t", "content": "a"})],
        "a",
        "t",
    ),
    "refusal": ([chunk({"refusal": "no", "content": None})], "no", ""),
    "whole-message": ([whole_chunk({"content": "a", "reasoning_content": "t"})], "a", "t"),
    "messages-growing": ([whole_chunk({"content": t}, None) for t in ("你", "你好")], "你好", ""),
    "messages-in-pieces": ([whole_chunk({"content": t}, None) for t in ("你", "好")], "你好", ""),
    "whole-message-after-deltas": (
        [chunk({"content": "你"}), chunk({"content": "好"}), whole_chunk({"content": "你好"})],
        "你好",
        "",
    ),
    "another-choice": (
        [
            json.dumps({"choices": [{"index": 1, "delta": {"content": "x"}}]}),
            json.dumps({"choices": [{"delta": {"content": "a"}}, {"delta": {"content": "y"}}]}),
        ],
        "a",
        "",
    ),
    "null-choice-and-delta": (
        [
            '{"choices":[null]}',
            '{"choices":[{"delta":null}]}',
            '{"choices":null}',
            chunk({"content": "a"}),
        ],
        "a",
        "",
    ),
    "ping": (['{"type":"ping"}', "{}", chunk({"content": "a"})], "a", ""),
    "filter-results-first": (
        ['{"choices":[],"prompt_filter_results":[{}]}', chunk({"content": "a"})],
        "a",
        "",
    ),
    "success-code": (
        [
            '{"code":0,"message":"Success","choices":[]}',
            chunk({"content": "a"}, code=0, message="Success"),
        ],
        "a",
        "",
    ),
    "nan-beside": ([chunk({"content": "a"})[:-1] + ',"logprob":NaN}'], "a", ""),
    "null-error": ([chunk({"content": "a"}, error=None)], "a", ""),
    "half-pairs-over-two-chunks": (
        [
            '{"choices":[{"delta":{"content":"a\\ud83d"}}]}',
            '{"choices":[{"delta":{"content":"\\ude00b"}}]}',
        ],
        "a😀b",
        "",
    ),
    "half-pair-alone": (['{"choices":[{"delta":{"content":"a\\ud83d"}}]}'], "a\ufffd", ""),
    "nul": (['{"choices":[{"delta":{"content":"a\\u0000b"}}]}'], "ab", ""),
}


@pytest.mark.parametrize(("payloads", "text", "thought"), TEXTS.values(), ids=TEXTS.keys())
def test_text_and_thinking_are_read(payloads: list[str], text: str, thought: str) -> None:
    reading = Reading([events([*payloads, chunk(finish="stop"), "[DONE]"])])
    assert (reading.reply.message.text, reading.reply.message.reasoning) == (text, thought)
    assert reading.reply.stop is Stop.STOP
    assert reading.thought == thought


@pytest.mark.parametrize(
    "field", [{"stop_reason": "tool_calls"}, {"finish_reason": "tool_calls", "stop_reason": 151645}]
)
def test_both_names_of_the_stop_reason_are_read(field: dict[str, Any]) -> None:
    whole = {"index": 0, "delta": {"tool_calls": [call(A, "get_weather")]}, **field}
    assert called(read(events([json.dumps({"choices": [whole]})]))) == [WEATHER]


def test_an_event_stream_with_single_line_ends_is_read() -> None:
    raw = text_stream("你", "好").replace(b"\n\n", b"\n") + b"\n"
    assert read(raw).message.text == "你好"


def test_arguments_with_half_a_surrogate_pair_become_clean_text() -> None:
    raw = events(
        [
            '{"choices":[{"delta":{"tool_calls":[{"function":{"name":"search",'
            '"arguments":"{\\"q\\":\\"\\ud83d"}}]}}]}',
            '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"\\ude00\\"}"}}]}}]}',
            "[DONE]",
        ]
    )
    assert called(read(raw)) == [("search", {"q": "😀"})]


THINKING: dict[str, tuple[str, str, str]] = {
    "thinking-first": ("<think>t</think>\n\na", "a", "t"),
    "blanks-first": ("\n<think>\nt\n</think>a", "a", "t"),
    "twice": ("<think>t</think>\n<think>u</think>\na", "a", "tu"),
    "thinking-tag": ("<thinking>t</think></thinking>a", "a", "t</think>"),
    "thought-tag": ("<thought>\nt\n</thought>\n\na", "a", "t"),
    "reasoning-tag": ("<reasoning>t</reasoning><think>u</think>a", "a", "tu"),
    "none": ("a", "a", ""),
    "only-blanks-kept": ("  a", "  a", ""),
    "further-on-it-is-text": ("a <think>t</think>", "a <think>t</think>", ""),
    "after-thinking-it-is-text": ("<think>t</think>a </think> b", "a </think> b", "t"),
    "opening-tag-left-out": ("t\n</think>\n\na", "a", "t"),
    "other-tag": ("<thin>k</thin>", "<thin>k</thin>", ""),
    "half-a-tag": ("a</thin", "a</thin", ""),
    "closing-tag-in-prose": ("the </think> tag", "the </think> tag", ""),
    "empty": ("<think>\n\n</think>\n\na", "a", ""),
}


@pytest.mark.parametrize(("content", "text", "thought"), THINKING.values(), ids=THINKING.keys())
@pytest.mark.parametrize("text_calls", [False, True])
def test_thinking_in_tags_is_taken_out(
    content: str, text: str, thought: str, text_calls: bool
) -> None:
    how: dict[str, Any] = {"think_tags": True, "text_calls": text_calls}
    for size in (1, 2, 3, 5, 99):
        pieces = [content[at : at + size] for at in range(0, len(content), size)]
        message = read(text_stream(*pieces), **how).message
        assert (message.text, message.reasoning) == (text, thought)
    assert read(text_stream(content)).message.text == content


def test_thinking_that_never_ends_is_an_empty_reply() -> None:
    with pytest.raises(EmptyReply):
        read(text_stream("<think>t"), think_tags=True)


def test_a_call_in_thinking_without_its_opening_tag_is_no_call() -> None:
    content = 'maybe <tool_call>{"name":"search","arguments":{}}</tool_call>\n</think>\n\nno'
    reading = Reading([text_stream(content)], think_tags=True, text_calls=True)
    assert reading.reply.message.text == "no"
    assert reading.reply.message.calls == ()


EMPTY = {
    "nothing": text_stream(""),
    "blanks": text_stream(" \n"),
    "no-choice": events(["[DONE]"]),
    "thinking-only": events([chunk({"reasoning_content": "t"}), chunk(finish="stop")]),
    "calls-announced-none-came": events([chunk(finish="tool_calls")]),
    "calls-without-names": calls_stream(call(A, index=0, id="a")),
}


@pytest.mark.parametrize("raw", EMPTY.values(), ids=EMPTY.keys())
def test_a_reply_without_text_and_calls_is_empty(raw: bytes) -> None:
    with pytest.raises(EmptyReply):
        read(raw)


def test_a_filtered_reply_runs_no_call_and_keeps_its_text() -> None:
    filtered = chunk(finish="content_filter")
    reply = read(
        events([chunk({"content": "a", "tool_calls": [call(A, "get_weather")]}), filtered])
    )
    assert (reply.stop, reply.message.text, reply.message.calls) == (Stop.FILTERED, "a", ())
    with pytest.raises(ModelRejected):
        read(events([filtered]))
