"""Everything that is stored under run ids, read without trust: rows may have been changed by hand,
and in SQLite any column may hold a value of any type. What no store has written is told, and spoils
nothing but its own run."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Table, bindparam, exists, select, true, type_coerce, union
from sqlalchemy.types import NullType

from pointsman.adapters.store.reading import as_record, instant, read_pending, read_transcript
from pointsman.adapters.store.schema import blobs, conversations, events, pruned, runs
from pointsman.domain.record.retention import Tombstone
from pointsman.ports import Holding, Row, RunRecord

T = TypeVar("T")
_Found = Mapping[str, Any]
_Grouped = Mapping[Any, Sequence[_Found]]

_read_tombstone = msgspec.json.Decoder(Tombstone)

_FOREIGN = (ValueError, TypeError, OverflowError, AttributeError, KeyError, msgspec.MsgspecError)
"""What reading a value raises that a store has not written."""


def read(
    connection: Connection, after: str | None, wanted: Sequence[str] | None, limit: int
) -> list[Holding]:
    """The holdings of the next run ids, or of the next of these."""
    # Each table's own next ids first: no database then looks through all that is left.
    columns = (runs.c.id, events.c.run, blobs.c.run, pruned.c.run)
    chosen = [_next(column, after, wanted, limit) for column in columns]
    ids = connection.execute(union(*chosen).order_by("id").limit(limit)).scalars().all()
    found = {row["id"]: row for row in _rows(connection, runs, "id", ids)}
    journal = _by(_rows(connection, events, "run", ids), "run")
    kept = _by(_rows(connection, blobs, "run", ids), "run")
    buried = {row["run"]: row["body"] for row in _rows(connection, pruned, "run", ids)}
    named = list({row["conversation"] for row in found.values()})
    owners = {row["id"]: row for row in _rows(connection, conversations, "id", named)}
    return [
        _buried(_holding(run, found.get(run), journal, kept, owners), buried.get(run))
        for run in ids
    ]


def _next(column: Any, after: str | None, wanted: Sequence[str] | None, limit: int) -> Any:
    beyond = true() if after is None else column > after
    among = true() if wanted is None else column.in_(wanted)
    found = select(column.label("id")).where(beyond, among).distinct().order_by(column).limit(limit)
    return select(_raw(found.subquery().c.id).label("id"))


def _raw(column: Any) -> Any:
    """The column as the driver gives it."""
    return type_coerce(column, NullType())


def _rows(connection: Connection, table: Table, key: str, wanted: Sequence[Any]) -> list[_Found]:
    columns = [_raw(column).label(column.name) for column in table.c]
    # Of no type: the values go to the driver as they are, whatever somebody put in their place.
    values = bindparam("wanted", list(wanted), expanding=True, type_=NullType())
    query = select(*columns).where(table.c[key].in_(values))
    return [dict(row) for row in connection.execute(query).mappings()]


def _by(rows: Sequence[_Found], key: str) -> _Grouped:
    grouped: dict[Any, list[_Found]] = defaultdict(list)
    for row in rows:
        grouped[row[key]].append(row)
    return grouped


def _holding(
    run: Any,
    row: _Found | None,
    journal: _Grouped,
    kept: _Grouped,
    owners: Mapping[Any, _Found],
) -> Holding:
    try:
        written = [_row(found) for found in journal.get(run, ())]
        holding = Holding(
            run=run,
            rows=tuple(sorted(written, key=lambda one: one.position)),
            blobs=tuple((_text(one["id"]), _text(one["body"])) for one in kept.get(run, ())),
        )
        if row is None or not isinstance(run, str):
            return holding
        return msgspec.structs.replace(
            holding,
            record=_record(row),
            transcript=_exactly(read_transcript, row["transcript"]),
            pending=_exactly(read_pending, row["pending"]),
            conversation=_conversation(owners.get(row["conversation"])),
        )
    except _FOREIGN as fault:
        return Holding(run=str(run), unreadable=f"{type(fault).__name__}: {fault}")


def _buried(holding: Holding, body: Any) -> Holding:
    """The holding with the tombstone that lies there too."""
    if body is None:
        return holding
    try:
        tombstone = _exactly(_read_tombstone, body)
        if tombstone is None or tombstone.run != holding.run:
            raise ValueError("the tombstone is of another run")
        return msgspec.structs.replace(holding, tombstone=tombstone)
    except _FOREIGN as fault:
        return Holding(run=str(holding.run), unreadable=f"{type(fault).__name__}: {fault}")


def _row(found: _Found) -> Row:
    position, body, digest = found["position"], found["body"], found["hash"]
    if type(position) is int and type(body) is bytes and type(digest) is bytes:
        return Row(position=position, body=body, hash=digest)
    raise TypeError(f"the journal row {position!r} holds a value of another type")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{value!r} is no text")


def _record(row: _Found) -> RunRecord:
    marked = row["cancel_requested"]
    record = as_record({**row, "cancel_requested": bool(marked)})
    return msgspec.convert(msgspec.to_builtins(record), RunRecord)


def _exactly(decoder: msgspec.json.Decoder[T], stored: Any) -> T | None:
    """The value of stored JSON, which is written as a store writes it."""
    if stored is None:
        return None
    value = decoder.decode(stored)
    if msgspec.json.encode(value) != stored:
        raise ValueError("the JSON is not written as a store writes it")
    return value


def _conversation(row: _Found | None) -> Any:
    """User, agent and first instant of a conversation, or None."""
    return None if row is None else (row["user"], row["agent"], instant(row["created"]))


def lone_conversations(connection: Connection) -> list[str]:
    """Conversations that no run belongs to."""
    of_a_run = exists().where(runs.c.conversation == conversations.c.id)
    query = select(_raw(conversations.c.id)).where(~of_a_run)
    return sorted(str(found) for found in connection.execute(query).scalars())
