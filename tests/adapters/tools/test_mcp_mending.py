"""Messages of tool servers that are not quite JSON-RPC."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from pointsman.adapters.tools.mcp_mending import ReadableEvents, readable, reread
from pointsman.domain.tools import ResultStatus
from tests.support.mcp_sources import call, originals, raw, running
from tests.support.raw_mcp_http import RawHttpServer

pytestmark = pytest.mark.anyio

HALF = (
    r'{"jsonrpc": "2.0", "id": $id, "result": {"content": [{"type": "text", "text": "a\ud83d"}]}}'
)
ODD: list[tuple[str, ResultStatus, str]] = [
    (HALF, ResultStatus.OK, "a\ufffd"),
    (HALF.replace(r"\ud83d", "\t"), ResultStatus.OK, "a\t"),
    ("\ufeff" + HALF.replace(r"\ud83d", "b"), ResultStatus.OK, "ab"),
    ("[" + HALF.replace(r"\ud83d", "b") + "]", ResultStatus.OK, "ab"),
    ('{"id": $id, "result": {"content": "bare"}}', ResultStatus.OK, "bare"),
    ('{"jsonrpc": "2.0", "id": $id, "result": "bare"}', ResultStatus.OK, "bare"),
    ('{"jsonrpc": "2.0", "id": $id, "result": [1, 2]}', ResultStatus.OK, "[1, 2]"),
    ('{"jsonrpc": "2.0", "id": $id, "error": "no disk"}', ResultStatus.ERROR, "ERROR: no disk"),
    (
        '{"jsonrpc": "2.0", "id": $id, "error": {"code": "E1", "message": "no disk"}}',
        ResultStatus.ERROR,
        "ERROR: no disk",
    ),
    (
        '{"jsonrpc": "2.0", "id": $id, "error": {"code": -32000}}',
        ResultStatus.ERROR,
        "ERROR: the server did not say what is wrong",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_an_answer_that_is_not_quite_one_is_read_over_a_pipe(era: str) -> None:
    """Case H08: half a character in a result cost the call its outcome."""
    async with running(**raw(ERA=era)) as server:
        for line, status, content in ODD:
            result = await call(server, "line", line=line)
            assert (result.status, result.content) == (status, content)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_an_answer_that_is_not_quite_one_is_read_over_http(kind: str) -> None:
    async with RawHttpServer() as http, running(url=http.url) as server:
        for line, status, content in ODD:

            def answer(key: Any, line: str = line) -> web.Response:
                text = line.replace("$id", json.dumps(key))
                framed = f"event: message\ndata: {text}\n\n" if "event" in kind else text
                return web.Response(text=framed, content_type=kind)

            http.override = answer
            result = await call(server, "echo")
            assert (result.status, result.content) == (status, content)


@pytest.mark.slow
@pytest.mark.parametrize(
    "welcome",
    [
        {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}},
        {"protocolVersion": "2025-06-18", "capabilities": None, "serverInfo": {"name": "raw"}},
        {"capabilities": {"tools": True, "logging": "yes"}, "serverInfo": None},
    ],
)
async def test_a_handshake_that_leaves_something_out_does_not_lose_the_server(
    welcome: dict[str, Any],
) -> None:
    async with running(**raw(ERA="legacy", WELCOME=welcome)) as server:
        assert "echo" in originals(server)


@pytest.mark.parametrize(
    "line",
    [
        "starting up",
        "null",
        "[]",
        "{}",
        "[1, 2]",
        '{"jsonrpc": "2.0", "result": {}}',
        '{"id": 1, "result": ' + "[" * 5000 + "]" * 5000 + "}",
    ],
)
def test_what_is_no_message_stays_none(line: str) -> None:
    with pytest.raises(ValidationError) as caught:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    assert reread(caught.value) is None
    assert readable(line.encode()) == line.encode()


async def test_events_are_read_in_whatever_pieces_they_come() -> None:
    event = b"id: 7\r\ndata: " + HALF.replace("$id", "3").encode() + b"\r\n\r\n: still here\n"

    async def pieces() -> AsyncIterator[bytes]:
        for place in range(0, len(event), 7):
            yield event[place : place + 7]

    read = b"".join([piece async for piece in ReadableEvents(pieces(), largest=1000)])
    assert read.startswith(b"id: 7\r\ndata:{")
    assert "a\ufffd" in read.decode()
    assert read.endswith(b"\n\r\n: still here\n")
    whole = b"".join([piece async for piece in ReadableEvents(pieces(), largest=20)])
    assert whole == event
