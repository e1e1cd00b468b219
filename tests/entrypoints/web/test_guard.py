"""Only this machine's own programs and pages get in."""

from collections.abc import AsyncIterator

import pytest

from pointsman.entrypoints.web.guard import is_loopback
from pointsman.settings import Serving
from tests.support.engine import service_of
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

BODY_LIMIT = Serving().body_limit
MESSAGE = {"agent": "desk", "text": "hello"}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(await service_of(["hello"])) as site:
        yield site


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8765", "127.0.0.1", "127.0.0.1:80", "127.8.8.8", "[::1]", "[::1]:80"],
)
def test_a_loopback_name_is_let_in(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.test",
        "localhost.evil.test",
        "127.0.0.1.evil.test:80",
        "0.0.0.0",
        "10.0.0.1",
        "[::]",
        "[::1",
        "localhost@evil.test",
        "evil.test#localhost",
    ],
)
def test_any_other_name_is_refused(host: str) -> None:
    assert not is_loopback(host)


async def test_a_page_that_rebinds_its_name_reads_nothing(site: Site) -> None:
    async with site.http.get("/api/runs", headers={"Host": "evil.test"}) as answer:
        assert answer.status == 421
        assert "evil.test" in (await answer.json())["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.test"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/api/messages", "/v1/chat/completions"])
async def test_a_page_of_another_origin_changes_nothing(
    site: Site, path: str, headers: dict[str, str]
) -> None:
    async with site.http.post(path, json=MESSAGE, headers=headers) as answer:
        assert answer.status == 403
    assert await site.service.runs(user=None) == []


async def test_a_page_of_the_server_itself_may_post(site: Site) -> None:
    headers = {"Origin": site.url, "Sec-Fetch-Site": "same-origin"}
    async with site.http.post("/api/messages", json=MESSAGE, headers=headers) as answer:
        assert answer.status == 202


async def test_a_body_over_the_limit_is_refused(site: Site) -> None:
    body = b" " * (BODY_LIMIT + 1)
    headers = {"Content-Type": "application/json"}
    async with site.http.post("/api/messages", data=body, headers=headers) as answer:
        assert answer.status == 413
        assert answer.content_type == "application/problem+json"


async def test_a_body_that_does_not_say_its_size_is_counted(site: Site) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b" " * (BODY_LIMIT // 2)

    headers = {"Content-Type": "application/json"}
    async with site.http.post("/v1/chat/completions", data=pieces(), headers=headers) as answer:
        assert answer.status == 413
        assert (await answer.json())["error"]["type"] == "invalid_request_error"


async def test_every_answer_names_its_request(site: Site) -> None:
    async with site.http.get("/healthz") as one, site.http.get("/healthz") as other:
        assert one.headers["X-Request-Id"] != other.headers["X-Request-Id"]


async def test_a_request_keeps_the_id_that_it_came_with(site: Site) -> None:
    async with site.http.get("/nothing", headers={"X-Request-Id": "abc-1"}) as answer:
        assert answer.headers.getall("X-Request-Id") == ["abc-1"]
        assert (await answer.json())["request_id"] == "abc-1"


async def test_an_id_that_could_forge_a_log_line_is_replaced(site: Site) -> None:
    async with site.http.get("/healthz", headers={"X-Request-Id": "a b\tc"}) as answer:
        assert len(answer.headers["X-Request-Id"]) == 32
