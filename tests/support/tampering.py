"""A database that is changed by hand, one row at a time, and put back."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg

Row = tuple[Any, ...]
TABLES = ("conversations", "runs", "events", "blobs")
NOT_RECORD = {("runs", "cancel_requested"), ("runs", "epoch")}
"""Requests to workers."""


class Tampering:
    """Whoever can write the database, and knows it."""

    def __init__(self, database: str) -> None:
        """Args:
        database: the path of a SQLite file, or the URL of a PostgreSQL database.
        """
        self._connection: Any
        if "://" in database:
            self._connection = psycopg.connect(database, autocommit=True)
            self._connection.execute("SET session_replication_role = replica")  # no foreign keys
            self._mark = "%s"
        else:
            self._connection = sqlite3.connect(database, isolation_level=None)
            self._connection.execute("PRAGMA busy_timeout=10000")
            self._mark = "?"
        self.tables = {name: self._rows(name) for name in TABLES}

    def close(self) -> None:
        self._connection.close()

    def one(self, sql: str) -> Row:
        """The first row of a query."""
        found: Row = self._connection.execute(sql).fetchone()
        return found

    def change(self, sql: str) -> None:
        """Run a statement."""
        self._connection.execute(sql)

    def columns(self, table: str) -> list[str]:
        cursor = self._connection.execute(f'SELECT * FROM "{table}" LIMIT 0')
        return [column[0] for column in cursor.description]

    def _rows(self, table: str) -> list[Row]:
        return list(self._connection.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2'))

    def put(self, table: str, rows: Sequence[Row]) -> bool:
        """Let the table hold these rows; whether it can."""
        marks = ", ".join([self._mark] * len(self.columns(table)))
        cursor = self._connection.cursor()
        cursor.execute("BEGIN")
        try:
            cursor.execute(f'DELETE FROM "{table}"')
            cursor.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        except (sqlite3.Error, psycopg.Error):
            cursor.execute("ROLLBACK")
            return False
        cursor.execute("COMMIT")
        return self._rows(table) != self.tables[table]

    def all(self) -> Iterator[tuple[str, str, list[Row]]]:
        """What, and where, and the table's rows then: any column changed, any two values swapped,
        any row deleted, any inserted."""
        for table, rows in self.tables.items():
            for index, row in enumerate(rows):
                yield f"delete {row[:2]}", table, rows[:index] + rows[index + 1 :]
                yield from self._changed(table, rows, index)
                yield from self._inserted(table, rows, index)

    def _changed(
        self, table: str, rows: list[Row], index: int
    ) -> Iterator[tuple[str, str, list[Row]]]:
        row, other = rows[index], rows[(index + 1) % len(rows)]
        for place, column in enumerate(self.columns(table)):
            if (table, column) in NOT_RECORD:
                continue
            for value in _mutants(row[place]):
                mutant = (*row[:place], value, *row[place + 1 :])
                yield f"{column}={value!r}", table, [*rows[:index], mutant, *rows[index + 1 :]]
            mine = (*row[:place], other[place], *row[place + 1 :])
            theirs = (*other[:place], row[place], *other[place + 1 :])
            swapped = [{row: mine, other: theirs}.get(one, one) for one in rows]
            yield f"swap {column}", table, swapped

    def _inserted(
        self, table: str, rows: list[Row], index: int
    ) -> Iterator[tuple[str, str, list[Row]]]:
        row = rows[index]
        for place, column in enumerate(self.columns(table)[:2]):
            for value in (-1, 999) if column == "position" else ("f" * 32, "0", ""):
                copy = (*row[:place], value, *row[place + 1 :])
                yield f"insert {column}={value!r}", table, [*rows, copy]


def _mutants(value: Any) -> list[Any]:
    """Other values for a column."""
    if isinstance(value, int):
        return [value + 1, "x"]
    if isinstance(value, str):
        return [value + "x", b"x"]
    if isinstance(value, bytes):
        flipped = bytes([value[0] ^ 1]) + value[1:]
        return [flipped, value + b" ", b""]
    return [b"[]", "x"]
