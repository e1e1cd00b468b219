"""What the processes of one database say to one another, as short JSON, and how much of it at once.

The pieces of an answer are numbered from its beginning (0), so that whoever misses one knows.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pointsman.adapters.bus.line import LIMIT
from pointsman.domain.messages import ReasoningDelta, ResetDelta, TextDelta
from pointsman.domain.text import clean
from pointsman.ports import Missed, NewAnswer, News, Progress, Signal


class Watching(Struct, frozen=True, tag="w", array_like=True):
    """Tell this inbox the news of these runs, for a while."""

    inbox: str
    runs: tuple[str, ...]


class Leaving(Struct, frozen=True, tag="l", array_like=True):
    """Tell this inbox no more of the run."""

    inbox: str
    run: str


class WhoWatches(Struct, frozen=True, tag="q", array_like=True):
    """A process has come, and does not know who watches what."""


class Interrupt(Struct, frozen=True, tag="i", array_like=True):
    """Whoever drives the run is to stop."""

    run: str


TEXT, REASONING = "t", "r"


class Piece(Struct, frozen=True, tag="t", array_like=True):
    """A piece of an answer, of a kind: text or reasoning."""

    run: str
    number: int
    kind: str
    text: str


class Begin(Struct, frozen=True, tag="b", array_like=True):
    """The answer of a turn begins; or, with an attempt, it begins again."""

    run: str
    turn: int
    attempt: int = 0


class Grown(Struct, frozen=True, tag="g", array_like=True):
    """The journal has grown."""

    run: str
    position: int
    ended: bool


class Far(Struct, frozen=True, tag="p", array_like=True):
    """How far a call is."""

    run: str
    call: str
    fraction: float | None
    message: str


Said = Watching | Leaving | WhoWatches | Interrupt | Piece | Begin | Grown | Far

_encode = msgspec.json.Encoder().encode
unpack = msgspec.json.Decoder(list[Said]).decode
"""The messages of one JSON array."""

RUNS = 200
"""Runs in one message: their ids are of 32 characters."""
CHARACTERS = LIMIT // 8
"""Of a text in one message: each may be written as six bytes or more."""
HELD = 100_000
"""Characters of an answer that wait to be sent; beyond, it is torn."""


class Stream:
    """What is to be said of one run that is watched elsewhere. Pieces are joined while they
    wait; of what only the last matters (how far the journal or a call is), the last is kept."""

    def __init__(self, run: str, so_far: Sequence[News]) -> None:
        """Args:
        so_far: what was told of the run's last answer, from its beginning.
        """
        self._run = run
        self._number = 1
        self._said: list[Said] = []
        self._length = 0
        for news in so_far:
            self.add(news)

    def add(self, news: News) -> None:
        """Take news over."""
        match news:
            case TextDelta(text):
                self._write(TEXT, clean(text))
            case ReasoningDelta(text):
                self._write(REASONING, clean(text))
            case NewAnswer():
                self._begin(Begin(self._run, news.turn))
            case ResetDelta(attempt):
                self._begin(Begin(self._run, 0, attempt))
            case Signal(position, ended):
                self._put(Grown(self._run, position, ended))
            case Progress():
                text = clean(news.message)[:CHARACTERS]
                self._put(Far(self._run, news.call, news.fraction, text))
            case Missed():
                pass

    def _write(self, kind: str, text: str) -> None:
        if not text:
            return
        self._length += len(text)
        last = self._said[-1] if self._said else None
        if self._length > HELD:
            if not isinstance(last, Piece) or last.text:
                self._said.append(Piece(self._run, -1, kind, ""))
        elif isinstance(last, Piece) and last.kind == kind:
            self._said[-1] = replace(last, text=last.text + text)
        else:
            self._said.append(Piece(self._run, 0, kind, text))

    def _begin(self, begin: Begin) -> None:
        """What waits of an earlier answer goes: the journal has it, or it is void."""
        self._said = [
            one
            for one in self._said
            if not isinstance(one, Piece) and not (isinstance(one, Begin) and begin.turn)
        ]
        self._said.append(begin)

    def _put(self, new: Grown | Far) -> None:
        last = self._said[-1] if self._said else None
        if isinstance(last, type(new)) and getattr(last, "call", "") == getattr(new, "call", ""):
            self._said.pop()
        self._said.append(new)

    def take(self) -> Iterator[Said]:
        """What waits, in messages of a size that can be sent; nothing waits then."""
        said, self._said, self._length = self._said, [], 0
        for one in said:
            if isinstance(one, Begin):
                self._number = 0
            if not isinstance(one, Piece):
                yield one
            elif not one.text:
                self._number += 1  # what was here is lost
            else:
                for at in range(0, len(one.text), CHARACTERS):
                    self._number += 1
                    text = one.text[at : at + CHARACTERS]
                    yield replace(one, number=self._number, text=text)


def packed(said: Iterable[Said]) -> Iterator[bytes]:
    """The messages as few as fit the limit: JSON arrays of them."""
    batch: list[bytes] = []
    size = 2
    for one in said:
        body = _encode(one)
        if batch and size + len(body) + 1 > LIMIT:
            yield b"[" + b",".join(batch) + b"]"
            batch, size = [], 2
        batch.append(body)
        size += len(body) + 1
    if batch:
        yield b"[" + b",".join(batch) + b"]"
