"""How the tools fare, over all runs: when one is left alone, how often and how many at once.

Above: the executor, which asks before a call and reports after each attempt, and the turn, which
shows the model no tool that rests. Below: ``domain.breaker``, ``domain.limiting``, and the store,
through which workers share their states. One instance a process.

A tool is known by its source and its name there, whichever agent calls it. The breakers of all
tools and the switches of operators are one value, which holds only those that have failed or are
off: a process reads it at most once a second, and a call of a tool that is well costs no access to
the store.
"""

import logging
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import TypeVar

import anyio
import msgspec
from msgspec import Struct

from pointsman.domain import sentences
from pointsman.domain.agent import Language
from pointsman.domain.breaker import BreakerState, Passage, after, allow, verdict
from pointsman.domain.events import RejectionKind
from pointsman.domain.limiting import RateState, take
from pointsman.domain.tools import ToolResult, ToolSpec
from pointsman.engine import sharing, switches
from pointsman.engine.places import PATIENCE, Places
from pointsman.engine.switches import TOOLS, Off, ToolStates
from pointsman.errors import StoreError
from pointsman.ports import Clock, Store

log = logging.getLogger("pointsman.health")

FRESH = 1.0
"""Seconds that a process goes by what it has read."""

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
        self._store, self._clock = store, clock
        self._places = Places(store, clock, patience=patience)
        self._unwell: dict[str, BreakerState] = {}
        self._off: dict[str, Off] = {}
        self._body: bytes | None = None
        self._read_at = -math.inf
        self._turns = anyio.Lock()

    async def look(self) -> None:
        """Learn what other workers have found out, if the last look is too long ago."""
        if self._clock.monotonic() - self._read_at < FRESH:
            return
        async with self._turns:
            try:
                await self._read()
            except StoreError as fault:
                log.warning("the state of the tools is not known: %s", fault)

    def well(self, specs: tuple[ToolSpec, ...], agent: str = "") -> tuple[ToolSpec, ...]:
        """Those that may be called, as far as known: the same tuple when all may."""
        if not (self._unwell or self._off):
            return specs
        kept = tuple(spec for spec in specs if self.rest(spec, agent) is None)
        return kept if len(kept) < len(specs) else specs

    def rest(self, spec: ToolSpec, agent: str = "", language: Language = "en") -> str | None:
        """What the model is told of a tool that is left alone now, or was switched off, as far as
        known; else None."""
        if off := self._off.get(switches.key(agent, spec.name)):
            return switches.refusal(spec.name, off, language)
        state = self._unwell.get(identity(spec))
        if state is None or not spec.limits.breaker.failures:
            return None
        passage, _ = allow(state, self._clock.now(), spec.limits.breaker)
        return None if passage.allowed else _resting(spec, passage)

    async def admission(
        self, spec: ToolSpec, *, user: str, call: str, agent: str = "", language: Language = "en"
    ) -> AbstractAsyncContextManager[Admitted | Denied]:
        """A block that knows whether a call may run now; one that may holds its place in it.

        Args:
            call: unique over all runs.
        """
        await self.look()
        known = identity(spec) in self._unwell or self._off
        if not (known or spec.limits.at_once or spec.limits.rate):
            return nullcontext(Admitted())
        if rest := self.rest(spec, agent, language):
            return nullcontext(Denied("unavailable", rest))
        return self._placed(spec, user, call)

    @asynccontextmanager
    async def _placed(
        self, spec: ToolSpec, user: str, call: str
    ) -> AsyncIterator[Admitted | Denied]:
        async with self._places.taken(spec, call) as placed:
            answer = await self._let_in(spec, user) if placed else _no_place(spec)
            try:
                yield answer
            except BaseException:
                if isinstance(answer, Admitted) and answer.probe:
                    await self._tell(spec, None, probe=True)
                raise

    async def report(self, spec: ToolSpec, admitted: Admitted, result: ToolResult) -> None:
        """What came of an attempt. Is not cancelled: the result is still to be journaled."""
        await self._tell(spec, verdict(result), probe=admitted.probe)

    async def _let_in(self, spec: ToolSpec, user: str) -> Admitted | Denied:
        if denied := await self._over_rate(spec, user):
            return denied
        limits = spec.limits.breaker
        passage = await self._change(spec, lambda state: allow(state, self._clock.now(), limits))
        if not passage.allowed:
            return Denied("unavailable", _resting(spec, passage))
        return Admitted(passage.probe)

    async def _tell(self, spec: ToolSpec, ok: bool | None, *, probe: bool) -> None:
        if identity(spec) not in self._unwell and ok is not False:
            return
        limits = spec.limits.breaker

        def change(state: BreakerState) -> tuple[None, BreakerState]:
            return None, after(state, ok, self._clock.now(), probe=probe, limits=limits)

        with anyio.CancelScope(shield=True):
            await self._change(spec, change)

    async def _change(
        self, spec: ToolSpec, change: Callable[[BreakerState], tuple[Answer, BreakerState]]
    ) -> Answer:
        """What the change says of the tool's state, after it took its place in the store."""
        tool = identity(spec)
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
        body = msgspec.json.encode(ToolStates(unwell=unwell, off=self._off))
        if not await self._store.share(TOOLS, body, expected=self._body):
            await self._read()
            return False
        self._unwell, self._body = unwell, body
        if changed.mode != state.mode:
            log.warning("the breaker of tool %s is %s", tool, changed.mode)
        return True

    async def _read(self) -> None:
        self._read_at = self._clock.monotonic()
        body = await self._store.shared(TOOLS)
        if body != self._body:
            known = sharing.read(body, ToolStates) or switches.NOTHING
            self._unwell, self._off, self._body = known.unwell, known.off, body

    async def _over_rate(self, spec: ToolSpec, user: str) -> Denied | None:
        rate = spec.limits.rate
        if rate is None:
            return None
        admission = await sharing.changed(
            self._store,
            sharing.key("rate", spec.source, spec.original, user),
            RateState(),
            lambda state: take(state, rate, self._clock.now()),
        )
        if admission.allowed:
            return None
        content = sentences.OVER_RATE.format(
            tool=spec.name,
            calls=rate.calls,
            span=round(rate.seconds),
            wait=math.ceil(admission.retry_after),
        )
        return Denied("limit", content)


def identity(spec: ToolSpec) -> str:
    """A tool by its source and its name there."""
    return f"{spec.source}/{spec.original}"


def _resting(spec: ToolSpec, passage: Passage) -> str:
    return sentences.RESTS.format(
        tool=spec.name,
        failures=spec.limits.breaker.failures,
        wait=math.ceil(passage.retry_after),
    )


def _no_place(spec: ToolSpec) -> Denied:
    content = sentences.NO_PLACE.format(tool=spec.name, places=spec.limits.at_once)
    return Denied("limit", content)
