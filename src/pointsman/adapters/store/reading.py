"""Rows of the tables as what ``ports.Store`` speaks of."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import BindParameter, Dialect, RowMapping, bindparam, select

from pointsman.adapters.store.appending import EPOCH, MICROSECOND
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.schema import blobs, conversations, events, runs, shared
from pointsman.domain.messages import Message, Usage
from pointsman.domain.pending import Pending
from pointsman.domain.runs import RunStatus
from pointsman.ports import Conversation, Cursor, Row, RunRecord, StoredRun

read_transcript = msgspec.json.Decoder(tuple[Message, ...])
read_pending = msgspec.json.Decoder(Pending)

_WANTED: BindParameter[str] = bindparam("wanted")
_COLUMNS = [column.name for column in runs.c]
_ROWS = (
    select(events.c.position, events.c.body, events.c.hash)
    .where(events.c.run == _WANTED, events.c.position > bindparam("after"))
    .order_by(events.c.position)
)
_PAST = (
    select(runs.c.transcript, runs.c.pending)
    .where(runs.c.conversation == _WANTED, runs.c.transcript.is_not(None))
    .order_by(runs.c.id)
)
_CONVERSATION = select(conversations.c.id, conversations.c.user, conversations.c.agent)
_BLOB = select(blobs.c.body).where(blobs.c.run == _WANTED, blobs.c.id == bindparam("blob"))


class Reading:
    """The statements that the way of a run reads with, of one dialect, compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        self._record = Prepared(select(runs).where(runs.c.id == _WANTED), dialect)
        self._rows = Prepared(_ROWS, dialect)
        self._past = Prepared(_PAST, dialect)
        self._before = Prepared(_PAST.where(runs.c.id < bindparam("before")), dialect)
        self._conversation = Prepared(_CONVERSATION.where(conversations.c.id == _WANTED), dialect)
        self._blob = Prepared(_BLOB, dialect)
        self._shared = Prepared(select(shared.c.body).where(shared.c.key == _WANTED), dialect)

    def run(self, cursor: Cursor, run: str) -> StoredRun | None:
        """The run with all that a worker needs; in one snapshot."""
        record = self.record(cursor, run)
        if record is None:
            return None
        past, pending = self.past(cursor, record.conversation, before=run)
        rows = self.rows(cursor, run, -1)
        return StoredRun(record=record, rows=rows, past=past, pending=pending)

    def record(self, cursor: Cursor, run: str) -> RunRecord | None:
        found = self._record.one(cursor, {"wanted": run})
        return None if found is None else as_record(dict(zip(_COLUMNS, found, strict=True)))

    def rows(self, cursor: Cursor, run: str, after: int) -> tuple[Row, ...]:
        return tuple(
            Row(position=position, body=body, hash=digest)
            for position, body, digest in self._rows.all(cursor, {"wanted": run, "after": after})
        )

    def past(
        self, cursor: Cursor, conversation: str, *, before: str | None
    ) -> tuple[tuple[Message, ...], Pending | None]:
        """What the conversation's ended runs left: their messages, and the last one's question."""
        if before is None:
            ended = self._past.all(cursor, {"wanted": conversation})
        else:
            ended = self._before.all(cursor, {"wanted": conversation, "before": before})
        messages = tuple(
            message for transcript, _ in ended for message in read_transcript.decode(transcript)
        )
        left = ended[-1][1] if ended else None
        return messages, None if left is None else read_pending.decode(left)

    def conversation(self, cursor: Cursor, conversation: str) -> Conversation | None:
        """The conversation; in one snapshot."""
        found = self._conversation.one(cursor, {"wanted": conversation})
        if found is None:
            return None
        messages, pending = self.past(cursor, conversation, before=None)
        name, user, agent = found
        return Conversation(id=name, user=user, agent=agent, messages=messages, pending=pending)

    def blob(self, cursor: Cursor, run: str, blob: str) -> str | None:
        found = self._blob.one(cursor, {"wanted": run, "blob": blob})
        return None if found is None else found[0]

    def shared(self, cursor: Cursor, key: str) -> bytes | None:
        found = self._shared.one(cursor, {"wanted": key})
        return None if found is None else found[0]


def as_record(row: Mapping[str, Any] | RowMapping) -> RunRecord:
    return RunRecord(
        id=row["id"],
        conversation=row["conversation"],
        user=row["user"],
        agent=row["agent"],
        status=RunStatus(row["status"]),
        input=row["input"],
        reply=row["reply"],
        created=instant(row["created"]),
        updated=instant(row["updated"]),
        position=row["position"],
        epoch=row["epoch"],
        cancel_requested=bool(row["cancel_requested"]),
        usage=Usage(
            prompt=row["prompt_tokens"],
            cached=row["cached_tokens"],
            completion=row["completion_tokens"],
            reasoning=row["reasoning_tokens"],
            total=row["total_tokens"],
        ),
    )


def instant(micros: int) -> datetime:
    return EPOCH + micros * MICROSECOND
