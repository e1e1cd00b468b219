"""Exchanges with a model server, written to a file and played from it.

Both stand where HTTP stands (``exchange.Wire``), so that a played exchange goes through the same
reading, retrying and merging as a real one, byte for byte:

    ChatCompletions(spec, clock=clock, wire=Recorder(http_wire(spec), "talk.jsonl"))
    ChatCompletions(spec, clock=clock, wire=Recorded("talk.jsonl"))

A file holds one exchange a line. No header of a request and no address is stored; the key is taken
out of what a server repeats.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pointsman.adapters.models.exchange import Answer, Dropped, HttpWire, Wire, checked_key
from pointsman.adapters.models.presets import endpoint
from pointsman.domain.agent import ModelSpec
from pointsman.errors import ModelRejected, SettingsError

_KEPT_HEADERS = ("Content-Type", "Retry-After")


class Exchange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a recording.

    Attributes:
        digest: of the request, see ``digest``.
        request: the body that was sent, for people and tools.
        chunks: the body that was answered, in the pieces in which it came.
        dropped: the connection broke after the last piece.
    """

    digest: str
    request: msgspec.Raw
    status: int
    headers: dict[str, str] = {}
    chunks: list["Chunk"] = []
    dropped: bool = False


class Chunk(Struct, frozen=True, omit_defaults=True):
    """Bytes: as text where they are UTF-8, else in Base64."""

    text: str = ""
    base64: bytes = b""

    @classmethod
    def of(cls, piece: bytes) -> "Chunk":
        try:
            return cls(text=piece.decode())
        except UnicodeDecodeError:
            return cls(base64=piece)

    @property
    def piece(self) -> bytes:
        return self.base64 or self.text.encode()


def digest(body: bytes) -> str:
    """What makes two requests the same: all but the order of fields and the ids of calls.

    Ids are counted through instead, as some are made by us and differ from run to run.
    """
    request = msgspec.json.decode(body)
    names: dict[str, str] = {}
    for message in request.get("messages", ()):
        for call in message.get("tool_calls") or ():
            if "id" in call:
                call["id"] = names.setdefault(call["id"], f"#{len(names)}")
        if "tool_call_id" in message:
            wanted = message["tool_call_id"]
            message["tool_call_id"] = names.setdefault(wanted, f"#{len(names)}")
    ordered = msgspec.json.encode(request, order="deterministic")
    return hashlib.sha256(ordered).hexdigest()


def http_wire(spec: ModelSpec, environment: Mapping[str, str] = os.environ) -> HttpWire:
    """The wire that a model specification means, to be recorded.

    Raises:
        SettingsError: as of ``ChatCompletions``.
    """
    target = endpoint(spec)
    return HttpWire(target, checked_key(target, environment))


class Recorder:
    """A wire that writes every exchange of another wire to a file.

    An exchange is written when its answer is closed, with what was read of it.
    """

    def __init__(self, wire: Wire, path: str | Path, *, secrets: tuple[str, ...] = ()) -> None:
        """Args:
        secrets: texts that must not be stored, beside the wire's own key.
        """
        self._secrets = [secret.encode() for secret in (wire.key, *secrets) if secret]
        self._wire, self._path = wire, Path(path)

    @property
    def key(self) -> str:
        return self._wire.key

    async def post(self, body: bytes, connected: Callable[[], None]) -> Answer:
        return _RecordedAnswer(self, body, await self._wire.post(body, connected))

    async def aclose(self) -> None:
        await self._wire.aclose()

    def write(self, body: bytes, answer: Answer, chunks: list[bytes], *, dropped: bool) -> None:
        exchange = Exchange(
            digest=digest(body),
            request=msgspec.Raw(self._safe(body)),
            status=answer.status,
            headers={
                name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers
            },
            chunks=[Chunk.of(piece) for piece in self._safe_chunks(chunks)],
            dropped=dropped,
        )
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(exchange) + b"\n")

    def _safe(self, text: bytes) -> bytes:
        for secret in self._secrets:
            text = text.replace(secret, b"***")
        return text

    def _safe_chunks(self, chunks: list[bytes]) -> list[bytes]:
        """The pieces; as one when a secret stands in them, perhaps across two."""
        whole = b"".join(chunks)
        return chunks if self._safe(whole) == whole else [self._safe(whole)]


class _RecordedAnswer:
    """Passes an answer on and keeps what was read of it."""

    def __init__(self, recorder: Recorder, body: bytes, answer: Answer) -> None:
        self._recorder, self._body, self._answer = recorder, body, answer
        self._chunks: list[bytes] = []
        self._dropped = self._written = False
        self.status, self.headers = answer.status, answer.headers

    async def read(self) -> bytes:
        try:
            chunk = await self._answer.read()
        except Dropped:
            self._dropped = True
            raise
        if chunk:
            self._chunks.append(chunk)
        return chunk

    async def settle(self) -> None:
        await self._answer.settle()

    def close(self) -> None:
        self._answer.close()
        if not self._written:
            self._written = True
            self._recorder.write(self._body, self._answer, self._chunks, dropped=self._dropped)


class Recorded:
    """A wire that answers from a recording, without a network.

    Requests may come in any order. A request that was recorded several times gets its answers in
    the order in which they were recorded, the last one again and again.
    """

    key = ""

    def __init__(self, path: str | Path) -> None:
        """Raises:
        SettingsError: there is no such file, or a line of it is no exchange.
        """
        self._path = Path(path)
        self._exchanges: dict[str, list[Exchange]] = {}
        self._played: Counter[str] = Counter()
        try:
            lines = self._path.read_bytes().splitlines()
        except OSError as error:
            raise SettingsError(f"cannot read the recording {path}: {error.strerror}") from None
        for number, line in enumerate(lines, start=1):
            try:
                exchange = msgspec.json.decode(line, type=Exchange)
            except msgspec.DecodeError as error:
                raise SettingsError(f"{path}:{number}: not a recorded exchange: {error}") from None
            self._exchanges.setdefault(exchange.digest, []).append(exchange)

    async def post(self, body: bytes, connected: Callable[[], None]) -> Answer:
        """Raises:
        ModelRejected: the request was never recorded.
        """
        wanted = digest(body)
        recorded = self._exchanges.get(wanted)
        if recorded is None:
            raise ModelRejected(f"{self._path} holds no recording of {_described(body)}; record it")
        exchange = recorded[min(self._played[wanted], len(recorded) - 1)]
        self._played[wanted] += 1
        return _PlayedAnswer(exchange)

    async def aclose(self) -> None:
        """Nothing is open."""


class _PlayedAnswer:
    """An answer from a recording, piece by piece as it came."""

    def __init__(self, exchange: Exchange) -> None:
        self.status = exchange.status
        self.headers = exchange.headers
        self._pieces = [chunk.piece for chunk in reversed(exchange.chunks)]
        self._dropped = exchange.dropped

    async def read(self) -> bytes:
        if self._pieces:
            return self._pieces.pop()
        if self._dropped:
            raise Dropped("the recorded connection broke off here")
        return b""

    async def settle(self) -> None:
        """There is no connection."""

    def close(self) -> None:
        """There is no connection."""


def _described(body: bytes) -> str:
    request: dict[str, Any] = msgspec.json.decode(body)
    messages = request.get("messages") or [{}]
    last = messages[-1]
    return (
        f"this request (model {request.get('model')}, {len(messages)} messages, the last one "
        f"{last.get('role')}: {str(last.get('content'))[:60]!r})"
    )
