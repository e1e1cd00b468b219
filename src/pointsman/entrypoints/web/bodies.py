"""Reads JSON bodies: strictly, with no half characters left in any text, and with faults that name
their place."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from pointsman.domain.arguments import json_text
from pointsman.entrypoints.web.problems import Refusal, invalid
from pointsman.errors import ArgumentsMalformed
from pointsman.faults import faults_of

Model = TypeVar("Model", bound=BaseModel)


def body(model: type[Model]) -> Callable[[Request], Awaitable[Model]]:
    """A dependency: the request's body as this model. An empty body counts as ``{}``."""

    async def read(request: Request) -> Model:
        raw = await request.body()
        if raw and not _is_json(request.headers.get("content-type", "")):
            raise Refusal(415, "send the body as JSON, with Content-Type: application/json")
        return parsed(model, raw)

    return read


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def parsed(model: type[Model], raw: bytes) -> Model:
    """The bytes as this model.

    Raises:
        Refusal: 400, with every fault.
    """
    try:
        value, _ = json_text.loads(raw.decode("utf-8-sig") or "{}")
    except UnicodeDecodeError:
        raise Refusal(400, "the body is not UTF-8") from None
    except json_text.NotJson:
        raise Refusal(400, "the body is not JSON") from None
    except ArgumentsMalformed as fault:
        raise Refusal(400, f"the body cannot be read: {fault}") from None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid(faults_of(error, model, value)) from None
