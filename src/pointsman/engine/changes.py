"""That something has changed in a list that somebody looks at: his runs, or what waits for people.

It says nothing of what has changed: whoever is told reads the list again. Changes that this process
commits are told at once; those of others, which a file tells nobody of, when it is looked for them.
"""

import logging
import math
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Sequence

import anyio

from pointsman.domain import events as ev
from pointsman.domain.runs import Run, RunStatus
from pointsman.errors import StoreError
from pointsman.ports import Clock, RunRecord, Store

log = logging.getLogger("pointsman.changes")

LOOK = 2.0
"""Seconds until it is looked for what other processes have done."""
BETWEEN = 0.5
"""Seconds between two words of change, at least."""
SEEN = 50
"""Runs of a list that are looked at."""

_SHOWN = (
    ev.MessageReceived,
    ev.RunStarted,
    ev.RunParked,
    ev.RunUnparked,
    ev.ReplyGiven,
    ev.RunFailed,
    ev.RunCancelled,
)
_DECISIONS = (ev.ApprovalAsked, ev.ApprovalDecided, ev.ApprovalEdited, ev.ResultGiven)
_WAITING = "\0waiting"
"""Stands where a login does; no login has it in it."""


class Changes:
    """An observer of this process that others can wait for."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._followers: Counter[str] = Counter()
        self._stirred: dict[str, anyio.Event] = {}
        self._seen: dict[str, tuple[float, Hashable]] = {}

    def committed(self, run: Run, events: Sequence[ev.Event]) -> None:
        if not self._followers:
            return
        if any(isinstance(event, _DECISIONS) for event in events):
            self._stir(run.user)
            self._stir(_WAITING)
        elif any(isinstance(event, _SHOWN) for event in events):
            self._stir(run.user)
            if run.status is RunStatus.CANCELLED:
                self._stir(_WAITING)

    def runs(self, user: str) -> AsyncGenerator[None]:
        """Says at once, and then whenever the user's runs have changed, that they may have; without
        end."""
        return self._follow(user, lambda: self._store.records(user=user, limit=SEEN))

    def approvals(self) -> AsyncGenerator[None]:
        """The same of what waits for people, whoever they are."""
        waiting = (RunStatus.WAITING,)
        return self._follow(_WAITING, lambda: self._store.records(status=waiting, limit=SEEN))

    def _stir(self, key: str) -> None:
        if stirred := self._stirred.pop(key, None):
            self._seen.pop(key, None)
            stirred.set()

    async def _follow(
        self, key: str, records: Callable[[], Awaitable[list[RunRecord]]]
    ) -> AsyncGenerator[None]:
        self._followers[key] += 1
        try:
            told: Hashable = None
            while True:
                stirred = self._stirred.setdefault(key, anyio.Event())
                seen = await self._look(key, records, stirred)
                if seen != told:
                    told = seen
                    yield
                    await self._clock.sleep(BETWEEN)
                with anyio.move_on_after(LOOK):
                    await stirred.wait()
        finally:
            self._followers[key] -= 1
            if not self._followers[key]:
                del self._followers[key]
                self._seen.pop(key, None)
                self._stirred.pop(key, None)

    async def _look(
        self,
        key: str,
        records: Callable[[], Awaitable[list[RunRecord]]],
        stirred: anyio.Event,
    ) -> Hashable:
        """How the list stands: read once for all who follow it, unless it was stirred since."""
        now = self._clock.monotonic()
        at, seen = self._seen.get(key, (-math.inf, None))
        if now - at >= LOOK:
            try:
                seen = tuple((one.id, one.status, one.position) for one in await records())
                if not stirred.is_set():
                    self._seen[key] = now, seen
            except StoreError as fault:
                log.warning("it could not be looked for changes: %s", fault)
        return seen
