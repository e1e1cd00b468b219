"""What workers agree on beside the journal, as statements: a body takes the place of the one that
was read, or of none."""

from sqlalchemy import Dialect, bindparam, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from pointsman.adapters.store.prepared import Cursor, Prepared
from pointsman.adapters.store.schema import shared

FIND = select(shared.c.body).where(shared.c.key == bindparam("wanted"))

_REPLACE = (
    update(shared)
    .where(shared.c.key == bindparam("wanted"), shared.c.body == bindparam("expected"))
    .values(body=bindparam("body"))
)


class Sharing:
    """The statements that write, of one dialect, compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        on_conflict = postgresql_insert if dialect.name == "postgresql" else sqlite_insert
        self._insert = Prepared(on_conflict(shared).on_conflict_do_nothing(), dialect)
        self._replace = Prepared(_REPLACE, dialect)

    def write(self, key: str, body: bytes, expected: bytes | None, cursor: Cursor) -> bool:
        """Write the body if what is expected is there; whether it was."""
        if expected is None:
            return self._insert.run(cursor, {"key": key, "body": body}) > 0
        return self._replace.run(cursor, {"wanted": key, "expected": expected, "body": body}) > 0
