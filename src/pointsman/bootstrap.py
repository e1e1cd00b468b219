"""The only place that wires: which adapter stands behind which port.

``opened`` wires agent folders for the entry points, ``agent_service`` one agent for the Python API.
Adapters are imported where they are chosen, so that nobody pays for what they do not use.
"""

import logging
import os
import socket
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
from pointsman.adapters.telemetry.otel import telling
from pointsman.adapters.tools.builtin import BuiltIn
from pointsman.adapters.workdays import chinese_workdays
from pointsman.agentfile import (
    AgentFile,
    BuiltInTool,
    HttpApi,
    McpServer,
    PythonTool,
    SqlDatabase,
    ToolOverrides,
)
from pointsman.domain.agent import AgentSpec, ModelSpec
from pointsman.domain.policy import rules_from
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.registry import Registry
from pointsman.engine.reminders.remind_drafts import Drafting
from pointsman.engine.service import Service
from pointsman.engine.surroundings import Surroundings
from pointsman.errors import MissingExtra, ToolSourceError
from pointsman.ports import (
    Bus,
    ChatModel,
    Classifier,
    Clock,
    Queue,
    Store,
    ToolSource,
)
from pointsman.settings import Settings, Synchronous
from pointsman.wiring.accounts import accounts_of
from pointsman.wiring.built_in import built_in
from pointsman.wiring.databases import postgres_extra
from pointsman.wiring.databases import settings_store as settings_store
from pointsman.wiring.databases import sqlite_store as sqlite_store
from pointsman.wiring.databases import upkeep as upkeep
from pointsman.wiring.notices import mailroom_of as mailroom_of

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
async def opened(
    folders: Sequence[Path],
    settings: Settings,
    *,
    alone: bool = False,
    grace: float = 0.0,
    clock: Clock | None = None,
) -> AsyncIterator[Service]:
    """The engine of these agent folders on the settings' database; nothing is driven yet.

    Args:
        alone: what is submitted here is driven here, and nothing else is.
        grace: seconds that what is driven gets to end by itself when driving ends; on PostgreSQL
            the settings of the workers say.
        clock: the machine's own by default.

    Raises:
        AgentFileError, SettingsError, ToolDefinitionError: what the user has to mend.
        StoreError: the database cannot be opened.
    """
    clock = clock or SystemClock()
    around = Surroundings(settings.channels)
    agents = [folder_agent(agentfile.load(folder), clock, around) for folder in folders]
    names = [agent.spec.name for agent in agents]
    async with _connected(settings, names, clock, alone=alone, grace=grace) as (store, queue, bus):
        carried = bool(folders) and not alone
        accounts = accounts_of(settings, store, clock)
        mailroom = mailroom_of(
            settings, store, bus, clock, roster=accounts.roster, all_carried=carried
        )
        around.notify_by(mailroom)
        service = Service(
            agents=Agents(*agents),
            store=store,
            queue=queue,
            bus=bus,
            clock=clock,
            roles=accounts.roster,
            mailroom=mailroom,
            accounts=accounts,
            workdays=chinese_workdays(),
            alone=not carried,
        )
        service.agents.load = lambda live: _loaded_again(live, clock, around)
        around.remind_by(Drafting(service.reminders, service.agents))
        with telling(os.environ) as traces:
            if traces is not None:
                service.observed.add(traces)
            try:
                await accounts.refresh()
                await service.open()
                yield service
            finally:
                with anyio.CancelScope(shield=True):
                    await service.aclose()


@asynccontextmanager
async def _connected(
    settings: Settings, agents: Sequence[str], clock: Clock, *, alone: bool, grace: float
) -> AsyncIterator[tuple[Store, Queue, Bus]]:
    """The settings' database, and how the processes on it hand out runs and tell news."""
    if isinstance(settings.database, Path):
        yield settings_store(settings), LocalQueue(grace=grace), MemoryBus()
        return
    try:
        from psycopg.conninfo import conninfo_to_dict, make_conninfo

        from pointsman.adapters.bus.postgres import PostgresBus
        from pointsman.adapters.queue.pace import Pace
        from pointsman.adapters.queue.procrastinate import ProcrastinateQueue
    except ImportError as missing:  # also of psycopg, when it finds no libpq
        raise MissingExtra("a PostgreSQL database", "postgres") from missing
    conninfo = make_conninfo("", **{**_PATIENCE, **conninfo_to_dict(settings.database.url)})
    bus = PostgresBus(conninfo, name=clock.new_id())
    queue = ProcrastinateQueue(
        conninfo,
        agents=agents,
        name=f"{socket.gethostname()}:{os.getpid()}",
        clock=clock,
        pace=Pace(**structs.asdict(settings.workers)),
        interrupt=bus.interrupt,
        alone=alone,
    )
    bus.on_interrupt(queue.stop)
    store = settings_store(settings, queue.enqueue)
    async with bus.opened(), queue.opened():
        yield store, queue, bus


_PATIENCE: dict[str, Any] = {
    "application_name": "pointsman",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""A database server's machine that is gone is noticed within some ten seconds."""


def folder_agent(file: AgentFile, clock: Clock, around: Surroundings | None = None) -> LiveAgent:
    """The agent of a folder, with its tools loaded and its model wired.

    Args:
        around: what its built-in tools reach when they are called.
    """
    spec = structs.replace(file.spec, model=file.model(os.environ))
    live = live_agent(spec, tool_sources(file, clock, around), clock)
    classifier = classifier_of(file, live.model)
    return structs.replace(live, intents=file.intents, classifier=classifier, home=str(file.folder))


def _loaded_again(live: LiveAgent, clock: Clock, around: Surroundings) -> LiveAgent:
    """The agent as its folder has it now."""
    from pointsman.adapters.tools.imports import forget

    forget(Path(live.home))
    return folder_agent(agentfile.load(live.home), clock, around)


def classifier_of(file: AgentFile, model: ChatModel) -> Classifier | None:
    """The classifiers that the file names, in its order; None in open mode.

    One that is not there is left out, with a word in the log; the rules always are.

    Args:
        model: the agent's, which ``llm`` asks; one that follows rules can tell no intents.
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
        elif name == "llm" and model.name != "offline":
            from pointsman.adapters.classifiers.llm import Llm

            made.append(Llm(model, tuple(file.intents.values())))
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


def tool_sources(
    file: AgentFile, clock: Clock, around: Surroundings | None = None
) -> list[ToolSource]:
    """What the file declares as tools: its functions as one source, Pointsman's own as one, each
    server, database and API as another.

    Raises:
        ToolDefinitionError: a function cannot be loaded or cannot be a tool.
    """
    sources: list[ToolSource] = []
    functions = [one for one in file.tools if isinstance(one, PythonTool)]
    if functions:
        sources.append(_function_source(file, functions))
    own = [one for one in file.tools if isinstance(one, BuiltInTool)]
    if own:
        surroundings = around or Surroundings()
        sources.append(
            BuiltIn([built_in(one.name, _given(one.overrides), surroundings) for one in own])
        )
    databases = [one for one in file.tools if isinstance(one, SqlDatabase)]
    sources += [_database_source(file, one, clock) for one in databases]
    sources += [_api_source(one) for one in file.tools if isinstance(one, HttpApi)]
    servers = [one for one in file.tools if isinstance(one, McpServer)]
    return sources + [_server_source(one, clock) for one in servers]


def _function_source(file: AgentFile, declared: Sequence[PythonTool]) -> ToolSource:
    from pointsman.adapters.tools.functions import FunctionTool, FunctionTools
    from pointsman.adapters.tools.imports import load_functions

    def checks(one: PythonTool) -> dict[str, Any]:
        return {"check": load_functions(one.check, folder=file.folder)[0]} if one.check else {}

    return FunctionTools(
        "python",
        [
            FunctionTool(function, overrides=_given(one.overrides) | checks(one))
            for one in declared
            for function in load_functions(one.target, folder=file.folder)
        ],
    )


def _given(overrides: ToolOverrides) -> dict[str, Any]:
    return {name: v for name, v in structs.asdict(overrides).items() if v not in (None, "")}


def _database_source(file: AgentFile, declared: SqlDatabase, clock: Clock) -> ToolSource:
    """Raises:
    AgentFileError: a variable of its address is not set.
    MissingExtra: it needs sqlglot, or psycopg.
    """
    settings = declared.settings
    try:
        from pointsman.adapters.tools.sql import SqlSource
        from pointsman.adapters.tools.sql_settings import filled
        from pointsman.adapters.tools.sql_sqlite import SqliteDatabase
    except ModuleNotFoundError as missing:
        raise MissingExtra(f"the database {settings.name!r}", "sql") from missing
    key = "file" if settings.file else "url"
    try:
        address = filled(settings.file or settings.url, os.environ)
    except ToolSourceError as fault:
        raise file.fault((*declared.place, key), str(fault), "set it: export NAME=…") from None
    if settings.file:
        seed = file.folder / settings.seed if settings.seed else None
        return SqlSource(settings, SqliteDatabase(file.folder / address, clock, seed=seed), clock)
    with postgres_extra():
        from pointsman.adapters.tools.sql_postgres import PostgresDatabase
    return SqlSource(settings, PostgresDatabase(address, settings.role), clock)


def _api_source(declared: HttpApi) -> ToolSource:
    from pointsman.adapters.tools.filled import ContextFilled
    from pointsman.adapters.tools.http import HttpTools

    source = HttpTools(declared.settings)
    return ContextFilled(source, declared.context) if declared.context else source


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
