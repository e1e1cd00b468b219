"""Finds tool calls that a model wrote as text, in a reply that streams.

Above: ``deltas``, with the switch on and tools offered. Below: ``markup``, which knows how the
dialects write a call. Text that may begin markup is held back, so markup is never shown; what turns
out to be prose is released at once. Code, inline code and thinking are never searched.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from pointsman.adapters.models.markup import Markup, TextCall
from pointsman.adapters.models.thinking import TAGS
from pointsman.domain.tools import ToolSpec

_FENCE = re.compile(r"\s*(?:(?:[-*+>]|\d+[.)])\s+)*(`{3,}|~{3,})(.*)")
_TICKS = re.compile(r"`+")
_HEAD_CHARS = 200
"""What of a line decides whether it is a fence."""
_STARTS = re.compile(r"[<\[]")


class Found(Struct, frozen=True, kw_only=True):
    """What the text of a reply held.

    Attributes:
        text: the rest of the text to show, after what ``feed`` released.
        calls: of registered tools, in order.
        broken: there is markup that cannot be read, or that the end of the reply cut off.
        names: of the calls that the broken markup seems to begin.
    """

    text: str = ""
    calls: tuple[TextCall, ...] = ()
    broken: bool = False
    names: tuple[str, ...] = ()


class TextCallScanner:
    """Takes the text of one reply piece by piece and gives back what may be shown."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._markup = Markup(tools)
        self._place = _Place()
        self._tail = ""
        self._block: list[str] = []

    def feed(self, piece: str) -> str:
        """The text that can be shown now. From the first markup on, nothing until the end."""
        if self._block:
            self._block.append(piece)
            return ""
        text = self._tail + piece
        self._tail = ""
        return self._scan(text)

    def end(self) -> Found:
        """The reply is over: the calls, and the text that was still held back."""
        shown: list[str] = []
        calls: list[TextCall] = []
        while self._block:
            block = "".join(self._block)
            self._block = []
            read = self._markup.read(block)
            if read is None:
                return Found(
                    text="".join(shown),
                    calls=tuple(calls),
                    broken=True,
                    names=self._markup.names_in(block),
                )
            calls += read.calls
            if not read.calls:
                self._place.pass_over(block[: read.end])
                shown.append(block[: read.end])
            shown.append(self._scan(block[read.end :]))
        shown.append(self._tail)
        self._tail = ""
        return Found(text="".join(shown), calls=tuple(calls))

    def release(self) -> str:
        """Give back what is held as it came, unread: it was not meant for the reader."""
        held = "".join(self._block) + self._tail
        self._block, self._tail = [], ""
        return held

    def _scan(self, text: str) -> str:
        """Release up to the first markup; hold the beginning of what may be some."""
        done = 0
        for start in _STARTS.finditer(text):
            place = start.start()
            self._place.pass_over(text[done:place])
            done = place
            likely: bool | None = self._place.sees_thinking(text, place)
            if likely is False and not self._place.is_code():
                likely = self._markup.begins(text, place)
                if likely:
                    self._block = [text[place:]]
                    return text[:place]
            if likely is None:
                self._tail = text[place:]
                return text[:place]
        self._place.pass_over(text[done:])
        return text


class _Place:
    """Where in the text we are: in code, in thinking, or in prose. Linear in the text."""

    def __init__(self) -> None:
        self._head = ""
        self._ticks = 0
        self._span = 0
        self._fence = ""
        self._closing = ""
        self._begun = False

    def pass_over(self, text: str) -> None:
        """Go on by this much text."""
        self._begun = self._begun or bool(text.strip())
        *ended, rest = text.split("\n")
        for line in ended:
            self._go_on(line)
            self._end_line()
        if rest:
            self._go_on(rest)

    def sees_thinking(self, text: str, place: int) -> bool | None:
        """Whether thinking begins or ends here; None if that depends on what comes."""
        tags = (self._closing,) if self._closing else () if self._begun else tuple(TAGS)
        for tag in tags:
            if text.startswith(tag, place):
                self._closing = "" if self._closing else TAGS[tag]
                return True
        return None if any(tag.startswith(text[place:]) for tag in tags) else False

    def is_code(self) -> bool:
        """Whether a call here would be an example or a thought."""
        return bool(
            self._fence
            or self._closing
            or _span_after(self._span, self._ticks)
            or _FENCE.match(self._head)
        )

    def _go_on(self, text: str) -> None:
        """Go on inside a line: keep its head, and the code span that is open."""
        if len(self._head) < _HEAD_CHARS:
            self._head += text[: _HEAD_CHARS - len(self._head)]
        end = 0
        for ticks in _TICKS.finditer(text):
            self._end_ticks(ticks.start() > end)
            self._ticks += len(ticks[0])
            end = ticks.end()
        self._end_ticks(len(text) > end)

    def _end_ticks(self, over: bool) -> None:
        """The run of backticks before this is over, unless it may still grow."""
        if over:
            self._span = _span_after(self._span, self._ticks)
            self._ticks = 0

    def _end_line(self) -> None:
        fence = _FENCE.match(self._head)
        self._head, self._ticks, self._span = "", 0, 0
        if fence is None:
            return
        marks, rest = fence.groups()
        if not self._fence:
            self._fence = marks if marks[0] not in rest else ""
        elif marks.startswith(self._fence) and not rest.strip():
            self._fence = ""


def _span_after(span: int, ticks: int) -> int:
    """The length of the backticks that opened the code span we are in; 0 outside of one."""
    if not ticks:
        return span
    return ticks if not span else 0 if ticks == span else span
