"""Event streams: how they are written, kept alive, and ended.

One writer fills a stream; beside it run what watches the client and what keeps the connection
alive. A client that leaves stops the writer and nothing else: the run goes on (case X01).

Source: HTML, server-sent events.
"""

from collections.abc import Awaitable, Callable, Mapping

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

KEEP_ALIVE = 15.0
"""Seconds without an event before a comment is sent: proxies close silent connections."""


class EventWriter:
    """Sends the events of one stream, whole and in order."""

    def __init__(self, send: Send) -> None:
        self._send, self._lock = send, anyio.Lock()
        self._writes = 0

    async def event(self, data: bytes, *, name: str = "", id: str = "") -> None:
        """Send one event.

        Args:
            data: without line ends, such as JSON.
        """
        head = (f"id: {id}\n" if id else "") + (f"event: {name}\n" if name else "")
        await self.raw(b"%bdata: %b\n\n" % (head.encode(), data))

    async def raw(self, piece: bytes) -> None:
        """Send bytes as they are."""
        async with self._lock:
            self._writes += 1
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def keep_alive(self, interval: float) -> None:
        """Send a comment after every interval without an event, until cancelled."""
        while True:
            writes = self._writes
            await anyio.sleep(interval)
            if self._writes == writes:
                await self.raw(b": keep-alive\n\n")


Write = Callable[[EventWriter], Awaitable[None]]
Leaving = Callable[[], Awaitable[None]]


class EventStream(Response):
    """A response that a function writes, event by event."""

    media_type = "text/event-stream"

    def __init__(
        self,
        write: Write,
        *,
        headers: Mapping[str, str] | None = None,
        farewell: bytes = b"",
        keep_alive: float = KEEP_ALIVE,
        leaving: Leaving | None = None,
    ) -> None:
        """Args:
        farewell: sent when the server stops before the writer is done.
        keep_alive: seconds.
        leaving: asked when the client has left before the writer was done.
        """
        super().__init__(headers={"cache-control": "no-store", **(headers or {})})
        del self.headers["content-length"]
        self._write, self._farewell, self._interval = write, farewell, keep_alive
        self._leaving = leaving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        writer = EventWriter(send)
        done = False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until_gone, receive, tasks.cancel_scope)
            tasks.start_soon(_until_closing, scope["app"].state.closing, tasks.cancel_scope)
            tasks.start_soon(writer.keep_alive, self._interval)
            await self._write(writer)
            done = True
            tasks.cancel_scope.cancel()
        if not done and scope["app"].state.closing.is_set():
            if self._farewell:
                await writer.raw(self._farewell)
        elif not done and self._leaving is not None:
            await self._leaving()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _until_closing(closing: anyio.Event, scope: anyio.CancelScope) -> None:
    await closing.wait()
    scope.cancel()
