"""``pointsman doctor``: what has to be right before an agent can work, and how to mend it."""

import os
import platform
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import jsonschema_rs

from pointsman import agentfile, bootstrap
from pointsman.adapters.models.presets import endpoint
from pointsman.adapters.store.schema import REVISION
from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.http import out_of_reach
from pointsman.agentfile import AgentFile, HttpApi, McpServer, SqlDatabase
from pointsman.domain.messages import ModelParams, ModelRequest, UserMessage
from pointsman.domain.tools import ToolSpec
from pointsman.engine.service import Service
from pointsman.entrypoints.cli import lock
from pointsman.entrypoints.cli.checks import Check, broken, print_check, print_checks
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.entrypoints.cli.texts import say
from pointsman.entrypoints.cli.tools import READY, settled
from pointsman.errors import AgentFileError, JournalCorrupt, PointsmanError
from pointsman.settings import Settings

OLDEST_PYTHON = (3, 11)
LAST_RUNS = 20
"""Journals whose hash chain is verified."""

_EXTRAS = {"server": ("fastapi", "uvicorn"), "mcp": ("mcp",), "sql": ("sqlglot",)}


class Doctor:
    """Looks at one agent folder, or only at the machine when there is none."""

    def __init__(self, folder: Path | None, settings: Settings, terminal: Terminal) -> None:
        self._folder, self._settings, self._terminal = folder, settings, terminal

    async def examine(self, *, online: bool) -> AsyncIterator[Check]:
        """Every check; what is broken first is likely the cause of what is broken next."""
        yield self._python()
        file: AgentFile | None = None
        if self._folder is not None:
            try:
                file = agentfile.load(self._folder)
            except AgentFileError as fault:
                for one in (fault, *fault.others):
                    yield self._broken("agent", str(one), "mend.agent")
            else:
                yield _ok("agent", f"{file.file} ({file.spec.name})")
        for check in self._extras(file):
            yield check
        if file is not None:
            async for check in self._model(file, online=online):
                yield check
            async for check in self._tools(file, online=online):
                yield check
        if self._folder is None or self._folder.exists():
            async for check in self._database():
                yield check
        yield self._port()

    def _say(self, key: str, **values: object) -> str:
        return say(key, self._terminal.language, **values)

    def _broken(self, name: str, found: str, mend: str, **values: object) -> Check:
        return Check(name=name, state="broken", found=found, mend=self._say(mend, **values))

    def _python(self) -> Check:
        found = f"{platform.python_implementation()} {platform.python_version()}"
        if tuple(sys.version_info[:2]) < OLDEST_PYTHON:
            return self._broken("python", found, "mend.python")
        return _ok("python", found)

    def _extras(self, file: AgentFile | None) -> Iterator[Check]:
        needed = {"server"}
        if file is not None and any(isinstance(tool, McpServer) for tool in file.tools):
            needed.add("mcp")
        if file is not None and any(isinstance(tool, SqlDatabase) for tool in file.tools):
            needed.add("sql")
        for extra, modules in _EXTRAS.items():
            missing = [module for module in modules if find_spec(module) is None]
            if not missing:
                yield _ok("extra", extra)
                continue
            yield Check(
                name="extra",
                state="broken" if extra in needed else "warning",
                found=self._say("doctor.missing", extra=extra, modules=", ".join(missing)),
                mend=f"pip install 'pointsman[{extra}]'",
            )

    async def _model(self, file: AgentFile, *, online: bool) -> AsyncIterator[Check]:
        try:
            spec = file.model(os.environ)
            model = bootstrap.chat_model(spec, file.spec.offline, SystemClock())
        except PointsmanError as fault:
            yield self._broken("model", str(fault), "mend.model")
            return
        try:
            if spec.use == "offline":
                rules = len(file.spec.offline.get("calls", {}))
                yield _ok("model", self._say("doctor.offline", count=rules))
                return
            target = endpoint(spec)
            yield _ok("model", f"{target.name}, {target.url}")
            if not online:
                yield Check(name="online", state="ok", found=self._say("doctor.not_asked"))
                return
            params = ModelParams(max_tokens=16)
            question = ModelRequest(messages=(UserMessage(text="Say OK."),), params=params)
            await model.ask(question, lambda _: None)
            yield _ok("online", self._say("doctor.answers"))
        except PointsmanError as fault:
            yield self._broken("online", str(fault), "mend.online")
        finally:
            await model.aclose()

    async def _tools(self, file: AgentFile, *, online: bool) -> AsyncIterator[Check]:
        assert self._folder is not None
        apis = {one.settings.name: one.settings for one in file.tools if isinstance(one, HttpApi)}
        try:
            async with settled(self._folder) as live:
                sources = [(source.name, source.state()) for source in live.registry.sources]
                specs = live.registry.specs
        except PointsmanError as fault:
            yield self._broken("tools", str(fault), "mend.tools")
            return
        for name, state in sources:
            if state == READY:
                count = sum(spec.source == name for spec in specs)
                yield _ok("tools", self._say("doctor.tools", source=name, count=count))
            else:
                mend = "mend.api" if name in apis else "mend.source"
                yield self._broken("tools", f"{name}: {state}", mend, source=name)
        for name, settings in apis.items() if online else ():
            for problem in await out_of_reach(settings):
                yield self._broken("tools", f"{name}: {problem}", "mend.api")
        for spec in specs:
            if problem := _schema_problem(spec):
                found = f"{spec.name}: {problem}"
                yield self._broken("schema", found, "mend.schema")

    async def _database(self) -> AsyncIterator[Check]:
        place = self._settings.database
        new = not self._settings.has_database
        try:
            async with bootstrap.opened([], self._settings) as service:
                if isinstance(place, Path):
                    _write_nothing(place)
                made = self._say("doctor.new") if new else self._say("doctor.found")
                yield _ok("database", f"{place} ({made}, {REVISION})")
                yield await self._journals(service)
        except (PointsmanError, OSError, sqlite3.Error) as fault:
            yield self._broken("database", f"{place}: {fault}", "mend.database")

    async def _journals(self, service: Service) -> Check:
        records = await service.runs(user=None, limit=LAST_RUNS)
        try:
            for record in records:
                await service.run(record.id, None)
        except JournalCorrupt as fault:
            return self._broken("journal", str(fault), "mend.journal")
        return _ok("journal", self._say("doctor.verified", count=len(records)))

    def _port(self) -> Check:
        owner = lock.owner_of(self._settings.database)
        if owner is not None:
            found = self._say("doctor.served", address=owner.address, pid=owner.pid)
            return _ok("port", found)
        host, port = self._settings.host, self._settings.port
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as fault:
                mend = self._say("mend.port")
                found = f"{host}:{port}: {fault.strerror}"
                return Check(name="port", state="warning", found=found, mend=mend)
        return _ok("port", self._say("doctor.free", place=f"{host}:{port}"))


def _ok(name: str, found: str) -> Check:
    return Check(name=name, state="ok", found=found)


def _schema_problem(spec: ToolSpec) -> str:
    """What is wrong with the tool's schema, or nothing."""
    try:
        jsonschema_rs.validator_for(spec.parameters)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as fault:
        return str(fault).splitlines()[0]
    return ""


def _write_nothing(path: Path) -> None:
    """Take the right to write, and give it back.

    Raises:
        sqlite3.Error: the database cannot be written.
    """
    with closing(sqlite3.connect(path, timeout=5.0, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")


async def doctor(
    folder: Path | None, settings: Settings, terminal: Terminal, *, online: bool, as_json: bool
) -> int:
    """Print every check; 1 when something is broken."""
    checks: list[Check] = []
    async for check in Doctor(folder, settings, terminal).examine(online=online):
        checks.append(check)
        if not as_json:
            print_check(check, terminal)
    if as_json:
        print_checks(checks)
    else:
        terminal.tell("doctor.broken" if broken(checks) else "doctor.well", "bold")
    return 1 if broken(checks) else 0
