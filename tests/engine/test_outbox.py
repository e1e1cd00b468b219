"""The outbox: each recipient gets it at least once, and never again after the channel said yes."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.domain.limiting import Rate
from pointsman.domain.notices.delivery import SENT, Delivery, DeliveryStatus, Outcome, after_part
from pointsman.engine import outbox
from pointsman.engine.notices import post
from pointsman.engine.notices.channels import Channel
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.errors import Conflict, NotFound, StoreUnavailable
from pointsman.ports import Letter
from tests.cases import params
from tests.support.fake_clock import START, FakeClock
from tests.support.notices import PlayedChannel, carrying, mailroom, notice
from tests.support.waiting import until, until_it_is

pytestmark = pytest.mark.anyio

DOWN = Outcome(verdict="retry", about="channel", detail="connection refused")
GONE = Outcome(verdict="failed", about="recipient", code="550", detail="no such user")
DENIED = Outcome(verdict="failed", about="channel", code="401", detail="the key has expired")
SILENT = Outcome(verdict="unknown", about="channel", detail="no answer")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    opened = sqlite(tmp_path / "test.db")
    yield opened
    await opened.aclose()


async def sent(room: Mailroom, *addresses: str, **more: Any) -> list[Delivery]:
    """Hand a message in, carry it, and say how it stands when something has become of all."""
    async with carrying(room):
        taken = await room.post.send(notice(*addresses, **more))

        async def stand() -> list[Delivery]:
            found = {one.id: one for one in await room.post.deliveries()}
            return [found[one.id] for one in taken]

        async def tried() -> bool:
            return all(
                one.status.ended or one.status is DeliveryStatus.RETRY for one in await stand()
            )

        await until_it_is(tried)
        return await stand()


async def all_ended(room: Mailroom) -> bool:
    return all(found.status.ended for found in await room.post.deliveries())


async def of(room: Mailroom, **more: Any) -> list[Delivery]:
    """What is in the outbox, but alerts, oldest first."""
    found = await room.post.deliveries(**more)
    return [one for one in reversed(found) if one.kind != "alert"]


class Worker:
    """A worker that holds what it claimed, and does nothing by itself."""

    def __init__(self, store: SqlStore, clock: FakeClock) -> None:
        self._outbox, self._clock, self._count = store.outbox, clock, 0

    async def claim(self, seconds: float = 60.0) -> tuple[list[Delivery], str]:
        token = self._clock.new_id()
        now = self._clock.now()
        until = now + timedelta(seconds=seconds)
        claimed = await self._outbox.claim("email", now, token=token, until=until, limit=10)
        return claimed, token


@pytest.mark.parametrize("case", params(9, only=("N03",)))
async def test_a_restart_sends_only_what_was_not_marked(
    case: dict[str, Any], store: SqlStore
) -> None:
    clock, channel = FakeClock(), PlayedChannel()
    room = mailroom(store, {"email": channel}, clock=clock)
    people = [f"p{n}@a.test" for n in range(case["input"]["recipients"])]
    await room.post.send(notice(*people))
    claimed, token = await Worker(store, clock).claim()
    taken = case["input"]["crash_after_send"]
    for delivery in claimed[:taken]:
        done = after_part(delivery, SENT, clock.now(), jitter=0.5)
        assert await store.outbox.write(done, token=token)
    # The worker is gone; its lease passes, and what it had not marked is sent by another.
    clock.advance(61)
    async with carrying(room):
        ids = [one.id for one in claimed]
        await room.post.settled(ids, 5)
    assert [letter.address for letter in channel.letters] == people[taken:]
    assert [letter.key for letter in channel.letters] == ids[taken:]
    doubts = [(one.status, one.maybe_duplicated) for one in await of(room)]
    assert doubts == [(DeliveryStatus.SENT, False)] * taken + [(DeliveryStatus.SENT, True)]


async def test_a_channel_that_knows_keys_leaves_no_doubt(store: SqlStore) -> None:
    clock = FakeClock()
    room = mailroom(store, {"email": PlayedChannel(keyed=True)}, clock=clock)
    await room.post.send(notice("a@a.test"))
    await Worker(store, clock).claim()
    clock.advance(61)
    async with carrying(room):
        (found,) = await of(room)
        (found,) = await room.post.settled([found.id], 5)
    assert (found.status, found.maybe_duplicated) == (DeliveryStatus.SENT, False)


@pytest.mark.parametrize("case", params(9, only=("N04",)))
async def test_it_is_sent_only_when_the_channel_says_so(
    case: dict[str, Any], store: SqlStore
) -> None:
    assert case["input"]["transport"] == "down"
    room = mailroom(store, {"email": PlayedChannel(DOWN)})
    (found,) = await sent(room, "a@a.test")
    assert found.status.value == case["expected"]["status"]
    assert found.attempts == 1
    assert found.error == "connection refused"


@pytest.mark.parametrize("case", params(9, only=("N06",)))
async def test_a_worker_whose_lease_is_over_marks_nothing(
    case: dict[str, Any], store: SqlStore
) -> None:
    clock = FakeClock()
    await mailroom(store, {"email": PlayedChannel()}, clock=clock).post.send(notice("a@a.test"))
    lease, seconds = case["input"]["lease_seconds"], case["input"]["send_seconds"]
    (slow,), stale = await Worker(store, clock).claim(lease)
    assert (await Worker(store, clock).claim())[0] == []
    clock.advance(seconds)
    (again,), token = await Worker(store, clock).claim(lease)
    now = clock.now()
    assert await store.outbox.renew([slow.id], token=stale, until=now) == set()
    assert not await store.outbox.write(after_part(slow, GONE, now, jitter=0.5), token=stale)
    assert await store.outbox.write(after_part(again, SENT, now, jitter=0.5), token=token)
    (found,) = await store.outbox.deliveries(ids=[slow.id])
    assert found.status is DeliveryStatus.SENT


async def test_a_lease_is_renewed_while_a_slow_channel_takes_its_time(store: SqlStore) -> None:
    clock, gate = FakeClock(), anyio.Event()
    channel = PlayedChannel(gate=gate)
    room = mailroom(store, {"email": channel}, clock=clock)
    async with carrying(room):
        (taken,) = await room.post.send(notice("a@a.test"))
        await channel.arrived.wait()
        (found,) = await store.outbox.deliveries(ids=[taken.id])
        held = await store.outbox.renew(
            [taken.id], token=found.token, until=clock.now() + timedelta(seconds=3600)
        )
        assert held == {taken.id}
        clock.advance(90)
        assert (await Worker(store, clock).claim())[0] == []
        gate.set()
        await room.post.settled([taken.id], 5)
    assert len(channel.letters) == 1


@pytest.mark.parametrize("case", params(9, only=("N12",)))
async def test_parts_arrive_in_order_and_a_failed_one_stops_the_rest(
    case: dict[str, Any], store: SqlStore
) -> None:
    parts = case["input"]["parts"]
    clock = FakeClock()
    channel = PlayedChannel(SENT, DOWN, SENT, limit=100)
    room = mailroom(store, {"email": channel}, clock=clock)
    body = "\n".join(f"line {n} of a long message, forty bytes." for n in range(parts * 2))
    (found,) = await sent(room, "a@a.test", body=body)
    assert (found.parts, found.done, found.status) == (parts, 1, DeliveryStatus.RETRY)
    assert [letter.part for letter in channel.letters] == [1, 2]
    # Nothing else goes to this address between the parts.
    (other,) = await room.post.send(notice("a@a.test", key="later", body="short"))
    clock.advance(10)
    async with carrying(room):
        await room.post.settled([found.id, other.id], 5)
    assert [letter.part for letter in channel.letters] == [1, 2, 2, 3, 4, 1]
    assert [letter.parts for letter in channel.letters[:5]] == [parts] * 5
    assert {letter.key for letter in channel.letters[1:3]} == {f"{found.id}-2"}


async def test_messages_to_one_address_are_not_sent_at_the_same_time(store: SqlStore) -> None:
    gate = anyio.Event()
    channel = PlayedChannel(gate=gate)
    room = mailroom(store, {"email": channel})
    async with carrying(room):
        first = await room.post.send(notice("a@a.test", key="1", body="one"))
        await channel.arrived.wait()
        second = await room.post.send(notice("a@a.test", key="2", body="two"))
        other = await room.post.send(notice("b@a.test", key="3", body="three"))
        await until(lambda: len(channel.letters) >= 2)
        assert sorted(channel.texts) == ["one", "three"]
        gate.set()
        await room.post.settled([one.id for one in (*first, *second, *other)], 5)
    assert channel.texts[-1] == "two"


@pytest.mark.parametrize("case", params(9, only=("N18",)))
async def test_one_bad_recipient_fails_alone(case: dict[str, Any], store: SqlStore) -> None:
    def answer(letter: Letter) -> Outcome:
        return GONE if letter.address.startswith("bad") else SENT

    channel = PlayedChannel(answer)
    room = mailroom(store, {"email": channel})
    found = await sent(room, *case["input"]["to"])
    states = {one.address: one.status.value for one in found}
    assert states == case["expected"]["per_recipient"]
    assert len(channel.letters) == 2


@pytest.mark.parametrize("case", params(9, only=("N21",)))
async def test_a_broken_channel_falls_back_once_and_people_are_told(
    case: dict[str, Any], store: SqlStore
) -> None:
    primary, email = PlayedChannel(DENIED), PlayedChannel()
    assert case["input"] == {"kind": "notify", "primary": "401", "fallback": "email"}
    chat = Channel(name="chat", notifier=primary, fallback="email")
    room = mailroom(store, {"chat": chat, "email": email}, clock=FakeClock())
    message = notice("ann", channel="chat")
    (to,) = message.recipients
    addressed = replace(to, also={"email": "ann@a.test"})
    async with carrying(room):
        taken = await room.post.send(replace(message, recipients=(addressed,)))
        await room.post.settled([one.id for one in taken], 5)
        instead = [one for one in await room.post.deliveries() if one.fallback_of == taken[0].id]
        instead = await room.post.settled([one.id for one in instead], 5)
        # The next one does not even try the broken channel, and is not held up by it.
        later = await room.post.send(replace(message, key="later", recipients=(addressed,)))
        await room.post.settled([one.id for one in later], 5)
        again = [one for one in await room.post.deliveries() if one.fallback_of == later[0].id]
        await room.post.settled([one.id for one in again], 5)
        alerts = [one for one in await room.post.deliveries() if one.kind == "alert"]
        await room.post.settled([one.id for one in alerts], 5)
    assert len(primary.letters) == 1
    assert [letter.address for letter in email.letters] == ["ann@a.test"] * 2
    assert [(one.channel, one.status) for one in instead] == [("email", DeliveryStatus.SENT)]
    assert list(await room.channels.unhealthy()) == ["chat"]
    (told, *_) = await room.inboxes.messages("admin")
    assert told.kind == "alert"
    assert await room.inboxes.unread("ann") == 2


async def test_a_fallback_that_fails_has_no_fallback(store: SqlStore) -> None:
    one = Channel(name="one", notifier=PlayedChannel(GONE), fallback="two")
    two = Channel(name="two", notifier=PlayedChannel(GONE), fallback="one")
    room = mailroom(store, {"one": one, "two": two})
    message = notice("ann", channel="one")
    to = replace(message.recipients[0], also={"one": "ann", "two": "ann"})
    async with carrying(room):
        await room.post.send(replace(message, recipients=(to,)))
        await until_it_is(lambda: all_ended(room))
    assert [found.channel for found in await of(room)] == ["one", "two"]


async def test_a_temporary_failure_is_tried_again_later_and_at_last_given_up(
    store: SqlStore,
) -> None:
    clock = FakeClock()
    channel = PlayedChannel(DOWN)
    room = mailroom(store, {"email": channel}, clock=clock)
    (found,) = await sent(room, "a@a.test")
    assert (found.due - clock.now()).total_seconds() > 3
    for _ in range(40):
        clock.advance(8000)
        async with carrying(room):
            (found,) = await room.post.settled([found.id], 0.05)
        if found.status.ended:
            break
    assert found.status is DeliveryStatus.DEAD
    with pytest.raises(NotFound):
        await room.post.retry(found.id, "somebody else")
    channel._answers[:] = [SENT]
    clock.advance(3600)
    await room.post.retry(found.id, "ann")
    async with carrying(room):
        (found,) = await room.post.settled([found.id], 5)
    assert found.status is DeliveryStatus.SENT
    with pytest.raises(Conflict):
        await room.post.retry(found.id, "ann")


async def test_a_channel_says_how_long_to_wait(store: SqlStore) -> None:
    clock = FakeClock()
    limited = Outcome(verdict="retry", code="45009", after=60.0)
    room = mailroom(store, {"email": PlayedChannel(limited)}, clock=clock)
    (found,) = await sent(room, "a@a.test")
    assert (found.due - START).total_seconds() >= 60


async def test_what_may_have_arrived_is_sent_again_and_says_so(store: SqlStore) -> None:
    clock = FakeClock()
    channel = PlayedChannel(SILENT, SENT)
    room = mailroom(store, {"email": channel}, clock=clock)
    (found,) = await sent(room, "a@a.test")
    assert found.status is DeliveryStatus.RETRY
    clock.advance(10)
    async with carrying(room):
        (found,) = await room.post.settled([found.id], 5)
    assert (found.status, found.maybe_duplicated) == (DeliveryStatus.SENT, True)


async def test_a_rate_limit_is_kept_over_all_processes(store: SqlStore) -> None:
    clock = FakeClock()
    rate = Rate(calls=20, seconds=60)
    channels = [PlayedChannel(rate=rate), PlayedChannel(rate=rate)]
    rooms = [mailroom(store, {"email": one}, clock=clock) for one in channels]
    messages = [notice("group", key=str(n)) for n in range(25)]
    ids = [(await rooms[0].post.send(one))[0].id for one in messages]
    async with carrying(rooms[0]), carrying(rooms[1]):
        await until(lambda: sum(len(one.letters) for one in channels) >= 20)
        found = await rooms[0].post.settled(ids, 0.3)
    assert sum(len(one.letters) for one in channels) == 20
    waiting = [one for one in found if not one.status.ended]
    assert len(waiting) == 5
    assert {one.attempts for one in waiting} == {0}


async def test_handing_in_the_same_key_twice_sends_once(store: SqlStore) -> None:
    channel = PlayedChannel()
    room = mailroom(store, {"email": channel})
    async with carrying(room):
        first = await room.post.send(notice("a@a.test", "b@a.test"))
        again = await room.post.send(notice("b@a.test", "a@a.test", "c@a.test"))
        assert {one.id for one in first} < {one.id for one in again}
        await room.post.settled([one.id for one in again], 5)
    assert sorted(letter.address for letter in channel.letters) == [
        "a@a.test",
        "b@a.test",
        "c@a.test",
    ]


async def test_an_address_that_is_none_is_never_given_to_the_channel(store: SqlStore) -> None:
    channel = PlayedChannel()
    (found,) = await sent(mailroom(store, {"email": channel}), "a@b.test\nCc: c@d.test")
    assert found.status is DeliveryStatus.FAILED
    assert channel.letters == []


class Forgetful:
    """An outbox that fails to mark once."""

    def __init__(self, store: SqlStore) -> None:
        self._outbox, self.failed = store.outbox, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outbox, name)

    async def write(self, *given: Any, **more: Any) -> bool:
        if not self.failed:
            self.failed = 1
            raise StoreUnavailable("away for a moment")
        return await self._outbox.write(*given, **more)


async def test_a_yes_is_marked_when_the_database_is_back(store: SqlStore) -> None:
    channel = PlayedChannel()
    room = mailroom(store, {"email": channel})
    flaky: Any = Forgetful(store)
    postman = outbox.Postman(room.post, flaky, SystemClock(), MemoryBus())
    (taken,) = await room.post.send(notice("a@a.test"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(postman.serve)
        (found,) = await room.post.settled([taken.id], 5)
        tasks.cancel_scope.cancel()
    assert (flaky.failed, found.status, found.attempts) == (1, DeliveryStatus.SENT, 1)
    assert len(channel.letters) == 1


async def test_a_channel_that_raises_fails_alone(
    store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(letter: Letter) -> Outcome:
        raise RuntimeError("Authorization: Bearer SECRET")

    room = mailroom(store, {"email": PlayedChannel(broken), "other": PlayedChannel()})
    (found,) = await sent(room, "a@a.test")
    assert (found.status, found.error) == (DeliveryStatus.RETRY, "RuntimeError")
    assert "SECRET" not in caplog.text
    (other,) = await sent(room, "a", channel="other", key="o")
    assert other.status is DeliveryStatus.SENT


async def test_a_worker_that_stops_lets_go_of_what_it_sends(store: SqlStore) -> None:
    channel = PlayedChannel(gate=anyio.Event())
    room = mailroom(store, {"email": channel})
    hasty = outbox.Postman(room.post, store.outbox, SystemClock(), MemoryBus(), grace=0.05)
    (taken,) = await room.post.send(notice("a@a.test"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hasty.serve)
        await channel.arrived.wait()
        tasks.cancel_scope.cancel()
    (found,) = await store.outbox.deliveries(ids=[taken.id])
    assert (found.status, found.maybe_duplicated) == (DeliveryStatus.RETRY, True)


async def test_who_waits_is_told_how_it_stands(store: SqlStore) -> None:
    room = mailroom(store, {"email": PlayedChannel(DOWN)})
    async with carrying(room):
        (taken,) = await room.post.send(notice("a@a.test"))
        (found,) = await room.post.settled([taken.id], 0.3)
    assert not found.status.ended
    assert post.PATIENCE == 10.0
