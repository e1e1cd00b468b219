"""No client takes up more than its share: of requests, bytes, depth, time."""

import asyncio
import socket
from collections.abc import AsyncIterator

import anyio
import pytest
from msgspec.structs import replace
from starlette.responses import StreamingResponse
from yarl import URL

from pointsman.domain.limiting import Rate
from pointsman.entrypoints.web.http_server import PatientHttp
from pointsman.entrypoints.web.rates import Rates
from pointsman.settings import Serving, Settings
from tests.support.engine import service_of
from tests.support.fake_clock import FakeClock
from tests.support.function_model import HeldModel
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

MESSAGE = {"agent": "desk", "text": "hello"}
SMALL = Serving(
    body_limit=10_000,
    header_limit=4_096,
    user_rate=Rate(calls=3, seconds=60),
    address_rate=Rate(calls=20, seconds=60),
)
HASTY = replace(SMALL, body_timeout=0.1, request_timeout=0.3, answer_timeout=0.3, stall_timeout=0.2)
"""For what does not come in any time."""


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(await service_of(["hello"]), settings=Settings(serving=SMALL)) as site:
        yield site


@pytest.fixture
async def hasty() -> AsyncIterator[Site]:
    async with serving(await service_of(["hello"]), settings=Settings(serving=HASTY)) as site:
        yield site


def test_a_burst_passes_and_then_a_steady_pace() -> None:
    clock = FakeClock()
    rates = Rates(Rate(calls=3, seconds=6), clock)
    assert [rates.take("ann") for _ in range(3)] == [0, 0, 0]
    assert rates.take("ann") == pytest.approx(2)
    assert rates.take("bob") == 0
    clock.advance(2)
    assert rates.take("ann") == 0
    assert rates.take("ann") == pytest.approx(2)


async def test_who_asks_too_often_is_told_when_to_come_back(site: Site) -> None:
    for _ in range(20):
        async with site.http.get("/api/agents") as answer:
            assert answer.status == 200
    async with site.http.get("/api/agents") as answer:
        problem = await answer.json()
        assert (answer.status, problem["code"]) == (429, "rate")
        assert int(answer.headers["Retry-After"]) in range(1, 5)
        assert problem["request_id"] == answer.headers["X-Request-Id"]
    async with site.http.get("/healthz") as answer:
        assert answer.status == 200


async def test_each_token_has_a_pace_of_its_own(site: Site) -> None:
    async def ask(token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        async with site.http.get("/v1/models", headers=headers) as answer:
            if answer.status == 429:
                assert (await answer.json())["error"]["type"] == "invalid_request_error"
            return answer.status

    assert [await ask("one") for _ in range(4)][-1] == 429
    assert await ask("two") != 429


async def test_a_body_that_does_not_come_is_not_waited_for(hasty: Site) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"agent":'
        await anyio.sleep_forever()

    headers = {"Content-Type": "application/json"}
    async with hasty.http.post("/api/messages", data=pieces(), headers=headers) as answer:
        assert answer.status == 408


async def test_an_answer_that_does_not_come_is_not_waited_for() -> None:
    settings = Settings(serving=HASTY)
    async with serving(await service_of(HeldModel("a", "b")), settings=settings) as site:
        body = {"model": "desk", "messages": [{"role": "user", "content": "hi"}]}
        async with site.http.post("/v1/chat/completions", json=body) as answer:
            assert answer.status == 504
            assert "within 0.3 s" in (await answer.json())["error"]["message"]


async def test_a_stream_outlives_every_limit_of_time() -> None:
    model, settings = HeldModel("It is ", "sunny."), Settings(serving=HASTY)
    async with serving(await service_of(model), settings=settings) as site:
        async with site.http.post("/api/messages", json=MESSAGE) as answer:
            run = (await answer.json())["run"]
        async with site.http.get(f"/api/runs/{run}/events") as stream:
            await model.told.wait()
            await anyio.sleep(0.5)
            model.go.set()
            assert b"event: end" in await stream.read()


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 9_000,
        b'{"a":' * 1_800,
        b'{"agent":"desk","text":"hi","params":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    ],
)
@pytest.mark.parametrize("path", ["/api/messages", "/v1/chat/completions"])
async def test_a_body_that_is_too_deep_is_refused(site: Site, path: str, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    async with site.http.post(path, data=body[:9_999], headers=headers) as answer:
        assert answer.status == 400
        assert "Traceback" not in await answer.text()


@pytest.mark.parametrize(
    "path",
    [
        "/api/inbox?before=99999999999999999999999",
        "/api/inbox/events?after=99999999999999999999999",
        "/api/runs?min_ms=99999999999999999999999",
        "/api/runs/0/events?after=99999999999999999999999",
        "/api/agents/desk/versions/99999999999999999999999",
        "/api/runs?before=%00",
        "/api/runs/%00",
        "/api/runs?from=0.5",
    ],
)
async def test_an_address_that_no_database_can_compare_is_refused(site: Site, path: str) -> None:
    async with site.http.get(URL(site.url + path, encoded=True)) as answer:
        assert answer.status == 400, await answer.text()


@pytest.mark.parametrize("place", ["next", "-1", "9" * 3_000])
async def test_a_place_in_a_stream_that_is_none_is_refused(site: Site, place: str) -> None:
    async with site.http.get("/api/runs/0/events", headers={"Last-Event-ID": place}) as answer:
        assert answer.status == 400


async def raw(site: Site, sent: bytes) -> bytes:
    """All that the server answers to these bytes, until it closes the connection."""
    host, _, port = site.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    try:
        with anyio.fail_after(60):
            return await reader.read()
    finally:
        writer.close()


async def test_headers_without_end_are_refused(site: Site) -> None:
    answer = await raw(site, b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 10_000)
    assert answer.startswith(b"HTTP/1.1 400")


async def test_a_head_that_does_not_come_is_not_waited_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientHttp, "patience", 0.2)
    assert await raw(site, b"") == b""
    assert await raw(site, b"GET /healthz HTTP/1.1\r\nHost: loc") == b""


async def test_a_client_that_stops_reading_is_cut_off(
    hasty: Site, caplog: pytest.LogCaptureFixture
) -> None:
    over = anyio.Event()

    async def large() -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            try:
                for _ in range(30):
                    yield b"x" * 1_000_000
            finally:
                over.set()

        return StreamingResponse(pieces())

    hasty.app.add_api_route("/api/large", large)
    host, _, port = hasty.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(f"GET /api/large HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        with anyio.fail_after(60):
            await over.wait()
    assert "a client stopped reading and is cut off" in caplog.text
