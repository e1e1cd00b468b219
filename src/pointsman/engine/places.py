"""How many calls of a tool run at the same time: a bulkhead, over all runs and workers.

Those of this process queue for a place and are told when one is free; those of other workers are
seen in the store, where a worker that dies gives its places back by and by.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from pointsman.domain.limiting import Admission, BulkheadState, enter, leave
from pointsman.domain.retry import LONGEST_PAUSE
from pointsman.domain.tools import ToolSpec
from pointsman.engine import sharing
from pointsman.errors import StoreError
from pointsman.ports import Clock, Store

log = logging.getLogger("pointsman.places")

PATIENCE = 10.0
"""Seconds that a call waits for a place."""
SPARE = 60.0
"""Seconds that a place is held for longer than its call can take."""


class Places:
    """The places of every tool that has a limit."""

    def __init__(self, store: Store, clock: Clock, *, patience: float = PATIENCE) -> None:
        self._store, self._clock, self._patience = store, clock, patience
        self._queues: dict[tuple[str, int], anyio.Semaphore] = {}

    @asynccontextmanager
    async def taken(self, spec: ToolSpec, call: str) -> AsyncIterator[bool]:
        """Whether the call got a place, which it has until the block ends.

        Args:
            call: unique over all runs.
        """
        places = spec.limits.at_once
        if not places:
            yield True
            return
        key = sharing.key("places", spec.source, spec.original)
        until = self._clock.monotonic() + self._patience
        queue = self._queues.setdefault((key, places), anyio.Semaphore(places))
        with anyio.move_on_after(self._patience) as waiting:
            await queue.acquire()
        if waiting.cancelled_caught:
            yield False
            return
        try:
            entered = await self._enter(key, spec, call, until)
            try:
                yield entered
            finally:
                if entered:
                    await self._leave(key, call)
        finally:
            queue.release()

    async def _enter(self, key: str, spec: ToolSpec, call: str, until: float) -> bool:
        again = spec.retries if spec.repeatable else 0
        lease = spec.timeout * (1 + again) + LONGEST_PAUSE * again + SPARE

        def change(state: BulkheadState) -> tuple[Admission, BulkheadState]:
            now = self._clock.now()
            return enter(state, call, places=spec.limits.at_once, lease=lease, now=now)

        while True:
            admission = await sharing.changed(self._store, key, BulkheadState(), change)
            if admission.allowed:
                return True
            if self._clock.monotonic() + admission.retry_after > until:
                return False
            await self._clock.sleep(admission.retry_after)

    async def _leave(self, key: str, call: str) -> None:
        with anyio.CancelScope(shield=True):
            try:
                await sharing.changed(
                    self._store, key, BulkheadState(), lambda state: (None, leave(state, call))
                )
            except StoreError as fault:
                log.warning("a place is held until its lease ends (%s): %s", key, fault)
