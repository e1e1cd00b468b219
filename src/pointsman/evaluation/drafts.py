"""Drafts of agents, checked and tried in a folder of their own: nothing of it is kept, and no tool
that may change something is run."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from msgspec import Struct

from pointsman import agentfile, bootstrap
from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.imports import forget
from pointsman.agentfile import FILE_NAME, AgentFile
from pointsman.agentfile import folder as folders
from pointsman.domain.agent import Language
from pointsman.domain.record.story import story
from pointsman.domain.runs import Run
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.engine.agents import LiveAgent
from pointsman.engine.service import Submission
from pointsman.errors import AgentFileError, CallerError, PointsmanError
from pointsman.evaluation import staging, suites
from pointsman.faults import did_you_mean
from pointsman.ports import CallContext, Prepared, PreparedTool, Store, Tool, Unready

READY = "ready"
NOT_RUN: dict[Language, str] = {
    "en": "ERROR: not run: a draft is being tried, and {tool} may change something.",
    "zh": "ERROR: 未执行：正在试用草稿，而 {tool} 可能产生改动。",
}


class DraftFault(Struct, frozen=True, kw_only=True):
    """Something to mend: ``line`` from 1, ``field`` a dotted path, ``hint`` what to do."""

    file: str
    message: str
    line: int | None = None
    field: str = ""
    hint: str = ""


class Tried(Struct, frozen=True, kw_only=True):
    """What a draft did with a message.

    Attributes:
        not_run: tools that were called and not run, for they may change something.
        said: the story of the run, a line each.
    """

    run: Run
    not_run: tuple[str, ...]
    said: tuple[str, ...]


async def check(name: str, home: Path, files: Mapping[str, str]) -> list[DraftFault]:
    """What keeps the draft from working, as loading and starting it finds: files, tools that cannot
    be started, names that lead nowhere, suites.

    Args:
        name: of the agent, which a draft does not change.
        home: the folder that it is a draft of.
    """
    try:
        folders.checked(files)
    except CallerError as fault:
        return [DraftFault(file=FILE_NAME, message=str(fault))]
    async with _staged(home, files) as place:
        found = await to_thread.run_sync(lambda: list(_written(place, name)))
        return found or [one async for one in _started(place)]


def _written(place: Path, name: str) -> Iterator[DraftFault]:
    """Faults of the files as such."""
    for path in sorted(place.rglob("*.py")):
        try:
            compile(path.read_text("utf-8"), str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as fault:
            line = getattr(fault, "lineno", None)
            message = getattr(fault, "msg", None) or str(fault)
            yield DraftFault(file=_inner(place, path), line=line, message=message)
    try:
        file = agentfile.load(place)
    except AgentFileError as fault:
        yield from _told(place, fault)
    else:
        if file.spec.name != name:
            hint = f"keep agent: {name}; another agent is a folder of its own"
            message = f"the name is {file.spec.name!r}, not {name!r}"
            line = file.lines.of(("agent",))
            yield DraftFault(file=FILE_NAME, line=line, field="agent", message=message, hint=hint)
    suite_folder = place / suites.FOLDER
    for path in sorted(suite_folder.glob("*")) if suite_folder.is_dir() else ():
        if path.suffix in suites.SUFFIXES:
            try:
                suites.load(path)
            except AgentFileError as fault:
                yield from _told(place, fault)


async def _started(place: Path) -> AsyncIterator[DraftFault]:
    """Faults that starting it shows."""
    file = agentfile.load(place)
    try:
        async with _opened(file) as live:
            for source in live.registry.sources:
                if (state := source.state()) != READY:
                    message = f"{source.name}: {state}"
                    yield DraftFault(file=FILE_NAME, field="tools", message=message)
            for fault in _astray(file, [spec.name for spec in live.registry.specs]):
                yield fault
    except AgentFileError as fault:
        for one in _told(place, fault):
            yield one
    except PointsmanError as fault:
        message = str(fault).replace(f"{place}/", "")
        yield DraftFault(file=FILE_NAME, field="tools", message=message)


def _astray(file: AgentFile, tools: list[str]) -> Iterator[DraftFault]:
    """Tools that an intent names and that are not there."""
    for name, intent in file.intents.items():
        for place, tool in enumerate(intent.tools):
            if tool not in tools:
                yield DraftFault(
                    file=FILE_NAME,
                    line=file.lines.of(("intents", name, "tools", place)),
                    field=f"intents.{name}.tools[{place}]",
                    message=f"there is no tool {tool!r}",
                    hint=did_you_mean(tool, tools),
                )


async def attempt(
    home: Path,
    files: Mapping[str, str],
    said: Submission,
    store: Store,
    *,
    language: Language,
) -> Tried:
    """What the draft does with a message, on this store alone. Tools that only read are run.

    Raises:
        AgentFileError, ToolDefinitionError, SettingsError: the draft does not work; ``check`` tells
            all that is wrong with it.
    """
    async with _staged(home, files) as place, _opened(agentfile.load(place)) as live:
        not_run: list[str] = []
        harmless = staging.wrapped(live, lambda tool: _harmless(tool, not_run))
        await harmless.registry.open()
        service = bootstrap.service_of([harmless], store, SystemClock())
        run = await service.carry(said)
        trace = await service.trace(run.id, None)
        lines = story(run.id, [one.event for one in trace], language)
        return Tried(
            run=run,
            not_run=tuple(dict.fromkeys(not_run)),
            said=tuple(f"{told.label} {told.phrase.text}".strip() for told in lines),
        )


@asynccontextmanager
async def _staged(home: Path, files: Mapping[str, str]) -> AsyncIterator[Path]:
    """A copy of the folder with the draft's files in the place of its own."""
    with tempfile.TemporaryDirectory(prefix="pointsman-draft-") as made:
        place = Path(made) / "agent"
        await to_thread.run_sync(_copy, home, place, files)
        try:
            yield place
        finally:
            forget(place)


def _copy(home: Path, place: Path, files: Mapping[str, str]) -> None:
    ignore = shutil.ignore_patterns(".*", "__pycache__", "node_modules")
    shutil.copytree(home, place, ignore=ignore, symlinks=True)
    for path in folders.read(place).files:
        (place / path).unlink()
    for path, text in files.items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.parent.resolve().is_relative_to(place.resolve()):
            target.unlink(missing_ok=True)
            target.write_text(text, encoding="utf-8", newline="")


@asynccontextmanager
async def _opened(file: AgentFile) -> AsyncIterator[LiveAgent]:
    live = bootstrap.folder_agent(file, SystemClock())
    try:
        await live.open()
        await live.registry.settle()
        yield live
    finally:
        with anyio.CancelScope(shield=True):
            await live.aclose()


def _told(place: Path, fault: AgentFileError) -> Iterator[DraftFault]:
    """The fault and those beside it, by their places in the folder."""
    for one in (fault, *fault.others):
        yield DraftFault(
            file=_inner(place, Path(one.file)),
            line=one.line,
            field=one.field,
            message=one.problem.replace(f"{place}/", ""),
            hint=one.hint.replace(f"{place}", "the folder"),
        )


def _inner(place: Path, path: Path) -> str:
    return path.relative_to(place).as_posix() if path.is_relative_to(place) else path.name


def _harmless(tool: Tool, not_run: list[str]) -> Tool:
    if tool.spec.risk is Risk.READ:
        return tool
    return _PreparedOnly(tool, not_run) if isinstance(tool, PreparedTool) else _Held(tool, not_run)


class _Held:
    """A tool that is not run; it says so."""

    def __init__(self, tool: Tool, not_run: list[str]) -> None:
        self._tool, self._not_run = tool, not_run

    @property
    def spec(self) -> ToolSpec:
        return self._tool.spec

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        name = self.spec.name
        self._not_run.append(name)
        language: Language = "zh" if context.language == "zh" else "en"
        text = NOT_RUN[language].format(tool=name)
        return ToolResult(status=ResultStatus.REFUSED, content=text)


class _PreparedOnly(_Held):
    """The same, of a tool that prepares its calls."""

    def __init__(self, tool: PreparedTool, not_run: list[str]) -> None:
        super().__init__(tool, not_run)
        self._prepared = tool

    async def prepare(
        self, arguments: Mapping[str, Any], context: CallContext
    ) -> Prepared | Unready:
        return await self._prepared.prepare(arguments, context)

    def told(self, arguments: Mapping[str, Any], language: str) -> str:
        return self._prepared.told(arguments, language)
