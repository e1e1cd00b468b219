"""Reminders of a test, and an engine that fires them on a clock that the test owns."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import anyio

from pointsman.adapters.store.sql import SqlStore
from pointsman.domain.reminders.reminder import Reminder
from pointsman.domain.schedule import Schedule
from pointsman.engine.service import Service
from pointsman.ports import Tool
from tests.support.engine import service_of
from tests.support.fake_clock import FakeClock
from tests.support.notices import PlayedChannel, mailroom
from tests.support.scripted_model import Script

SHANGHAI = ZoneInfo("Asia/Shanghai")
MORNING = datetime(2025, 3, 5, 2, 0, tzinfo=UTC)
"""10:00 in Shanghai."""
DAILY = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class StillClock(FakeClock):
    """A clock on which whoever sleeps wakes when the test has let the time pass."""

    async def sleep(self, seconds: float) -> None:
        over = anyio.Event()
        timer = self.call_later(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()

    def goto(self, instant: datetime) -> None:
        """Let the time pass until then."""
        self.advance((instant - self.now()).total_seconds())

    def set(self, instant: datetime) -> None:
        """Put the clock forward or back; who sleeps sleeps on."""
        self._start += instant - self.now()


def at(hour: int, minute: int = 0, *, day: int = 5) -> datetime:
    """An instant of March 2025 by Shanghai's clock."""
    return datetime(2025, 3, day, hour, minute, tzinfo=SHANGHAI)


def reminder(
    start: datetime | None = None, rule: str = "", *, user: str = "ann", **more: Any
) -> Reminder:
    """A reminder, at 11:00 of the day when nothing else is said."""
    start = start or at(11)
    given: dict[str, Any] = {
        "agent": "desk",
        "kind": "action" if "action" in more else "text",
        "schedule": Schedule(start=start, rule=rule),
        "timezone": "Asia/Shanghai",
        "text": "" if "action" in more else "喝水",
        **more,
    }
    return Reminder(user=user, **given)


async def engine(
    store: SqlStore,
    clock: FakeClock,
    script: Script = (),
    *tools: Tool,
    channels: dict[str, PlayedChannel] | None = None,
    policy: Sequence[dict[str, Any]] = (),
    **more: Any,
) -> Service:
    """An engine with reminders and these channels beside the inbox; nothing serves yet."""
    room = mailroom(store, channels or {}, clock=clock)
    script = list(script) if isinstance(script, tuple) else script
    return await service_of(
        script, *tools, store=store, clock=clock, mailroom=room, policy=policy, **more
    )


async def fire(service: Service) -> int:
    """Everything that is due now."""
    moved = 0
    while some := await service.reminders.firing.fire():
        moved += some
    return moved


async def inbox(store: SqlStore, user: str = "ann") -> list[str]:
    """What was handed in for the user's inbox, oldest first, whether it has been carried or
    not."""
    found = await store.outbox.deliveries(channel="system", limit=1000)
    return [one.body for one in reversed(found) if one.address == user]
