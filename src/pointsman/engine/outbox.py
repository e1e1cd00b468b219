"""Carries what was handed in (``post``) to the channels: it reaches each recipient at least once,
and never a second time after the channel said yes.

A row is claimed, sent part by part, and marked after each part. Who claimed it holds a lease and a
token; without the token nothing can be marked, so that a worker that was too slow does no harm
(case N06). What a worker was sending when it vanished is sent again by another, and says so.

Below: ``ports.Outbox``, ``channels``. One a process, any number of processes.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace

from pointsman.domain.notices import letters
from pointsman.domain.notices.delivery import (
    MOST_ATTEMPTS,
    Delivery,
    DeliveryStatus,
    Outcome,
    after_part,
    put_off,
)
from pointsman.engine.notices.channels import Channel
from pointsman.engine.notices.post import OUTBOX, Post
from pointsman.errors import StoreError
from pointsman.ports import Bus, Clock, Letter, Missed, Outbox, Signal

log = logging.getLogger("pointsman.outbox")

LEASE = 10.0
"""Seconds that a claim holds without being renewed: so long a crash may hold a message up."""
AT_ONCE = 16
"""Messages that one channel carries at the same time in one process."""
POLL = 2.0
"""Seconds until the outbox is looked at again: another process may have put something there."""
MARKING = (0.5, 1.0, 2.0, 4.0)
"""Seconds before marking is tried again that failed."""
GRACE = 3.0
"""Seconds that what is being sent gets when the process stops."""


class Postman:
    """Carries what is in the outbox; one a process, any number of processes."""

    def __init__(
        self, post: Post, outbox: Outbox, clock: Clock, bus: Bus, *, grace: float = GRACE
    ) -> None:
        """Args:
        grace: seconds that what is being sent gets when the process stops.
        """
        self._grace = grace
        self._post, self._outbox, self._clock, self._bus = post, outbox, clock, bus
        self._channels = post.channels
        self._held: set[tuple[str, str]] = set()
        """The tokens of the claims, and what is sent under each."""
        self._busy: Counter[str] = Counter()
        self._scopes: set[anyio.CancelScope] = set()
        self._woken = anyio.Event()
        self._left = anyio.Event()
        self._stopping = False

    async def serve(self) -> None:
        """Carry until cancelled; what is being sent then gets a moment to end."""
        self._stopping = False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen)
            tasks.start_soon(self._renew)
            try:
                while True:
                    woken = self._woken = anyio.Event()
                    try:
                        taken = await self._take(tasks)
                        pause = 0.0 if taken else await self._pause()
                    except StoreError as fault:
                        log.warning("the outbox cannot be read: %s", fault)
                        pause = POLL
                    with anyio.move_on_after(pause):
                        await woken.wait()
            finally:
                with anyio.CancelScope(shield=True):
                    await self._finish()

    async def _take(self, tasks: TaskGroup) -> int:
        taken, now = 0, self._clock.now()
        for name in self._channels.carried:
            free = AT_ONCE - self._busy[name]
            if free <= 0:
                continue
            token = self._clock.new_id()
            until = now + timedelta(seconds=LEASE)
            claimed = await self._outbox.claim(name, now, token=token, until=until, limit=free)
            for delivery in claimed:
                self._held.add((token, delivery.id))
                self._busy[name] += 1
                tasks.start_soon(self._carry, delivery, token)
            taken += len(claimed)
        return taken

    async def _pause(self) -> float:
        """Seconds until there may be something to take."""
        free = [name for name in self._channels.carried if self._busy[name] < AT_ONCE]
        due = await self._outbox.due(free) if free else None
        if due is None:
            return POLL
        wait = (due - self._clock.now()).total_seconds()
        # What is due and was not to be had is being sent, or waits for what is.
        return min(wait, POLL) if wait > 0 else POLL / 4

    async def _listen(self) -> None:
        async with self._bus.watch(OUTBOX) as news:
            async for one in news:
                if isinstance(one, Signal | Missed):
                    self._woken.set()

    async def _renew(self) -> None:
        while True:
            await anyio.sleep(LEASE / 4)
            until = self._clock.now() + timedelta(seconds=LEASE)
            for token in {token for token, _ in self._held}:
                ids = [delivery for held, delivery in self._held if held == token]
                try:
                    await self._outbox.renew(ids, token=token, until=until)
                except StoreError as fault:
                    log.warning("leases could not be renewed: %s", fault)

    async def _finish(self) -> None:
        """Wait a moment for what is being sent, then give it up."""
        self._stopping = True
        with anyio.move_on_after(self._grace):
            await self._idle()
        for scope in list(self._scopes):
            scope.cancel()
        with anyio.move_on_after(GRACE):
            await self._idle()

    async def _idle(self) -> None:
        while self._busy.total():
            self._left = anyio.Event()
            await self._left.wait()

    async def _carry(self, delivery: Delivery, token: str) -> None:
        with anyio.CancelScope(shield=True):
            try:
                await self._deliver(delivery, token)
            except StoreError as fault:
                log.warning("delivery %s could not be marked: %s", delivery.id, fault)
            finally:
                self._held.discard((token, delivery.id))
                self._busy[delivery.channel] -= 1
                self._woken.set()
                self._left.set()

    async def _deliver(self, delivery: Delivery, token: str) -> None:
        channel = self._channels.get(delivery.channel)
        assert channel is not None
        if channel.notifier.keyed:
            delivery = replace(delivery, maybe_duplicated=False)
        parts = letters.split(delivery.body, channel.notifier.limit, language=delivery.language)
        delivery = replace(delivery, parts=len(parts), done=min(delivery.done, len(parts) - 1))
        while delivery.status is DeliveryStatus.SENDING:
            changed = await self._step(delivery, channel, parts)
            if not await self._marked(changed, token):
                log.warning("delivery %s was taken over by another worker", delivery.id)
                return
            delivery = changed
        if delivery.status.ended:
            self._post.look()

    async def _marked(self, changed: Delivery, token: str) -> bool:
        """Store what became of a delivery; a yes must not be lost to a database that is away for a
        moment. False when it is no longer ours.

        Raises:
            StoreError: the database stays away.
        """
        follows = self._post.follows(changed)
        for pause in MARKING:
            try:
                return await self._outbox.write(changed, token=token, new=follows)
            except StoreError as fault:
                log.warning("delivery %s is not marked yet: %s", changed.id, fault)
                await anyio.sleep(pause)
        return await self._outbox.write(changed, token=token, new=follows)

    async def _step(self, delivery: Delivery, channel: Channel, parts: Sequence[str]) -> Delivery:
        """The delivery after its next part was tried, or may not be now."""
        if self._stopping:
            return put_off(delivery, 0.0, self._clock.now())
        if delivery.attempts > MOST_ATTEMPTS:
            return after_part(delivery, _GIVEN_UP, self._clock.now(), jitter=0.5)
        if rest := await self._channels.rest(channel, delivery.address):
            now = self._clock.now()
            if rest.broken and delivery.fallback and not delivery.fallback_of:
                outcome = Outcome(verdict="failed", about="channel", detail=rest.why)
                return after_part(delivery, outcome, now, jitter=0.5)
            return put_off(delivery, rest.seconds, now, why=rest.why)
        outcome = await self._sent(delivery, channel, parts)
        try:
            await self._channels.report(channel, outcome)
        except StoreError as fault:  # what the channel said is still to be marked
            log.warning("how channel %s fares was not stored: %s", channel.name, fault)
        if outcome.verdict == "unknown" and not channel.notifier.keyed:
            delivery = replace(delivery, maybe_duplicated=True)
        return after_part(delivery, outcome, self._clock.now(), jitter=self._clock.random())

    async def _sent(self, delivery: Delivery, channel: Channel, parts: Sequence[str]) -> Outcome:
        number = delivery.done
        letter = Letter(
            key=delivery.id if len(parts) == 1 else f"{delivery.id}-{number + 1}",
            address=delivery.address,
            name=delivery.name,
            subject=delivery.subject,
            text=parts[number],
            language=delivery.language,
            kind=delivery.kind,
            part=number + 1,
            parts=len(parts),
            sender=delivery.sender,
            run=delivery.run,
            agent=delivery.agent,
        )
        if refused := channel.notifier.refuses(delivery.address):
            return Outcome(verdict="failed", about="recipient", detail=refused)
        timeout = channel.notifier.timeout
        with anyio.CancelScope(shield=True) as scope, anyio.move_on_after(timeout):
            self._scopes.add(scope)
            try:
                return await channel.notifier.send(letter)
            except Exception as fault:  # noqa: BLE001 - the border to channels
                # Its words may hold a secret, and so may its traceback (case N20).
                log.error("channel %s failed inside: %s", channel.name, type(fault).__name__)
                return Outcome(verdict="unknown", about="channel", detail=type(fault).__name__)
            finally:
                self._scopes.discard(scope)
        why = "the process was stopped" if scope.cancelled_caught else f"no answer in {timeout:g} s"
        about: Literal["message", "channel"] = "message" if scope.cancelled_caught else "channel"
        return Outcome(verdict="unknown", about=about, detail=why)


_GIVEN_UP = Outcome(verdict="retry", detail="worker after worker has vanished while sending it")
