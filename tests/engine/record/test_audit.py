"""The record: found, and checked against every tampering."""

from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain import events as ev
from pointsman.domain.intents import Intent
from pointsman.domain.record import heads
from pointsman.domain.runs import Run, RunStatus
from pointsman.engine.record import audit, verification
from pointsman.engine.record.audit import Wanted
from pointsman.engine.record.verification import Verified
from pointsman.errors import CallerError, PointsmanError
from pointsman.ports import Store
from tests.support.engine import approve, message, say, service_of
from tests.support.fake_clock import FakeClock
from tests.support.journals import CARD, Saying, answers, approval_of, filled, held, tools
from tests.support.scripted_model import Script
from tests.support.tampering import Tampering
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio

KEY = b"a key that is kept elsewhere"


async def checked(store: Store) -> Verified:
    return await verification.verify(store, FakeClock().now())


# ---- verify


@pytest.fixture(params=["sqlite", "postgres"])
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with an ended run, a large result, an open question and a run that waits."""
    if request.param == "sqlite":
        journal = str(tmp_path / "journal.db")
    else:
        journal = request.getfixturevalue("postgres_url")
    service = await service_of(answers, *tools(), store=opened(journal))
    first = await say(service, 'weather {"city": "成都"}')
    await say(service, "book", conversation=first.conversation)
    await say(service, "weather {}", user="bo")
    await say(service, 'pay {"card": "4000123412341234"}', user="cy")
    assert (await checked(service.store)).holds
    await service.aclose()
    return journal


def opened(journal: str) -> Store:
    return postgres(journal) if "://" in journal else sqlite(Path(journal))


@pytest.mark.slow
async def test_every_tampering_with_a_single_row_is_found(journal: str) -> None:
    """Issue 3, must-show 6: any column changed, any two values swapped, any row deleted, any
    inserted."""
    store = opened(journal)
    tried, missed = 0, []
    with closing(Tampering(journal)) as tampering:
        for what, table, rows in tampering.all():
            if tampering.put(table, rows):
                tried += 1
                if (await checked(store)).holds:
                    missed.append(f"{table}: {what}")
                assert not tampering.put(table, tampering.tables[table])
    assert (await checked(store)).holds
    await store.aclose()
    assert missed == []
    assert tried > 500


async def test_a_fault_names_the_run_and_the_position(journal: str) -> None:
    with closing(Tampering(journal)) as tampering:
        run, last = tampering.one("SELECT run, max(position) FROM events GROUP BY run")
        tampering.change(f"DELETE FROM events WHERE run = '{run}' AND position = {last}")
    store = opened(journal)
    (fault,) = (await checked(store)).faults
    assert (fault.run, fault.kind, fault.position) == (run, "cut", last)
    await store.aclose()


# ---- heads


def forget(store: MemoryStore, run: str, *, last: int | None = None) -> None:
    """Take a run, or its events from a position on, away without a trace inside."""
    if last is not None:
        rows = store._rows[run][:last]
        state = _folded(run, rows)
        store._rows[run] = rows
        store._records[run] = replace(
            store._records[run],
            position=state.position,
            status=state.status,
            reply=state.reply,
            updated=state.last,
            usage=state.usage,
        )
        store._left.pop(run, None)
        return
    record = store._records.pop(run)
    store._rows.pop(run)
    store._left.pop(run, None)
    store._runs_of[record.conversation].remove(run)


def _folded(run: str, rows: Sequence[Any]) -> Run:
    from pointsman.domain.runs import fold

    return fold(run, [ev.decode(row.body) for row in rows])


async def head_of(store: Store, clock: FakeClock, key: bytes = KEY) -> heads.Head:
    return (await verification.verify(store, clock.now())).covering.head(key)


async def against(store: Store, clock: FakeClock, head: heads.Head) -> Verified:
    return await verification.verify(store, clock.now(), head)


async def test_a_head_holds_while_runs_go_on_and_new_ones_begin() -> None:
    store, clock = MemoryStore(), FakeClock()
    service = await filled(store, clock)
    head = await head_of(store, clock)
    clock.advance(60)
    waiting = await service.runs(user=None, status=(RunStatus.WAITING,))
    await approve(service, await service.run(waiting[0].id, None), by="dee")
    await service._loop.drive(waiting[0].id)
    await say(service, "and more")
    verified = await against(store, clock, head)
    assert verified.holds
    assert verified.runs == head.runs + 1


@pytest.mark.parametrize("old", [False, True])
async def test_a_run_that_was_taken_away_is_missed_by_the_head(old: bool) -> None:
    store, clock = MemoryStore(), FakeClock()
    service = await filled(store, clock)
    clock.advance(7200 if old else 1)
    head = await head_of(store, clock)
    for record in await service.runs(user=None, limit=100):
        kept = store._rows[record.id], store._records[record.id], store._left.get(record.id)
        forget(store, record.id)
        verified = await against(store, clock, head)
        assert not verified.faults or record.conversation in str(verified.faults)
        assert verified.lost
        if not old or not record.status.ended:
            assert [lost.run for lost in verified.lost] == [record.id]
        else:
            (lost,) = verified.lost
            assert (lost.day, lost.runs - lost.now_runs) == ("2026-02-28", 1)
        store._rows[record.id], store._records[record.id] = kept[0], kept[1]
        if kept[2] is not None:
            store._left[record.id] = kept[2]
        store._runs_of[record.conversation].append(record.id)
        store._runs_of[record.conversation].sort()


async def test_the_newest_events_cut_off_are_missed_by_the_head() -> None:
    store, clock = MemoryStore(), FakeClock()
    service = await filled(store, clock)
    head = await head_of(store, clock)
    (record, *_) = await service.runs(user=None, status=(RunStatus.DONE,))
    forget(store, record.id, last=4)
    assert (await checked(store)).holds, "nothing inside of the journal tells"
    verified = await against(store, clock, head)
    assert [(lost.run, lost.position) for lost in verified.lost] == [(record.id, 4)]


async def test_only_the_key_makes_a_head() -> None:
    clock = FakeClock()
    head = await head_of((await filled(MemoryStore(), clock)).store, clock)
    assert heads.is_signed_by(head, KEY)
    assert not heads.is_signed_by(head, b"another key")
    assert not heads.is_signed_by(replace(head, runs=head.runs - 1), KEY)
    assert (await head_of(MemoryStore(), clock, b"")).signature == ""
    with pytest.raises(CallerError, match="no head"):
        heads.read(b'{"format": "pointsman-head@9"}')


# ---- search and views


async def found(store: Store, **wanted: Any) -> list[str]:
    return [one.run.input async for one in audit.search(store, Wanted(**wanted))]


async def test_runs_are_found_by_user_tool_outcome_and_words() -> None:
    store = (await filled(MemoryStore(), FakeClock())).store
    assert await found(store, user="bo") == ["lose"]
    assert await found(store, user="bo", agent="nobody") == []
    assert await found(store, tool="weather") == ["weather {}", 'weather {"city": "成都"}']
    assert await found(store, tool="weather", outcome="ok") == ['weather {"city": "成都"}']
    assert await found(store, outcome="unknown_tool") == ["nothing"]
    assert await found(store, outcome="missing") == ["weather {}"]
    assert await found(store, outcome="question") == ["weather {}"]
    assert sorted(await found(store, outcome="failed")) == ["down", "lose"]
    assert len(await found(store, outcome="waiting")) == 1
    assert await found(store, text="IT RAINS") == ['weather {"city": "成都"}']
    assert await found(store, text="no such words") == []


async def test_runs_are_found_by_time_and_page_by_page() -> None:
    clock = FakeClock()
    service = await service_of(answers, store=MemoryStore(), clock=clock)
    begun = []
    for text in ("one", "two", "three"):
        begun.append(clock.now())
        await say(service, text)
        clock.advance(100_000)
    assert await found(service.store, since=begun[1]) == ["three", "two"]
    assert await found(service.store, until=begun[1]) == ["one"]
    assert await found(service.store, since=begun[1], until=begun[2]) == ["two"]
    newest = (await service.runs(user=None, limit=1))[0].id
    assert await found(service.store, before=newest) == ["two", "one"]


async def test_runs_are_found_by_intent() -> None:
    intents = [Intent(name="weather", keywords=("rain",), tools=("weather",)), Intent(name="talk")]
    classifier = Saying({"weather": 0.9})
    service = await service_of(answers, *tools(), intents=intents, classifier=classifier)
    await say(service, 'weather {"city": "成都"}')
    classifier.scores = {"talk": 0.8}
    await say(service, "hello")
    assert await found(service.store, intent="talk") == ["hello"]
    assert len(await found(service.store, intent="weather")) == 1


async def test_private_values_are_masked_unless_revealed() -> None:
    store = (await filled(MemoryStore(), FakeClock())).store
    hidden = [one async for one in audit.search(store, Wanted(user="cy", tool="pay"))]
    assert CARD not in str(hidden[0].events)
    assert "[masked:bank_card:4216]" in hidden[0].run.input
    assert await found(store, text=CARD) == []
    wanted = Wanted(text=CARD)
    revealed = [one async for one in audit.search(store, wanted, reveal=True)]
    assert [one.run.user for one in revealed] == ["cy"]
    assert CARD not in str(await audit.explained(store, hidden[0].run.id, "en"))
    assert CARD in str(await audit.explained(store, hidden[0].run.id, "en", reveal=True))


async def test_credentials_of_tools_and_models_never_reach_the_store() -> None:
    secret = "sk-proj-abcdEFGH1234567890wxyz"
    store = MemoryStore()
    script: Script = [[("leak", "{}")], f"The key is {secret}."]
    run = await say(await service_of(script, fake_tool("leak", f"key: {secret}"), store=store))
    assert run.reply == "The key is [masked:api_key:wxyz]."
    assert secret not in str(await store.load(run.id))
    assert (await checked(store)).holds


async def test_a_decision_in_vain_after_the_end_breaks_no_head() -> None:
    store, clock = MemoryStore(), FakeClock()
    service = await service_of(answers, *tools(), store=store, clock=clock)
    run = await held(service)
    approval = approval_of(run)
    await service.decide(run.id, approval, "approved", by="cy")
    await service._loop.drive(run.id)
    clock.advance(7200)
    head = await head_of(store, clock)
    assert [day.runs for day in head.days] == [1]
    with pytest.raises(PointsmanError):
        await service.decide(run.id, approval, "denied", by="cy")
    assert len(await store.rows(run.id)) > head.events
    assert (await against(store, clock, head)).holds
    later = await head_of(store, clock)
    assert [mark.run for mark in later.listed] == [run.id]
    assert (await against(store, clock, later)).holds


async def test_a_head_takes_runs_of_a_slow_writer_for_new(tmp_path: Path) -> None:
    """A run that began before the head and was written after it is not an inserted one."""
    store, clock = MemoryStore(), FakeClock()
    service = await filled(store, clock)
    journal = await service.receive(message("slow"))
    head = await head_of(store, clock)
    assert head.at - journal.run.created < timedelta(hours=1)
    await journal.commit()
    assert (await against(store, clock, head)).holds
