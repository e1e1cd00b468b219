"""Replies that came whole."""

import json
from typing import Any

import pytest

from pointsman.domain.messages import Stop
from pointsman.errors import (
    EmptyReply,
    ModelError,
    ModelProtocolError,
    ModelRejected,
    ModelUnavailable,
)
from tests.support.replies import (
    WEATHER,
    A,
    call,
    called,
    read_whole,
    text_stream,
    usage,
)


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
