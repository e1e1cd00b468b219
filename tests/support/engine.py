"""An engine on a scripted model, for tests of the loop."""

from collections.abc import Sequence
from typing import Any

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.system import SystemClock
from pointsman.domain.agent import AgentSpec
from pointsman.domain.policy import rules_from
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.registry import Registry
from pointsman.engine.service import Service
from pointsman.ports import ChatModel, Clock, Store, Tool
from tests.support.scripted_model import Script, ScriptedModel
from tests.support.tools import FakeSource


async def service_of(
    script: Script | ChatModel,
    *tools: Tool,
    store: Store | None = None,
    clock: Clock | None = None,
    fallback: ChatModel | None = None,
    policy: Sequence[dict[str, Any]] = (),
    **spec: Any,
) -> Service:
    """A service with one agent, ``desk``; its tools are opened, nothing is driven yet."""
    model = ScriptedModel(script) if isinstance(script, list) or callable(script) else script
    agent = AgentSpec(name="desk", policy=tuple(policy), **spec)
    live = LiveAgent(
        spec=agent,
        model=model,  # type: ignore[arg-type]
        fallback=fallback,
        registry=Registry([FakeSource(*tools)]),
        rules=rules_from(agent.policy),
    )
    service = Service(
        agents=Agents(live),
        store=store or MemoryStore(),
        queue=LocalQueue(),
        bus=MemoryBus(),
        clock=clock or SystemClock(),
    )
    await service.open()
    return service
