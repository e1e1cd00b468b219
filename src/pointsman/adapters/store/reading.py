"""Rows of the tables as what ``ports.Store`` speaks of."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, RowMapping, select

from pointsman.adapters.store.appending import EPOCH, MICROSECOND
from pointsman.adapters.store.schema import events, runs
from pointsman.domain.messages import Message, Usage
from pointsman.domain.pending import Pending
from pointsman.domain.runs import RunStatus
from pointsman.ports import Row, RunRecord

read_transcript = msgspec.json.Decoder(tuple[Message, ...])
read_pending = msgspec.json.Decoder(Pending)


def record(connection: Connection, run: str) -> RunRecord | None:
    found = connection.execute(select(runs).where(runs.c.id == run)).mappings().first()
    return None if found is None else as_record(found)


def rows(connection: Connection, run: str, after: int) -> tuple[Row, ...]:
    query = (
        select(events.c.position, events.c.body, events.c.hash)
        .where(events.c.run == run, events.c.position > after)
        .order_by(events.c.position)
    )
    return tuple(
        Row(position=position, body=body, hash=digest)
        for position, body, digest in connection.execute(query)
    )


def past(
    connection: Connection, conversation: str, *, before: str | None
) -> tuple[tuple[Message, ...], Pending | None]:
    """What the conversation's ended runs left: their messages, and the last one's open question."""
    query = (
        select(runs.c.transcript, runs.c.pending)
        .where(runs.c.conversation == conversation, runs.c.transcript.is_not(None))
        .order_by(runs.c.id)
    )
    if before is not None:
        query = query.where(runs.c.id < before)
    ended = connection.execute(query).all()
    messages = tuple(
        message for transcript, _ in ended for message in read_transcript.decode(transcript)
    )
    left = ended[-1].pending if ended else None
    return messages, None if left is None else read_pending.decode(left)


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
        cancel_requested=row["cancel_requested"],
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
