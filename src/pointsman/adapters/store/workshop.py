"""``ports.console.Workshop`` and ``Evaluations`` in the store's database."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Dialect, RowMapping, bindparam, delete, literal_column, select, update

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.console_schema import drafts, evaluations, versions
from pointsman.adapters.store.outbox import Reader
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.reading import instant
from pointsman.adapters.store.upserts import upserts
from pointsman.adapters.store.writer import Writer
from pointsman.ports import Cursor
from pointsman.ports.console import DraftRecord, EvaluationRecord, VersionRecord

_files = msgspec.json.Decoder(dict[str, str]).decode


def _in_place(table: Any, dialect: Dialect, *key: str, keep: bool = False) -> Prepared:
    """An insert that takes the place of the row with this key, or leaves it (``keep``)."""
    on_conflict = upserts(dialect)
    given: dict[str, Any] = {column.name: bindparam(column.name) for column in table.columns}
    statement = on_conflict(table).values(given).inline()
    if keep:
        return Prepared(statement.on_conflict_do_nothing(index_elements=[*key]), dialect)
    told = {name: statement.excluded[name] for name in given if name not in key}
    return Prepared(statement.on_conflict_do_update(index_elements=[*key], set_=told), dialect)


class SqlWorkshop:
    """The tables of drafts and versions."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read = writer, read
        self._keep_draft = _in_place(drafts, dialect, "agent")
        self._drop = Prepared(delete(drafts).where(drafts.c.agent == bindparam("wanted")), dialect)
        self._add_version = _in_place(versions, dialect, "agent", "version", keep=True)

    async def draft(self, agent: str) -> DraftRecord | None:
        query = select(drafts).where(drafts.c.agent == agent)
        row = await self._read(lambda connection: connection.execute(query).mappings().first())
        if row is None:
            return None
        return DraftRecord(
            agent=agent,
            files=_files(row["files"]),
            base=row["base"],
            by=row["by"],
            at=instant(row["at"]),
        )

    async def keep_draft(self, draft: DraftRecord) -> None:
        row = {
            "agent": draft.agent,
            "base": draft.base,
            "by": draft.by,
            "at": micros(draft.at),
            "files": msgspec.json.encode(draft.files),
        }
        await self._writer.put(partial(_run, self._keep_draft, row), synced=True)

    async def drop_draft(self, agent: str) -> None:
        await self._writer.put(partial(_run, self._drop, {"wanted": agent}), synced=True)

    async def versions(self, agent: str) -> list[VersionRecord]:
        columns = [column for column in versions.c if column.name != "files"]
        query = select(*columns).where(versions.c.agent == agent)
        query = query.order_by(versions.c.version.desc())
        return await self._read(
            lambda connection: [_version(row) for row in connection.execute(query).mappings()]
        )

    async def version(self, agent: str, number: int) -> VersionRecord | None:
        query = select(versions).where(versions.c.agent == agent, versions.c.version == number)
        row = await self._read(lambda connection: connection.execute(query).mappings().first())
        return None if row is None else _version(row)

    async def add_version(self, version: VersionRecord) -> bool:
        row = {
            "agent": version.agent,
            "version": version.version,
            "at": micros(version.at),
            "by": version.by,
            "note": version.note,
            "digest": version.digest,
            "files": msgspec.json.encode(version.files),
        }

        def write(cursor: Cursor, doubtful: bool) -> bool:
            return self._add_version.run(cursor, row) > 0 or doubtful

        return bool(await self._writer.put(write, synced=True))


def _version(row: Mapping[str, Any] | RowMapping) -> VersionRecord:
    return VersionRecord(
        agent=row["agent"],
        version=row["version"],
        at=instant(row["at"]),
        by=row["by"],
        note=row["note"],
        digest=row["digest"],
        files=_files(row["files"]) if "files" in row else {},
    )


def _run(statement: Prepared, row: Mapping[str, Any], cursor: Cursor, doubtful: bool) -> None:
    statement.run(cursor, row)


class SqlEvaluations:
    """The table of evaluations."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read = writer, read
        self._keep = _in_place(evaluations, dialect, "id")
        table = evaluations.c
        abandoning = update(evaluations).where(
            table.state == literal_column("'running'"), table.alive < bindparam("last")
        )
        self._abandon = Prepared(
            abandoning.values(
                state=literal_column("'failed'"), ended=bindparam("over"), problem=bindparam("why")
            ),
            dialect,
        )

    async def keep(self, evaluation: EvaluationRecord) -> None:
        row: dict[str, Any] = msgspec.structs.asdict(evaluation)
        for name in ("started", "alive"):
            row[name] = micros(row[name])
        row["ended"] = None if evaluation.ended is None else micros(evaluation.ended)
        synced = evaluation.state != "running"
        await self._writer.put(partial(_run, self._keep, row), synced=synced)

    async def evaluation(self, id: str) -> EvaluationRecord | None:
        query = select(evaluations).where(evaluations.c.id == id)
        row = await self._read(lambda connection: connection.execute(query).mappings().first())
        return None if row is None else _evaluation(row)

    async def evaluations(
        self, *, agent: str | None = None, limit: int = 50, before: str | None = None
    ) -> list[EvaluationRecord]:
        columns = [column for column in evaluations.c if column.name != "results"]
        query = select(*columns).order_by(evaluations.c.id.desc()).limit(limit)
        if agent is not None:
            query = query.where(evaluations.c.agent == agent)
        if before is not None:
            query = query.where(evaluations.c.id < before)
        return await self._read(
            lambda connection: [_evaluation(row) for row in connection.execute(query).mappings()]
        )

    async def abandon(self, before: datetime, at: datetime, problem: str) -> int:
        row = {"last": micros(before), "over": micros(at), "why": problem}

        def write(cursor: Cursor, doubtful: bool) -> int:
            return self._abandon.run(cursor, row)

        return int(str(await self._writer.put(write, synced=True)))


def _evaluation(row: Mapping[str, Any] | RowMapping) -> EvaluationRecord:
    given = {name: row[name] for name in EvaluationRecord.__struct_fields__ if name in row}
    given["started"], given["alive"] = instant(row["started"]), instant(row["alive"])
    given["ended"] = None if row["ended"] is None else instant(row["ended"])
    return EvaluationRecord(**given)
