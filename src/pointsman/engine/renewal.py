"""Agents that are loaded again while runs go on: where they were published, and in every other
process that has them.

Whoever publishes tells the others through the store. A drive that has begun goes on with the agent
that it began with; a run that waits, or is taken up later, goes on with the new one, from its
journal. An agent that was replaced is closed when no drive has it any more.
"""

import logging
from collections.abc import Callable

import anyio
from anyio import to_thread
from msgspec import Struct

from pointsman.engine import sharing
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.errors import PointsmanError, StoreError
from pointsman.ports import Clock, Store

log = logging.getLogger("pointsman.renewal")

PUBLISHED = "published"
PAUSE = 2.0
"""Seconds between two looks."""

Load = Callable[[LiveAgent], LiveAgent]
"""Makes an agent anew from its folder, not opened yet. May block, and raises a PointsmanError."""


class Published(Struct, frozen=True, kw_only=True):
    """How often each agent was published, by name."""

    counts: dict[str, int] = {}


class Renewal:
    """Keeps the agents of this process as they were published."""

    def __init__(self, agents: Agents, store: Store, clock: Clock) -> None:
        self._agents, self._store, self._clock = agents, store, clock
        self._known: dict[str, int] | None = None
        self._turns = anyio.Lock()

    async def serve(self) -> None:
        """Take up what others publish, and close what nobody uses any more, until cancelled."""
        while True:
            try:
                await self.look()
                await self._agents.close_retired()
            except StoreError as fault:
                log.warning("whether agents were published is not known: %s", fault)
            await self._clock.sleep(PAUSE)

    async def renew(self, name: str) -> None:
        """Load the agent of this process again, and tell the other processes.

        Raises:
            NotFound: there is no such agent.
            PointsmanError: it cannot be loaded; it goes on as it was.
        """
        await self._load(name)

        def more(state: Published) -> tuple[None, Published]:
            return None, Published(counts={**state.counts, name: state.counts.get(name, 0) + 1})

        async with self._turns:
            known = await self._published()
            await sharing.changed(self._store, PUBLISHED, Published(), more)
            if self._known is None:
                self._known = known
            self._known = {**self._known, name: known.get(name, 0) + 1}

    async def look(self) -> None:
        """Load again what others have published since the last look; the first one only learns.

        Raises:
            StoreError: the database failed.
        """
        async with self._turns:
            counts = await self._published()
            before, self._known = self._known, counts
        if before is None:
            return
        for agent in list(self._agents):
            name = agent.spec.name
            if counts.get(name, 0) == before.get(name, 0):
                continue
            try:
                await self._load(name)
            except PointsmanError as fault:
                log.error("agent %s was published and cannot be loaded: %s", name, fault)

    async def _published(self) -> dict[str, int]:
        body = await self._store.shared(PUBLISHED)
        return (sharing.read(body, Published) or Published()).counts

    async def _load(self, name: str) -> None:
        load = self._agents.load
        live = self._agents.get(name)
        if load is None or not live.home:
            return
        fresh = await to_thread.run_sync(load, live)
        try:
            await fresh.open()
            await fresh.registry.settle()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await fresh.aclose()
            raise
        self._agents.put(fresh)
        log.info("agent %s was loaded again", name)
