"""What a Chat Completions server may send, as types, and the numbers of its usage.

Above: ``deltas`` and ``calls``, which give the shapes a meaning. A field that providers fill with
differing types is ``Any``, and null is the same as absent. Fields that nobody reads
are not decoded.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from pointsman.domain.messages import Stop, Usage
from pointsman.errors import ModelProtocolError


class WireFunction(Struct, frozen=True, kw_only=True, gc=False):
    """The function of a call, or a piece of it; ``arguments`` is text, or an object."""

    name: Any = None
    arguments: Any = None


class WireCall(Struct, frozen=True, kw_only=True, gc=False):
    """A tool call or a piece of one. Some servers leave out the level of ``function``."""

    index: Any = None
    id: Any = None
    function: WireFunction | None = None
    name: Any = None
    arguments: Any = None


class WireMessage(Struct, frozen=True, kw_only=True, gc=False):
    """A whole message, or what a chunk adds to it."""

    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None
    tool_calls: list[WireCall | None] | WireCall | str | None = None
    function_call: WireFunction | None = None


class WireChoice(Struct, frozen=True, kw_only=True, gc=False):
    """One alternative answer, or its part in a chunk."""

    index: Any = None
    delta: WireMessage | None = None
    message: WireMessage | None = None
    finish_reason: Any = None
    stop_reason: Any = None
    usage: Any = None


class WireReply(Struct, frozen=True, kw_only=True, gc=False):
    """A chunk of a streamed reply, or a reply that came whole.

    Attributes:
        prompt_eval_count: Ollama's own usage fields, like the next.
    """

    choices: list[WireChoice | None] | None = None
    model: Any = None
    usage: Any = None
    error: Any = None
    prompt_eval_count: Any = None
    eval_count: Any = None


_decode_reply = msgspec.json.Decoder(WireReply).decode


def decode(payload: bytes) -> WireReply:
    """The reply in these bytes.

    Raises:
        ModelProtocolError: no JSON, or JSON of quite another shape.
    """
    try:
        return _decode_reply(payload)
    except (msgspec.MsgspecError, RecursionError):
        return _decode_leniently(payload)


def _decode_leniently(payload: bytes) -> WireReply:
    """What msgspec refuses and real servers send: half surrogate pairs, NaN, bad UTF-8."""
    try:
        text = payload.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = payload.decode("utf-8", "replace")
    try:
        return msgspec.convert(json.loads(text.removeprefix("\ufeff")), WireReply)
    except (ValueError, RecursionError) as error:
        raise ModelProtocolError("the model's server sent what is no reply and no JSON") from error


_STOPS = {
    Stop.TOOL_CALLS: "tool_calls tool_call tool_use function_call",
    Stop.LENGTH: (
        "length max_tokens max_output_tokens max_completion_tokens model_length "
        "model_context_window_exceeded"
    ),
    Stop.FILTERED: (
        "content_filter content_filtered safety sensitive recitation blocklist prohibited_content "
        "spii refusal"
    ),
}
_STOP_WORDS = {word: stop for stop, words in _STOPS.items() for word in words.split()}
FAILED_STOPS = frozenset(
    "error network_error server_error insufficient_system_resource engine_overloaded overloaded "
    "abort aborted cancelled canceled timeout".split()
)
"""Reasons that say that the provider failed, not that the model had finished."""


def calls_in(message: WireMessage) -> Sequence[WireCall | None]:
    """The calls, or the pieces of calls, that a message carries in any of its fields."""
    calls = message.tool_calls
    if isinstance(calls, WireCall):
        return (calls,)
    if calls and not isinstance(calls, str):
        return calls
    legacy = message.function_call
    return (WireCall(function=legacy),) if legacy else ()


def texts_in(message: WireMessage) -> tuple[str, str]:
    """The text and the thinking, when both, one or none of their fields are texts."""
    content = message.content or message.refusal or ""
    thought = message.reasoning_content or message.reasoning or ""
    if not isinstance(thought, str):
        thought = ""
    if isinstance(content, str):
        return content, thought
    texts, thoughts = [], [thought]
    for part in content if isinstance(content, list) else [content]:
        text, thinking = _part(part)
        texts.append(text)
        thoughts.append(thinking)
    return "".join(texts), "".join(thoughts)


def _part(part: Any) -> tuple[str, str]:
    """The text and the thinking in one part of a content that is a list."""
    if isinstance(part, str):
        return part, ""
    if not isinstance(part, dict):
        return "", ""
    thinking = part.get("thinking") or part.get("reasoning")
    if isinstance(thinking, list):
        thinking = "".join(_part(inner)[0] for inner in thinking)
    text = part.get("text")
    return (text if isinstance(text, str) else ""), (thinking if isinstance(thinking, str) else "")


def stop_word(reason: Any) -> str:
    """The reason in lower case; empty for none (null, an empty text, the text ``null``)."""
    if not isinstance(reason, str):
        return ""
    word = reason.strip().lower()
    return "" if word in ("null", "none") else word


def stop_from(word: str) -> Stop:
    """What the provider's word means; an unknown word means that the model had finished."""
    return _STOP_WORDS.get(word, Stop.STOP)


def whole_number(value: Any) -> int | None:
    """The value as an integer if it is one in any spelling (1, 1.0, "1"), or None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        return int(value)
    return None


_DETAILS = (
    "prompt_tokens_details",
    "input_tokens_details",
    "completion_tokens_details",
    "output_tokens_details",
)


def read_usage(usage: Mapping[str, Any]) -> Usage | None:
    """The tokens in any provider's shape, or None when there is no number in it.

    Anthropic's ``input_tokens`` leaves the cached part out, and some count reasoning beside the
    completion; here ``cached`` is always part of ``prompt`` and ``reasoning`` of ``completion``.
    """
    whole = dict(usage)
    for name in _DETAILS:
        if isinstance(details := whole.pop(name, None), dict):
            whole.update(details)
    count = _counts(whole).get
    prompt = count("prompt_tokens", count("input_tokens", count("prompt_eval_count")))
    completion = count("completion_tokens", count("output_tokens", count("eval_count")))
    total = count("total_tokens")
    if prompt is None and completion is None and total is None:
        return None
    beside = count("cache_read_input_tokens")
    cached = count("cached_tokens") or count("prompt_cache_hit_tokens") or beside or 0
    reasoning, prompt, completion = count("reasoning_tokens", 0), prompt or 0, completion or 0
    if beside and count("prompt_tokens") is None:
        prompt += beside + count("cache_creation_input_tokens", 0)
    if reasoning > completion or total == prompt + completion + reasoning:
        completion += reasoning
    return Usage(
        prompt=prompt,
        cached=min(cached, prompt),
        completion=completion,
        reasoning=reasoning,
        total=total or prompt + completion,
    )


def _counts(usage: Mapping[str, Any]) -> dict[str, int]:
    """The members that are numbers of tokens, in any spelling."""
    return {
        name: number
        for name, value in usage.items()
        if (number := value if type(value) is int else whole_number(value)) is not None
        and number >= 0
    }
