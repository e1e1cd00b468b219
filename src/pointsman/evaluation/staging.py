"""What a case finds: its own instant, tools that fail or give what it says, an agent of its own."""

import hashlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from pointsman import agentfile, bootstrap
from pointsman.adapters.system import SystemClock
from pointsman.agentfile import FILE_NAME, AgentFile
from pointsman.domain.results import content
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.engine.agents import LiveAgent
from pointsman.engine.registry import Registry
from pointsman.evaluation.cases import TIMEOUT, Setup
from pointsman.evaluation.offices import StagedSurroundings
from pointsman.evaluation.suites import FOLDER
from pointsman.ports import CallContext, ChatModel, Tool, ToolSource

FAILS_AFTER = 0.05
"""Seconds that a tool has which is to answer too late."""
_MEASURED = frozenset({".yaml", ".yml", ".py", ".md", ".txt", ".json", ".toml"})


class Subject(Struct, frozen=True, kw_only=True):
    """The agent that is evaluated.

    Attributes:
        path: its folder, or its ``agent.yaml``.
        use: a model over the agent's own, as ``preset`` or ``preset/name``; empty for its own.
        model: a model over all of them.
    """

    path: Path
    use: str = ""
    model: ChatModel | None = None

    def file(self, path: Path | None = None) -> AgentFile:
        """The agent file, with the model that is evaluated.

        Raises:
            AgentFileError: what to mend in it.
        """
        file = agentfile.load(path or self.path)
        if not self.use:
            return file
        spec = bootstrap.model_spec(self.use)
        own = file.spec.model
        if (spec.use, spec.name) != (own.use, own.name):
            own = replace(spec, params=own.params, timeouts=own.timeouts)
        return replace(file, spec=replace(file.spec, model=replace(own, fallback="")))

    def digest(self) -> str:
        """Changes when a file of the agent does (hex); data, suites and hidden files do not."""
        folder = self.file().folder
        hashed = hashlib.sha256()
        for file in sorted(folder.rglob("*")):
            inner = file.relative_to(folder)
            hidden = any(part.startswith((".", "__")) for part in inner.parts)
            if hidden or inner.parts[0] == FOLDER or file.suffix not in _MEASURED:
                continue
            body = file.read_bytes() if file.is_file() else b""
            hashed.update(f"{inner.as_posix()}:{len(body)}:".encode() + body)
        return hashed.hexdigest()

    @property
    def names(self) -> str:
        """The model, for people and for the results' file."""
        if self.model is not None:
            return self.model.name
        spec = self.file().spec.model
        return f"{spec.use}/{spec.name}".rstrip("/")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[LiveAgent]:
        """The agent with its tools started, for many cases."""
        async with _opened(self.file(), self.model) as live:
            yield live

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[LiveAgent]:
        """The agent from a copy of its folder, with its tools imported and started afresh."""
        with tempfile.TemporaryDirectory(prefix="pointsman-") as place:
            file = self.path / FILE_NAME if self.path.is_dir() else self.path
            copy = Path(place) / "agent"
            await to_thread.run_sync(_copy, file.parent, copy)
            path = copy / file.name
            async with _opened(self.file(path), self.model) as live:
                yield live


def _copy(folder: Path, copy: Path) -> None:
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", FOLDER))


@asynccontextmanager
async def _opened(file: AgentFile, model: ChatModel | None) -> AsyncIterator[LiveAgent]:
    live = bootstrap.folder_agent(file, SystemClock(), StagedSurroundings())
    if model is not None:
        live = replace(live, model=model)
    try:
        await live.open()
        await live.registry.settle()
        yield live
    finally:
        with anyio.CancelScope(shield=True):
            await live.aclose()


def rigged(live: LiveAgent, setup: Setup) -> LiveAgent:
    """The agent with the tools that a case wants. Its sources stay open and shared."""
    if not setup.fail and not setup.returns:
        return live
    return wrapped(live, lambda tool: _rigged(tool, setup))


def wrapped(live: LiveAgent, around: Callable[[Tool], Tool]) -> LiveAgent:
    """The agent with something around each of its tools. Its sources stay open and shared."""
    sources = [_WrappedSource(source, around) for source in live.registry.sources]
    return replace(live, registry=Registry(sources))


class _WrappedSource:
    """``ports.ToolSource`` around one that somebody else opens and closes."""

    def __init__(self, source: ToolSource, around: Callable[[Tool], Tool]) -> None:
        self._source, self._around = source, around
        self._made: dict[int, tuple[Tool, Tool]] = {}

    @property
    def name(self) -> str:
        return self._source.name

    async def open(self) -> None:
        """It is open."""

    async def settle(self, patience: float | None = None) -> None:
        await self._source.settle(patience)

    def tools(self) -> Sequence[Tool]:
        self._made = {
            id(tool): self._made.get(id(tool)) or (tool, self._around(tool))
            for tool in self._source.tools()
        }
        return [wrapped for _, wrapped in self._made.values()]

    def absent(self, name: str) -> ToolResult | None:
        return self._source.absent(name)

    def state(self) -> str:
        return self._source.state()

    async def aclose(self) -> None:
        """Its owner closes it."""


def _rigged(tool: Tool, setup: Setup) -> Tool:
    name = tool.spec.name
    if name in setup.returns:
        return _Returning(tool, setup.returns[name])
    if name not in setup.fail:
        return tool
    return _Late(tool) if setup.fail[name] == TIMEOUT else _Failing(tool, setup.fail[name])


class _Failing:
    """A tool that says that it failed."""

    def __init__(self, tool: Tool, error: str) -> None:
        self.spec = tool.spec
        self._error = error

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return ToolResult(status=ResultStatus.ERROR, content=f"ERROR: {self._error}")


class _Late:
    """A tool that does not answer in its time, which is short."""

    def __init__(self, tool: Tool) -> None:
        self.spec = replace(tool.spec, timeout=FAILS_AFTER)

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        await anyio.sleep_forever()
        raise AssertionError


class _Returning:
    """A tool that gives the same value whatever it is asked."""

    def __init__(self, tool: Tool, value: Any) -> None:
        self.spec = tool.spec
        self._value = value

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        text, plain, _ = content(self._value, arguments, context.language)
        data = plain if isinstance(plain, dict | list) else None
        return ToolResult(status=ResultStatus.OK, content=text, data=data)


class CaseClock:
    """``ports.Clock`` that starts at an instant of its own. Nobody waits: a pause before a retry
    passes at once, and the time with it."""

    def __init__(self, start: datetime | None) -> None:
        self._system = SystemClock()
        self._begun = self._system.monotonic()
        self._start = start or self._system.now()
        self._skipped = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.monotonic() - self._begun)

    def monotonic(self) -> float:
        return self._system.monotonic() + self._skipped

    async def sleep(self, seconds: float) -> None:
        self._skipped += seconds
        await anyio.lowlevel.checkpoint()

    def new_id(self) -> str:
        return self._system.new_id()

    def random(self) -> float:
        return self._system.random()
