"""The one writer of a database: a thread that commits what has come together.

Appends of many runs share a transaction (group commit): while one commit is on its way to the disk,
the next batch gathers. One that names a wrong position fails alone.

A connection that is lost is opened again, and what was on its way is written again unless it turns
out to stand: a commit whose answer never came is looked up, not guessed.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from queue import SimpleQueue
from typing import Protocol, cast

from msgspec import Struct

from pointsman.errors import StoreError, StoreUnavailable
from pointsman.ports import Append, Cursor

BATCH = 500
"""Writes that share a transaction at most."""

PAUSES = (0.05, 0.1, 0.2, 0.4, *[1.0] * 20)
"""Seconds between the looks for a lost database, before what waits is given up."""

Write = Callable[[Cursor, bool], object]
"""A write of its own; told whether an earlier try of it may stand already."""


class Session(Protocol):
    """A connection of the writer's own, with no transaction open between batches."""

    @property
    def cursor(self) -> Cursor: ...

    def begin(self, synced: bool) -> None:
        """Begin a transaction, whose commit waits for the disk or not."""
        ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def lost(self, fault: Exception) -> bool:
        """Whether the fault ended the connection."""
        ...

    def passing(self, fault: Exception) -> bool:
        """Whether the same write may succeed later."""
        ...

    def close(self) -> None: ...


class _Job(Struct, frozen=True):
    work: Append | Write
    synced: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[object]


class Writer:
    """Runs writes one after the other, in the order of ``put``, each whole or not at all."""

    def __init__(
        self,
        connect: Callable[[], Session],
        append: Callable[[Sequence[Append], Cursor, bool], Sequence[object]],
        *,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        """Args:
        connect: opens a session; raises StoreUnavailable when that may succeed later.
        append: writes those of the changes that fit, told as a ``Write`` whether some may stand;
            what came of each.
        """
        self._connect, self._append, self._pauses = connect, append, pauses
        self._left = iter(pauses)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._session: Session | None = None
        self._closing = threading.Event()

    def put(self, work: Append | Write, *, synced: bool) -> asyncio.Future[object]:
        """Take a write over; the future holds what it returned, when it is durable: through a power
        cut if ``synced``, else through the end of the process."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[object] = loop.create_future()
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="journal", daemon=True)
            self._thread.start()
        self._jobs.put(_Job(work, synced, loop, future))
        return future

    def close(self) -> None:
        """Finish what was taken over and stop; a database that is away is not waited for. Blocks
        until then."""
        if self._thread is not None:
            self._closing.set()
            self._jobs.put(None)
            self._thread.join()
            self._thread = None
            self._closing.clear()

    def _serve(self) -> None:
        for batch in self._batches():
            self._write(batch)
        if self._session is not None:
            self._drop(self._session)

    def _batches(self) -> Iterator[list[_Job]]:
        while (first := self._jobs.get()) is not None:
            batch = [first]
            while len(batch) < BATCH and not self._jobs.empty():
                job = self._jobs.get()
                if job is None:
                    yield batch
                    return
                batch.append(job)
            yield batch

    def _write(self, batch: list[_Job], *, doubtful: bool = False) -> None:
        """Write the batch, through what happens to the connection.

        Args:
            doubtful: an earlier connection was lost with the batch; parts of it may stand.
        """
        while True:
            try:
                session = self._session or self._open()
            except StoreError as out:
                return _tell(batch, [out] * len(batch))
            try:
                outcomes = self._transaction(session, batch, doubtful)
            except Exception as fault:  # noqa: BLE001 - the thread outlives every write
                if _undone(session, fault):
                    return self._part(batch, session, fault, doubtful)
                self._drop(session)
                doubtful = True
                if not self._pause():
                    return _tell(batch, [StoreUnavailable(_failed(fault))] * len(batch))
            else:
                self._left = iter(self._pauses)
                return _tell(batch, outcomes)

    def _transaction(self, session: Session, batch: list[_Job], doubtful: bool) -> list[object]:
        cursor, outcomes = session.cursor, list[object]()
        session.begin(any(job.synced for job in batch))
        for kind, works in groupby([job.work for job in batch], key=type):
            if kind is Append:
                outcomes += self._append(cast("list[Append]", list(works)), cursor, doubtful)
            else:
                outcomes += [write(cursor, doubtful) for write in cast("Iterator[Write]", works)]
        session.commit()
        return outcomes

    def _part(self, batch: list[_Job], session: Session, fault: Exception, doubtful: bool) -> None:
        """Write each of a batch alone that the database refused."""
        if len(batch) > 1:
            for job in batch:
                self._write([job], doubtful=doubtful)
        else:
            kind = StoreUnavailable if session.passing(fault) else StoreError
            _tell(batch, [kind(_failed(fault))])

    def _open(self) -> Session:
        """A new session, as soon as there is one.

        Raises:
            StoreError: there was none for too long, or we are refused.
        """
        while True:
            try:
                self._session = self._connect()
                return self._session
            except StoreUnavailable:
                if not self._pause():
                    raise

    def _pause(self) -> bool:
        """Wait before the next look; False when that is no use any more."""
        pause = next(self._left, None)
        return pause is not None and not self._closing.wait(pause)

    def _drop(self, session: Session) -> None:
        self._session = None
        with suppress(Exception):
            session.close()


def _undone(session: Session, fault: Exception) -> bool:
    """Whether the transaction that failed so is rolled back; else the session is of no more use."""
    if session.lost(fault):
        return False
    try:
        session.rollback()
    except Exception:  # noqa: BLE001 - whatever it was: nothing can be said to the database
        return False
    return True


def _failed(fault: Exception) -> str:
    return f"the database failed: {type(fault).__name__}: {fault}"


def _tell(batch: list[_Job], outcomes: Sequence[object]) -> None:
    for loop in {job.loop for job in batch}:
        mine = [(j.future, o) for j, o in zip(batch, outcomes, strict=True) if j.loop is loop]
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, mine)


def _settle(outcomes: list[tuple[asyncio.Future[object], object]]) -> None:
    for future, outcome in outcomes:
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
