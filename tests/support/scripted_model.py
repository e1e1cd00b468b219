"""A chat model that answers from a script, for tests of what is above the wire."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable

from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    Stop,
    TextDelta,
    ToolMessage,
    Usage,
)
from pointsman.domain.tools import RawCall
from pointsman.errors import ModelError

Answer = str | list[tuple[str, str]] | ModelReply | ModelError
Script = Sequence[Answer] | Callable[[ModelRequest], Answer | Awaitable[Answer]]


class ScriptedModel:
    """Answers the nth question with the nth answer, or with what a function says, which may be
    asynchronous.

    An answer is a text, a list of (tool name, arguments as JSON text), a whole reply, or an error.
    The last answer of a list is repeated. ``requests`` holds every question.
    """

    name = "scripted"

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[ModelRequest] = []

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        self.requests.append(request)
        if callable(self._script):
            found = self._script(request)
            answer = await found if isawaitable(found) else found
        else:
            answer = self._script[min(len(self.requests), len(self._script)) - 1]
        if isinstance(answer, ModelError):
            raise answer
        reply = answer if isinstance(answer, ModelReply) else self._reply(answer)
        if request.stream:
            for piece in reply.message.text.splitlines(keepends=True):
                tell(TextDelta(piece))
        return reply

    def _reply(self, answer: str | list[tuple[str, str]]) -> ModelReply:
        usage = Usage(prompt=10, completion=5, total=15)
        if isinstance(answer, str):
            message = AssistantMessage(text=answer)
            return ModelReply(message=message, stop=Stop.STOP, model="scripted", usage=usage)
        calls = tuple(
            RawCall(id=f"call_{index}", name=name, arguments=arguments)
            for index, (name, arguments) in enumerate(answer)
        )
        message = AssistantMessage(calls=calls)
        return ModelReply(message=message, stop=Stop.TOOL_CALLS, model="scripted", usage=usage)

    async def aclose(self) -> None:
        """Nothing is held."""


def results(request: ModelRequest) -> list[str]:
    """The tool results that the last question brought, in order."""
    found: list[str] = []
    for message in reversed(request.messages):
        if not isinstance(message, ToolMessage):
            break
        found.insert(0, message.content)
    return found
