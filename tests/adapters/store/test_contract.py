"""What every store promises, tried on each of them."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.messages import AssistantMessage, Usage, UserMessage
from pointsman.domain.pending import Pending
from pointsman.domain.record.retention import Tombstone
from pointsman.domain.runs import RunStatus
from pointsman.errors import PositionConflict
from pointsman.ports import Append, Cursor, Holding, Store
from tests.adapters.store.records import NOON, record, row, start

pytestmark = pytest.mark.anyio


@pytest.fixture
def woken() -> list[tuple[str, str]]:
    """The run and the conversation of each append that was to wake its run."""
    return []


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, woken: list[tuple[str, str]]
) -> AsyncIterator[Store]:
    def enqueue(_: Cursor, due: Sequence[Append]) -> None:
        woken.extend((one.run.id, one.run.conversation) for one in due)

    made: Store
    match request.param:
        case "memory":
            made = MemoryStore(enqueue)
        case "sqlite":
            made = sqlite(tmp_path / "test.db", enqueue=enqueue)
        case _:
            made = postgres(request.getfixturevalue("postgres_url"), enqueue=enqueue)
    yield made
    await made.aclose()


async def test_a_new_run_is_read_back_as_it_was_written(store: Store) -> None:
    await start(store, record("r1"))
    stored = await store.load("r1")
    assert stored is not None
    assert stored.record == record("r1")
    assert stored.rows == (row(0),)
    assert stored.past == ()


async def test_an_append_advances_the_run_and_its_projection(store: Store) -> None:
    await start(store, record("r1"))
    usage = Usage(prompt=9, cached=1, completion=3, reasoning=2, total=12)
    moved = replace(record("r1", position=2), status=RunStatus.DONE, reply="好", usage=usage)
    await store.append(Append(expected=0, rows=(row(1), row(2)), run=moved))
    assert await store.record("r1") == moved
    assert await store.rows("r1", after=0) == (row(1), row(2))


async def test_an_append_at_a_wrong_position_changes_nothing(store: Store) -> None:
    await start(store, record("r1"))
    with pytest.raises(PositionConflict):
        await store.append(Append(expected=4, rows=(row(5),), run=record("r1", position=5)))
    assert await store.record("r1") == record("r1")
    assert await store.rows("r1") == (row(0),)


async def test_an_append_of_an_older_epoch_changes_nothing(store: Store) -> None:
    await start(store, replace(record("r1"), epoch=2))
    with pytest.raises(PositionConflict):
        await store.append(Append(expected=0, rows=(row(1),), run=record("r1", position=1)))
    assert await store.rows("r1") == (row(0),)


async def test_a_claim_raises_the_epoch_and_gives_the_run(store: Store) -> None:
    await start(store, record("r1"))
    claimed = await store.claim("r1")
    loaded = await store.load("r1")
    assert claimed is not None
    assert claimed == loaded
    assert claimed.record == record("r1", epoch=1)
    again = await store.claim("r1")
    assert again is not None
    assert again.record.epoch == 2


async def test_whoever_claimed_a_run_last_alone_appends(store: Store) -> None:
    await start(store, record("r1"))
    await store.claim("r1")
    await store.claim("r1")
    for epoch in (0, 1, 3):
        with pytest.raises(PositionConflict):
            await store.append(
                Append(expected=0, rows=(row(1),), run=record("r1", position=1, epoch=epoch))
            )
    last = record("r1", position=1, epoch=2)
    await store.append(Append(expected=0, rows=(row(1),), run=last))
    assert await store.record("r1") == last


async def test_a_run_that_has_ended_is_claimed_as_it_is(store: Store) -> None:
    await start(store, record("r1"))
    ended = replace(record("r1", position=1), status=RunStatus.DONE)
    await store.append(Append(expected=0, rows=(row(1),), run=ended))
    claimed = await store.claim("r1")
    assert claimed is not None
    assert claimed.record == ended
    assert await store.claim("no") is None


async def test_an_append_that_stands_wakes_its_run(
    store: Store, woken: list[tuple[str, str]]
) -> None:
    await start(store, record("r1"))
    await store.append(Append(expected=0, rows=(row(1),), run=record("r1", position=1), wake=True))
    assert woken == [("r1", "c1")]


async def test_an_append_that_does_not_stand_wakes_nobody(
    store: Store, woken: list[tuple[str, str]]
) -> None:
    await start(store, record("r1"))
    with pytest.raises(PositionConflict):
        await store.append(
            Append(expected=7, rows=(row(8),), run=record("r1", position=8), wake=True)
        )
    assert woken == []


async def test_one_bad_append_of_many_fails_alone(store: Store) -> None:
    await start(store, record("r1"))
    good = store.append(Append(expected=-1, rows=(row(0),), run=record("r2")))
    bad = store.append(Append(expected=7, rows=(row(8),), run=record("r1", position=8)))
    other = store.append(Append(expected=0, rows=(row(1),), run=record("r1", position=1)))
    await good
    with pytest.raises(PositionConflict):
        await bad
    await other
    assert await store.rows("r1") == (row(0), row(1))
    assert await store.record("r2") == record("r2")


async def test_a_conversation_holds_what_its_ended_runs_left(store: Store) -> None:
    await start(store, record("r1"))
    said = (UserMessage(text="你是谁？"), AssistantMessage(text="助手"))
    await store.append(
        Append(expected=0, rows=(row(1),), run=record("r1", position=1), transcript=said)
    )
    await start(store, record("r2"))
    conversation = await store.conversation("c1")
    assert conversation is not None
    assert (conversation.user, conversation.messages) == ("ann", said)
    loaded = await store.load("r2")
    assert loaded is not None
    assert loaded.past == said
    first = await store.load("r1")
    assert first is not None
    assert first.past == ()


async def test_what_does_not_exist_is_none(store: Store) -> None:
    assert await store.load("no") is None
    assert await store.record("no") is None
    assert await store.conversation("no") is None
    assert await store.rows("no") == ()
    assert await store.blob("no", "no") is None


async def test_runs_are_listed_newest_first_and_filtered(store: Store) -> None:
    for number, user in ((1, "ann"), (2, "bob"), (3, "ann")):
        await start(store, record(f"r{number}", user=user, conversation=f"c{number}"))
    await store.append(
        Append(
            expected=0,
            rows=(row(1),),
            run=replace(record("r3", conversation="c3", position=1), status=RunStatus.DONE),
        )
    )
    everyone = await store.records()
    assert [one.id for one in everyone] == ["r3", "r2", "r1"]
    assert [one.id for one in await store.records(user="ann")] == ["r3", "r1"]
    assert [one.id for one in await store.records(conversation="c2")] == ["r2"]
    assert [one.id for one in await store.records(status=(RunStatus.DONE,))] == ["r3"]
    assert [one.id for one in await store.records(before="r3", limit=1)] == ["r2"]
    assert [one.id for one in await store.records(ids=["r1", "r3", "no"])] == ["r3", "r1"]
    assert await store.records(ids=[]) == []


async def test_only_an_unfinished_run_can_be_marked_for_cancelling(store: Store) -> None:
    await start(store, record("r1"))
    assert await store.request_cancel("r1")
    marked = await store.record("r1")
    assert marked is not None
    assert marked.cancel_requested
    ended = replace(record("r1", position=1), status=RunStatus.CANCELLED)
    await store.append(Append(expected=0, rows=(row(1),), run=ended))
    assert not await store.request_cancel("r1")
    assert not await store.request_cancel("unknown")


async def test_blobs_are_kept_whole_and_belong_to_their_run(store: Store) -> None:
    await start(store, record("r1"))
    long = "长" * 100_000
    await store.append(
        Append(expected=0, rows=(row(1),), run=record("r1", position=1), blobs=(("b1", long),))
    )
    assert await store.blob("r1", "b1") == long
    assert await store.blob("r2", "b1") is None


async def test_an_equal_blob_is_kept_once(store: Store) -> None:
    await start(store, record("r1"))
    for position in (1, 2):
        run = record("r1", position=position)
        change = Append(
            expected=position - 1, rows=(row(position),), run=run, blobs=(("b1", "same"),)
        )
        await store.append(change)
    (holding,) = await store.holdings()
    assert holding.blobs == (("b1", "same"),)


async def test_holdings_are_all_that_is_stored_of_each_run_page_by_page(store: Store) -> None:
    for number in (3, 1, 2):
        await start(store, record(f"r{number}", conversation=f"c{number % 2}"))
    said = (UserMessage(text="你是谁？"),)
    pending = Pending(kind="fill", question="Which?", text="你是谁？")
    ended = record("r3", conversation="c1", position=1)
    change = Append(
        expected=0,
        rows=(row(1),),
        run=ended,
        transcript=said,
        pending=pending,
        blobs=(("b1", "long"),),
    )
    await store.append(change)
    assert [one.run for one in await store.holdings(limit=2)] == ["r1", "r2"]
    (last,) = await store.holdings(after="r2", limit=2)
    assert last == Holding(
        run="r3",
        record=ended,
        rows=(row(0), row(1)),
        transcript=said,
        pending=pending,
        conversation=("ann", "travel", NOON),
        blobs=(("b1", "long"),),
    )
    assert await store.holdings(after="r3") == []
    assert await store.lone_conversations() == []


async def test_usage_is_summed_per_conversation_and_user(store: Store) -> None:
    for number, user in ((1, "ann"), (2, "ann"), (3, "bob")):
        tokens = Usage(prompt=number, completion=1, total=number + 1)
        run = record(f"r{number}", user=user, conversation=f"c{number}")
        await start(store, run)
        await store.append(
            Append(expected=0, rows=(row(1),), run=replace(run, position=1, usage=tokens))
        )
    assert await store.usage(user="ann") == Usage(prompt=3, completion=2, total=5)
    assert await store.usage(conversation="c3") == Usage(prompt=3, completion=1, total=4)
    assert await store.usage(user="nobody") == Usage()


async def test_what_is_shared_is_replaced_only_by_who_has_read_it(store: Store) -> None:
    assert await store.shared("k") is None
    assert await store.share("k", b"1", expected=None)
    assert not await store.share("k", b"2", expected=None)
    assert not await store.share("k", b"2", expected=b"0")
    assert await store.share("k", b"2", expected=b"1")
    assert not await store.share("other", b"2", expected=b"1")
    assert await store.share("other", b"3", expected=None)
    assert (await store.shared("k"), await store.shared("other")) == (b"2", b"3")


async def test_what_is_shared_is_removed_only_by_who_has_read_it(store: Store) -> None:
    assert await store.share("k", b"1", expected=None)
    assert not await store.share("k", None, expected=b"0")
    assert await store.share("k", None, expected=b"1")
    assert await store.shared("k") is None
    assert await store.share("k", b"2", expected=None)


async def test_what_is_shared_is_found_by_how_its_key_starts(store: Store) -> None:
    for key in ('["rate","a_b"]', '["rate","axb"]', '["Rate","c"]', "other"):
        assert await store.share(key, b"1", expected=None)
    assert await store.shared_keys('["rate",') == ['["rate","a_b"]', '["rate","axb"]']
    assert await store.shared_keys('["rate","a_') == ['["rate","a_b"]']


async def test_of_those_who_replace_at_once_one_succeeds(store: Store) -> None:
    won: list[int] = []

    async def replace_first(number: int) -> None:
        if await store.share("k", bytes([number]), expected=None):
            won.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(replace_first, number)
    (only,) = won
    assert await store.shared("k") == bytes([only])


async def test_a_file_is_read_again_after_a_restart(tmp_path: Path) -> None:
    first = sqlite(tmp_path / "test.db")
    await start(first, record("r1"))
    await first.aclose()
    second = sqlite(tmp_path / "test.db")
    assert await second.record("r1") == record("r1")
    await second.aclose()


def tombstone(run: str, position: int) -> Tombstone:
    return Tombstone(
        run=run,
        began=NOON,
        position=position,
        hash="ab",
        end=position,
        end_hash="ab",
        at=NOON,
        by="li",
    )


async def end(store: Store, run: str, conversation: str, *, at: datetime = NOON) -> None:
    """A run of one more row, with which it ends."""
    await start(store, record(run, conversation=conversation))
    done = replace(
        record(run, conversation=conversation, position=1), status=RunStatus.DONE, updated=at
    )
    await store.append(
        Append(expected=0, rows=(row(1),), run=done, transcript=(), blobs=(("b1", "long"),))
    )


async def test_a_conversation_is_idle_when_all_of_its_runs_have_long_ended(store: Store) -> None:
    for number in (1, 2, 3):
        await end(store, f"r{number}", f"c{number}")
    await end(store, "r4", "c1", at=NOON + timedelta(days=1))
    await start(store, record("r5", conversation="c2"))
    await end(store, "r6", "c4")
    later = NOON + timedelta(seconds=1)
    assert await store.idle(before=NOON) == []
    assert await store.idle(before=later) == ["c3", "c4"]
    assert await store.idle(before=later, limit=1) == ["c3"]
    assert await store.idle(before=later, after="c3") == ["c4"]
    assert await store.idle(before=NOON + timedelta(days=2)) == ["c1", "c3", "c4"]


async def test_of_a_buried_conversation_tombstones_are_left(store: Store) -> None:
    await end(store, "r1", "c1")
    await end(store, "r2", "c2")
    await end(store, "r3", "c1")
    assert await store.bury("c1", [tombstone("r1", 1), tombstone("r3", 1)])
    assert await store.load("r1") is None
    assert await store.rows("r1") == ()
    assert await store.blob("r3", "b1") is None
    assert await store.conversation("c1") is None
    assert await store.lone_conversations() == []
    left, other, right = await store.holdings()
    assert left == Holding(run="r1", tombstone=tombstone("r1", 1))
    assert right == Holding(run="r3", tombstone=tombstone("r3", 1))
    assert (other.run, len(other.rows), other.tombstone) == ("r2", 2, None)
    assert await store.holdings(ids=["r3", "r0"]) == [right]
    assert await store.idle(before=NOON + timedelta(days=1)) == ["c2"]


@pytest.mark.parametrize("told", [[], [("r1", 1)], [("r1", 1), ("r2", 0)], [("r1", 1), ("r3", 1)]])
async def test_a_conversation_that_is_not_as_told_is_not_buried(
    store: Store, told: list[tuple[str, int]]
) -> None:
    await end(store, "r1", "c1")
    await end(store, "r2", "c1")
    before = await store.holdings()
    assert not await store.bury("c1", [tombstone(run, position) for run, position in told])
    assert not await store.bury("no", [])
    assert await store.holdings() == before
