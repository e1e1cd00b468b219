"""One call that a person proposes instead of the model: the same loop, gate and journal carry it.

There is no other way to try a tool, so what a trial shows is what a model's call would meet. The
run says in its origin that it is a trial, and in its message which call: whoever drives it, also
after somebody's decision days later, puts ``OneCall`` in the place of the agent's model.
"""

from collections.abc import Callable

from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    Stop,
    ToolMessage,
)
from pointsman.domain.tools import RawCall
from pointsman.engine.submission import Submission

ORIGIN = "trial"


def trial(agent: str, *, user: str, tool: str, arguments: str) -> Submission:
    """The message of which the run is a trial of this call.

    Args:
        arguments: JSON text.
    """
    return Submission(agent=agent, user=user, text=f"{tool} {arguments}", origin=ORIGIN)


class OneCall:
    """A ``ports.ChatModel`` that proposes the call that a trial's message names, and then says what
    came of it."""

    def __init__(self, said: str) -> None:
        tool, _, arguments = said.partition(" ")
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
