"""``/mcp``: the agents as MCP tools over streamable HTTP, for whom the server knows.

The SDK speaks the protocol; who asks, from where, and how much is looked at before, as for every
other route.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pointsman.engine.service import Service
from pointsman.entrypoints.web.access import User
from pointsman.entrypoints.web.problems import Refusal

if TYPE_CHECKING:
    from pointsman.entrypoints.mcp.http import Sessions

router = APIRouter()
PATH = "/mcp"


class McpSite:
    """The protocol's sessions; to be served as long as the application lives. The SDK is loaded
    when somebody first speaks to it: that takes half a second and 60 MB."""

    def __init__(self, service: Service, closing: anyio.Event, *, body_limit: int) -> None:
        self._service, self._closing, self._body_limit = service, closing, body_limit
        self._wanted, self._up = anyio.Event(), anyio.Event()
        self._sessions: Sessions | None = None

    async def serve(self) -> None:
        """Keep the sessions until cancelled."""
        await self._wanted.wait()
        sdk = await to_thread.run_sync(import_module, "pointsman.entrypoints.mcp.http")
        sessions = sdk.Sessions(self._service, self._closing, body_limit=self._body_limit)
        async with sessions.run():
            self._sessions = sessions
            self._up.set()
            await anyio.sleep_forever()

    async def answer(self, login: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; it is let go of when the server stops.

        Raises:
            Refusal: the SDK is not installed.
        """
        if find_spec("mcp") is None:
            raise Refusal(501, "MCP needs an optional part: pip install 'pointsman[mcp]'")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until, self._closing, tasks.cancel_scope)
            self._wanted.set()
            await self._up.wait()
            assert self._sessions is not None
            await self._sessions.answer(login, scope, receive, send)
            tasks.cancel_scope.cancel()


class _Handed(Response):
    """A response that the SDK gives."""

    def __init__(self, site: McpSite, login: str) -> None:
        super().__init__()
        self._site, self._login = site, login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._site.answer(self._login, scope, receive, send)


@router.api_route(PATH, methods=["GET", "POST", "DELETE"], include_in_schema=False)
async def mcp(request: Request, user: User) -> Response:
    """Every message of the protocol."""
    return _Handed(request.app.state.mcp, user)


async def _until(closing: anyio.Event, scope: anyio.CancelScope) -> None:
    await closing.wait()
    scope.cancel()
