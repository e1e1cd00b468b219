"""Reminders as their owners see them."""

from typing import Any

import anyio
import pytest

from pointsman.adapters.store.sql import SqlStore
from pointsman.domain.reminders.covering import Covered
from pointsman.domain.reminders.reminder import Changes, Reminder, ReminderState
from pointsman.domain.schedule import Schedule
from pointsman.engine.service import Service
from pointsman.errors import CallerError, Conflict, NotFound
from tests.cases import params
from tests.support.engine import say
from tests.support.reminders import (
    DAILY,
    MINUTE,
    SHANGHAI,
    StillClock,
    at,
    fire,
    inbox,
    reminder,
)

pytestmark = pytest.mark.anyio


async def dues(service: Service, one: Reminder) -> list[str]:
    """When its occurrences were due, by Shanghai's clock, earliest first."""
    found = await service.reminders.occurrences(one.id, "ann")
    return [f"{each.due.astimezone(SHANGHAI):%d %H:%M}" for each in reversed(found)]


async def test_a_new_reminder_knows_when_it_is_due(service: Service) -> None:
    one = await service.reminders.add(reminder(at(9), DAILY))
    assert one.id
    assert one.conversation
    assert (one.next, one.state, one.version) == (at(9, day=6), ReminderState.ACTIVE, 1)
    assert await service.reminders.get(one.id, "ann") == one


async def test_a_time_within_a_second_is_never_early(service: Service) -> None:
    start = at(11).replace(microsecond=300_000)
    assert (await service.reminders.add(reminder(start))).next == at(11).replace(second=1)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (reminder(at(9)), "still to come"),
        (reminder(at(9), "FREQ=SOMETIMES"), "cannot be followed"),
        (reminder(timezone="Mars/Olympus"), "no time zone"),
        (reminder(text=" "), "needs a text"),
        (reminder(at(11).replace(tzinfo=None)), "needs a time zone"),
    ],
)
async def test_what_can_never_be_due_is_refused(
    service: Service, wrong: Reminder, words: str
) -> None:
    with pytest.raises(CallerError, match=words):
        await service.reminders.add(wrong)
    assert await service.reminders.list("ann") == []


async def test_a_reminder_made_twice_with_one_id_is_one(service: Service) -> None:
    one = await service.reminders.add(reminder(id="a" * 32))
    assert await service.reminders.add(reminder(id="a" * 32, text="other")) == one
    with pytest.raises(NotFound):
        await service.reminders.add(reminder(id="a" * 32, user="bob"))


async def test_another_users_conversation_is_not_found(service: Service) -> None:
    run = await say(service, user="bob")
    with pytest.raises(NotFound):
        await service.reminders.add(reminder(conversation=run.conversation))


async def test_another_users_reminder_is_not_found_for_anything(service: Service) -> None:
    one = await service.reminders.add(reminder())
    book = service.reminders
    for act in (
        book.get(one.id, "bob"),
        book.change(one.id, "bob", Changes(text="x")),
        book.snooze(one.id, "bob", at(12)),
        book.pause(one.id, "bob"),
        book.resume(one.id, "bob"),
        book.cancel(one.id, "bob"),
        book.occurrences(one.id, "bob"),
    ):
        with pytest.raises(NotFound):
            await act
    assert await book.get(one.id, None) == one


@pytest.mark.parametrize("case", params(7, only=("T40",)))
async def test_a_changed_time_does_not_fire_at_once(
    service: Service, clock: StillClock, store: SqlStore, case: dict[str, Any]
) -> None:
    clock.goto(at(8))
    one = await service.reminders.add(reminder(at(8), DAILY))
    clock.goto(at(10))
    evening = Schedule(start=at(10), rule="FREQ=DAILY;BYHOUR=18;BYMINUTE=0")
    changed = await service.reminders.change(one.id, "ann", Changes(schedule=evening))
    assert changed.next is not None
    assert changed.next.astimezone(SHANGHAI).isoformat() == case["expected"]["next"]
    assert await fire(service) == 0
    assert await inbox(store) == []


async def test_a_time_that_is_over_is_refused_in_a_change_too(service: Service) -> None:
    one = await service.reminders.add(reminder())
    with pytest.raises(CallerError, match="still to come"):
        await service.reminders.change(one.id, "ann", Changes(schedule=Schedule(start=at(9))))
    assert await service.reminders.get(one.id, "ann") == one


async def test_another_zone_keeps_the_time_on_the_clock(service: Service) -> None:
    one = await service.reminders.add(reminder(at(9), DAILY))
    moved = await service.reminders.change(one.id, "ann", Changes(timezone="Asia/Tokyo"))
    assert moved.next == at(8, day=6)


async def test_a_new_action_has_no_confirmation(service: Service) -> None:
    covered = (Covered(tool="pay", arguments={}, digest="d"),)
    one = await service.reminders.add(reminder(action="付款", covered=covered))
    same = await service.reminders.change(one.id, "ann", Changes(title="月租", action="付款"))
    assert same.covered == covered
    other = await service.reminders.change(one.id, "ann", Changes(action="付两次"))
    assert other.covered == ()


async def test_one_that_was_done_is_active_again_with_a_new_time(
    service: Service, clock: StillClock
) -> None:
    one = await service.reminders.add(reminder())
    clock.goto(at(11))
    assert await fire(service) == 1
    assert (await service.reminders.get(one.id, "ann")).state is ReminderState.DONE
    again = await service.reminders.change(one.id, "ann", Changes(schedule=Schedule(start=at(12))))
    assert (again.state, again.next) == (ReminderState.ACTIVE, at(12))


@pytest.mark.parametrize("case", params(7, only=("T42",)))
async def test_a_snooze_leaves_the_series_as_it_was(
    service: Service, clock: StillClock, case: dict[str, Any]
) -> None:
    one = await service.reminders.add(reminder(at(9), DAILY))
    clock.goto(at(9, day=6))
    await fire(service)
    until = clock.now() + case["input"]["snooze_minutes"] * MINUTE
    assert (await service.reminders.snooze(one.id, "ann", until)).next == until
    for instant in (at(9, 9, day=6), at(9, 10, day=6), at(9, day=7), at(9, 10, day=7)):
        clock.goto(instant)
        await fire(service)
    assert await dues(service, one) == ["06 09:00", "06 09:10", "07 09:00"]


async def test_one_snoozed_before_it_is_due_is_quiet_until_then(
    service: Service, clock: StillClock
) -> None:
    one = await service.reminders.add(reminder(at(9), "FREQ=HOURLY"))
    await service.reminders.snooze(one.id, "ann", at(13, 30))
    for hour in (11, 12, 13):
        clock.goto(at(hour))
        assert await fire(service) == 0
    clock.goto(at(14))
    assert await fire(service) == 1
    (occurrence,) = await service.reminders.occurrences(one.id, "ann")
    assert (occurrence.due, occurrence.passed) == (at(14), 1)


async def test_one_that_has_fired_can_be_snoozed(service: Service, clock: StillClock) -> None:
    one = await service.reminders.add(reminder())
    clock.goto(at(11))
    await fire(service)
    await service.reminders.snooze(one.id, "ann", at(11, 10))
    clock.goto(at(11, 10))
    assert await fire(service) == 1
    assert (await service.reminders.get(one.id, "ann")).state is ReminderState.DONE
    assert await dues(service, one) == ["05 11:00", "05 11:10"]


async def test_a_snooze_until_what_is_over_is_refused(service: Service) -> None:
    one = await service.reminders.add(reminder())
    with pytest.raises(CallerError, match="still to come"):
        await service.reminders.snooze(one.id, "ann", at(10))


async def test_nothing_is_due_in_a_pause_and_nothing_is_made_up_for(
    service: Service, clock: StillClock
) -> None:
    one = await service.reminders.add(reminder(at(9), DAILY))
    assert (await service.reminders.pause(one.id, "ann")).next is None
    clock.goto(at(12, day=8))
    assert await fire(service) == 0
    assert (await service.reminders.resume(one.id, "ann")).next == at(9, day=9)
    assert await fire(service) == 0


async def test_one_whose_time_passed_in_a_pause_cannot_be_resumed(
    service: Service, clock: StillClock
) -> None:
    one = await service.reminders.add(reminder())
    await service.reminders.pause(one.id, "ann")
    clock.goto(at(12))
    with pytest.raises(Conflict, match="another time"):
        await service.reminders.resume(one.id, "ann")
    await service.reminders.change(one.id, "ann", Changes(schedule=Schedule(start=at(13))))
    assert (await service.reminders.resume(one.id, "ann")).next == at(13)


async def test_a_cancelled_reminder_is_over_for_good(service: Service, clock: StillClock) -> None:
    one = await service.reminders.add(reminder(at(9), DAILY))
    gone = await service.reminders.cancel(one.id, "ann")
    assert await service.reminders.cancel(one.id, "ann") == gone
    for act in (
        service.reminders.change(one.id, "ann", Changes(text="x")),
        service.reminders.snooze(one.id, "ann", at(12)),
        service.reminders.pause(one.id, "ann"),
        service.reminders.resume(one.id, "ann"),
    ):
        with pytest.raises(Conflict):
            await act
    clock.goto(at(12, day=8))
    assert await fire(service) == 0


async def test_lists_are_by_state_and_newest_first(service: Service) -> None:
    first = await service.reminders.add(reminder())
    second = await service.reminders.add(reminder())
    await service.reminders.add(reminder(user="bob"))
    await service.reminders.cancel(first.id, "ann")
    assert [one.id for one in await service.reminders.list("ann")] == [second.id, first.id]
    going = await service.reminders.list("ann", state=(ReminderState.ACTIVE,))
    assert [one.id for one in going] == [second.id]


async def test_who_follows_hears_of_each_change(service: Service, clock: StillClock) -> None:
    heard: list[int] = []

    async def listen() -> None:
        async for _ in service.reminders.follow("ann"):
            heard.append(len(heard))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        await anyio.wait_all_tasks_blocked()
        one = await service.reminders.add(reminder())
        await service.reminders.add(reminder(user="bob"))
        await anyio.wait_all_tasks_blocked()
        assert len(heard) == 2
        assert one.next is not None
        clock.goto(one.next)
        await fire(service)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert len(heard) == 3


async def test_an_interval_keeps_its_anchor_through_a_snooze(
    service: Service, clock: StillClock
) -> None:
    one = await service.reminders.add(reminder(at(1), "FREQ=HOURLY;INTERVAL=24"))
    await service.reminders.snooze(one.id, "ann", at(11, 30))
    clock.goto(at(11, 30))
    await fire(service)
    assert (await service.reminders.get(one.id, "ann")).next == at(1, day=6)
