"""The HTTP client under the SDK's streamable HTTP transport: every failure becomes an answer.

In the SDK, a connection error in one request ends the connection of all, a refusal loses its text,
and an error without an id is never delivered. Here each becomes a JSON-RPC error of the request
that it belongs to, with a note whether that request can have been carried out.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2
import msgspec
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client
from mcp_types import CONNECTION_CLOSED

from pointsman.adapters.tools.mcp_mending import ReadableEvents, readable
from pointsman.adapters.tools.mcp_results import SENT, STATUS
from pointsman.domain.text import clean

CONNECT_TIMEOUT = 10.0
LONGEST_SILENCE = 300.0
LARGEST_ANSWER = 16 * 1024 * 1024

_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class HttpClient(httpx2.AsyncClient):
    """Sends MCP messages; never raises for what the network or the server did.

    Attributes:
        in_session: the server gave us a session id, and we sent it.
    """

    def __init__(self, url: str, headers: Mapping[str, str], *, longest_call: float) -> None:
        super().__init__(
            headers=dict(headers),
            timeout=httpx2.Timeout(
                CONNECT_TIMEOUT,
                read=max(LONGEST_SILENCE, longest_call + CONNECT_TIMEOUT),
                write=longest_call,
                pool=None,
            ),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            trust_env=urlsplit(url).hostname not in _LOOPBACK,
        )
        self.in_session = False

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """As in the base class; the SDK sends everything through here.

        The SDK follows redirects, and only those that stay at the same address.
        """
        session = MCP_SESSION_ID in request.headers
        self.in_session |= session
        try:
            response = await super().send(request, **options)
            kind = response.headers.get("content-type", "").lower()
            streamed = kind.startswith("text/event-stream") and response.is_success
            if streamed and "content-encoding" not in response.headers:
                response.stream = ReadableEvents(response.stream, largest=LARGEST_ANSWER)
            if request.method != "POST" or response.is_redirect or streamed:
                return response
            return await _whole(response, session=session)
        except _NOT_SENT as fault:
            return _failure(request, f"cannot connect: {_reason(fault)}", sent=False)
        except httpx2.RequestError as fault:
            return _failure(request, f"the connection broke: {_reason(fault)}", sent=True)


async def _whole(response: httpx2.Response, *, session: bool) -> httpx2.Response:
    """The response with its body read, and with any refusal as a JSON-RPC error."""
    request, status = response.request, response.status_code
    try:
        body = await _body(response)
    finally:
        await response.aclose()
    if body is None:
        return _failure(request, "the answer is larger than 16 MB", sent=True)
    if status == 404 and session:
        return _failure(request, "session not found (HTTP 404)", sent=False, status=status)
    error = _rpc_error(body)
    if error is not None and (status >= 400 or error.get("id") is None):
        return httpx2.Response(max(status, 400), json=error, request=request)
    if status >= 400:
        text = " ".join(clean(body[:2000].decode(errors="replace")).split())[:300]
        return _failure(
            request,
            f"HTTP {status}" + (f": {text}" if text else ""),
            sent=status >= 500,
            status=status,
        )
    headers = {"content-type": response.headers.get("content-type", "")}
    if given := response.headers.get(MCP_SESSION_ID):
        headers[MCP_SESSION_ID] = given
    if headers["content-type"].lower().startswith("application/json"):
        body = readable(body)
    return httpx2.Response(status, headers=headers, content=body, request=request)


async def _body(response: httpx2.Response) -> bytes | None:
    """The decoded body, or None when it is too large."""
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > LARGEST_ANSWER:
            return None
    return bytes(body)


def _rpc_error(body: bytes) -> dict[str, Any] | None:
    """The JSON-RPC error that the body is, if it is one."""
    if b'"error"' not in body:
        return None
    try:
        message = msgspec.json.decode(body)
    except ValueError:
        return None
    error = message.get("error") if isinstance(message, dict) else None
    if (
        isinstance(error, dict)
        and isinstance(error.get("code"), int)
        and isinstance(error.get("message"), str)
    ):
        return {"jsonrpc": "2.0", "id": message.get("id"), "error": error}
    return None


def _failure(
    request: httpx2.Request, why: str, *, sent: bool, status: int | None = None
) -> httpx2.Response:
    """A response that makes the SDK fail this request, and no other, with our words.

    Args:
        sent: the server may have carried the request out.
        status: the server's HTTP status, when it answered.
    """
    error = {
        "code": CONNECTION_CLOSED,
        "message": why,
        "data": {SENT: sent, **({STATUS: status} if status else {})},
    }
    return httpx2.Response(
        status or 502, json={"jsonrpc": "2.0", "id": None, "error": error}, request=request
    )


def _reason(fault: Exception) -> str:
    return str(fault) or type(fault).__name__


@asynccontextmanager
async def http_transport(url: str, client: HttpClient) -> AsyncGenerator[Any]:
    """The SDK's transport over this client, which it closes."""
    async with (
        client,
        streamable_http_client(
            url, http_client=client, max_sse_event_size=LARGEST_ANSWER
        ) as streams,
    ):
        yield streams
