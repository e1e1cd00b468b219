"""``ports.figures.Figures`` in the store's database: how figures are written, and which runs have
none. What is read of them is in ``figure_lists`` and ``figure_sums``."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Dialect, bindparam, delete, exists, func, select

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.console_schema import (
    figure_calls,
    figure_intents,
    figures,
    ratings,
)
from pointsman.adapters.store.figure_lists import FigureLists
from pointsman.adapters.store.figure_sums import FigureSums
from pointsman.adapters.store.outbox import Reader
from pointsman.adapters.store.prepared import Prepared
from pointsman.adapters.store.schema import runs
from pointsman.adapters.store.upserts import upserts
from pointsman.adapters.store.writer import Writer
from pointsman.domain.record.run_figures import CallFigures, RunFigures
from pointsman.domain.runs import RunStatus
from pointsman.ports import Cursor
from pointsman.ports.figures import Rating

# A run that is being removed is waited for; where it is gone, nothing is kept of it.
_THERE = select(runs.c.id).where(runs.c.id == bindparam("wanted"))


class SqlFigures(FigureLists, FigureSums):
    """The tables of figures."""

    def __init__(self, dialect: Dialect, writer: Writer, read: Reader) -> None:
        self._writer, self._read, self._dialect = writer, read, dialect
        on_conflict = upserts(dialect)

        def adding(table: Any, *key: str) -> Prepared:
            given: dict[str, Any] = {one.name: bindparam(one.name) for one in table.columns}
            statement = on_conflict(table).values(given).inline()
            return Prepared(statement.on_conflict_do_nothing(index_elements=[*key]), dialect)

        self._there = Prepared(_THERE.with_for_update(read=True, key_share=True), dialect)
        self._add_run = adding(figures, "run")
        self._add_intent = adding(figure_intents, "intent", "run")
        self._add_call = adding(figure_calls, "run", "call")
        given: dict[str, Any] = {column.name: bindparam(column.name) for column in ratings.columns}
        rating = on_conflict(ratings).values(given).inline()
        told = {name: rating.excluded[name] for name in ("rating", "comment", "at")}
        self._add_rating = Prepared(
            rating.on_conflict_do_update(index_elements=["run"], set_=told), dialect
        )
        self._drop_rating = Prepared(
            delete(ratings).where(ratings.c.run == bindparam("wanted")), dialect
        )

    async def uncounted(
        self,
        *,
        ended: bool,
        after: str = "",
        ids: Sequence[str] | None = None,
        limit: int = 10_000,
    ) -> list[str]:
        query = (
            select(runs.c.id)
            .where(
                runs.c.id > after,
                runs.c.status.in_([one.value for one in RunStatus if one.ended is ended]),
                ~exists().where(figures.c.run == runs.c.id),
            )
            .order_by(runs.c.id)
            .limit(limit)
        )
        if ids is not None:
            query = query.where(runs.c.id.in_(ids))
        return await self._read(lambda connection: list(connection.execute(query).scalars()))

    async def newest(self, below: str) -> str:
        query = select(func.max(runs.c.id)).where(runs.c.id <= below)
        return await self._read(lambda connection: connection.execute(query).scalar() or "")

    async def add(self, counted: Sequence[RunFigures]) -> None:
        await self._writer.put(partial(self._add, counted), synced=False)

    async def forget(self) -> None:
        clear = [Prepared(delete(one), self._dialect) for one in _PROJECTED]

        def write(cursor: Cursor, doubtful: bool) -> None:
            for statement in clear:
                statement.run(cursor, {})

        await self._writer.put(write, synced=False)

    async def rate(
        self, run: str, user: str, rating: Rating | None, comment: str, at: datetime
    ) -> None:
        row = {"run": run, "user": user, "rating": rating, "comment": comment, "at": micros(at)}

        def write(cursor: Cursor, doubtful: bool) -> None:
            if rating is None:
                self._drop_rating.run(cursor, {"wanted": run})
            elif self._there.one(cursor, {"wanted": run}) is not None:
                self._add_rating.run(cursor, row)

        await self._writer.put(write, synced=True)

    async def ratings(self, runs: Sequence[str]) -> dict[str, tuple[Rating, str]]:
        query = select(ratings.c.run, ratings.c.rating, ratings.c.comment)
        query = query.where(ratings.c.run.in_(runs))
        return await self._read(
            lambda connection: {
                run: (rating, comment) for run, rating, comment in connection.execute(query)
            }
        )

    def _add(self, counted: Sequence[RunFigures], cursor: Cursor, doubtful: bool) -> None:
        for one in counted:
            if self._there.one(cursor, {"wanted": one.run}) is None:
                continue
            if not self._add_run.run(cursor, _run_row(one)) and not doubtful:
                continue
            for intent in dict.fromkeys((*one.intents, *one.candidates)):
                self._add_intent.run(cursor, {"intent": intent, "run": one.run})
            for call in one.calls:
                self._add_call.run(cursor, _call_row(one, call))


_PROJECTED = (figure_calls, figure_intents, figures)


def _run_row(one: RunFigures) -> dict[str, Any]:
    ran = [call for call in one.calls if call.ran]
    return {
        "run": one.run,
        "conversation": one.conversation,
        "user": one.user,
        "agent": one.agent,
        "origin": one.origin,
        "status": one.status,
        "kind": one.kind,
        "failure": one.failure,
        "created": micros(one.created),
        "ended": micros(one.ended),
        "ms": one.ms,
        "route": one.route,
        "picked": one.picked,
        "intents": _json(one.intents),
        "candidates": _json(one.candidates),
        "tools": _json(one.tools),
        "asks": one.asks,
        "confirmations": one.confirmations,
        "approvals": one.approvals,
        "denials": one.denials,
        "tool_calls": len(ran),
        "tool_ok": sum(call.status == "ok" for call in ran),
        "prompt": one.usage.prompt,
        "cached": one.usage.cached,
        "completion": one.usage.completion,
        "reasoning": one.usage.reasoning,
    }


def _call_row(one: RunFigures, call: CallFigures) -> dict[str, Any]:
    return {
        "run": one.run,
        "call": call.call,
        "agent": one.agent,
        "tool": call.tool,
        "at": micros(call.at),
        "ms": call.ms,
        "ran": call.ran,
        "status": call.status,
        "code": call.code,
        "message": call.message,
    }


def _json(names: Sequence[str]) -> str:
    return msgspec.json.encode(names).decode()
