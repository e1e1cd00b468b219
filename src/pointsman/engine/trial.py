"""One call that a person proposes instead of the model: the same loop, gate and journal carry it.

There is no other way to try a tool, so what a trial shows is what a model's call would meet.
"""

from collections.abc import Callable

from msgspec.structs import replace

from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    Stop,
    ToolMessage,
)
from pointsman.domain.tools import RawCall
from pointsman.engine.agents import Agents
from pointsman.engine.service import Service

ORIGIN = "trial"


class OneCall:
    """A ``ports.ChatModel`` that proposes one given call and then says what came of it."""

    def __init__(self, tool: str, arguments: str) -> None:
        self._call = RawCall(id="trial_0", name=tool, arguments=arguments)

    @property
    def name(self) -> str:
        return ORIGIN

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        last = request.messages[-1]
        if isinstance(last, ToolMessage):
            text = last.content or "(empty)"
            message, stop = AssistantMessage(text=text, by_rules=True), Stop.STOP
        else:
            message, stop = AssistantMessage(calls=(self._call,)), Stop.TOOL_CALLS
        return ModelReply(message=message, stop=stop, model=self.name)

    async def aclose(self) -> None:
        return None


class Trial(Service):
    """The service's store and tools with this call in the place of one agent's model."""

    def __init__(self, service: Service, agent: str, *, tool: str, arguments: str) -> None:
        live = replace(service.agents.get(agent), model=OneCall(tool, arguments), fallback=None)
        super().__init__(
            agents=Agents(live),
            store=service._store,
            queue=service._queue,
            bus=service._bus,
            clock=service._clock,
            roles=service.desk.roles,
        )
