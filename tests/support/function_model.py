"""A chat model that a test writes as a function: it may stop half way, fail, or take back."""

from collections.abc import Awaitable, Callable

import anyio

from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    Stop,
    TextDelta,
    Usage,
)

Tell = Callable[[Delta], None]
Ask = Callable[[ModelRequest, Tell], Awaitable[ModelReply]]


def reply(text: str, stop: Stop = Stop.STOP) -> ModelReply:
    """A reply of text alone."""
    usage = Usage(prompt=10, completion=5, total=15)
    return ModelReply(message=AssistantMessage(text=text), stop=stop, model="function", usage=usage)


class FunctionModel:
    """Asks the function. ``requests`` holds every question."""

    name = "function"

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.requests: list[ModelRequest] = []

    async def ask(self, request: ModelRequest, tell: Tell) -> ModelReply:
        self.requests.append(request)
        return await self._ask(request, tell)

    async def aclose(self) -> None:
        """Nothing is held."""


class HeldModel(FunctionModel):
    """Tells ``first``, waits until ``go`` is set, then tells ``rest``."""

    def __init__(self, first: str, rest: str) -> None:
        self.told, self.go = anyio.Event(), anyio.Event()

        async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
            tell(TextDelta(first))
            self.told.set()
            await self.go.wait()
            tell(TextDelta(rest))
            return reply(first + rest)

        super().__init__(ask)
