"""The only place that wires: which adapter stands behind which port.

``opened`` wires agent folders for the entry points, ``agent_service`` one agent for the Python API.
Adapters are imported where they are chosen, so that nobody pays for what they do not use.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.system import SystemClock
from pointsman.domain.agent import AgentSpec, ModelSpec
from pointsman.domain.policy import rules_from
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.registry import Registry
from pointsman.engine.service import Service
from pointsman.ports import ChatModel, Clock, Store, ToolSource


def chat_model(spec: ModelSpec, offline: dict[str, Any], clock: Clock) -> ChatModel:
    """The model that a specification names.

    Raises:
        SettingsError: an unknown preset, a missing key, offline rules with faults.
    """
    if spec.use == "offline":
        from pointsman.adapters.models.offline import OfflineModel

        return OfflineModel(offline)
    from pointsman.adapters.models.chat_completions import ChatCompletions

    return ChatCompletions(spec, clock=clock)


def model_spec(model: object) -> ModelSpec:
    """``preset`` or ``preset/name`` as a specification; one that is given stays as it is."""
    if isinstance(model, ModelSpec):
        return model
    if not isinstance(model, str):
        return ModelSpec()
    use, _, name = model.partition("/")
    return ModelSpec(use=use, name=name)


def live_agent(
    spec: AgentSpec,
    sources: Sequence[ToolSource],
    clock: Clock,
    *,
    model: ChatModel | None = None,
) -> LiveAgent:
    """An agent with its adapters."""
    fallback = spec.model.fallback
    return LiveAgent(
        spec=spec,
        model=model or chat_model(spec.model, spec.offline, clock),
        fallback=chat_model(ModelSpec(use=fallback), spec.offline, clock) if fallback else None,
        registry=Registry(sources),
        rules=rules_from(spec.policy),
    )


def service_of(agents: Sequence[LiveAgent], store: Store, clock: Clock) -> Service:
    """An engine in one process."""
    return Service(
        agents=Agents(*agents), store=store, queue=LocalQueue(), bus=MemoryBus(), clock=clock
    )


def sqlite_store(path: Path, synchronous: str = "full") -> Store:
    """The journal in a file."""
    from pointsman.adapters.store.sql import sqlite

    return sqlite(path, synchronous="normal" if synchronous == "normal" else "full")


def agent_service(
    spec: AgentSpec,
    tools: Sequence[Callable[..., Any] | ToolSource],
    *,
    model: ChatModel | None,
    journal: str | Path | None,
) -> Service:
    """The engine of one Python agent."""
    from pointsman.adapters.store.memory import MemoryStore
    from pointsman.adapters.tools.functions import FunctionTools

    clock = SystemClock()
    sources = [one for one in tools if not callable(one)]
    functions = [one for one in tools if callable(one)]
    store: Store = MemoryStore() if journal is None else sqlite_store(Path(journal))
    live = live_agent(
        spec, [FunctionTools("python", functions), *sources], clock, model=model
    )
    return service_of([live], store, clock)


@asynccontextmanager
async def _closing(service: Service) -> AsyncIterator[Service]:
    try:
        await service.open()
        yield service
    finally:
        await service.aclose()
