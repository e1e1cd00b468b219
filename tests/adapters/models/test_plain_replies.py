"""The short way for plain replies reads what the long way reads."""

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.models.deltas import ReplyAssembler
from pointsman.adapters.models.plain_replies import plain_reply
from pointsman.domain.messages import ModelReply
from pointsman.errors import ModelError


def the_long_way(body: bytes, max_tokens: int | None) -> ModelReply | None:
    ids = count()
    assembler = ReplyAssembler(
        model="asked",
        tools=(),
        tell=lambda delta: None,
        think_tags=True,
        max_tokens=max_tokens,
        new_id=lambda: f"made-{next(ids)}",
    )
    try:
        assembler.add_whole(body)
        return assembler.finish()
    except ModelError:
        return None


TEXTS = (
    st.none()
    | st.sampled_from(["", " ", "你好", "a <think>b</think> c", "[TOOL", "x\x00y", "\x00"])
    | st.text()
)
ARGUMENTS = st.sampled_from(
    ['{"city": "成都"}', "{}", "", "null", "[1]", '{"a": 1', '{"a": 1}{"a": 1}', '{"a": NaN}']
)
CALLS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["a", "b", "", "a\x00", "\ud800", "\udbff"]),
            "function": st.fixed_dictionaries(
                {"name": st.sampled_from(["f", " f", "", "g", "\x00"]), "arguments": ARGUMENTS}
            ),
        },
        optional={"type": st.just("function"), "index": st.integers(0, 2), "extra": st.just(1)},
    ),
    max_size=3,
)
USAGE = st.fixed_dictionaries(
    {"prompt_tokens": st.integers(0, 9), "completion_tokens": st.integers(0, 9)},
    optional={
        "total_tokens": st.integers(0, 30),
        "prompt_tokens_details": st.none() | st.just({"cached_tokens": 3}),
        "completion_tokens_details": st.just({"reasoning_tokens": 2}),
    },
)
BODIES = st.fixed_dictionaries(
    {
        "choices": st.tuples(
            st.fixed_dictionaries(
                {
                    "message": st.fixed_dictionaries(
                        {"role": st.just("assistant"), "content": TEXTS},
                        optional={
                            "tool_calls": st.none() | CALLS,
                            "refusal": st.none() | st.just("no"),
                            "reasoning_content": st.sampled_from([None, "", "so"]),
                            "function_call": st.none(),
                            "annotations": st.just([]),
                        },
                    ),
                    "finish_reason": st.sampled_from(["stop", "tool_calls", "length", None]),
                },
                optional={"index": st.integers(0, 1), "logprobs": st.none()},
            )
        ).map(list),
        "model": st.sampled_from(["m", "", "\x00"]),
        "usage": USAGE,
    },
    optional={"id": st.just("x"), "error": st.sampled_from([None, {"message": "no"}])},
)


@given(BODIES, st.none() | st.integers(1, 12))
def test_the_short_way_reads_what_the_long_way_reads(
    given_body: dict[str, Any], max_tokens: int | None
) -> None:
    body = json.dumps(given_body).encode()
    short = plain_reply(body, marked=True, max_tokens=max_tokens)
    if short is not None:
        assert short == the_long_way(body, max_tokens)


def reply(**message: Any) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode()


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}


@pytest.mark.parametrize(
    "body",
    [
        reply(content="晴。"),
        reply(content=None, tool_calls=[CALL]),
        reply(content="", tool_calls=[CALL, {**CALL, "id": "b"}], refusal=None, annotations=[]),
    ],
    ids=["text", "call", "two calls"],
)
def test_plain_replies_take_the_short_way(body: bytes) -> None:
    assert plain_reply(body, marked=True, max_tokens=None) is not None
