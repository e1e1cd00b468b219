"""An append as statements: the position and epoch are compared, the projection moved and the rows
inserted, all in the transaction that the writer has begun."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Dialect, bindparam, insert, literal_column, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from pointsman.adapters.store.prepared import Cursor, Prepared
from pointsman.adapters.store.schema import blobs, conversations, events, runs
from pointsman.domain.runs import RunStatus
from pointsman.errors import PositionConflict
from pointsman.ports import Append

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

_REQUEST_CANCEL = (
    update(runs)
    .where(
        runs.c.id == bindparam("run_id"),
        runs.c.status.in_([literal_column(f"'{one.value}'") for one in RunStatus if not one.ended]),
    )
    .values(cancel_requested=bindparam("wanted"))
)


class Appending:
    """The statements that write, of one dialect, compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        on_conflict = postgresql_insert if dialect.name == "postgresql" else sqlite_insert
        conversation = on_conflict(conversations).on_conflict_do_nothing()
        self._insert_conversation = Prepared(conversation, dialect)
        self._insert_run = Prepared(insert(runs), dialect)
        self._advance_run = Prepared(_ADVANCE, dialect)
        self._insert_event = Prepared(insert(events), dialect)
        # A blob is named by what it holds: one that is there already is the same.
        self._insert_blob = Prepared(on_conflict(blobs).on_conflict_do_nothing(), dialect)
        self._request_cancel = Prepared(_REQUEST_CANCEL, dialect)

    def write(self, change: Append, cursor: Cursor) -> None:
        """Write the change.

        Raises:
            PositionConflict: before anything is written.
        """
        if change.expected < 0:
            self._create(change, cursor)
        else:
            self._advance(change, cursor)
        run = change.run.id
        if change.rows:
            self._insert_events(run, change, cursor)
        if change.blobs:
            self._insert_blob.run_many(
                cursor,
                [{"run": run, "id": blob, "body": body} for blob, body in change.blobs],
            )

    def request_cancel(self, run: str, cursor: Cursor) -> bool:
        """Mark the run if it has not ended; whether it was marked."""
        return self._request_cancel.run(cursor, {"run_id": run, "wanted": True}) > 0

    def _insert_events(self, run: str, change: Append, cursor: Cursor) -> None:
        self._insert_event.run_many(
            cursor,
            [
                {"run": run, "position": row.position, "body": row.body, "hash": row.hash}
                for row in change.rows
            ],
        )

    def _create(self, change: Append, cursor: Cursor) -> None:
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
        self._insert_run.run(
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
                **_projection(change),
            },
        )

    def _advance(self, change: Append, cursor: Cursor) -> None:
        record = change.run
        moved = self._advance_run.run(
            cursor,
            {
                "run_id": record.id,
                "expected": change.expected,
                "held": record.epoch,
                **_projection(change),
            },
        )
        if moved != 1:
            raise PositionConflict(f"run {record.id} is no longer at position {change.expected}")


def _projection(change: Append) -> dict[str, Any]:
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
