"""A model behind an OpenAI-compatible Chat Completions API.

Above: ``engine.turn``. Beside: ``presets`` (what differs between providers), ``encoding`` (request
→ bytes), ``exchange`` (one HTTP exchange), ``sse`` and ``deltas`` (bytes → reply), ``deadlines``.
This module is the order in which they are used: encode once, then attempt after attempt until there
is a reply, a fault that repetition cannot mend, or no patience left.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from msgspec import structs

from pointsman.adapters.models.deadlines import (
    CallLater,
    Watch,
    pause_before,
    retry_after_seconds,
)
from pointsman.adapters.models.deltas import ReplyAssembler, parse_completion
from pointsman.adapters.models.encoding import RequestEncoder
from pointsman.adapters.models.exchange import Answer, Dropped, HttpWire, Wire, checked_key
from pointsman.adapters.models.presets import endpoint
from pointsman.adapters.models.sse import EventStream
from pointsman.adapters.models.wire_errors import error_from
from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import (
    Delta,
    ModelReply,
    ModelRequest,
    ReasoningDelta,
    ResetDelta,
    TextDelta,
)
from pointsman.errors import (
    EmptyReply,
    ModelError,
    ModelProtocolError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)
from pointsman.ports import Clock

LARGEST_REPLY = 64 * 1024 * 1024
LARGEST_REFUSAL = 64 * 1024
"""Bytes: of a whole reply that is taken in, of an error's body that is read."""

TAIL = 0.5
"""Seconds that a stream has for usage and its end mark once the reply has ended."""

EMPTY_ATTEMPTS = 2
"""How often an empty reply is asked for before it is believed."""


class ChatCompletions:
    """Asks one model of one provider. Safe for many questions at once in one event loop."""

    def __init__(
        self,
        spec: ModelSpec,
        *,
        clock: Clock,
        wire: Wire | None = None,
        environment: Mapping[str, str] = os.environ,
        call_later: CallLater | None = None,
    ) -> None:
        """Args:
        wire: where requests go; over HTTP to the provider when None.
        environment: where the key is read from.
        call_later: starts a timer for timeouts; the event loop's when None.

        Raises:
            SettingsError: an unknown preset or switch, a missing base URL, model name or key.
        """
        target = endpoint(spec)
        self._name, self._model, self._key_env = target.name, target.model, target.key_env
        self._think_tags = target.switches.think_tags
        self._spec, self._clock, self._call_later = spec, clock, call_later
        self._encoder = RequestEncoder(target)
        self._wire: Wire = wire or HttpWire(target, checked_key(target, environment))

    @property
    def name(self) -> str:
        return self._name

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        body = self._encoder.encode(request)
        end = self._clock.monotonic() + self._spec.timeouts.total
        attempt, empty = 1, 0
        while True:
            told = _Told(tell)
            try:
                reply = await self._attempt(request, body, told, end)
            except ModelError as error:
                self._hide_key(error)
                empty += isinstance(error, EmptyReply)
                if told.text or not self._may_repeat(error, attempt, empty):
                    raise
                pause = pause_before(
                    attempt + 1,
                    retry_after=getattr(error, "retry_after", None),
                    clock=self._clock,
                )
                if self._clock.monotonic() + pause >= end:
                    raise
            else:
                return reply if attempt == 1 else structs.replace(reply, attempts=attempt)
            await self._clock.sleep(pause)
            attempt += 1
            if told.anything:
                tell(ResetDelta(attempt))

    def _may_repeat(self, error: ModelError, attempt: int, empty: int) -> bool:
        if isinstance(error, EmptyReply):
            return empty < EMPTY_ATTEMPTS
        return error.retryable and attempt <= self._spec.retries

    async def _attempt(
        self, request: ModelRequest, body: bytes, told: "_Told", end: float
    ) -> ModelReply:
        """One exchange, read to a reply. A complete reply counts, however its stream ends."""
        reader: _Reader | None = None
        try:
            with self._watch(end) as watch:
                answer = await self._wire.post(body, partial(watch.enter, "first_byte"))
                try:
                    if not 200 <= answer.status < 300:
                        raise await self._refusal(answer, watch)
                    reader = self._reader(answer, request, told)
                    await self._read(answer, reader, watch)
                    return reader.finish()
                finally:
                    answer.close()
        except (Dropped, ModelTimeout) as cut:
            if reader is None:
                raise
            try:
                return reader.finish(cut=True)
            except ModelError:
                raise cut from None

    async def _read(self, answer: Answer, reader: "_Reader", watch: Watch) -> None:
        size = 0
        while chunk := await answer.read():
            watch.enter("idle")
            size += len(chunk)
            if size > LARGEST_REPLY:
                raise ModelProtocolError(f"the reply is larger than {LARGEST_REPLY} bytes")
            if reader.feed(chunk):
                await answer.settle()
                return
            if reader.ended:
                watch.enter("idle", TAIL)

    def _watch(self, end: float) -> Watch:
        return Watch(
            self._spec.timeouts,
            end=end,
            clock=self._clock,
            call_later=self._call_later or asyncio.get_running_loop().call_later,
        )

    def _reader(self, answer: Answer, request: ModelRequest, told: "_Told") -> "_Reader":
        """What reads this answer: its content type decides, the request where that says nothing."""
        kind = answer.headers.get("Content-Type", "")
        tell = told if request.stream else _silent
        if "event-stream" in kind or (request.stream and "json" not in kind):
            return _StreamReader(
                ReplyAssembler(
                    model=self._model,
                    tools=request.tools,
                    tell=tell,
                    text_calls=self._spec.text_calls,
                    think_tags=self._think_tags,
                    max_tokens=request.params.max_tokens,
                    new_id=self._clock.new_id,
                )
            )
        parse = partial(
            parse_completion,
            model=self._model,
            tools=request.tools,
            text_calls=self._spec.text_calls,
            think_tags=self._think_tags,
            max_tokens=request.params.max_tokens,
            new_id=self._clock.new_id,
        )
        return _WholeReader(parse, tell)

    async def _refusal(self, answer: Answer, watch: Watch) -> ModelError:
        """The error that a status other than 2xx stands for."""
        if 300 <= answer.status < 400:
            return ModelRejected(
                f"the model server redirects (status {answer.status}): "
                "set base_url to the final address",
                status=answer.status,
            )
        payload = bytearray()
        while len(payload) < LARGEST_REFUSAL and (chunk := await answer.read()):
            watch.enter("idle")
            payload += chunk
        error = error_from(answer.status, bytes(payload[:LARGEST_REFUSAL]))
        if isinstance(error, ModelUnavailable):
            wanted = answer.headers.get("Retry-After")
            if wanted is not None:
                error.retry_after = retry_after_seconds(wanted, self._clock)
        if answer.status in (401, 403) and self._key_env:
            error.args = (f"{error} (the key comes from {self._key_env})",)
        return error

    def _hide_key(self, error: ModelError) -> None:
        """Take the key out of an error: some servers repeat it."""
        if key := self._wire.key:
            error.args = tuple(str(part).replace(key, "…") for part in error.args)
            if key in str(error.body):
                error.body = str(error.body).replace(key, "…")


class _Told:
    """Passes deltas on and remembers whether a person has seen any of the reply.

    Attributes:
        text: more than thinking and blanks.
    """

    __slots__ = ("_tell", "anything", "text")

    def __init__(self, tell: Callable[[Delta], None]) -> None:
        self._tell, self.anything, self.text = tell, False, False

    def __call__(self, delta: Delta) -> None:
        self.anything = True
        if not self.text and isinstance(delta, TextDelta):
            self.text = not delta.text.isspace()
        self._tell(delta)


def _silent(delta: Delta) -> None:
    """Nobody listens: the request is not for a stream."""


class _Reader(Protocol):
    """Turns the pieces of one answer into a reply."""

    @property
    def ended(self) -> bool:
        """Whether the reply has ended, so that at most its usage may follow."""
        ...

    def feed(self, chunk: bytes) -> bool:
        """Take a piece; True when the reply is complete."""
        ...

    def finish(self, *, cut: bool = False) -> ModelReply:
        """The reply.

        Args:
            cut: the body broke off; its last piece may be half.

        Raises:
            ModelError: there is none.
        """
        ...


class _StreamReader:
    """A reply that comes as events."""

    def __init__(self, assembler: ReplyAssembler) -> None:
        self._events, self._assembler = EventStream(), assembler
        self._complete = False

    @property
    def ended(self) -> bool:
        return self._assembler.complete

    def feed(self, chunk: bytes) -> bool:
        for event in self._events.feed(chunk):
            if self._assembler.add(event):
                self._complete = True
                break
        return self._complete

    def finish(self, *, cut: bool = False) -> ModelReply:
        if not (self._complete or cut):
            for event in self._events.end():
                self._assembler.add(event)
        return self._assembler.finish()


class _WholeReader:
    """A reply that comes as one JSON object."""

    ended = False

    def __init__(self, parse: Callable[[bytes], ModelReply], tell: Callable[[Delta], None]) -> None:
        self._parse, self._tell = parse, tell
        self._chunks: list[bytes] = []

    def feed(self, chunk: bytes) -> bool:
        self._chunks.append(chunk)
        return False

    def finish(self, *, cut: bool = False) -> ModelReply:
        reply = self._parse(b"".join(self._chunks))
        if reply.message.reasoning:
            self._tell(ReasoningDelta(reply.message.reasoning))
        if reply.message.text:
            self._tell(TextDelta(reply.message.text))
        return reply
