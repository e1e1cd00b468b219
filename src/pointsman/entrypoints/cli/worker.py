"""``pointsman worker``: drives the runs that servers take in, until it is told to stop."""

import logging
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

from pointsman import bootstrap
from pointsman.adapters.system import SystemClock
from pointsman.engine.renewal import Renewal
from pointsman.engine.service import Service
from pointsman.entrypoints.cli import starting
from pointsman.entrypoints.cli.signals import stopping
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.errors import CallerError, StoreError
from pointsman.settings import DatabaseUrl, Settings

log = logging.getLogger("pointsman.worker")

SECONDS_BETWEEN_WORDS = 60.0
"""How often it says in the log how it stands."""


async def worker(folders: Sequence[Path], settings: Settings, terminal: Terminal) -> int:
    """Drive runs of these agents until SIGTERM or Ctrl-C; what is not over then is handed back.

    Raises:
        CallerError: the database is a SQLite file, which one process drives.
    """
    if not isinstance(settings.database, DatabaseUrl):
        raise CallerError(
            f"workers need a PostgreSQL database, and {settings.database} is a SQLite file, which "
            "one process drives: use `pointsman serve`"
        )
    starting.start_log(settings)
    async with bootstrap.opened(folders, settings) as service:
        starting.check_names(service, folders)
        renewal = Renewal(service.agents, service.store, SystemClock())
        names = ", ".join(agent.spec.name for agent in service.agents)
        terminal.tell(
            "worker.ready",
            name=f"{socket.gethostname()}:{os.getpid()}",
            concurrency=settings.workers.concurrency,
            agents=names,
        )
        sys.stdout.flush()
        async with stopping((told := anyio.CancelScope()).cancel):
            with told:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(service.desk.keep_time)
                    tasks.start_soon(report, service)
                    tasks.start_soon(renewal.serve)
                    await service.serve()
    log.info("stopped")
    return 0


async def report(service: Service) -> None:
    """Say now and then how the queue stands, until cancelled."""
    while True:
        await anyio.sleep(SECONDS_BETWEEN_WORDS)
        try:
            if state := await service.workers():
                own = [one.driving for one in state.workers if one.name.endswith(f":{os.getpid()}")]
                log.info(
                    "alive: %d conversations driven here, %d wait, %d workers are alive",
                    *(sum(own), state.waiting, sum(one.alive for one in state.workers)),
                )
        except StoreError as fault:
            log.warning("how the queue stands is not known: %s", fault)
