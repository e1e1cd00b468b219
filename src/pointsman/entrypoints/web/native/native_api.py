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
from pointsman.entrypoints.web.access import Engine, User, Who
from pointsman.entrypoints.web.accounts.scopes import Reads
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.native_shapes import (
    Accepted,
    AgentList,
    AgentShape,
    Cancellation,
    ConversationShape,
    GraphShape,
    NewMessage,
    RunRow,
    RunShape,
    Tokens,
    Trace,
)
from pointsman.entrypoints.web.parameters import LARGEST, place
from pointsman.entrypoints.web.run_stream import RunStream
from pointsman.entrypoints.web.streams import EventStream
from pointsman.ports.console import KeepsConsole

MOST_RUNS = 200
"""Of one conversation."""

router = APIRouter(prefix="/api", tags=["native"])


@router.get("/agents")
async def agents(user: User, service: Engine) -> AgentList:
    """The agents of this server, with their tools as they are now."""
    return AgentList(agents=[AgentShape.of(live) for live in service.agents])


@router.post("/messages", status_code=202, openapi_extra=takes(NewMessage))
async def say(
    user: User,
    message: Annotated[NewMessage, Depends(body(NewMessage))],
    service: Engine,
    response: Response,
    idempotency_key: Annotated[str, Header(max_length=255)] = "",
) -> Accepted:
    """Hand a message to an agent; its run is named at once and followed elsewhere. The same message
    with the same ``Idempotency-Key`` names the same run, another one with it is refused with 409.

    In a conversation that waits for the user's confirmation, a plain yes or no answers it and the
    waiting run is named again; a yes that can decide nothing gets an answer that says so, and
    anything else withdraws what waits.
    """
    submission = Submission(
        agent=message.agent,
        user=user,
        text=message.text,
        conversation=message.conversation,
        language=message.language,
        stream=message.stream,
    )
    if idempotency_key:
        run = await service.submit_once(submission, idempotency_key)
    else:
        run = await service.submit(submission)
    response.headers["location"] = f"/api/runs/{run}"
    return Accepted(run=run, conversation=(await service.record(run, user)).conversation)


@router.get("/conversations/{conversation}")
async def conversation(conversation: str, service: Engine, user: User) -> ConversationShape:
    """A conversation with its messages, its newest runs and the tokens that it used."""
    found = await service.conversation(conversation, user)
    records = await service.runs(user=user, conversation=conversation, limit=MOST_RUNS)
    kept, title, said = service.store, "", {}
    if isinstance(kept, KeepsConsole):
        title = await kept.talks.title(conversation)
        said = await kept.figures.ratings([record.id for record in records])
    return ConversationShape(
        conversation=found.id,
        agent=found.agent,
        title=title,
        messages=msgspec.to_builtins(found.messages),
        runs=[RunRow.of(record, said.get(record.id)) for record in records],
        usage=Tokens.model_validate(await service.usage(conversation=conversation)),
    )


@router.get("/runs/{run}")
async def run(run: str, service: Engine, user: Reads) -> RunShape:
    """A run as it stands, with what waits for a person."""
    return RunShape.of(await service.run(run, user))


@router.get("/runs/{run}/graph")
async def graph(
    run: str, service: Engine, user: Reads, language: Language | None = None
) -> GraphShape:
    """The tasks that the request was split into, as they stand."""
    found = await service.run(run, user)
    shaped = graphs.shape(found, language or found.language, service.now())
    return GraphShape.model_validate(shaped)


@router.get("/runs/{run}/trace")
async def trace(run: str, service: Engine, user: Reads) -> Trace:
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
    user: Reads,
    after: Annotated[
        int, Query(ge=-1, le=LARGEST, description="position of the last event seen")
    ] = -1,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """What happens to a run, as an event stream that can be taken up again.

    The id of an event is its position in the journal, its name its type. Pieces of the reply
    (``text``, ``reasoning``, ``reset``) and of long calls (``progress``) have no id: who comes back
    reads the whole in the journal's events. ``end`` closes the stream. It stays open while the run
    waits for a person.
    """
    after = place(last_event_id, after)
    await service.record(run, user)
    return EventStream(RunStream(service, run=run, user=user, after=after).write)


@router.post("/runs/{run}/cancel", openapi_extra=takes(Cancellation))
async def cancel(
    who: Who,
    user: Reads,
    run: str,
    cancellation: Annotated[Cancellation, Depends(body(Cancellation))],
    service: Engine,
) -> RunShape:
    """Stop a run: its model call is closed, its attempts are given up. An operator may stop
    another's with `scope=all`; the journal says who did."""
    done = await service.cancel(run, user, by=who.login, reason=cancellation.reason)
    return RunShape.of(done)


@router.post("/runs/{run}/resume", status_code=202)
async def resume(run: str, service: Engine, who: Who, user: Reads) -> None:
    """Let a parked run go on; or take up a run on which a person decided in another process, such
    as the command line. Does nothing to a run that has ended or still waits. An operator may do so
    with another's (`scope=all`)."""
    record = await service.record(run, user)
    if record.status is RunStatus.PARKED:
        await service.unpark(run, record.user, by=who.login)
    else:
        await service.resume(run)


@router.get("/runs/{run}/results/{result}", response_class=PlainTextResponse)
async def result(run: str, result: str, service: Engine, user: Reads) -> str:
    """The whole text of a result that was cut for the model."""
    return await service.blob(run, result, user)


@router.get("/usage")
async def usage(service: Engine, user: User, conversation: str | None = None) -> Tokens:
    """The tokens that the user's runs used, in one conversation or in all."""
    if conversation is None:
        return Tokens.model_validate(await service.usage(user=user))
    await service.conversation(conversation, user)
    return Tokens.model_validate(await service.usage(conversation=conversation))
