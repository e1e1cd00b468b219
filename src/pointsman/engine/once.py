"""A message that is handed in again under its sender's key, because he did not hear what became of
it: it makes one run, however often it comes (the header ``Idempotency-Key``).

The key is bound to the run's id before there is a run: after a crash in between, the next time
makes the run under that id. Above: the entry points. Below: what workers share through the store.
"""

import hashlib
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pointsman.engine import sharing
from pointsman.engine.submission import Submission
from pointsman.errors import Conflict, PositionConflict
from pointsman.ports import Clock, Store

KEYS = sharing.key("once", "")[: -len('""]')]
"""How the keys start under which it is noted what was handed in."""
KEPT = timedelta(days=2)
"""So long a key is good for the same message only."""


class Taken(Struct, frozen=True, kw_only=True):
    """What was handed in under a key.

    Attributes:
        digest: of the message; empty when nothing was.
        at: when.
    """

    digest: str = ""
    run: str = ""
    at: datetime | None = None


async def submitted(
    store: Store,
    clock: Clock,
    submission: Submission,
    key: str,
    submit: Callable[[Submission], Awaitable[str]],
) -> str:
    """The id of the message's run, which is made unless it was before.

    Raises:
        Conflict: another message was handed in under this key.
    """
    place = sharing.key("once", submission.user, key)
    mine = Taken(digest=_digest(submission), run=clock.new_id(), at=clock.now())

    def claim(found: Taken) -> tuple[Taken, Taken]:
        taken = found if found.digest and not over(found, clock.now()) else mine
        return taken, taken

    taken = await sharing.changed(store, place, Taken(), claim)
    if taken.digest != mine.digest:
        raise Conflict("another message was handed in under this Idempotency-Key")
    if taken is not mine and await store.record(taken.run) is not None:
        return taken.run
    try:
        run = await submit(replace(submission, run=taken.run))
    except PositionConflict:  # the same message came twice at once, and the other one has made it
        return taken.run
    if run != taken.run:  # it answered what another run had asked
        await sharing.changed(store, place, Taken(), lambda _: (None, replace(taken, run=run)))
    return run


def over(taken: Taken, now: datetime) -> bool:
    """Whether the key is free again."""
    return taken.at is None or now - taken.at >= KEPT


def _digest(submission: Submission) -> str:
    said = (submission.agent, submission.conversation, submission.text, submission.language)
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()
