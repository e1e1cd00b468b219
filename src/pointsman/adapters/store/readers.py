"""The threads that read: each with a connection of a pool, beside the one that writes.

They are the store's own, so that tools that fill the process's threads hold up no reader.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

import anyio
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from pointsman.errors import StoreError, StoreUnavailable
from pointsman.ports import Cursor

T = TypeVar("T")

THREADS = 10
"""Reads at once; the pool of connections is of the same size."""

PAUSES = (0.0, 0.1, 0.2, 0.4, *[1.0] * 4)
"""Seconds before a read is tried again for which the database was out of reach."""

_SNAPSHOT = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "sqlite": "BEGIN",
}


class Readers:
    """Runs reads, and again when the database was out of reach for a moment."""

    def __init__(
        self,
        engine: Engine,
        passing: Callable[[BaseException], bool],
        *,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        """Args:
        engine: gives connections that commit each statement unless told to begin.
        passing: whether what failed so may succeed soon.
        """
        driver = engine.dialect.loaded_dbapi
        self._engine, self._passing, self._pauses = engine, passing, pauses
        self._faults: tuple[type[Exception], ...] = (driver.Error, SQLAlchemyError)
        self._snapshot = _SNAPSHOT[engine.dialect.name]
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="reader")

    async def query(self, read: Callable[[Connection], T]) -> T:
        """What it reads, in one transaction.

        Raises:
            StoreError: the database failed.
        """

        def run() -> T:
            with self._engine.connect() as connection:
                return read(connection)

        return await self._tried(run)

    async def fetch(self, read: Callable[[Cursor], T], *, snapshot: bool = False) -> T:
        """The same on the driver's own cursor, at a fraction of the cost.

        Args:
            snapshot: all of its statements see one state of the database.
        """

        def run() -> T:
            with closing(self._engine.raw_connection()) as connection:
                try:
                    with closing(connection.cursor()) as cursor:
                        if snapshot:
                            cursor.execute(self._snapshot)
                        return read(cursor)
                except self._faults as fault:
                    if self._passing(fault):
                        connection.invalidate()  # the pool would try to roll it back
                    raise

        return await self._tried(run)

    async def close(self) -> None:
        """Let the reads that are under way end."""
        await anyio.to_thread.run_sync(self._threads.shutdown)

    async def _tried(self, run: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        for pause in self._pauses:
            try:
                return await loop.run_in_executor(self._threads, self._once, run)
            except StoreUnavailable:
                await anyio.sleep(pause)
        return await loop.run_in_executor(self._threads, self._once, run)

    def _once(self, run: Callable[[], T]) -> T:
        try:
            return run()
        except self._faults as fault:
            cause = getattr(fault, "orig", None) or fault
            if not self._passing(cause):
                raise StoreError(f"the database failed: {cause}") from None
            self._engine.dispose()  # the others of the pool are likely lost, too
            raise StoreUnavailable(f"the database failed: {cause}") from None
