"""Runs that are looked for: by what happened in them, as a list and over time; and what their users
think of them.

Below: ``ports.figures``, which a reader fills from the journals of ended runs.
"""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from pointsman.domain.runs import RunStatus
from pointsman.domain.text import one_line
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.accounts.scopes import Lists
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.console_api.backstage import Behind
from pointsman.entrypoints.web.console_api.console_shapes import (
    Bucket,
    FoundRun,
    FoundRuns,
    Histogram,
    Opinion,
    Rating,
)
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.native_shapes import Tokens
from pointsman.entrypoints.web.parameters import LARGEST, Instant
from pointsman.entrypoints.web.problems import Refusal
from pointsman.ports.console import KeepsConsole
from pointsman.ports.figures import Listed, Search

MOST_RUNS = 200
"""On one page."""
LONGEST_TEXT = 2_000
"""Characters of a run's texts in a list."""

router = APIRouter(prefix="/api/runs", tags=["runs"])


def aware(at: datetime | None) -> datetime | None:
    """An instant of a request; one without an offset is in UTC."""
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at


async def search_of(
    user: Lists,
    agent: str | None = None,
    conversation: str | None = None,
    status: Annotated[tuple[RunStatus, ...], Query(description="Any of these.")] = (),
    intent: Annotated[str, Query(description="Taken, or asked about.")] = "",
    tool: Annotated[str, Query(description="Called, or proposed.")] = "",
    outcome: Annotated[
        str,
        Query(
            description="A status of the run (`failed`), the kind of its reply (`question`), why "
            "it failed (`model`), how one of its calls ended (`timeout`, `refused`), or why one "
            "was rejected (`unsourced`)."
        ),
    ] = "",
    q: Annotated[
        str, Query(max_length=200, description="Words of the message or the reply, any case.")
    ] = "",
    rating: Rating | None = None,
    since: Annotated[
        Instant | None, Query(alias="from", description="Begun then or later.")
    ] = None,
    to: Annotated[Instant | None, Query(description="Begun before then.")] = None,
    min_ms: Annotated[
        int,
        Query(ge=0, le=LARGEST, description="Milliseconds of work at least; ended runs only."),
    ] = 0,
) -> Search:
    """What a request looks for."""
    return Search(
        user=user,
        agent=agent,
        conversation=conversation,
        status=status,
        intent=intent,
        tool=tool,
        outcome=outcome,
        text=q.strip(),
        rating=rating,
        since=aware(since),
        until=aware(to),
        min_ms=min_ms,
    )


Sought = Annotated[Search, Depends(search_of)]


@router.get("", summary="Runs, newest first")
async def runs(
    service: Engine,
    behind: Behind,
    search: Sought,
    limit: Annotated[int, Query(ge=1, le=MOST_RUNS)] = 50,
    before: Annotated[str | None, Query(description="As the last answer gave it.")] = None,
) -> FoundRuns:
    """The runs that match all filters, a page at a time. Filters by what happened (`intent`,
    `tool`, `outcome`, `min_ms`) know a run once it has ended."""
    if isinstance(service.store, KeepsConsole):
        await behind.reckoner.catch_up()
        found = await service.store.figures.find(search, limit=limit + 1, before=before)
    elif search == Search(
        user=search.user,
        agent=search.agent,
        conversation=search.conversation,
        status=search.status,
    ):
        records = await service.runs(
            user=search.user,
            conversation=search.conversation,
            agent=search.agent,
            status=search.status,
            limit=limit + 1,
            before=before,
        )
        found = [Listed(record=record) for record in records]
    else:
        raise Refusal(400, "this engine keeps no figures: its journal is in memory")
    page = found[:limit]
    return FoundRuns(
        runs=[found_run(one) for one in page],
        before=page[-1].record.id if len(found) > limit else None,
    )


@router.get("/histogram", summary="Runs over time")
async def histogram(
    behind: Behind,
    search: Sought,
    buckets: Annotated[int, Query(ge=1, le=500)] = 40,
) -> Histogram:
    """How many of the runs that match began when, in buckets of equal length."""
    kept = behind.kept
    await behind.reckoner.catch_up()
    spread = await kept.figures.spread(search, buckets=buckets)
    if spread.first is None or spread.last is None:
        return Histogram.model_validate(
            {"from": None, "to": None, "step_seconds": 0, "buckets": []}
        )
    begun = spread.first.timestamp()
    made = [
        Bucket(
            at=datetime.fromtimestamp(begun + place * spread.step, UTC),
            count=spread.buckets.get(place, (0, 0))[0],
            failed=spread.buckets.get(place, (0, 0))[1],
        )
        for place in range(buckets)
    ]
    return Histogram.model_validate(
        {
            "from": spread.first,
            "to": spread.last,
            "step_seconds": spread.step,
            "buckets": made,
        }
    )


@router.post("/{run}/rate", status_code=204, openapi_extra=takes(Opinion), summary="Rate a reply")
async def rate(
    user: User,
    run: str,
    opinion: Annotated[Opinion, Depends(body(Opinion))],
    service: Engine,
    behind: Behind,
) -> None:
    """Say what the reply of an ended run of one's own was worth, or take that back."""
    record = await service.record(run, user)
    if not record.status.ended:
        raise Refusal(409, f"run {run} has not ended: there is nothing to rate yet")
    await behind.kept.figures.rate(
        run, user, opinion.rating, opinion.comment.strip(), service.now()
    )


def found_run(one: Listed) -> FoundRun:
    """A run that was found, as it is shown."""
    record = one.record
    return FoundRun(
        run=record.id,
        conversation=record.conversation,
        agent=record.agent,
        user=record.user,
        status=record.status,
        kind=one.kind,
        failure=one.failure,
        origin=one.origin,
        input=cut(record.input),
        reply=cut(record.reply),
        created=record.created,
        updated=record.updated,
        ms=one.ms
        if one.counted
        else round((record.updated - record.created).total_seconds() * 1000),
        usage=Tokens.model_validate(record.usage),
        intents=list(one.intents),
        tools=list(one.tools),
        asks=one.asks,
        confirmations=one.confirmations,
        approvals=one.approvals,
        denials=one.denials,
        rating=one.rating,
        comment=one.comment,
    )


def cut(text: str) -> str:
    """A text as lists show it."""
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


def first_words(text: str, most: int = 60) -> str:
    """What a conversation is called by what was said first."""
    return one_line(text, most)
