"""The Responses API: an agent is a model, a response is a run, and the server keeps the talk.

Above: OpenAI's clients. Below: ``engine.service``. A request that goes on from the last response of
a conversation stays in it, so that an open question is answered and a yes confirms what waits; one
that goes on from an earlier response, or from what the client says was said, begins another.
"""

from collections.abc import Collection
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from msgspec.structs import replace
from starlette.responses import Response

from pointsman.domain import sentences
from pointsman.domain.messages import Message, UserMessage
from pointsman.domain.runs import Run, RunStatus
from pointsman.engine.approvals.asked import run_of
from pointsman.engine.approvals.desk import Verdict
from pointsman.engine.service import Service, Submission
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import gives, takes
from pointsman.entrypoints.web.following import Begun
from pointsman.entrypoints.web.leaving import ClientLeft, on_leaving, rested_for
from pointsman.entrypoints.web.openai.openai_answers import encode, fault_of
from pointsman.entrypoints.web.openai.openai_api import RUN, agent_of
from pointsman.entrypoints.web.openai.openai_confirmations import answer, begin, pending
from pointsman.entrypoints.web.openai.openai_requests import split
from pointsman.entrypoints.web.openai.responses_answers import answer_of
from pointsman.entrypoints.web.openai.responses_history import Told, find, hide, said_before
from pointsman.entrypoints.web.openai.responses_requests import (
    Asked,
    Decision,
    asked_in,
    check,
    client_tools,
    params_of,
    refused,
)
from pointsman.entrypoints.web.openai.responses_shapes import (
    AgentResponse,
    ResponseDeleted,
    ResponseRequest,
    StreamEvent,
)
from pointsman.entrypoints.web.openai.responses_stream import ResponseStream
from pointsman.entrypoints.web.parameters import LARGEST
from pointsman.entrypoints.web.problems import Refusal
from pointsman.entrypoints.web.streams import EventStream
from pointsman.errors import Conflict, NotDecided, NotFound

router = APIRouter(prefix="/v1/responses", tags=["OpenAI-compatible"])


@router.post(
    "",
    summary="Ask an agent, and let the server keep the talk",
    openapi_extra=takes(ResponseRequest),
    responses=gives(json=AgentResponse, events=StreamEvent),
)
async def create(
    user: User,
    request: Annotated[ResponseRequest, Depends(body(ResponseRequest))],
    service: Engine,
    asking: Request,
) -> Response:
    """Carry the input to a reply, or to a question or calls for the client."""
    check(request)
    begun = await _begun(service, request, user)
    headers = {RUN: begun.run}
    if request.stream:
        stream = ResponseStream(service, begun, request)
        return EventStream(
            stream.write,
            headers=headers,
            farewell=stream.farewell,
            leaving=on_leaving(asking, service, begun),
        )
    if request.background:
        run = await service.run(begun.run, user)
        return _json(answer_of(run, begun, request), headers)
    try:
        run = await rested_for(asking, service, begun)
    except ClientLeft:
        return Response(status_code=204, headers=headers)
    fault = fault_of(run)
    if fault is not None and not any(call.attempts for call in (*run.past, *run.calls)):
        fault.headers.update(headers)
        raise fault
    return _json(answer_of(run, begun, request), headers)


@router.get(
    "/{response}",
    summary="A response",
    responses=gives(json=AgentResponse, events=StreamEvent),
)
async def retrieve(
    response: str,
    service: Engine,
    user: User,
    stream: bool = False,
    starting_after: Annotated[int | None, Query(ge=0, le=LARGEST)] = None,
) -> Response:
    """A response as it is now; with ``stream``, as events from its beginning."""
    if starting_after is not None:
        raise refused("starting_after", "a stream is read from its beginning: leave it out")
    told = await find(service, response, user)
    if not stream:
        return _json(answer_of(told.run, told.begun))
    if not told.latest:
        raise refused("stream", f"{response} is at its end: retrieve it without")
    again = ResponseStream(service, told.begun, None)
    return EventStream(again.write, farewell=again.farewell)


@router.post("/{response}/cancel", summary="Stop a response", responses=gives(json=AgentResponse))
async def cancel(response: str, service: Engine, user: User) -> Response:
    """Stop the run behind a response; one that has ended stays as it is."""
    told = await find(service, response, user)
    if told.latest:
        with suppress(Conflict):
            await service.cancel(told.begun.run, user, reason="cancelled by the client")
    told = await find(service, response, user)
    return _json(answer_of(told.run, told.begun))


@router.delete("/{response}", summary="Forget a response", responses=gives(json=ResponseDeleted))
async def delete(response: str, service: Engine, user: User) -> Response:
    """Let a response be found no more. Its run stays in the journal, as the audit needs it."""
    await find(service, response, user)
    await hide(service, response)
    return _json(ResponseDeleted(id=response))


async def _begun(service: Service, request: ResponseRequest, user: str) -> Begun:
    """The run that the request starts or moves on."""
    live = agent_of(service, request.model)
    told: Told | None = None
    before: tuple[Message, ...] = ()
    if request.previous_response_id:
        told = await _previous(service, request.previous_response_id, user)
        if told.run.agent != request.model:
            problem = f"it is a response of {told.run.agent!r}: send that as the model"
            raise refused("previous_response_id", problem)
        before = await said_before(service, told)
    asked = asked_in(request, before)
    if asked.verdicts:
        return await _decided(service, asked, user)
    taken: Collection[str] = ()
    if request.tools:
        await live.registry.settle()
        taken = {spec.name for spec in live.registry.specs}
    history, tail = split((*before, *asked.said), named="input")
    submission = Submission(
        agent=live.spec.name,
        user=user,
        messages=tail,
        history=(*history, *asked.instructions),
        client_tools=client_tools(request, taken),
        params=params_of(request),
        tool_choice=request.tool_choice if isinstance(request.tool_choice, str) else None,
        stream=bool(request.stream),
    )
    if request.conversation:
        given = request.conversation
        return await _within(
            service, submission, asked, given if isinstance(given, str) else given.id
        )
    if told is None:
        return await begin(service, submission)
    if told.latest and told.kept_here and len(asked.said) == 1:
        return await _within(service, submission, asked, told.run.conversation, after=told.run)
    if told.latest and told.run.status is RunStatus.WAITING:
        return await answer(service, told.run, submission)
    return Begun(run=await service.submit(submission), user=user)


async def _previous(service: Service, response: str, user: str) -> Told:
    """Raises:
    Refusal: there is none, or it is not at its end.
    """
    try:
        told = await find(service, response, user)
    except NotFound:
        raise Refusal(
            404,
            f"Previous response with id {response!r} not found.",
            field="previous_response_id",
            code="previous_response_not_found",
        ) from None
    if not told.run.rests:
        raise refused("previous_response_id", f"{response} is still being made")
    return told


async def _within(
    service: Service,
    submission: Submission,
    asked: Asked,
    conversation: str,
    *,
    after: Run | None = None,
) -> Begun:
    """Say it in a conversation that the server keeps.

    Args:
        after: the run that it is said after; when that is not the last one there, what was said
            begins another conversation.
    """
    user = submission.user
    runs = await service.runs(user=user, conversation=conversation, limit=1)
    if not runs:
        raise NotFound("conversation", conversation)
    last = runs[0]
    if after is not None and last.id != after.id:
        return Begun(run=await service.submit(submission), user=user)
    word = asked.said[-1] if asked.said else None
    if len(asked.said) != 1 or not isinstance(word, UserMessage):
        raise refused("input", "in a conversation of the server's, send one user message")
    since = await service.run(last.id, user) if not last.status.ended else None
    plain = sentences.plain_answer(word.text) is not None
    if since is not None and plain and await _waits_alone(service, since):
        return await answer(service, since, submission)  # its calls are asked for one by one
    inside = replace(
        submission,
        conversation=conversation,
        text=word.text,
        messages=(),
        history=asked.instructions,
    )
    run = await service.submit(inside)
    return Begun(run=run, user=user, since=since if since and since.id == run else None)


async def _waits_alone(service: Service, run: Run) -> bool:
    """Whether a decision is asked for by this run, and by no other of its conversation."""
    waiting = await service.runs(
        user=run.user,
        conversation=run.conversation,
        status=(RunStatus.WAITING, RunStatus.SPLIT),
        limit=2,
    )
    return pending(run) is not None and len(waiting) == 1


async def _decided(service: Service, asked: Asked, user: str) -> Begun:
    """Decide on what waits, as the items say; the run goes on when all is decided."""
    if asked.said:
        raise refused("input", "send approvals alone, or words alone")
    runs = {run_of(one.approval) for one in asked.verdicts}
    if len(runs) != 1:
        raise refused("input", "the approvals are of different responses")
    (identity,) = runs
    since = await service.run(identity, user)
    for one in asked.verdicts:
        await _decide(service, since, one)
    return Begun(run=identity, user=user, since=since)


async def _decide(service: Service, run: Run, one: Decision) -> None:
    """Decide; when it is too late for that, the run goes on and says so."""
    word: Verdict = "approved" if one.approve else "denied"
    try:
        await service.decide(run.id, one.approval, word, by=run.user, reason=one.reason)
    except NotDecided as fault:
        if fault.kind != "expired":
            raise


def _json(value: object, headers: dict[str, str] | None = None) -> Response:
    return Response(encode(value), media_type="application/json", headers=headers)
