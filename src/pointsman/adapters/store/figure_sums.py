"""What figures add up to over a span of time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Select, func, literal, or_, select
from sqlalchemy.sql.selectable import FromClause

from pointsman.adapters.store.appending import micros
from pointsman.adapters.store.console_schema import (
    figure_calls,
    figure_intents,
    figures,
    ratings,
)
from pointsman.adapters.store.outbox import Reader
from pointsman.adapters.store.reading import instant
from pointsman.adapters.store.schema import runs
from pointsman.domain.runs import RunStatus
from pointsman.ports.figures import Failure, RunSums, ToolSums, Turnabout

_SUMMED = (
    "ms",
    "prompt",
    "cached",
    "completion",
    "reasoning",
    "asks",
    "confirmations",
    "approvals",
    "denials",
    "tool_calls",
    "tool_ok",
)
_WENT_WRONG = ("error", "failed", "timeout", "uncertain")
_names = msgspec.json.Decoder(tuple[str, ...]).decode


class FigureSums:
    """The part of ``ports.figures.Figures`` that adds up."""

    _read: Reader

    async def sums(
        self, *, since: datetime, until: datetime, user: str | None = None, agent: str | None = None
    ) -> list[RunSums]:
        query = (
            select(
                figures.c.created,
                figures.c.conversation,
                figures.c.agent,
                figures.c.status == RunStatus.FAILED.value,
                *(figures.c[name] for name in _SUMMED),
                func.coalesce(ratings.c.rating, ""),
            )
            .select_from(figures.outerjoin(ratings, ratings.c.run == figures.c.run))
            .where(*_in_span(since, until, user, agent))
        )
        return await self._read(
            lambda connection: [RunSums._make(row) for row in connection.execute(query)]
        )

    async def intents(
        self, *, since: datetime, until: datetime, user: str | None = None, agent: str | None = None
    ) -> list[tuple[str, int]]:
        count = func.count()
        query = (
            select(figure_intents.c.intent, count)
            .select_from(figures.join(figure_intents, figure_intents.c.run == figures.c.run))
            .where(*_in_span(since, until, user, agent))
            .group_by(figure_intents.c.intent)
            .order_by(count.desc(), figure_intents.c.intent)
        )
        return await self._read(
            lambda connection: [(name, n) for name, n in connection.execute(query)]
        )

    async def tools(
        self,
        *,
        since: datetime,
        until: datetime,
        user: str | None = None,
        agent: str | None = None,
    ) -> list[ToolSums]:
        calls = figure_calls.c
        source: FromClause = figure_calls
        wanted: list[ColumnElement[bool]] = [
            calls.at >= micros(since),
            calls.at < micros(until),
            calls.ran,
        ]
        if agent is not None:
            wanted.append(calls.agent == agent)
        if user is not None:
            source = figure_calls.join(figures, figures.c.run == calls.run)
            wanted.append(figures.c.user == user)
        query = select(calls.agent, calls.tool, calls.status, calls.ms)
        query = query.select_from(source).where(*wanted)
        rows = await self._read(lambda connection: connection.execute(query).all())
        return _by_tool(rows)

    async def failures(
        self, *, since: datetime, agent: str | None = None, each: int = 3
    ) -> list[Failure]:
        calls = figure_calls.c
        place = func.row_number().over(
            partition_by=(calls.agent, calls.tool), order_by=(calls.at.desc(), calls.run)
        )
        wrong = select(figure_calls, place.label("place")).where(
            calls.at >= micros(since),
            calls.ran,
            calls.status.in_(_WENT_WRONG),
            literal(True) if agent is None else calls.agent == agent,
        )
        numbered = wrong.subquery()
        query = select(numbered).where(numbered.c.place <= each).order_by(numbered.c.at.desc())
        return await self._read(
            lambda connection: [
                Failure(
                    agent=row["agent"],
                    tool=row["tool"],
                    run=row["run"],
                    at=instant(row["at"]),
                    code=row["status"],
                    message=row["message"],
                )
                for row in connection.execute(query).mappings()
            ]
        )

    async def turnabouts(
        self, agent: str, *, limit: int = 50, before: str | None = None
    ) -> list[Turnabout]:
        query = _turnabouts(agent, before).limit(limit)
        return await self._read(
            lambda connection: [
                Turnabout(
                    user=row["user"],
                    run=row["run"],
                    at=instant(row["created"]),
                    text=row["text"],
                    taken=_names(row["taken"]) or _names(row["candidates"]),
                    asked=row["route"] == "ask",
                    next=row["next"],
                    correction=row["correction"],
                    meant=_names(row["meant"]),
                    picked=bool(row["picked"]),
                )
                for row in connection.execute(query).mappings()
            ]
        )


def _in_span(
    since: datetime, until: datetime, user: str | None, agent: str | None
) -> list[ColumnElement[bool]]:
    found = [figures.c.created >= micros(since), figures.c.created < micros(until)]
    if user is not None:
        found.append(figures.c.user == user)
    if agent is not None:
        found.append(figures.c.agent == agent)
    return found


def _by_tool(rows: Sequence[Sequence[Any]]) -> list[ToolSums]:
    times: dict[tuple[str, str], list[int]] = {}
    well: dict[tuple[str, str], int] = {}
    for agent, tool, status, ms in rows:
        times.setdefault((agent, tool), []).append(ms)
        well[agent, tool] = well.get((agent, tool), 0) + (status == "ok")
    found = [
        ToolSums(agent=key[0], tool=key[1], calls=len(own), ok=well[key], times=tuple(sorted(own)))
        for key, own in times.items()
    ]
    return sorted(found, key=lambda one: (-one.calls, one.agent, one.tool))


def _turnabouts(agent: str, before: str | None) -> Select[Any]:
    """Each run of the agent with the one before it in its conversation, where their intents
    differ."""
    then, first = figures.alias("then"), figures.alias("first")
    earlier = figures.alias("earlier")
    last = (
        select(func.max(earlier.c.run))
        .where(earlier.c.conversation == then.c.conversation, earlier.c.run < then.c.run)
        .scalar_subquery()
    )
    of_then, of_first = runs.alias("of_then"), runs.alias("of_first")
    joined = then.join(first, first.c.run == last)
    joined = joined.join(of_then, of_then.c.id == then.c.run)
    joined = joined.join(of_first, of_first.c.id == first.c.run)
    return (
        select(
            first.c.user,
            first.c.run,
            first.c.created,
            of_first.c.input.label("text"),
            first.c.intents.label("taken"),
            first.c.candidates,
            first.c.route,
            then.c.run.label("next"),
            of_then.c.input.label("correction"),
            then.c.intents.label("meant"),
            then.c.picked,
        )
        .select_from(joined)
        .where(
            then.c.agent == agent,
            then.c.intents != "[]",
            then.c.intents != first.c.intents,
            first.c.route != "",
            or_(then.c.picked, first.c.intents != "[]", first.c.route == "answer"),
            literal(True) if before is None else then.c.run < before,
        )
        .order_by(then.c.run.desc())
    )
