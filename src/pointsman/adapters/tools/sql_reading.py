"""One query of a database while it runs: bounded in rows, bytes and seconds, and stopped for real.

The drivers (``sql_sqlite``, ``sql_postgres``) block; a thread runs them. Whoever gives a query up
stops it in the database, so that no thread and no server goes on with it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any, Protocol

import anyio
import anyio.to_thread
from msgspec import Struct

from pointsman.adapters.tools.returned import as_json
from pointsman.adapters.tools.sql_settings import ParameterType, SqlLimits
from pointsman.adapters.tools.threads import Flight, Threads
from pointsman.domain.numbers.tables import Cell, Table, table_of
from pointsman.domain.text import clean

LONGEST_CELL = 2_000
"""Characters of one value of an answer."""
GRACE = 1.0
"""Seconds that a database has to stop a query by itself before we do."""

Columns = dict[tuple[str, str], dict[str, str]]
"""(schema, table) → column → type, of all that there is."""


class QueryFailed(Exception):
    """The database refused or failed. ``str`` is what it said, without secrets.

    Attributes:
        retryable: it could not be reached; the query itself may be right.
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class TookTooLong(Exception):
    """The query was stopped after its time."""


class Query(Struct, frozen=True, kw_only=True):
    """What is to run.

    Attributes:
        names: of the result's columns, where the question says them better than the database.
        values: parameter → value; ``types`` says what each is.
        free: it is not its author's but a model's: only what is granted may be read.
        zone: the time zone of ``now()``, where the database has one for each session.
    """

    sql: str
    names: tuple[str, ...] = ()
    values: Mapping[str, Any] = {}
    types: Mapping[str, ParameterType] = {}
    free: bool = False
    zone: str = "UTC"


class Reading(Protocol):
    """A query on its own connection, which nothing outlives."""

    def run(self, flight: Flight) -> Table:
        """Blocks.

        Raises:
            QueryFailed, TookTooLong
        """
        ...

    def stop(self) -> None:
        """Make ``run`` end soon; from any thread, at any time."""
        ...


class Database(Protocol):
    """How one kind of database is read."""

    def columns(self) -> Columns:
        """All tables and views with their columns. Blocks.

        Raises:
            QueryFailed: it cannot be reached.
        """
        ...

    def grant(self, granted: Mapping[tuple[str, str], Sequence[str]]) -> None:
        """What free queries may read from now on: (schema, table) → columns. Blocks."""
        ...

    def reading(self, query: Query, limits: SqlLimits) -> Reading: ...


async def read(
    database: Database, query: Query, limits: SqlLimits, threads: Threads, name: str
) -> Table:
    """The answer.

    Raises:
        QueryFailed, TookTooLong
    """
    reading = database.reading(query, limits)
    flight = Flight()
    with anyio.move_on_after(limits.seconds + GRACE):
        try:
            return await threads.run(name, lambda: reading.run(flight), flight)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(reading.stop)
            raise
    raise TookTooLong


class Collected:
    """The rows of an answer as far as the limits go."""

    def __init__(self, limits: SqlLimits) -> None:
        self._limits = limits
        self._rows: list[tuple[Cell, ...]] = []
        self._bytes = 0
        self.truncated = False

    def take(self, rows: Iterable[Sequence[Any]]) -> bool:
        """Add rows; whether there is room for more."""
        for row in rows:
            cells = tuple(map(cell, row))
            self._bytes += sum(len(str(one)) if one is not None else 4 for one in cells)
            if len(self._rows) >= self._limits.rows or (
                self._bytes > self._limits.bytes and self._rows
            ):
                self.truncated = True
                return False
            self._rows.append(cells)
        return True

    def table(self, names: Sequence[str]) -> Table:
        return table_of(names, self._rows, truncated=self.truncated)


def cell(value: Any) -> Cell:
    """A value of a database as a JSON value: numbers stay numbers as long as they are exact."""
    if value is None or isinstance(value, bool | int):
        plain: Any = value
        return plain if not isinstance(plain, int) or abs(plain) < 1 << 63 else str(plain)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _of_decimal(value)
    if isinstance(value, timedelta):
        return str(value)
    text = clean(str(as_json(value)))
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + "…"


def _of_decimal(value: Decimal) -> Cell:
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value() and abs(value) < 1 << 53:
        return int(value)
    with suppress(OverflowError, ValueError):
        number = float(value)
        if Decimal(repr(number)) == value:
            return number
    return str(value)
