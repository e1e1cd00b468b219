"""The OpenAPI document: what FastAPI cannot see of the routes is declared here.

Bodies are read by ``bodies`` and many answers are msgspec structs, so their schemas are added to
the document by name.
"""

import re
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from pointsman.domain.events import Event
from pointsman.domain.messages import Message
from pointsman.entrypoints.web.problems import PROBLEM_TYPE, OpenAIError, Problem, is_openai

_taken: set[type[BaseModel]] = set()
_given: set[type] = {OpenAIError, Problem}
"""What ``takes`` and ``gives`` were asked for; of each name there is one."""
_ABOUT = """What the console uses, and any program may.

Everything belongs to a user: another's is a 404. Errors are problem documents (RFC 9457), below
`/v1` in OpenAI's shape. Times are UTC, ISO 8601. Lists come newest first, a page at a time:
`before` of one page asks for the next. A session's requests that change something carry its
CSRF token in `X-CSRF-Token`; a token's need none. The WebSocket `/api/channel` tells what
happens, see `docs/operations.md`."""
_TAGS = [
    {"name": "native", "description": "Messages, conversations, runs, and what happened in them."},
    {"name": "approvals", "description": "What waits for a person's decision."},
    {"name": "notifications", "description": "Messages to people, and their inboxes."},
    {"name": "OpenAI-compatible", "description": "For clients of OpenAI's: an agent is a model."},
    {"name": "operation", "description": "For whoever watches the server."},
]
_SHOWN = {
    "session": {"type": "apiKey", "in": "cookie", "name": "pointsman-<port>"},
    "token": {"type": "http", "scheme": "bearer", "description": "An API token."},
}
_PLACE = "#/components/schemas/"
_MEDIA = {"json": "application/json", "events": "text/event-stream"}


def takes(model: type[BaseModel]) -> dict[str, Any]:
    """The ``openapi_extra`` of a route whose body is this model."""
    _taken.add(model)
    content = {"application/json": {"schema": {"$ref": _PLACE + model.__name__}}}
    return {"requestBody": {"required": True, "content": content}}


def gives(**kinds: type) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that answers with structs, as ``json``, as ``events``, or as
    both."""
    _given.update(kinds.values())
    content = {
        _MEDIA[name]: {"schema": {"$ref": _PLACE + kind.__name__}} for name, kind in kinds.items()
    }
    return {200: {"description": "Successful Response", "content": content}}


def operation_id(route: APIRoute) -> str:
    """The name of a route for programs that are made from the document: its method and path, and
    nothing of how it is written here."""
    words = re.findall(r"[A-Za-z0-9]+", route.path_format)
    return "_".join([min(route.methods or {"GET"}).lower(), *words])


def install(app: FastAPI) -> None:
    """Let the application give the whole document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            plain = get_openapi(
                title=app.title,
                version=app.version,
                description=_ABOUT,
                routes=app.routes,
                tags=_TAGS,
            )
            app.openapi_schema = _completed(plain)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's own way to extend it


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the schemas that ``takes`` and ``gives`` point to, and those of what the
    journal holds."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    _, taken = models_json_schema(
        [(model, "validation") for model in sorted(_taken, key=_name)],
        ref_template=_PLACE + "{model}",
    )
    (*_, event, message), given = msgspec.json.schema_components(
        (*sorted(_given, key=_name), Event, Message), ref_template=_PLACE + "{name}"
    )
    schemas.update(taken["$defs"], **given)
    position = {"properties": {"position": {"type": "integer"}}, "required": ["position"]}
    schemas["Trace"]["properties"]["events"]["items"] = {"allOf": [position, event]}
    schemas["ConversationShape"]["properties"]["messages"]["items"] = message
    for path, operations in document["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = _error_of(path)
    document["components"]["securitySchemes"] = _SHOWN
    document["security"] = [{"session": []}, {"token": []}, {}]
    del schemas["HTTPValidationError"], schemas["ValidationError"]
    return document


def _name(kind: type) -> str:
    return kind.__name__


def _error_of(path: str) -> dict[str, Any]:
    """What the errors of a route look like."""
    media, kind = PROBLEM_TYPE, Problem.__name__
    if is_openai(path):
        media, kind = _MEDIA["json"], OpenAIError.__name__
    schema = {"$ref": _PLACE + kind}
    return {"description": "Error", "content": {media: {"schema": schema}}}
