"""``/mcp``: the agents as MCP tools over streamable HTTP, for whom the server knows.

The SDK speaks the protocol; who asks, from where, and how much is looked at before, as for every
other route. A session of the protocol of old belongs to the login that began it.
"""

import logging
from typing import Any

import anyio
from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pointsman.engine.service import Service
from pointsman.entrypoints.web.access import User
from pointsman.entrypoints.web.problems import Refusal

try:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from pointsman.entrypoints.mcp.server import AgentTools
except ModuleNotFoundError as _missing:
    if str(_missing.name).startswith("pointsman"):
        raise
    _there = False
else:
    _there = True

log = logging.getLogger("pointsman.web")

router = APIRouter()
PATH = "/mcp"


class McpSite:
    """The protocol's sessions; to be served as long as the application lives."""

    def __init__(self, service: Service, closing: anyio.Event, *, body_limit: int) -> None:
        tools = AgentTools(service, _login_of, closing.is_set)
        self._manager = StreamableHTTPSessionManager(
            tools.server(), max_request_body_size=body_limit
        )
        self._closing = closing
        self._up = anyio.Event()

    async def serve(self) -> None:
        """Keep the sessions until cancelled."""
        async with self._manager.run():
            self._up.set()
            await anyio.sleep_forever()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; it is let go of when the server stops."""
        await self._up.wait()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until, self._closing, tasks.cancel_scope)
            await self._manager.handle_request(scope, receive, send)
            tasks.cancel_scope.cancel()


class NoMcp:
    """In the place of ``McpSite`` where the SDK is not installed."""

    async def serve(self) -> None:
        """There is nothing to serve."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises:
        Refusal: always.
        """
        raise Refusal(501, "MCP needs an optional part: pip install 'pointsman[mcp]'")


class _Handed(Response):
    """A response that the SDK gives."""

    def __init__(self, site: McpSite | NoMcp, login: str) -> None:
        super().__init__()
        self._site, self._login = site, login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state: dict[str, Any] = scope.setdefault("state", {})
        state["login"] = self._login
        if _there:
            token = AccessToken(token="", client_id=self._login, scopes=[])
            scope["user"] = AuthenticatedUser(token)
        await self._site.answer(scope, receive, send)


@router.api_route(PATH, methods=["GET", "POST", "DELETE"], include_in_schema=False)
async def mcp(request: Request, user: User) -> Response:
    """Every message of the protocol."""
    return _Handed(request.app.state.mcp, user)


def site_of(service: Service, closing: anyio.Event, *, body_limit: int) -> McpSite | NoMcp:
    """What is behind the route."""
    return McpSite(service, closing, body_limit=body_limit) if _there else NoMcp()


def _login_of(ctx: Any) -> str:
    return str(ctx.request.state.login)


async def _until(closing: anyio.Event, scope: anyio.CancelScope) -> None:
    await closing.wait()
    scope.cancel()
