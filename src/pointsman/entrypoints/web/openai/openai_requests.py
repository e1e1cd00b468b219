"""A chat completion request as a submission to the engine.

The client keeps the history, and sends all of it each time. What the run answers is its tail: the
last user message, or the results of the client's own tools after the calls that asked for them.
"""

from collections.abc import Collection, Sequence

from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolChoice,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.schemas.tool_specs import tool_spec
from pointsman.domain.tools import RawCall, ToolSpec
from pointsman.engine.agents import LiveAgent
from pointsman.engine.service import Submission
from pointsman.entrypoints.web.openai.openai_shapes import ChatMessage, ChatRequest
from pointsman.entrypoints.web.problems import Refusal


async def submission_of(asked: ChatRequest, live: LiveAgent, user: str) -> Submission:
    """The request for this agent and user.

    Raises:
        Refusal: something in it makes no sense, or is not offered here.
    """
    if asked.n not in (None, 1):
        raise _bad("n", "there is one answer to a request: leave n out, or send 1")
    history, tail = split(messages_of(asked.messages))
    taken: Collection[str] = ()
    if asked.tools:
        await live.registry.settle()
        taken = {spec.name for spec in live.registry.specs}
    return Submission(
        agent=live.spec.name,
        user=user,
        history=history,
        messages=tail,
        client_tools=_client_tools(asked, taken),
        params=_params(asked),
        tool_choice=_tool_choice(asked),
        stream=bool(asked.stream),
    )


def messages_of(given: Sequence[ChatMessage]) -> list[Message]:
    """The messages, each tool message after the call that it answers.

    Raises:
        Refusal: one lacks what its role needs, or answers no call.
    """
    messages: list[Message] = []
    unanswered: dict[str, str] = {}
    for index, one in enumerate(given):
        place = f"messages[{index}]"
        if one.role == "tool":
            messages.append(_result(one, place, unanswered))
            continue
        if one.role == "assistant":
            message = _assistant(one, place)
            unanswered = {call.id: call.name for call in message.calls}
            messages.append(message)
            continue
        if one.content is None:
            raise _bad(f"{place}.content", "this key is required")
        unanswered = {}
        text = _text(one, place)
        messages.append(UserMessage(text=text) if one.role == "user" else SystemMessage(text=text))
    return messages


def _result(one: ChatMessage, place: str, unanswered: dict[str, str]) -> ToolMessage:
    name = unanswered.pop(one.tool_call_id or "", None)
    if one.tool_call_id is None or name is None:
        problem = "a tool message must answer a call of the assistant message before it, once"
        raise _bad(f"{place}.tool_call_id", problem)
    return ToolMessage(call_id=one.tool_call_id, name=name, content=_text(one, place))


def _assistant(one: ChatMessage, place: str) -> AssistantMessage:
    calls = tuple(
        RawCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
        for call in one.tool_calls or ()
    )
    if len({call.id for call in calls}) < len(calls):
        raise _bad(f"{place}.tool_calls", "two calls of one message have the same id")
    return AssistantMessage(text=_text(one, place), calls=calls)


def _text(one: ChatMessage, place: str) -> str:
    if not isinstance(one.content, list):
        return one.content or ""
    texts = []
    for index, part in enumerate(one.content):
        if part.type != "text" or part.text is None:
            problem = f"agents read parts of type 'text' only, not {part.type!r}"
            raise _bad(f"{place}.content[{index}]", problem)
        texts.append(part.text)
    return "\n".join(texts)


def split(
    messages: Sequence[Message], *, named: str = "messages"
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The history, and the tail that the run is to answer. Instructions after the tail join the
    history.

    Args:
        named: what the client calls them.

    Raises:
        Refusal: there is nothing to answer, or a call of the tail has no result.
    """
    end = len(messages)
    while end and isinstance(messages[end - 1], SystemMessage):
        end -= 1
    start = end - 1
    while start > 0 and isinstance(messages[start], ToolMessage):
        start -= 1
    first = messages[start] if end else None
    if isinstance(first, AssistantMessage) and start < end - 1:
        if len(first.calls) != end - 1 - start:
            place = f"messages[{start}].tool_calls" if named == "messages" else named
            raise _bad(place, "every call needs a tool message after it")
    elif not isinstance(first, UserMessage):
        problem = (
            "the last message must be a user message, or the result of a call of your own tools"
        )
        raise _bad(named, problem)
    return (*messages[:start], *messages[end:]), tuple(messages[start:end])


def _client_tools(asked: ChatRequest, taken: Collection[str]) -> tuple[ToolSpec, ...]:
    specs: dict[str, ToolSpec] = {}
    for index, tool in enumerate(asked.tools or ()):
        function = tool.function
        if function.name in taken or function.name in specs:
            whose = "the agent" if function.name in taken else "this request"
            problem = f"{whose} already has a tool {function.name!r}: rename yours"
            raise _bad(f"tools[{index}].function.name", problem)
        specs[function.name] = tool_spec(
            source="client",
            original=function.name,
            name=function.name,
            description=function.description or "",
            parameters=function.parameters,
        )
    return tuple(specs.values())


def _tool_choice(asked: ChatRequest) -> ToolChoice | None:
    if isinstance(asked.tool_choice, dict):
        problem = (
            "the agent has tools of its own, so one tool cannot be forced: "
            "send 'auto', 'required' or 'none'"
        )
        raise _bad("tool_choice", problem)
    return asked.tool_choice


def _params(asked: ChatRequest) -> ModelParams:
    stop = (asked.stop,) if isinstance(asked.stop, str) else tuple(asked.stop or ())
    return ModelParams(
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_tokens=asked.max_completion_tokens or asked.max_tokens,
        frequency_penalty=asked.frequency_penalty,
        presence_penalty=asked.presence_penalty,
        stop=stop,
        seed=asked.seed,
    )


def _bad(field: str, problem: str) -> Refusal:
    return Refusal(400, f"{field}: {problem}", field=field)
