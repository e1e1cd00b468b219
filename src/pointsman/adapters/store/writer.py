"""The one writer of a database: a thread that commits what has come together.

Appends of many runs share a transaction (group commit): while one commit is on its way to the disk,
the next batch gathers. One that names a wrong position fails alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

from msgspec import Struct
from sqlalchemy import Engine

from pointsman.adapters.store.prepared import Cursor
from pointsman.errors import StoreError

BATCH = 500
"""Writes that share a transaction at most."""


class _Job(Struct, frozen=True):
    write: Callable[[Cursor], object]
    synced: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[object]


class Writer:
    """Runs writes one after the other, in the order of ``put``, each whole or not at all."""

    def __init__(self, engine: Engine, begin: Callable[[Cursor, bool], None]) -> None:
        """Args:
        engine: gives autocommit connections.
        begin: begins a transaction, whose commit waits for the disk or not.
        """
        self._engine, self._begin = engine, begin
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def put(
        self, write: Callable[[Cursor], object], *, synced: bool = True
    ) -> asyncio.Future[object]:
        """Take a write over; the future holds what it returned, when it is durable: through a power
        cut if ``synced``, else through the end of the process."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[object] = loop.create_future()
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="journal", daemon=True)
            self._thread.start()
        self._jobs.put(_Job(write, synced, loop, future))
        return future

    def close(self) -> None:
        """Finish what was taken over and stop. Blocks until then."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _serve(self) -> None:
        with self._engine.connect() as connection:
            cursor = connection.connection.cursor()
            while (first := self._jobs.get()) is not None:
                batch = [first]
                while len(batch) < BATCH and not self._jobs.empty():
                    job = self._jobs.get()
                    if job is None:
                        self._commit(cursor, batch)
                        return
                    batch.append(job)
                self._commit(cursor, batch)

    def _commit(self, cursor: Cursor, batch: list[_Job]) -> None:
        try:
            self._begin(cursor, any(job.synced for job in batch))
            outcomes = [_attempt(job, cursor) for job in batch]
            cursor.execute("COMMIT")
        except Exception as fault:  # noqa: BLE001 - the thread outlives every write
            with suppress(Exception):
                cursor.execute("ROLLBACK")
            if len(batch) > 1:
                for job in batch:
                    self._commit(cursor, [job])
                return
            outcomes = [StoreError(f"the database failed: {fault.__class__.__name__}: {fault}")]
        for loop in {job.loop for job in batch}:
            mine = [(j.future, o) for j, o in zip(batch, outcomes, strict=True) if j.loop is loop]
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, mine)


def _attempt(job: _Job, cursor: Cursor) -> object:
    """What the write returned, or the refusal it raised before it wrote anything."""
    try:
        return job.write(cursor)
    except StoreError as refusal:
        return refusal


def _settle(outcomes: list[tuple[asyncio.Future[object], object]]) -> None:
    for future, outcome in outcomes:
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
