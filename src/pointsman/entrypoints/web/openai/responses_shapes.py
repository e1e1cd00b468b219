"""The wire shapes of the Responses API: requests as they enter, answers and events as they leave.

Source: OpenAI API reference, Responses. Unknown fields of a request are ignored, as clients send
many that only OpenAI's own models know; what would change the answer is refused in words.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Struct, UnsetType
from pydantic import BaseModel, Discriminator, Field, Tag


class InputPart(BaseModel):
    """A piece of a message's content; only text is understood."""

    type: str
    text: str | None = None


class InputItem(BaseModel):
    """One item of the input; which fields count depends on ``type``."""

    type: str = "message"
    role: Literal["user", "assistant", "system", "developer"] | None = None
    content: str | list[InputPart] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | list[InputPart] | None = None
    approval_request_id: str | None = None
    approve: bool | None = None
    reason: str | None = None


class ResponseTool(BaseModel):
    """A function of the client's, or ``mcp`` with our label, which asks for approvals as items."""

    type: str
    name: str | None = Field(None, pattern="^[A-Za-z0-9_-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    server_label: str | None = None


class ConversationId(BaseModel):
    id: str


class TextFormat(BaseModel):
    type: str = "text"


class TextConfig(BaseModel):
    format: TextFormat | None = None


class ResponseRequest(BaseModel):
    """One request for a response; ``model`` is an agent's name."""

    model: str
    input: Annotated[
        Annotated[str, Field(min_length=1), Tag("text")]
        | Annotated[list[InputItem], Field(min_length=1), Tag("items")],
        Discriminator(lambda value: "items" if isinstance(value, list) else "text"),
    ]
    instructions: str | None = None
    previous_response_id: str | None = None
    conversation: str | ConversationId | None = None
    stream: bool | None = None
    background: bool | None = None
    store: bool | None = None
    metadata: dict[str, str] | None = None
    tools: list[ResponseTool] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    text: TextConfig | None = None


class OutputText(Struct, frozen=True, kw_only=True, tag_field="type", tag="output_text"):
    text: str
    annotations: tuple[()] = ()
    logprobs: tuple[()] = ()


class MessageItem(Struct, frozen=True, kw_only=True, tag_field="type", tag="message"):
    """What the agent says."""

    id: str
    status: Literal["in_progress", "completed", "incomplete"]
    content: tuple[OutputText, ...] = ()
    role: Literal["assistant"] = "assistant"


class FunctionCallItem(Struct, frozen=True, kw_only=True, tag_field="type", tag="function_call"):
    """A call that the client is to run."""

    id: str
    call_id: str
    name: str
    arguments: str
    status: Literal["in_progress", "completed"] = "completed"


class ApprovalItem(Struct, frozen=True, kw_only=True, tag_field="type", tag="mcp_approval_request"):
    """A call of the agent's that waits for the user's word."""

    id: str
    name: str
    arguments: str
    server_label: str


OutputItem = MessageItem | FunctionCallItem | ApprovalItem


class ResponseFault(Struct, frozen=True, kw_only=True):
    code: str
    message: str


class Incomplete(Struct, frozen=True, kw_only=True):
    reason: Literal["max_output_tokens", "content_filter"]


class InputDetails(Struct, frozen=True, kw_only=True):
    cached_tokens: int
    cache_write_tokens: int = 0


class OutputDetails(Struct, frozen=True, kw_only=True):
    reasoning_tokens: int


class ResponseUsage(Struct, frozen=True, kw_only=True):
    """``cached_tokens`` is part of the input, ``reasoning_tokens`` of the output."""

    input_tokens: int
    input_tokens_details: InputDetails
    output_tokens: int
    output_tokens_details: OutputDetails
    total_tokens: int


class ConversationOf(Struct, frozen=True, kw_only=True):
    id: str


class PlainText(Struct, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """The only format of an answer."""


class TextOf(Struct, frozen=True, kw_only=True):
    format: PlainText = PlainText()


ResponseStatus = Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]


class AgentResponse(Struct, frozen=True, kw_only=True):
    """A response. ``created_at`` is in seconds since 1970, UTC. What the client sent for itself
    (``metadata``, ``tools``) is given back by the request that sent it, and not later."""

    id: str
    created_at: int
    status: ResponseStatus
    model: str
    output: tuple[OutputItem, ...]
    conversation: ConversationOf
    usage: ResponseUsage | None = None
    error: ResponseFault | None = None
    incomplete_details: Incomplete | None = None
    instructions: str | None = None
    previous_response_id: str | None = None
    metadata: dict[str, str] = {}
    tools: tuple[dict[str, Any], ...] = ()
    tool_choice: str = "auto"
    parallel_tool_calls: bool = True
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    background: bool = False
    store: bool = True
    truncation: str = "disabled"
    text: TextOf = TextOf()
    object: Literal["response"] = "response"


class ResponseDeleted(Struct, frozen=True, kw_only=True):
    id: str
    deleted: bool = True
    object: str = "response"


class StreamEvent(Struct, frozen=True, kw_only=True):
    """An event of a stream: its ``type``, its number from 0, and what goes with the type."""

    type: str
    sequence_number: int
    response: AgentResponse | UnsetType = UNSET
    output_index: int | UnsetType = UNSET
    content_index: int | UnsetType = UNSET
    item_id: str | UnsetType = UNSET
    item: OutputItem | UnsetType = UNSET
    part: OutputText | UnsetType = UNSET
    delta: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    arguments: str | UnsetType = UNSET
    logprobs: tuple[()] | UnsetType = UNSET
    code: str | UnsetType | None = UNSET
    message: str | UnsetType = UNSET
    param: UnsetType | None = UNSET
