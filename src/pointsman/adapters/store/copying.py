"""``ports.Copying``: a database written into an empty one, of the same kind or the other."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Protocol, runtime_checkable

import anyio.to_thread
from sqlalchemy import Connection, Engine, Table, func, insert, select

from pointsman.adapters.store import holdings, migrate
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.schema import REVISION, metadata
from pointsman.errors import Conflict, StoreError
from pointsman.ports import Holding, Upkeep

ROWS = 500
"""Rows that are read and written together."""


@runtime_checkable
class Kept(Protocol):
    """What is needed of a database to write into it."""

    @property
    def engine(self) -> Engine: ...

    def migrate(self) -> None: ...


class Snapshot:
    """``ports.Record`` inside of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def holdings(
        self, *, after: str | None = None, ids: Sequence[str] | None = None, limit: int = 100
    ) -> list[Holding]:
        return await anyio.to_thread.run_sync(holdings.read, self._connection, after, ids, limit)

    async def lone_conversations(self) -> list[str]:
        return await anyio.to_thread.run_sync(holdings.lone_conversations, self._connection)


class SqlCopying:
    """A copy that is under way, from entering on; leaving it undoes what was not committed."""

    def __init__(self, source: Engine, target: Upkeep) -> None:
        if not isinstance(target, Kept):
            raise TypeError(f"cannot copy into {target!r}")
        self._source, self._target, self._stack = source, target, ExitStack()

    def __enter__(self) -> "SqlCopying":
        """Raises:
        Conflict: the source is of another release, or the target is not empty.
        """
        with ExitStack() as stack:
            self._from = stack.enter_context(self._source.connect())
            self.source = Snapshot(self._from)
            at = migrate.revision(self._from)
            if at != REVISION:
                raise Conflict(
                    f"the source is at schema {at}, not {REVISION}: "
                    "bring it there first with `pointsman db migrate`"
                )
            self._target.migrate()
            writing = self._target.engine.execution_options(writing=True)
            self._to = stack.enter_context(writing.connect())
            self.target = Snapshot(self._to)
            for table in metadata.sorted_tables:
                if self._to.execute(select(table).limit(1)).first() is not None:
                    raise Conflict(
                        f"the target is not empty: there are {table.name}; name another database"
                    )
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def copy(self, tell: Callable[[str, int, int], None]) -> None:
        with _translated():
            for table in metadata.sorted_tables:
                self._copy_table(table.name, tell)

    def _copy_table(self, name: str, tell: Callable[[str, int, int], None]) -> None:
        table = metadata.tables[name]
        write = Prepared(insert(table).inline(), self._to.dialect)
        cursor = self._to.connection.cursor()
        total, done = self._from.scalar(select(func.count()).select_from(table)) or 0, 0
        options = {"stream_results": True, "yield_per": ROWS}
        reading = self._from.execute(select(table), execution_options=options)
        for part in reading.mappings().partitions():
            write.run_many(cursor, [dict(row) for row in part])
            done += len(part)
            tell(name, done, total)
        self._number_on(table)

    def _number_on(self, table: Table) -> None:
        """Let a column that PostgreSQL numbers go on after what was copied."""
        column = table.autoincrement_column
        if column is not None and self._to.dialect.name == "postgresql":
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            self._to.execute(select(func.setval(sequence, func.coalesce(func.max(column), 1))))

    def commit(self) -> None:
        with _translated():
            self._to.commit()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except Exception as fault:  # noqa: BLE001 - of SQLAlchemy, and of two drivers
        raise StoreError(f"cannot copy: {getattr(fault, 'orig', None) or fault}") from None
