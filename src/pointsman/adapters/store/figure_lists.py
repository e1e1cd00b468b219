"""Runs that are looked for by what happened in them, as a list and over time."""

from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    RowMapping,
    Select,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.console_schema import (
    figure_calls,
    figure_intents,
    figures,
    ratings,
)
from pointsman.adapters.store.outbox import Reader
from pointsman.adapters.store.reading import as_record, instant
from pointsman.adapters.store.schema import runs
from pointsman.domain.runs import RunStatus
from pointsman.ports.figures import Listed, Search, Spread

CLOCKS_APART = timedelta(days=1)
"""Ids sort by the clocks of the machines that made them; instants may be out of step with them."""
ESCAPE = "\\"

_FIGURES = (
    "kind",
    "failure",
    "origin",
    "ms",
    "intents",
    "candidates",
    "tools",
    "asks",
    "confirmations",
    "approvals",
    "denials",
)
_RECORD = [column for column in runs.c if column.name not in ("transcript", "pending")]
_SECOND = 1_000_000
_names = msgspec.json.Decoder(tuple[str, ...]).decode


class FigureLists:
    """The part of ``ports.figures.Figures`` that lists runs."""

    _read: Reader

    async def find(
        self, search: Search, *, limit: int = 50, before: str | None = None
    ) -> list[Listed]:
        columns = [figures.c[name].label(f"figure_{name}") for name in _FIGURES]
        query = _matching(
            select(
                *_RECORD,
                figures.c.run.label("counted"),
                *columns,
                ratings.c.rating,
                ratings.c.comment,
            ),
            search,
        )
        query = query.order_by(runs.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(runs.c.id < before)
        return await self._read(
            lambda connection: [_listed(row) for row in connection.execute(query).mappings()]
        )

    async def spread(self, search: Search, *, buckets: int) -> Spread:
        span = _matching(select(func.min(runs.c.created), func.max(runs.c.created)), search)
        first, last = await self._read(lambda connection: connection.execute(span).one())
        if first is None:
            return Spread()
        first = first if search.since is None else micros(search.since)
        last = last if search.until is None else micros(search.until)
        width = -(-(last - first + 1) // (buckets * _SECOND)) * _SECOND
        # Written out, for PostgreSQL takes two bound values for two different ones.
        number = (runs.c.created - literal_column(str(first))) // literal_column(str(width))
        failed = case((runs.c.status == RunStatus.FAILED.value, 1), else_=0)
        query = _matching(select(number, func.count(), func.sum(failed)), search).group_by(number)
        rows = await self._read(lambda connection: connection.execute(query).all())
        return Spread(
            first=instant(first),
            last=instant(last),
            step=width // _SECOND,
            buckets={int(place): (int(count), int(bad)) for place, count, bad in rows},
        )


def _matching(query: Select[Any], search: Search) -> Select[Any]:
    """The query over runs, their figures and ratings, with what is looked for."""
    joined = runs.outerjoin(figures, figures.c.run == runs.c.id)
    joined = joined.outerjoin(ratings, ratings.c.run == runs.c.id)
    return query.select_from(joined).where(*_conditions(search))


def _conditions(search: Search) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    for column, wanted in (
        (runs.c.user, search.user),
        (runs.c.agent, search.agent),
        (runs.c.conversation, search.conversation),
        (ratings.c.rating, search.rating),
    ):
        if wanted is not None:
            found.append(column == wanted)
    if search.status:
        found.append(runs.c.status.in_([one.value for one in search.status]))
    if search.intent:
        named = select(figure_intents.c.run).where(figure_intents.c.intent == search.intent)
        found.append(runs.c.id.in_(named))
    if search.tool:
        found.append(runs.c.id.in_(select(figure_calls.c.run).where(_tool(search.tool))))
    if search.outcome:
        found.append(_came_to(search.outcome))
    if search.text:
        found.append(or_(said(runs.c.input, search.text), said(runs.c.reply, search.text)))
    if search.since is not None:
        found += [runs.c.created >= micros(search.since), runs.c.id >= _id_at(search.since, -1)]
    if search.until is not None:
        found += [runs.c.created < micros(search.until), runs.c.id <= _id_at(search.until, 1)]
    if search.min_ms:
        found.append(figures.c.ms >= search.min_ms)
    return found


def _tool(name: str) -> ColumnElement[bool]:
    return figure_calls.c.tool == name


def _came_to(outcome: str) -> ColumnElement[bool]:
    """Runs that ended so, or a call of which did."""
    so = or_(figure_calls.c.status == outcome, figure_calls.c.code == outcome)
    call = exists().where(figure_calls.c.run == runs.c.id, so)
    of_run = (runs.c.status, figures.c.kind, figures.c.failure)
    return or_(*(column == outcome for column in of_run), call)


def said(column: ColumnElement[str], words: str) -> ColumnElement[bool]:
    """Whether the words stand in a text, in any case."""
    return column.icontains(words, autoescape=True)


def _id_at(at: datetime, days: int) -> str:
    """An id that those of this instant are above (-1) or below (1), whatever clock made them."""
    moved = max(int((at + days * CLOCKS_APART).timestamp() * 1000), 0)
    return f"{moved:012x}" + ("" if days < 0 else "g")


def _listed(row: RowMapping) -> Listed:
    record = as_record(row)
    if row["counted"] is None:
        return Listed(record=record, rating=row["rating"], comment=row["comment"] or "")
    return Listed(
        record=record,
        counted=True,
        kind=row["figure_kind"],
        failure=row["figure_failure"],
        origin=row["figure_origin"],
        ms=row["figure_ms"],
        intents=_names(row["figure_intents"]) or _names(row["figure_candidates"]),
        tools=_names(row["figure_tools"]),
        asks=row["figure_asks"],
        confirmations=row["figure_confirmations"],
        approvals=row["figure_approvals"],
        denials=row["figure_denials"],
        rating=row["rating"],
        comment=row["comment"] or "",
    )
