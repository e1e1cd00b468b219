"""``ports.Inbox`` in the store's database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    Dialect,
    RowMapping,
    bindparam,
    func,
    select,
    update,
)

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.outbox import Reader
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.reading import instant
from pointsman.adapters.store.schema import inbox
from pointsman.adapters.store.upserts import upserts
from pointsman.adapters.store.writer import Writer
from pointsman.domain.notices.delivery import Kind
from pointsman.ports import Cursor, InboxMessage

ARRIVING = 0x706D696E62
"""The advisory lock of PostgreSQL that is held from a message's number to its commit: who reads on
after a number misses nothing."""


class SqlInbox:
    """The table of messages by user."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read, self._dialect = writer, read, dialect
        on_conflict = upserts(dialect)
        names = [column.name for column in inbox.columns if column.name != "seq"]
        given: dict[str, Any] = {name: bindparam(name) for name in names}
        insert = on_conflict(inbox).values(given).inline()
        self._insert = Prepared(insert.on_conflict_do_nothing(index_elements=["id"]), dialect)

    async def add(self, message: InboxMessage) -> bool:
        return bool(await self._writer.put(partial(self._add, message), synced=True))

    async def messages(
        self,
        user: str,
        *,
        unread: bool = False,
        kind: Kind | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[InboxMessage]:
        query = select(inbox).where(inbox.c.user == user).limit(limit)
        query = query.order_by(inbox.c.seq.desc() if after is None else inbox.c.seq)
        if unread:
            query = query.where(inbox.c.read.is_(None))
        if kind is not None:
            query = query.where(inbox.c.kind == kind)
        if after is not None:
            query = query.where(inbox.c.seq > after)
        if before is not None:
            query = query.where(inbox.c.seq < before)
        return await self._read(
            lambda connection: [_message(row) for row in connection.execute(query).mappings()]
        )

    async def find(self, user: str, id: str) -> InboxMessage | None:
        query = select(inbox).where(inbox.c.id == id, inbox.c.user == user)
        found = await self._read(lambda connection: connection.execute(query).mappings().first())
        return None if found is None else _message(found)

    async def unread(self, user: str) -> int:
        query = select(func.count()).where(inbox.c.user == user, inbox.c.read.is_(None))
        return await self._read(lambda connection: connection.execute(query).scalar() or 0)

    async def mark(
        self, user: str, at: datetime | None, *, ids: Sequence[str] | None = None
    ) -> int:
        given = {"whose": user, "instant": None if at is None else micros(at)}
        marking = self._marking(read=at is not None, one=ids is not None)

        def write(cursor: Cursor, doubtful: bool) -> int:
            if ids is None:
                return marking.run(cursor, given)
            return sum(marking.run(cursor, {**given, "wanted": one}) for one in ids)

        return int(str(await self._writer.put(write, synced=True)))

    def _marking(self, *, read: bool, one: bool) -> Prepared:
        other = inbox.c.read.is_(None) if read else inbox.c.read.is_not(None)
        changing = update(inbox).where(inbox.c.user == bindparam("whose"), other)
        if one:
            changing = changing.where(inbox.c.id == bindparam("wanted"))
        return Prepared(changing.values(read=bindparam("instant")), self._dialect)

    def _add(self, message: InboxMessage, cursor: Cursor, doubtful: bool) -> bool:
        if self._dialect.name == "postgresql":
            cursor.execute(f"SELECT pg_advisory_xact_lock({ARRIVING})")
        row = {
            "id": message.id,
            "user": message.user,
            "kind": message.kind,
            "subject": message.subject,
            "text": message.text,
            "sender": message.sender,
            "run": message.run,
            "agent": message.agent,
            "at": micros(message.at),
            "read": None,
        }
        return self._insert.run(cursor, row) > 0 or doubtful


def _message(row: Mapping[str, Any] | RowMapping) -> InboxMessage:
    return InboxMessage(
        id=row["id"],
        user=row["user"],
        subject=row["subject"],
        text=row["text"],
        at=instant(row["at"]),
        kind=row["kind"],
        sender=row["sender"],
        run=row["run"],
        agent=row["agent"],
        seq=row["seq"],
        read=None if row["read"] is None else instant(row["read"]),
    )
