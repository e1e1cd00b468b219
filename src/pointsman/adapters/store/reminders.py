"""``ports.Reminders`` in the store's database: each write goes through its one writer.

What comes of a reminder is one transaction with the messages that it hands in and the run that it
starts, so that a crash leaves all of it or nothing. Who stores it second finds another version, and
stores nothing.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Any, cast

from sqlalchemy import (
    Connection,
    Dialect,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from pointsman.adapters.store.appending import Appending, micros
from pointsman.adapters.store.outbox import Reader, SqlOutbox
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.reading import instant
from pointsman.adapters.store.reminder_rows import (
    MOVED,
    body_of,
    moved_of,
    named_reminder,
    occurrence_of,
    occurrence_row,
    reminder_of,
    row_of,
)
from pointsman.adapters.store.reminder_schema import occurrences, reminders
from pointsman.adapters.store.upserts import upserts
from pointsman.adapters.store.writer import Writer
from pointsman.domain.reminders.reminder import (
    AHEAD,
    Occurrence,
    OccurrenceState,
    Reminder,
    ReminderState,
)
from pointsman.ports import Cursor, Settlement

_Standing = dict[str, tuple[int, int]]
"""Reminder → its version and when it was changed last, as stored."""

_FIND = select(reminders).where(reminders.c.id == bindparam("wanted"))
_STANDING = select(reminders.c.id, reminders.c.version, reminders.c.updated)
_MOVE = (
    update(reminders)
    .where(reminders.c.id == bindparam("wanted"), reminders.c.version == bindparam("expected"))
    .values({name: bindparam(name) for name in MOVED})
)
_CHANGE = _MOVE.values(body=bindparam("body"))
_THERE = select(occurrences.c.reminder, occurrences.c.due)
_FORGET_MISSED = delete(occurrences).where(
    occurrences.c.reminder == bindparam("wanted"),
    occurrences.c.due > bindparam("now"),
    occurrences.c.state == literal_column(f"'{OccurrenceState.MISSED.value}'"),
)
_LOCKED = "SELECT id, version, updated FROM reminders WHERE id = ANY(%s) FOR UPDATE SKIP LOCKED"
_PRESENT = "SELECT reminder, due FROM occurrences WHERE reminder = ANY(%s) AND due = ANY(%s)"
_OVER = [ReminderState.DONE.value, ReminderState.CANCELLED.value]
_WAITS = reminders.c.next.is_not(None)


class SqlReminders:
    """The tables of reminders and occurrences."""

    def __init__(
        self,
        dialect: Dialect,
        writer: Writer,
        read: Reader,
        outbox: SqlOutbox,
        appending: Appending,
    ) -> None:
        self._writer, self._read, self._dialect = writer, read, dialect
        self._outbox, self._appending = outbox, appending
        on_conflict = upserts(dialect)
        self._add_one = Prepared(on_conflict(reminders).on_conflict_do_nothing(), dialect)
        self._find = Prepared(_FIND, dialect)
        self._standing = Prepared(_STANDING.where(_FIND.whereclause), dialect)  # type: ignore[arg-type]
        self._move = Prepared(_MOVE, dialect)
        self._change = Prepared(_CHANGE, dialect)
        self._there = Prepared(
            _THERE.where(
                occurrences.c.reminder == bindparam("wanted"), occurrences.c.due == bindparam("at")
            ),
            dialect,
        )
        self._insert_occurrence = Prepared(insert(occurrences), dialect)
        self._forget_missed = Prepared(_FORGET_MISSED, dialect)

    async def add(self, reminder: Reminder) -> Reminder:
        def write(cursor: Cursor, doubtful: bool) -> Reminder:
            self._add_one.run(cursor, row_of(reminder))
            return named_reminder(self._find.one(cursor, {"wanted": reminder.id}))

        return cast("Reminder", await self._writer.put(write, synced=True))

    async def get(self, reminder: str) -> Reminder | None:
        query = select(reminders).where(reminders.c.id == reminder)
        found = await self._read(lambda connection: connection.execute(query).mappings().first())
        return None if found is None else reminder_of(found)

    async def reminders(
        self,
        *,
        user: str | None = None,
        conversation: str | None = None,
        state: Collection[ReminderState] = (),
        due_from: datetime | None = None,
        due_to: datetime | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[Reminder]:
        query = select(reminders).order_by(reminders.c.id.desc()).limit(limit)
        for column, wanted in (("user", user), ("conversation", conversation)):
            if wanted is not None:
                query = query.where(reminders.c[column] == wanted)
        if state:
            query = query.where(reminders.c.state.in_([one.value for one in state]))
        if due_from is not None:
            query = query.where(_WAITS, reminders.c.next >= micros(due_from))
        if due_to is not None:
            query = query.where(_WAITS, reminders.c.next < micros(due_to))
        if before is not None:
            query = query.where(reminders.c.id < before)
        return await self._found(query)

    async def change(self, reminder: Reminder) -> bool:
        write = partial(self._changed, reminder)
        return bool(await self._writer.put(write, synced=True))

    async def due(
        self, now: datetime, *, agents: Collection[str], waited: datetime, limit: int
    ) -> list[Reminder]:
        query = (
            select(reminders)
            .where(
                _WAITS,
                reminders.c.next <= micros(now),
                or_(
                    reminders.c.kind == "text",
                    reminders.c.agent.in_(sorted(agents)),
                    reminders.c.next <= micros(waited),
                ),
            )
            .order_by(reminders.c.next, reminders.c.id)
            .limit(limit)
        )
        return await self._found(query)

    async def next_due(self) -> datetime | None:
        query = select(reminders.c.next).where(_WAITS).order_by(reminders.c.next).limit(1)
        found = await self._read(lambda connection: connection.execute(query).scalar())
        return None if found is None else instant(found)

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        write = partial(self._settled, tuple(settlements))
        return cast("list[bool]", await self._writer.put(write, synced=True))

    async def occurrences(
        self, reminder: str, *, limit: int = 50, before: datetime | None = None
    ) -> list[Occurrence]:
        query = (
            select(occurrences)
            .where(occurrences.c.reminder == reminder)
            .order_by(occurrences.c.due.desc())
            .limit(limit)
        )
        if before is not None:
            query = query.where(occurrences.c.due < micros(before))
        return await self._read(
            lambda connection: [occurrence_of(row) for row in connection.execute(query).mappings()]
        )

    async def ahead(self, now: datetime, limit: int) -> list[Reminder]:
        going = [ReminderState.ACTIVE.value, ReminderState.DONE.value]
        query = (
            select(reminders)
            .where(reminders.c.handled > micros(now + AHEAD), reminders.c.state.in_(going))
            .limit(limit)
        )
        return await self._found(query)

    async def rewind(self, reminder: Reminder, now: datetime) -> bool:
        def write(cursor: Cursor, doubtful: bool) -> bool:
            if not self._changed(reminder, cursor, doubtful):
                return False
            self._forget_missed.run(cursor, {"wanted": reminder.id, "now": micros(now)})
            return True

        return bool(await self._writer.put(write, synced=True))

    async def forget(self, before: datetime, *, users: Collection[str], rehearsed: bool) -> int:
        kept = reminders.c.user.in_(sorted(users))
        old = and_(reminders.c.state.in_(_OVER), reminders.c.updated < micros(before), ~kept)
        of_kept = occurrences.c.reminder.in_(select(reminders.c.id).where(kept))
        theirs = occurrences.c.reminder.in_(select(reminders.c.id).where(old))
        gone = or_(and_(occurrences.c.due < micros(before), ~of_kept), theirs)

        def count(connection: Connection) -> int:
            both = ((occurrences, gone), (reminders, old))
            counts = (select(func.count()).select_from(table).where(it) for table, it in both)
            return sum(connection.execute(one).scalar() or 0 for one in counts)

        if rehearsed:
            return await self._read(count)
        # Literals, since this is done once in a while and the conditions are others each time.
        statements = [
            str(
                delete(table)
                .where(condition)
                .compile(dialect=self._dialect, compile_kwargs={"literal_binds": True})
            )
            for table, condition in ((occurrences, gone), (reminders, old))
        ]

        def write(cursor: Cursor, doubtful: bool) -> int:
            removed = 0
            for statement in statements:
                cursor.execute(statement)
                removed += cursor.rowcount
            return removed

        return int(str(await self._writer.put(write, synced=True)))

    async def _found(self, query: Any) -> list[Reminder]:
        return await self._read(
            lambda connection: [reminder_of(row) for row in connection.execute(query).mappings()]
        )

    def _changed(self, reminder: Reminder, cursor: Cursor, doubtful: bool) -> bool:
        given = {
            "wanted": reminder.id,
            "expected": reminder.version - 1,
            "body": body_of(reminder),
            **moved_of(reminder),
        }
        if self._change.run(cursor, given):
            return True
        return doubtful and _stands(reminder, self._held([reminder.id], cursor))

    def _settled(
        self, settlements: tuple[Settlement, ...], cursor: Cursor, doubtful: bool
    ) -> list[bool]:
        ids = [one.id for settlement in settlements for one in settlement.reminders]
        held = self._held(ids, cursor)
        new: list[Settlement] = []
        outcomes: list[bool] = []
        for one in settlements:
            stood = doubtful and all(_stands(each, held) for each in one.reminders)
            if not stood and all(_fits(each, held) for each in one.reminders):
                new.append(one)
            outcomes.append(stood or bool(new and new[-1] is one))
        self._write(new, cursor, doubtful)
        return outcomes

    def _write(self, new: Sequence[Settlement], cursor: Cursor, doubtful: bool) -> None:
        moved = [
            {"wanted": one.id, "expected": one.version - 1, **moved_of(one)}
            for settlement in new
            for one in settlement.reminders
        ]
        if not moved:
            return
        self._move.run_each(cursor, moved)
        rows = [occurrence_row(one) for settlement in new for one in settlement.occurrences]
        there = self._present(rows, cursor)
        fresh = [one for one in rows if (one["reminder"], one["due"]) not in there]
        if fresh:
            self._insert_occurrence.run_many(cursor, fresh)
        firing = [one for one in new if not _all_in(one, there)]
        self._outbox.insert([one for each in firing for one in each.deliveries], cursor)
        runs = [one.run for one in firing if one.run is not None]
        if runs:
            self._appending.write(runs, cursor, doubtful)

    def _held(self, ids: Sequence[str], cursor: Cursor) -> _Standing:
        """How these reminders stand, held until the end of the transaction; without those that
        somebody else holds."""
        if self._dialect.name == "postgresql":
            cursor.execute(_LOCKED, (list(ids),))
            found = cursor.fetchall()
        else:
            rows = [self._standing.one(cursor, {"wanted": one}) for one in ids]
            found = [row for row in rows if row is not None]
        return {row[0]: (row[1], row[2]) for row in found}

    def _present(self, rows: Sequence[dict[str, Any]], cursor: Cursor) -> set[tuple[str, int]]:
        """Which of these occurrences are there already."""
        if not rows:
            return set()
        if self._dialect.name == "postgresql":
            named, dues = [one["reminder"] for one in rows], [one["due"] for one in rows]
            cursor.execute(_PRESENT, (named, dues))
            return {(row[0], row[1]) for row in cursor.fetchall()}
        looked = [
            self._there.one(cursor, {"wanted": one["reminder"], "at": one["due"]}) for one in rows
        ]
        return {(row[0], row[1]) for row in looked if row is not None}


def _fits(reminder: Reminder, held: _Standing) -> bool:
    """Whether it is stored as it was when it was read."""
    return held.get(reminder.id, (-1, 0))[0] == reminder.version - 1


def _stands(reminder: Reminder, held: _Standing) -> bool:
    """Whether an earlier try of the write stands."""
    return held.get(reminder.id) == (reminder.version, micros(reminder.updated))


def _all_in(settlement: Settlement, there: set[tuple[str, int]]) -> bool:
    keys = {(one.reminder, micros(one.due)) for one in settlement.occurrences}
    return bool(keys) and keys <= there
