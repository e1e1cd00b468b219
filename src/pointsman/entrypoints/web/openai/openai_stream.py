"""A run as the chunks of a streamed chat completion, while it happens."""

import logging

from msgspec import UNSET

from pointsman.domain.events import ModelAnswered
from pointsman.domain.messages import ResetDelta, TextDelta
from pointsman.domain.runs import Run
from pointsman.engine.service import Recorded, Service
from pointsman.entrypoints.web.following import Begun, rested
from pointsman.entrypoints.web.openai.openai_answers import (
    calls_of,
    completion_id,
    encode,
    fault_of,
    finish_reason,
    text_of,
    usage_of,
)
from pointsman.entrypoints.web.openai.openai_shapes import Chunk, ChunkChoice, Delta, TokenUsage
from pointsman.entrypoints.web.problems import Refusal, openai_error, refusal_of
from pointsman.entrypoints.web.shown import LostText, ShownText
from pointsman.entrypoints.web.streams import EventWriter
from pointsman.ports import News

log = logging.getLogger("pointsman.web")

DONE = b"[DONE]"


class ChatStream:
    """Writes one completion: role, text as it comes, calls, why it ended, and the end mark.

    A failure after the head is exactly one ``error`` event and the end mark (case X06).
    """

    def __init__(self, service: Service, begun: Begun, *, model: str, with_usage: bool) -> None:
        self._service, self._begun = service, begun
        self._model, self._with_usage = model, with_usage
        self._created = 0
        self._shown = ShownText()

    async def write(self, writer: EventWriter) -> None:
        """Write the stream to its end."""
        try:
            record = await self._service.record(self._begun.run, self._begun.user)
            self._created = int(record.created.timestamp())
            await self._add(writer, Delta(role="assistant", content=""))
            run = await rested(self._service, self._begun, lambda one: self._tell(writer, one))
            await self._end(writer, run)
        except LostText:
            await writer.event(self._error(self._lost()))
        except Exception as fault:  # the head has left: the client must not take this for an end
            if not isinstance(fault, Refusal):
                log.exception("the stream of run %s broke", self._begun.run)
            await writer.event(self._error(refusal_of(fault)))
        await writer.event(DONE)

    @property
    def farewell(self) -> bytes:
        """What ends the stream when the server stops before the run rests."""
        gone = Refusal(
            503, f"the server is stopping; run {self._begun.run} goes on when it is back"
        )
        return b"data: %b\n\ndata: %b\n\n" % (self._error(gone), DONE)

    async def _tell(self, writer: EventWriter, one: Recorded | News) -> None:
        match one:
            case TextDelta():
                await self._say(writer, self._shown.piece(one.text))
            case ResetDelta():
                self._shown.void()
            case Recorded(event=ModelAnswered() as answered):
                await self._say(writer, self._shown.turn(answered.message.text))
            case _:
                pass

    async def _say(self, writer: EventWriter, text: str) -> None:
        if text:
            await self._add(writer, Delta(content=text))

    async def _end(self, writer: EventWriter, run: Run) -> None:
        fault = fault_of(run)
        if fault is not None:
            raise fault
        await self._say(writer, self._shown.end(text_of(run)))
        calls = calls_of(run, streamed=True)
        if calls:
            await self._add(writer, Delta(tool_calls=calls))
        await self._add(writer, Delta(), finish_reason(run))
        if self._with_usage:
            await writer.event(self._chunk((), usage_of(run, self._begun)))

    async def _add(self, writer: EventWriter, delta: Delta, finish: str | None = None) -> None:
        await writer.event(self._chunk((ChunkChoice(delta=delta, finish_reason=finish),)))

    def _chunk(self, choices: tuple[ChunkChoice, ...], usage: TokenUsage | None = None) -> bytes:
        return encode(
            Chunk(
                id=completion_id(self._begun),
                created=self._created,
                model=self._model,
                choices=choices,
                usage=usage if self._with_usage else UNSET,
            )
        )

    def _lost(self) -> Refusal:
        return Refusal(
            500,
            "what was shown of the reply is void; the whole of it will be at "
            f"/api/runs/{self._begun.run}",
            code="reply_void",
        )

    def _error(self, refusal: Refusal) -> bytes:
        return encode(openai_error(refusal))
