"""An agent as the engine holds it: its specification with the adapters that stand behind it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.agent import AgentSpec
from pointsman.domain.approvals import person
from pointsman.domain.intents import Intent
from pointsman.domain.policy import Facts, Rule
from pointsman.domain.runs import Run
from pointsman.domain.tasks import run_tasks
from pointsman.engine.registry import Registry
from pointsman.engine.trial import ORIGIN, OneCall
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
        home: absolute path of its folder; empty for one that was made in Python.
    """

    spec: AgentSpec
    model: ChatModel
    registry: Registry
    fallback: ChatModel | None = None
    rules: tuple[Rule, ...] = ()
    roles: Mapping[str, Sequence[str]] = {}
    intents: dict[str, Intent] = {}
    classifier: Classifier | None = None
    home: str = ""

    def facts(self, run: Run, tainted: tuple[str, ...], at: datetime) -> Facts:
        """What the policy may know of a call of this run besides its arguments.

        Args:
            at: the instant of the date line, in the agent's zone.
        """
        return Facts(
            user=run.user,
            roles=person(run.user, self.roles).roles,
            at=at,
            origin=run_tasks.origin(run).partition(":")[0],
            tainted=tainted,
        )

    def carrying(self, run: Run) -> "LiveAgent":
        """The same with the limits that the run has, for those of a task are its share; and a trial
        is carried with its one call in the place of the model, and every tool on offer."""
        if run.origin == ORIGIN:
            call = OneCall(run.input)
            return replace(self, model=call, fallback=None, intents={}, classifier=None)
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
    """The agents of this process, by name.

    Attributes:
        load: makes an agent anew from its folder, not opened; may block. None where nothing can.
    """

    def __init__(self, *agents: LiveAgent) -> None:
        self._by_name = {agent.spec.name: agent for agent in agents}
        self._drives: Counter[int] = Counter()
        self._retired: list[LiveAgent] = []
        self._leaving: list[LiveAgent] = []
        self.load: Callable[[LiveAgent], LiveAgent] | None = None

    def with_roles(self, roles: Mapping[str, Sequence[str]]) -> "Agents":
        """The same, by whose policy these logins have these roles."""
        agents = Agents(*(replace(agent, roles=roles) for agent in self))
        agents.load = self.load
        return agents

    def put(self, fresh: LiveAgent) -> None:
        """Let this opened agent take the place of the one of its name, for drives that begin from
        now on."""
        name = fresh.spec.name
        old = self.get(name)
        self._retired.append(old)
        self._by_name[name] = replace(fresh, roles=old.roles)

    @contextmanager
    def driving(self, live: LiveAgent) -> Iterator[None]:
        """A drive that began with this agent, as long as the block lasts."""
        used = id(live.registry)
        self._drives[used] += 1
        try:
            yield
        finally:
            self._drives[used] -= 1
            if not self._drives[used]:
                del self._drives[used]

    async def close_retired(self) -> None:
        """Close the agents that were replaced and that no drive has any more; called now and then.
        One is closed at the second call at the earliest: a drive may just be about to begin."""
        leaving, self._leaving, self._retired = self._leaving, self._retired, []
        for agent in leaving:
            if id(agent.registry) in self._drives:
                self._leaving.append(agent)
            else:
                await agent.aclose()

    async def aclose(self) -> None:
        """Close all of them."""
        leaving, self._leaving, self._retired = [*self._leaving, *self._retired], [], []
        for agent in (*self, *leaving):
            await agent.aclose()

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
