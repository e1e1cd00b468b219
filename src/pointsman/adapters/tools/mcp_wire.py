"""The stream between the SDK and a tool server, with our two wishes added.

Above: the SDK's client, which correlates, negotiates and cancels. Below: one of its transports. The
SDK checks every answer strictly and as a whole: one tool without a schema loses the list, one
unknown content block loses a result that was already paid for. So ``tools/list`` and ``tools/call``
answers pass it as plain valid ones, and ``Wire.raw`` gives what the server really said. And the SDK
does not tell when a connection ends; ``Wire.ended`` does.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    Result,
)
from mcp_types.version import LATEST_HANDSHAKE_VERSION

from pointsman.adapters.tools.mcp_mending import reread

Item = SessionMessage | Exception
_RAW = "pointsman/raw"


class Wire:
    """What passes over one connection."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        """The server's side is closed: nothing will come any more."""
        self._methods: dict[RequestId, str] = {}
        self._raw: dict[RequestId, dict[str, Any]] = {}

    def raw(self, result: Result) -> dict[str, Any]:
        """What the server answered where the SDK read this result; once."""
        return self._raw.pop((result.meta or {}).get(_RAW, ""), {})

    def sent(self, item: SessionMessage) -> None:
        """Take note of a message to the server."""
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._methods[coerce_request_id(message.id)] = message.method
        elif isinstance(message, JSONRPCNotification) and message.method.endswith("/cancelled"):
            given_up = coerce_request_id((message.params or {}).get("requestId", ""))
            self._methods.pop(given_up, None)
            self._raw.pop(given_up, None)

    def received(self, item: Item) -> Item:
        """Take note of a message from the server, and make it one that the SDK can read."""
        if isinstance(item, Exception):
            mended = reread(item)
            if mended is None:
                return item
            item = SessionMessage(mended)
        message = item.message
        if isinstance(message, JSONRPCError):
            if message.id is None and len(self._methods) == 1:
                message.id = next(iter(self._methods))  # it can be about nothing else
            if message.id is not None:
                self._methods.pop(coerce_request_id(message.id), None)
        elif isinstance(message, JSONRPCResponse):
            key = coerce_request_id(message.id)
            method = self._methods.pop(key, "")
            if method == "initialize":
                message.result = _plain_welcome(message.result)
            elif method in _PLAIN:
                self._raw[key] = message.result
                message.result = {
                    **_PLAIN[method](message.result),
                    "_meta": {_RAW: key},
                    "resultType": "complete",
                }
        return item


def _plain_welcome(result: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to the handshake with all that the SDK demands of it."""
    told, able = result.get("serverInfo"), result.get("capabilities")
    named = told if isinstance(told, dict) else {}
    abilities = able if isinstance(able, dict) else {}
    return {
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        **result,
        "serverInfo": {
            part: word if isinstance(word := named.get(part), str) else ""
            for part in ("name", "version")
        },
        "capabilities": {
            name: {} if of is True else of
            for name, of in abilities.items()
            if of is True or isinstance(of, dict)
        },
    }


def _plain_call(_: Mapping[str, Any]) -> dict[str, Any]:
    # Marked as an error, a result is not checked against the tool's output schema.
    return {"content": [], "isError": True}


def _plain_list(result: Mapping[str, Any]) -> dict[str, Any]:
    cursor = result.get("nextCursor")
    return {
        # The SDK needs the schemas too: some arguments travel in HTTP headers as well.
        "tools": [
            {"name": tool["name"], "inputSchema": _plain_schema(tool.get("inputSchema"))}
            for tool in listed(result)
        ],
        **({"nextCursor": cursor} if isinstance(cursor, str) and cursor else {}),
        "ttlMs": 0,
        "cacheScope": "private",
    }


_PLAIN = {"tools/call": _plain_call, "tools/list": _plain_list}


def listed(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of a ``tools/list`` answer that are tools with a name."""
    tools = result.get("tools")
    return [
        tool
        for tool in (tools if isinstance(tools, list) else [])
        if isinstance(tool, dict) and isinstance(tool.get("name"), str) and tool["name"]
    ]


def _plain_schema(schema: Any) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {"type": "object"}
    kept = {name: part for name, part in properties.items() if isinstance(part, dict | bool)}
    return {"type": "object", "properties": kept}


class _Reading:
    """The SDK's read stream, seen through a ``Wire``."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner, self._wire = inner, wire

    async def receive(self) -> Item:
        try:
            return self._wire.received(await self._inner.receive())
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._wire.ended.set()
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Writing:
    """The SDK's write stream, seen through a ``Wire``."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner, self._wire = inner, wire

    async def send(self, item: SessionMessage, /) -> None:
        self._wire.sent(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


@asynccontextmanager
async def watched(
    transport: AbstractAsyncContextManager[Any], wire: Wire
) -> AsyncGenerator[tuple[_Reading, _Writing]]:
    """The transport with the wire on it."""
    async with transport as (reading, writing):
        yield _Reading(reading, wire), _Writing(writing, wire)
