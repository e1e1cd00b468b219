"""Appends as statements: position and epoch are compared, the runs' rows moved, what goes with them
inserted and due runs put on the queue, all in the transaction that the writer has begun."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Dialect, bindparam, insert, literal_column, select, update

from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.schema import blobs, conversations, events, runs
from pointsman.adapters.store.upserts import upserts
from pointsman.domain.runs import RunStatus
from pointsman.errors import PositionConflict
from pointsman.ports import Append, Cursor, Enqueue

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

_ADVANCE = (
    update(runs)
    .where(
        runs.c.id == bindparam("run_id"),
        runs.c.position == bindparam("expected"),
        runs.c.epoch == bindparam("held"),
    )
    .values(
        {
            name: bindparam(name)
            for name in (
                "status",
                "updated",
                "position",
                "reply",
                "prompt_tokens",
                "cached_tokens",
                "completion_tokens",
                "reasoning_tokens",
                "total_tokens",
                "transcript",
                "pending",
            )
        }
    )
)

_UNFINISHED = update(runs).where(
    runs.c.id == bindparam("run_id"),
    runs.c.status.in_([literal_column(f"'{one.value}'") for one in RunStatus if not one.ended]),
)
_REQUEST_CANCEL = _UNFINISHED.values(cancel_requested=bindparam("wanted"))
_CLAIM = _UNFINISHED.values(epoch=runs.c.epoch + literal_column("1"))
_FIND_EPOCH = select(runs.c.epoch).where(runs.c.id == bindparam("wanted"))
_FIND_EVENT = select(events.c.hash).where(
    events.c.run == bindparam("wanted"), events.c.position == bindparam("at")
)


class Appending:
    """The statements that write, of one dialect, compiled once."""

    def __init__(self, dialect: Dialect, enqueue: Enqueue | None) -> None:
        """Args:
        enqueue: puts a run that an append wakes on the queue.
        """
        self._enqueue = enqueue
        on_conflict = upserts(dialect)
        conversation = on_conflict(conversations).on_conflict_do_nothing()
        self._insert_conversation = Prepared(conversation, dialect)
        self._insert_run = Prepared(on_conflict(runs).on_conflict_do_nothing(), dialect)
        self._advance_run = Prepared(_ADVANCE, dialect)
        self._insert_event = Prepared(insert(events), dialect)
        # A blob is named by what it holds: one that is there already is the same.
        self._insert_blob = Prepared(on_conflict(blobs).on_conflict_do_nothing(), dialect)
        self._request_cancel = Prepared(_REQUEST_CANCEL, dialect)
        self._claim = Prepared(_CLAIM, dialect)
        self._find_epoch = Prepared(_FIND_EPOCH, dialect)
        self._find_event = Prepared(_FIND_EVENT, dialect)

    def write(
        self, changes: Sequence[Append], cursor: Cursor, doubtful: bool
    ) -> list[PositionConflict | None]:
        """Write those of the changes that fit, in their order; what came of each.

        Args:
            doubtful: some of them may stand already, and are not written again.
        """
        outcomes: list[PositionConflict | None] = []
        for wave in _waves(changes):
            done = {one.run.id for one in wave if doubtful and self._stands(one, cursor)}
            new = [one for one in wave if one.run.id not in done]
            fitting = self._moved(new, cursor)
            self._fill([one for one in new if one.run.id in fitting], cursor)
            done |= fitting
            outcomes += [None if one.run.id in done else _conflict(one) for one in wave]
        return outcomes

    def claim(self, run: str, cursor: Cursor, doubtful: bool) -> int | None:
        """Raise the epoch of a run that has not ended, in doubt once more; the new one."""
        if not self._claim.run(cursor, {"run_id": run}):
            return None
        found = self._find_epoch.one(cursor, {"wanted": run})
        assert found is not None
        return int(found[0])

    def request_cancel(self, run: str, cursor: Cursor, doubtful: bool) -> bool:
        """Mark the run if it has not ended; whether it was marked."""
        return self._request_cancel.run(cursor, {"run_id": run, "wanted": True}) > 0

    def _stands(self, change: Append, cursor: Cursor) -> bool:
        """Whether the last row of the change is there, told by its hash."""
        if not change.rows:
            return False
        last = change.rows[-1]
        found = self._find_event.one(cursor, {"wanted": change.run.id, "at": last.position})
        return found is not None and bytes(found[0]) == last.hash

    def _moved(self, changes: Sequence[Append], cursor: Cursor) -> set[str]:
        """Make or move on the rows of these runs, each of another one; the runs that fitted."""
        fitting = {one.run.id for one in changes if one.expected < 0 and self._made(one, cursor)}
        return fitting | self._advanced([one for one in changes if one.expected >= 0], cursor)

    def _made(self, change: Append, cursor: Cursor) -> bool:
        record = change.run
        created = micros(record.created)
        self._insert_conversation.run(
            cursor,
            {
                "id": record.conversation,
                "user": record.user,
                "agent": record.agent,
                "created": created,
            },
        )
        made = self._insert_run.run(
            cursor,
            {
                "id": record.id,
                "conversation": record.conversation,
                "user": record.user,
                "agent": record.agent,
                "input": record.input,
                "created": created,
                "epoch": record.epoch,
                "cancel_requested": False,
                **projection(change),
            },
        )
        return made > 0

    def _advanced(self, changes: Sequence[Append], cursor: Cursor) -> set[str]:
        rows = [
            {
                "run_id": one.run.id,
                "expected": one.expected,
                "held": one.run.epoch,
                **projection(one),
            }
            for one in changes
        ]
        moved = self._advance_run.run_each(cursor, rows)
        return {one.run.id for one, count in zip(changes, moved, strict=True) if count}

    def _fill(self, changes: Sequence[Append], cursor: Cursor) -> None:
        """Write what goes with the runs' rows."""
        rows = [
            (one.run.id, row.position, row.body, row.hash) for one in changes for row in one.rows
        ]
        if rows:
            self._insert_event.insert(cursor, rows)
        whole = [(one.run.id, blob, body) for one in changes for blob, body in one.blobs]
        if whole:
            self._insert_blob.insert(cursor, whole)
        due = [one for one in changes if one.wake or one.wakes]
        if due and self._enqueue is not None:
            self._enqueue(cursor, due)


def _waves(changes: Sequence[Append]) -> Iterator[list[Append]]:
    """The changes in their order, cut where a run comes again."""
    wave: dict[str, Append] = {}
    for change in changes:
        if change.run.id in wave:
            yield list(wave.values())
            wave = {}
        wave[change.run.id] = change
    yield list(wave.values())


def _conflict(change: Append) -> PositionConflict:
    run, at = change.run, change.expected
    return PositionConflict(f"run {run.id} is no longer at position {at} of epoch {run.epoch}")


def projection(change: Append) -> dict[str, Any]:
    """What an append sets of its run's row."""
    record, transcript, pending = change.run, change.transcript, change.pending
    return {
        "status": record.status.value,
        "updated": micros(record.updated),
        "position": record.position,
        "reply": record.reply,
        "prompt_tokens": record.usage.prompt,
        "cached_tokens": record.usage.cached,
        "completion_tokens": record.usage.completion,
        "reasoning_tokens": record.usage.reasoning,
        "total_tokens": record.usage.total,
        "transcript": None if transcript is None else msgspec.json.encode(transcript),
        "pending": None if pending is None else msgspec.json.encode(pending),
    }


def micros(instant: datetime) -> int:
    """Whole microseconds since 1970."""
    return (instant - EPOCH) // MICROSECOND
