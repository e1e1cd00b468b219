"""A reader of text that is nearly JSON: it notes every departure, and refuses two readings.

It knows at every character whether it is inside a string, so that text in values is never touched.
Above: ``json_repair``, which finds where to read. Below: ``json_text`` (the rules).
"""

import json
import re
import unicodedata
from typing import Any, NoReturn

from pointsman.domain.arguments import json_text
from pointsman.domain.arguments.json_text import Member
from pointsman.errors import ArgumentsMalformed

CLOSING = {'"': '"', "'": "'", "“": "”", "”": "”", "＂": "＂", "‘": "’", "’": "’"}
_FOLDED = {"｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": ","}
BLANK = "\ufeff\u200b\u2060"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_RUN = re.compile("[^\\\\\"'“”＂‘’\x00-\x1f]+")
_WRITTEN_BLANK = re.compile(r"\\[nrt](?!\w)")
_HEX4 = re.compile("[0-9a-fA-F]{4}")
_WORD_KEY = re.compile(r"[^\W\d][\w$-]*")
_TOKEN = re.compile("[^\\s,，:：{}\\[\\]｛｝［］\"'“”＂‘’/#]+")
_NUMBER = re.compile(r"([+-]?)(0|[1-9]\d*(?:_\d+)*)?(\.\d*)?([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
ONLY_CLOSERS = re.compile(r"[\s}\]｝］]*")
FULL_WIDTH = "full-width punctuation was read as JSON syntax"
_COMMENT = "a comment was left out"
_TRAILING_COMMA = "a needless comma was left out"
_CLOSERS_ADDED = "missing closing brackets were added"
_ESCAPE = "a backslash that JSON does not know was kept as text"


class Reader:
    """Reads one value from a place in a text and notes every departure from JSON."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at
        self.notes: dict[str, None] = {}
        self._open: list[str] = []
        self._number_end = -1

    def peek(self) -> str:
        """The next character that matters, with full-width syntax folded; empty at the end."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char.isspace() or char in BLANK:
                self.at += 1
            elif char == "\\" and (blank := _WRITTEN_BLANK.match(self.text, self.at)):
                self.at = blank.end()
                self.notes["line ends that were written out were left out"] = None
            elif char == "#" or self.text.startswith(("//", "/*"), self.at):
                self._skip_comment()
            elif char in _FOLDED:
                self.notes[FULL_WIDTH] = None
                return _FOLDED[char]
            else:
                return char
        return ""

    def value(self, what: str) -> Any:
        """The next value; ``what`` names it in errors."""
        char = self.peek()
        if char == "{":
            return self.object()
        if char == "[":
            return self._array()
        if char in CLOSING and char:
            return self.string()
        return self._bare(what)

    def object(self) -> dict[str, Any]:
        """The object that starts here."""
        self._enter("{")
        pairs: list[Member] = []
        while not self._closed(bool(pairs)):
            if self.peek() == ",":
                self._comma(_TRAILING_COMMA)
                continue
            pairs.append(self.member())
            char = self.peek()
            if char == ",":
                self._comma()
            elif char in CLOSING and char:
                self.notes["a missing comma was added"] = None
            elif char not in ("", "}", "]"):
                self.refuse(f"expected a comma or }} after {pairs[-1][0][:64]!r}")
        return self._members(pairs)

    def member(self) -> Member:
        """The next ``key: value``."""
        char = self.peek()
        if char in CLOSING and char:
            key = self.string()
        elif found := _WORD_KEY.match(self.text, self.at):
            key, self.at = found[0], found.end()
            self.notes["quotes were put around a key"] = None
        else:
            self.refuse("expected a key")
        if self.peek() != ":":
            self.refuse(f"expected a colon after the key {key[:64]!r}")
        if "\\" in key or '"' in key:
            self.refuse(f"a backslash or a quotation mark in the key {key[:64]!r}")
        self.at += 1
        return key, self.value(f"the value of {key[:64]!r}")

    def members_without_brace(self, first: str) -> dict[str, Any]:
        """An object whose opening brace is missing; the reader stands at its first colon."""
        self.at += 1
        self._open.append("{")
        self.notes["a missing opening brace was added"] = None
        pairs: list[Member] = [(first, self.value(f"the value of {first[:64]!r}"))]
        while not self._closed(True):
            if self.peek() != ",":
                self.refuse("expected a comma or }")
            self._comma()
            if self.peek() != "}":
                pairs.append(self.member())
        return self._members(pairs)

    def string(self) -> str:
        """The string that starts here, up to the mark that closes its opening mark."""
        opening = self.text[self.at]
        closing = CLOSING[opening]
        if opening != '"':
            self.notes["single quotes were read as double" if opening == "'" else FULL_WIDTH] = None
        self.at += 1
        parts: list[str] = []
        escapes: set[str] = set()
        while True:
            if run := _RUN.match(self.text, self.at):
                parts.append(run[0])
                self.at = run.end()
            char = self.text[self.at : self.at + 1]
            if not char:
                raise ArgumentsMalformed("the arguments end inside a string")
            if char == closing:
                self.at += 1
                break
            if char == opening:
                self.refuse("a quotation mark inside quotation marks")
            if char == "\\":
                parts.append(self._escape(escapes))
                continue
            if char < " ":
                self.notes["raw line ends or tabs in a string were kept"] = None
            parts.append(char)
            self.at += 1
        if {"known", "unknown"} <= escapes:
            self.refuse("backslashes that can be read as text or as escapes")
        return "".join(parts)

    def _escape(self, seen: set[str]) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char in _ESCAPES and char:
            if char.isalpha():
                seen.add("known")
            self.at += 2
            return _ESCAPES[char]
        if char == "u" and (digits := _HEX4.match(self.text, self.at + 2)):
            seen.add("known")
            self.at += 6
            return chr(int(digits[0], 16))
        if char in CLOSING and char:
            self.notes["a needless backslash was left out"] = None
            self.at += 2
            return char
        self.notes[_ESCAPE] = None
        seen.add("unknown")
        self.at += 1
        return "\\"

    def _array(self) -> list[Any]:
        self._enter("[")
        items: list[Any] = []
        while not self._closed(bool(items)):
            items.append(self.value("a list item"))
            char = self.peek()
            if char == ",":
                self._comma()
            elif char not in ("", "}", "]"):
                self.refuse("expected a comma or ] in a list")
        return items

    def _bare(self, what: str) -> Any:
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            self.refuse(f"{what} is missing")
        token = unicodedata.normalize("NFKC", found[0])
        if token.casefold() in _WORDS:
            self.at = found.end()
            if token not in ("true", "false", "null"):
                self.notes["words of Python or JavaScript were read as JSON"] = None
            return _WORDS[token.casefold()]
        if _NOT_FINITE.fullmatch(token):
            json_text.constant(token)
        number = _NUMBER.fullmatch(token)
        if (
            number is None
            or not (number[2] or (number[3] or "").strip("."))
            or json_text.has_signs_for_numbers(found[0])
        ):
            self.refuse(f"{what} has no quotes or is no JSON value: {token[:64]}")
        self.at = self._number_end = found.end()
        sign, whole = number[1].replace("+", ""), (number[2] or "0").replace("_", "")
        if number[3] is None and number[4] is None:
            plain: int | float = json_text.integer(sign + whole)
        else:
            plain = json_text.real(f"{sign}{whole}{number[3] or ''}{number[4] or ''}")
        if not _is_json_number(found[0]):
            self.notes["a number was written in another form"] = None
        return plain

    def _enter(self, bracket: str) -> None:
        self.at += 1
        self._open.append(bracket)
        if len(self._open) > json_text.MAX_DEPTH:
            raise ArgumentsMalformed(json_text.TOO_DEEP)

    def _closed(self, begun: bool) -> bool:
        """Whether the innermost bracket ends here, by its own closer, an outer one, or the end."""
        char = self.peek()
        own = "}" if self._open[-1] == "{" else "]"
        if char == own:
            self.at += 1
        elif char == "":
            if not begun or self._number_end == len(self.text.rstrip()):
                self.refuse("the arguments stop before they are complete")
            self.notes[_CLOSERS_ADDED] = None
        elif char in ("}", "]"):
            outer = "{" if char == "}" else "["
            if outer not in self._open[:-1] or not ONLY_CLOSERS.fullmatch(self.text, self.at):
                self.refuse(f"expected {own}, got {char}")
            self.notes[_CLOSERS_ADDED] = None
        else:
            return False
        self._open.pop()
        return True

    def _comma(self, note: str = "") -> None:
        self.at += 1
        char = self.peek()
        if char == "":
            self.refuse("the arguments stop after a comma")
        if char == "," and self._open[-1] == "[":
            self.refuse("a list item is missing")
        if note or char in ("}", "]"):
            self.notes[_TRAILING_COMMA] = None

    def _skip_comment(self) -> None:
        block = self.text.startswith("/*", self.at)
        end = self.text.find("*/" if block else "\n", self.at)
        if end < 0 and (block or self._open):
            self.refuse("a comment hides the rest of the arguments")
        self.at = len(self.text) if end < 0 else end + (2 if block else 1)
        self.notes[_COMMENT] = None

    def _members(self, pairs: list[Member]) -> dict[str, Any]:
        value = json_text.members(pairs)
        if len(value) != len(pairs):
            self.notes[json_text.GIVEN_TWICE] = None
        return value

    def refuse(self, problem: str) -> NoReturn:
        """Raise ``ArgumentsMalformed`` with the place where the reader stands."""
        raise ArgumentsMalformed(f"{problem} (character {self.at + 1})")


def _is_json_number(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
