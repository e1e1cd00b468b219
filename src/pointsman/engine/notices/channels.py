"""The channels of this installation: by name, how often each may be used, and whether it works.

What is known of a channel is shared through the store, so that no worker tries in vain what another
has found out. A channel that says that its key is no good is broken at once: nobody waits for hours
for it (case N21).
"""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.breaker import BreakerState, after, allow
from pointsman.domain.limiting import BreakerLimits, RateState, take
from pointsman.domain.notices.delivery import Outcome
from pointsman.engine import sharing
from pointsman.ports import Clock, Notifier, Store

log = logging.getLogger("pointsman.outbox")

Answer = TypeVar("Answer")

SYSTEM = "system"
"""The inbox; everybody has one."""
LIMITS = BreakerLimits(failures=5, window=120, pause=60, probe=120)
BROKEN = BreakerLimits(failures=1, window=120, pause=600, probe=120)
"""How long a channel is left alone that said that it is not to be used."""
FRESH = 1.0
"""Seconds that a process goes by what it has read."""


class Channel(Struct, frozen=True, kw_only=True):
    """A channel that is set up.

    Attributes:
        fallback: name of the channel that takes what this one will not, once; empty for none.
        groups: names of the groups that it reaches; empty for a channel to people.
        carried: whether this process sends by it; else another does.
    """

    name: str
    notifier: Notifier
    fallback: str = ""
    groups: tuple[str, ...] = ()
    carried: bool = True


class ChannelState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is stored for a channel; ``broken`` when it said that it is not to be used."""

    breaker: BreakerState = BreakerState()
    broken: bool = False


class Rest(Struct, frozen=True):
    """A channel that takes nothing now.

    Attributes:
        seconds: until it is worth asking again.
        why: for people; empty when it only has had enough for the moment.
        broken: it said that it is not to be used.
    """

    seconds: float
    why: str = ""
    broken: bool = False


class Channels:
    """Every channel by its name."""

    def __init__(self, channels: Sequence[Channel], store: Store, clock: Clock) -> None:
        self._by_name = {one.name: one for one in channels}
        self._store, self._clock = store, clock
        self._known: dict[str, tuple[float, ChannelState]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    @property
    def carried(self) -> tuple[str, ...]:
        """Those that this process sends by."""
        return tuple(name for name, one in self._by_name.items() if one.carried)

    def get(self, name: str) -> Channel | None:
        return self._by_name.get(name)

    async def aclose(self) -> None:
        for channel in self._by_name.values():
            await channel.notifier.aclose()

    async def rest(self, channel: Channel, address: str) -> Rest | None:
        """Why nothing may be sent there now; None when it may, which counts."""
        state = await self._read(channel.name)
        if state.breaker.mode != "closed":
            limits = BROKEN if state.broken else LIMITS

            def ask(state: ChannelState) -> tuple[float, ChannelState]:
                passage, breaker = allow(state.breaker, self._clock.now(), limits)
                return passage.retry_after, replace(state, breaker=breaker)

            wait = await self._change(channel.name, ask)
            if wait > 0:
                return Rest(wait, f"{channel.name} is left alone after failures", state.broken)
        if (rate := channel.notifier.rate) is None:
            return None
        admission = await sharing.changed(
            self._store,
            sharing.key("channel rate", channel.name, address),
            RateState(),
            lambda state: take(state, rate, self._clock.now()),
        )
        return None if admission.allowed else Rest(max(admission.retry_after, 0.1))

    async def report(self, channel: Channel, outcome: Outcome) -> None:
        """What came of an attempt."""
        ok = _verdict(outcome)
        if ok is None or (ok and (await self._read(channel.name)) == ChannelState()):
            return
        broken = outcome.verdict == "failed" and outcome.about == "channel"

        def tell(state: ChannelState) -> tuple[bool, ChannelState]:
            now, open_before = self._clock.now(), state.breaker.mode == "open"
            if broken:
                return not state.broken, ChannelState(breaker=_opened(now), broken=True)
            probe = state.breaker.mode == "half_open"
            breaker = after(state.breaker, ok, now, probe=probe, limits=LIMITS)
            changed = replace(state, breaker=breaker, broken=state.broken and not ok)
            return breaker.mode == "open" and not open_before, changed

        if await self._change(channel.name, tell):
            log.warning(
                "channel %s is left alone: %s %s", channel.name, outcome.code, outcome.detail
            )

    async def unhealthy(self) -> Mapping[str, ChannelState]:
        """The channels that are left alone."""
        states = {name: await self._read(name) for name in self._by_name}
        return {name: one for name, one in states.items() if one.breaker.mode != "closed"}

    async def _read(self, name: str) -> ChannelState:
        at, state = self._known.get(name, (-math.inf, ChannelState()))
        if self._clock.monotonic() - at >= FRESH:
            body = await self._store.shared(_key(name))
            state = sharing.read(body, ChannelState) or ChannelState()
            self._known[name] = (self._clock.monotonic(), state)
        return state

    async def _change(
        self, name: str, change: Callable[[ChannelState], tuple[Answer, ChannelState]]
    ) -> Answer:
        def kept(state: ChannelState) -> tuple[Answer, ChannelState]:
            answer, changed = change(state)
            self._known[name] = (self._clock.monotonic(), changed)
            return answer, changed

        return await sharing.changed(self._store, _key(name), ChannelState(), kept)


def _key(name: str) -> str:
    return sharing.key("channel", name)


def _opened(now: datetime) -> BreakerState:
    return BreakerState(mode="open", since=now)


def _verdict(outcome: Outcome) -> bool | None:
    """Whether an outcome speaks for the channel; one that refused a message, or had enough for the
    moment, did answer."""
    if outcome.verdict == "sent":
        return True
    if outcome.about == "channel":
        return False
    return True if outcome.verdict == "failed" else None
