"""Takes ``<think>…</think>``, and tags like it, out of a model's text as it streams.

Above: ``deltas``, only where a preset says that thinking may come this way. Thinking stands at the
beginning of a reply; a tag further on is text. Some templates write the opening tag themselves, so
that only the closing one arrives: all text before it was thinking then.
"""

from collections.abc import Callable

TAGS = {f"<{word}>": f"</{word}>" for word in ("think", "thinking", "thought", "reasoning")}
"""How thinking opens → how it closes."""
_CLOSE = TAGS["<think>"]


class ThinkTags:
    """Sends each piece of content on as text or as thinking."""

    def __init__(
        self,
        text: Callable[[str], None],
        reasoning: Callable[[str], None],
        recast: Callable[[], None],
    ) -> None:
        """Args:
        recast: all text sent so far turns out to have been thinking.
        """
        self._text, self._reasoning, self._recast = text, reasoning, recast
        self._step = self._before
        self._held = ""
        self._close = _CLOSE
        self._thought = False
        self._at_line_start = True

    def feed(self, piece: str) -> None:
        """Take the next piece of content."""
        self._step(self._held + piece)

    def end(self) -> None:
        """The content is over: send what was held back."""
        held, self._held = self._held, ""
        if held:
            (self._reasoning if self._step == self._inside else self._text)(held)

    def _before(self, piece: str) -> None:
        """Nothing but blanks has come, or thinking has just ended."""
        start = piece.lstrip()
        opened = next(filter(start.startswith, TAGS), "")
        if opened:
            self._thought, self._held, self._close = True, "", TAGS[opened]
            self._step = self._inside
            self._inside(start[len(opened) :])
        elif any(tag.startswith(start) for tag in TAGS):
            self._held = start if self._thought else piece
        else:
            self._held = ""
            self._step = self._after
            self._after(start if self._thought else piece)

    def _inside(self, piece: str) -> None:
        thought, closed, rest = piece.partition(self._close)
        self._held = "" if closed else piece[len(piece) - held_back(piece, self._close) :]
        if thought := thought[: len(thought) - len(self._held)]:
            self._reasoning(thought)
        if closed:
            self._step = self._before
            if rest:
                self._before(rest)

    def _after(self, piece: str) -> None:
        """Text, in which only a closing tag that was never opened matters, on a line's start."""
        self._held = ""
        if self._thought:
            return self._text(piece)
        probe = ("\n" if self._at_line_start else " ") + piece
        place = probe.find("\n" + _CLOSE)
        if place >= 0:
            self._text(piece[:place])
            self._recast()
            self._thought = True
            self._step = self._before
            return self._before(piece[place + len(_CLOSE) :])
        keep = len(piece) - max(0, held_back(probe, "\n" + _CLOSE) - 1)
        piece, self._held = piece[:keep], piece[keep:]
        if piece:
            self._at_line_start = piece.endswith("\n")
            self._text(piece)


def held_back(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the beginning of the tag."""
    place = text.rfind(tag[0], max(0, len(text) - len(tag) + 1))
    return len(text) - place if place >= 0 and tag.startswith(text[place:]) else 0
