"""Where a command writes: its answer to stdout, everything about it to stderr; plain in a pipe.

What comes from models and tools passes ``printable``: no text of theirs can steer the terminal.
"""

import json
import sys
from typing import Any

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from pointsman.domain.agent import Language
from pointsman.domain.text import one_line as one_line
from pointsman.domain.text import printable as printable
from pointsman.entrypoints.cli.texts import say


class Line(Struct, frozen=True):
    """A line to print, in one of rich's styles."""

    text: str
    style: str = ""


def padded(text: str, width: int) -> str:
    """The text filled up to so many columns; a Chinese character takes two."""
    return text + " " * max(width - cell_len(text), 0)


class Terminal:
    """The two streams of a command, and the language of its own sentences."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

    @property
    def interactive(self) -> bool:
        """Whether a person reads stdout as it is written."""
        return self._out.is_terminal

    def answer(self, text: str, style: str = "", *, end: str = "\n") -> None:
        """Write to stdout."""
        _write(self._out, printable(text), style, end)

    def note(self, text: str, style: str = "dim", *, end: str = "\n") -> None:
        """Write to stderr."""
        _write(self._err, printable(text), style, end)

    def tell(self, key: str, style: str = "", **values: object) -> None:
        """Write one of our own sentences to stdout."""
        self.answer(say(key, self.language, **values), style)

    def mention(self, key: str, style: str = "dim", **values: object) -> None:
        """Write one of our own sentences to stderr."""
        self.note(say(key, self.language, **values), style)

    def table(self, heads: list[str], rows: list[list[str]]) -> None:
        """Columns; a line is cut to the width of the terminal, if there is one."""
        named = [say(f"head.{head}", self.language) for head in heads]
        widths = [max(map(cell_len, column)) for column in zip(named, *rows, strict=True)]
        for row, style in [(named, "bold"), *((row, "") for row in rows)]:
            cells = map(padded, map(printable, row), widths)
            line = "  ".join(cells).rstrip()
            if self.interactive and cell_len(line) > self._out.width:
                line = set_cell_size(line, self._out.width - 1) + "…"
            self.answer(line, style)


def _write(console: Console, text: str, style: str, end: str) -> None:
    """Styled for a person; as it is in a pipe: rich would turn tabs into spaces."""
    if style and console.is_terminal:
        console.print(Text(text, style), end=end)
    else:
        console.file.write(text + end)
        console.file.flush()


def print_json(value: Any) -> None:
    """Write one JSON value to stdout, whatever the terminal's encoding."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=plain, indent=2) + "\n")
