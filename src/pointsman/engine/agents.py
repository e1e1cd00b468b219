"""An agent as the engine holds it: its specification with the adapters that stand behind it."""

from collections.abc import Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import run_tasks
from pointsman.domain.agent import AgentSpec
from pointsman.domain.approvals import person
from pointsman.domain.intents import Intent
from pointsman.domain.policy import Facts, Rule
from pointsman.domain.runs import Run
from pointsman.engine.registry import Registry
from pointsman.errors import NotFound
from pointsman.ports import ChatModel, Classifier


class LiveAgent(Struct, frozen=True, kw_only=True):
    """One agent, ready to run.

    Attributes:
        fallback: answers when ``model`` cannot be reached, and is named in the journal when it
            does.
        rules: the policy over the defaults; ``roles`` is for its conditions: role → the logins that
            have it.
        intents: what users may want, by name; without any, every tool is on offer (open mode).
        classifier: tells which intents a message has; None in open mode.
    """

    spec: AgentSpec
    model: ChatModel
    registry: Registry
    fallback: ChatModel | None = None
    rules: tuple[Rule, ...] = ()
    roles: Mapping[str, Sequence[str]] = {}
    intents: dict[str, Intent] = {}
    classifier: Classifier | None = None

    def facts(self, run: Run, tainted: tuple[str, ...]) -> Facts:
        """What the policy may know of a call of this run besides its arguments: at the instant of
        the date line, in the agent's zone."""
        return Facts(
            user=run.user,
            roles=person(run.user, self.roles).roles,
            at=(run.started or run.created).astimezone(ZoneInfo(self.spec.timezone)),
            origin=run_tasks.origin(run),
            tainted=tainted,
        )

    def carrying(self, run: Run) -> "LiveAgent":
        """The same with the limits that the run has: those of a task are its share."""
        if run.task is None:
            return self
        limits = run.task.budget.within(self.spec.limits)
        return replace(self, spec=replace(self.spec, limits=limits))

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

    def with_roles(self, roles: Mapping[str, Sequence[str]]) -> "Agents":
        """The same, by whose policy these logins have these roles."""
        return Agents(*(replace(agent, roles=roles) for agent in self))

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
