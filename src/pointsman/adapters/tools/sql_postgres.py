"""A PostgreSQL database that is only read: a read-only transaction with a time limit of the server,
under another role where one is given, on a connection that nothing outlives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql as compose

from pointsman.adapters.tools.sql_reading import (
    LONGEST_CELL,
    Collected,
    Columns,
    Query,
    QueryFailed,
    TookTooLong,
)
from pointsman.adapters.tools.sql_settings import SqlLimits, passwords
from pointsman.adapters.tools.threads import Flight
from pointsman.domain.numbers.metric_sql import numbered
from pointsman.domain.numbers.tables import Table

_CONNECT = 5
"""Seconds to wait for a connection."""
_TYPES = {
    "text": "text",
    "integer": "bigint",
    "number": "double precision",
    "boolean": "boolean",
    "date": "date",
}
_SMALL = frozenset(
    psycopg.adapters.types[name].oid
    for name in (
        "bool int2 int4 int8 float4 float8 numeric date time timetz timestamp timestamptz interval"
        " uuid"
    ).split()
)
"""Types whose values cannot be large; all others are read as text and cut."""
_COLUMNS = """
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY n.nspname, c.relname, a.attnum
"""
_DEFAULT_SCHEMA = "public"


class PostgresDatabase:
    """The database at an address.

    Args:
        role: that queries run as; empty for the one that connects.
    """

    def __init__(self, url: str, role: str = "") -> None:
        self._url, self._role = url, role

    def columns(self) -> Columns:
        found: Columns = {}
        with self._said(), self._connected() as connection:
            rows = connection.execute(_COLUMNS).fetchall()
        for schema, table, column, kind in rows:
            place = ("" if schema == _DEFAULT_SCHEMA else schema, table)
            found.setdefault(place, {})[column] = kind
        return found

    def grant(self, granted: Mapping[tuple[str, str], Sequence[str]]) -> None:
        """Nothing to do: what a checked query names is all that it can read."""

    def reading(self, query: Query, limits: SqlLimits) -> "PostgresReading":
        return PostgresReading(self._connect, self._said, query, limits, self._role)

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection]:
        connection = self._connect()
        try:
            yield connection
        finally:
            connection.close()

    def _connect(self) -> psycopg.Connection:
        connection = psycopg.connect(self._url, connect_timeout=_CONNECT, prepare_threshold=None)
        connection.read_only = True
        return connection

    @contextmanager
    def _said(self) -> Iterator[None]:
        """psycopg's errors as ours."""
        try:
            yield
        except psycopg.errors.QueryCanceled:
            raise TookTooLong from None
        except psycopg.OperationalError as fault:
            raise QueryFailed(
                f"the database cannot be reached: {self._plain(fault)}",
                retryable=fault.sqlstate is None or fault.sqlstate[:2] in ("08", "53", "57"),
            ) from None
        except psycopg.Error as fault:
            raise QueryFailed(self._plain(fault)) from None

    def _plain(self, fault: psycopg.Error) -> str:
        """What the database said, on one line, without passwords."""
        text = " ".join((fault.diag.message_primary or str(fault)).split())
        hint = fault.diag.message_hint
        text = f"{text} ({hint})" if hint else text
        for secret in passwords(self._url):
            text = text.replace(secret, "***")
        return text


class PostgresReading:
    """One query."""

    def __init__(
        self,
        connect: Callable[[], psycopg.Connection],
        said: Callable[[], Any],
        query: Query,
        limits: SqlLimits,
        role: str,
    ) -> None:
        self._connect, self._said, self._query = connect, said, query
        self._limits, self._role = limits, role
        self._connection: psycopg.Connection | None = None
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.cancel_safe(timeout=2.0)

    def run(self, flight: Flight) -> Table:
        with self._said():
            connection = self._connection = self._connect()
            try:
                self._prepare(connection)
                if self._stopped or flight.cancelled():
                    raise TookTooLong
                return self._answer(psycopg.RawCursor(connection))
            finally:
                connection.close()

    def _prepare(self, connection: psycopg.Connection) -> None:
        """The transaction's own limits; a query cannot lift them."""
        seconds = max(int(self._limits.seconds * 1000), 1)
        settings = {
            "statement_timeout": str(seconds),
            "lock_timeout": str(seconds),
            "idle_in_transaction_session_timeout": str(seconds * 2),
            "TimeZone": self._query.zone,
        }
        if self._query.free:  # every table is named with its schema; nothing else shall be found
            settings["search_path"] = ""
        commands = [
            compose.SQL("SET LOCAL {} = {}").format(
                compose.Identifier(name), compose.Literal(value)
            )
            for name, value in settings.items()
        ]
        if self._role:
            commands.append(compose.SQL("SET LOCAL ROLE {}").format(compose.Identifier(self._role)))
        connection.execute(compose.SQL("; ").join(commands))

    def _answer(self, cursor: psycopg.RawCursor[Any]) -> Table:
        types = {name: _TYPES[kind] for name, kind in self._query.types.items()}
        inner = numbered(self._query.sql, types) if types else self._query.sql.rstrip().rstrip(";")
        values = [self._query.values[name] for name in types]
        # The query was checked; what is put around it is ours.
        cursor.execute(f"SELECT * FROM ({inner}\n) AS answer LIMIT 0".encode(), values)  # noqa: S608
        described = list(cursor.description or ())
        columns = ", ".join(
            f"c{n}"
            if one.type_code in _SMALL
            else f"pg_catalog.left(c{n}::pg_catalog.text, {LONGEST_CELL + 1})"
            for n, one in enumerate(described)
        )
        aliases = ", ".join(f"c{n}" for n in range(len(described)))
        wrapped = f"SELECT {columns} FROM ({inner}\n) AS answer({aliases})"  # noqa: S608
        cursor.execute(f"{wrapped} LIMIT {self._limits.rows + 1}".encode(), values)
        collected = Collected(self._limits)
        collected.take(cursor.fetchall())
        return collected.table(self._query.names or [one.name for one in described])
