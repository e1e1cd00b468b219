"""Fills the figures from the journals of runs that have ended: a reader that catches up, beside the
way of a run and never on it.

Several processes may do it at once: figures of a run are made from its events alone and kept once.
What has been read is a mark in the store: every run up to an id, but for those that had not ended
then. Ids sort by time, but not quite in the order in which runs come into the store, so the mark
stays behind the newest ones.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

import anyio
import anyio.lowlevel
import msgspec
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.record.run_figures import RunFigures, figures
from pointsman.engine import sharing
from pointsman.errors import CallerError, JournalCorrupt, StoreError
from pointsman.ports import Clock, Store
from pointsman.ports.console import KeepsConsole

log = logging.getLogger("pointsman.figures")

MARK = "figures"
PAGE = 200
PAUSE = 2.0
"""Seconds between two looks of a server."""
LATE = timedelta(minutes=5)
"""How long after its id was made a run may come into the store."""


class Mark(Struct, frozen=True, kw_only=True):
    """How far has been read.

    Attributes:
        after: every run up to this id has figures, or is one of ``open``.
        broken: runs above it whose journals cannot be read.
    """

    after: str = ""
    open: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


def kept_by(store: Store) -> KeepsConsole:
    """The store as one that keeps what the console reads.

    Raises:
        CallerError: it does not.
    """
    if not isinstance(store, KeepsConsole):
        raise CallerError("this engine keeps no figures: its journal is in memory")
    return store


class Reckoner:
    """Catches up with the journals of one store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._turns = anyio.Lock()

    async def serve(self) -> None:
        """Catch up again and again, until cancelled. Does nothing where no figures are kept."""
        if not isinstance(self._store, KeepsConsole):
            return
        while True:
            try:
                while not await self.catch_up():
                    pass
            except StoreError as fault:
                log.warning("the figures are behind: %s", fault)
            await self._clock.sleep(PAUSE)

    async def catch_up(self) -> bool:
        """Count what has ended since the last time, a page at most; whether that is all.

        Raises:
            CallerError: no figures are kept here.
            StoreError: the database failed.
        """
        kept = kept_by(self._store).figures
        async with self._turns:
            body = await self._store.shared(MARK)
            mark = sharing.read(body, Mark) or Mark()
            # What ends from here on is open to this look, or found by the next.
            unfinished = await kept.uncounted(after=mark.after, ended=False)
            page = await kept.uncounted(after=mark.after, ended=True, limit=PAGE)
            due = [run for run in page if run not in mark.broken]
            broken = await self._count(due)
            left = await self._left_open(mark)
            settled = await kept.newest(_id_before(self._clock, LATE))
            whole = len(page) < PAGE
            after = max(mark.after, settled if whole else min(settled, page[-1]))
            fresh = Mark(
                after=after,
                open=tuple(dict.fromkeys((*left, *(run for run in unfinished if run <= after)))),
                broken=tuple(sorted({*mark.broken, *broken} & {*page})),
            )
            if fresh != mark:
                await self._store.share(MARK, msgspec.json.encode(fresh), expected=body)
            return whole or not due

    async def rebuild(self) -> None:
        """Make all figures again, from the journals alone.

        Raises:
            CallerError: no figures are kept here.
            StoreError: the database failed.
        """
        kept = kept_by(self._store).figures
        async with self._turns:
            await kept.forget()
            await self._store.share(MARK, None, expected=await self._store.shared(MARK))
        while not await self.catch_up():
            pass

    async def _left_open(self, mark: Mark) -> list[str]:
        """Those of the open runs that are still open; those that have ended are counted."""
        kept, left = kept_by(self._store).figures, list[str]()
        for start in range(0, len(mark.open), PAGE):
            ids = mark.open[start : start + PAGE]
            left += await kept.uncounted(ids=ids, ended=False)
            await self._count(await kept.uncounted(ids=ids, ended=True))
        return left

    async def _count(self, runs: Sequence[str]) -> list[str]:
        """Keep the figures of these runs; which of them cannot be read."""
        counted: list[RunFigures] = []
        broken: list[str] = []
        for run in runs:
            rows = await self._store.rows(run)
            try:
                found = figures(run, [ev.decode(row.body) for row in rows]) if rows else None
            except JournalCorrupt as fault:
                log.warning("run %s cannot be counted: %s", run, fault)
                broken.append(run)
                continue
            if found is not None:
                counted.append(found)
            await anyio.lowlevel.checkpoint()
        if counted:
            await kept_by(self._store).figures.add(counted)
        return broken


def _id_before(clock: Clock, span: timedelta) -> str:
    """An id of now less this span, above all that were made by then."""
    return f"{int((clock.now() - span).timestamp() * 1000):012x}g"
