"""Statements of SQLAlchemy Core, compiled once and run on the driver's own cursor.

For the journal's hot path: compiling a statement and wrapping its result costs several times what
the database does for a small insert (``benchmarks/journal.md``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Dialect, Insert, Update


class Cursor(Protocol):
    """What is used of a DB-API cursor (PEP 249)."""

    @property
    def rowcount(self) -> int: ...

    def execute(self, sql: str, parameters: Any = ..., /) -> Any: ...

    def executemany(self, sql: str, parameters: Any, /) -> Any: ...


class Prepared:
    """One insert or update of a dialect. Values are given by the names of the bound parameters, as
    the driver takes them."""

    def __init__(self, statement: Insert | Update, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self._sql = str(compiled)
        self._order: list[str] | None = getattr(compiled, "positiontup", None)

    def run(self, cursor: Cursor, values: Mapping[str, Any]) -> int:
        """Run it once; how many rows it changed."""
        cursor.execute(self._sql, self._bound(values))
        return cursor.rowcount

    def run_many(self, cursor: Cursor, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it for each row."""
        cursor.executemany(self._sql, [self._bound(row) for row in rows])

    def _bound(self, values: Mapping[str, Any]) -> Any:
        if self._order is None:
            return values
        return [values[name] for name in self._order]
