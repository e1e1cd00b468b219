"""Tool names: safe and unique for every provider, and read back from what a model wrote.

A name that a provider takes is ``[A-Za-z0-9_-]{1,64}``. A name is a pure function of its tool alone
unless two tools clash; then every one of the clashing tools gets a mark of its own, whatever the
order. So a saved conversation still names the same tools after a restart.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from hashlib import sha1

from pointsman.errors import ToolDefinitionError

LONGEST = 64
MOST_LISTED = 20
"""How many names a model is told that called a tool which is not there."""

_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")
_TOKEN = re.compile(r"<\|[^|>]*\|>.*", re.DOTALL)
_NUMBERED = re.compile(r"(functions\..+):\d+")
"""Kimi's ids of calls, which some servers hand on as names: ``functions.search:0``."""
_HABITS = (
    *("functions.", "function.", "default_api.", "tools.", "tool."),
    *("functions_", "default_api_"),  # as a model reads them in the history, where they are legal
)
_SEPARATORS = (".", ":", "/")
_NAMESPACE = re.compile(r".*[.:/]")


def joined(prefix: str, original: str, joiner: str = "__") -> str:
    """The name that a tool server's tool should have, before it is made safe."""
    return f"{prefix}{joiner}{original}" if prefix else original


def safe(wanted: str) -> str:
    """The name that stands for ``wanted``: legal, at most 64 characters, always the same.

    What is legal stays as it is, and a safe name is its own safe name. A longer name is cut and
    marked, and so is one in another script, of which only the legal part can be kept.
    """
    if wanted.isascii():
        legal = _ILLEGAL.sub("_", wanted)
        if 0 < len(legal) <= LONGEST:
            return legal
    else:
        legal = re.sub("_{3,}", "__", _ILLEGAL.sub("_", wanted)).strip("_-")
    return _marked(legal, wanted)


def assign(tools: Sequence[tuple[str, str, str]]) -> list[str]:
    """The exposed name of each tool, all different, whatever the order of the tools.

    Args:
        tools: (source, original, wanted name), over all sources.

    Raises:
        ToolDefinitionError: the same tool of the same source stands there twice.
    """
    if len(set(tools)) < len(tools):
        source, original, _ = Counter(tools).most_common(1)[0][0]
        raise ToolDefinitionError(f"tool {original!r} is declared twice in {source!r}")
    marks = [0] * len(tools)
    while True:
        named = [_named(tool, mark) for tool, mark in zip(tools, marks, strict=True)]
        uses = Counter(named)
        if len(uses) == len(named):
            return named
        marks = [mark + (uses[name] > 1) for mark, name in zip(marks, named, strict=True)]


def _named(tool: tuple[str, str, str], mark: int) -> str:
    """The tool's own name, or the one that its ``mark``-th clash leads to."""
    if not mark:
        return safe(tool[2])
    return _marked(safe(tool[2]), "\0".join((*tool, str(mark))))


def _marked(name: str, identity: str) -> str:
    digest = sha1(identity.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"{name[:55] or 'tool'}_{digest[:8]}"


def resolve(written: str, known: Collection[str], sources: Collection[str] = ()) -> str | None:
    """The known name that a model's spelling stands for without doubt, or None.

    Read are the habits of some models: a namespace before the name (``functions.``, a server's name
    and a dot), and a control token or a number after it (``<|channel|>…``, ``functions.…:0``). A
    near miss is never taken.

    Args:
        sources: names of tool servers, which a model may write before a tool's name.
    """
    if written in known:
        return written
    bare = _TOKEN.sub("", written).strip()
    if numbered := _NUMBERED.fullmatch(bare):
        bare = numbered[1]
    readings = {bare} | {bare.removeprefix(habit) for habit in _HABITS}
    readings |= {
        reading.removeprefix(source + separator)
        for reading in tuple(readings)
        for source in sources
        for separator in _SEPARATORS
    }
    readings |= {
        reading.replace(separator, joiner, 1)
        for reading in tuple(readings)
        for separator in _SEPARATORS
        for joiner in ("__", "-", "_")
    }
    found = [reading for reading in readings if reading in known]
    return found[0] if len(found) == 1 else None


def shown(written: str) -> str:
    """A name from a model as it may stand in a log: at most 64 characters, none for control."""
    return "".join(
        character
        for character in written[: 4 * LONGEST]
        if unicodedata.category(character)[0] != "C" and character not in "\u2028\u2029"
    )[:LONGEST]


def close(written: str, known: Collection[str]) -> list[str]:
    """At most three known names that look like what was written, the likest first; in capitals or
    not, and with a namespace before it or not."""
    spellings: dict[str, list[str]] = {}
    for name in sorted(known):
        spellings.setdefault(name.casefold(), []).append(name)
    wanted = shown(written).casefold()
    last = _NAMESPACE.sub("", wanted)
    alike = get_close_matches(wanted, spellings, n=3) or get_close_matches(last, spellings, n=3)
    return [name for folded in alike for name in spellings[folded]][:3]
