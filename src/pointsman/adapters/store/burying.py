"""Old conversations as statements: which are idle, and tombstones put in the place of one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Delete, Dialect, Select, bindparam, delete, exists, insert, or_, select, true

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.console_schema import (
    figure_calls,
    figure_intents,
    figures,
    ratings,
    titles,
)
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.schema import (
    blobs,
    conversations,
    deliveries,
    events,
    inbox,
    pruned,
    runs,
)
from pointsman.domain.record.retention import Tombstone
from pointsman.domain.runs import RunStatus
from pointsman.ports import Cursor

_UNFINISHED = [status.value for status in RunStatus if not status.ended]
_IT = conversations.c.id == bindparam("wanted")
_OF_IT = runs.c.conversation == bindparam("wanted")

# Whoever adds a run to a conversation reads this row, and so waits.
_LOCK = select(conversations.c.id).where(_IT)
_POSITIONS = select(runs.c.id, runs.c.position).where(_OF_IT)


def idle(before: datetime, after: str | None, limit: int) -> Select[str]:
    """The conversations whose runs have all ended before the instant, in order."""
    of_it = runs.c.conversation == conversations.c.id
    moves = or_(runs.c.updated >= micros(before), runs.c.status.in_(_UNFINISHED))
    return (
        select(conversations.c.id)
        .where(
            true() if after is None else conversations.c.id > after,
            exists().where(of_it),
            ~exists().where(of_it, moves),
        )
        .order_by(conversations.c.id)
        .limit(limit)
    )


def _of_its_runs(table: Any) -> Delete:
    return delete(table).where(table.c.run.in_(select(runs.c.id).where(_OF_IT)))


class Burying:
    """The statements that write, of one dialect, compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        self._lock = Prepared(_LOCK.with_for_update(), dialect)
        self._positions = Prepared(_POSITIONS, dialect)
        self._remove = [
            Prepared(statement, dialect)
            for statement in (
                _of_its_runs(events),
                _of_its_runs(blobs),
                _of_its_runs(deliveries),
                _of_its_runs(inbox),
                _of_its_runs(figure_calls),
                _of_its_runs(figure_intents),
                _of_its_runs(figures),
                _of_its_runs(ratings),
                delete(titles).where(titles.c.conversation == bindparam("wanted")),
                delete(runs).where(_OF_IT),
                delete(conversations).where(_IT),
            )
        ]
        self._insert = Prepared(insert(pruned), dialect)

    def write(
        self, conversation: str, tombstones: Sequence[Tombstone], cursor: Cursor, doubtful: bool
    ) -> bool:
        """Bury the conversation if these are its runs as they stand; whether they were."""
        wanted = {"wanted": conversation}
        if self._lock.one(cursor, wanted) is None:
            return doubtful
        stored = {row[0]: row[1] for row in self._positions.all(cursor, wanted)}
        if stored != {one.run: one.position for one in tombstones}:
            return False
        for statement in self._remove:
            statement.run(cursor, wanted)
        rows = [{"run": one.run, "body": msgspec.json.encode(one)} for one in tombstones]
        self._insert.run_many(cursor, rows)
        return True
