"""What of a client's messages is history, what the run answers, and what is refused."""

import json
from typing import Any

import pytest

from pointsman.domain.messages import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from pointsman.domain.tools import RawCall
from pointsman.entrypoints.web.bodies import parsed
from pointsman.entrypoints.web.openai.openai_requests import messages_of, split
from pointsman.entrypoints.web.openai.openai_shapes import ChatRequest
from pointsman.entrypoints.web.problems import Refusal

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
OTHER = {**CALL, "id": "c2"}


def said(role: str, content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def request(*messages: dict[str, Any], **more: Any) -> ChatRequest:
    return parsed(ChatRequest, json.dumps({"model": "a", "messages": messages, **more}).encode())


def test_the_last_user_message_is_answered_and_the_rest_is_history() -> None:
    history, tail = split(
        messages_of(
            request(
                said("system", "Be kind."),
                said("user", "Hi"),
                said("assistant", "Hello"),
                said("user", "Bye"),
            ).messages
        )
    )
    assert tail == (UserMessage(text="Bye"),)
    assert history == (
        SystemMessage(text="Be kind."),
        UserMessage(text="Hi"),
        AssistantMessage(text="Hello"),
    )


def test_results_of_the_clients_tools_are_answered_together_with_their_calls() -> None:
    history, tail = split(
        messages_of(
            request(
                said("user", "1 + 1"),
                said("assistant", tool_calls=[CALL, OTHER]),
                said("tool", "2", tool_call_id="c1"),
                said("tool", "3", tool_call_id="c2"),
            ).messages
        )
    )
    assert history == (UserMessage(text="1 + 1"),)
    calls = tuple(RawCall(id=id, name="add", arguments="{}") for id in ("c1", "c2"))
    assert tail == (
        AssistantMessage(calls=calls),
        ToolMessage(call_id="c1", name="add", content="2"),
        ToolMessage(call_id="c2", name="add", content="3"),
    )


def test_instructions_after_the_last_message_join_the_history() -> None:
    history, tail = split(messages_of(request(said("user", "Hi"), said("system", "x")).messages))
    assert (history, tail) == ((SystemMessage(text="x"),), (UserMessage(text="Hi"),))


def test_parts_of_text_are_joined() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    assert messages_of(request(said("user", parts)).messages) == [UserMessage(text="one\ntwo")]


def test_what_clients_repeat_of_an_answer_is_taken() -> None:
    echo = said(
        "assistant", "Hi", refusal=None, audio=None, function_call=None, tool_calls=None, name=None
    )
    assert messages_of(request(echo).messages) == [AssistantMessage(text="Hi")]


def test_half_characters_are_replaced() -> None:
    message = rb'{"role": "user", "content": "\ud83d hi \ud83d\ude00\u0000"}'
    raw = rb'{"model": "a", "messages": [%b]}' % message
    assert parsed(ChatRequest, raw).messages[0].content == "\ufffd hi \U0001f600"


USER = said("user", "Hi")


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([said("wizard", "x")], "messages[0].role"),
        ([said("user")], "messages[0].content"),
        ([said("user", 5)], "messages[0].content"),
        ([said("user", [{"type": "text"}])], "messages[0].content[0]"),
        ([said("user", [{"type": "image_url"}])], "messages[0].content[0]"),
        ([USER, said("tool", "2", tool_call_id="c1")], "messages[1].tool_call_id"),
        ([USER, said("tool", "2")], "messages[1].tool_call_id"),
        (
            [said("assistant", tool_calls=[CALL]), USER, said("tool", "2", tool_call_id="c1")],
            "messages[2].tool_call_id",
        ),
        ([said("assistant", tool_calls=[CALL, CALL])], "messages[0].tool_calls"),
        (
            [said("assistant", tool_calls=[CALL, OTHER]), said("tool", "2", tool_call_id="c1")],
            "messages[0].tool_calls",
        ),
        ([said("assistant", tool_calls=[{"id": "x"}])], "messages[0].tool_calls[0].function"),
        ([said("assistant", "Hi")], "messages"),
        ([said("system", "x")], "messages"),
        ([said("assistant", tool_calls=[CALL])], "messages"),
        ([], "messages"),
    ],
)
def test_messages_that_make_no_sense_are_refused_by_place(
    messages: list[dict[str, Any]], field: str
) -> None:
    with pytest.raises(Refusal) as refused:
        split(messages_of(request(*messages).messages))
    assert (refused.value.status, refused.value.field) == (400, field)
    assert refused.value.detail.startswith(field)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[1]",
        b"null",
        b"\xff\xfe",
        b'{"model": "a", "messages": [], "seed": NaN}',
        b'{"model": "a", "messages": [], "seed": 1e999}',
        b'{"model": "a", "messages": [], "seed": ' + b"9" * 5000 + b"}",
        b'{"model": ' + b"[" * 100_000,
    ],
)
def test_a_body_that_cannot_be_read_is_the_callers_fault(raw: bytes) -> None:
    with pytest.raises(Refusal) as refused:
        parsed(ChatRequest, raw)
    assert refused.value.status == 400
