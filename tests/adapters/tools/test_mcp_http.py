"""MCP over streamable HTTP, against servers of ours on loopback."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from aiohttp import web

from pointsman.adapters.tools.mcp_settings import McpToolSettings
from pointsman.domain.tools import ResultStatus, Risk
from tests.cases import params
from tests.support.mcp_sources import (
    OFFICIAL,
    HeldClock,
    call,
    context,
    originals,
    running,
    settled,
    tool,
    until,
)
from tests.support.raw_mcp_http import Answer, RawHttpServer, reply

pytestmark = pytest.mark.anyio
READ = {name: McpToolSettings(risk=Risk.READ) for name in ("drop", "echo", "status")}


@pytest.fixture(scope="module")
def official_url() -> Iterator[str]:
    """A server process on the official SDK."""
    with subprocess.Popen((*OFFICIAL, "http"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        process.terminate()


@pytest.mark.slow
async def test_a_server_on_the_official_sdk_works_in_the_current_protocol(
    official_url: str,
) -> None:
    told: list[tuple[float | None, str]] = []
    async with running(url=official_url, trusted=True) as server:
        assert server.state() == "ready"
        spec = tool(server, "add").spec
        assert (spec.risk, spec.title, spec.name) == (Risk.READ, "Sum", "s__add")
        assert (await call(server, "add", a=1, b=2)).data == {"result": 3}
        await tool(server, "count").call(
            {"to": 2}, context(lambda fraction, message: told.append((fraction, message)))
        )
        assert told == [(0.5, "at 1"), (1.0, "at 2")]
        assert (await call(server, "refuse")).status is ResultStatus.ERROR
        await call(server, "grow")
        await settled(server, "grown")
        assert (await call(server, "grown")).content == "new"


@pytest.mark.slow
async def test_an_untrusted_servers_hints_do_not_count(official_url: str) -> None:
    async with running(url=official_url) as server:
        spec = tool(server, "add").spec
    assert (spec.risk, spec.title, spec.trusted) == (Risk.WRITE, "", False)


@pytest.mark.parametrize("modern", [True, False], ids=["modern", "legacy"])
@pytest.mark.parametrize("case", params(4, only=("M02",)))
async def test_a_connection_that_is_dropped_fails_that_call_alone(
    case: dict[str, Any], modern: bool
) -> None:
    async with RawHttpServer(modern=modern) as http, running(url=http.url) as server:
        async with anyio.create_task_group() as tasks:
            hung: list[Any] = []

            async def hang() -> None:
                hung.append(await call(server, "hang"))

            tasks.start_soon(hang)
            await http.hanging.wait()
            dropped = await call(server, "drop")
            assert dropped.status is ResultStatus.UNCERTAIN
            http.release.set()
        assert hung[0].ok
        assert (await call(server, "echo")).ok


@pytest.mark.parametrize("modern", [True, False], ids=["modern", "legacy"])
@pytest.mark.parametrize("case", params(4, only=("M04",)))
async def test_who_cancels_a_call_cancels_only_that(case: dict[str, Any], modern: bool) -> None:
    async with RawHttpServer(modern=modern) as http, running(url=http.url) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, server, "hang")
            await http.hanging.wait()
            tasks.cancel_scope.cancel()
        assert (await call(server, "echo")).ok
        await http.given_up.wait()
        assert http.methods.count("notifications/cancelled") == (0 if modern else 1)


async def test_a_dropped_call_of_a_reading_tool_may_be_repeated() -> None:
    async with RawHttpServer() as http, running(url=http.url, tools=READ) as server:
        result = await call(server, "drop")
    assert (result.status, result.retryable) == (ResultStatus.FAILED, True)


async def test_a_server_that_cannot_be_reached_fails_the_call_and_comes_back() -> None:
    clock = HeldClock()
    async with RawHttpServer(modern=True) as http, running(url=http.url, clock=clock) as server:
        await http.stop()
        result = await call(server, "echo")
        assert (result.status, result.retryable) == (ResultStatus.FAILED, True)
        assert "cannot connect" in result.content
        await clock.asleep.wait()
        await http.listen()
        clock.let_go()
        assert (await call(server, "echo")).ok


GONE: dict[str, Answer] = {
    "404": lambda key: web.Response(status=404),
    "400 with a plain JSON error": lambda key: web.json_response(
        {"error": "No valid session ID"}, status=400
    ),
    "200 with an event that is no JSON-RPC": lambda key: web.Response(
        text='event: message\ndata: {"error": "Session not found"}\n\n',
        content_type="text/event-stream",
    ),
    "200 with a JSON-RPC error without an id": lambda key: reply(
        None, error={"code": -32600, "message": "Invalid session"}
    ),
    "200 with code -32001": lambda key: reply(
        key, error={"code": -32001, "message": "Session not found"}
    ),
    "400 with a text": lambda key: web.Response(status=400, text="the session has expired"),
}


@pytest.mark.parametrize("spelling", GONE.values(), ids=GONE.keys())
@pytest.mark.parametrize("case", params(4, only=("M14",)))
async def test_a_forgotten_session_is_made_anew_and_the_call_runs_once(
    case: dict[str, Any], spelling: Answer
) -> None:
    async with RawHttpServer() as http, running(url=http.url) as server:
        http.unknown_session = spelling
        async with anyio.create_task_group() as tasks:
            hung: list[Any] = []

            async def hang() -> None:
                hung.append(await call(server, "hang"))

            tasks.start_soon(hang)
            await http.hanging.wait()
            http.sessions.clear()
            result = await call(server, "echo", a=1)
            http.release.set()
        assert result.ok
        assert hung[0].ok
        assert http.executed == [("hang", {}), ("echo", {"a": 1})]
        assert http.methods.count("initialize") == 2
        assert http.methods.count("server/discover") == 1


async def test_a_session_that_is_forgotten_again_and_again_is_renewed_once_a_call() -> None:
    async with RawHttpServer() as http, running(url=http.url) as server:
        http.before_call = http.sessions.clear
        result = await call(server, "echo")
        assert result.status is ResultStatus.FAILED
        assert http.executed == []
        assert http.methods.count("initialize") == 2


async def test_a_session_that_is_forgotten_while_the_list_is_read_is_made_anew() -> None:
    async with RawHttpServer() as http, running(url=http.url) as server:
        http.tools = ("echo", "more")
        await http.announce()
        http.sessions.clear()
        await settled(server, "more")
        assert originals(server) == ["echo", "more"]
        assert http.methods.count("initialize") == 2


async def test_a_changed_list_is_told_over_http_too() -> None:
    async with RawHttpServer() as http, running(url=http.url) as server:
        http.tools = ("more",)
        await http.announce()
        await settled(server, "more")
        assert originals(server) == ["more"]
        assert http.methods.count("tools/list") == 2


@pytest.mark.parametrize(
    ("status", "expected", "retryable"),
    [
        (401, ResultStatus.FAILED, False),
        (429, ResultStatus.FAILED, True),
        (500, ResultStatus.UNCERTAIN, False),
        (503, ResultStatus.UNCERTAIN, False),
    ],
)
async def test_an_http_status_tells_whether_the_call_can_have_run(
    status: int, expected: ResultStatus, retryable: bool
) -> None:
    async with RawHttpServer() as http, running(url=http.url) as server:
        result = await call(server, "status", status=status, text="because\x00 of it")
    assert (result.status, result.retryable) == (expected, retryable)
    assert f"HTTP {status}: because of it" in result.content


async def test_headers_come_from_the_environment_and_stay_out_of_texts() -> None:
    async with RawHttpServer() as http:
        echoing = "bad token tok-12345678"
        headers = {"Authorization": "Bearer ${TOKEN}"}
        async with running(url=http.url, headers=headers) as server:
            assert http.headers["Authorization"] == "Bearer tok-12345678"
            result = await call(server, "status", status=401, text=echoing)
            assert "bad token ***" in result.content
        http.override = lambda key: web.Response(status=401, text=echoing)
        async with running(url=http.url, headers=headers) as server:
            assert server.state() == "not available: HTTP 401: bad token ***"


async def test_a_redirect_to_another_address_is_not_followed() -> None:
    async with RawHttpServer() as target, RawHttpServer() as http:
        http.override = lambda key: web.Response(status=307, headers={"Location": target.url})
        async with running(url=http.url, headers={"X-Key": "${TOKEN}"}) as server:
            assert "not followed" in server.state()
        assert target.methods == []


async def test_a_result_of_two_megabytes_arrives_whole_over_json_and_events() -> None:
    async with RawHttpServer(modern=True) as http, running(url=http.url) as server:
        long = {"content": [{"type": "text", "text": "x" * 2_000_000}], "resultType": "complete"}
        http.override = lambda key: reply(key, result=long)
        assert len((await call(server, "echo")).content) == 2_000_000
        body = json.dumps({"jsonrpc": "2.0", "id": 0, "result": long})
        http.override = lambda key: web.Response(
            text="data: " + body.replace('"id": 0', f'"id": {key}') + "\n\n",
            content_type="text/event-stream",
        )
        assert len((await call(server, "echo")).content) == 2_000_000


@pytest.mark.parametrize(
    "answer",
    [
        lambda key: web.Response(status=202),
        lambda key: web.Response(text="<html>", content_type="text/html"),
        lambda key: web.Response(text="{", content_type="application/json"),
        lambda key: web.Response(text="", content_type="text/event-stream"),
    ],
    ids=["202", "html", "half a JSON", "events without an answer"],
)
async def test_an_answer_that_cannot_be_read_leaves_the_outcome_open(answer: Answer) -> None:
    async with RawHttpServer() as http, running(url=http.url) as server:
        http.override = answer
        assert (await call(server, "echo")).status is ResultStatus.UNCERTAIN
        http.override = None
        assert (await call(server, "echo")).ok


async def test_a_server_that_is_down_is_tried_again_with_growing_pauses() -> None:
    clock = HeldClock()
    async with RawHttpServer() as http:
        await http.stop()
        async with running(url=http.url, clock=clock) as server:
            for _ in range(3):
                await clock.asleep.wait()
                assert server.state().startswith("not available: cannot connect")
                clock.let_go()
            await clock.asleep.wait()
            await http.listen()
            clock.let_go()
            await until(lambda: server.state() == "ready")
    assert clock.sleeps == [0.625, 1.25, 2.5, 5.0]
