"""A value that workers share through the store, changed by whoever has read it last."""

import logging
from collections.abc import Callable
from typing import TypeVar

import msgspec

from pointsman.ports import Store

log = logging.getLogger("pointsman.sharing")

State = TypeVar("State")
Answer = TypeVar("Answer")


async def changed(
    store: Store, key: str, empty: State, change: Callable[[State], tuple[Answer, State]]
) -> Answer:
    """What the change says of the stored value; the value after it stands in its place.

    Args:
        empty: the value when nothing is stored; its type is that of what is.
        change: pure; it is asked again when another worker was faster.

    Raises:
        StoreError: the database failed.
    """
    while True:
        body = await store.shared(key)
        state = read(body, type(empty)) or empty
        answer, after = change(state)
        if after == state or await store.share(key, msgspec.json.encode(after), expected=body):
            return answer


def read(body: bytes | None, kind: type[State]) -> State | None:
    """The value that is stored; None when there is none, or none of this kind: another release has
    left it there, and the next change replaces it."""
    try:
        return None if body is None else msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as fault:
        log.warning("a shared state cannot be read and is begun anew: %s", fault)
        return None


def key(*parts: str) -> str:
    """One key of several parts, which no other parts make."""
    return msgspec.json.encode(parts).decode()
