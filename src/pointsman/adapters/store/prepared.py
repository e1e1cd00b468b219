"""Statements of SQLAlchemy Core, compiled once and run on the driver's own connection.

For the journal's hot path: compiling and processing a result costs several times what the database
does for a small insert (``benchmarks/journal.md``).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Update


class Prepared:
    """One insert or update of a dialect. Values are given by the names of the bound parameters, as
    the driver takes them."""

    def __init__(self, statement: Insert | Update, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self._sql = str(compiled)
        self._order: list[str] | None = getattr(compiled, "positiontup", None)

    def run(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Run it once; how many rows it changed."""
        cursor = connection.connection.cursor()
        cursor.execute(self._sql, self._bound(values))
        changed: int = cursor.rowcount
        cursor.close()
        return changed

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it for each row."""
        cursor = connection.connection.cursor()
        cursor.executemany(self._sql, [self._bound(row) for row in rows])
        cursor.close()

    def _bound(self, values: Mapping[str, Any]) -> Any:
        if self._order is None:
            return values
        return [values[name] for name in self._order]
