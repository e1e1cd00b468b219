"""The native API: conversations, runs, their events, and what a person may do with them.

Below: ``engine.service``. Everything belongs to a user; what is another's answers like what does
not exist (cases X07, X08). Errors are problem documents (``problems``).
"""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Header, Query
from starlette.responses import PlainTextResponse, Response

from pointsman.domain.agent import Language
from pointsman.domain.masking import masked_events
from pointsman.domain.runs import RunStatus
from pointsman.engine.service import Submission
from pointsman.entrypoints import graphs
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native_shapes import (
    Accepted,
    AgentList,
    AgentShape,
    Cancellation,
    ConversationShape,
    GraphShape,
    NewMessage,
    RunList,
    RunRow,
    RunShape,
    Tokens,
    Trace,
)
from pointsman.entrypoints.web.problems import Refusal
from pointsman.entrypoints.web.run_stream import RunStream
from pointsman.entrypoints.web.streams import EventStream

MOST_RUNS = 200
"""On one page, and of one conversation."""

router = APIRouter(prefix="/api", tags=["native"])


@router.get("/agents")
async def agents(service: Engine) -> AgentList:
    """The agents of this server, with their tools as they are now."""
    return AgentList(agents=[AgentShape.of(live) for live in service.agents])


@router.post("/messages", status_code=202, openapi_extra=takes(NewMessage))
async def say(
    message: Annotated[NewMessage, Depends(body(NewMessage))],
    service: Engine,
    user: User,
    response: Response,
) -> Accepted:
    """Hand a message to an agent; its run is named at once and followed elsewhere.

    In a conversation that waits for the user's confirmation, a plain yes or no answers it and the
    waiting run is named again; anything else withdraws what waits.
    """
    run = await service.submit(
        Submission(
            agent=message.agent,
            user=user,
            text=message.text,
            conversation=message.conversation,
            language=message.language,
            stream=message.stream,
        )
    )
    response.headers["location"] = f"/api/runs/{run}"
    return Accepted(run=run, conversation=(await service.record(run, user)).conversation)


@router.get("/conversations/{conversation}")
async def conversation(conversation: str, service: Engine, user: User) -> ConversationShape:
    """A conversation with its messages, its newest runs and the tokens that it used."""
    found = await service.conversation(conversation, user)
    records = await service.runs(user=user, conversation=conversation, limit=MOST_RUNS)
    return ConversationShape(
        conversation=found.id,
        agent=found.agent,
        messages=msgspec.to_builtins(found.messages),
        runs=[RunRow.of(record) for record in records],
        usage=Tokens.model_validate(await service.usage(conversation=conversation)),
    )


@router.get("/runs")
async def runs(
    service: Engine,
    user: User,
    conversation: str | None = None,
    agent: str | None = None,
    status: Annotated[tuple[RunStatus, ...], Query()] = (),
    limit: Annotated[int, Query(ge=1, le=MOST_RUNS)] = 50,
    before: str | None = None,
) -> RunList:
    """The user's runs, newest first, a page at a time."""
    found = await service.runs(
        user=user,
        conversation=conversation,
        agent=agent,
        status=status,
        limit=limit + 1,
        before=before,
    )
    page = found[:limit]
    return RunList(
        runs=[RunRow.of(record) for record in page],
        before=page[-1].id if len(found) > limit else None,
    )


@router.get("/runs/{run}")
async def run(run: str, service: Engine, user: User) -> RunShape:
    """A run as it stands, with what waits for a person."""
    return RunShape.of(await service.run(run, user))


@router.get("/runs/{run}/graph")
async def graph(
    run: str, service: Engine, user: User, language: Language | None = None
) -> GraphShape:
    """The tasks that the request was split into, as they stand."""
    found = await service.run(run, user)
    shaped = graphs.shape(found, language or found.language, service.now())
    return GraphShape.model_validate(shaped)


@router.get("/runs/{run}/trace")
async def trace(run: str, service: Engine, user: User) -> Trace:
    """Every event of a run, as the journal holds it, with credentials and private values masked."""
    recorded = await service.trace(run, user)
    masked = masked_events([one.event for one in recorded])
    events: list[dict[str, Any]] = [
        {"position": one.position, **msgspec.to_builtins(event)}
        for one, event in zip(recorded, masked, strict=True)
    ]
    return Trace(run=run, events=events)


@router.get(
    "/runs/{run}/events",
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(
    run: str,
    service: Engine,
    user: User,
    after: Annotated[int, Query(ge=-1, description="position of the last event seen")] = -1,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """What happens to a run, as an event stream that can be taken up again.

    The id of an event is its position in the journal, its name its type. Pieces of the reply
    (``text``, ``reasoning``, ``reset``) and of long calls (``progress``) have no id: who comes back
    reads the whole in the journal's events. ``end`` closes the stream. It stays open while the run
    waits for a person.
    """
    if last_event_id:
        if not last_event_id.isdecimal():
            raise Refusal(400, "Last-Event-ID is no position of this stream", field="Last-Event-ID")
        after = int(last_event_id)
    await service.record(run, user)
    return EventStream(RunStream(service, run=run, user=user, after=after).write)


@router.post("/runs/{run}/cancel", openapi_extra=takes(Cancellation))
async def cancel(
    run: str,
    cancellation: Annotated[Cancellation, Depends(body(Cancellation))],
    service: Engine,
    user: User,
) -> RunShape:
    """Stop a run: its model call is closed, its attempts are given up."""
    return RunShape.of(await service.cancel(run, user, reason=cancellation.reason))


@router.post("/runs/{run}/resume", status_code=202)
async def resume(run: str, service: Engine, user: User) -> None:
    """Let a parked run go on; or take up a run on which a person decided in another process, such
    as the command line. Does nothing to a run that has ended or still waits."""
    record = await service.record(run, None)
    if record.status is RunStatus.PARKED:
        await service.unpark(run, user, by=user)
    else:
        await service.resume(run)


@router.get("/runs/{run}/results/{result}", response_class=PlainTextResponse)
async def result(run: str, result: str, service: Engine, user: User) -> str:
    """The whole text of a result that was cut for the model."""
    return await service.blob(run, result, user)


@router.get("/usage")
async def usage(service: Engine, user: User, conversation: str | None = None) -> Tokens:
    """The tokens that the user's runs used, in one conversation or in all."""
    if conversation is None:
        return Tokens.model_validate(await service.usage(user=user))
    await service.conversation(conversation, user)
    return Tokens.model_validate(await service.usage(conversation=conversation))
