"""A value that workers share through the store, changed by whoever has read it last."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from pointsman.errors import StoreError
from pointsman.ports import Store

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
        StoreError: the database failed, or another release has stored something else.
    """
    while True:
        body = await store.shared(key)
        state = empty if body is None else read(body, type(empty))
        answer, after = change(state)
        if after == state or await store.share(key, msgspec.json.encode(after), expected=body):
            return answer


def read(body: bytes, kind: type[State]) -> State:
    """The value that is stored.

    Raises:
        StoreError: it is none of this kind.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as fault:
        raise StoreError(f"cannot read what is shared: {fault}") from None
