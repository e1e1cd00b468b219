"""The web application: both APIs, the guard before them, one shape for each kind of error.

Above: ``uvicorn``. Below: ``engine.service``, which somebody else opens and closes.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version

import anyio
from fastapi import FastAPI

from pointsman.adapters.system import SystemClock
from pointsman.engine.service import Service
from pointsman.entrypoints.web import (
    approvals_api,
    documents,
    native_api,
    notices_api,
    openai_api,
    problems,
)
from pointsman.entrypoints.web.guard import Guard
from pointsman.entrypoints.web.native_shapes import Health
from pointsman.settings import Settings

log = logging.getLogger("pointsman.web")

BODY_LIMIT = 1_000_000
"""Bytes of a request's body."""


def create_app(service: Service, settings: Settings, *, drive: bool = True) -> FastAPI:
    """The application over an opened engine.

    Args:
        settings: of the server; nothing in them concerns the application so far.
        drive: take up unfinished runs and drive what is queued, as long as the application lives.
            Only for the process that owns the database.
    """
    app = FastAPI(
        title="Pointsman",
        version=version("pointsman"),
        lifespan=_driving(service) if drive else None,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    app.state.started = int(SystemClock().now().timestamp())
    app.state.closing = anyio.Event()
    problems.install(app)
    app.include_router(openai_api.router)
    app.include_router(native_api.router)
    app.include_router(approvals_api.router)
    app.include_router(notices_api.deliveries_router)
    app.include_router(notices_api.inbox_router)
    app.add_api_route("/healthz", _health, tags=["operation"], summary="Whether the server is up")
    app.add_middleware(Guard, body_limit=BODY_LIMIT)
    documents.install(app)
    return app


def close_streams(app: FastAPI) -> None:
    """End every event stream, so that a server that stops does not wait for those who watch."""
    app.state.closing.set()


def _driving(service: Service) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            if recovered := await service.recover():
                log.info("%d unfinished runs are taken up again", recovered)
            tasks.start_soon(service.serve)
            tasks.start_soon(service.desk.keep_time)
            yield
            tasks.cancel_scope.cancel()

    return lifespan


async def _health() -> Health:
    return Health(status="ok", version=version("pointsman"))
