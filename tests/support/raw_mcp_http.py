"""A tool server over HTTP, written by hand so that it can misbehave.

Speaks 2025-06-18 with sessions, or 2026-07-28 without.
"""

import asyncio
import json
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.support.raw_mcp_server import CHANGED, DISCOVERED, INITIALIZED, OPEN, text

Answer = Callable[[Any], web.Response]
"""Makes a response to a JSON-RPC request id."""


class RawHttpServer:
    """A server on a loopback port, in this process.

    Attributes:
        unknown_session: how it tells that it does not know a session.
        methods: what was asked, in order.
        executed: the calls that it carried out: (tool, arguments).
        headers: of the last request.
        release: lets the calls of ``hang`` end, and the streams of news.
        override: when set, answers every POST.
        given_up: the client has given up a call.
        before_call: done when a ``tools/call`` comes in.
    """

    def __init__(self, *, modern: bool = False, tools: tuple[str, ...] = ()) -> None:
        self.modern = modern
        self.tools = tools or ("echo", "drop", "hang", "status")
        self.unknown_session: Answer = lambda _: web.Response(status=404)
        self.override: Answer | None = None
        self.before_call: Callable[[], None] = lambda: None
        self.sessions: set[str] = set()
        self.methods: list[str] = []
        self.executed: list[tuple[str, Any]] = []
        self.headers: dict[str, str] = {}
        self.hanging, self.release = asyncio.Event(), asyncio.Event()
        self.following, self.given_up = asyncio.Event(), asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/mcp", self._post)
        app.router.add_get("/mcp", self._get)
        app.router.add_delete("/mcp", self._delete)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        await self.listen()
        return self

    async def listen(self) -> None:
        """Take connections, at the same port as before."""
        self._site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await self._site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Take no connections any more, and drop those that are there."""
        await self._site.stop()
        for protocol in self._runner.server.connections if self._runner.server else ():
            protocol.force_close()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release.set()
        await self._runner.cleanup()

    async def _get(self, request: web.Request) -> web.StreamResponse:
        stream = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await stream.prepare(request)
        self._news = stream
        self.following.set()
        await self.release.wait()
        return stream

    async def announce(self) -> None:
        """Tell who follows that the list has changed."""
        await self.following.wait()
        await self._news.write(f"data: {json.dumps(CHANGED)}\n\n".encode())

    async def _delete(self, request: web.Request) -> web.Response:
        self.sessions.discard(request.headers.get("mcp-session-id", ""))
        return web.Response()

    async def _post(self, request: web.Request) -> web.Response:
        message = json.loads(await request.read())
        method, key = message.get("method", ""), message.get("id")
        self.methods.append(method)
        self.headers = dict(request.headers)
        if self.override:
            return self.override(key)
        if method == "tools/call":
            self.before_call()
        if method == "server/discover" and self.modern:
            return self._result(key, DISCOVERED | {"capabilities": {"tools": {}}})
        if method == "initialize" and not self.modern:
            session = f"session-{len(self.methods)}"
            self.sessions.add(session)
            return reply(key, result=INITIALIZED, headers={"mcp-session-id": session})
        if method == "server/discover":
            return reply(key, status=400, error={"code": -32600, "message": "no session"})
        if not self.modern and request.headers.get("mcp-session-id") not in self.sessions:
            return self.unknown_session(key)
        if method == "notifications/cancelled":
            self.given_up.set()
        if key is None:
            return web.Response(status=202)
        if method == "tools/list":
            tools = [{"name": name, "inputSchema": OPEN} for name in self.tools]
            return self._result(key, {"tools": tools})
        return await self._call(request, key, message["params"])

    async def _call(self, request: web.Request, key: Any, params: dict[str, Any]) -> web.Response:
        name, arguments = params["name"], params.get("arguments") or {}
        if name == "status":
            return web.Response(status=arguments["status"], text=arguments.get("text", ""))
        self.executed.append((name, arguments))
        if name == "drop":
            assert request.transport is not None
            request.transport.close()
        if name == "hang":
            self.hanging.set()
            try:
                await self.release.wait()
            except asyncio.CancelledError:
                self.given_up.set()
                raise
        return self._result(key, text(f"{name} done"))

    def _result(self, key: Any, result: dict[str, Any]) -> web.Response:
        stamp = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return reply(key, result=result | (stamp if self.modern else {}))


def reply(
    key: Any, *, status: int = 200, headers: dict[str, str] | None = None, **body: Any
) -> web.Response:
    """A JSON-RPC response."""
    return web.json_response({"jsonrpc": "2.0", "id": key} | body, status=status, headers=headers)
