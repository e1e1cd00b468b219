"""A place in a message that says a value, in one of the plain normal forms."""

from typing import Any

from msgspec import Struct

from pointsman.domain.phrases import prepared, spans
from pointsman.domain.times import When


class Match(Struct, frozen=True):
    """Where a message says a value, by which normal form, and what else its words can mean."""

    start: int
    end: int
    form: str
    rivals: tuple[When, ...] = ()


def plain(value: Any, text: str, forms: tuple[str, ...] = ()) -> Match | None:
    for span in spans(value, text):
        if not forms or span.form in forms:
            return Match(span.start, span.end, span.form)
    return None


def any_of(names: tuple[str, ...], text: str, form: str) -> Match | None:
    for name in names:
        if found := plain(name, text, forms=("exact", "width")):
            return Match(found.start, found.end, form)
    return None


def located(place: tuple[int, int], form: str, text: str) -> Match:
    """A match at a place of the folded text, as a place of the text itself."""
    whole, (start, end) = prepared(text), place
    if start == end:
        return Match(0, len(text), form)
    return Match(whole.places[start], whole.places[end - 1] + 1, form)
