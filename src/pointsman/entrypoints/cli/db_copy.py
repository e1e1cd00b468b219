"""``pointsman db copy``: a database into an empty one."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from pointsman import bootstrap, settings
from pointsman.adapters.system import SystemClock
from pointsman.engine.record import verification
from pointsman.engine.record.verification import Verified
from pointsman.entrypoints.cli import lock
from pointsman.entrypoints.cli.db import blocking
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.errors import CallerError, Conflict, StoreError
from pointsman.ports import Copying, Upkeep
from pointsman.settings import DatabaseUrl, Settings


async def copy(
    chosen: Settings,
    terminal: Terminal,
    source: str,
    target: str | None,
    *,
    rehearsed: bool,
    as_json: bool,
) -> int:
    """Copy one database into another, and verify the copy before it stands.

    Raises:
        CallerError, NotFound: the two cannot be meant.
        Conflict: a server uses one of them, the target is not empty, or the source does not hold.
        StoreError: one of the databases failed, or the copy is not what the source is.
    """
    place = _named(source)
    goal = chosen.database if target is None else _named(target)
    with _both(place, goal) as copying:
        # One instant for both: what is recent is not covered as what is old.
        now = SystemClock().now()
        before = await verification.verify(copying.source, now)
        if not before.holds:
            raise Conflict(
                f"the journal of {place} does not hold: see `pointsman audit verify` "
                "before you copy it"
            )
        if not rehearsed:
            await blocking(lambda: copying.copy(partial(_tell, terminal)))
            after = await verification.verify(copying.target, now)
            if not after.holds or _covered(after) != _covered(before):
                raise StoreError("the copy is not what the source is; it was undone")
            await blocking(copying.commit)
    counts = {"runs": before.runs, "events": before.events, "pruned": before.pruned}
    if as_json:
        print_json({"source": str(place), "target": str(goal), "copied": not rehearsed, **counts})
    else:
        key = "db.would_copy" if rehearsed else "db.copied"
        terminal.tell(key, "green", source=place, target=goal, **counts)
    return 0


def _named(place: str) -> Path | DatabaseUrl:
    try:
        return settings.database(place)
    except ValueError as fault:
        raise CallerError(str(fault)) from None


@contextmanager
def _both(source: Path | DatabaseUrl, target: Path | DatabaseUrl) -> Iterator[Copying]:
    """The copy that is under way; no server may start on either meanwhile."""
    if source == target:
        raise CallerError(f"source and target are the same: {source}")
    with ExitStack() as stack:
        origin = stack.enter_context(_closing(source, new=False))
        for database in (source, target):
            stack.enter_context(lock.held(database))
        goal = stack.enter_context(_closing(target, new=True))
        yield stack.enter_context(origin.copy_to(goal))


@contextmanager
def _closing(database: Path | DatabaseUrl, *, new: bool) -> Iterator[Upkeep]:
    upkeep = bootstrap.upkeep(database, new=new)
    try:
        yield upkeep
    finally:
        upkeep.close()


def _tell(terminal: Terminal, table: str, done: int, total: int) -> None:
    if done == total or done % 10_000 == 0:
        terminal.mention("db.copying", table=table, done=done, total=total)


def _covered(verified: Verified) -> tuple[object, ...]:
    """Each run and its last hash, as a head holds them."""
    return verified.covering.days, verified.covering.listed
