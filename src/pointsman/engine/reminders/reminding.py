"""Puts the parts of reminders together, for the service."""

from collections.abc import Collection

from pointsman.domain.calendar.workdays import Workdays
from pointsman.engine.notices.post import Post
from pointsman.engine.observing import ObservedBus
from pointsman.engine.reminders.attending import Attending
from pointsman.engine.reminders.book import ReminderBook
from pointsman.engine.reminders.firing import Firing
from pointsman.engine.reminders.planned_firing import Planning
from pointsman.ports import Clock, KeepsReminders, Queue, Store


def reminder_book(
    store: Store,
    post: Post,
    queue: Queue,
    clock: Clock,
    bus: ObservedBus,
    *,
    agents: Collection[str],
    workdays: Workdays | None = None,
    actions: bool = True,
) -> ReminderBook | None:
    """The reminders of a store; None when it keeps none.

    Args:
        bus: tells of the runs that this process drives.
        agents: that it drives.
        workdays: China's calendar.
        actions: fire them here, besides the texts.
    """
    if not isinstance(store, KeepsReminders):
        return None
    planning = Planning(store, post, clock, bus)
    firing = Firing(
        store.reminders,
        planning,
        queue,
        clock,
        bus,
        agents=agents,
        workdays=workdays,
        actions=actions,
    )
    attending = Attending(store.reminders, post)
    bus.add(attending)
    return ReminderBook(store.reminders, store, firing, attending, clock, bus, workdays=workdays)
