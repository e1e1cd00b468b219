"""The OpenAPI document: what FastAPI cannot see of the routes is declared here.

Bodies are read by ``bodies`` and many answers are msgspec structs, so their schemas are added to
the document by name.
"""

from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from pointsman.domain.events import Event
from pointsman.domain.messages import Message
from pointsman.entrypoints.web.approval_shapes import Decision, Decisions, TakeOver
from pointsman.entrypoints.web.native_shapes import Cancellation, NewMessage
from pointsman.entrypoints.web.notice_shapes import Mark, NewNotice
from pointsman.entrypoints.web.openai_shapes import ChatRequest, Chunk, Completion, Model, ModelList
from pointsman.entrypoints.web.problems import PROBLEM_TYPE, OpenAIError, Problem, is_openai

_TAKEN: tuple[type[BaseModel], ...] = (
    ChatRequest,
    NewMessage,
    Cancellation,
    Decision,
    Decisions,
    TakeOver,
    NewNotice,
    Mark,
)
_GIVEN = (Completion, Chunk, Model, ModelList, OpenAIError, Problem)
_PLACE = "#/components/schemas/"
_MEDIA = {"json": "application/json", "events": "text/event-stream"}


def takes(model: type[BaseModel]) -> dict[str, Any]:
    """The ``openapi_extra`` of a route whose body is this model."""
    content = {"application/json": {"schema": {"$ref": _PLACE + model.__name__}}}
    return {"requestBody": {"required": True, "content": content}}


def gives(**kinds: type) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that answers with structs, as ``json``, as ``events``, or as
    both."""
    content = {
        _MEDIA[name]: {"schema": {"$ref": _PLACE + kind.__name__}} for name, kind in kinds.items()
    }
    return {200: {"description": "Successful Response", "content": content}}


def install(app: FastAPI) -> None:
    """Let the application give the whole document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            plain = get_openapi(title=app.title, version=app.version, routes=app.routes)
            app.openapi_schema = _completed(plain)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's own way to extend it


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the schemas that ``takes`` and ``gives`` point to, and those of what the
    journal holds."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    _, taken = models_json_schema(
        [(model, "validation") for model in _TAKEN], ref_template=_PLACE + "{model}"
    )
    (*_, event, message), given = msgspec.json.schema_components(
        (*_GIVEN, Event, Message), ref_template=_PLACE + "{name}"
    )
    schemas.update(taken["$defs"], **given)
    position = {"properties": {"position": {"type": "integer"}}, "required": ["position"]}
    schemas["Trace"]["properties"]["events"]["items"] = {"allOf": [position, event]}
    schemas["ConversationShape"]["properties"]["messages"]["items"] = message
    for path, operations in document["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = _error_of(path)
    del schemas["HTTPValidationError"], schemas["ValidationError"]
    return document


def _error_of(path: str) -> dict[str, Any]:
    """What the errors of a route look like."""
    media, kind = PROBLEM_TYPE, Problem.__name__
    if is_openai(path):
        media, kind = _MEDIA["json"], OpenAIError.__name__
    schema = {"$ref": _PLACE + kind}
    return {"description": "Error", "content": {media: {"schema": schema}}}
