"""The agents as MCP tools over streamable HTTP: the SDK's sessions, for logins that are known."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from pointsman.engine.service import Service
from pointsman.entrypoints.mcp.server import AgentTools


class Sessions:
    """Of all who speak the protocol. One of old belongs to the login that began it."""

    def __init__(self, service: Service, closing: anyio.Event, *, body_limit: int) -> None:
        tools = AgentTools(service, _login_of, closing.is_set)
        self._manager = StreamableHTTPSessionManager(
            tools.server(), max_request_body_size=body_limit
        )

    def run(self) -> AbstractAsyncContextManager[None]:
        """Keep them while the block runs."""
        return self._manager.run()

    async def answer(self, login: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope.setdefault("state", {})["login"] = login
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=login, scopes=[]))
        await self._manager.handle_request(scope, receive, send)


def _login_of(ctx: Any) -> str:
    return str(ctx.request.state.login)
