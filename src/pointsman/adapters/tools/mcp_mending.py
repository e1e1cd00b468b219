"""Messages of a tool server that are not quite JSON-RPC, read for what they say.

Above: ``mcp_wire`` and ``mcp_http``. The SDK drops what it cannot parse, and the call that it
answers waits out its time and is of unknown outcome, although it has been carried out and answered.
Read all the same are half a character in a text (servers in JavaScript cut texts so, case H08), a
bare control character, a byte order mark, a batch of one message, and an answer without a version,
with an error that is a mere text or a result that is no object.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from pointsman.domain.text import clean_value

SERVER_ERROR = -32000
_DATA = b"data:"


def reread(fault: Exception) -> JSONRPCMessage | None:
    """The message that the SDK could not read, or None when it is none."""
    if not isinstance(fault, ValidationError):
        return None
    for problem in fault.errors(include_url=False, include_context=False):
        kind, place = problem["type"], problem["loc"]
        if not place or (kind, len(place)) in (("model_type", 1), ("missing", 2)):
            return _message(problem["input"])
    return None


def readable(body: bytes) -> bytes:
    """The message so that the SDK can read it, or as it is."""
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError as fault:
        message = reread(fault)
        return message.model_dump_json(exclude_none=True).encode() if message else body
    return body


class ReadableEvents(httpx2.AsyncByteStream):
    """An event stream whose messages the SDK can read."""

    def __init__(self, inner: Any, *, largest: int) -> None:
        """Args:
        largest: bytes of a line that are held back to be looked at.
        """
        self._inner = inner
        self._largest = largest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        begun = b""
        async for chunk in self._inner:
            *lines, begun = (begun + chunk).split(b"\n")
            if lines:
                yield b"".join(_line(line) + b"\n" for line in lines)
            if len(begun) > self._largest:
                yield begun
                begun = b""
        if begun:
            yield _line(begun)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _line(line: bytes) -> bytes:
    payload = line[len(_DATA) :].strip() if line.startswith(_DATA) else b""
    if not payload:
        return line
    mended = readable(payload)
    return line if mended is payload else _DATA + mended


def _message(told: Any) -> JSONRPCMessage | None:
    try:
        value = clean_value(_value(told))
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return None
        return jsonrpc_message_adapter.validate_python(_shaped(value), by_name=False)
    except (ValueError, RecursionError):
        return None


def _value(told: Any) -> Any:
    if isinstance(told, bytes):
        told = told.decode(errors="replace")
    return json.loads(told.lstrip("\ufeff"), strict=False) if isinstance(told, str) else told


def _shaped(value: dict[str, Any]) -> dict[str, Any]:
    """The object as a message of the protocol; an answer has an error or a result that is one."""
    shaped = value | {"jsonrpc": "2.0"}
    if "method" in shaped:
        return shaped
    if error := shaped.get("error"):
        shaped.pop("result", None)
        shaped["error"] = _error(error)
    elif not isinstance(shaped.get("result", {}), dict):
        shaped["result"] = {"structuredContent": shaped["result"]}
    return shaped


def _error(error: Any) -> dict[str, Any]:
    said = error if isinstance(error, dict) else {"message": error}
    code, message = said.get("code"), said.get("message") or "the server did not say what is wrong"
    return said | {
        "code": code if type(code) is int else SERVER_ERROR,
        "message": message if isinstance(message, str) else json.dumps(message),
    }
