"""An MCP server as a source of tools.

Above: the registry and the executor. Below: one ``Connection`` at a time, made by one task per
server, which replaces it when it is over. Calls run in their callers' tasks. Nothing that a server
does, its death included, is felt by another server.
"""

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError

from pointsman.adapters.tools.mcp_connection import Connection, Era
from pointsman.adapters.tools.mcp_results import (
    failure_of,
    lost,
    not_run,
    result_of,
    session_gone,
    stale_definition,
    unreachable,
)
from pointsman.adapters.tools.mcp_settings import McpSettings, Secrets
from pointsman.adapters.tools.mcp_specs import spec_of
from pointsman.domain import names, retry
from pointsman.domain.arguments.json_text import clean_value
from pointsman.domain.tools import ResultStatus, ToolResult, ToolSpec
from pointsman.errors import PointsmanError, ToolSourceError
from pointsman.ports import CallContext, Clock, Tool

logger = logging.getLogger(__name__)

RESTART_GRACE = 5.0
"""Seconds that a call waits at most for a server that is being restarted."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
STABLE = 60.0
"""Seconds of life after which earlier crashes no longer count."""
PATIENCE = 4
"""A slow server gets twice the time at each attempt to start, up to so many times the first."""
REFRESHES = 5
SLACK = 0.5
"""Seconds to see that a start has failed that took all its time."""
CLOSING = 15.0


class Phase(Enum):
    """Where a server stands."""

    STARTING = auto()
    READY = auto()
    RESTARTING = auto()
    """It was ready, and its next connection is not yet; the tools stay on offer."""
    DOWN = auto()
    """The last start failed; another follows after a pause."""
    STOPPED = auto()


class McpTool:
    """One tool of a server."""

    def __init__(self, spec: ToolSpec, server: "McpServer") -> None:
        self.spec = spec
        self._server = server

    async def call(self, arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        """Run it once, in at most ``spec.timeout`` seconds."""
        return await self._server.call(self.spec, arguments, context)


class McpServer:
    """A server's tools, as long as it lives, and again when it has been restarted."""

    def __init__(
        self, settings: McpSettings, clock: Clock, *, environ: Mapping[str, str] = os.environ
    ) -> None:
        self._settings, self._clock = settings, clock
        self._secrets = Secrets(settings, environ)
        self._phase = Phase.STOPPED
        self._turned = anyio.Event()
        self._tools: dict[str, McpTool] = {}
        self._gone: set[str] = set()
        self._stale = False
        self._refreshing = anyio.Lock()
        self._era = Era()
        self._connection: Connection | None = None
        self._failed: Connection | None = None
        self._open: set[Connection] = set()
        self._pausing: anyio.CancelScope | None = None
        self._owner: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        return self._settings.name

    async def open(self) -> None:
        """Start the task that owns the server; the server becomes ready later."""
        if self._owner is None:
            self._turn(Phase.STARTING)
            self._owner = asyncio.create_task(self._own(), name=f"mcp {self.name}")

    async def settle(self, patience: float | None = None) -> None:
        """Wait until the list is current, or the server is known to be down."""
        if self._phase is Phase.READY and not self._stale:
            return
        if patience is None:
            patience = self._settings.startup_timeout + SLACK
        with anyio.move_on_after(patience):
            for _ in range(REFRESHES):
                while self._phase in (Phase.STARTING, Phase.RESTARTING):
                    await self._turned.wait()
                if not (self._stale and self._phase is Phase.READY):
                    return
                await self._refresh()

    def tools(self) -> Sequence[Tool]:
        if self._phase in (Phase.READY, Phase.RESTARTING):
            return tuple(self._tools.values())
        return ()

    def state(self) -> str:
        why = self._failed.reason if self._failed else ""
        match self._phase:
            case Phase.RESTARTING:
                return f"restarting: {why}"
            case Phase.DOWN:
                return f"not available: {why}"
            case phase:
                return phase.name.lower()

    def stderr(self) -> str:
        """The last 8 KB of what the server's process wrote to stderr, secrets masked."""
        return self._connection.stderr.text() if self._connection else ""

    def absent(self, name: str) -> ToolResult | None:
        """What a call of a tool gets that is not on offer, if the name is one of this server's."""
        if name in self._gone:
            return self._no_longer()
        prefix = names.joined(self._settings.name_prefix, "", self._settings.joiner)
        if self._phase is not Phase.READY and prefix and name.startswith(prefix):
            return self._unready()
        return None

    async def aclose(self) -> None:
        """Stop the server and the task that owns it."""
        if self._owner is None:
            return
        self._turn(Phase.STOPPED)
        if self._pausing is not None:
            self._pausing.cancel()
        for connection in tuple(self._open):
            connection.close()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({self._owner}, timeout=CLOSING)
            self._owner.cancel()
            await asyncio.wait({self._owner})
        self._owner = None

    # Connections, one after the other: in the owner task.

    async def _own(self) -> None:
        failures = slow = 0
        async with anyio.create_task_group() as connections:
            while not self._stopped():
                connection = self._connect(min(2**slow, PATIENCE))
                connections.start_soon(self._run, connection)
                await connection.up.wait()
                if connection.ready:
                    born = self._clock.monotonic()
                    self._era, slow = connection.era, 0
                    self._publish(connection.tools)
                    self._turn(Phase.READY)
                    await connection.over.wait()
                    self._on_over(connection)  # it may have been over before it was on offer
                    lasted = self._clock.monotonic() - born >= STABLE
                    failures = 0 if lasted or connection.at_once else failures + 1
                elif not self._stopped():
                    failures, slow = failures + 1, slow + connection.timed_out
                    # A server of old may have died of the question which protocol it speaks.
                    asked = self._era.mode == "auto" and connection.ended
                    self._era = Era("legacy") if asked else Era()
                    self._tools = {}
                    self._turn(Phase.DOWN)
                    logger.warning("tool server %s: %s", self.name, self.state())
                await self._pause(failures)

    def _connect(self, patience: int) -> Connection:
        self._stale = False
        self._connection = Connection(
            self._settings,
            self._secrets,
            era=self._era,
            startup_timeout=self._settings.startup_timeout * patience,
            sleep=self._clock.sleep,
            on_change=self._mark_stale,
            on_over=self._on_over,
        )
        self._open.add(self._connection)
        return self._connection

    async def _run(self, connection: Connection) -> None:
        try:
            await connection.run()
        finally:
            self._open.discard(connection)

    async def _pause(self, failures: int) -> None:
        """Wait before the next attempt, longer after each failure in a row; a first one is free."""
        if not failures or self._stopped():
            return
        seconds = min(FIRST_PAUSE * 2.0 ** min(failures - 1, 10), LONGEST_PAUSE)
        with anyio.CancelScope() as self._pausing:
            await self._clock.sleep(seconds * (0.75 + self._clock.random() / 2))

    def _on_over(self, connection: Connection) -> None:
        self._failed = connection
        if connection is self._connection and self._phase is Phase.READY:
            self._turn(Phase.RESTARTING)
            logger.info("tool server %s: %s", self.name, self.state())

    def _turn(self, phase: Phase) -> None:
        if not self._stopped() or phase is Phase.STARTING:
            self._phase = phase
        self._turned.set()
        self._turned = anyio.Event()

    def _stopped(self) -> bool:
        return self._phase is Phase.STOPPED

    # The list.

    def _mark_stale(self) -> None:
        self._stale = True

    async def _refresh(self) -> None:
        """Read the list again, if nobody else has."""
        async with self._refreshing:
            connection = self._connection
            if not self._stale or self._phase is not Phase.READY or connection is None:
                return
            self._stale = False
            try:
                listed = await connection.list_tools(self._settings.call_timeout)
            except (MCPError, ToolSourceError) as fault:
                # The next connection reads the list anew.
                connection.retire(
                    f"the tool list cannot be read: {fault}", at_once=_expired(fault, connection)
                )
            except BaseException:
                self._stale = True
                raise
            else:
                if connection is self._connection:
                    self._publish(listed)

    def _publish(self, listed: Sequence[Mapping[str, Any]]) -> None:
        """Offer these tools; those that stay as they were stay the same objects."""
        tools: dict[str, McpTool] = {}
        for tool in listed:
            original = tool["name"]
            if original in tools or not self._settings.offers(original):
                continue
            try:
                spec = spec_of(tool, self._settings)
            except (PointsmanError, RecursionError) as fault:
                logger.warning("tool server %s: %r left out: %s", self.name, original, fault)
                continue
            known = self._tools.get(original)
            tools[original] = known if known and known.spec == spec else McpTool(spec, self)
        offered = {tool.spec.name for tool in tools.values()}
        self._gone = (self._gone | {tool.spec.name for tool in self._tools.values()}) - offered
        self._tools = tools

    # Calls: in their callers' tasks.

    async def call(
        self, spec: ToolSpec, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult:
        """Call a tool once; again only on a new session, if the server did not know the old one."""
        sent = False
        with anyio.move_on_after(spec.timeout):
            for last in (False, True):
                connection = await self._usable(spec)
                if isinstance(connection, ToolResult):
                    return connection
                sent = True
                try:
                    answer = await connection.call(spec.original, clean_value(arguments), context)
                except (MCPError, ToolSourceError) as fault:
                    if last or not _expired(fault, connection):
                        return self._failure(fault, spec, connection)
                    sent = False
                    connection.retire("the session has expired", at_once=True)
                else:
                    return result_of(answer, arguments, context.language)
        if sent:
            return retry.after_timeout(spec)
        return not_run(f"tool server {self.name!r} was not ready in time", retryable=True)

    async def _usable(self, spec: ToolSpec) -> Connection | ToolResult:
        """The connection for a call of this tool, or why it cannot be called."""
        # Half the time at most, so that the executor's deadline cannot take this for a call.
        with anyio.move_on_after(min(RESTART_GRACE, spec.timeout / 2)) as waiting:
            while self._phase is Phase.RESTARTING:
                await self._turned.wait()
            if self._stale:
                await self._refresh()
        if waiting.cancelled_caught or self._phase is not Phase.READY or self._connection is None:
            return self._unready()
        current = self._tools.get(spec.original)
        if current is None:
            return self._no_longer()
        if current.spec.digest != spec.digest:
            return _rejected("the tool has changed; look at its definition and call it anew")
        return self._connection

    def _failure(
        self, fault: MCPError | ToolSourceError, spec: ToolSpec, connection: Connection
    ) -> ToolResult:
        why = self._secrets.mask(str(fault))
        if isinstance(fault, ToolSourceError):
            return lost(why, spec)
        if unreachable(fault):
            connection.retire(why)
        self._stale |= stale_definition(fault)
        if _expired(fault, connection):
            return not_run(why)
        return failure_of(fault, why, spec, ended=connection.ended)

    def _unready(self) -> ToolResult:
        if self._phase in (Phase.DOWN, Phase.STOPPED):
            return not_run(f"tool server {self.name!r} is {self.state()}")
        doing = "busy" if self._phase is Phase.READY else self._phase.name.lower()
        return not_run(f"tool server {self.name!r} is {doing}, try again", retryable=True)

    def _no_longer(self) -> ToolResult:
        return _rejected(f"tool no longer available: {self.name!r} has withdrawn it")


def _expired(fault: Exception, connection: Connection) -> bool:
    """Whether the server has forgotten our session, so that it ran nothing."""
    return isinstance(fault, MCPError) and connection.in_session and session_gone(fault)


def _rejected(why: str) -> ToolResult:
    return ToolResult(status=ResultStatus.REJECTED, content=f"ERROR: {why}")
