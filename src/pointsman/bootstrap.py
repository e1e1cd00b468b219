"""The only place that wires: which adapter stands behind which port.

``opened`` wires agent folders for the entry points, ``agent_service`` one agent for the Python API.
Adapters are imported where they are chosen, so that nobody pays for what they do not use.
"""

import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from msgspec import structs

from pointsman import agentfile
from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.queue.local import LocalQueue
from pointsman.adapters.system import SystemClock
from pointsman.agentfile import AgentFile, McpServer, PythonTool, ToolOverrides
from pointsman.domain.agent import AgentSpec, ModelSpec
from pointsman.domain.policy import rules_from
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.registry import Registry
from pointsman.engine.service import Service
from pointsman.errors import MissingExtra
from pointsman.ports import Bus, ChatModel, Classifier, Clock, Store, ToolSource
from pointsman.settings import Settings, Synchronous

log = logging.getLogger("pointsman.bootstrap")


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


def service_of(
    agents: Sequence[LiveAgent],
    store: Store,
    clock: Clock,
    roles: Mapping[str, Sequence[str]] | None = None,
) -> Service:
    """An engine in one process; ``roles``: role → the logins that have it."""
    return Service(
        agents=Agents(*agents),
        store=store,
        queue=LocalQueue(),
        bus=MemoryBus(),
        clock=clock,
        roles=roles,
    )


def sqlite_store(path: Path, synchronous: Synchronous) -> Store:
    """The journal in a file."""
    from pointsman.adapters.store.sql import sqlite

    return sqlite(path, synchronous=synchronous)


def agent_service(
    spec: AgentSpec,
    tools: Sequence[Callable[..., Any] | ToolSource],
    *,
    model: ChatModel | None,
    journal: str | Path | None,
    synchronous: Synchronous = "full",
) -> Service:
    """The engine of one Python agent."""
    from pointsman.adapters.store.memory import MemoryStore
    from pointsman.adapters.tools.functions import FunctionTools

    clock = SystemClock()
    sources = [one for one in tools if not callable(one)]
    functions = [one for one in tools if callable(one)]
    store: Store = MemoryStore() if journal is None else sqlite_store(Path(journal), synchronous)
    live = live_agent(spec, [FunctionTools("python", functions), *sources], clock, model=model)
    return service_of([live], store, clock)


@asynccontextmanager
async def opened(folders: Sequence[Path], settings: Settings) -> AsyncIterator[Service]:
    """The engine of these agent folders on the settings' database; nothing is driven yet.

    Raises:
        AgentFileError, SettingsError, ToolDefinitionError: what the user has to mend.
        StoreError: the database cannot be opened.
    """
    clock = SystemClock()
    agents = [folder_agent(agentfile.load(folder), clock) for folder in folders]
    service = service_of(agents, settings_store(settings), clock, settings.roles)
    try:
        await service.open()
        yield service
    finally:
        with anyio.CancelScope(shield=True):
            await service.aclose()


def folder_agent(file: AgentFile, clock: Clock) -> LiveAgent:
    """The agent of a folder, with its tools loaded and its model wired."""
    spec = structs.replace(file.spec, model=file.model(os.environ))
    live = live_agent(spec, tool_sources(file, clock), clock)
    classifier = classifier_of(file)
    return structs.replace(live, intents=file.intents, classifier=classifier)


def classifier_of(file: AgentFile) -> Classifier | None:
    """The classifiers that the file names, in its order; None in open mode.

    One that is not there is left out, with a word in the log; the rules always are.
    """
    if not file.intents:
        return None
    from pointsman.adapters.classifiers.cascade import Cascade
    from pointsman.adapters.classifiers.rules import Rules

    rules = Rules(file.intents.values())
    made: list[Classifier] = []
    for name in file.classifier or ("rules",):
        if name == "rules":
            made.append(rules)
        elif name == "examples" and (learned := _learned(file)) is not None:
            made.append(learned)
        else:
            log.warning("%s: the classifier %r is not there; the rules decide", file.file, name)
    return Cascade(made or [rules], file.intents)


def _learned(file: AgentFile) -> Classifier | None:
    """The classifier that learns from the examples, or None when its extra is not installed."""
    from pointsman.adapters.classifiers.examples import Examples, available
    from pointsman.adapters.classifiers.lazy import Lazy

    if not available():
        return None
    intents, cache = tuple(file.intents.values()), file.folder / ".pointsman" / "models"
    return Lazy("examples", lambda: Examples.trained(intents, cache=cache))


def tool_sources(file: AgentFile, clock: Clock) -> list[ToolSource]:
    """What the file declares as tools: its functions as one source, each server as another.

    Raises:
        ToolDefinitionError: a function cannot be loaded or cannot be a tool.
    """
    sources: list[ToolSource] = []
    functions = [one for one in file.tools if isinstance(one, PythonTool)]
    if functions:
        sources.append(_function_source(file, functions))
    servers = [one for one in file.tools if isinstance(one, McpServer)]
    return sources + [_server_source(one, clock) for one in servers]


def _function_source(file: AgentFile, declared: Sequence[PythonTool]) -> ToolSource:
    from pointsman.adapters.tools.functions import FunctionTool, FunctionTools
    from pointsman.adapters.tools.imports import load_functions

    return FunctionTools(
        "python",
        [
            FunctionTool(function, overrides=_given(one.overrides))
            for one in declared
            for function in load_functions(one.target, folder=file.folder)
        ],
    )


def _given(overrides: ToolOverrides) -> dict[str, Any]:
    return {name: v for name, v in structs.asdict(overrides).items() if v not in (None, "")}


def _server_source(server: McpServer, clock: Clock) -> ToolSource:
    try:
        from pointsman.adapters.tools import mcp
    except ModuleNotFoundError as missing:
        raise MissingExtra(f"the MCP server {server.settings.name!r}", "mcp") from missing
    from pointsman.adapters.tools.filled import ContextFilled

    source = mcp.McpServer(server.settings, clock)
    return ContextFilled(source, server.context) if server.context else source


def rehearsal() -> tuple[Store, Bus]:
    """A store and a bus for one replay, which nothing outlives."""
    from pointsman.adapters.store.memory import MemoryStore

    return MemoryStore(), MemoryBus()


def settings_store(settings: Settings) -> Store:
    """The database that the settings name."""
    return sqlite_store(settings.database, settings.synchronous)
