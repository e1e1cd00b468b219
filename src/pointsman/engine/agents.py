"""An agent as the engine holds it: its specification with the adapters that stand behind it."""

from collections.abc import Iterator

from msgspec import Struct

from pointsman.domain.agent import AgentSpec
from pointsman.domain.intents import Intent
from pointsman.domain.policy import Rule
from pointsman.engine.registry import Registry
from pointsman.errors import NotFound
from pointsman.ports import ChatModel, Classifier


class LiveAgent(Struct, frozen=True, kw_only=True):
    """One agent, ready to run.

    Attributes:
        fallback: answers when ``model`` cannot be reached, and is named in the journal when it
            does.
        rules: the policy over the defaults.
        intents: what users may want, by name; without any, every tool is on offer (open mode).
        classifier: tells which intents a message has; None in open mode.
    """

    spec: AgentSpec
    model: ChatModel
    registry: Registry
    fallback: ChatModel | None = None
    rules: tuple[Rule, ...] = ()
    intents: dict[str, Intent] = {}
    classifier: Classifier | None = None

    async def open(self) -> None:
        await self.registry.open()

    async def aclose(self) -> None:
        await self.registry.aclose()
        await self.model.aclose()
        if self.fallback is not None:
            await self.fallback.aclose()


class Agents:
    """The agents of this process, by name."""

    def __init__(self, *agents: LiveAgent) -> None:
        self._by_name = {agent.spec.name: agent for agent in agents}

    def __iter__(self) -> Iterator[LiveAgent]:
        return iter(self._by_name.values())

    def get(self, name: str) -> LiveAgent:
        """The agent of this name.

        Raises:
            NotFound: there is none.
        """
        if name not in self._by_name:
            raise NotFound("agent", name)
        return self._by_name[name]
