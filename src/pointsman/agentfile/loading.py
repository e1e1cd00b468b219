"""An agent folder read as a whole: its file checked, then built into the domain's values."""

import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from pydantic import ValidationError

from pointsman.adapters.models.offline.checking import cross_faults
from pointsman.adapters.models.offline.rules import OfflineRules
from pointsman.adapters.tools.http_settings import HttpSettings
from pointsman.adapters.tools.mcp_settings import McpSettings, McpToolSettings
from pointsman.adapters.tools.sql_settings import SqlSettings
from pointsman.agentfile import checks
from pointsman.agentfile.checks import PROMPT_FILE, VARIABLE
from pointsman.agentfile.databases import faults_of_databases, settings_of
from pointsman.agentfile.http_tools import faults_of_http
from pointsman.agentfile.http_tools import settings_of as http_settings
from pointsman.agentfile.overrides import ToolOverrides as ToolOverrides
from pointsman.agentfile.overrides import limits, overrides, title, words
from pointsman.agentfile.shape import (
    AgentTable,
    IntentTable,
    McpTable,
    ModelTable,
    ToolTable,
    language_of,
)
from pointsman.agentfile.text import Lines, Unreadable, decode, parse
from pointsman.domain.agent import AgentSpec, Language, Limits, ModelSpec, ModelTimeouts
from pointsman.domain.intents import ACCEPT, ASK, Intent
from pointsman.domain.limiting import ToolLimits
from pointsman.domain.messages import ModelParams
from pointsman.domain.tools import Risk
from pointsman.errors import AgentFileError
from pointsman.faults import Fault, Place, dotted, faults_of

FILE_NAME = "agent.yaml"
SCHEMA_NAME = "agent.schema.json"

_PARAMS = frozenset(ModelParams.__struct_fields__)
_SPEC = frozenset(ModelSpec.__struct_fields__) - {"params", "timeouts", "switches"}


class PythonTool(Struct, frozen=True, kw_only=True):
    """Functions: ``target`` is ``module:function``, or ``module`` for all of its tools; the module
    lies in the agent folder or is a package. ``check`` names the function that says of a call that
    was cut off whether it happened."""

    place: Place
    target: str
    check: str = ""
    overrides: ToolOverrides = ToolOverrides()


class BuiltInTool(Struct, frozen=True, kw_only=True):
    """A tool of Pointsman's own, by its name."""

    place: Place
    name: str
    overrides: ToolOverrides = ToolOverrides()


class McpServer(Struct, frozen=True, kw_only=True):
    """A tool server. ``context``: parameter → context field that the engine fills in."""

    place: Place
    settings: McpSettings
    context: dict[str, str] = {}


class SqlDatabase(Struct, frozen=True, kw_only=True):
    """A database that is only read."""

    place: Place
    settings: SqlSettings


class HttpApi(Struct, frozen=True, kw_only=True):
    """HTTP operations. ``context``: parameter → context field that the engine fills in."""

    place: Place
    settings: HttpSettings
    context: dict[str, str] = {}


ToolDeclaration = PythonTool | BuiltInTool | McpServer | SqlDatabase | HttpApi


class AgentFile(Struct, frozen=True, kw_only=True):
    """An agent as its file declares it.

    Attributes:
        file: path as the user gave it, for messages.
        folder: absolute; tools, prompts and servers lie in it.
    """

    file: str
    folder: Path
    spec: AgentSpec
    tools: tuple[ToolDeclaration, ...] = ()
    classifier: tuple[str, ...] = ()
    intents: dict[str, Intent] = {}
    lines: Lines = Lines({})

    def fault(self, place: Place, problem: str, hint: str = "") -> AgentFileError:
        """An error about a part of this file, found after it was loaded."""
        return _error(Fault(place, problem, hint), self.file, self.lines)

    def model(self, environ: Mapping[str, str]) -> ModelSpec:
        """The model's specification with the ``${NAME}`` of its base URL filled in.

        Raises:
            AgentFileError: a variable is not set.
        """
        spec = self.spec.model
        for name in VARIABLE.findall(spec.base_url):
            if not environ.get(name):
                raise self.fault(
                    ("model", "base_url"),
                    f"the environment variable {name} is not set",
                    f"set it, or write the address: export {name}=…",
                )
        filled = VARIABLE.sub(lambda found: environ[found[1]], spec.base_url)
        return msgspec.structs.replace(spec, base_url=filled)


def load(path: str | Path) -> AgentFile:
    """The agent of a folder with an ``agent.yaml``, or of such a file.

    Raises:
        AgentFileError: the first fault in the order of the file; ``others`` holds the rest.
    """
    file, (raw, lines, faults) = _read(Path(path))
    folder = file.parent.resolve()
    if not isinstance(raw, dict):
        faults.append(Fault((), "expected keys and values", "start with agent: my-agent"))
    else:
        faults += checks.secrets(raw)
        faults += checks.variables(raw)
        faults += checks.limits(raw)
        faults += checks.prompt_file(raw, folder)
    table = None
    try:
        table = AgentTable.model_validate(raw)
    except ValidationError as error:
        faults += faults_of(error, AgentTable, raw) if isinstance(raw, dict) else []
    if isinstance(raw, dict):
        faults += _offline(table, raw)
    if table is not None:
        databases = ((("tools", n, "sql"), one.sql) for n, one in enumerate(table.tools) if one.sql)
        faults += faults_of_databases(databases)
        faults += faults_of_http(
            [
                (("tools", n, kind), declared)
                for n, one in enumerate(table.tools)
                for kind, declared in (("http", one.http), ("openapi", one.openapi))
                if declared
            ],
            folder,
        )
    if faults or table is None:
        raise _first_of(faults, str(file), lines)
    return _built(table, raw, str(file), folder, lines)


def language(path: str | Path) -> Language | None:
    """The language of an agent whose file may have faults; None where that is one of them.

    Raises:
        AgentFileError: it cannot be read.
    """
    _, (raw, _, _) = _read(Path(path))
    try:
        return language_of(raw.get("language", AgentTable.model_fields["language"].default))
    except (TypeError, AttributeError, ValueError):
        return None


def _read(given: Path) -> tuple[Path, tuple[Any, Lines, list[Fault]]]:
    """The file of an agent, and what stands in it."""
    file = given / FILE_NAME if given.is_dir() else given
    try:
        return file, parse(decode(file.read_bytes()))
    except Unreadable as fault:
        raise AgentFileError(
            fault.problem, file=str(file), line=fault.line, hint=fault.hint
        ) from None
    except OSError as error:
        why = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or "?"
        hint = f"pointsman init {given} writes one" if why == "no such file" else ""
        raise AgentFileError(why, file=str(file), hint=hint) from None


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **AgentTable.model_json_schema(by_alias=True),
    }


def template() -> dict[str, str]:
    """The files of a small agent to start from: path in the folder → text."""
    root = resources.files("pointsman").joinpath("templates", "agent")
    files = {name: root.joinpath(*name.split("/")).read_text("utf-8") for name in _TEMPLATE}
    schema = msgspec.json.format(msgspec.json.encode(json_schema()), indent=2).decode()
    return {**files, SCHEMA_NAME: schema + "\n"}


_TEMPLATE = (FILE_NAME, "tools.py", "prompts/system.md")


def _error(fault: Fault, file: str, lines: Lines) -> AgentFileError:
    return AgentFileError(
        fault.problem,
        file=file,
        line=lines.of(fault.place),
        field=dotted(fault.place),
        hint=fault.hint,
    )


def _first_of(faults: list[Fault], file: str, lines: Lines) -> AgentFileError:
    """One error for each place, in the file's order, chained by ``others``."""
    by_place: dict[Place, Fault] = {}
    for fault in faults:
        by_place.setdefault(fault.place, fault)
    errors = sorted(
        (_error(fault, file, lines) for fault in by_place.values()), key=lambda e: e.line or 0
    )
    first, *others = errors
    first.others = tuple(others)
    return first


def _offline(table: AgentTable | None, raw: Mapping[str, Any]) -> list[Fault]:
    """Names that lead nowhere; the shape is checked with the whole file."""
    try:
        rules = table.offline if table else OfflineRules.model_validate(raw.get("offline"))
    except ValidationError:
        return []
    return [
        Fault(("offline", *fault.place), fault.problem, fault.hint)
        for fault in (cross_faults(rules) if rules else ())
    ]


def _built(
    table: AgentTable, raw: Mapping[str, Any], file: str, folder: Path, lines: Lines
) -> AgentFile:
    language = language_of(table.language)
    return AgentFile(
        file=file,
        folder=folder,
        spec=AgentSpec(
            name=table.agent,
            title=title(table.title, language),
            titles={"zh": table.title.zh, "en": table.title.en} if table.title else {},
            examples={"zh": (*table.examples.zh,), "en": (*table.examples.en,)}
            if table.examples
            else {},
            instructions=_instructions(table.instructions, folder),
            language=language,
            timezone=table.timezone,
            model=_model(table.model) if table.model else ModelSpec(),
            limits=Limits.checked(**table.limits),
            tool_choice=table.tool_choice,
            offline=raw.get("offline") or {},
            policy=tuple(rule.model_dump(exclude_defaults=True) for rule in table.policy),
        ),
        tools=tuple(
            _tool(tool, ("tools", index), folder, language)
            for index, tool in enumerate(table.tools)
        ),
        classifier=tuple(table.classifier),
        intents={name: _intent(name, one) for name, one in table.intents.items()},
        lines=lines,
    )


def _instructions(written: str, folder: Path) -> str:
    if PROMPT_FILE.fullmatch(written):
        return (folder / written).read_text("utf-8-sig").strip()
    return written.strip()


def _model(table: ModelTable) -> ModelSpec:
    given = table.model_dump(exclude_none=True, exclude={"timeouts"})
    params = {name: value for name, value in given.items() if name in _PARAMS}
    params["stop"] = tuple(params.get("stop", ()))
    timeouts = table.timeouts.model_dump(exclude_none=True) if table.timeouts else {}
    return ModelSpec(
        **{name: value for name, value in given.items() if name in _SPEC},
        params=ModelParams(**params),
        switches=given.get("switches", {}),
        timeouts=ModelTimeouts(**timeouts),
    )


def _tool(table: ToolTable, place: Place, folder: Path, language: Language) -> ToolDeclaration:
    if table.sql is not None:
        return SqlDatabase(place=(*place, "sql"), settings=settings_of(table.sql))
    if (api := table.http or table.openapi) is not None:
        kind = "http" if table.http else "openapi"
        return HttpApi(
            place=(*place, kind),
            settings=http_settings(api, folder, language),
            context=dict(api.context),
        )
    if table.mcp is None:
        said = ToolOverrides(
            **overrides(table, language), **words(table, table.parameters), **limits(table)
        )
        if table.builtin is not None:
            return BuiltInTool(place=place, name=table.builtin, overrides=said)
        return PythonTool(
            place=place,
            target=table.python or "",
            check=table.check or "",
            overrides=said,
        )
    return McpServer(
        place=(*place, "mcp"),
        settings=_mcp(table.mcp, folder, language),
        context=dict(table.mcp.context),
    )


def _mcp(table: McpTable, folder: Path, language: Language) -> McpSettings:
    given = table.model_dump(include={"url", "startup_timeout", "call_timeout"}, exclude_none=True)
    return McpSettings(
        **given,
        name=table.name,
        command=_command(table.command or []),
        env=dict(table.env),
        headers=dict(table.headers),
        cwd=str((folder / table.cwd).resolve()) if table.command else "",
        allow=None if table.allow is None else tuple(table.allow),
        deny=tuple(table.deny),
        risk=Risk(table.risk) if table.risk else None,
        tools={
            name: McpToolSettings(
                **overrides(tool, language),
                **words(tool, tool.parameters),
                limits=ToolLimits(**limits(tool)),
            )
            for name, tool in table.tools.items()
        },
        trusted=table.trust == "trusted",
        joiner=table.joiner,
    )


def _command(written: list[str]) -> tuple[str, ...]:
    """``python`` is the interpreter that runs us, whatever the PATH says."""
    if written and written[0] in ("python", "python3"):
        return (sys.executable or written[0], *written[1:])
    return tuple(written)


def _intent(name: str, table: IntentTable) -> Intent:
    return Intent(
        name=name,
        title={"zh": table.title.zh, "en": table.title.en} if table.title else {},
        description=table.description,
        examples=tuple(table.examples),
        keywords=tuple(table.keywords),
        patterns=tuple(table.patterns),
        tools=tuple(table.tools),
        accept=ACCEPT if table.accept is None else table.accept,
        ask=ASK if table.ask is None else table.ask,
    )
