"""A run explained, as lines that people read; the same for the command line and the console."""

from collections.abc import Iterator

from pointsman.domain.agent import Language
from pointsman.domain.record.explanation import CallExplained, Explained
from pointsman.domain.record.words import say


def verdict(call: CallExplained, language: Language) -> str:
    """What became of a call, in a word or a few."""
    return say(f"explain.{call.verdict}", language)


def headline(call: CallExplained, language: Language) -> str:
    """A call and what became of it."""
    return f"{call.call}  {call.line}: {verdict(call, language)}"


def lines(explained: Explained, language: Language) -> Iterator[str]:
    """All of it, a line each."""
    yield from explained.opening
    for call in explained.calls:
        yield ""
        yield headline(call, language)
        yield from (f"  - {sentence}" for sentence in call.sentences)
    yield ""
    yield from explained.ending
