"""A request for a response as messages: the input's items, each in its place."""

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import RawCall, ToolSpec
from pointsman.entrypoints.web.openai.responses_shapes import InputItem, InputPart, ResponseRequest
from pointsman.entrypoints.web.problems import Refusal

LABEL = "pointsman"
"""The ``server_label`` under which a client asks for approvals as items."""
_TEXTS = frozenset({"input_text", "output_text", "text"})
_ECHOED = frozenset({"reasoning", "mcp_approval_request", "mcp_list_tools", "mcp_call"})
"""Items of ours or of other servers that clients send back; they say nothing new."""


class Decision(Struct, frozen=True, kw_only=True):
    """The user's word on one approval."""

    approval: str
    approve: bool
    reason: str


class Asked(Struct, frozen=True, kw_only=True):
    """What a request says.

    Attributes:
        instructions: system messages, which hold for this request.
        said: the other messages, after those of the responses before.
        verdicts: on calls that wait.
    """

    instructions: tuple[SystemMessage, ...]
    said: tuple[Message, ...]
    verdicts: tuple[Decision, ...] = ()


def asked_in(request: ResponseRequest, before: Sequence[Message]) -> Asked:
    """The messages of a request.

    Args:
        before: those that the conversation has, whose last may hold open calls.

    Raises:
        Refusal: an item makes no sense, or is not offered here.
    """
    reader = _Reader(before)
    if request.instructions:
        reader.instructions.append(SystemMessage(text=request.instructions))
    if isinstance(request.input, str):
        reader.said.append(UserMessage(text=request.input))
    else:
        for index, item in enumerate(request.input):
            reader.take(item, f"input[{index}]")
    return Asked(
        instructions=tuple(reader.instructions),
        said=tuple(reader.said),
        verdicts=tuple(reader.verdicts),
    )


class _Reader:
    def __init__(self, before: Sequence[Message]) -> None:
        self.instructions: list[SystemMessage] = []
        self.said: list[Message] = []
        self.verdicts: list[Decision] = []
        self._open: dict[str, str] = {}
        for message in before:
            if isinstance(message, AssistantMessage):
                self._open |= {call.id: call.name for call in message.calls}

    def take(self, item: InputItem, place: str) -> None:
        match item.type:
            case "message":
                self._message(item, place)
            case "function_call":
                self._call(item, place)
            case "function_call_output":
                name = self._open.get(item.call_id or "")
                if item.call_id is None or name is None:
                    raise refused(f"{place}.call_id", "it must be that of a call before it")
                text = _text(item.output, f"{place}.output")
                self.said.append(ToolMessage(call_id=item.call_id, name=name, content=text))
            case "mcp_approval_response":
                if not item.approval_request_id or item.approve is None:
                    raise refused(place, "approval_request_id and approve are required")
                self.verdicts.append(
                    Decision(
                        approval=item.approval_request_id.removeprefix("mcpr_"),
                        approve=item.approve,
                        reason=item.reason or "",
                    )
                )
            case kind if kind not in _ECHOED:
                problem = f"agents read messages, function calls and approvals, not {kind!r}"
                raise refused(place, problem)

    def _message(self, item: InputItem, place: str) -> None:
        if item.role is None or item.content is None:
            raise refused(place, "role and content are required")
        text = _text(item.content, f"{place}.content")
        if item.role == "user":
            self.said.append(UserMessage(text=text))
        elif item.role == "assistant":
            self.said.append(AssistantMessage(text=text))
        else:
            self.instructions.append(SystemMessage(text=text))

    def _call(self, item: InputItem, place: str) -> None:
        if not item.call_id or not item.name or item.arguments is None:
            raise refused(place, "call_id, name and arguments are required")
        if item.call_id in self._open:
            raise refused(f"{place}.call_id", "another call has the same id")
        self._open[item.call_id] = item.name
        call = RawCall(id=item.call_id, name=item.name, arguments=item.arguments)
        last = self.said[-1] if self.said else None
        if isinstance(last, AssistantMessage):
            self.said[-1] = replace(last, calls=(*last.calls, call))
        else:
            self.said.append(AssistantMessage(calls=(call,)))


def _text(content: str | list[InputPart] | None, place: str) -> str:
    if not isinstance(content, list):
        return content or ""
    texts = []
    for index, part in enumerate(content):
        if part.type not in _TEXTS or part.text is None:
            raise refused(f"{place}[{index}]", f"agents read text only, not {part.type!r}")
        texts.append(part.text)
    return "\n".join(texts)


def client_tools(request: ResponseRequest, taken: Collection[str]) -> tuple[ToolSpec, ...]:
    """The client's functions.

    Raises:
        Refusal: a tool is of another kind, or has a name that the agent uses.
    """
    specs: dict[str, ToolSpec] = {}
    for index, tool in enumerate(request.tools or ()):
        if tool.type == "mcp" and tool.server_label == LABEL:
            continue
        if tool.type != "function" or tool.name is None:
            problem = (
                f"the agent has tools of its own; of yours it takes functions, not {tool.type!r}"
            )
            raise refused(f"tools[{index}]", problem)
        if tool.name in taken or tool.name in specs:
            whose = "the agent" if tool.name in taken else "this request"
            problem = f"{whose} already has a tool {tool.name!r}: rename yours"
            raise refused(f"tools[{index}].name", problem)
        specs[tool.name] = tool_spec(
            source="client",
            original=tool.name,
            name=tool.name,
            description=tool.description or "",
            parameters=tool.parameters,
        )
    return tuple(specs.values())


def wants_items(request: ResponseRequest) -> bool:
    """Whether the client asked for approvals as items."""
    return any(one.type == "mcp" and one.server_label == LABEL for one in request.tools or ())


def check(request: ResponseRequest) -> None:
    """Raises:
    Refusal: it wants what no agent here can give.
    """
    if request.previous_response_id and request.conversation:
        raise refused("conversation", "send either this or previous_response_id")
    if isinstance(request.tool_choice, dict):
        problem = "one tool cannot be forced: send 'auto', 'required' or 'none'"
        raise refused("tool_choice", problem)
    if request.text and request.text.format and request.text.format.type != "text":
        raise refused("text.format", "agents answer in plain text: leave it out")


def params_of(request: ResponseRequest) -> ModelParams:
    """The parameters of the model."""
    return ModelParams(
        temperature=request.temperature,
        top_p=request.top_p,
        max_tokens=request.max_output_tokens,
    )


def refused(field: str, problem: str) -> Refusal:
    """A fault of the request at this field."""
    return Refusal(400, f"{field}: {problem}", field=field)
