"""An event stream lives as long as somebody reads it, and no longer than the server."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from pointsman.entrypoints.web.streams import EventStream, EventWriter

pytestmark = pytest.mark.anyio


class Client:
    """What a stream talks to: keeps what was sent, and leaves when told."""

    def __init__(self) -> None:
        self.leaves = anyio.Event()
        self.sent: list[dict[str, Any]] = []
        self.closing = anyio.Event()
        self._arrived: dict[bytes, anyio.Event] = {}

    async def read(self, stream: EventStream) -> None:
        app = SimpleNamespace(state=SimpleNamespace(closing=self.closing))
        await stream({"type": "http", "app": app}, self._receive, self._send)

    def comes(self, piece: bytes) -> Callable[[], Awaitable[object]]:
        return self._arrived.setdefault(piece, anyio.Event()).wait

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    async def _receive(self) -> dict[str, Any]:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.sent.append(message)
        for piece, arrived in self._arrived.items():
            if piece in message.get("body", b""):
                arrived.set()


async def forever(writer: EventWriter) -> None:
    await writer.event(b"1")
    await anyio.sleep_forever()


async def test_an_event_has_its_id_and_name_before_its_data() -> None:
    async def write(writer: EventWriter) -> None:
        await writer.event(b"{}", name="text", id="7")

    client = Client()
    await client.read(EventStream(write))
    assert client.body == b"id: 7\nevent: text\ndata: {}\n\n"
    assert client.sent[-1]["more_body"] is False


async def test_a_silent_stream_is_kept_alive() -> None:
    client = Client()
    comment = client.comes(b": keep-alive\n\n")

    async def write(writer: EventWriter) -> None:
        await comment()

    await client.read(EventStream(write, keep_alive=0.001))
    assert client.body.startswith(b": keep-alive\n\n")


async def test_a_client_that_leaves_ends_the_stream() -> None:
    client = Client()
    first = client.comes(b"data: 1")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.read, EventStream(forever))
        await first()
        client.leaves.set()
    assert client.body == b"data: 1\n\n"


async def test_a_server_that_stops_says_so_and_ends_the_stream() -> None:
    client = Client()
    first = client.comes(b"data: 1")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.read, EventStream(forever, farewell=b"data: bye\n\n"))
        await first()
        client.closing.set()
    assert client.body == b"data: 1\n\ndata: bye\n\n"
    assert client.sent[-1]["more_body"] is False


async def test_a_stream_that_is_done_has_no_farewell() -> None:
    async def write(writer: EventWriter) -> None:
        await writer.event(b"1")

    client = Client()
    await client.read(EventStream(write, farewell=b"data: bye\n\n"))
    assert client.body == b"data: 1\n\n"
