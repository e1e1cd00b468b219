"""The OpenAI-compatible API: an agent is a model, a completion is a run.

Above: any client of OpenAI's Chat Completions. Below: ``engine.service``. A client that leaves
does not stop its run; ``x-pointsman-run`` names it for the native API.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from pointsman.engine.agents import LiveAgent
from pointsman.engine.service import Service
from pointsman.entrypoints.web.access import Engine, User
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.documents import gives, takes
from pointsman.entrypoints.web.leaving import ClientLeft, on_leaving, rested_for
from pointsman.entrypoints.web.openai.openai_answers import completion, encode
from pointsman.entrypoints.web.openai.openai_confirmations import begin
from pointsman.entrypoints.web.openai.openai_requests import submission_of
from pointsman.entrypoints.web.openai.openai_shapes import (
    ChatRequest,
    Chunk,
    Completion,
    Model,
    ModelList,
)
from pointsman.entrypoints.web.openai.openai_stream import ChatStream
from pointsman.entrypoints.web.problems import Refusal
from pointsman.entrypoints.web.streams import EventStream
from pointsman.errors import NotFound

router = APIRouter(prefix="/v1", tags=["OpenAI-compatible"])

RUN = "x-pointsman-run"


@router.post(
    "/chat/completions",
    summary="Ask an agent",
    openapi_extra=takes(ChatRequest),
    responses=gives(json=Completion, events=Chunk),
)
async def chat(
    user: User,
    asked: Annotated[ChatRequest, Depends(body(ChatRequest))],
    service: Engine,
    request: Request,
) -> Response:
    """Carry the tail of the messages to a reply, or to a question or calls for the client."""
    live = agent_of(service, asked.model)
    begun = await begin(service, await submission_of(asked, live, user))
    headers = {RUN: begun.run}
    if asked.stream:
        options = asked.stream_options
        with_usage = bool(options and options.include_usage)
        stream = ChatStream(service, begun, model=live.spec.name, with_usage=with_usage)
        return EventStream(
            stream.write,
            headers=headers,
            farewell=stream.farewell,
            leaving=on_leaving(request, service, begun),
        )
    try:
        return _json(completion(await rested_for(request, service, begun), begun), headers)
    except ClientLeft:
        return Response(status_code=204, headers=headers)
    except Refusal as fault:
        fault.headers.update(headers)
        raise


@router.get("/models", summary="The agents", responses=gives(json=ModelList))
async def models(user: User, request: Request, service: Engine) -> Response:
    """Every agent, as a model."""
    since = request.app.state.started
    return _json(ModelList(data=tuple(_model(live, since) for live in service.agents)))


@router.get("/models/{name}", summary="One agent", responses=gives(json=Model))
async def model(user: User, name: str, request: Request, service: Engine) -> Response:
    """An agent, as a model."""
    return _json(_model(agent_of(service, name), request.app.state.started))


def agent_of(service: Service, name: str) -> LiveAgent:
    """The agent of this name.

    Raises:
        Refusal: there is none; says which there are.
    """
    try:
        return service.agents.get(name)
    except NotFound:
        known = ", ".join(live.spec.name for live in service.agents)
        raise Refusal(
            404,
            f"The model {name!r} does not exist; the agents here are: {known}",
            field="model",
            code="model_not_found",
        ) from None


def _model(live: LiveAgent, since: int) -> Model:
    return Model(id=live.spec.name, created=since)


def _json(value: object, headers: dict[str, str] | None = None) -> Response:
    return Response(encode(value), media_type="application/json", headers=headers)
