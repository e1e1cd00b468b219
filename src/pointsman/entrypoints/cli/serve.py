"""``pointsman serve``: the engine behind HTTP, until it is told to stop."""

import logging
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
from msgspec.structs import replace

from pointsman import bootstrap
from pointsman.adapters.system import secret
from pointsman.domain import accounts
from pointsman.engine.service import Service
from pointsman.entrypoints.cli import admission, lock
from pointsman.entrypoints.cli.signals import stopping
from pointsman.entrypoints.cli.starting import check_names, start_log
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.errors import CallerError, MissingExtra, SettingsError
from pointsman.ports import Clock
from pointsman.settings import Serving, Settings

try:
    import uvicorn
    from fastapi import FastAPI

    from pointsman.entrypoints.web.app import close_streams, create_app
    from pointsman.entrypoints.web.http_server import configured
except ModuleNotFoundError as missing:
    if str(missing.name).startswith("pointsman"):
        raise
    raise MissingExtra("the server", "server") from missing

log = logging.getLogger("pointsman.serve")


class _Server(uvicorn.Server):
    """Leaves the signals to us: uvicorn would raise them again before the engine is closed."""

    def __init__(self, app: FastAPI, serving: Serving, ready: Callable[[], None]) -> None:
        super().__init__(configured(app, serving))
        self.app, self._ready = app, ready

    def stop(self) -> None:
        """End the event streams, answer what was asked, and stop; at once when told again."""
        self.force_exit = self.should_exit
        self.should_exit = True
        close_streams(self.app)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


async def serve(
    folders: Sequence[Path],
    settings: Settings,
    terminal: Terminal,
    *,
    host: str,
    port: int,
    worker: bool = True,
    clock: Clock | None = None,
) -> int:
    """Serve the agents until SIGTERM or Ctrl-C. Runs in flight are left to the other workers, or to
    the next start.

    Args:
        worker: drive the runs here too.
        clock: the machine's own by default.

    Raises:
        SettingsError: others could reach it without signing in, or the port is taken.
        CallerError: nobody would drive the runs.
        Conflict: another server owns the database.
    """
    if not worker and isinstance(settings.database, Path):
        raise CallerError(
            f"the runs in {settings.database}, a SQLite file, are driven by its server: leave out "
            "--no-worker, or use a PostgreSQL database"
        )
    start_log(settings)
    settings = replace(settings, host=host, port=port)
    address = admission.address_of(settings)
    with lock.held(settings.database) as declare, listening(address, port) as listener:
        port = listener.getsockname()[1]
        url = f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
        declare(url, machine := accounts.code(secret()))
        grace = settings.serving.grace
        async with bootstrap.opened(folders, settings, grace=grace, clock=clock) as service:
            check_names(service, folders)
            code = await admission.admit_first(service, settings)
            app = create_app(service, settings, drive=False, drives=worker, machine=machine)
            public = settings.access.public_url or url
            server = _Server(app, settings.serving, lambda: _greet(service, public, terminal, code))
            if not worker:
                terminal.mention("serve.no_worker")
            async with stopping(server.stop):
                await _run(service, server, listener, worker=worker)
    log.info("stopped")
    return 0


def _greet(service: Service, url: str, terminal: Terminal, code: str) -> None:
    """Say where the server is, and how to ask it something."""
    agents = [agent.spec for agent in service.agents]
    greeting = "你是谁？" if agents[0].language == "zh" else "Who are you?"
    names = ", ".join(agent.name for agent in agents)
    terminal.tell("serve.ready", url=url, agents=names, agent=agents[0].name, greeting=greeting)
    admission.tell(terminal, url, code)
    sys.stdout.flush()


async def _run(service: Service, server: _Server, listener: socket.socket, *, worker: bool) -> None:
    async with anyio.create_task_group() as tasks:
        if worker:
            tasks.start_soon(service.serve)
            if recovered := await service.recover():
                log.info("%d unfinished runs are taken up again", recovered)
            tasks.start_soon(service.desk.keep_time)
        elif service.accounts is not None:
            tasks.start_soon(service.accounts.keep_current)
        tasks.start_soon(server.app.state.backstage.serve)
        tasks.start_soon(server.app.state.mcp.serve)
        await server.serve(sockets=[listener])
        tasks.cancel_scope.cancel()


@contextmanager
def listening(address: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens there; 0 takes a free port."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
            listener.listen()
        except (OSError, OverflowError) as fault:
            why = getattr(fault, "strerror", None) or str(fault)
            raise SettingsError(
                f"cannot listen on {address} port {port}: {why}; choose another with --port"
            ) from None
        yield listener
