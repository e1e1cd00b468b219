"""A model server for tests: real HTTP on loopback, scripted, in three dialects, with faults.

    async with ModelServer([calling("add", a=1, b=2), "three"]) as server:
        model = ChatCompletions(server.spec(), clock=clock)
        ...
        assert server.requests[1]["messages"][-1]["role"] == "tool"

A script is a list, each item one answer in order, or a function that gets the request's JSON and
gives an answer; an item of a list may be such a function too. An answer is a text, a ``Reply``, or
a ``Raw``. The dialect decides how a ``Reply`` is written: ``openai`` or ``articles``
(``stop_reason``, no call ids, no ``type``); either is streamed when the request says so.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from aiohttp import web

from pointsman.domain.agent import ModelSpec

Dialect = Literal["openai", "articles"]
Wait = Callable[[], Awaitable[object]]
USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 5,
    "total_tokens": 15,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 2},
}


@dataclass(frozen=True, kw_only=True)
class Faults:
    """What goes wrong around an answer.

    Attributes:
        first_byte: waited for before the head of the answer is sent.
        after_head: waited for after the head and before the body.
        midway: waited for after the first piece of the body.
        drop_after: break the connection after so many pieces of the body.
        stay_open: after the last piece, keep the body open until the client leaves.
        end_late: end the body in a write of its own, after the loop has turned a few times.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    first_byte: Wait | None = None
    after_head: Wait | None = None
    midway: Wait | None = None
    drop_after: int | None = None
    stay_open: bool = False
    end_late: bool = False


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call; ``arguments`` that are text are sent as they stand."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Reply(Faults):
    """What the model answers, in no dialect.

    Attributes:
        stop: the reason; from the calls when None.
        pieces: the text's pieces when it is streamed; single characters when empty.
        whole: answer with one JSON object though a stream was asked for.
        piece_bytes: cut the body into pieces of so many bytes, through events and characters.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    reasoning: str = ""
    stop: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: USAGE)
    pieces: Sequence[str] = ()
    piece_bytes: int | None = None
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Raw(Faults):
    """An answer byte for byte."""

    status: int = 200
    body: bytes | Sequence[bytes] = b""
    content_type: str = "application/json"


Answer = str | Reply | Raw
Script = Sequence[Any] | Callable[[dict[str, Any]], Answer]


def calling(name: str, /, **arguments: Any) -> Reply:
    """A reply of one tool call."""
    return Reply(calls=[Call(name=name, arguments=arguments)])


def failing(status: int, message: str = "no", *, retry_after: str | None = None) -> Raw:
    """An error answer in OpenAI's shape."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}})
    return Raw(status=status, body=body.encode(), headers=headers)


def events(*payloads: str | Mapping[str, Any], **faults: Any) -> Raw:
    """A stream of these payloads, one write each."""
    texts = [each if isinstance(each, str) else json.dumps(each) for each in payloads]
    body = [f"data: {text}\n\n".encode() for text in texts]
    return Raw(body=body, content_type="text/event-stream", **faults)


class ModelServer:
    """Serves ``POST /v1/chat/completions`` on a free port of loopback.

    Attributes:
        requests: the JSON of each request, in order of arrival.
        headers: the headers of each.
        bodies: the bytes of each.
        aborted: how many answers the client left before their end.
        connections: how many connections were opened.
    """

    def __init__(self, script: Script = (), *, dialect: Dialect = "openai") -> None:
        self._script, self._dialect = script, dialect
        self._next = 0
        self._arrived = asyncio.Condition()
        self._left = asyncio.Condition()
        self._peers: set[Any] = set()
        self.requests: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []
        self.headers: list[Mapping[str, str]] = []
        self.aborted = 0

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=64 * 1024 * 1024)
        application.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(
            application, handler_cancellation=True, access_log=None, shutdown_timeout=0.1
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._runner.cleanup()

    def spec(self, **fields: Any) -> ModelSpec:
        """A specification of a model at this server."""
        use = "articles" if self._dialect == "articles" else "compatible"
        return ModelSpec(**{"use": use, "name": "m", "base_url": self.base_url, **fields})

    @property
    def connections(self) -> int:
        return len(self._peers)

    @property
    def open_connections(self) -> int:
        server = self._runner.server
        return len(server.connections) if server else 0

    async def arrived(self, count: int) -> None:
        """Wait until so many requests have come."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    async def left(self, count: int = 1) -> None:
        """Wait until the client has left so many answers before their end."""
        async with self._left:
            await self._left.wait_for(lambda: self.aborted >= count)

    async def idle(self) -> None:
        """Wait until the client has closed its connections."""
        while self.open_connections:
            await turns()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        asked = json.loads(body)
        if request.transport is not None:
            self._peers.add(request.transport.get_extra_info("peername"))
        self.requests.append(asked)
        self.bodies.append(body)
        self.headers.append(request.headers)
        async with self._arrived:
            self._arrived.notify_all()
        raw = written(self._chosen(asked), asked, self._dialect)
        try:
            return await _send(request, raw)
        except (asyncio.CancelledError, ConnectionError):
            self.aborted += 1
            async with self._left:
                self._left.notify_all()
            raise

    def _chosen(self, asked: dict[str, Any]) -> Answer:
        item: Any = self._script
        if not callable(item):
            if self._next >= len(item):
                return failing(400, "the script of this test is at its end")
            item = item[self._next]
            self._next += 1
        answer: Answer = item(asked) if callable(item) else item
        return answer


async def _send(request: web.Request, raw: Raw) -> web.StreamResponse:
    if raw.first_byte:
        await raw.first_byte()
    headers = {"Content-Type": raw.content_type, **raw.headers}
    response = web.StreamResponse(status=raw.status, headers=headers)
    await response.prepare(request)
    if raw.after_head:
        await raw.after_head()
    pieces = [raw.body] if isinstance(raw.body, bytes) else list(raw.body)
    for count, piece in enumerate(pieces):
        if count == raw.drop_after:
            break
        if piece:
            await response.write(piece)
        if count == 0 and raw.midway:
            await raw.midway()
    if raw.drop_after is not None:
        if request.transport is not None:
            request.transport.close()
        return response
    if raw.stay_open:
        await asyncio.Event().wait()
    if raw.end_late:
        await turns()
    await response.write_eof()
    return response


async def turns(count: int = 20) -> None:
    """Let everybody else in the loop go on a few times."""
    for _ in range(count):
        await asyncio.sleep(0)


def written(answer: Answer, asked: Mapping[str, Any], dialect: Dialect) -> Raw:
    """The answer as the bytes that a server of this dialect sends to this request."""
    if isinstance(answer, Raw):
        return answer
    reply = Reply(text=answer) if isinstance(answer, str) else answer
    model = asked.get("model", "m")
    if asked.get("stream") and not reply.whole:
        body, kind = _stream(reply, model, dialect), "text/event-stream"
    else:
        body, kind = [_json(_completion(reply, model, dialect))], "application/json"
    if reply.piece_bytes:
        joined = b"".join(body)
        size = reply.piece_bytes
        body = [joined[start : start + size] for start in range(0, len(joined), size)]
    faults = {name: getattr(reply, name) for name in Faults.__dataclass_fields__}
    return replace(Raw(body=body, content_type=kind), **faults)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _stop(reply: Reply) -> str:
    return reply.stop or ("tool_calls" if reply.calls else "stop")


def _calls(reply: Reply, dialect: Dialect) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    for index, call in enumerate(reply.calls):
        arguments = call.arguments
        text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        function = {"arguments": text, "name": call.name}
        if dialect == "articles":
            calls.append({"function": function})
        else:
            identity = call.id if call.id is not None else f"call_{index}"
            calls.append({"id": identity, "type": "function", "function": function})
    return calls


def _completion(reply: Reply, model: str, dialect: Dialect) -> dict[str, Any]:
    message: dict[str, Any] = {"content": reply.text, "role": "assistant"}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = _calls(reply, dialect)
        if dialect == "openai" and not reply.text:
            message["content"] = None
    choice: dict[str, Any] = {"index": 0, "message": message}
    choice["stop_reason" if dialect == "articles" else "finish_reason"] = _stop(reply)
    whole: dict[str, Any] = {"choices": [choice], "model": model}
    if dialect == "openai":
        whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, **whole}
    if reply.usage is not None:
        whole["usage"] = dict(reply.usage)
    return whole


def _stream(reply: Reply, model: str, dialect: Dialect) -> list[bytes]:
    reason = "stop_reason" if dialect == "articles" else "finish_reason"
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in reply.reasoning]
    deltas += [{"content": piece} for piece in reply.pieces or reply.text]
    for index, call in enumerate(_calls(reply, dialect)):
        text = call["function"]["arguments"]
        opened = {**call, "function": {**call["function"], "arguments": ""}}
        place: dict[str, Any] = {} if dialect == "articles" else {"index": index}
        deltas.append({"tool_calls": [{**place, **opened}]})
        for start in range(0, len(text), 7):
            piece = {"function": {"arguments": text[start : start + 7]}}
            deltas.append({"tool_calls": [{**place, **piece}]})
    chunks: list[list[dict[str, Any]]] = [
        [{"index": 0, "delta": delta, reason: None}] for delta in deltas
    ]
    chunks.append([{"index": 0, "delta": {}, reason: _stop(reply)}])
    head: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
    }
    payloads = [{**head, "model": model, "choices": choices} for choices in chunks]
    if reply.usage is not None:
        payloads.append({**head, "model": model, "choices": [], "usage": dict(reply.usage)})
    return [b"data: " + _json(payload) + b"\n\n" for payload in payloads] + [b"data: [DONE]\n\n"]
