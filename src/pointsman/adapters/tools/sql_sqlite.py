"""A SQLite file that is only read: opened read-only, with an authorizer behind the check of the
query, and stopped by its progress handler."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from msgspec import Struct

from pointsman.adapters.tools.sql_reading import (
    LONGEST_CELL,
    Collected,
    Columns,
    Query,
    QueryFailed,
    TookTooLong,
)
from pointsman.adapters.tools.sql_settings import SqlLimits
from pointsman.adapters.tools.threads import Flight
from pointsman.domain.numbers.sql_words import FUNCTIONS
from pointsman.domain.numbers.tables import Table
from pointsman.ports import Clock

_CHUNK = 50
_OPERATIONS = 2_000
"""Steps of SQLite's machine between two looks at whether to go on; about a tenth of a ms."""
_LONGEST_VALUE = 4_000_000
"""Bytes of one value inside of SQLite: no query fills the memory with one."""
_FUNCTIONS = FUNCTIONS["sqlite"] | {
    "like", "glob", "->", "->>", "current_date", "current_time", "current_timestamp",
}  # fmt: skip

Read = tuple[str, str]
"""Table and column in lower case; the column is empty where only rows are counted."""


class Permits(Struct, frozen=True, kw_only=True):
    """What may be read.

    Attributes:
        through: view → what it reads for whoever may read it.
        tables: all that there are. A name that is none of them is the query's own (WITH).
    """

    reads: frozenset[Read] = frozenset()
    through: dict[str, frozenset[Read]] = {}
    functions: frozenset[str] = _FUNCTIONS
    tables: frozenset[str] = frozenset()

    def allows(self, table: str, column: str, view: str | None) -> bool:
        read = (table.lower(), column.lower())
        if not column and read[0] not in self.tables:
            return not read[0].startswith("sqlite_")
        return read in self.reads or read in self.through.get((view or "").lower(), ())


class SqliteDatabase:
    """The file.

    Args:
        clock: tells when a query's time is over.
        seed: a file of SQL that makes it when it is not there.
    """

    def __init__(self, file: Path, clock: Clock, *, seed: Path | None = None) -> None:
        self._file, self._clock, self._seed = file, clock, seed
        self._permits = Permits()

    def columns(self) -> Columns:
        found: Columns = {}
        try:
            with closing(self._connect()) as connection:
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
                    " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                ).fetchall():
                    rows = connection.execute(
                        "SELECT name, type FROM pragma_table_info(?)", (name,)
                    )
                    found["", name] = {column: kind.lower() for column, kind in rows}
        except sqlite3.Error as fault:
            raise QueryFailed(self._said(fault), retryable=True) from None
        return found

    def grant(self, granted: Mapping[tuple[str, str], Sequence[str]]) -> None:
        """Free queries read these columns, and what their views read for them: that is learned from
        SQLite itself, by preparing a query of each view."""
        reads = {
            (table.lower(), column.lower())
            for (_, table), columns in granted.items()
            for column in (*columns, "")
        }
        through: dict[str, set[Read]] = {}
        functions = set(_FUNCTIONS)

        def note(code: int, first: Any, second: Any, _database: Any, view: Any) -> int:
            if code == sqlite3.SQLITE_READ and view:
                through.setdefault(view.lower(), set()).add((first.lower(), second.lower()))
                reads.add((first.lower(), ""))
            elif code == sqlite3.SQLITE_FUNCTION:
                functions.add(second.lower())
            return sqlite3.SQLITE_OK

        with closing(self._connect()) as connection:
            kinds = dict(
                connection.execute("SELECT lower(name), type FROM sqlite_master").fetchall()
            )
            connection.set_authorizer(note)
            for _, table in granted:
                if kinds.get(table.lower()) == "view":
                    name = table.replace('"', '""')
                    connection.execute(f'EXPLAIN SELECT * FROM "{name}"')  # noqa: S608 - its name
        self._permits = Permits(
            reads=frozenset(reads),
            through={view: frozenset(found) for view, found in through.items()},
            functions=frozenset(functions),
            tables=frozenset(kinds),
        )

    def reading(self, query: Query, limits: SqlLimits) -> "SqliteReading":
        permits = self._permits if query.free else None
        return SqliteReading(self._connect, query, limits, permits, self._clock)

    def _connect(self) -> sqlite3.Connection:
        """A connection that cannot write.

        Raises:
            QueryFailed: there is no such file, or it cannot be opened.
        """
        if not self._file.is_file():
            if self._seed is None:
                raise QueryFailed(f"there is no database file {self._file.name}", retryable=True)
            _make(self._file, self._seed)
        try:
            connection = sqlite3.connect(
                f"{self._file.resolve().as_uri()}?mode=ro",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=1.0,
            )
        except sqlite3.Error as fault:
            raise QueryFailed(self._said(fault), retryable=True) from None
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return connection

    def _said(self, fault: sqlite3.Error) -> str:
        return f"the database {self._file.name} cannot be read: {fault}"


class SqliteReading:
    """One query."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        query: Query,
        limits: SqlLimits,
        permits: Permits | None,
        clock: Clock,
    ) -> None:
        self._connect, self._query, self._limits = connect, query, limits
        self._permits, self._clock = permits, clock
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True

    def run(self, flight: Flight) -> Table:
        end = self._clock.monotonic() + self._limits.seconds

        def over() -> bool:
            return self._stopped or flight.cancelled() or self._clock.monotonic() > end

        with closing(self._connect()) as connection:
            connection.set_progress_handler(over, _OPERATIONS)
            connection.set_authorizer(self._authorize)
            try:
                return self._collected(connection, over)
            except sqlite3.Error as fault:
                if over() and fault.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    raise TookTooLong from None
                raise QueryFailed(str(fault)) from None
            except (sqlite3.Warning, OverflowError) as fault:
                raise QueryFailed(str(fault)) from None

    def _collected(self, connection: sqlite3.Connection, over: Callable[[], bool]) -> Table:
        cursor = connection.execute(self._query.sql, dict(self._query.values))
        collected = Collected(self._limits)
        while rows := cursor.fetchmany(_CHUNK):
            if over():
                raise TookTooLong
            if not collected.take(map(_shortened, rows)):
                break
        names = [column[0] for column in cursor.description or ()]
        return collected.table(self._query.names or names)

    def _authorize(self, code: int, first: Any, second: Any, _database: Any, view: Any) -> int:
        if code in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        permits = self._permits
        if code == sqlite3.SQLITE_READ:
            allowed = permits is None or permits.allows(first, second, view)
        elif code == sqlite3.SQLITE_FUNCTION:
            allowed = second.lower() != "load_extension" and (
                permits is None or second.lower() in permits.functions
            )
        else:
            allowed = False
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _shortened(row: Sequence[Any]) -> tuple[Any, ...]:
    """The row without the tails of long texts, before anything else looks at them."""
    return tuple(
        one[: LONGEST_CELL + 1] if isinstance(one, str) and len(one) > LONGEST_CELL else one
        for one in row
    )


def _make(file: Path, seed: Path) -> None:
    """The file, made whole or not at all; of several that make it at once, one stays.

    Raises:
        QueryFailed: the SQL has a fault, or the folder cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, prefix=f"{file.name}.", delete=False) as draft:
            made = Path(draft.name)
        try:
            with closing(sqlite3.connect(made)) as connection:
                connection.executescript(seed.read_text(encoding="utf-8"))
            made.replace(file)
        finally:
            made.unlink(missing_ok=True)
    except (OSError, UnicodeError, sqlite3.Error) as fault:
        raise QueryFailed(f"{file.name} cannot be made from {seed.name}: {fault}") from None
