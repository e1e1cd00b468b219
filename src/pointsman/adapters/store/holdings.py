"""Everything that is stored under a run id, read without trust: rows may have been changed by hand,
and values be of any type."""

from typing import Any

import msgspec
from sqlalchemy import Connection, exists, select, true, union
from sqlalchemy.exc import SQLAlchemyError

from pointsman.adapters.store.reading import (
    as_record,
    instant,
    read_pending,
    read_transcript,
)
from pointsman.adapters.store.schema import blobs, conversations, events, runs
from pointsman.ports import Holding, Row

_FOREIGN = (ValueError, TypeError, OverflowError, AttributeError, KeyError, msgspec.MsgspecError)
"""What reading a value raises that a store has not written."""


def read(connection: Connection, after: str | None, limit: int) -> list[Holding]:
    """The holdings of the next run ids."""
    columns = (runs.c.id, events.c.run, blobs.c.run)
    ids = union(
        *(
            select(column.label("id")).where(true() if after is None else column > after)
            for column in columns
        )
    )
    found = connection.execute(ids.order_by("id").limit(limit)).scalars().all()
    return [_holding(connection, run) for run in found]


def _holding(connection: Connection, run: Any) -> Holding:
    try:
        return _read(connection, run)
    except (*_FOREIGN, SQLAlchemyError) as fault:
        return Holding(run=str(run), unreadable=f"{type(fault).__name__}: {fault}")


def _read(connection: Connection, run: str) -> Holding:
    row = connection.execute(select(runs).where(runs.c.id == run)).mappings().first()
    kept = connection.execute(select(blobs.c.id, blobs.c.body).where(blobs.c.run == run))
    holding = Holding(
        run=run,
        rows=_rows(connection, run),
        blobs=tuple((str(name), str(body)) for name, body in kept),
    )
    if row is None:
        return holding
    transcript, pending = row["transcript"], row["pending"]
    return msgspec.structs.replace(
        holding,
        record=as_record(row),
        transcript=None if transcript is None else read_transcript.decode(transcript),
        pending=None if pending is None else read_pending.decode(pending),
        conversation=_conversation(connection, row["conversation"]),
    )


def _rows(connection: Connection, run: str) -> tuple[Row, ...]:
    columns = (events.c.position, events.c.body, events.c.hash)
    query = select(*columns).where(events.c.run == run).order_by(events.c.position)
    return tuple(_row(*found) for found in connection.execute(query))


def _row(position: Any, body: Any, digest: Any) -> Row:
    if type(position) is int and type(body) is bytes and type(digest) is bytes:
        return Row(position=position, body=body, hash=digest)
    raise TypeError(f"the journal row {position!r} holds a value of another type")


def _conversation(connection: Connection, wanted: str) -> Any:
    """User, agent and first instant of a conversation, or None."""
    query = select(conversations).where(conversations.c.id == wanted)
    found = connection.execute(query).mappings().first()
    return None if found is None else (found["user"], found["agent"], instant(found["created"]))


def lone_conversations(connection: Connection) -> list[str]:
    """Conversations that no run belongs to."""
    of_a_run = exists().where(runs.c.conversation == conversations.c.id)
    query = select(conversations.c.id).where(~of_a_run).order_by(conversations.c.id)
    return [str(found) for found in connection.execute(query).scalars()]
