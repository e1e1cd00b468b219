"""Tool calls in the shapes of the field, through the bytes that a server would send."""

from typing import Any

import pytest

from pointsman.domain.messages import Stop
from tests.support.replies import (
    WEATHER,
    A,
    call,
    called,
    calls_stream,
    chunk,
    events,
    read,
    text_stream,
    tool_spec,
    usage,
)

TIME = ("get_time", {"tz": "UTC"})
UTC = '{"tz":"UTC"}'

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
    "index-counts-the-pieces-name-on-each": (
        [
            call('{"city"', "get_weather", index=0, id="a"),
            call(':"A"}', "get_weather", index=1, id="a"),
        ],
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
        [
            {
                "function_call": {"name": "get_weather", "arguments": A},
                "tool_calls": [call(A, "get_weather", id="a")],
            }
        ],
        [WEATHER],
    ),
}


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
