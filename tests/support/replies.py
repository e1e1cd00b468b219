"""Model replies as bytes, read by the real reader: event stream, then assembler."""

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pointsman.adapters.models.deltas import ReplyAssembler, parse_completion
from pointsman.adapters.models.sse import EventStream
from pointsman.domain.messages import Delta, ModelReply, ReasoningDelta, TextDelta
from pointsman.domain.tools import ToolSpec
from pointsman.errors import ModelError


def tool_spec(name: str, parameters: dict[str, Any] | None = None) -> ToolSpec:
    schema = parameters or {"type": "object", "properties": {}}
    return ToolSpec(
        name=name,
        source="python",
        original=name,
        description=name,
        parameters=schema,
        wire_parameters=schema,
        digest="0",
    )


SEARCH = tool_spec(
    "search",
    {
        "type": "object",
        "properties": {
            "q": {"type": "string"},
            "limit": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    },
)
TOOLS = (tool_spec("get_weather"), tool_spec("get_time"), SEARCH)

WEATHER = ("get_weather", {"city": "A"})
A = '{"city":"A"}'
"""A call and its arguments, for tests that need any."""


def counted_ids(prefix: str = "made") -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{prefix}_{next(numbers)}"


def events(payloads: Iterable[str]) -> bytes:
    """The payloads as an event stream."""
    return "".join(f"data: {payload}\n\n" for payload in payloads).encode("utf-8")


def chunk(delta: Any = None, finish: Any = None, **more: Any) -> str:
    """One chunk of a streamed reply, as its JSON text."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return json.dumps({"id": "c", "model": "m", "choices": [choice], **more}, ensure_ascii=False)


def call(arguments: Any = None, name: Any = None, **more: Any) -> dict[str, Any]:
    """A piece of a call; what is None is left out."""
    function = {"name": name, "arguments": arguments}
    return {"function": {k: v for k, v in function.items() if v is not None}, **more}


def calls_stream(*deltas: Any, finish: Any = "tool_calls") -> bytes:
    """A stream of one chunk a delta; a delta is one call piece or a list of them."""
    pieces = [piece if isinstance(piece, list) else [piece] for piece in deltas]
    return events([*(chunk({"tool_calls": p}) for p in pieces), chunk(finish=finish), "[DONE]"])


def text_stream(*texts: str, finish: Any = "stop", **more: Any) -> bytes:
    """A stream of one chunk a text."""
    return events([*(chunk({"content": t}) for t in texts), chunk(finish=finish, **more), "[DONE]"])


class Reading:
    """One stream, read to its end: the reply, and what was told on the way."""

    def __init__(
        self,
        reads: Iterable[bytes],
        *,
        tools: Sequence[ToolSpec] = TOOLS,
        text_calls: bool = False,
        think_tags: bool = False,
        max_tokens: int | None = None,
    ) -> None:
        self.told: list[Delta] = []
        self.assembler = ReplyAssembler(
            model="ours",
            tools=tools,
            tell=self.told.append,
            text_calls=text_calls,
            think_tags=think_tags,
            max_tokens=max_tokens,
            new_id=counted_ids(),
        )
        self.stopped = False
        stream = EventStream()
        for read in reads:
            self._add(stream.feed(read))
        self._add(stream.end())
        self.reply: ModelReply = self.assembler.finish()

    def _add(self, found: list[bytes]) -> None:
        for data in found:
            if not self.stopped:
                self.stopped = self.assembler.add(data)

    @property
    def shown(self) -> str:
        return "".join(delta.text for delta in self.told if isinstance(delta, TextDelta))

    @property
    def thought(self) -> str:
        return "".join(delta.text for delta in self.told if isinstance(delta, ReasoningDelta))


def read(raw: bytes, **how: Any) -> ModelReply:
    """The reply in the bytes of a stream."""
    return Reading([raw], **how).reply


def read_whole(body: Any, **how: Any) -> ModelReply:
    """The reply in the body of a response that was not streamed."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return parse_completion(
        body, **{"model": "ours", "tools": TOOLS, "new_id": counted_ids(), **how}
    )


def called(reply: ModelReply) -> list[tuple[str, Any]]:
    """The calls of a reply as name and decoded arguments."""
    return [(call.name, json.loads(call.arguments)) for call in reply.message.calls]


def split(raw: bytes, size: int) -> list[bytes]:
    """The bytes in reads of this size."""
    return [raw[start : start + size] for start in range(0, len(raw), size)]


def whole_chunk(message: Any, finish: Any = "stop", **more: Any) -> str:
    """A chunk that holds a message where others hold a delta."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({"choices": [choice], **more})


def usage(completion: int) -> dict[str, int]:
    """The usage field of a server that counted nine tokens of prompt."""
    return {"prompt_tokens": 9, "completion_tokens": completion, "total_tokens": 9 + completion}


def outcome(reads: Iterable[bytes], **how: Any) -> ModelReply | type[ModelError]:
    """The reply, or the kind of error that came in its place."""
    try:
        return Reading(reads, **how).reply
    except ModelError as error:
        return type(error)
