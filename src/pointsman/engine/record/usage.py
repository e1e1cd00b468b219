"""Figures of ended runs added up over time: in all, and step by step without gaps."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import ceil
from typing import Any, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from pointsman.errors import CallerError
from pointsman.ports.figures import Figures, RunSums, ToolSums

Step = Literal["hour", "day"]

MOST_STEPS = 800
_COUNTED = (
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


class Sums(Struct, frozen=True, kw_only=True):
    """What some runs add up to; milliseconds are None without runs."""

    conversations: int
    runs: int
    failed: int
    prompt: int
    cached: int
    completion: int
    reasoning: int
    asks: int
    confirmations: int
    approvals: int
    denials: int
    tool_calls: int
    tool_ok: int
    up: int
    down: int
    p50_ms: float | None
    p95_ms: float | None


class Report(Struct, frozen=True, kw_only=True):
    """The runs that began in a span, by step (its first instant), in all, by intent, by tool and by
    agent."""

    series: tuple[tuple[datetime, Sums], ...]
    totals: Sums
    intents: tuple[tuple[str, int], ...]
    tools: tuple[ToolSums, ...]
    agents: tuple[tuple[str, Sums], ...]


async def report(
    figures: Figures,
    *,
    since: datetime,
    until: datetime,
    step: Step,
    zone: ZoneInfo,
    user: str | None = None,
    agent: str | None = None,
) -> Report:
    """What the figures say of a span.

    Args:
        zone: in which days begin.
        user, agent: theirs alone.

    Raises:
        CallerError: no span, or one of too many steps.
        StoreError: the database failed.
    """
    steps = list(islice(_steps(since, until, step, zone), MOST_STEPS + 1))
    if not steps:
        raise CallerError("from must be before to")
    if len(steps) > MOST_STEPS:
        raise CallerError(f"at most {MOST_STEPS} steps: ask for a shorter span, or for days")
    wanted = {"since": since, "until": until}
    rows = await figures.sums(**wanted, user=user, agent=agent)
    marks = [round(at.timestamp() * 1_000_000) for at in steps]
    by_step: list[list[RunSums]] = [[] for _ in steps]
    by_agent: dict[str, list[RunSums]] = {}
    for row in rows:
        by_step[bisect_right(marks, row.created) - 1].append(row)
        by_agent.setdefault(row.agent, []).append(row)
    return Report(
        series=tuple((at, added(own)) for at, own in zip(steps, by_step, strict=True)),
        totals=added(rows),
        intents=tuple(await figures.intents(**wanted, user=user, agent=agent)),
        tools=tuple(await figures.tools(**wanted, user=user, agent=agent)),
        agents=tuple((name, added(own)) for name, own in sorted(by_agent.items())),
    )


def _steps(since: datetime, until: datetime, step: Step, zone: ZoneInfo) -> Iterator[datetime]:
    """The first instants of the steps that the span touches; the first may lie before it."""
    if step == "hour":
        at = since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        while at < until:
            yield at
            at += timedelta(hours=1)
        return
    day = since.astimezone(zone).date()
    while (at := datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)) < until:
        yield at
        day += timedelta(days=1)


def added(rows: Sequence[RunSums]) -> Sums:
    """What the runs add up to."""
    columns: dict[str, Sequence[Any]] = dict.fromkeys(RunSums._fields, ())
    if rows:
        columns = dict(zip(RunSums._fields, zip(*rows, strict=True), strict=True))
    times = sorted(columns["ms"])
    return Sums(
        conversations=len(set(columns["conversation"])),
        runs=len(rows),
        failed=sum(map(bool, columns["failed"])),
        up=columns["rating"].count("up"),
        down=columns["rating"].count("down"),
        p50_ms=_quantile(times, 0.5),
        p95_ms=_quantile(times, 0.95),
        **{name: sum(columns[name]) for name in _COUNTED},
    )


def _quantile(values: Sequence[int], share: float) -> float | None:
    """The value below or at which this share of the sorted values lies; None without values."""
    return values[max(ceil(share * len(values)) - 1, 0)] if values else None
