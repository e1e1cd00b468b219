"""How the tools fare, over all runs: when one is left alone, how often and how many at once.

Above: the executor, which asks before a call and reports after each attempt, and the turn, which
shows the model no tool that rests. Below: ``domain.breaker``, ``domain.limiting``, and the store,
through which workers share their states. One instance a process.

A tool is known by its source and its name there, whichever agent calls it. The breakers of all
tools are one value, which holds only those that have failed: a process reads it at most once a
second, and a call of a tool that is well costs no access to the store.
"""

import logging
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
import msgspec
from msgspec import Struct

from pointsman.domain import sentences
from pointsman.domain.breaker import BreakerState, Passage, after, allow, verdict
from pointsman.domain.events import RejectionKind
from pointsman.domain.limiting import Admission, BulkheadState, RateState, enter, leave, take
from pointsman.domain.retry import LONGEST_PAUSE
from pointsman.domain.tools import ToolResult, ToolSpec
from pointsman.engine import sharing
from pointsman.errors import StoreError
from pointsman.ports import Clock, Store

log = logging.getLogger("pointsman.health")

BREAKERS = "breakers"
FRESH = 1.0
"""Seconds that a process goes by what it has read."""
PATIENCE = 10.0
"""Seconds that a call waits for a place."""
SPARE = 60.0
"""Seconds that a place is held longer than its call can take, if a worker dies."""

WELL = BreakerState()
Answer = TypeVar("Answer")


class Admitted(Struct, frozen=True):
    """A call that may run; ``probe`` when it tests a tool that was left alone."""

    probe: bool = False


class Denied(Struct, frozen=True):
    """A call that does not run now; ``content`` is what the model reads."""

    kind: RejectionKind
    content: str


class Health:
    """The state of every tool, as this process knows it.

    Args:
        patience: seconds that a call waits for a place.
    """

    def __init__(self, store: Store, clock: Clock, *, patience: float = PATIENCE) -> None:
        self._store, self._clock, self._patience = store, clock, patience
        self._unwell: dict[str, BreakerState] = {}
        self._body: bytes | None = None
        self._read_at = -math.inf
        self._turns = anyio.Lock()
        self._places: dict[str, anyio.Semaphore] = {}

    async def look(self) -> None:
        """Learn what other workers have found out, if the last look is too long ago."""
        if self._clock.monotonic() - self._read_at < FRESH:
            return
        async with self._turns:
            try:
                await self._read()
            except StoreError as fault:
                log.warning("the state of the tools is not known: %s", fault)

    def well(self, specs: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
        """Those that may be called, as far as known: the same tuple when all may."""
        if not self._unwell:
            return specs
        kept = tuple(spec for spec in specs if self.rest(spec) is None)
        return kept if len(kept) < len(specs) else specs

    def rest(self, spec: ToolSpec) -> Denied | None:
        """Why the tool is not to be called now, as far as known; None when it may."""
        state = self._unwell.get(_identity(spec))
        if state is None or not spec.limits.breaker.failures:
            return None
        passage, _ = allow(state, self._clock.now(), spec.limits.breaker)
        return None if passage.allowed else _resting(spec, passage)

    @asynccontextmanager
    async def admitted(
        self, spec: ToolSpec, *, user: str, call: str
    ) -> AsyncIterator[Admitted | Denied]:
        """Whether a call may run now; one that may holds its place in the block.

        Args:
            call: unique over all runs.
        """
        await self.look()
        if denied := self.rest(spec):
            yield denied
            return
        async with self._place(spec, call) as placed:
            denied = placed or await self._over_rate(spec, user)
            if denied:
                yield denied
                return
            passage = await self._change(
                spec, lambda state: allow(state, self._clock.now(), spec.limits.breaker)
            )
            if not passage.allowed:
                yield _resting(spec, passage)
                return
            try:
                yield Admitted(passage.probe)
            except BaseException:
                await self._tell(spec, None, probe=passage.probe)
                raise

    async def report(self, spec: ToolSpec, admitted: Admitted, result: ToolResult) -> None:
        """What came of an attempt. Is not cancelled: the result is still to be journaled."""
        await self._tell(spec, verdict(result), probe=admitted.probe)

    async def _tell(self, spec: ToolSpec, ok: bool | None, *, probe: bool) -> None:
        if _identity(spec) not in self._unwell and ok is not False:
            return
        limits = spec.limits.breaker
        with anyio.CancelScope(shield=True):
            await self._change(
                spec,
                lambda state: (
                    None,
                    after(state, ok, self._clock.now(), probe=probe, limits=limits),
                ),
            )

    async def _change(
        self, spec: ToolSpec, change: Callable[[BreakerState], tuple[Answer, BreakerState]]
    ) -> Answer:
        """What the change says of the tool's state, after it took its place in the store."""
        tool = _identity(spec)
        if not spec.limits.breaker.failures:
            return change(WELL)[0]
        while True:
            state = self._unwell.get(tool, WELL)
            answer, changed = change(state)
            if changed == state:
                return answer
            async with self._turns:
                try:
                    if await self._replace(tool, state, changed):
                        return answer
                except StoreError as fault:
                    log.warning("the state of tool %s was not stored: %s", tool, fault)
                    return answer

    async def _replace(self, tool: str, state: BreakerState, changed: BreakerState) -> bool:
        """Store the tool's new state; False, and the stored ones are read, when the old one is no
        longer the stored one."""
        if self._unwell.get(tool, WELL) != state:
            return False
        unwell = {**self._unwell, tool: changed}
        if changed == WELL:
            del unwell[tool]
        body = msgspec.json.encode(unwell)
        if not await self._store.share(BREAKERS, body, expected=self._body):
            await self._read()
            return False
        self._unwell, self._body = unwell, body
        if changed.mode != state.mode:
            log.warning("the breaker of tool %s is %s", tool, changed.mode)
        return True

    async def _read(self) -> None:
        self._read_at = self._clock.monotonic()
        body = await self._store.shared(BREAKERS)
        if body != self._body:
            self._unwell = {} if body is None else sharing.read(body, dict[str, BreakerState])
            self._body = body

    async def _over_rate(self, spec: ToolSpec, user: str) -> Denied | None:
        rate = spec.limits.rate
        if rate is None:
            return None
        admission = await sharing.changed(
            self._store,
            _key("rate", spec, user),
            RateState(),
            lambda state: take(state, rate, self._clock.now()),
        )
        if admission.allowed:
            return None
        content = sentences.OVER_RATE.format(
            tool=spec.name,
            calls=rate.calls,
            span=f"{rate.seconds:g}",
            wait=math.ceil(admission.retry_after),
        )
        return Denied("limit", content)

    @asynccontextmanager
    async def _place(self, spec: ToolSpec, call: str) -> AsyncIterator[Denied | None]:
        """A place among the calls that may run at once. Those of this process queue here; those of
        other workers are seen in the store."""
        places = spec.limits.at_once
        if not places:
            yield None
            return
        key = _key("places", spec)
        until = self._clock.monotonic() + self._patience
        queue = self._places.setdefault(f"{places} {key}", anyio.Semaphore(places))
        full = Denied("limit", sentences.NO_PLACE.format(tool=spec.name, places=places))
        with anyio.move_on_after(self._patience) as waiting:
            await queue.acquire()
        if waiting.cancelled_caught:
            yield full
            return
        try:
            if not await self._entered(key, spec, call, until):
                yield full
                return
            try:
                yield None
            finally:
                await self._left(key, call)
        finally:
            queue.release()

    async def _entered(self, key: str, spec: ToolSpec, call: str, until: float) -> bool:
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

    async def _left(self, key: str, call: str) -> None:
        with anyio.CancelScope(shield=True):
            try:
                await sharing.changed(
                    self._store, key, BulkheadState(), lambda state: (None, leave(state, call))
                )
            except StoreError as fault:
                log.warning("a place is held until its time is over (%s): %s", key, fault)


def _identity(spec: ToolSpec) -> str:
    return f"{spec.source}/{spec.original}"


def _key(kind: str, spec: ToolSpec, *more: str) -> str:
    return msgspec.json.encode([kind, spec.source, spec.original, *more]).decode()


def _resting(spec: ToolSpec, passage: Passage) -> Denied:
    content = sentences.RESTS.format(
        tool=spec.name,
        failures=spec.limits.breaker.failures,
        wait=math.ceil(passage.retry_after),
    )
    return Denied("unavailable", content)
