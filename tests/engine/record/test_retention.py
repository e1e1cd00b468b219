"""What is old goes as a whole, is accounted for, and nothing else goes."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain.record import heads
from pointsman.domain.record.retention import Keep
from pointsman.domain.runs import RunStatus
from pointsman.engine import once, sharing
from pointsman.engine.record import verification
from pointsman.engine.record.retention import Pruned, Pruning
from pointsman.engine.record.verification import Verified
from tests.support.engine import say, service_of
from tests.support.fake_clock import FakeClock
from tests.support.journals import answers, filled

pytestmark = pytest.mark.anyio

KEY = b"a key that is kept elsewhere"
DAYS = timedelta(days=90)


async def old_journal() -> tuple[MemoryStore, FakeClock]:
    """A run of every kind, all of them 100 days old."""
    store, clock = MemoryStore(), FakeClock()
    await filled(store, clock)
    clock.advance(100 * 86_400)
    return store, clock


async def prune(
    store: MemoryStore,
    clock: FakeClock,
    *,
    keep: Keep | None = None,
    key: bytes = KEY,
    rehearsed: bool = False,
) -> Pruned:
    pruning = Pruning(
        store,
        clock,
        before=clock.now() - DAYS,
        by="li",
        keep=keep or Keep(),
        key=key,
        rehearsed=rehearsed,
    )
    return await pruning.run(lambda _: None)


async def verified(
    store: MemoryStore, clock: FakeClock, head: heads.Head | None = None, key: bytes = KEY
) -> Verified:
    return await verification.verify(store, clock.now(), head, key=key)


def details(found: Verified) -> Sequence[str]:
    return [fault.detail for fault in found.faults]


async def test_old_ended_conversations_go_and_all_others_stay() -> None:
    store, clock = await old_journal()
    service = await service_of(answers, store=store, clock=clock)
    young = await say(service, "hello")
    waiting = await store.records(status=(RunStatus.WAITING,))
    pruned = await prune(store, clock)
    assert pruned.runs > 5
    assert {one.id for one in await store.records(limit=100)} == {young.id, waiting[0].id}
    assert await prune(store, clock) == Pruned()


async def test_a_conversation_that_went_on_lately_stays_whole() -> None:
    store, clock = MemoryStore(), FakeClock()
    service = await service_of(answers, store=store, clock=clock)
    first = await say(service, "one")
    clock.advance(100 * 86_400)
    await say(service, "two", conversation=first.conversation)
    assert await prune(store, clock) == Pruned()
    assert len(await store.records()) == 2


async def test_the_journal_still_holds_and_tells_what_was_pruned() -> None:
    store, clock = await old_journal()
    before = await verified(store, clock)
    pruned = await prune(store, clock)
    after = await verified(store, clock)
    assert after.holds
    assert (after.pruned, after.runs) == (pruned.runs, before.runs - pruned.runs)
    assert after.events == before.events - pruned.events


async def test_heads_from_before_still_hold() -> None:
    store, clock = MemoryStore(), FakeClock()
    await filled(store, clock)
    young = (await verified(store, clock)).covering.head(KEY)
    clock.advance(100 * 86_400)
    old = (await verified(store, clock)).covering.head(KEY)
    await prune(store, clock)
    assert (await verified(store, clock, young)).holds
    assert (await verified(store, clock, old)).holds
    assert (await verified(store, clock)).covering.head(KEY) == old


async def test_what_is_to_be_kept_is_kept() -> None:
    store, clock = await old_journal()
    (lost,) = await store.records(user="bo")
    everything = len(await store.records(limit=100))
    for keep in (Keep(users=["bo"]), Keep(runs=[lost.id]), Keep(agents=["desk"])):
        pruned = await prune(store, clock, keep=keep, rehearsed=True)
        kept = await prune(store, clock, rehearsed=True)
        assert pruned.kept > 0
        assert pruned.runs + pruned.kept == kept.runs
    await prune(store, clock, keep=Keep(users=["bo"]))
    assert await store.record(lost.id) == lost
    assert len(await store.records(limit=100)) < everything


async def test_a_rehearsal_changes_nothing() -> None:
    store, clock = await old_journal()
    before = await store.holdings()
    assert (await prune(store, clock, rehearsed=True)).runs > 5
    assert await store.holdings() == before


async def test_a_journal_that_was_changed_is_no_waste() -> None:
    store, clock = await old_journal()
    (lost,) = await store.records(user="bo")
    rows = store._rows[lost.id]
    rows[2] = replace(rows[2], body=rows[2].body + b" ")
    pruned = await prune(store, clock)
    assert [(fault.run, fault.position) for fault in pruned.faults] == [(lost.id, 2)]
    assert await store.record(lost.id) == lost
    assert not (await verified(store, clock)).holds


async def test_a_tombstone_that_the_key_did_not_make_is_found() -> None:
    store, clock = await old_journal()
    await prune(store, clock)
    run, tombstone = next(iter(store._pruned.items()))
    for changed in (
        replace(tombstone, by="wang"),
        replace(tombstone, hash="ab" * 32),
        replace(tombstone, position=tombstone.position + 1),
        replace(tombstone, began=tombstone.began + timedelta(days=1)),
    ):
        store._pruned[run] = changed
        assert details(await verified(store, clock)) == [
            "the tombstone was changed, or signed with another key"
        ]
    store._pruned[run] = replace(tombstone, signature="")
    assert details(await verified(store, clock)) == ["the tombstone is not signed"]
    assert (await verified(store, clock, key=b"")).holds


async def test_a_tombstone_that_is_gone_is_missed_by_a_head() -> None:
    store, clock = await old_journal()
    head = (await verified(store, clock)).covering.head(KEY)
    await prune(store, clock)
    del store._pruned[min(store._pruned)]
    (lost,) = (await verified(store, clock, head)).lost
    assert lost.runs - lost.now_runs == 1


async def test_keys_of_messages_that_are_free_again_are_forgotten() -> None:
    store, clock = MemoryStore(), FakeClock()
    new, old = sharing.key("once", "ann", "new"), sharing.key("once", "ann", "old")
    for place, days in ((new, 1), (old, 3)):
        taken = once.Taken(digest="d", run="r", at=clock.now() - timedelta(days=days))
        await store.share(place, msgspec.json.encode(taken), expected=None)
    await prune(store, clock)
    assert await store.shared_keys("") == [new]


async def test_rates_in_which_no_call_counts_any_more_are_forgotten() -> None:
    store, clock = MemoryStore(), FakeClock()
    now = clock.now().isoformat()
    old = (clock.now() - timedelta(days=3)).isoformat()
    rates = {
        user: sharing.key("rate", "shop", "pay", user) for user in ("ann", "bo", "cy", "other")
    }
    await store.share(rates["ann"], f'{{"calls":["{old}","{now}"]}}'.encode(), expected=None)
    await store.share(rates["bo"], f'{{"calls":["{old}"]}}'.encode(), expected=None)
    await store.share(rates["cy"], b'{"calls":[]}', expected=None)
    await store.share("breakers", b"{}", expected=None)
    assert (await prune(store, clock)).rates == 2
    assert await store.shared_keys("") == sorted([rates["ann"], "breakers"])
