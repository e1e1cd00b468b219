"""The merging of streamed replies, through the bytes that a server would send."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.messages import ModelReply, Stop, Usage
from pointsman.errors import (
    EmptyReply,
    ModelError,
    ModelProtocolError,
    ModelRejected,
    ModelUnavailable,
)
from tests.cases import params
from tests.support.replies import (
    Reading,
    call,
    called,
    calls_stream,
    chunk,
    events,
    read,
    read_whole,
    split,
    text_stream,
    tool_spec,
)


def check(case: dict[str, Any], reads: list[bytes], *, text_calls: bool) -> None:
    """Read the stream of a case and compare with what it expects."""
    expected = case["expected"]
    limit = case["input"].get("request", {}).get("max_tokens")
    if expected["outcome"] == "error":
        with pytest.raises(ModelError):
            Reading(reads, max_tokens=limit, text_calls=text_calls)
        return
    reading = Reading(reads, max_tokens=limit, text_calls=text_calls)
    reply = reading.reply
    wanted = [(one["name"], one["arguments"]) for one in expected["tool_calls"]]
    assert called(reply) == wanted
    assert reply.message.text == expected["content"]
    assert reply.message.reasoning == expected.get("reasoning", "")
    assert reading.shown.strip() == expected["content"]
    assert (reply.stop is Stop.LENGTH) == (expected["outcome"] == "truncated")
    assert bool(reply.cut) == (expected["outcome"] == "truncated")
    assert all(cut.arguments == "{}" for cut in reply.cut)
    ids = [one.id for one in reply.message.calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    assert ids == expected.get("ids", ids)
    if "history_arguments" in expected:
        assert [one.arguments for one in reply.message.calls] == [expected["history_arguments"]]


def streams_of(case: dict[str, Any]) -> list[bytes]:
    given = case["input"]
    if given["kind"] == "sse_raw":
        return [given["raw"].encode()]
    return [events(payloads) for payloads in (given["payloads"], *given.get("variants", ()))]


MARKUP = ("S42", "S45")


@pytest.mark.parametrize("case", params(1))
def test_a_reported_stream_is_read_as_it_was_meant(case: dict[str, Any]) -> None:
    for raw in streams_of(case):
        for text_calls in (True,) if case["id"] in MARKUP else (False, True):
            for reads in ([raw], split(raw, 1), split(raw, 7)):
                check(case, reads, text_calls=text_calls)
        if case["input"]["kind"] == "sse_raw":
            for place in range(len(raw)):
                check(case, [raw[:place], raw[place:]], text_calls=False)


@pytest.mark.parametrize("case", params(5, only=("H06",)))
def test_an_id_that_comes_twice_is_made_unique(case: dict[str, Any]) -> None:
    message = case["input"]["messages"][1]
    replies = [
        read_whole({"choices": [{"message": message, "finish_reason": "tool_calls"}]}),
        read(events([chunk({}, message=None), whole_chunk(message), "[DONE]"])),
        read(calls_stream(*({**one, "index": i} for i, one in enumerate(message["tool_calls"])))),
    ]
    for reply in replies:
        assert [one.id for one in reply.message.calls] == ["x", "made_1"]
        assert called(reply) == [("t", {}), ("t", {})]


def test_the_reader_may_stop_at_done_and_not_before() -> None:
    done = text_stream("x")
    assert Reading([done, b"data: no json\n\n"]).stopped
    assert not Reading([done.replace(b"data: [DONE]\n\n", b"")]).stopped


def whole_chunk(message: Any, finish: Any = "stop", **more: Any) -> str:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({"choices": [choice], **more})


WEATHER = ("get_weather", {"city": "A"})
TIME = ("get_time", {"tz": "UTC"})
A, UTC = '{"city":"A"}', '{"tz":"UTC"}'

KIN: dict[str, tuple[list[Any], list[tuple[str, Any]]]] = {
    # where a call begins
    "no-index-no-id": ([call('{"city"', "get_weather"), call(':"A"}')], [WEATHER]),
    "index-as-text": ([call("", "get_weather", index="0"), call(A, index="0")], [WEATHER]),
    "index-null": ([call("", "get_weather", index=None, id="a"), call(A, index=None)], [WEATHER]),
    "index-only-on-continuations": ([call("", "get_weather"), call(A, index=0)], [WEATHER]),
    "index-counts-the-pieces": (
        [call("", "get_weather", index=0, id="a"), call(A, index=1, id="a")],
        [WEATHER],
    ),
    "index-of-a-nameless-piece-differs": (
        [call("", "get_weather", index=1, id="a"), call(A, index=0)],
        [WEATHER],
    ),
    "index-gap-and-order": (
        [
            call("", "get_time", index=4, id="b"),
            call("", "get_weather", index=2, id="a"),
            call(A, index=2),
            call(UTC, index=4),
        ],
        [TIME, WEATHER],
    ),
    "interleaved-by-index": (
        [
            [call('{"city"', "get_weather", index=0), call('{"tz":', "get_time", index=1)],
            [call(':"A"}', index=0), call('"UTC"}', index=1)],
        ],
        [WEATHER, TIME],
    ),
    "index-always-0-interleaved-by-id": (
        [
            call("", "get_weather", index=0, id="a"),
            call("", "get_time", index=0, id="b"),
            call(A, index=0, id="a"),
            call(UTC, index=0, id="b"),
        ],
        [WEATHER, TIME],
    ),
    "interleaved-by-id-alone": (
        [
            call('{"city":', "get_weather", id="a"),
            call('{"tz":', "get_time", id="b"),
            call('"A"}', id="a"),
            call('"UTC"}', id="b"),
        ],
        [WEATHER, TIME],
    ),
    "two-in-one-chunk-nothing-but-names": (
        [[call(A, "get_weather"), call(A, "get_weather")]],
        [WEATHER, WEATHER],
    ),
    "one-chunk-each-nothing-but-names": (
        [call(A, "get_weather"), call(UTC, "get_time")],
        [WEATHER, TIME],
    ),
    "index-0-name-again-then-new-arguments": (
        [
            call(A, "get_weather", index=0),
            call("", "get_weather", index=0),
            call('{"city":"B"}', index=0),
        ],
        [WEATHER, ("get_weather", {"city": "B"})],
    ),
    "index-0-a-call-without-arguments-then-another": (
        [call("", "get_time", index=0), call(A, "get_weather", index=0)],
        [("get_time", {}), WEATHER],
    ),
    "equal-arguments-in-two-calls": (
        [call(A, "get_weather", index=0, id="a"), call(A, "get_weather", index=1, id="b")],
        [WEATHER, WEATHER],
    ),
    # ids
    "fresh-id-each-no-index": (
        [call("", "get_weather", id="1"), call('{"city"', id="2"), call(':"A"}', id="3")],
        [WEATHER],
    ),
    "fresh-id-and-name-each": (
        [
            call("", "get_weather", index=0, id="1"),
            call('{"city"', "get_weather", index=0, id="2"),
            call(':"A"}', "get_weather", index=0, id="3"),
        ],
        [WEATHER],
    ),
    "id-as-number": (
        [call("", "get_weather", index=0, id=7), call(A, index=0, id=7)],
        [WEATHER],
    ),
    "id-comes-later": ([call("", "get_weather", index=0), call(A, index=0, id="a")], [WEATHER]),
    "same-id-other-arguments-no-index": (
        [call(A, "get_weather", id="a"), call('{"city":"B"}', "get_weather", id="a")],
        [WEATHER, ("get_weather", {"city": "B"})],
    ),
    # names
    "name-again-on-each": (
        [call("", "get_weather", index=0, id="a")]
        + [call(piece, "get_weather", index=0, id="a") for piece in ('{"city":', '"A"', "}", "")],
        [WEATHER],
    ),
    "name-again-no-ids-nothing-after": (
        [call(A, "get_weather", index=0), call("", "get_weather", index=0)],
        [WEATHER],
    ),
    "unknown-name-again-on-each": (
        [call('{"x":', "other", index=0), call("1}", "other", index=0)],
        [("other", {"x": 1})],
    ),
    "name-in-three-pieces": (
        [
            call("", "get", index=0),
            call("", "_wea", index=0),
            call("", "ther", index=0),
            call(A, index=0),
        ],
        [WEATHER],
    ),
    "name-growing": (
        [call("", "get_w", index=0), call("", "get_weather", index=0), call(A, index=0)],
        [WEATHER],
    ),
    "name-after-the-id": (
        [call(index=0, id="a"), call("", "get_weather", index=0), call(A, index=0)],
        [WEATHER],
    ),
    "name-after-the-arguments": ([call(A, index=0), call(name="get_weather", index=0)], [WEATHER]),
    "no-name-at-all": (
        [call(A, index=0, id="a"), call(UTC, "get_time", index=1, id="b")],
        [TIME],
    ),
    "name-beside-the-function": ([{"name": "get_weather", "arguments": A}], [WEATHER]),
    # arguments
    "whole-call-resent": ([call(A, "get_weather", index=0, id="a")] * 3, [WEATHER]),
    "whole-call-resent-no-id": ([call(A, "get_weather", index=0)] * 2, [WEATHER]),
    "whole-call-resent-nameless": ([call(A, "get_weather", index=0), call(A, index=0)], [WEATHER]),
    "resent-with-other-blanks": (
        [call(A, "get_weather", index=0), call('{"city": "A"}', index=0)],
        [WEATHER],
    ),
    "every-piece-twice": (
        [call('{"city":', "get_weather", index=0, id="a")] * 2 + [call('"A"}', index=0)] * 2,
        [WEATHER],
    ),
    "growing-text": (
        [
            call(piece, "get_weather", index=0, id="a")
            for piece in ("", '{"ci', '{"city":', '{"city":"A"', A)
        ],
        [WEATHER],
    ),
    "growing-whole-objects": (
        [
            call("{}", "get_weather", index=0, id="a"),
            call('{"city":""}', index=0, id="a"),
            call(A, index=0, id="a"),
        ],
        [WEATHER],
    ),
    "growing-whole-objects-with-names": (
        [
            call('{"city":""}', "get_weather", index=0, id="a"),
            call(A, "get_weather", index=0, id="a"),
        ],
        [WEATHER],
    ),
    "consolidated-after-a-lost-piece": (
        [call('{"ci', "get_weather", index=0), call('ty":', index=0), call(A, index=0)],
        [WEATHER],
    ),
    "empty-object-first": (
        [call("{}", "get_weather", index=0), call('{"city"', index=0), call(':"A"}', index=0)],
        [WEATHER],
    ),
    "empty-object-object-first": ([call({}, "get_weather", index=0), call(A, index=0)], [WEATHER]),
    "empty-object-last": ([call(A, "get_weather", index=0), call("{}", index=0)], [WEATHER]),
    "object": ([call({"city": "A"}, "get_weather", index=0)], [WEATHER]),
    "objects-by-key": (
        [
            call({"q": "a"}, "search", index=0, id="a"),
            call({"limit": 5}, "search", index=0, id="a"),
        ],
        [("search", {"q": "a", "limit": 5})],
    ),
    "objects-growing-no-id": (
        [call({"q": "北"}, "search", index=0), call({"q": "北京"}, "search", index=0)],
        [("search", {"q": "北京"})],
    ),
    "objects-of-two-calls-no-id": (
        [call({"q": "a"}, "search", index=0), call({"q": "b"}, "search", index=0)],
        [("search", {"q": "a"}), ("search", {"q": "b"})],
    ),
    "arguments-null": ([call(None, "get_time", index=0, id="a")], [("get_time", {})]),
    "arguments-text-null": ([call("null", "get_time", index=0)], [("get_time", {})]),
    "arguments-blank": ([call(" \n", "get_time", index=0)], [("get_time", {})]),
    "arguments-empty-list": ([call([], "get_time", index=0)], [("get_time", {})]),
    "arguments-with-blanks": ([call(' {"city": "A"}\n', "get_weather")], [WEATHER]),
    # other shapes
    "one-call-not-in-a-list": ([{"tool_calls": call(A, "get_weather")}], [WEATHER]),
    "null-in-the-list": ([[None, call(A, "get_weather"), None]], [WEATHER]),
    "legacy-function": (
        [
            {"function_call": {"name": "get_weather", "arguments": '{"city"'}},
            {"function_call": {"arguments": ':"A"}'}},
        ],
        [WEATHER],
    ),
    "legacy-beside-new": (
        [{"function_call": {"name": "get_weather", "arguments": A},
          "tool_calls": [call(A, "get_weather", id="a")]}],
        [WEATHER],
    ),
}  # fmt: skip


def kin_stream(deltas: list[Any], finish: Any = "tool_calls") -> bytes:
    chunks = []
    for delta in deltas:
        if isinstance(delta, dict) and not delta.keys() & {"tool_calls", "function_call"}:
            delta = [delta]
        chunks.append(chunk({"tool_calls": delta} if isinstance(delta, list) else delta))
    return events([*chunks, chunk(finish=finish), "[DONE]"])


@pytest.mark.parametrize(("deltas", "expected"), KIN.values(), ids=KIN.keys())
@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_calls_are_merged(deltas: list[Any], expected: list[Any], finish: str) -> None:
    reply = read(kin_stream(deltas, finish))
    assert called(reply) == expected
    assert reply.stop is Stop.TOOL_CALLS
    assert len({one.id for one in reply.message.calls}) == len(expected)


def test_the_longer_of_two_registered_names_is_taken_when_it_came_in_pieces() -> None:
    tools = (tool_spec("search"), tool_spec("search_web"))
    raw = calls_stream(call("", "search", index=0), call("{}", "_web", index=0))
    assert called(read(raw, tools=tools)) == [("search_web", {})]


@pytest.mark.parametrize(
    "arguments",
    ['{"q":"a",}', "[1,2]", "{q: 1}", '{"q":"a"}{"q":"b"}', '"{\\"q\\":1}"', '{"q": NaN}', "x"],
)
@pytest.mark.parametrize("finish", ["tool_calls", "stop", None])
def test_malformed_arguments_stay_as_they_came(arguments: str, finish: Any) -> None:
    raw = calls_stream(call("", "search", index=0, id="a"), call(arguments, index=0), finish=finish)
    assert [one.arguments for one in read(raw, max_tokens=50).message.calls] == [arguments]


def test_unclosed_arguments_are_malformed_when_the_model_had_finished() -> None:
    arguments = '{"city":"北京","tags":["a","b"'
    raw = calls_stream(call(arguments, "search"))
    assert [one.arguments for one in read(raw).message.calls] == [arguments]


def usage(completion: int) -> dict[str, int]:
    return {"prompt_tokens": 9, "completion_tokens": completion, "total_tokens": 9 + completion}


CUT: dict[str, tuple[list[Any], Any, int | None]] = {
    "length-and-a-whole-call": ([call(A, "get_weather", id="a")], "length", None),
    "length-and-no-arguments": ([call("", "get_weather", id="a")], "length", None),
    "max-tokens-word": ([call('{"q', "get_weather", id="a")], "max_tokens", None),
    "other-case": ([call('{"q', "get_weather", id="a")], "MAX_TOKENS", None),
    "at-the-limit-in-a-text": ([call('{"q":"a', "get_weather", id="a")], "stop", 30),
    "at-the-limit-in-a-list": ([call('{"q":[1,', "get_weather", id="a")], "tool_calls", 31),
    "at-the-limit-no-arguments": ([call("", "get_weather", id="a")], "tool_calls", 30),
    "at-the-limit-second-call": (
        [call(A, "get_weather", id="a", index=0), call('{"tz', "get_time", id="b", index=1)],
        "tool_calls",
        30,
    ),
    "at-the-limit-an-escaped-quote-last": ([call('{"q":"\\"}', "search", id="a")], "stop", 30),
}


@pytest.mark.parametrize(("deltas", "finish", "completion"), CUT.values(), ids=CUT.keys())
def test_a_cut_call_is_told_and_never_run(
    deltas: list[Any], finish: str, completion: int | None
) -> None:
    chunks = [chunk({"content": "好"}), *(chunk({"tool_calls": [delta]}) for delta in deltas)]
    end = chunk(finish=finish, usage=usage(completion) if completion else None)
    reply = read(events([*chunks, end, "[DONE]"]), max_tokens=30)
    assert reply.stop is Stop.LENGTH
    assert reply.message.calls == ()
    assert [(cut.id, cut.arguments) for cut in reply.cut] == [
        (delta["id"], "{}") for delta in deltas
    ]
    assert reply.message.text == "好"


def test_a_whole_call_that_ends_at_the_limit_is_no_cut_call() -> None:
    raw = events(
        [
            chunk({"tool_calls": [call(A, "get_weather")]}),
            chunk(finish="tool_calls", usage=usage(30)),
        ]
    )
    assert called(read(raw, max_tokens=30)) == [WEATHER]


def test_text_cut_at_the_limit_says_so() -> None:
    reply = read(text_stream("半句", finish="length"))
    assert (reply.stop, reply.message.text, reply.cut) == (Stop.LENGTH, "半句", ())


BROKEN_OFF = {
    "text": events([chunk({"content": "a"})]),
    "nothing": b"",
    "comments-only": b": ping\n\n",
    "a-whole-call": events([chunk({"tool_calls": [call(A, "get_weather")]})]),
    "done-in-the-middle-of-a-call": events(
        [chunk({"tool_calls": [call('{"city":"A', "get_weather")]}), "[DONE]"]
    ),
    "in-the-middle-of-an-event": text_stream("a")[:40],
}


@pytest.mark.parametrize("raw", BROKEN_OFF.values(), ids=BROKEN_OFF.keys())
def test_a_stream_that_broke_off_is_no_reply(raw: bytes) -> None:
    with pytest.raises(ModelProtocolError):
        read(raw)


@pytest.mark.parametrize("finish", [None, "", "null"])
def test_done_alone_ends_a_reply(finish: Any) -> None:
    assert read(text_stream("好", finish=finish)).message.text == "好"
    assert called(read(calls_stream(call(A, "get_weather"), finish=finish))) == [WEATHER]


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


ERRORS: dict[str, tuple[str, type[ModelError]]] = {
    "object": ('{"error":{"message":"boom"}}', ModelUnavailable),
    "text": ('{"error":"model overloaded"}', ModelUnavailable),
    "text-of-a-bad-request": ('{"error":"invalid model name"}', ModelRejected),
    "status-429": ('{"error":{"code":429,"message":"slow down"}}', ModelUnavailable),
    "status-as-text": ('{"error":{"code":"503","message":"x"}}', ModelUnavailable),
    "status-400": ('{"error":{"code":400,"message":"x"}}', ModelRejected),
    "type": ('{"error":{"type":"overloaded_error","message":"x"}}', ModelUnavailable),
    "bad-request": ('{"error":{"type":"invalid_request_error","message":"x"}}', ModelRejected),
    "anthropic": (
        '{"type":"error","error":{"type":"overloaded_error","message":"x"}}',
        ModelUnavailable,
    ),
    "code-and-message": ('{"code":"Throttling","message":"too many"}', ModelUnavailable),
    "code-and-message-bad": ('{"code":"InvalidParameter","message":"x"}', ModelRejected),
    "detail": ('{"detail":"Internal error"}', ModelUnavailable),
    "object-error": (
        '{"object":"error","message":"too long","code":400,"type":"BadRequestError"}',
        ModelRejected,
    ),
    "base-resp": (
        '{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}',
        ModelUnavailable,
    ),
    "with-choices": (
        '{"error":{"code":502,"message":"x"},"choices":[{"delta":{},"finish_reason":"error"}]}',
        ModelUnavailable,
    ),
    "in-the-choice": (
        '{"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"x"}}]}',
        ModelUnavailable,
    ),
    "finish-reason": ('{"choices":[{"delta":{},"finish_reason":"error"}]}', ModelUnavailable),
    "no-resource": (
        '{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}',
        ModelUnavailable,
    ),
    "json-text": ('"overloaded"', ModelUnavailable),
    "plain-text": ("Internal Server Error", ModelProtocolError),
    "a-number": ("5", ModelProtocolError),
    "a-list": ("[]", ModelProtocolError),
    "half-json": ('{"choices":[{"delta":{"content":"b', ModelProtocolError),
    "very-deep": ('{"choices":' + "[" * 5000 + "]" * 5000 + "}", ModelProtocolError),
    "wrong-shape": ('{"choices":{"delta":{}}}', ModelProtocolError),
}


@pytest.mark.parametrize(("payload", "kind"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_in_the_stream_is_raised_at_once(payload: str, kind: type[ModelError]) -> None:
    for before in ([], [chunk({"content": "a"})]):
        with pytest.raises(ModelError) as caught:
            Reading([events([*before, payload, chunk({"content": "b"}, "stop"), "[DONE]"])])
        assert type(caught.value) is kind


def test_an_error_as_a_bare_body_in_the_stream_is_an_error() -> None:
    for raw in (b'{"error":{"code":429,"message":"x"}}', b'{\n "error": {"code": 429}\n}\n'):
        with pytest.raises(ModelUnavailable):
            read(raw)


USAGE: dict[str, tuple[list[str], Usage | None]] = {
    "openai": (
        [
            json.dumps(
                {
                    "choices": [],
                    "usage": {
                        **usage(5),
                        "prompt_tokens_details": {"cached_tokens": 4},
                        "completion_tokens_details": {"reasoning_tokens": 2},
                    },
                }
            )
        ],
        Usage(prompt=9, cached=4, completion=5, reasoning=2, total=14),
    ),
    "deepseek": (
        [chunk(usage={**usage(5), "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 1})],
        Usage(prompt=9, cached=8, completion=5, total=14),
    ),
    "in-the-choice": (
        [json.dumps({"choices": [{"delta": {}, "usage": {**usage(5), "cached_tokens": 3}}]})],
        Usage(prompt=9, cached=3, completion=5, total=14),
    ),
    "ollama": (
        [chunk(prompt_eval_count=9, eval_count=5)],
        Usage(prompt=9, completion=5, total=14),
    ),
    "ollama-in-usage": (
        [chunk(usage={"prompt_eval_count": 9, "eval_count": 5})],
        Usage(prompt=9, completion=5, total=14),
    ),
    "anthropic": (
        [
            chunk(
                usage={
                    "input_tokens": 2,
                    "output_tokens": 5,
                    "cache_read_input_tokens": 6,
                    "cache_creation_input_tokens": 1,
                }
            )
        ],
        Usage(prompt=9, cached=6, completion=5, total=14),
    ),
    "responses": (
        [
            chunk(
                usage={
                    "input_tokens": 9,
                    "output_tokens": 5,
                    "input_tokens_details": {"cached_tokens": 4},
                    "output_tokens_details": {"reasoning_tokens": 2},
                }
            )
        ],
        Usage(prompt=9, cached=4, completion=5, reasoning=2, total=14),
    ),
    "reasoning-beside-the-completion": (
        [
            chunk(
                usage={
                    "prompt_tokens": 9,
                    "completion_tokens": 5,
                    "total_tokens": 34,
                    "completion_tokens_details": {"reasoning_tokens": 20},
                }
            )
        ],
        Usage(prompt=9, completion=25, reasoning=20, total=34),
    ),
    "growing": (
        [chunk(usage=usage(n)) for n in (1, 3, 5)],
        Usage(prompt=9, completion=5, total=14),
    ),
    "zeros-last": (
        [chunk(usage=usage(5)), chunk(usage=dict.fromkeys(usage(0), 0))],
        Usage(prompt=9, completion=5, total=14),
    ),
    "null-and-wrong-types": (
        [
            chunk(usage={**usage(5), "prompt_tokens_details": None}),
            chunk(usage="x"),
            chunk(usage=None),
        ],
        Usage(prompt=9, completion=5, total=14),
    ),
    "in-two-parts": (
        [chunk(usage={"input_tokens": 9}), chunk(usage={"output_tokens": 5})],
        Usage(prompt=9, completion=5, total=14),
    ),
    "none": ([chunk()], None),
    "empty": ([chunk(usage={})], None),
}


@pytest.mark.parametrize(("payloads", "expected"), USAGE.values(), ids=USAGE.keys())
def test_usage_is_read_in_every_shape(payloads: list[str], expected: Usage | None) -> None:
    raw = events([chunk({"content": "a"}), chunk(finish="stop"), *payloads, "[DONE]"])
    assert read(raw).usage == expected


def test_the_name_of_the_model_is_the_providers_or_ours() -> None:
    assert read(text_stream("a")).model == "m"
    assert read(events(['{"choices":[{"delta":{"content":"a"}}]}', "[DONE]"])).model == "ours"


def test_visible_means_that_text_was_told() -> None:
    reading = Reading([calls_stream(call(A, "get_weather"))])
    assert not reading.assembler.visible
    assert reading.told == []
    assert Reading([text_stream("\n", "a")]).assembler.visible


def whole(message: Any, **more: Any) -> dict[str, Any]:
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "model": "m",
        "usage": usage(5),
        **more,
    }


WHOLE: dict[str, tuple[Any, list[tuple[str, Any]], str]] = {
    "openai": (
        whole({"content": None, "tool_calls": [call(A, "get_weather", id="a", type="function")]}),
        [WEATHER],
        "",
    ),
    "articles": (
        {
            "choices": [
                {
                    "index": 0,
                    "message": {"content": "", "tool_calls": [call(A, "get_weather")]},
                    "stop_reason": "tool_calls",
                }
            ]
        },
        [WEATHER],
        "",
    ),
    "all-index-0-no-ids": (
        whole({"tool_calls": [call(A, "get_weather", index=0), call(A, "get_weather", index=0)]}),
        [WEATHER, WEATHER],
        "",
    ),
    "objects": (whole({"tool_calls": [call({"city": "A"}, "get_weather")]}), [WEATHER], ""),
    "no-stop-reason": ({"choices": [{"message": {"content": "a"}}]}, [], "a"),
    "legacy": (whole({"function_call": {"name": "get_weather", "arguments": A}}), [WEATHER], ""),
    "parts": (whole({"content": [{"type": "text", "text": "a"}]}), [], "a"),
    "text-and-calls": (
        whole({"content": "好", "tool_calls": [call(A, "get_weather")]}),
        [WEATHER],
        "好",
    ),
    "no-name": (whole({"content": "a", "tool_calls": [call(A)]}), [], "a"),
    "as-a-stream": (text_stream("a"), [], "a"),
    "blank-lines-first": (b"\n\n" + json.dumps(whole({"content": "a"})).encode(), [], "a"),
    "bom": (b"\xef\xbb\xbf" + json.dumps(whole({"content": "a"})).encode(), [], "a"),
}


@pytest.mark.parametrize(("body", "calls", "text"), WHOLE.values(), ids=WHOLE.keys())
def test_a_reply_that_came_whole_is_read(body: Any, calls: list[Any], text: str) -> None:
    reply = read_whole(body)
    assert called(reply) == calls
    assert reply.message.text == text
    assert reply.stop is (Stop.TOOL_CALLS if calls else Stop.STOP)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"code": 429, "message": "x"}}, ModelUnavailable),
        ({"error": "invalid key"}, ModelRejected),
        ({"code": 50505, "message": "Model service overloaded."}, ModelUnavailable),
        ({"choices": []}, ModelProtocolError),
        ({"choices": None}, ModelProtocolError),
        (b"<html>Bad Gateway</html>", ModelProtocolError),
        (b"", ModelProtocolError),
        ({"choices": [{"message": {"content": ""}}]}, EmptyReply),
        ({"choices": [{"message": None}]}, EmptyReply),
    ],
)
def test_a_body_that_is_no_reply_is_the_right_error(body: Any, kind: type[ModelError]) -> None:
    with pytest.raises(ModelError) as caught:
        read_whole(body)
    assert type(caught.value) is kind


def test_a_whole_reply_that_was_cut_runs_nothing() -> None:
    body = whole({"tool_calls": [call('{"q":"a', "search", id="a")]})
    body["choices"][0]["finish_reason"] = "length"
    reply = read_whole(body)
    assert (reply.stop, reply.message.calls) == (Stop.LENGTH, ())
    assert [cut.name for cut in reply.cut] == ["search"]
    at_limit = read_whole(whole({"tool_calls": [call('{"q":"a', "search")]}), max_tokens=5)
    assert at_limit.stop is Stop.LENGTH


# Any cutting and any fragmentation.


@pytest.mark.parametrize("case", params(1, leave=MARKUP))
def test_a_stream_cut_at_every_byte_gives_the_same_reply(case: dict[str, Any]) -> None:
    raw = streams_of(case)[0]
    expected = outcome([raw])
    for place in range(0, len(raw), 3):
        assert outcome([raw[:place], raw[place:]]) == expected


def outcome(reads: list[bytes], **how: Any) -> ModelReply | type[ModelError]:
    try:
        return Reading(reads, **how).reply
    except ModelError as error:
        return type(error)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.text(max_size=6), _JSON, min_size=1, max_size=4)


def fragments(text: str, cuts: list[int]) -> list[str]:
    places = sorted({cut % (len(text) + 1) for cut in cuts})
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


@given(_OBJECTS, st.lists(st.integers(0, 10_000), max_size=12), st.booleans(), st.booleans())
def test_any_fragmentation_of_arguments_gives_the_same_call(
    arguments: dict[str, Any], cuts: list[int], name_again: bool, with_ids: bool
) -> None:
    text = json.dumps(arguments, ensure_ascii=False)
    more = {"index": 0, "id": "a"} if with_ids else {}
    pieces = fragments(text, cuts)
    first = call(pieces[0], "search", **more)
    rest = [call(piece, "search" if name_again else None, **more) for piece in pieces[1:]]
    reply = read(calls_stream(first, *rest))
    assert [one.arguments for one in reply.message.calls] == [text.replace("\x00", "")]


@given(
    st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=8),
    st.lists(st.integers(0, 10_000), max_size=12),
    st.sampled_from(["\n", "\r", "\r\n"]),
)
def test_any_cutting_of_the_bytes_gives_the_same_reply(
    texts: list[str], cuts: list[int], line_end: str
) -> None:
    raw = text_stream(*texts).replace(b"\n", line_end.encode())
    places = sorted({cut % (len(raw) + 1) for cut in cuts})
    reads = [raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True)]
    for how in ({}, {"text_calls": True, "think_tags": True}):
        assert outcome(reads, **how) == outcome([raw], **how) == outcome(split(raw, 1), **how)


@given(
    st.lists(
        st.sampled_from(
            ["<think>", "</think>", "\n", " ", "<", "t", "a", "</", "`", "<tool_call>", "[", "```"]
        ),
        max_size=12,
    ),
    st.integers(1, 9),
)
def test_any_fragmentation_of_text_gives_the_same_reply(words: list[str], size: int) -> None:
    content = "".join(words)
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    for how in ({"think_tags": True}, {"text_calls": True}):
        assert outcome([text_stream(*pieces)], **how) == outcome([text_stream(content)], **how)
