"""The web application: both APIs, the guard before them, one shape for each kind of error.

Above: ``uvicorn``. Below: ``engine.service``, which somebody else opens and closes.
"""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version

import anyio
from fastapi import FastAPI

from pointsman.adapters.system import SystemClock
from pointsman.adapters.telemetry.figures import Figures
from pointsman.engine.service import Service
from pointsman.entrypoints.web import documents, problems
from pointsman.entrypoints.web.access import Entrance
from pointsman.entrypoints.web.console_api.backstage import Backstage
from pointsman.entrypoints.web.console_files import ConsoleFiles
from pointsman.entrypoints.web.guard import Guard
from pointsman.entrypoints.web.headers import SafeHeaders
from pointsman.entrypoints.web.limits import Limits
from pointsman.entrypoints.web.mcp_route import McpSite
from pointsman.entrypoints.web.measured import Measured
from pointsman.entrypoints.web.routes import ROUTES
from pointsman.settings import Settings

log = logging.getLogger("pointsman.web")


def create_app(
    service: Service,
    settings: Settings,
    *,
    drive: bool = True,
    drives: bool = True,
    machine: str = "",
) -> FastAPI:
    """The application over an opened engine.

    Args:
        drive: take up unfinished runs and drive what is queued, as long as the application lives.
            Only for the process that owns the database.
        drives: this process drives the runs, by itself or because of ``drive``.
        machine: what the command line beside the server shows, as bearer token; empty for
            nothing.
    """
    app = FastAPI(
        title="Pointsman",
        version=version("pointsman"),
        lifespan=_driving(service) if drive else None,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    app.state.started = int(SystemClock().now().timestamp())
    app.state.closing = anyio.Event()
    app.state.settings = settings
    app.state.sockets = Counter()
    app.state.drives = drives
    app.state.entrance = Entrance(accounts=service.accounts, settings=settings, machine=machine)
    app.state.backstage = Backstage(service)
    app.state.mcp = McpSite(service, app.state.closing, body_limit=settings.serving.body_limit)
    figures = app.state.figures = Figures()
    service.observed.add(figures)
    problems.install(app)
    app.router.routes.extend(ROUTES.routes)
    _surround(app, settings, figures)
    documents.install(app)
    return app


def _surround(app: FastAPI, settings: Settings, figures: Figures) -> None:
    """Put around the routes what every request passes, the innermost first."""
    app.add_middleware(ConsoleFiles, routes=app.router.routes)
    app.add_middleware(Limits, serving=settings.serving)
    app.add_middleware(Guard, body_limit=settings.serving.body_limit, access=settings.access)
    app.add_middleware(Measured, figures=figures)
    app.add_middleware(SafeHeaders)


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
            tasks.start_soon(app.state.backstage.serve)
            tasks.start_soon(app.state.mcp.serve)
            yield
            tasks.cancel_scope.cancel()

    return lifespan
