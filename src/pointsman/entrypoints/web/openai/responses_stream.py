"""A run as the typed events of a streamed response, while it happens."""

import logging
from typing import Any

from msgspec.structs import replace

from pointsman.domain.events import ModelAnswered
from pointsman.domain.messages import ResetDelta, TextDelta
from pointsman.domain.runs import Run
from pointsman.engine.service import Recorded, Service
from pointsman.entrypoints.web.following import Begun, rested
from pointsman.entrypoints.web.openai.openai_answers import encode, fault_of, text_of
from pointsman.entrypoints.web.openai.responses_answers import (
    answer_of,
    approvals_of,
    calls_of,
    message_of,
)
from pointsman.entrypoints.web.openai.responses_requests import wants_items
from pointsman.entrypoints.web.openai.responses_shapes import (
    AgentResponse,
    FunctionCallItem,
    OutputItem,
    OutputText,
    ResponseRequest,
    StreamEvent,
)
from pointsman.entrypoints.web.problems import Refusal, refusal_of
from pointsman.entrypoints.web.shown import LostText, ShownText
from pointsman.entrypoints.web.streams import EventWriter
from pointsman.ports import News

log = logging.getLogger("pointsman.web")

_ENDS = {"completed": "completed", "incomplete": "incomplete", "cancelled": "incomplete"}


class ResponseStream:
    """Writes one response: that it is made, its message as it comes, its calls, and one event that
    ends it (case X06)."""

    def __init__(self, service: Service, begun: Begun, request: ResponseRequest | None) -> None:
        """Args:
        request: what it answers; None for one that is read again.
        """
        self._service, self._begun, self._request = service, begun, request
        self._shown = ShownText()
        self._text = ""
        self._number = 0
        self._index = 0

    async def write(self, writer: EventWriter) -> None:
        """Write the stream to its end."""
        try:
            now = await self._service.run(self._begun.run, self._begun.user)
            made = _unfinished(answer_of(now, self._begun, self._request))
            await self._tell_of(writer, "response.created", response=made)
            await self._tell_of(writer, "response.in_progress", response=made)
            run = await rested(self._service, self._begun, lambda one: self._follow(writer, one))
            await self._end(writer, run)
        except LostText:
            await writer.event(
                self._error(
                    Refusal(
                        500,
                        "what was shown of the reply is void; the whole of it will be at "
                        f"/v1/responses of run {self._begun.run}",
                        code="reply_void",
                    )
                ),
                name="error",
            )
        except Exception as fault:  # the head has left: the client must not take this for an end
            if not isinstance(fault, Refusal):
                log.exception("the stream of run %s broke", self._begun.run)
            await writer.event(self._error(refusal_of(fault)), name="error")

    @property
    def farewell(self) -> bytes:
        """What ends the stream when the server stops before the run rests."""
        gone = Refusal(
            503, f"the server is stopping; run {self._begun.run} goes on when it is back"
        )
        return b"event: error\ndata: %b\n\n" % self._error(gone)

    async def _follow(self, writer: EventWriter, one: Recorded | News) -> None:
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
        if not text:
            return
        if not self._text:
            item = message_of(self._begun, "")
            await self._tell_of(writer, "response.output_item.added", item=item)
            await self._tell_of(
                writer,
                "response.content_part.added",
                item_id=item.id,
                content_index=0,
                part=OutputText(text=""),
            )
        self._text += text
        await self._tell_of(
            writer,
            "response.output_text.delta",
            item_id=message_of(self._begun, "").id,
            content_index=0,
            delta=text,
            logprobs=(),
        )

    async def _end(self, writer: EventWriter, run: Run) -> None:
        await self._say(writer, self._shown.end(text_of(run)))
        if self._text:
            await self._end_message(writer, run)
        items: list[OutputItem] = list(calls_of(run))
        if self._request is None or wants_items(self._request):
            items += approvals_of(run)
        for item in items:
            await self._item(writer, item)
        whole = answer_of(run, self._begun, self._request, text=self._text)
        kind = "failed" if fault_of(run) else _ENDS[whole.status]
        await self._tell_of(writer, f"response.{kind}", response=whole)

    async def _end_message(self, writer: EventWriter, run: Run) -> None:
        item = message_of(self._begun, self._text, run)
        place: dict[str, Any] = {"item_id": item.id, "content_index": 0}
        await self._tell_of(
            writer, "response.output_text.done", **place, text=self._text, logprobs=()
        )
        part = OutputText(text=self._text)
        await self._tell_of(writer, "response.content_part.done", **place, part=part)
        await self._tell_of(writer, "response.output_item.done", item=item)
        self._index += 1

    async def _item(self, writer: EventWriter, item: OutputItem) -> None:
        begun: OutputItem = item
        if isinstance(item, FunctionCallItem):
            begun = FunctionCallItem(
                id=item.id,
                call_id=item.call_id,
                name=item.name,
                arguments="",
                status="in_progress",
            )
        await self._tell_of(writer, "response.output_item.added", item=begun)
        if isinstance(item, FunctionCallItem):
            kind, arguments = "response.function_call_arguments", item.arguments
            await self._tell_of(writer, f"{kind}.delta", item_id=item.id, delta=arguments)
            await self._tell_of(writer, f"{kind}.done", item_id=item.id, arguments=arguments)
        await self._tell_of(writer, "response.output_item.done", item=item)
        self._index += 1

    async def _tell_of(self, writer: EventWriter, kind: str, **fields: Any) -> None:
        if "response" not in fields:
            fields["output_index"] = self._index
        event = StreamEvent(type=kind, sequence_number=self._number, **fields)
        self._number += 1
        await writer.event(encode(event), name=kind)

    def _error(self, refusal: Refusal) -> bytes:
        return encode(
            StreamEvent(
                type="error",
                sequence_number=self._number,
                code=refusal.code or None,
                message=refusal.detail,
                param=None,
            )
        )


def _unfinished(response: AgentResponse) -> AgentResponse:
    """A response as it is told of at first, however far its run is."""
    return replace(
        response,
        status="in_progress",
        output=(),
        usage=None,
        error=None,
        incomplete_details=None,
    )
