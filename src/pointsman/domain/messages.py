"""Messages between the user, the engine and the model, in no provider's dialect."""

from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.tools import RawCall, ToolSpec


class SystemMessage(Struct, frozen=True, kw_only=True, tag_field="role", tag="system"):
    """Instructions of the agent."""

    text: str


class UserMessage(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="role", tag="user"
):
    """What the user wrote.

    Attributes:
        own: whether the words are a person's. Those of a task are not: a model put them together
            out of the user's, so that no value in them has a source.
    """

    text: str
    own: bool = True


class AssistantMessage(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="role", tag="assistant"
):
    """What the model answered.

    Attributes:
        text: empty when the reply is only calls.
        reasoning: the model's thinking, when the provider gives it; sent back only where the
            provider wants it back.
        by_rules: rules wrote it, which would take a note about it for the user's words.
    """

    text: str = ""
    calls: tuple[RawCall, ...] = ()
    reasoning: str = ""
    by_rules: bool = False


class ToolMessage(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="role", tag="tool"
):
    """The result of one call, for the model.

    Attributes:
        call_id: the id of the call in the assistant message before it.
        name: the tool's name as the model wrote it; the articles' dialect joins by it.
        untrusted: whether it holds what others wrote, though the tool is our own.
    """

    call_id: str
    name: str
    content: str
    untrusted: bool = False


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one or more model calls. ``cached`` is part of ``prompt``, ``reasoning`` of
    ``completion``."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    total: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            completion=self.completion + other.completion,
            reasoning=self.reasoning + other.reasoning,
            total=self.total + other.total,
        )


class Stop(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    """The output was cut: what it holds is never run."""
    FILTERED = "content_filter"


class ModelParams(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Sampling and output parameters; None leaves the provider's default.

    Attributes:
        thinking: True or False switches the model's thinking where the provider can; None leaves
            it.
        extra: further fields, sent as they are.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    thinking: bool | None = None
    extra: dict[str, Any] = {}


ToolChoice = Literal["auto", "required", "none"]


class ModelRequest(Struct, frozen=True, kw_only=True):
    """One question to a model.

    Attributes:
        messages: a system message first, then the conversation; every call has its result.
        tools: what the model may call; also what text calls are recognised against.
        stream: tell the deltas as they come.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    params: ModelParams = ModelParams()
    tool_choice: ToolChoice = "auto"
    stream: bool = False


class ModelReply(Struct, frozen=True, kw_only=True):
    """One whole answer of a model.

    Attributes:
        message: text and complete calls. Call ids are unique in it.
        cut: calls that the output limit cut off, with ``{}`` for arguments: told to the model,
            never
            run. When there are any, ``stop`` is LENGTH and ``message.calls`` is empty.
        model: the name that the provider gave, or ours.
        attempts: how many times the model was asked for this reply.
    """

    message: AssistantMessage
    stop: Stop
    model: str
    usage: Usage | None = None
    cut: tuple[RawCall, ...] = ()
    attempts: int = 1


class TextDelta(Struct, frozen=True, tag="text"):
    """A piece of the reply, to be shown at once."""

    text: str


class ReasoningDelta(Struct, frozen=True, tag="reasoning"):
    """A piece of the model's thinking."""

    text: str


class ResetDelta(Struct, frozen=True, tag="reset"):
    """What was shown of this reply is void; another attempt starts."""

    attempt: int


Delta = TextDelta | ReasoningDelta | ResetDelta
