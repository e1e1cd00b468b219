"""What a client reads when a request is refused or fails: one fault, two spellings.

Below ``/v1`` errors have OpenAI's shape, elsewhere that of RFC 9457 (``application/problem+json``).
Every error of the application, of FastAPI and of the engine ends here.
"""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import Scope

from pointsman.entrypoints.web.headers import mark
from pointsman.errors import (
    CallerError,
    Conflict,
    Forbidden,
    NotDecided,
    NotFound,
    NotSignedIn,
    PointsmanError,
    StoreError,
    TooManyAttempts,
    Unfit,
)
from pointsman.faults import Fault, dotted

log = logging.getLogger("pointsman.web")

REQUEST_ID = "x-request-id"
PROBLEM_TYPE = "application/problem+json"


class Refusal(Exception):
    """A request that gets an error for an answer.

    Attributes:
        status: HTTP status.
        detail: one sentence for a person.
        field: dotted path of the part of the request that is at fault, or empty.
        code: a word for the fault, OpenAI's or one of ours, or empty.
        faults: all that is wrong with a body, when there is more to say than ``detail``.
        retry_after: whole seconds until it may be tried again; 0 when that is not known.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        field: str = "",
        code: str = "",
        faults: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
        retry_after: int = 0,
    ) -> None:
        self.status, self.detail, self.field, self.code = status, detail, field, code
        self.faults, self.headers = tuple(faults), dict(headers or {})
        self.retry_after = retry_after
        super().__init__(detail)


def invalid(faults: Sequence[Fault]) -> Refusal:
    """The refusal of a request in which these faults were found, at least one."""
    return Refusal(400, _sentence(faults[0]), field=dotted(faults[0].place), faults=faults)


def _sentence(fault: Fault) -> str:
    place = f"{dotted(fault.place)}: " if fault.place else ""
    return f"{place}{fault.problem}" + (f" ({fault.hint})" if fault.hint else "")


def refusal_of(fault: Exception) -> Refusal:
    """The refusal that stands for an error; one that nobody foresaw tells nothing of itself."""
    match fault:
        case Refusal():
            return fault
        case NotFound():
            return Refusal(404, str(fault))
        case Forbidden():
            return Refusal(403, str(fault), code=fault.kind)
        case NotSignedIn():
            return Refusal(401, str(fault), code=fault.kind)
        case TooManyAttempts():
            return Refusal(
                429,
                str(fault),
                code="too_many_attempts",
                headers={"retry-after": str(fault.retry_after)},
                retry_after=fault.retry_after,
            )
        case Unfit():
            return Refusal(400, str(fault), code=fault.kind, field=fault.field)
        case NotDecided():
            gone = fault.kind == "expired"
            return Refusal(
                410 if gone else 409,
                str(fault),
                code=fault.kind,
                headers={"x-should-retry": "false"},
            )
        case Conflict():
            return Refusal(409, str(fault), headers={"x-should-retry": "false"})
        case CallerError():
            return Refusal(400, str(fault))
        case StoreError():
            return Refusal(503, "the database failed; the server's log says more")
        case RequestValidationError():
            return invalid(
                [
                    Fault(tuple(one["loc"]), one["msg"].removeprefix("Value error, "))
                    for one in fault.errors()
                ]
                or [Fault((), "the request is not valid")]
            )
        case HTTPException():
            return Refusal(fault.status_code, str(fault.detail), headers=fault.headers)
        case _:
            return Refusal(500, "something failed inside; the server's log says more")


class OpenAIFault(Struct, frozen=True, kw_only=True):
    """What went wrong, in OpenAI's words."""

    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIError(Struct, frozen=True, kw_only=True):
    """An error in OpenAI's shape."""

    error: OpenAIFault


class FieldProblem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong in a request: dotted path and sentence."""

    field: str
    problem: str


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A problem document; ``request_id`` is also in the server's log.

    Source: RFC 9457; ``request_id``, ``code``, ``retry_after`` and ``errors`` are extensions of it.
    """

    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    code: str = ""
    retry_after: int = 0
    errors: tuple[FieldProblem, ...] = ()


def openai_error(refusal: Refusal) -> OpenAIError:
    """The refusal in OpenAI's shape."""
    return OpenAIError(
        error=OpenAIFault(
            message=refusal.detail,
            type="invalid_request_error" if refusal.status < 500 else "server_error",
            param=refusal.field or None,
            code=refusal.code or None,
        )
    )


def problem(refusal: Refusal, scope: Scope) -> Problem:
    """The refusal as a problem document."""
    return Problem(
        title=HTTPStatus(refusal.status).phrase,
        status=refusal.status,
        detail=refusal.detail,
        instance=scope["path"],
        request_id=request_id(scope),
        code=refusal.code,
        retry_after=refusal.retry_after,
        errors=tuple(
            FieldProblem(field=dotted(fault.place), problem=fault.problem)
            for fault in refusal.faults
        ),
    )


def request_id(scope: Scope) -> str:
    """The id that the guard gave to the request."""
    return str(scope.get("state", {}).get("request_id", ""))


def refused(scope: Scope, refusal: Refusal) -> Response:
    """The error response, in the shape of the API that was asked."""
    body: OpenAIError | Problem
    if is_openai(scope["path"]):
        body, kind = openai_error(refusal), "application/json"
    else:
        body, kind = problem(refusal, scope), PROBLEM_TYPE
    answer = Response(
        msgspec.json.encode(body),
        status_code=refusal.status,
        media_type=kind,
        headers={**refusal.headers, REQUEST_ID: request_id(scope)},
    )
    mark(answer.headers)  # also of what fails outside of everything that marks the others
    return answer


def is_openai(path: str) -> bool:
    return path == "/v1" or path.startswith("/v1/")


def install(app: FastAPI) -> None:
    """Let every error of the application be answered here."""
    for kind in (Refusal, PointsmanError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _answer)


async def _answer(request: Request, fault: Exception) -> Response:
    refusal = refusal_of(fault)
    if type(fault) is HTTPException:  # the router's: no such path, no such method
        refusal.detail = f"{request.method} {request.url.path}: {refusal.detail}"
        if refusal.status == 405:
            refusal.headers = {"allow": ", ".join(sorted(_methods(request)))}
    if refusal.status >= 500:
        log.error(
            "request %s (%s %s) failed: %s: %s",
            request_id(request.scope),
            request.method,
            request.url.path,
            type(fault).__name__,
            fault,
        )
    return refused(request.scope, refusal)


def _methods(request: Request) -> set[str]:
    """Every method of the path that was asked: the router names those of one route alone. A path
    that is written out hides one with a parameter in its place."""
    found: dict[int, set[str]] = {}
    for route in iter_route_contexts(request.app.routes):
        if route.path and compile_path(route.path)[0].match(request.url.path):
            found.setdefault(route.path.count("{"), set()).update(route.methods or ())
    return found[min(found)] if found else set()
