"""The short way for a whole reply in OpenAI's plain shape; every other one is left to ``deltas``.

Most replies hold nothing that has to be looked for or made up for: one choice, a text or calls with
ids and arguments that are JSON objects. What is read here is what ``deltas`` reads, only sooner.
"""

from collections.abc import Callable
from typing import Any, Literal

import msgspec
from msgspec import Struct

from pointsman.adapters.models.wire import read_usage
from pointsman.domain.messages import AssistantMessage, ModelReply, Stop
from pointsman.domain.text import clean
from pointsman.domain.tools import RawCall

_MARKS = ("<", "[")
"""How markup of calls and thinking begins."""


class _Function(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    arguments: str


class _Call(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    function: _Function
    type: Literal["function"] = "function"
    index: int | None = None


class _Message(Struct, frozen=True, forbid_unknown_fields=True):
    content: str | None = None
    tool_calls: tuple[_Call, ...] | None = None
    role: Literal["assistant"] = "assistant"
    refusal: None = None
    audio: None = None
    function_call: None = None
    reasoning_content: Literal[""] | None = None
    annotations: list[Any] | None = None


class _Choice(Struct, frozen=True, forbid_unknown_fields=True):
    message: _Message
    finish_reason: Literal["stop", "tool_calls"]
    index: Literal[0] = 0
    logprobs: None = None


class _Reply(Struct, frozen=True):
    choices: tuple[_Choice]
    model: str
    usage: dict[str, Any]
    error: None = None


_decode = msgspec.json.Decoder(_Reply).decode
_decode_arguments = msgspec.json.Decoder(dict[str, Any]).decode


def plain_reply(body: bytes, *, marked: bool, max_tokens: int | None) -> ModelReply | None:
    """The reply in the body of a response, or None where it takes a closer look.

    Args:
        marked: calls or thinking may be written in the text.
        max_tokens: what the question allowed.
    """
    try:
        reply = _decode(body)
    except (msgspec.MsgspecError, RecursionError):
        return None
    message = reply.choices[0].message
    # What a text is cleaned of can only be written as an escape.
    tidy = clean if b"\\u" in body else str
    text, model = tidy(message.content or ""), tidy(reply.model)
    calls = tuple([_raw(call, tidy) for call in message.tool_calls or ()])
    if not (model and (text.strip() or calls) and any(reply.usage.values())):
        return None
    usage = read_usage(reply.usage)
    if max_tokens is not None and usage is not None and usage.completion >= max_tokens:
        return None
    if marked and any(mark in text for mark in _MARKS):
        return None
    if calls and not _are_plain(calls):
        return None
    return ModelReply(
        message=AssistantMessage(text=text if text.strip() else "", calls=calls),
        stop=Stop.TOOL_CALLS if calls else Stop.STOP,
        model=model,
        usage=usage,
    )


def _raw(call: _Call, tidy: Callable[[str], str]) -> RawCall:
    function = call.function
    return RawCall(id=tidy(call.id), name=tidy(function.name), arguments=tidy(function.arguments))


def _are_plain(calls: tuple[RawCall, ...]) -> bool:
    """Whether each has an id of its own, a name, and one JSON object."""
    if len({call.id for call in calls} - {""}) < len(calls):
        return False
    try:
        for call in calls:
            _decode_arguments(call.arguments)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return all(call.name.strip() == call.name != "" for call in calls)
