"""Reminders and their occurrences, on both databases, as two processes have them."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.postgres_upkeep import PostgresUpkeep
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.store.sqlite_upkeep import SqliteUpkeep
from pointsman.domain.directory.recipients import Way
from pointsman.domain.reminders.covering import Covered
from pointsman.domain.reminders.reminder import (
    Occurrence,
    OccurrenceState,
    Reminder,
    ReminderState,
    Target,
)
from pointsman.domain.reminders.reminder_moves import fired
from pointsman.ports import Append, Settlement
from tests.adapters.store.records import record, row
from tests.adapters.store.test_notices import delivery
from tests.support.reminders import DAILY, DAY, HOUR, MORNING, at, reminder

pytestmark = pytest.mark.anyio

Pair = tuple[SqlStore, SqlStore]


@pytest.fixture(params=["sqlite", "postgres"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pair]:
    def opened() -> SqlStore:
        if request.param == "sqlite":
            return sqlite(tmp_path / "test.db")
        return postgres(request.getfixturevalue("postgres_url"))

    pair = opened(), opened()
    yield pair
    for store in pair:
        await store.aclose()


def made(number: int = 1, **more: object) -> Reminder:
    """A stored reminder that is due at 11:00."""
    given: dict[str, object] = {
        "id": f"{number:032x}",
        "conversation": "c1",
        "next": at(11),
        "handled": MORNING,
        "created": MORNING,
        "updated": MORNING,
        **more,
    }
    return replace(reminder(at(11)), **given)


def settlement(one: Reminder, now: object = None, **more: object) -> Settlement:
    done = fired(one, now or at(11), None)  # type: ignore[arg-type]
    assert done is not None
    assert done.occurrence is not None
    return Settlement(occurrences=(done.occurrence,), reminders=(done.reminder,), **more)  # type: ignore[arg-type]


async def due(store: SqlStore, *, hour: int = 11, agents: tuple[str, ...] = ("desk",)) -> list[str]:
    found = await store.reminders.due(
        at(hour), agents=agents, waited=at(hour) - 10 * HOUR, limit=100
    )
    return [one.id for one in found]


async def test_a_reminder_comes_back_as_it_was_added(stores: Pair) -> None:
    way = Way(channel="weixingroup", address="产品群", name="产品群", also={"email": "a@b.test"})
    whole = replace(
        reminder(at(9), DAILY, action="数一数知识库"),
        id="a" * 32,
        conversation="c1",
        language="en",
        title="日报",
        words="每天早上9点",
        target=Target(ways=(way,), mention="安"),
        covered=(Covered(tool="pay", arguments={"n": 5, "to": ["王芳"]}, digest="d", open=("m",)),),
        grace=timedelta(hours=3),
        run="r1",
        next=at(9, day=6),
        snoozed=at(9, 30, day=6),
        handled=MORNING,
        created=MORNING,
        updated=MORNING,
        version=7,
    )
    assert await stores[0].reminders.add(whole) == whole
    found = await stores[1].reminders.get(whole.id)
    assert found == whole
    assert found is not None
    assert found.schedule.start.tzinfo == whole.schedule.start.tzinfo
    assert await stores[1].reminders.get("none") is None


async def test_one_of_an_id_that_is_there_is_not_added_again(stores: Pair) -> None:
    await stores[0].reminders.add(made(text="first"))
    assert (await stores[1].reminders.add(made(text="second"))).text == "first"


async def test_lists_are_of_a_user_a_state_and_a_span_and_go_on_from_an_id(stores: Pair) -> None:
    store = stores[0].reminders
    for number in range(1, 6):
        await store.add(made(number, next=at(10 + number)))
    await store.add(made(6, user="bob", state=ReminderState.DONE, next=None))
    ids = [one.id[-1] for one in await store.reminders(user="ann", limit=3)]
    assert ids == ["5", "4", "3"]
    page = await store.reminders(user="ann", before=f"{3:032x}")
    assert [one.id[-1] for one in page] == ["2", "1"]
    span = await store.reminders(due_from=at(12), due_to=at(14))
    assert [one.id[-1] for one in span] == ["3", "2"]
    assert [one.user for one in await store.reminders(state=(ReminderState.DONE,))] == ["bob"]
    assert await store.reminders(conversation="c2") == []


async def test_a_change_of_what_was_changed_since_is_refused(stores: Pair) -> None:
    first, second = stores
    one = await first.reminders.add(made())
    assert await second.reminders.change(replace(one, text="新", version=2))
    assert not await first.reminders.change(replace(one, text="旧", version=2))
    found = await first.reminders.get(one.id)
    assert found is not None
    assert (found.text, found.version) == ("新", 2)


async def test_what_is_due_comes_first_due_first_and_nothing_early(stores: Pair) -> None:
    store = stores[0]
    await store.reminders.add(made(1, next=at(11)))
    await store.reminders.add(made(2, next=at(10, 59)))
    await store.reminders.add(made(3, next=at(11, 1)))
    await store.reminders.add(made(4, next=None, state=ReminderState.PAUSED))
    assert [one[-1] for one in await due(store)] == ["2", "1"]
    assert await store.reminders.next_due() == at(10, 59)


async def test_an_action_of_an_agent_that_nobody_drives_waits(stores: Pair) -> None:
    store = stores[0]
    await store.reminders.add(replace(made(1), kind="action", action="数", agent="gone"))
    assert await due(store) == []
    assert len(await due(store, agents=("gone",))) == 1
    assert len(await due(store, hour=23)) == 1


async def test_next_due_is_none_when_nothing_waits(stores: Pair) -> None:
    await stores[0].reminders.add(made(1, next=None, state=ReminderState.CANCELLED))
    assert await stores[0].reminders.next_due() is None


async def test_what_comes_of_a_reminder_is_stored_as_a_whole(stores: Pair) -> None:
    store = stores[0]
    one = await store.reminders.add(made())
    run = Append(expected=-1, rows=(row(0),), run=record("r1", conversation="c9"))
    whole = settlement(one, deliveries=(delivery(1),), run=run)
    assert await store.reminders.settle([whole]) == [True]
    other = stores[1]
    assert await other.reminders.occurrences(one.id) == list(whole.occurrences)
    assert await other.reminders.get(one.id) == whole.reminders[0]
    assert [one.id for one in await other.outbox.deliveries()] == [delivery(1).id]
    assert (await other.record("r1")) is not None
    assert await other.reminders.next_due() is None


async def test_who_settles_second_stores_nothing(stores: Pair) -> None:
    one = await stores[0].reminders.add(made())
    run = Append(expected=-1, rows=(row(0),), run=record("r1"))
    assert await stores[0].reminders.settle([settlement(one, deliveries=(delivery(1),))]) == [True]
    second = settlement(one, deliveries=(delivery(2),), run=run)
    assert await stores[1].reminders.settle([second]) == [False]
    assert len(await stores[1].outbox.deliveries()) == 1
    assert await stores[1].record("r1") is None


async def test_processes_that_settle_at_once_settle_each_once(stores: Pair) -> None:
    for number in range(1, 61):
        await stores[0].reminders.add(made(number))
    stood: list[str] = []

    async def work(store: SqlStore, first: int) -> None:
        while found := await store.reminders.due(at(11), agents=(), waited=at(11), limit=20):
            plans = [
                settlement(one, deliveries=(delivery(first + int(one.id, 16)),)) for one in found
            ]
            settled = await store.reminders.settle(plans)
            stood.extend(one.id for one, stands in zip(found, settled, strict=True) if stands)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work, stores[0], 1000)
        tasks.start_soon(work, stores[1], 2000)
    assert len(stood) == len(set(stood)) == 60
    assert len(await stores[0].outbox.deliveries(limit=200)) == 60


async def test_an_occurrence_that_is_there_hands_nothing_in_again(stores: Pair) -> None:
    store = stores[0]
    one = await store.reminders.add(made())
    first = settlement(one, deliveries=(delivery(1),))
    await store.reminders.settle([first])
    back = replace(first.reminders[0], state=ReminderState.ACTIVE, next=at(11), handled=MORNING)
    back = replace(back, version=back.version + 1)
    assert await store.reminders.change(back)
    again = settlement(back, at(12), deliveries=(delivery(2),))
    assert await store.reminders.settle([again]) == [True]
    assert await store.reminders.occurrences(one.id) == list(first.occurrences)
    assert len(await store.outbox.deliveries()) == 1


async def test_one_of_several_that_was_changed_holds_all_of_its_settlement_back(
    stores: Pair,
) -> None:
    store = stores[0]
    both = [await store.reminders.add(made(number)) for number in (1, 2)]
    await store.reminders.change(replace(both[1], text="新", version=2))
    plans = [settlement(one) for one in both]
    together = Settlement(
        occurrences=tuple(one for plan in plans for one in plan.occurrences),
        reminders=tuple(one for plan in plans for one in plan.reminders),
        deliveries=(delivery(1),),
    )
    assert await store.reminders.settle([together]) == [False]
    assert await store.reminders.occurrences(both[0].id) == []
    assert await store.outbox.deliveries() == []


async def test_occurrences_come_latest_first_and_go_on_from_an_instant(stores: Pair) -> None:
    store = stores[0]
    one = await store.reminders.add(
        replace(made(), schedule=reminder(at(11), DAILY).schedule, next=at(9, day=6))
    )
    for day in (6, 7, 8):
        plan = settlement(one, at(9, day=day))
        assert await store.reminders.settle([plan]) == [True]
        one = plan.reminders[0]
    dues = [each.due for each in await store.reminders.occurrences(one.id)]
    assert dues == [at(9, day=8), at(9, day=7), at(9, day=6)]
    page = await store.reminders.occurrences(one.id, before=at(9, day=8), limit=1)
    assert [each.due for each in page] == [at(9, day=7)]


async def test_what_is_ahead_of_the_clock_is_found_and_wound_back(stores: Pair) -> None:
    store = stores[0]
    one = await store.reminders.add(made())
    done = settlement(one, at(11) + 2 * DAY)
    assert done.occurrences[0].state is OccurrenceState.MISSED
    await store.reminders.settle([done])
    assert await store.reminders.ahead(at(11), 10) == []
    (ahead,) = await store.reminders.ahead(MORNING, 10)
    back = replace(ahead, state=ReminderState.ACTIVE, next=at(11), version=ahead.version + 1)
    assert await store.reminders.rewind(back, MORNING)
    assert not await store.reminders.rewind(back, MORNING)
    assert await store.reminders.occurrences(one.id) == []
    assert await store.reminders.next_due() == at(11)


async def test_what_is_old_is_forgotten_and_what_goes_on_stays(stores: Pair) -> None:
    store = stores[0]
    over = await store.reminders.add(made(1))
    going = await store.reminders.add(
        replace(made(2), schedule=reminder(at(11), DAILY).schedule, next=at(9, day=6))
    )
    kept = await store.reminders.add(made(3, user="bob"))
    await store.reminders.settle([settlement(over), settlement(kept)])
    await store.reminders.settle([settlement(going, at(9, day=6))])
    before = at(12, day=30)
    asked = {"users": ("bob",), "before": before}
    assert await store.reminders.forget(**asked, rehearsed=True) == 3  # type: ignore[arg-type]
    assert await store.reminders.forget(**asked, rehearsed=False) == 3  # type: ignore[arg-type]
    assert await store.reminders.get(over.id) is None
    assert await store.reminders.get(going.id) is not None
    assert await store.reminders.occurrences(going.id) == []
    assert len(await store.reminders.occurrences(kept.id)) == 1
    assert await store.reminders.forget(**asked, rehearsed=False) == 0  # type: ignore[arg-type]


def test_an_occurrences_key_is_its_reminder_and_its_instant() -> None:
    one = Occurrence(reminder="r1", due=at(11), state=OccurrenceState.FIRED, fired=at(11) + HOUR)
    assert one.key == "r1@20250305T030000Z"
    assert one.late == HOUR


async def test_reminders_are_copied_with_their_occurrences(
    tmp_path: Path, postgres_url: str
) -> None:
    file = tmp_path / "one.db"
    store = sqlite(file)
    one = await store.reminders.add(made())
    whole = settlement(one)
    await store.reminders.settle([whole])
    await store.aclose()
    source, target = SqliteUpkeep(file), PostgresUpkeep(postgres_url)
    with source.copy_to(target) as copying:
        copying.copy(lambda table, done, total: None)
        copying.commit()
    source.close()
    target.close()
    copied = postgres(postgres_url)
    assert await copied.reminders.get(one.id) == whole.reminders[0]
    assert await copied.reminders.occurrences(one.id) == list(whole.occurrences)
    await copied.aclose()


async def test_a_zone_that_this_machine_does_not_know_spoils_no_other_reminder(
    stores: Pair,
) -> None:
    odd = await stores[0].reminders.add(replace(made(), timezone="Mars/Olympus"))
    assert await due(stores[1]) == [odd.id]
    found = await stores[1].reminders.get(odd.id)
    assert found is not None
    assert found.schedule.start == at(11)
