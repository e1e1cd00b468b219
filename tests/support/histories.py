"""Histories for tests, from the shape that providers use."""

from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.tools import RawCall, ToolSpec


def history(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Our messages for a list of OpenAI's."""
    return tuple(_message(message) for message in messages)


def _message(message: Mapping[str, Any]) -> Message:
    text = message.get("content") or ""
    match message["role"]:
        case "system":
            return SystemMessage(text=text)
        case "user":
            return UserMessage(text=text)
        case "tool":
            name = message.get("name", "t")
            return ToolMessage(call_id=message["tool_call_id"], name=name, content=text)
        case _:
            calls = tuple(
                RawCall(id=call["id"], **call["function"])
                for call in message.get("tool_calls") or ()
            )
            return AssistantMessage(text=text, calls=calls)


def tool_spec(name: str = "add", parameters: dict[str, Any] | None = None) -> ToolSpec:
    """A tool that can be offered to a model."""
    schema = parameters or {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }
    return ToolSpec(
        name=name,
        source="python",
        original=name,
        description="Adds two numbers.",
        parameters=schema,
        wire_parameters=schema,
        digest="0",
    )
