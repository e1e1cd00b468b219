"""What a server does beside the runs: it counts what has ended, carries evaluations, and takes up
agents that were published. Also what the routes that need these reach them by."""

from pathlib import Path
from typing import Annotated, cast

import anyio
from fastapi import Depends, Request

from pointsman.adapters.system import SystemClock
from pointsman.agentfile.editor import Editor
from pointsman.engine.agents import LiveAgent
from pointsman.engine.record.figures import Reckoner, kept_by
from pointsman.engine.renewal import Renewal
from pointsman.engine.service import Service
from pointsman.entrypoints.web.console_api.tryouts import Tryouts
from pointsman.errors import Conflict
from pointsman.evaluation.bench import Bench
from pointsman.ports.console import KeepsConsole


class Backstage:
    """One a server."""

    def __init__(self, service: Service) -> None:
        self.clock = SystemClock()
        self.reckoner = Reckoner(service.store, self.clock)
        self.renewal = Renewal(service.agents, service.store, self.clock)
        self.bench = Bench(service.store, self.clock, alone=not service.shares)
        self.tryouts = Tryouts()
        self._service = service

    @property
    def kept(self) -> KeepsConsole:
        """What is kept beside the journals.

        Raises:
            CallerError: nothing is: the journal is in memory.
        """
        return kept_by(self._service.store)

    def home(self, agent: str) -> Path:
        """The folder of an agent.

        Raises:
            NotFound: there is no such agent.
            Conflict: it lies in no folder.
        """
        return home_of(self._service.agents.get(agent))

    def editor(self, agent: str) -> Editor:
        """The drafts and versions of an agent.

        Raises:
            NotFound, Conflict: as ``home``.
            CallerError: nothing is kept.
        """
        return Editor(agent, self.home(agent), self.kept.workshop, self.clock)

    async def serve(self) -> None:
        """Until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.reckoner.serve)
            tasks.start_soon(self.renewal.serve)
            tasks.start_soon(self.bench.serve)


def home_of(live: LiveAgent) -> Path:
    """The folder of an agent.

    Raises:
        Conflict: it lies in none.
    """
    if not live.home:
        raise Conflict(f"the agent {live.spec.name} was made in Python: it lies in no folder")
    return Path(live.home)


async def backstage(request: Request) -> Backstage:
    """What is behind this application."""
    return cast(Backstage, request.app.state.backstage)


Behind = Annotated[Backstage, Depends(backstage)]
