"""The wire shapes of Chat Completions: requests as they enter, answers as they leave.

Source: OpenAI API reference, Chat Completions and Models. Unknown fields of a request are ignored,
as clients send many that only OpenAI's own models know.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Struct, UnsetType
from pydantic import BaseModel, Field


class Part(BaseModel):
    """A piece of a message's content; only those of type ``text`` are understood."""

    type: str
    text: str | None = None


class CalledFunction(BaseModel):
    name: str = Field(min_length=1)
    arguments: str


class CalledTool(BaseModel):
    id: str = Field(min_length=1)
    function: CalledFunction


class ChatMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None
    tool_calls: list[CalledTool] | None = None
    tool_call_id: str | None = None


class ClientFunction(BaseModel):
    name: str = Field(pattern="^[A-Za-z0-9_-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None


class ClientTool(BaseModel):
    """A tool that the client runs itself."""

    type: Literal["function"]
    function: ClientFunction


class StreamOptions(BaseModel):
    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """One request for a chat completion; ``model`` is an agent's name."""

    model: str
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    tools: list[ClientTool] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    n: int | None = None


class GivenFunction(Struct, frozen=True, kw_only=True):
    name: str
    arguments: str


class GivenCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that the client is to run; ``index`` in streams only."""

    id: str
    function: GivenFunction
    index: int | UnsetType = UNSET
    type: Literal["function"] | UnsetType = UNSET


class Answer(Struct, frozen=True, kw_only=True):
    """The assistant's message."""

    content: str | None
    tool_calls: tuple[GivenCall, ...] | UnsetType = UNSET
    role: str = "assistant"
    refusal: None = None


class Choice(Struct, frozen=True, kw_only=True):
    message: Answer
    finish_reason: str
    index: int = 0
    logprobs: None = None


class PromptDetails(Struct, frozen=True, kw_only=True):
    cached_tokens: int


class CompletionDetails(Struct, frozen=True, kw_only=True):
    reasoning_tokens: int


class TokenUsage(Struct, frozen=True, kw_only=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails
    completion_tokens_details: CompletionDetails


class Completion(Struct, frozen=True, kw_only=True):
    """A whole answer. ``created`` is in seconds since 1970, UTC."""

    id: str
    created: int
    model: str
    choices: tuple[Choice, ...]
    usage: TokenUsage
    object: str = "chat.completion"


class Delta(Struct, frozen=True, kw_only=True):
    """What a chunk adds to the message."""

    role: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    tool_calls: tuple[GivenCall, ...] | UnsetType = UNSET


class ChunkChoice(Struct, frozen=True, kw_only=True):
    delta: Delta
    finish_reason: str | None = None
    index: int = 0


class Chunk(Struct, frozen=True, kw_only=True):
    """A piece of a streamed answer; ``usage`` is null but in the last, if it was asked for."""

    id: str
    created: int
    model: str
    choices: tuple[ChunkChoice, ...]
    usage: TokenUsage | UnsetType | None = UNSET
    object: str = "chat.completion.chunk"


class Model(Struct, frozen=True, kw_only=True):
    """An agent, as clients list models. ``created`` is when the server started."""

    id: str
    created: int
    object: str = "model"
    owned_by: str = "pointsman"


class ModelList(Struct, frozen=True, kw_only=True):
    data: tuple[Model, ...]
    object: str = "list"
