"""How uvicorn serves the application: who waits for what, and for how long.

Uvicorn itself waits for ever for the head of a request, and for a client to read what it asked for.
"""

import asyncio
import logging
import math
from typing import Any, cast

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from pointsman.settings import Serving

log = logging.getLogger("pointsman.web")

HEAD_TIMEOUT = 15.0
"""Seconds until the head of a request must have come."""
SOCKET_MESSAGE = 16_384
"""Bytes of one message of a channel."""


class ServerConfig(uvicorn.Config):
    """What uvicorn is told, and what our protocols know besides."""

    serving = Serving()


class Reader:
    """What a connection knows of its client: whether it reads. One that has taken nothing of what
    waits for it in twice ``stall_timeout`` is cut off, and what waits is let go of."""

    config: uvicorn.Config
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _looking: asyncio.TimerHandle | None = None

    def watch(self, left: float = math.inf, *, again: bool = True) -> None:
        """Look at it by and by.

        Args:
            left: bytes that waited at the last look.
            again: it may take nothing once more.
        """
        assert isinstance(self.config, ServerConfig)
        pause = self.config.serving.stall_timeout
        self._looking = self.loop.call_later(pause, self._look, left, again)

    def stop_watching(self) -> None:
        """It reads, or is gone."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def _look(self, left: float, again: bool) -> None:
        waiting = self.transport.get_write_buffer_size()
        if waiting < left or again:
            return self.watch(waiting, again=waiting < left)
        log.warning("a client stopped reading and is cut off; %d bytes waited for it", waiting)
        self.transport.abort()


class PatientHttp(Reader, H11Protocol):
    """HTTP/1.1 that waits for the head of a request no longer than ``patience`` seconds, and for a
    client that does not read no longer than ``Reader`` says."""

    patience = HEAD_TIMEOUT
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self.stop_watching()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.watch()

    def resume_writing(self) -> None:
        self.stop_watching()
        super().resume_writing()

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.patience, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class PatientSocket(Reader, WebSocketsSansIOProtocol):
    """A WebSocket whose client hears why it was closed, if it ever reads on, and is cut off if it
    does not."""

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_watching()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.watch()

    def resume_writing(self) -> None:
        self.stop_watching()
        super().resume_writing()

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.writable.set()
        await super().send(message)


def configured(app: ASGIApp, serving: Serving) -> uvicorn.Config:
    """Everything that uvicorn is told."""
    config = ServerConfig(
        cast("Any", app),
        http=PatientHttp,
        ws=PatientSocket,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        forwarded_allow_ips=list(serving.proxies),
        limit_concurrency=serving.connections,
        h11_max_incomplete_event_size=serving.header_limit,
        ws_max_size=SOCKET_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=math.ceil(serving.grace),
    )
    config.serving = serving
    return config
