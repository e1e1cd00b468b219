"""One socket a tab: topics in order, taken up where they were left, at no cost of a slow reader."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import anyio
import anyio.to_thread
import pytest

from pointsman.domain.messages import ModelReply, ModelRequest, TextDelta
from pointsman.engine.accounts.users import COMMAND_LINE
from pointsman.engine.service import Service
from pointsman.entrypoints.web import channel
from pointsman.entrypoints.web.app import close_streams
from pointsman.settings import Serving, Settings
from tests.entrypoints.web.native import booking, say
from tests.support.accounts import house
from tests.support.engine import approve, service_of
from tests.support.function_model import FunctionModel, HeldModel, Tell, reply
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio


class Tab:
    """A client of the channel."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def open(self, topic: str, after: int | None = None) -> None:
        await self.socket.send_json({"op": "open", "topic": topic, "after": after})

    async def next(self) -> Any:
        with anyio.fail_after(60):
            return await self.socket.receive_json()

    async def until(self, event: str, topic: str = "") -> list[Any]:
        """The frames up to one of this event."""
        seen = []
        while True:
            seen.append(await self.next())
            if seen[-1].get("event") == event and topic in ("", seen[-1]["topic"]):
                return seen


@asynccontextmanager
async def tab(site: Site, **more: Any) -> AsyncIterator[Tab]:
    async with site.http.ws_connect("/api/channel", **more) as opened:
        yield Tab(opened)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(await service_of(lambda request: "hello there")) as site:
        yield site


async def test_a_run_is_told_from_its_first_event_to_its_end(site: Site) -> None:
    run = (await say(site, "hi"))["run"]
    async with tab(site) as one:
        await one.open(f"run:{run}")
        frames = await one.until("end")
    assert [frame["n"] for frame in frames] == list(range(1, len(frames) + 1))
    assert {frame["topic"] for frame in frames} == {f"run:{run}"}
    kept = [frame for frame in frames if frame["position"] is not None]
    assert [frame["position"] for frame in kept] == list(range(len(kept)))
    assert (kept[0]["event"], kept[-1]["event"]) == ("message_received", "reply_given")
    assert frames[-1]["data"] == {"status": "done"}


async def test_a_topic_goes_on_after_the_position_that_was_seen(site: Site) -> None:
    run = (await say(site, "hi"))["run"]
    async with tab(site) as one:
        await one.open(f"run:{run}")
        whole = [f for f in await one.until("end") if f["position"] is not None]
    async with tab(site) as again:
        await again.open(f"run:{run}", after=whole[1]["position"])
        rest = [f for f in await again.until("end") if f["position"] is not None]
    assert [(f["event"], f["data"]) for f in rest] == [(f["event"], f["data"]) for f in whole[2:]]


async def test_a_tab_that_comes_in_mid_stream_reads_the_answer_from_its_beginning() -> None:
    model = HeldModel("It is ", "sunny.")
    async with serving(await service_of(model)) as site, tab(site) as one:
        run = (await say(site, "hi"))["run"]
        await model.told.wait()
        await one.open(f"run:{run}")
        first = await one.until("text")
        model.go.set()
        rest = await one.until("end")
    pieces = [f["data"]["text"] for f in (*first, *rest) if f["event"] == "text"]
    assert "".join(pieces) == "It is sunny."


async def test_pieces_of_a_text_are_joined() -> None:
    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        for _ in range(1000):
            tell(TextDelta("ab"))
            await anyio.lowlevel.checkpoint()
        return reply("ab" * 1000)

    async with serving(await service_of(FunctionModel(ask))) as site, tab(site) as one:
        run = (await say(site, "hi"))["run"]
        await one.open(f"run:{run}")
        texts = [f["data"]["text"] for f in await one.until("end") if f["event"] == "text"]
    assert "".join(texts) == "ab" * 1000
    assert len(texts) < 100


async def test_another_ones_run_is_not_there(site: Site) -> None:
    async with tab(site) as one:
        await one.open("run:0123")
        (fault,) = await one.until("error")
    assert fault["topic"] == "run:0123"
    assert fault["data"]["status"] == 404


@pytest.mark.parametrize(
    "message",
    [
        "no json",
        '{"op":"shout"}',
        '{"op":"open","topic":7}',
        '{"op":"open","topic":"weather"}',
        '{"op":"open","topic":"runs","by":"me"}',
        "[" * 4000,
        '{"op":"open","topic":"' + "x" * 5000 + '"}',
    ],
)
async def test_a_message_that_cannot_be_meant_is_answered_and_nothing_else_happens(
    site: Site, message: str
) -> None:
    async with tab(site) as one:
        await one.socket.send_str(message)
        (fault,) = await one.until("error")
        assert fault["data"]["status"] in (400, 404, 413)
        await one.socket.send_json({"op": "ping"})
        assert await one.next() == {"op": "pong"}


async def test_the_list_of_runs_says_when_it_has_changed(site: Site) -> None:
    async with tab(site) as one:
        await one.open("runs")
        await one.until("changed")
        await say(site, "hi")
        (frame,) = await one.until("changed")
    assert (frame["topic"], frame["position"], frame["data"]) == ("runs", None, {})


async def test_what_waits_for_people_says_when_it_has_changed() -> None:
    async with serving(await booking()) as site, tab(site) as one:
        await one.open("approvals")
        await one.until("changed")
        run = (await say(site, "book a train"))["run"]
        await one.until("changed")
        await approve(site.service, await site.service.wait(run, "local"), by="local")
        await one.until("changed")


async def test_a_closed_topic_tells_no_more(site: Site) -> None:
    async with tab(site) as one:
        await one.open("runs")
        await one.until("changed")
        await one.socket.send_json({"op": "close", "topic": "runs"})
        run = (await say(site, "hi"))["run"]
        await one.open(f"run:{run}")
        assert {frame["topic"] for frame in await one.until("end")} == {f"run:{run}"}


async def test_a_server_that_stops_says_that_the_tab_may_come_back(site: Site) -> None:
    async with tab(site) as one:
        await one.open("runs")
        await one.until("changed")
        close_streams(site.app)
        with anyio.fail_after(60):
            message = await one.socket.receive()
    assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1012)


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.test"}, {"Host": "evil.test"}])
async def test_a_page_of_another_origin_gets_no_channel(
    site: Site, headers: dict[str, str]
) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with tab(site, headers=headers):
            pass
    assert refused.value.status in (403, 421)


async def test_a_client_that_sends_without_end_is_dropped(site: Site) -> None:
    async with tab(site) as one:
        for _ in range(300):
            await one.socket.send_json({"op": "ping"})
        with anyio.fail_after(60):
            while (message := await one.socket.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
    assert message.data == 4429


async def test_a_channel_ends_with_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hello(**given: Any) -> Service:
        return await service_of(["hello"], **given)

    monkeypatch.setattr(channel, "SESSION", 0.05)
    async with house(tmp_path, hello, users={"root": ["admin"], "ann": []}) as full:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await (await full.browser()).http.ws_connect("/api/channel")
        assert refused.value.status == 401
        browser = await full.browser("ann")
        async with browser.http.ws_connect("/api/channel") as opened:
            one = Tab(opened)
            await one.open("runs")
            await one.until("changed")
            await full.accounts.end_sessions("ann", by=COMMAND_LINE)
            with anyio.fail_after(60):
                message = await opened.receive()
    assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 4401)


async def test_another_users_topics_tell_nothing(tmp_path: Path) -> None:
    async def hello(**given: Any) -> Service:
        return await service_of(["hello", "hello"], **given)

    async with house(tmp_path, hello, users={"root": ["admin"], "ann": [], "bob": []}) as full:
        ann, bob = await full.browser("ann"), await full.browser("bob")
        body = {"agent": "desk", "text": "hi"}
        run = (await ann.json("POST", "/api/messages", body, status=202))["run"]
        async with bob.http.ws_connect("/api/channel") as opened:
            one = Tab(opened)
            await one.open(f"run:{run}")
            (fault,) = await one.until("error")
            assert fault["data"]["status"] == 404
            await one.open("runs")
            await one.until("changed")
            again = await ann.json("POST", "/api/messages", body, status=202)
            await full.site.service.wait(again["run"], "ann")
            await one.socket.send_json({"op": "ping"})
            assert await one.next() == {"op": "pong"}


@pytest.mark.slow
async def test_a_client_that_reads_too_slowly_is_dropped_and_comes_back(
    tmp_path: Path,
) -> None:
    settings = Settings(serving=Serving(stall_timeout=1.0))
    long = "word " * 40_000

    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        for _ in range(40):  # twice what the system's buffers take
            tell(TextDelta(long))
            await anyio.sleep(0.005)
        return reply("done")

    service = await service_of(FunctionModel(ask))
    async with serving(service, settings=settings) as site:
        run = (await say(site, "hi"))["run"]
        host, _, port = site.url.removeprefix("http://").partition(":")
        with socket_of(host, int(port)) as slow:
            slow.sendall(HANDSHAKE % site.url.removeprefix("http://").encode())
            with anyio.fail_after(60):
                await anyio.to_thread.run_sync(slow.recv, 1)
                slow.sendall(masked(b'{"op":"open","topic":"run:%b"}' % run.encode()))
                await until_so(lambda: site.app.state.sockets["local"] == 1)
                await until_so(lambda: site.app.state.sockets["local"] == 0)
            read = await anyio.to_thread.run_sync(read_until, slow, DROPPED)
        assert DROPPED in read
        async with tab(site, max_msg_size=0) as again:
            await again.open(f"run:{run}", after=0)
            assert (await again.until("end"))[-1]["data"] == {"status": "done"}


DROPPED = (4408).to_bytes(2, "big") + b"the client reads too slowly"
HANDSHAKE = (
    b"GET /api/channel HTTP/1.1\r\nHost: %b\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


async def until_so(so: Callable[[], bool]) -> None:
    while not so():  # noqa: ASYNC110 - a counter tells nobody
        await anyio.sleep(0.01)


def socket_of(host: str, port: int) -> socket.socket:
    """A connection that takes little before it is read from."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    made.connect((host, port))
    return made


def masked(message: bytes) -> bytes:
    """A client's text frame, with the mask of zeros."""
    return bytes([0x81, 0x80 | len(message), 0, 0, 0, 0]) + message


def read_until(connection: socket.socket, end: bytes) -> bytes:
    """Everything until the other side has said this, or closes."""
    read = bytearray()
    while end not in read[-200_000:] and (piece := connection.recv(65536)):
        read += piece
    return bytes(read)


@pytest.mark.slow
async def test_fifty_tabs_stream_at_once_and_miss_nothing() -> None:
    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        said = [f"w{chr(97 + number % 26)} " for number in range(300)]
        for piece in said:
            tell(TextDelta(piece))
            await anyio.sleep(0.01)
        return reply("".join(said))

    whole_text = "".join(f"w{chr(97 + number % 26)} " for number in range(300))
    texts: list[str] = []
    async with serving(await service_of(FunctionModel(ask))) as site:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(site.url, connector=connector) as http:

            async def watch() -> None:
                async with http.ws_connect("/api/channel") as opened:
                    one = Tab(opened)
                    run = (await say(site, "hi"))["run"]
                    await one.open(f"run:{run}")
                    with anyio.fail_after(120):
                        frames = await one.until("end")
                    texts.append("".join(f["data"]["text"] for f in frames if f["event"] == "text"))

            async with anyio.create_task_group() as tasks:
                for _ in range(50):
                    tasks.start_soon(watch)
    assert texts == [whole_text] * 50
