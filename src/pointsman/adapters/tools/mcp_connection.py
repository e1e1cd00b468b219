"""One connection to a tool server, from start to end.

``run`` is its owner: it opens the SDK's contexts and closes them, in one task. Everybody else only
sends requests over it, each from their own task, so that giving up a request is that request's
affair alone. A connection that is of no more use is not repaired: another takes its place
(``mcp.py``), and this one closes when its last call has its answer.
"""

import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import anyio
from anyio.abc import TaskGroup
from mcp.client import Client, IncomingMessage, Transport
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import (
    METHOD_NOT_FOUND,
    DiscoverResult,
    Implementation,
    PaginatedRequestParams,
    RequestParamsMeta,
    ToolListChangedNotification,
)
from msgspec import Struct

from pointsman.adapters.tools.mcp_http import HttpClient, http_transport
from pointsman.adapters.tools.mcp_settings import McpSettings, Secrets
from pointsman.adapters.tools.mcp_stdio import StderrTail, stdio_transport
from pointsman.adapters.tools.mcp_wire import Wire, listed, watched
from pointsman.errors import ToolSourceError
from pointsman.ports import CallContext

logger = logging.getLogger(__name__)

CLOSING = 5.0
"""Seconds that a server has to take its leave."""
ACKNOWLEDGED = 5.0
RELISTEN = 5.0
MOST_PAGES = 1000
_KEY = "pointsman/idempotency-key"


class Era(Struct, frozen=True):
    """How to talk to a server.

    Attributes:
        mode: ``auto`` asks it; ``legacy`` is the handshake before 2026-07-28; else a version.
        discovered: what the server said of itself, when a version is given.
    """

    mode: str = "auto"
    discovered: DiscoverResult | None = None


class Connection:
    """A connection: usable when ``up`` and ``ready``, until ``over``.

    Attributes:
        up: it is ready, or has failed to become so.
        over: it is to be replaced: it failed, the server ended, or somebody retired it.
        at_once: it is to be replaced without a pause: nothing is wrong with the server.
        timed_out: it did not become ready in time.
        era: how the server talks, as soon as that is known.
        tools: the first tool list, as the server gave it.
        stderr: what the server's process says besides.
    """

    def __init__(
        self,
        settings: McpSettings,
        secrets: Secrets,
        *,
        era: Era,
        startup_timeout: float,
        sleep: Callable[[float], Awaitable[None]],
        on_change: Callable[[], None],
        on_over: Callable[["Connection"], None],
    ) -> None:
        self.era = era
        self.up, self.over = anyio.Event(), anyio.Event()
        self.ready = self.at_once = self.timed_out = False
        self.tools: list[dict[str, Any]] = []
        self.stderr = StderrTail(secrets)
        self._settings, self._secrets = settings, secrets
        self._startup_timeout = startup_timeout
        self._sleep, self._on_change, self._on_over = sleep, on_change, on_over
        self._why = ""
        self._wire = Wire()
        self._http: HttpClient | None = None
        self._client: Client | None = None
        self._calls = 0
        self._idle = anyio.Event()
        self._scope = anyio.CancelScope()

    @property
    def in_session(self) -> bool:
        """Whether the server knows us by a session id, which it may forget."""
        return self._http is not None and self._http.in_session

    @property
    def ended(self) -> bool:
        """Whether the server has closed it."""
        return self._wire.ended.is_set()

    @property
    def reason(self) -> str:
        """Why it is over: one line without secrets, with the server's last words."""
        said = self.stderr.last_line()
        return self._secrets.mask(self._why) + (f" (it wrote: {said})" if said else "")

    async def run(self) -> None:
        """Open, serve, close. Returns when all is closed; never raises for what the server did."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._expire)
                with self._scope:
                    await self._live()
                tasks.cancel_scope.cancel()
        except Exception as fault:  # noqa: BLE001  the border to the SDK
            self.retire(_told(fault))

    async def _expire(self) -> None:
        """End a start that takes too long; that is told before the server has been stopped."""
        with anyio.move_on_after(self._startup_timeout) as waiting:
            await self.up.wait()
        if waiting.cancelled_caught:
            self.timed_out = True
            self.retire(f"not started within {self._startup_timeout:g} s")
            self._scope.cancel()

    def retire(self, why: str, *, at_once: bool = False) -> None:
        """Say that another connection is needed; the calls under way may finish on this one."""
        if self.over.is_set():
            return
        self._why, self.at_once = why, at_once
        self.over.set()
        self.up.set()
        if not self._calls:
            self._idle.set()
        self._on_over(self)

    def close(self) -> None:
        """Close now; the calls under way fail."""
        self.retire("closed")
        self._idle.set()
        if not self.ready:
            self._scope.cancel()

    async def _live(self) -> None:
        async with (
            Client(
                self._transport(),
                mode=self.era.mode,
                prior_discover=self.era.discovered,
                cache=None,
                client_info=Implementation(name="pointsman", version="1"),
                message_handler=self._heard,
            ) as client,
            anyio.create_task_group() as tasks,
        ):
            self._client = client
            discovered = client.session.discover_result
            self.era = Era(client.protocol_version if discovered else "legacy", discovered)
            tasks.start_soon(self._watch)
            await self._follow_changes(client, tasks)
            self.tools = await self._first_list(client)
            self.ready = not self.over.is_set()
            self.up.set()
            await self._idle.wait()
            self._scope.deadline = anyio.current_time() + CLOSING
            tasks.cancel_scope.cancel()

    def _transport(self) -> Transport:
        settings, fill = self._settings, self._secrets.filled
        if settings.command:
            inner = stdio_transport(
                [fill(word) for word in settings.command],
                env={name: fill(value) for name, value in settings.env.items()},
                cwd=settings.cwd,
                stderr=self.stderr,
            )
        else:
            url = fill(settings.url)
            headers = {name: fill(value) for name, value in settings.headers.items()}
            self._http = HttpClient(url, headers, longest_call=settings.longest_call())
            inner = http_transport(url, self._http)
        return watched(inner, self._wire)

    async def _watch(self) -> None:
        await self._wire.ended.wait()
        self.retire("the server ended")

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._on_change()

    async def _follow_changes(self, client: Client, tasks: TaskGroup) -> None:
        """Ask to be told of changes, where the protocol wants that; then the list may be read."""
        tools = client.server_capabilities.tools
        if self.era.discovered is None or tools is None or not tools.list_changed:
            return
        answered = anyio.Event()
        tasks.start_soon(self._listen, client, answered)
        with anyio.move_on_after(ACKNOWLEDGED):
            await answered.wait()

    async def _listen(self, client: Client, answered: anyio.Event) -> None:
        while True:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    if answered.is_set():
                        self._on_change()  # what happened meanwhile was not told
                    answered.set()
                    if not changes.honored.tools_list_changed:
                        return
                    async for _ in changes:
                        self._on_change()
            except (MCPError, SubscriptionLost) as fault:
                logger.debug("%s: no news of changes: %s", self._settings.name, fault)
                if not answered.is_set():
                    answered.set()
                    return
            await self._sleep(RELISTEN)

    async def _first_list(self, client: Client) -> list[dict[str, Any]]:
        try:
            return await self.list_tools(math.inf)
        except MCPError as error:
            if error.code == METHOD_NOT_FOUND and client.server_capabilities.tools is None:
                return []
            raise

    async def list_tools(self, page_timeout: float) -> list[dict[str, Any]]:
        """All pages of the tool list, as the server gave them.

        Raises:
            MCPError: the server refused.
            ToolSourceError: it gave no answer in time, or none that can be understood.
        """
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(MOST_PAGES):
            page, usable, cursor = await self._page(cursor, page_timeout)
            found += [tool for tool in page if tool["name"] in usable]
            if not cursor:
                return found
            if cursor in seen:
                break
            seen.add(cursor)
        logger.warning("tool server %s: its tool list does not end", self._settings.name)
        return found

    async def _page(
        self, cursor: str | None, patience: float
    ) -> tuple[list[dict[str, Any]], set[str], str | None]:
        """The tools of a page, the names of those that the SDK can call, and the next cursor."""
        assert self._client is not None
        try:
            with anyio.fail_after(patience):
                page = await self._client.session.list_tools(
                    params=PaginatedRequestParams(cursor=cursor)
                )
        except MCPError:
            raise
        except TimeoutError:
            raise ToolSourceError(f"the tool list did not come within {patience:g} s") from None
        except Exception as fault:  # the border to the SDK
            raise ToolSourceError(f"the tool list cannot be read: {_told(fault)}") from fault
        return listed(self._wire.raw(page)), {tool.name for tool in page.tools}, page.next_cursor

    async def call(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> dict[str, Any]:
        """Call a tool once, for as long as the caller waits; what the server answered.

        Cancelling the caller tells the server to give up this call, and no other.

        Raises:
            MCPError: the server refused, or the connection failed.
            ToolSourceError: the answer cannot be understood.
        """
        assert self._client is not None

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            fraction = min(max(progress / total, 0.0), 1.0) if total and total > 0 else None
            context.progress(fraction, message or "")

        self._calls += 1
        try:
            result = await self._client.session.call_tool(
                name,
                dict(arguments),
                progress_callback=tell,
                meta=cast("RequestParamsMeta", {_KEY: context.key}),  # an open map
            )
        except MCPError:
            raise
        except Exception as fault:  # the border to the SDK
            raise ToolSourceError(f"the answer cannot be read: {_told(fault)}") from fault
        finally:
            self._calls -= 1
            if self.over.is_set() and not self._calls:
                self._idle.set()
        return self._wire.raw(result)


def _told(fault: BaseException) -> str:
    """The innermost reason, in one line."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    if isinstance(fault, OSError) and fault.strerror:
        return f"cannot start {fault.filename or 'the server'}: {fault.strerror}"
    return (" ".join(str(fault).split()) or type(fault).__name__)[:300]
