"""What workers agree on beside the journal, as statements: a body takes the place of the one that
was read, or of none."""

from sqlalchemy import Dialect, bindparam, delete, select, update

from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.schema import shared
from pointsman.adapters.store.upserts import upserts
from pointsman.ports import Cursor

_FIND = select(shared.c.body).where(shared.c.key == bindparam("wanted"))

_REPLACE = (
    update(shared)
    .where(shared.c.key == bindparam("wanted"), shared.c.body == bindparam("expected"))
    .values(body=bindparam("body"))
)
_REMOVE = delete(shared).where(
    shared.c.key == bindparam("wanted"), shared.c.body == bindparam("expected")
)


class Sharing:
    """The statements that write, of one dialect, compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        on_conflict = upserts(dialect)
        self._insert = Prepared(on_conflict(shared).on_conflict_do_nothing(), dialect)
        self._replace = Prepared(_REPLACE, dialect)
        self._find = Prepared(_FIND, dialect)
        self._remove = Prepared(_REMOVE, dialect)

    def write(
        self, key: str, body: bytes | None, expected: bytes | None, cursor: Cursor, doubtful: bool
    ) -> bool:
        """Write the body if what is expected is there; whether it was.

        Args:
            doubtful: it may stand already: the same body, found there, counts as ours.
        """
        if doubtful:
            found = self._find.one(cursor, {"wanted": key})
            if (None if found is None else bytes(found[0])) == body:
                return True
        if body is None:
            return self._remove.run(cursor, {"wanted": key, "expected": expected}) > 0
        if expected is None:
            return self._insert.run(cursor, {"key": key, "body": body}) > 0
        return self._replace.run(cursor, {"wanted": key, "expected": expected, "body": body}) > 0
