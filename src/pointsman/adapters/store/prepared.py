"""Statements of SQLAlchemy Core, each compiled once and run on the driver's own cursor.

For the journal's hot path: compiling a statement and wrapping its result costs several times what
the database does for a small insert (``benchmarks/durable.md``).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

from sqlalchemy import Delete, Dialect, Insert, Select, Update, bindparam
from sqlalchemy.sql.compiler import SQLCompiler

from pointsman.ports import Cursor

Statement: TypeAlias = Insert | Update | Delete | Select[Any]

ROWS = 32
"""Rows that one insert takes to PostgreSQL, where each statement is a way there and back. SQLite
keeps every page that such an insert changes, to be able to undo it alone: it takes them one by
one."""


class Prepared:
    """One statement of a dialect. Values are given by the names of the bound parameters, as the
    driver takes them."""

    def __init__(self, statement: Statement, dialect: Dialect) -> None:
        """Args:
        dialect: of positional parameters.
        """
        self._statement, self._dialect = statement, dialect
        self._remote = dialect.name == "postgresql"
        self._inserts: dict[int, str] = {}

    @cached_property
    def _sql(self) -> str:
        return self._text_and_order[0]

    @cached_property
    def _order(self) -> list[str]:
        return self._text_and_order[1]

    @cached_property
    def _text_and_order(self) -> tuple[str, list[str]]:
        return _compiled(self._statement, self._dialect)

    def run(self, cursor: Cursor, values: Mapping[str, Any]) -> int:
        """Run it once; how many rows it changed."""
        cursor.execute(self._sql, self._bound(values))
        return cursor.rowcount

    def one(self, cursor: Cursor, values: Mapping[str, Any]) -> Sequence[Any] | None:
        """Run it; the first row that it finds."""
        cursor.execute(self._sql, self._bound(values))
        found: Sequence[Any] | None = cursor.fetchone()
        return found

    def all(self, cursor: Cursor, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Run it; all rows that it finds."""
        cursor.execute(self._sql, self._bound(values))
        found: Sequence[Sequence[Any]] = cursor.fetchall()
        return found

    def run_many(self, cursor: Cursor, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, each with a value for every column."""
        self.insert(cursor, [self._bound(row) for row in rows])

    def insert(self, cursor: Cursor, rows: Sequence[Sequence[Any]]) -> None:
        """The same with the values in the order of the table's columns."""
        if not self._remote:
            cursor.executemany(self._sql, rows)
            return
        for start in range(0, len(rows), ROWS):
            part = rows[start : start + ROWS]
            cursor.execute(self._insert_of(len(part)), list(chain.from_iterable(part)))

    def run_each(self, cursor: Cursor, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Run it for each row; how many rows each changed."""
        if len(rows) < 2 or not self._remote:
            return [self.run(cursor, row) for row in rows]
        piped: Any = cursor  # psycopg sends them all, and then reads what came of each
        piped.executemany(self._sql, [self._bound(row) for row in rows], returning=True)
        changed = [cursor.rowcount]
        while piped.nextset():
            changed.append(cursor.rowcount)
        return changed

    def _bound(self, values: Mapping[str, Any]) -> list[Any]:
        return [values[name] for name in self._order]

    def _insert_of(self, count: int) -> str:
        """The insert of so many rows."""
        if count not in self._inserts:
            assert isinstance(self._statement, Insert)
            columns = self._statement.table.c
            rows: list[dict[str, Any]] = [
                {name: bindparam(f"{name}_{n}", type_=columns[name].type) for name in self._order}
                for n in range(count)
            ]
            self._inserts[count], order = _compiled(self._statement.values(rows), self._dialect)
            assert order == [f"{name}_{n}" for n in range(count) for name in self._order]
        return self._inserts[count]


def _compiled(statement: Statement, dialect: Dialect) -> tuple[str, list[str]]:
    """The statement as text, and the names of its parameters in their order."""
    compiled = statement.compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler)
    return str(compiled), compiled.positiontup or []
