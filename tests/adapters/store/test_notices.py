"""The outbox and the inboxes, on both databases, as two processes have them."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.postgres_upkeep import PostgresUpkeep
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.store.sqlite_upkeep import SqliteUpkeep
from pointsman.domain.notices.delivery import SENT, Delivery, DeliveryStatus, Outcome, after_part
from pointsman.ports import InboxMessage
from tests.adapters.store.records import NOON

pytestmark = pytest.mark.anyio

Pair = tuple[SqlStore, SqlStore]
DOWN = Outcome(verdict="retry", about="channel", detail="down")
GONE = Outcome(verdict="failed", about="recipient", code="550")


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


def delivery(number: int, address: str = "", **more: object) -> Delivery:
    given: dict[str, object] = {
        "id": f"{number:032x}",
        "key": f"key {number}",
        "channel": "email",
        "recipient": "wang",
        "name": "王芳",
        "address": address or f"p{number}@a.test",
        "sender": "ann",
        "subject": "日报",
        "body": "正文",
        "created": NOON,
        "due": NOON,
        "updated": NOON,
    }
    return Delivery(**{**given, **more})  # type: ignore[arg-type]


def later(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


async def claim(
    store: SqlStore, token: str, *, at: float = 0.0, lease: float = 20.0, limit: int = 100
) -> list[Delivery]:
    now = NOON + later(at)
    return await store.outbox.claim(
        "email", now, token=token, until=now + later(lease), limit=limit
    )


async def test_a_delivery_comes_back_as_it_was_put(stores: Pair) -> None:
    whole = delivery(
        1,
        run="r1",
        agent="office",
        kind="reminder",
        language="en",
        fallback="system",
        fallback_address="wang",
        fallback_of="f" * 32,
        maybe_duplicated=True,
        since=NOON,
        sent=NOON,
        body="𝄞 \n\u200d'\"",
    )
    assert await stores[0].outbox.put([whole]) == [whole]
    assert await stores[1].outbox.deliveries(ids=[whole.id]) == [whole]


async def test_a_key_is_put_once_whoever_puts_it(stores: Pair) -> None:
    first, second = stores
    put: list[Delivery] = []

    async def race(store: SqlStore, number: int) -> None:
        put.extend(await store.outbox.put([delivery(number, key="same")]))

    async with anyio.create_task_group() as tasks:
        for number, store in enumerate((first, second) * 5):
            tasks.start_soon(race, store, number)
    assert len(put) == 10
    assert len({one.id for one in put}) == 1
    assert len(await first.outbox.deliveries()) == 1


async def test_what_is_claimed_is_claimed_by_one(stores: Pair) -> None:
    await stores[0].outbox.put([delivery(number) for number in range(60)])
    seen: list[str] = []

    async def work(store: SqlStore, token: str) -> None:
        for turn in range(40):
            claimed = await claim(store, f"{token}{turn}", limit=4)
            seen.extend(one.id for one in claimed)
            for one in claimed:
                done = after_part(one, SENT, NOON, jitter=0.5)
                assert await store.outbox.write(done, token=f"{token}{turn}")

    async with anyio.create_task_group() as tasks:
        for number, store in enumerate(stores):
            tasks.start_soon(work, store, f"t{number}-")
    assert len(seen) == len(set(seen)) == 60


async def test_at_most_one_of_a_lane_is_being_sent(stores: Pair) -> None:
    first, second = stores
    await first.outbox.put([delivery(number, "same@a.test") for number in range(5)])
    (one,) = await claim(first, "t1")
    assert one.id == delivery(0).id
    assert await claim(second, "t2") == []
    assert await first.outbox.write(after_part(one, SENT, NOON, jitter=0.5), token="t1")
    (two,) = await claim(second, "t2")
    assert two.id == delivery(1).id


async def test_a_lane_waits_for_the_rest_of_what_was_begun(stores: Pair) -> None:
    store = stores[0]
    await store.outbox.put([delivery(1, "same@a.test"), delivery(2, "same@a.test")])
    (one,) = await claim(store, "t1")
    begun = after_part(replace(one, parts=2), SENT, NOON, jitter=0.5)
    assert await store.outbox.write(begun, token="t1")
    stopped = after_part(begun, DOWN, NOON, jitter=0.5)
    assert await store.outbox.write(stopped, token="t1")
    assert await claim(store, "t2", at=1) == []
    (again,) = await claim(store, "t3", at=10)
    assert (again.id, again.done, again.attempts) == (one.id, 1, 2)


async def test_what_failed_whole_lets_the_next_pass(stores: Pair) -> None:
    store = stores[0]
    await store.outbox.put([delivery(1, "same@a.test"), delivery(2, "same@a.test")])
    (one,) = await claim(store, "t1")
    assert await store.outbox.write(after_part(one, DOWN, NOON, jitter=0.5), token="t1")
    (two,) = await claim(store, "t2")
    assert two.id == delivery(2).id


async def test_the_lease_of_who_vanished_passes_on_with_a_doubt(stores: Pair) -> None:
    first, second = stores
    await first.outbox.put([delivery(1)])
    (mine,) = await claim(first, "t1", lease=20)
    assert not mine.maybe_duplicated
    assert await claim(second, "t2", at=19) == []
    (theirs,) = await claim(second, "t2", at=20)
    assert theirs.maybe_duplicated
    assert theirs.attempts == 2
    assert not await first.outbox.write(after_part(mine, SENT, NOON, jitter=0.5), token="t1")
    assert await first.outbox.renew([mine.id], token="t1", until=NOON + later(99)) == set()


async def test_a_renewed_lease_holds(stores: Pair) -> None:
    first, second = stores
    await first.outbox.put([delivery(1)])
    (mine,) = await claim(first, "t1")
    held = await first.outbox.renew([mine.id, "no"], token="t1", until=NOON + later(100))
    assert held == {mine.id}
    assert await claim(second, "t2", at=99) == []
    assert len(await claim(second, "t3", at=100)) == 1


async def test_progress_does_not_shorten_a_renewed_lease(stores: Pair) -> None:
    store = stores[0]
    await store.outbox.put([delivery(1)])
    (mine,) = await claim(store, "t1")
    await store.outbox.renew([mine.id], token="t1", until=NOON + later(100))
    begun = after_part(replace(mine, parts=2), SENT, NOON, jitter=0.5)
    assert await store.outbox.write(begun, token="t1")
    assert await claim(store, "t2", at=50) == []


async def test_what_follows_is_stored_with_the_end_or_not_at_all(stores: Pair) -> None:
    store = stores[0]
    await store.outbox.put([delivery(1)])
    (mine,) = await claim(store, "t1")
    failed = after_part(mine, GONE, NOON, jitter=0.5)
    instead = delivery(2, channel="system", fallback_of=mine.id)
    assert not await store.outbox.write(failed, token="another", new=[instead])
    assert len(await store.outbox.deliveries()) == 1
    assert await store.outbox.write(failed, token="t1", new=[instead])
    found = await store.outbox.deliveries()
    assert [one.status for one in found] == [DeliveryStatus.PENDING, DeliveryStatus.FAILED]


async def test_when_something_is_due_next(stores: Pair) -> None:
    store = stores[0]
    assert await store.outbox.due(["email"]) is None
    await store.outbox.put([delivery(1, due=NOON + later(60)), delivery(2, channel="sms")])
    assert await store.outbox.due(["email"]) == NOON + later(60)
    assert await store.outbox.due(["email", "sms"]) == NOON
    assert await claim(store, "t1") == []
    await claim(store, "t2", at=60, lease=20)
    assert await store.outbox.due(["email"]) == NOON + later(80)


async def test_only_what_ended_badly_is_tried_anew(stores: Pair) -> None:
    store = stores[0]
    await store.outbox.put([delivery(1)])
    (mine,) = await claim(store, "t1")
    again = replace(mine, status=DeliveryStatus.RETRY)
    assert not await store.outbox.requeue(again)
    await store.outbox.write(after_part(mine, GONE, NOON, jitter=0.5), token="t1")
    assert await store.outbox.requeue(again)
    assert len(await claim(store, "t2")) == 1


async def test_deliveries_are_listed_newest_first_by_what_is_asked(stores: Pair) -> None:
    store = stores[0]
    await store.outbox.put(
        [delivery(n, sender="bo" if n % 2 else "ann", run=f"r{n}") for n in range(6)]
    )
    by_bo = await store.outbox.deliveries(sender="bo")
    assert [one.run for one in by_bo] == ["r5", "r3", "r1"]
    page = await store.outbox.deliveries(limit=2, before=by_bo[0].id)
    assert [one.run for one in page] == ["r4", "r3"]
    assert await store.outbox.deliveries(status=[DeliveryStatus.SENT]) == []
    assert await store.outbox.deliveries(channel="sms") == []
    assert await store.outbox.deliveries(ids=[]) == []


def message(number: int, user: str = "wang", **more: object) -> InboxMessage:
    given: dict[str, object] = {"user": user, "subject": "日报", "text": f"第 {number} 条"}
    return InboxMessage(id=f"{number:032x}", at=NOON, **{**given, **more})  # type: ignore[arg-type]


async def test_a_message_is_there_once_and_unread(stores: Pair) -> None:
    first, second = stores
    assert await first.inbox.add(message(1))
    assert not await second.inbox.add(message(1))
    (found,) = await second.inbox.messages("wang")
    assert replace(found, seq=0) == message(1)
    assert await first.inbox.unread("wang") == 1
    assert await first.inbox.messages("li") == []


async def test_messages_are_marked_read_and_unread(stores: Pair) -> None:
    store = stores[0]
    for number in range(3):
        await store.inbox.add(message(number))
    await store.inbox.add(message(9, "li"))
    assert await store.inbox.mark("wang", NOON, ids=[message(0).id, message(9).id]) == 1
    assert await store.inbox.unread("wang") == 2
    assert len(await store.inbox.messages("wang", unread=True)) == 2
    assert await store.inbox.mark("wang", None, ids=[message(0).id]) == 1
    assert await store.inbox.mark("wang", NOON) == 3
    assert await store.inbox.unread("wang") == 0
    assert await store.inbox.unread("li") == 1


async def test_pages_and_what_comes_after(stores: Pair) -> None:
    store = stores[0]
    for number in range(5):
        await store.inbox.add(message(number, kind="alert" if number == 4 else "message"))
    newest = await store.inbox.messages("wang", limit=2)
    assert [one.text for one in newest] == ["第 4 条", "第 3 条"]
    older = await store.inbox.messages("wang", before=newest[-1].seq)
    assert [one.text for one in older] == ["第 2 条", "第 1 条", "第 0 条"]
    after = await store.inbox.messages("wang", after=older[0].seq)
    assert [one.text for one in after] == ["第 3 条", "第 4 条"]
    assert [one.text for one in await store.inbox.messages("wang", kind="alert")] == ["第 4 条"]
    assert await store.inbox.find("wang", newest[0].id) == newest[0]
    assert await store.inbox.find("li", newest[0].id) is None


async def test_who_reads_on_after_a_number_misses_nothing(stores: Pair) -> None:
    seen: list[str] = []
    total = 120

    async def write(store: SqlStore, start: int) -> None:
        for number in range(start, start + total // 2):
            await store.inbox.add(message(number))

    async def read() -> None:
        after = 0
        while len(seen) < total:
            for one in await stores[0].inbox.messages("wang", after=after):
                seen.append(one.id)
                after = one.seq

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            tasks.start_soon(write, stores[0], 0)
            tasks.start_soon(write, stores[1], 1000)
    assert len(set(seen)) == total


async def test_an_inbox_that_was_copied_goes_on_counting(tmp_path: Path, postgres_url: str) -> None:
    file, url = tmp_path / "one.db", postgres_url
    store = sqlite(file)
    for number in range(3):
        await store.inbox.add(message(number))
    await store.outbox.put([delivery(1)])
    await store.aclose()
    source, target = SqliteUpkeep(file), PostgresUpkeep(url)
    with source.copy_to(target) as copying:
        copying.copy(lambda table, done, total: None)
        copying.commit()
    source.close()
    target.close()
    copied = postgres(url)
    assert await copied.inbox.add(message(9))
    assert [one.seq for one in await copied.inbox.messages("wang")] == [4, 3, 2, 1]
    assert await copied.outbox.deliveries() == [delivery(1)]
    await copied.aclose()
