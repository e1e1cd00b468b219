"""Merges the chunks of one Chat Completions reply, or reads one that came whole.

Above: ``chat_completions``, which feeds the data of each event. Below: ``wire`` (shapes), ``calls``
(tool calls), ``thinking`` and ``text_calls`` (what hides in the text). OpenAI's dialect, the
articles' (``stop_reason``, calls without ids) and the mixtures of the field are read by the same
code; what was cut off never becomes a call.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pointsman.adapters.models.calls import CallMerger, MergedCall
from pointsman.adapters.models.plain_replies import plain_reply
from pointsman.adapters.models.readings import is_cut
from pointsman.adapters.models.sse import EventStream
from pointsman.adapters.models.text_calls import Found, TextCallScanner
from pointsman.adapters.models.thinking import ThinkTags
from pointsman.adapters.models.wire import (
    FAILED_STOPS,
    WireChoice,
    WireMessage,
    WireReply,
    calls_in,
    decode,
    read_usage,
    stop_from,
    stop_word,
    texts_in,
    whole_number,
)
from pointsman.adapters.models.wire_errors import error_from, is_error, redacted
from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ReasoningDelta,
    Stop,
    TextDelta,
    Usage,
)
from pointsman.domain.text import clean
from pointsman.domain.tools import RawCall, ToolSpec
from pointsman.errors import EmptyReply, ModelError, ModelProtocolError, ModelRejected


class ReplyAssembler:
    """Takes the events of one streamed reply in order and gives the reply at the end.

    One attempt, one assembler: nothing is carried over. After an error it is of no more use.
    """

    def __init__(
        self,
        *,
        model: str,
        tools: Sequence[ToolSpec],
        tell: Callable[[Delta], None],
        text_calls: bool = False,
        think_tags: bool = False,
        max_tokens: int | None = None,
        new_id: Callable[[], str],
    ) -> None:
        """Args:
        model: our name of it, for servers that do not say theirs.
        tools: what was offered; empty when the model may call nothing.
        tell: gets text and thinking as they come.
        text_calls: look for calls written as text.
        think_tags: thinking may come as ``<think>`` in the text.
        max_tokens: what the question allowed; tells a cut call from a malformed one.
        new_id: makes an id for a call that has none, or one that is taken.
        """
        self._model, self._max_tokens, self._new_id = model, max_tokens, new_id
        self._names = frozenset(tool.name for tool in tools)
        self._text = _Lane(lambda piece: tell(TextDelta(piece)))
        self._reasoning = _Lane(lambda piece: tell(ReasoningDelta(piece)))
        self._scanner = TextCallScanner(tools) if text_calls and tools else None
        self._show = self._scan if self._scanner else self._text.add
        self._tags = (
            ThinkTags(self._show, self._reasoning.add, self._recast) if think_tags else None
        )
        self._read = self._tags.feed if self._tags else self._show
        self._contents: list[str] = []
        self._calls = CallMerger()
        self._usage: dict[str, Any] = {}
        self._reason = ""
        self._done = self._by_deltas = False

    @property
    def visible(self) -> bool:
        """Whether any text has been told, blanks aside."""
        return self._text.visible

    @property
    def complete(self) -> bool:
        """Whether the reply has ended, though its usage may still come."""
        return self._done or bool(self._reason)

    def add(self, data: bytes) -> bool:
        """Take the data of one event; True when nothing more will come.

        Raises:
            ModelError: the data is an error, or nothing that the protocol knows.
        """
        if not data.startswith(b"{"):
            data = data.strip()
            while data.startswith(b"data:"):  # a proxy framed the frames again
                data = data[5:].lstrip()
            if data.startswith(b"[DONE]"):
                self._done = True
            if self._done or not data or data.startswith(b":"):
                return self._done
        try:
            reply = decode(data)
        except ModelProtocolError:
            lines = [line.strip() for line in data.split(b"\n") if line.strip()]
            if len(lines) < 2:
                raise _error_in(data) from None
            return self._add_glued(lines)
        self._take(reply, data)
        return self._done

    def add_whole(self, body: bytes) -> None:
        """Take a reply that came whole, as the body of a response.

        Raises:
            ModelError: the body is an error or no reply.
        """
        try:
            reply = decode(body)
        except ModelProtocolError:
            raise _error_in(body) from None
        self._take(reply, body)
        if not reply.choices:
            raise ModelProtocolError("the model's server sent a reply without a choice")
        self._done = True
        self._reason = self._reason or "stop"

    def finish(self) -> ModelReply:
        """The whole reply.

        Raises:
            ModelProtocolError: the stream broke off, or markup of a call cannot be read.
            ModelRejected: the provider's filter left nothing.
            EmptyReply: neither text nor a call.
        """
        if not self.complete:
            raise _broken_off()
        if self._tags:
            self._tags.end()
        found = self._scanner.end() if self._scanner else Found()
        self._text.add(found.text)
        usage = read_usage(self._usage)
        calls = self._calls.resolve(self._names)
        if calls:
            found = Found()
        stop = self._stop(calls, found, usage)
        calls += [
            MergedCall(id="", name=call.name, arguments=call.arguments) for call in found.calls
        ]
        if stop is Stop.LENGTH:
            calls += [MergedCall(id="", name=name, arguments="") for name in found.names]
        text = self._text.whole()
        if not text.strip():
            text = ""
        elif found.calls or found.broken:
            text = text.rstrip()
        return self._reply(stop, text, calls, usage)

    def _reply(
        self, stop: Stop, text: str, calls: Sequence[MergedCall], usage: Usage | None
    ) -> ModelReply:
        raw = () if stop is Stop.FILTERED else tuple(self._identified(calls))
        if stop is Stop.FILTERED and not text:
            raise ModelRejected("the provider's content filter held the reply back")
        if not text and not raw:
            limit = " before the output limit" if stop is Stop.LENGTH else ""
            raise EmptyReply(f"the model returned neither text nor a call{limit}")
        cut: tuple[RawCall, ...] = ()
        if stop is Stop.LENGTH:
            cut = tuple(RawCall(id=call.id, name=call.name, arguments="{}") for call in raw)
            raw = ()
        elif stop is not Stop.FILTERED:
            stop = Stop.TOOL_CALLS if raw else Stop.STOP
        return ModelReply(
            message=AssistantMessage(
                text=text, calls=raw, reasoning=self._reasoning.whole().strip()
            ),
            stop=stop,
            model=clean(self._model),
            usage=usage,
            cut=cut,
        )

    def _stop(self, calls: Sequence[MergedCall], found: Found, usage: Usage | None) -> Stop:
        """Why the model stopped, whatever its server says of a call that was cut off."""
        stop = stop_from(self._reason)
        if stop in (Stop.LENGTH, Stop.FILTERED):
            return stop
        limit = self._max_tokens
        full = limit is not None and usage is not None and usage.completion >= limit
        if full or not self._reason:
            unfinished = any(is_cut(call.arguments) for call in calls)
            if full and (unfinished or found.broken or not all(call.arguments for call in calls)):
                return Stop.LENGTH
            if unfinished and not self._reason:
                raise _broken_off()
        if found.broken:
            raise ModelProtocolError("malformed tool markup in the model's text")
        return stop

    def _identified(self, calls: Sequence[MergedCall]) -> Iterator[RawCall]:
        """The calls with ids that are unique in this reply."""
        given = {call.id for call in calls}
        used = {""}
        for call in calls:
            call_id = clean(call.id)
            if call_id in used:
                call_id = self._new_id()
                while call_id in given or call_id in used:
                    call_id = self._new_id()
            used.add(call_id)
            yield RawCall(
                id=call_id, name=clean(call.name), arguments=clean(call.arguments) or "{}"
            )

    def _add_glued(self, lines: Sequence[bytes]) -> bool:
        """Take events between which the server left out the blank line; all of them or none."""
        for line in lines:
            if line.startswith(b"{"):
                decode(line)
        for line in lines:
            self.add(line)
        return self._done

    def _take(self, reply: WireReply, data: bytes) -> None:
        if reply.error:
            raise error_from(None, data)
        if isinstance(reply.model, str) and reply.model:
            self._model = reply.model
        if reply.usage is not None:
            self._count(reply.usage)
        if reply.eval_count is not None:
            self._count(
                {"prompt_eval_count": reply.prompt_eval_count, "eval_count": reply.eval_count}
            )
        if not reply.choices:
            if reply.usage is None and is_error(data):
                raise error_from(None, data)
            return
        for position, choice in enumerate(reply.choices):
            if choice is not None:
                index = whole_number(choice.index)
                if (position if index is None else index) == 0:
                    self._take_choice(choice, data)

    def _take_choice(self, choice: WireChoice, data: bytes) -> None:
        if choice.delta is not None:
            self._take_delta(choice.delta)
        if choice.message is not None:
            self._take_message(choice.message)
        if choice.usage is not None:
            self._count(choice.usage)
        if choice.finish_reason is None and choice.stop_reason is None:
            return
        word = stop_word(choice.finish_reason) or stop_word(choice.stop_reason)
        if word in FAILED_STOPS:
            raise error_from(None, data)
        if word and stop_from(self._reason) not in (Stop.LENGTH, Stop.FILTERED):
            self._reason = word

    def _take_delta(self, delta: WireMessage) -> None:
        """Take every field of what a chunk adds: servers pack several into one."""
        text, thought = texts_in(delta)
        if thought:
            self._reasoning.add(thought)
        if text:
            self._by_deltas = True
            self._contents.append(text)
            self._read(text)
        if delta.tool_calls or delta.function_call:
            self._calls.add(calls_in(delta))

    def _take_message(self, message: WireMessage) -> None:
        """Take a message in the place of a delta: whole, growing, or said again at the end."""
        text, thought = texts_in(message)
        if thought and not self._reasoning.pieces:
            self._reasoning.add(thought)
        before = "".join(self._contents)
        if text.startswith(before):
            text = text[len(before) :]
        elif self._by_deltas:
            text = ""
        if text:
            self._contents.append(text)
            self._read(text)
        self._calls.add_whole(calls_in(message))

    def _count(self, usage: Any) -> None:
        """Keep the latest number of each kind; servers repeat usage, or give it in parts."""
        if isinstance(usage, dict) and any(usage.values()):
            self._usage.update((name, count) for name, count in usage.items() if count is not None)

    def _scan(self, text: str) -> None:
        if self._scanner:
            self._text.add(self._scanner.feed(text))

    def _recast(self) -> None:
        held = self._scanner.release() if self._scanner else ""
        self._reasoning.pieces[:0] = [*self._text.pieces, held]
        self._text.pieces.clear()


class _Lane:
    """Text on its way to the reader, with surrogate pairs joined that two chunks share."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.pieces: list[str] = []
        self.visible = False
        self._tell = tell
        self._half = ""

    def add(self, piece: str) -> None:
        """Tell the piece and keep it."""
        if not piece:
            return
        if self._half:
            piece, self._half = self._half + piece, ""
        if "\ud800" <= piece[-1] <= "\udbff":
            piece, self._half = piece[:-1], piece[-1]
        piece = clean(piece)
        if piece:
            self.pieces.append(piece)
            self.visible = self.visible or not piece.isspace()
            self._tell(piece)

    def whole(self) -> str:
        """All that was told."""
        return "".join(self.pieces) + clean(self._half)


def parse_completion(
    body: bytes,
    *,
    model: str,
    tools: Sequence[ToolSpec],
    text_calls: bool = False,
    think_tags: bool = False,
    max_tokens: int | None = None,
    new_id: Callable[[], str],
) -> ModelReply:
    """The reply in the body of a response that was not streamed. See ``ReplyAssembler``.

    A body that is an event stream after all is read as one.

    Raises:
        ModelError: as ``ReplyAssembler.add`` and ``finish``.
    """
    plain = plain_reply(body, marked=text_calls or think_tags, max_tokens=max_tokens)
    if plain is not None:
        return plain
    assembler = ReplyAssembler(
        model=model,
        tools=tools,
        tell=lambda delta: None,
        text_calls=text_calls,
        think_tags=think_tags,
        max_tokens=max_tokens,
        new_id=new_id,
    )
    if body.lstrip().startswith((b"data:", b"event:", b":")):
        stream = EventStream()
        for data in (*stream.feed(body), *stream.end()):
            if assembler.add(data):
                break
    else:
        assembler.add_whole(body)
    return assembler.finish()


def _error_in(data: bytes) -> ModelError:
    """The error that data is which is no reply."""
    if is_error(data):
        return error_from(None, data)
    start = redacted(data[:200].decode("utf-8", "replace"), 120)
    return ModelProtocolError("the model's server sent what is no reply", body=start)


def _broken_off() -> ModelProtocolError:
    return ModelProtocolError("the model's stream broke off before its reply had ended")
