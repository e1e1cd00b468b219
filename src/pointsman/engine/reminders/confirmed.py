"""Calls that the user confirmed when he made a reminder: each lets one call through, once in the
whole occurrence, whichever run of it makes the call.

Above: ``calling``, on the way to the gate. Below: what workers share through the store.
"""

from datetime import datetime

import msgspec

from pointsman.domain import schedule
from pointsman.domain.reminders.covering import covering
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import ValidCall
from pointsman.engine import sharing
from pointsman.engine.driving import Driving

KEYS = sharing.key("covered", "")[: -len('""]')]
"""How the keys start under which it is noted which confirmations are used."""


async def taken(driving: Driving, call: ValidCall) -> str:
    """By what the call was confirmed in advance; empty when it was not, or another call has used
    that. Asked again for the same call, it says the same.

    Raises:
        StoreError: the database failed.
    """
    run = driving.journal.run
    reminder = run_tasks.reminder_of(run)
    if reminder is None:
        return ""
    mine = f"{run.id}:{call.key}".encode()
    for place in covering(reminder.covered, call.spec, call.arguments):
        key = sharing.key("covered", reminder.key, str(place))
        if (
            await driving.store.share(key, mine, expected=None)
            or await driving.store.shared(key) == mine
        ):
            return f"confirmed when reminder {reminder.reminder} was made"
    return ""


def due_of(key: str) -> datetime:
    """When the occurrence was due that a key of ``KEYS`` is about."""
    occasion: str = msgspec.json.decode(key)[1]
    return schedule.occasion_due(occasion)
