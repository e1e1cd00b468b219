"""The merging of streamed replies, through the bytes that a server would send."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.messages import Stop
from pointsman.errors import (
    ModelError,
    ModelProtocolError,
)
from tests.cases import params
from tests.support.replies import (
    WEATHER,
    A,
    Reading,
    call,
    called,
    calls_stream,
    chunk,
    events,
    outcome,
    read,
    read_whole,
    split,
    text_stream,
    whole_chunk,
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


def test_frames_that_a_proxy_framed_again_are_read() -> None:
    twice = text_stream("a", "b").replace(b"data: ", b"data: data: ")
    assert read(twice).message.text == "ab"
    assert read(twice.replace(b"\n\n", b"\ndata:\ndata:\n\n")).message.text == "ab"


def test_the_name_of_the_model_is_the_providers_or_ours() -> None:
    assert read(text_stream("a")).model == "m"
    assert read(events(['{"choices":[{"delta":{"content":"a"}}]}', "[DONE]"])).model == "ours"


def test_visible_means_that_text_was_told() -> None:
    reading = Reading([calls_stream(call(A, "get_weather"))])
    assert not reading.assembler.visible
    assert reading.told == []
    assert Reading([text_stream("\n", "a")]).assembler.visible


@pytest.mark.parametrize("case", params(1, leave=MARKUP))
def test_a_stream_cut_at_every_byte_gives_the_same_reply(case: dict[str, Any]) -> None:
    raw = streams_of(case)[0]
    expected = outcome([raw])
    for place in range(0, len(raw), 3):
        assert outcome([raw[:place], raw[place:]]) == expected


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
