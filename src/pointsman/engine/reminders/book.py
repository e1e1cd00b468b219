"""Reminders as their owners see them: make, list, change, snooze, pause, cancel, and look at what
became of them.

Above: the tools and the entry points. Below: ``ports.Reminders``; ``firing`` does what is due.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from datetime import datetime

import anyio

from pointsman.domain.calendar.workdays import Workdays, calendar_of
from pointsman.domain.reminders import reminder_moves as moves
from pointsman.domain.reminders.reminder import Changes, Occurrence, Reminder, ReminderState
from pointsman.engine.reminders.attending import Attending
from pointsman.engine.reminders.firing import Firing
from pointsman.errors import NotFound
from pointsman.ports import Bus, Clock, Reminders, Signal, Store, reminders_news

LOOK = 5.0
"""Seconds until the reminders are looked at again: another process on a file tells no news."""


class ReminderBook:
    """The reminders of one engine."""

    def __init__(
        self,
        reminders: Reminders,
        store: Store,
        firing: Firing,
        attending: Attending,
        clock: Clock,
        bus: Bus,
        *,
        workdays: Workdays | None = None,
    ) -> None:
        """Args:
        workdays: China's calendar of working days.
        """
        self.firing = firing
        self._reminders, self._store, self._attending = reminders, store, attending
        self._clock, self._bus, self._workdays = clock, bus, workdays

    def workdays(self, timezone: str) -> Workdays | None:
        """The calendar of working days that schedules of this zone follow."""
        return calendar_of(timezone, self._workdays)

    async def add(self, reminder: Reminder) -> Reminder:
        """Store a new reminder, with ``next`` and the rest filled in. One whose id is there already
        is not made again: what is there comes back.

        Raises:
            CallerError: nothing of it is ever due, its rule or zone cannot be followed, or it says
                nothing.
            NotFound: its conversation, or the reminder of its id, is another user's.
        """
        if reminder.id and (there := await self._reminders.get(reminder.id)) is not None:
            return _own(there, reminder.user)
        if reminder.conversation:
            held = await self._store.conversation(reminder.conversation)
            if held is not None and held.user != reminder.user:
                raise NotFound("conversation", reminder.conversation)
        made = moves.begun(reminder, self._clock.now(), self.workdays(reminder.timezone))
        made = moves.named(made, self._clock.new_id)
        stored = _own(await self._reminders.add(made), reminder.user)
        self._tell(stored)
        return stored

    async def get(self, reminder: str, user: str | None) -> Reminder:
        """One reminder; ``user`` must own it, None for an operator.

        Raises:
            NotFound: there is none of his.
        """
        found = await self._reminders.get(reminder)
        if found is None:
            raise NotFound("reminder", reminder)
        return _own(found, user)

    async def list(
        self,
        user: str | None,
        *,
        state: Collection[ReminderState] = (),
        conversation: str | None = None,
        due_from: datetime | None = None,
        due_to: datetime | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> Sequence[Reminder]:
        """Reminders, newest first; see ``ports.Reminders.reminders``."""
        return await self._reminders.reminders(
            user=user,
            conversation=conversation,
            state=state,
            due_from=due_from,
            due_to=due_to,
            limit=limit,
            before=before,
        )

    async def change(self, reminder: str, user: str | None, changes: Changes) -> Reminder:
        """Change it. A new time is never due at once: what it would have been due before now is
        passed over (case T40). One that was done is active again when its new time is to come.

        Raises:
            NotFound: there is none of his.
            Conflict: it was cancelled.
            CallerError: as ``add``.
        """

        def move(one: Reminder, now: datetime) -> Reminder:
            return moves.changed(one, changes, now, self.workdays(changes.timezone or one.timezone))

        return await self._moved(reminder, user, move)

    async def snooze(self, reminder: str, user: str | None, until: datetime) -> Reminder:
        """Have it quiet until then and due then, once more where it has fired; after that it goes
        on as ever (case T42).

        Raises:
            NotFound: there is none of his.
            Conflict: it is paused or cancelled.
            CallerError: ``until`` is not to come.
        """
        return await self._moved(reminder, user, lambda one, now: moves.snoozed(one, until, now))

    async def pause(self, reminder: str, user: str | None) -> Reminder:
        """Have nothing due until it is resumed.

        Raises:
            NotFound: there is none of his.
            Conflict: nothing of it is due any more.
        """
        return await self._moved(reminder, user, moves.paused)

    async def resume(self, reminder: str, user: str | None) -> Reminder:
        """Go on; what was due during the pause is passed over.

        Raises:
            NotFound: there is none of his.
            Conflict: nothing of it is due any more, or its only time has passed meanwhile.
        """
        return await self._moved(
            reminder,
            user,
            lambda one, now: moves.resumed(one, now, self.workdays(one.timezone)),
        )

    async def cancel(self, reminder: str, user: str | None) -> Reminder:
        """End it for good. A run that it has started goes on. Twice is as once.

        Raises:
            NotFound: there is none of his.
        """
        return await self._moved(reminder, user, moves.cancelled)

    async def occurrences(
        self,
        reminder: str,
        user: str | None,
        *,
        limit: int = 50,
        before: datetime | None = None,
    ) -> Sequence[Occurrence]:
        """What became of it each time, the latest first.

        Raises:
            NotFound: there is none of his.
        """
        await self.get(reminder, user)
        return await self._reminders.occurrences(reminder, limit=limit, before=before)

    async def follow(self, user: str) -> AsyncGenerator[None]:
        """Something may have changed in the user's reminders; once at the beginning, without end.
        Now and then also when nothing has: another process on a file tells no news."""
        async with self._bus.watch(reminders_news(user)) as news:
            while True:
                yield
                with anyio.move_on_after(LOOK):
                    await anext(news)

    async def serve(self) -> None:
        """Do what is due until cancelled; any number of processes at once."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._attending.serve)
            await self.firing.serve()

    async def _moved(
        self, reminder: str, user: str | None, move: Callable[[Reminder, datetime], Reminder]
    ) -> Reminder:
        """The reminder after the move, made again where it was fired or changed meanwhile."""
        while True:
            before = await self.get(reminder, user)
            after = move(before, self._clock.now())
            if after == before:
                return before
            if await self._reminders.change(after):
                self._tell(after)
                return after

    def _tell(self, reminder: Reminder) -> None:
        self._bus.publish(reminders_news(reminder.user), Signal(0))
        if reminder.next is not None:
            self.firing.wake()


def _own(reminder: Reminder, user: str | None) -> Reminder:
    if user not in (None, reminder.user):
        raise NotFound("reminder", reminder.id)
    return reminder
