"""``ports.console.Talks`` and ``Acts`` in the store's database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    BindParameter,
    Dialect,
    RowMapping,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
)

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.console_schema import acts, figures, titles
from pointsman.adapters.store.figure_lists import said
from pointsman.adapters.store.outbox import Reader
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.reading import as_record, instant
from pointsman.adapters.store.schema import conversations, runs
from pointsman.adapters.store.upserts import upserts
from pointsman.adapters.store.writer import Writer
from pointsman.ports import Cursor
from pointsman.ports.console import Act, Listing

HIDDEN = ("trial", "task:%")
"""Origins of runs whose conversations nobody holds."""

_RECORD = [column for column in runs.c if column.name not in ("transcript", "pending")]


class SqlTalks:
    """Conversations by who holds them."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read = writer, read
        on_conflict = upserts(dialect)
        given: dict[str, Any] = {column.name: bindparam(column.name) for column in titles.columns}
        naming = on_conflict(titles).values(given).inline()
        told = {name: naming.excluded[name] for name in ("title", "at")}
        self._name = Prepared(
            naming.on_conflict_do_update(index_elements=["conversation"], set_=told), dialect
        )
        wanted: BindParameter[str] = bindparam("wanted")
        self._unname = Prepared(delete(titles).where(titles.c.conversation == wanted), dialect)
        there = select(conversations.c.id).where(conversations.c.id == wanted)
        self._there = Prepared(there.with_for_update(read=True, key_share=True), dialect)

    async def talks(
        self,
        user: str,
        *,
        agent: str | None = None,
        text: str = "",
        limit: int = 50,
        before: str | None = None,
    ) -> list[Listing]:
        query = _newest(user, agent, text, before).limit(limit)
        newest = await self._read(lambda connection: connection.execute(query).mappings().all())
        if not newest:
            return []
        ids = [row["conversation"] for row in newest]
        rest = await self._read(
            lambda connection: {
                row["conversation"]: row for row in connection.execute(_rest(ids)).mappings()
            }
        )
        return [
            _listing(row, rest[row["conversation"]])
            for row in newest
            if row["conversation"] in rest
        ]

    async def title(self, conversation: str) -> str:
        query = select(titles.c.title).where(titles.c.conversation == conversation)
        return await self._read(lambda connection: connection.execute(query).scalar() or "")

    async def rename(self, conversation: str, title: str, at: datetime) -> None:
        await self._writer.put(partial(self._rename, conversation, title, at), synced=True)

    def _rename(
        self, conversation: str, title: str, at: datetime, cursor: Cursor, doubtful: bool
    ) -> None:
        wanted = {"wanted": conversation}
        if not title:
            self._unname.run(cursor, wanted)
        elif self._there.one(cursor, wanted) is not None:
            self._name.run(cursor, {"conversation": conversation, "title": title, "at": micros(at)})


def _newest(user: str, agent: str | None, text: str, before: str | None) -> Select[Any]:
    """The newest run of each conversation, newest first."""
    later, any_run = runs.alias("later"), runs.alias("any_run")
    query = (
        select(*_RECORD)
        .where(
            runs.c.user == user,
            ~exists().where(later.c.conversation == runs.c.conversation, later.c.id > runs.c.id),
            ~exists().where(
                figures.c.run == runs.c.id,
                or_(*(figures.c.origin.like(pattern) for pattern in HIDDEN)),
            ),
        )
        .order_by(runs.c.id.desc())
    )
    if agent is not None:
        query = query.where(runs.c.agent == agent)
    if before is not None:
        query = query.where(runs.c.id < before)
    if text:
        of_it = any_run.c.conversation == runs.c.conversation
        spoken = or_(said(any_run.c.input, text), said(any_run.c.reply, text))
        named = exists().where(
            titles.c.conversation == runs.c.conversation, said(titles.c.title, text)
        )
        query = query.where(or_(named, exists().where(of_it, spoken)))
    return query


def _rest(ids: Sequence[str]) -> Select[Any]:
    """How many runs each conversation has, since when, its title, and what was said first."""
    grouped = (
        select(
            runs.c.conversation,
            func.count().label("count"),
            func.min(runs.c.created).label("began"),
            func.max(runs.c.updated).label("changed"),
            func.min(runs.c.id).label("start"),
        )
        .where(runs.c.conversation.in_(ids))
        .group_by(runs.c.conversation)
        .subquery()
    )
    joined = grouped.join(runs, runs.c.id == grouped.c.start)
    joined = joined.outerjoin(titles, titles.c.conversation == grouped.c.conversation)
    return select(
        grouped.c.conversation,
        grouped.c["count"],
        grouped.c.began,
        grouped.c.changed,
        runs.c.input.label("first"),
        titles.c.title,
    ).select_from(joined)


def _listing(newest: Mapping[str, Any] | RowMapping, rest: RowMapping) -> Listing:
    return Listing(
        id=newest["conversation"],
        agent=newest["agent"],
        title=rest["title"] or "",
        first=rest["first"] or "",
        created=instant(rest["began"]),
        updated=instant(rest["changed"]),
        runs=rest["count"],
        last=as_record(newest),
    )


class SqlActs:
    """The table of acts."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read = writer, read
        names = [column.name for column in acts.columns if column.name != "seq"]
        given: dict[str, Any] = {name: bindparam(name) for name in names}
        self._add = Prepared(insert(acts).values(given).inline(), dialect)

    async def record(self, act: Act) -> None:
        row = {
            "at": micros(act.at),
            "by": act.by,
            "act": act.act,
            "subject": act.subject,
            "note": act.note,
        }

        def write(cursor: Cursor, doubtful: bool) -> None:
            self._add.run(cursor, row)

        await self._writer.put(write, synced=True)

    async def acts(self, *, subject: str = "", limit: int = 50) -> list[Act]:
        query = select(acts).order_by(acts.c.seq.desc()).limit(limit)
        if subject:
            query = query.where(acts.c.subject == subject)
        return await self._read(
            lambda connection: [
                Act(
                    at=instant(row["at"]),
                    by=row["by"],
                    act=row["act"],
                    subject=row["subject"],
                    note=row["note"],
                )
                for row in connection.execute(query).mappings()
            ]
        )
