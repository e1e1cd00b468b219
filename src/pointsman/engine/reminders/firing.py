"""Does what is due: a text goes to the outbox, an action becomes a run, what is too late or cannot
be done is told to its owner.

What comes of an occurrence is stored in one transaction with the reminder's next instant, so it
happens once: whoever comes second, after a crash or from another process, finds the reminder moved
on. Between two instants one query now and then is all that this costs, however many reminders wait.

Above: ``reminders``, whose process serves this. Below: ``ports.Reminders``, the outbox, the queue.
"""

import logging
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta

import anyio
import anyio.lowlevel

from pointsman.domain.calendar.workdays import Workdays, calendar_of
from pointsman.domain.reminders import reminder_moves as moves
from pointsman.domain.reminders.reminder import AHEAD, EPOCH, Occurrence, OccurrenceState, Reminder
from pointsman.engine.reminders.planned_firing import Plan, Planning
from pointsman.errors import StoreError
from pointsman.ports import Bus, Clock, Missed, Queue, Reminders, Signal, reminders_news

log = logging.getLogger("pointsman.reminders")

REMINDERS = "reminders"
"""Under which name the bus tells that a reminder may be due earlier than was thought."""
BATCH = 250
"""Reminders that are fired in one transaction: a run's own events wait no longer than for these."""
POLL = 5.0
"""Seconds after which the reminders are looked at again: the clock may have jumped, and another
process may have made one without our hearing of it."""
SOON = 1.0
"""Seconds before the next look at what is due and was not to be had: another process has it, or
will have."""
PATIENCE = timedelta(minutes=10)
"""How long an action waits for a worker with its agent, where workers come and go."""
AT_ONCE = 20
"""Schedules that are reckoned without letting anything else run."""
_LATEST = datetime.max.replace(tzinfo=UTC)


class Firing:
    """One a process; any number of processes."""

    def __init__(
        self,
        reminders: Reminders,
        planning: Planning,
        queue: Queue,
        clock: Clock,
        bus: Bus,
        *,
        agents: Collection[str],
        workdays: Workdays | None = None,
        actions: bool = True,
    ) -> None:
        """Args:
        agents: that this process drives.
        workdays: China's calendar.
        actions: fire them here, besides the texts.
        """
        self._reminders, self._planning, self._queue = reminders, planning, queue
        self._clock, self._bus, self._workdays = clock, bus, workdays
        self._agents, self._actions = frozenset(agents), actions
        self._woken = anyio.Event()
        self._seen = _LATEST
        """The latest instant that the clock has shown; before the first look, any may have been."""

    async def serve(self) -> None:
        """Do what is due until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen)
            while True:
                woken = self._woken = anyio.Event()
                try:
                    pause = 0.0 if await self.fire() else await self._pause()
                except StoreError as fault:
                    log.warning("the reminders cannot be read: %s", fault)
                    pause = POLL
                await self._rest(woken, pause)

    async def fire(self) -> int:
        """Do the next of what is due now; how many reminders have moved on."""
        now = self._clock.now()
        if now < self._seen - AHEAD:
            await self._rewind(now)
        self._seen = now
        agents = await self._served() if self._actions else frozenset[str]()
        found = await self._reminders.due(now, agents=agents, waited=self._waited(now), limit=BATCH)
        if not found:
            return 0
        fired = await self._reckoned(found, now)
        plans = self._planning.plans(fired, agents, now)
        stood = await self._reminders.settle([plan.settlement for plan in plans])
        done = [plan for plan, stands in zip(plans, stood, strict=True) if stands]
        await self._tell(done)
        return sum(len(plan.settlement.reminders) for plan in done)

    def wake(self) -> None:
        """Tell every process that something may be due earlier than it thought."""
        self._bus.publish(REMINDERS, Signal(0))

    async def _reckoned(
        self, found: Sequence[Reminder], now: datetime
    ) -> list[tuple[Reminder, moves.Fired]]:
        fired: list[tuple[Reminder, moves.Fired]] = []
        for number, reminder in enumerate(found, start=1):
            calendar = calendar_of(reminder.timezone, self._workdays)
            try:
                one = moves.fired(reminder, now, calendar)
            except ValueError as fault:  # a rule that another release could follow
                log.error("reminder %s cannot be followed: %s", reminder.id, fault)
                one = _unfollowed(reminder, now, str(fault))
            if one is not None:
                fired.append((reminder, one))
            if number % AT_ONCE == 0:
                await anyio.lowlevel.checkpoint()
        return fired

    async def _tell(self, done: Sequence[Plan]) -> None:
        """Tell whoever carries what was handed in, and whoever watches."""
        for plan in done:
            if plan.begun is not None:
                run = plan.begun.run
                self._bus.publish(run.id, plan.begun)
                await self._queue.woken(run.id, run.conversation)
        if any(plan.settlement.deliveries for plan in done):
            self._planning.post.wake()
        for user in {one.user for plan in done for one in plan.settlement.reminders}:
            self._bus.publish(reminders_news(user), Signal(0))

    async def _served(self) -> frozenset[str]:
        """The agents that somebody drives: this process, or a worker that lives."""
        state = await self._queue.state()
        workers = state.workers if state else ()
        return self._agents.union(*(one.agents for one in workers if one.alive))

    def _waited(self, now: datetime) -> datetime:
        """Since when an action must have been due that is given up, for nobody has its agent."""
        if not self._actions:
            return EPOCH
        return now - PATIENCE if self._queue.lasting else now

    async def _rewind(self, now: datetime) -> None:
        """Have everything wait for its right time again that was done ahead of it, while the clock
        was wrong. What was done stays done."""
        while ahead := await self._reminders.ahead(now, BATCH):
            moved = 0
            for reminder in ahead:
                latest = await self._reminders.occurrences(reminder.id, limit=BATCH)
                done = {
                    one.due
                    for one in latest
                    if one.due > now and one.state is not OccurrenceState.MISSED
                }
                calendar = calendar_of(reminder.timezone, self._workdays)
                again = moves.rewound(reminder, done, now, calendar)
                moved += await self._reminders.rewind(again, now)
            log.warning("the clock was set back: %d reminders wait for their time again", moved)
            if not moved:
                return  # another process is at it

    async def _pause(self) -> float:
        """Seconds until something may be due."""
        due = await self._reminders.next_due()
        if due is None:
            return POLL
        if due <= self._seen:
            return SOON
        return min(max((due - self._clock.now()).total_seconds(), 0), POLL)

    async def _rest(self, woken: anyio.Event, pause: float) -> None:
        """Wait so long, or until somebody wakes us."""
        if pause <= 0:
            return await anyio.lowlevel.checkpoint()
        async with anyio.create_task_group() as tasks:

            async def sleep() -> None:
                await self._clock.sleep(pause)
                tasks.cancel_scope.cancel()

            tasks.start_soon(sleep)
            await woken.wait()
            tasks.cancel_scope.cancel()

    async def _listen(self) -> None:
        async with self._bus.watch(REMINDERS) as news:
            async for one in news:
                if isinstance(one, Signal | Missed):
                    self._woken.set()


def _unfollowed(reminder: Reminder, now: datetime, why: str) -> moves.Fired:
    """A reminder whose rule cannot be followed rests until it gets another time."""
    assert reminder.next is not None
    occurrence = Occurrence(
        reminder=reminder.id,
        due=reminder.next,
        state=OccurrenceState.FAILED,
        fired=now,
        note=why,
    )
    return moves.Fired(occurrence=occurrence, reminder=moves.paused(reminder, now))
