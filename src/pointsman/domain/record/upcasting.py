"""Events of older schema versions, lifted to those of this release before they are read.

The journal keeps the bytes as they were written, for its hashes cover them; only what is read from
them is lifted. To change an event's shape: give it the next version in its tag, and add here how
the version before becomes it. An upcaster stays as long as there may be journals that need it.
"""

from collections.abc import Callable, Mapping
from typing import Any

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
"""An event as a JSON object without its tag → the same of the next version."""

UPCASTERS: Mapping[str, Upcaster] = {}
"""Tag of an older version (``name@1``) → how the next version (``name@2``) is made of it."""


def lifted(event: dict[str, Any], upcasters: Mapping[str, Upcaster]) -> dict[str, Any]:
    """The event of the newest version that the upcasters lead to."""
    tag = str(event.get("type"))
    while tag in upcasters:
        body = {name: value for name, value in event.items() if name != "type"}
        name, _, version = tag.partition("@")
        event, tag = upcasters[tag](body), f"{name}@{int(version) + 1}"
        event = {"type": tag, **event}
    return event
