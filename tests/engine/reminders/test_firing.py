"""What is due is done once, whatever crashes or runs twice: texts (O2, O3).

The cases of group 7 that are about firing, on a real store.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.directory.recipients import Way
from pointsman.domain.notices.delivery import DeliveryStatus
from pointsman.domain.reminders.reminder import (
    Changes,
    Occurrence,
    OccurrenceState,
    Reminder,
    ReminderState,
    Target,
)
from pointsman.engine.reminders import firing
from pointsman.engine.service import Service
from pointsman.ports import Settlement
from tests.cases import params
from tests.support.engine import message, serving
from tests.support.notices import PlayedChannel, carrying
from tests.support.reminders import (
    DAILY,
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    SHANGHAI,
    StillClock,
    at,
    engine,
    fire,
    inbox,
    reminder,
)
from tests.support.waiting import until, until_it_is

pytestmark = pytest.mark.anyio


async def history(service: Service, one: Reminder) -> list[Occurrence]:
    """Its occurrences, earliest first."""
    return list(reversed(await service.reminders.occurrences(one.id, "ann", limit=500)))


async def test_a_text_goes_to_its_owners_inbox_at_its_time_and_not_before(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    one = await service.reminders.add(reminder(title="水"))
    clock.goto(at(11) - timedelta(microseconds=1))
    assert await fire(service) == 0
    clock.goto(at(11))
    assert await fire(service) == 1
    assert await fire(service) == 0
    (sent,) = await store.outbox.deliveries()
    assert (sent.channel, sent.address, sent.kind) == ("system", "ann", "reminder")
    assert (sent.body, sent.subject, sent.sender) == ("喝水", "提醒：水", "ann")
    (occurrence,) = await history(service, one)
    assert (occurrence.state, occurrence.deliveries) == (OccurrenceState.FIRED, (sent.id,))
    assert (await service.reminders.get(one.id, "ann")).state is ReminderState.DONE


@pytest.mark.parametrize("case", params(7, only=("T35",)))
async def test_one_missed_while_down_fires_once_on_return_and_says_how_late(
    service: Service, clock: StillClock, store: SqlStore, case: dict[str, Any]
) -> None:
    due = datetime.fromisoformat(case["input"]["due"])
    clock.goto(due - HOUR)
    one = await service.reminders.add(reminder(due))
    clock.goto(due + 40 * MINUTE)
    await fire(service)
    assert await inbox(store) == ["喝水 （迟到 40 分钟）"]
    assert [each.state for each in await history(service, one)] == [OccurrenceState.LATE]


@pytest.mark.parametrize("case", params(7, only=("T35",)))
async def test_what_is_older_than_its_grace_is_told_once_for_all_and_not_done(
    service: Service, clock: StillClock, store: SqlStore, case: dict[str, Any]
) -> None:
    assert "one summary notice" in case["expected"]["rule"]
    water = await service.reminders.add(reminder(at(11)))
    action = await service.reminders.add(reminder(at(12), action="数一数知识库"))
    await service.reminders.add(reminder(at(12), user="bob", language="en", text="drink"))
    clock.goto(at(13, day=6))
    await fire(service)
    (told,) = await inbox(store)
    assert "2025-03-05 11:00 喝水" in told
    assert "2025-03-05 12:00 数一数知识库" in told
    assert "too late" in (await inbox(store, "bob"))[0]
    for one in (water, action):
        (occurrence,) = await history(service, one)
        assert (occurrence.state, occurrence.run) == (OccurrenceState.MISSED, "")
    assert await store.records() == []


@pytest.mark.parametrize("case", params(7, only=("T36",)))
async def test_a_backlog_fires_once_and_then_at_the_next_regular_time(
    service: Service, clock: StillClock, store: SqlStore, case: dict[str, Any]
) -> None:
    one = await service.reminders.add(reminder(at(11), "FREQ=MINUTELY"))
    clock.goto(at(11))
    await fire(service)
    clock.goto(at(11) + case["input"]["down_minutes"] * MINUTE)
    assert await fire(service) == case["expected"]["fires_at_start"]
    latest = (await history(service, one))[-1]
    assert (latest.due, latest.passed) == (at(12, 30), 89)
    assert (await service.reminders.get(one.id, "ann")).next == at(12, 31)
    assert "89" in (await inbox(store))[-1]


@pytest.mark.parametrize("case", params(7, only=("T37",)))
async def test_seconds_of_delay_are_not_called_late(
    service: Service, clock: StillClock, store: SqlStore, case: dict[str, Any]
) -> None:
    due = datetime.fromisoformat(f"2025-03-05T{case['input']['due']}+00:00")
    reached = datetime.fromisoformat(f"2025-03-05T{case['input']['loop_reached']}00000+00:00")
    one = await service.reminders.add(reminder(due))
    clock.goto(reached)
    assert await fire(service) == 1
    assert await inbox(store) == ["喝水"]
    assert [each.state for each in await history(service, one)] == [OccurrenceState.FIRED]


@pytest.mark.parametrize("case", params(7, only=("T34",)))
async def test_a_clock_set_back_fires_nothing_twice(store: SqlStore, case: dict[str, Any]) -> None:
    now = datetime.fromisoformat(case["input"]["now"])
    clock = StillClock(datetime.fromisoformat(case["input"]["clock_set_to"]) - HOUR)
    service = await engine(store, clock)
    due = datetime.fromisoformat(case["input"]["due"].split(" (")[0])
    one = await service.reminders.add(reminder(due, "FREQ=DAILY"))
    clock.goto(now)
    await fire(service)
    clock.goto(datetime.fromisoformat(case["input"]["clock_set_to"]))
    for _ in range(90):
        await fire(service)
        clock.advance(60)
    assert [each.due for each in await history(service, one)] == [due]
    assert len(await inbox(store)) == 1
    assert (await service.reminders.get(one.id, "ann")).next == due + DAY


async def test_a_clock_that_was_far_ahead_costs_no_occasion(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    daily = await service.reminders.add(reminder(at(9), DAILY))
    once = await service.reminders.add(reminder(at(15, day=7)))
    clock.goto(at(10, day=20))  # the clock is wrong by two weeks
    await fire(service)
    clock.goto(at(11))
    for hours in range(24 * 4):
        clock.goto(at(11) + hours * HOUR)
        await fire(service)
    dues = [f"{each.due.astimezone(SHANGHAI):%d}" for each in await history(service, daily)]
    assert dues == ["06", "07", "08", "09", "20"]
    assert [each.due for each in await history(service, once)] == [at(15, day=7)]
    assert (await service.reminders.get(daily.id, "ann")).next == at(9, day=10)
    clock.goto(at(10, day=20))
    await fire(service)
    assert len([each for each in await history(service, daily) if each.due == at(9, day=20)]) == 1


async def test_a_restarted_process_finds_that_the_clock_was_set_back(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    daily = await service.reminders.add(reminder(at(9), DAILY))
    clock.goto(at(10, day=20))
    await fire(service)
    clock.goto(at(11))
    again = await engine(store, clock)
    await fire(again)
    assert (await again.reminders.get(daily.id, "ann")).next == at(9, day=6)


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("case", params(7, only=("T39",)))
async def test_a_crash_between_the_channels_yes_and_the_mark_sends_again_with_the_same_key(
    store: SqlStore, clock: StillClock, case: dict[str, Any], keyed: bool
) -> None:
    assert case["input"]["steps"] == ["claim", "send ok", "kill -9", "lease expires"]
    channel = PlayedChannel(keyed=keyed)
    service = await engine(store, clock, channels={"email": channel})
    way = Way(channel="email", address="ann@a.test", name="安", login="ann")
    await service.reminders.add(reminder(target=Target(ways=(way,))))
    clock.goto(at(11))
    await fire(service)
    now = clock.now()
    lease = now + timedelta(seconds=10)
    (claimed,) = await store.outbox.claim("email", now, token="gone", until=lease, limit=1)
    clock.advance(11)  # whoever had claimed it sent it and was killed before he could mark it
    assert await fire(service) == 0
    async with carrying(service.mailroom):
        (stands,) = await service.mailroom.post.settled([claimed.id], 5)
    assert [letter.key for letter in channel.letters] == [claimed.id]
    assert (stands.status, stands.maybe_duplicated) == (DeliveryStatus.SENT, not keyed)


@pytest.mark.parametrize("case", params(7, only=("T45",)))
async def test_a_reminder_goes_where_it_was_made_whatever_came_after(
    store: SqlStore, clock: StillClock, case: dict[str, Any]
) -> None:
    group = case["input"]["created_in"].split(" by ")[0]
    service = await engine(store, clock, ["hi"], channels={"weixingroup": PlayedChannel()})
    way = Way(channel="weixingroup", address=group, name=group)
    one = await service.reminders.add(reminder(target=Target(ways=(way,), mention="A")))
    async with serving(service):
        await service.wait(await service.submit(message("hello", user="bob")), "bob")
    clock.goto(at(11))
    await fire(service)
    (sent,) = await store.outbox.deliveries()
    assert (sent.channel, sent.address, sent.body) == ("weixingroup", group, "@A 喝水")
    assert len(await history(service, one)) == 1


async def test_a_channel_that_is_gone_fails_the_occurrence_and_not_the_reminder(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    ways = (
        Way(channel="pager", address="17", name="ann", login="ann"),
        Way(channel="system", address="bob", name="bob", login="bob"),
    )
    one = await service.reminders.add(reminder(at(9), DAILY, target=Target(ways=ways)))
    for day in (6, 7):
        clock.goto(at(9, day=day))
        await fire(service)
    assert [each.state for each in await history(service, one)] == [OccurrenceState.FAILED] * 2
    assert await inbox(store, "bob") == ["喝水", "喝水"]
    first, second = await inbox(store, "ann")
    assert "pager" in first
    assert first != second
    assert (await service.reminders.get(one.id, "ann")).next == at(9, day=8)


async def test_a_rule_that_nobody_can_follow_any_more_pauses_its_reminder_alone(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    broken = await service.reminders.add(reminder(at(9), DAILY))
    sound = await service.reminders.add(reminder(at(9), DAILY))
    stored = await service.reminders.get(broken.id, "ann")
    odd = replace(stored, schedule=replace(stored.schedule, rule="FREQ=NEVER"), version=2)
    assert await store.reminders.change(odd)
    clock.goto(at(9, day=6))
    assert await fire(service) == 2
    assert (await service.reminders.get(broken.id, "ann")).state is ReminderState.PAUSED
    assert [each.state for each in await history(service, sound)] == [OccurrenceState.FIRED]
    assert any("没有完成" in text for text in await inbox(store))


class Meddled:
    """``ports.Reminders`` in which somebody changes a reminder just before something is settled."""

    def __init__(self, service: Service, store: SqlStore, *changes: Changes) -> None:
        self._service, self._real, self._changes = service, store.reminders, list(changes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        if self._changes:
            changes = self._changes.pop()
            for one in settlements[0].reminders:
                await self._service.reminders.change(one.id, None, changes)
        return await self._real.settle(settlements)


async def test_a_change_while_it_fires_counts(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    one = await service.reminders.add(reminder())
    service.reminders.firing._reminders = Meddled(service, store, Changes(text="喝茶"))
    clock.goto(at(11))
    assert await service.reminders.firing.fire() == 0
    assert await inbox(store) == []
    assert await service.reminders.firing.fire() == 1
    assert await inbox(store) == ["喝茶"]
    assert len(await history(service, one)) == 1


async def test_two_processes_fire_each_occurrence_once(
    store: SqlStore, clock: StillClock, tmp_path: Path
) -> None:
    other = sqlite(tmp_path / "test.db")
    both = [await engine(one, clock) for one in (store, other)]
    made = [await both[0].reminders.add(reminder(text=str(n))) for n in range(300)]
    clock.goto(at(11))
    async with anyio.create_task_group() as tasks:
        for service in both:
            tasks.start_soon(fire, service)
    while await fire(both[0]):
        pass
    texts = await inbox(store)
    assert sorted(map(int, texts)) == list(range(300))
    assert [len(await history(both[1], one)) for one in made[:5]] == [1] * 5
    await other.aclose()


async def test_serving_wakes_at_the_next_instant_and_not_before(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    async with serving(service):
        late = await service.reminders.add(reminder(at(10) + 3 * SECOND, text="second"))
        await service.reminders.add(reminder(at(10) + 2 * SECOND, text="first"))
        await _asleep_until(clock, 2)
        clock.advance(1.9)
        assert await inbox(store) == []
        clock.advance(0.1)
        await until_it_is(lambda: _has_fired(store, "first"))
        assert await history(service, late) == []
        await _asleep_until(clock, 3)
        clock.advance(1)
        await until_it_is(lambda: _has_fired(store, "second"))


async def _asleep_until(clock: StillClock, seconds: float) -> None:
    await until(lambda: any(one.due == seconds and not one.cancelled for one in clock.timers))


async def _has_fired(store: SqlStore, text: str) -> bool:
    return text in await inbox(store)


async def test_a_clock_that_jumps_ahead_is_seen_within_seconds(
    service: Service, clock: StillClock, store: SqlStore
) -> None:
    async with serving(service):
        await service.reminders.add(reminder(at(18)))
        await _asleep_until(clock, firing.POLL)
        clock.set(at(18))  # and nobody's sleep is any shorter by that
        assert await inbox(store) == []
        clock.advance(firing.POLL)
        await until_it_is(lambda: _has_fired(store, "喝水"))
