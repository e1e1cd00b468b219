"""The record: found, checked against every tampering, and replayed."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.store.sql import sqlite
from pointsman.domain import events as ev
from pointsman.domain import heads
from pointsman.domain.comparison import Difference
from pointsman.domain.intents import Intent
from pointsman.domain.policy import rules_from
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine import audit, verification
from pointsman.engine.audit import Wanted
from pointsman.engine.replay import replay
from pointsman.engine.service import Service
from pointsman.engine.verification import Verified
from pointsman.errors import CallerError, ModelUnavailable, PointsmanError
from pointsman.ports import Store
from tests.support.engine import approve, message, say, service_of
from tests.support.fake_clock import FakeClock
from tests.support.scripted_model import Script
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio

CARD = "6222026006705354216"
KEY = b"a key that is kept elsewhere"


def tools() -> list[FakeTool]:
    """One that reads, one that reads very much, one that pays with a private card."""
    properties = {"card": {"type": "string", "x-private": True, "x-source": ["user", "model"]}}
    pay = fake_tool("pay", "paid", risk=Risk.WRITE, required=["card"], properties=properties)

    async def lose(arguments: Any, context: Any) -> ToolResult:
        return ToolResult(status=ResultStatus.FAILED, content="ERROR: lost")

    return [
        fake_tool("weather", "It rains.", required=["city"]),
        fake_tool("book", "long " * 20_000),
        fake_tool("lose", lose),
        pay,
    ]


def answers(request: Any) -> Any:
    """A model that does what the message says: a tool's name and its arguments."""
    last = request.messages[-1]
    if getattr(last, "call_id", None):
        return "Here you are."
    text = last.text
    if text == "down":
        return ModelUnavailable("the key sk-proj-abcdEFGH1234567890wxyz is refused")
    name, _, arguments = text.partition(" ")
    if name in ("weather", "book", "lose", "pay", "nothing"):
        return [(name, arguments or "{}")]
    return f"You said {text}."


async def filled(store: Store, clock: FakeClock | None = None) -> Service:
    """A service whose store holds a run of every kind."""
    service = await service_of(answers, *tools(), store=store, clock=clock)
    first = await say(service, 'weather {"city": "成都"}')
    await say(service, "hello again", conversation=first.conversation)
    await say(service, "book")
    await say(service, "lose", user="bo")
    await say(service, "nothing")
    await say(service, "down")
    await say(service, "weather {}")
    paid = await say(service, f'pay {{"card": "{CARD}"}}', user="cy")
    await approve(service, paid, by="cy")
    await service.carry(replace(message("hi"), user="cy"))
    await service._loop.drive(paid.id)
    await say(service, 'pay {"card": "4000123412341234"}', user="dee")
    return service


async def checked(store: Store) -> Verified:
    return await verification.verify(store, FakeClock().now())


# ---- verify


@pytest.fixture
async def journal(tmp_path: Path) -> Path:
    """A file with an ended run, a large result, an open question and a run that waits."""
    path = tmp_path / "journal.db"
    service = await service_of(answers, *tools(), store=sqlite(path))
    first = await say(service, 'weather {"city": "成都"}')
    await say(service, "book", conversation=first.conversation)
    await say(service, "weather {}", user="bo")
    await say(service, 'pay {"card": "4000123412341234"}', user="cy")
    assert (await checked(service.store)).holds
    await service.aclose()
    return path


Row = tuple[Any, ...]
NOT_RECORD = {("runs", "cancel_requested"), ("runs", "epoch")}
"""Requests to workers."""


def mutants(value: Any) -> list[Any]:
    """Other values for a column."""
    if isinstance(value, int):
        return [value + 1, "x"]
    if isinstance(value, str):
        return [value + "x", b"x"]
    if isinstance(value, bytes):
        flipped = bytes([value[0] ^ 1]) + value[1:]
        return [flipped, value + b" ", b""]
    return [b"[]", "x"]


class Tampering:
    """A database that is changed by hand, row by row, and put back."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.execute("PRAGMA busy_timeout=10000")
        self.tables = {
            name: self._rows(name) for name in ("conversations", "runs", "events", "blobs")
        }

    def close(self) -> None:
        self._database.close()

    def columns(self, table: str) -> list[str]:
        return [column[1] for column in self._database.execute(f"PRAGMA table_info({table})")]

    def _rows(self, table: str) -> list[Row]:
        return list(self._database.execute(f'SELECT * FROM "{table}"'))

    def put(self, table: str, rows: Sequence[Row]) -> bool:
        """Let the table hold these rows; whether it can."""
        marks = ", ".join("?" * len(self.columns(table)))
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute(f'DELETE FROM "{table}"')
        try:
            self._database.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        except (sqlite3.IntegrityError, sqlite3.OperationalError):
            self._database.execute("ROLLBACK")
            return False
        self._database.execute("COMMIT")
        return self._rows(table) != self.tables[table]

    def all(self) -> Iterator[tuple[str, str, list[Row]]]:
        """What, and where, and the table's rows then."""
        for table, rows in self.tables.items():
            for index, row in enumerate(rows):
                yield f"delete {row[:2]}", table, rows[:index] + rows[index + 1 :]
                yield from self._changed(table, rows, index)
                yield from self._inserted(table, rows, index)

    def _changed(
        self, table: str, rows: list[Row], index: int
    ) -> Iterator[tuple[str, str, list[Row]]]:
        row, other = rows[index], rows[(index + 1) % len(rows)]
        for place, column in enumerate(self.columns(table)):
            if (table, column) in NOT_RECORD:
                continue
            for value in mutants(row[place]):
                mutant = (*row[:place], value, *row[place + 1 :])
                yield f"{column}={value!r}", table, [*rows[:index], mutant, *rows[index + 1 :]]
            mine = (*row[:place], other[place], *row[place + 1 :])
            theirs = (*other[:place], row[place], *other[place + 1 :])
            swapped = [{row: mine, other: theirs}.get(one, one) for one in rows]
            yield f"swap {column}", table, swapped

    def _inserted(
        self, table: str, rows: list[Row], index: int
    ) -> Iterator[tuple[str, str, list[Row]]]:
        row = rows[index]
        for place, column in enumerate(self.columns(table)[:2]):
            for value in (-1, 999) if column == "position" else ("f" * 32, "0", ""):
                copy = (*row[:place], value, *row[place + 1 :])
                yield f"insert {column}={value!r}", table, [*rows, copy]


@pytest.mark.slow
async def test_every_tampering_with_a_single_row_is_found(journal: Path) -> None:
    """Issue 3, must-show 6: any column changed, any two values swapped, any row deleted, any
    inserted."""
    store = sqlite(journal)
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


async def test_a_fault_names_the_run_and_the_position(journal: Path) -> None:
    with sqlite3.connect(journal) as database:
        run, last = database.execute(
            "SELECT run, max(position) FROM events GROUP BY run"
        ).fetchone()
        database.execute("DELETE FROM events WHERE run = ? AND position = ?", (run, last))
    database.close()
    store = sqlite(journal)
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


# ---- replay


class Saying:
    """A classifier that says what it is told to."""

    name = "said"

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores

    async def classify(self, text: str, *, context: Sequence[str]) -> Any:
        from pointsman.domain.intents import Classification

        return Classification(scores=self.scores, by="said")


async def replayed(service: Service, run: str, **changes: Any) -> list[Difference]:
    """The differences of a run under the agent with these changes."""
    stored = await service.store.load(run)
    assert stored is not None
    reclassify = changes.pop("reclassify", False)
    live = replace(service.agents.get("desk"), **changes)
    return await replay(stored, live, MemoryStore(), MemoryBus(), reclassify=reclassify)


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"rules": rules_from(rules)}


async def test_a_run_of_every_kind_replays_without_difference() -> None:
    service = await filled(MemoryStore(), FakeClock())
    records = await service.runs(user=None, limit=100)
    assert len(records) == 10
    for record in records:
        assert await replayed(service, record.id) == [], record.input


async def test_nothing_is_called_and_nothing_is_written_by_a_replay() -> None:
    service = await filled(MemoryStore(), FakeClock())
    before = [await service.store.load(r.id) for r in await service.runs(user=None, limit=100)]
    live = service.agents.get("desk")
    calls = [len(tool.calls) for tool in live.registry.sources[0].tools()]  # type: ignore[attr-defined]
    for record in await service.runs(user=None, limit=100):
        await replayed(service, record.id)
    after = [await service.store.load(r.id) for r in await service.runs(user=None, limit=100)]
    assert after == before
    assert [len(tool.calls) for tool in live.registry.sources[0].tools()] == calls  # type: ignore[attr-defined]


async def run_of(service: Service, start: str) -> str:
    records = await service.runs(user=None, limit=100)
    return next(record.id for record in reversed(records) if record.input.startswith(start))


async def test_a_stricter_policy_shows_at_the_gate() -> None:
    service = await filled(MemoryStore(), FakeClock())
    run = await run_of(service, "weather {")
    changes = policy({"tool": "weather", "then": "approve", "by": "boss"})
    (gate, end) = await replayed(service, run, **changes)
    assert (gate.call, gate.about) == ("1.0", "gate")
    assert gate.recorded == "allowed (default for read)"
    assert gate.now == "held for boss (policy rule 1)"
    assert (end.about, end.now) == ("end", "waits for a person")
    denied = await replayed(service, run, **policy({"tool": "weather", "then": "deny"}))
    assert [one.now for one in denied if one.about == "gate"] == ["refused (policy rule 1)"]


async def test_a_looser_policy_shows_at_the_gate_of_what_was_approved() -> None:
    service = await filled(MemoryStore(), FakeClock())
    run = await run_of(service, "pay")
    found = await replayed(service, run, **policy({"tool": "pay", "then": "allow"}))
    assert [(one.about, one.now) for one in found] == [("gate", "allowed (policy rule 1)")]
    assert CARD not in str(found)


async def test_a_rule_that_only_moved_makes_no_difference() -> None:
    service = await filled(MemoryStore(), FakeClock())
    rules = policy({"tool": "other", "then": "deny"}, {"tool": "weather", "then": "allow"})
    assert await replayed(service, await run_of(service, "weather {"), **rules) == []


async def test_another_schema_shows_at_the_validation() -> None:
    service = await filled(MemoryStore(), FakeClock())
    run = await run_of(service, "weather {")
    service.agents.get("desk").registry.sources[0].offered = [  # type: ignore[attr-defined]
        fake_tool("weather", required=["city", "day"]),
    ]
    found = await replayed(service, run)
    assert found[0].about == "validation"
    assert "missing" in found[0].now
    service.agents.get("desk").registry.sources[0].offered = []  # type: ignore[attr-defined]
    found = await replayed(service, run)
    assert "unknown_tool" in found[0].now


async def test_other_thresholds_and_scores_show_in_the_route() -> None:
    intents = [Intent(name="weather", tools=("weather",)), Intent(name="talk")]
    classifier = Saying({"weather": 0.7})
    service = await service_of(answers, *tools(), intents=intents, classifier=classifier)
    run = (await say(service, 'weather {"city": "成都"}')).id
    assert await replayed(service, run) == []
    strict = {"weather": Intent(name="weather", tools=("weather",), accept=0.9)}
    (route, *_) = await replayed(service, run, intents=strict)
    assert route.about == "route"
    assert route.now.startswith("ask: weather")
    other = Saying({"talk": 0.9})
    (route, *_) = await replayed(service, run, classifier=other, reclassify=True)
    assert route.now.startswith("answer: talk")
    assert await replayed(service, run, classifier=other) == []


async def held(service: Service, user: str = "cy") -> Run:
    """A run that waits for its user's word."""
    run = await say(service, f'pay {{"card": "{CARD}"}}', user=user)
    assert run.waiting
    return run


def approval_of(run: Run) -> str:
    (call,) = run.waiting
    assert call.approval is not None
    return call.approval.id


async def test_what_people_changed_and_did_by_hand_replays_without_difference() -> None:
    service = await service_of(answers, *tools(), store=MemoryStore(), clock=FakeClock())
    edited, by_hand, answered = [await held(service) for _ in range(3)]
    await service.desk.edit(approval_of(edited), {"card": "other"}, by="cy")
    taken = {"by": "cy"}
    await service.desk.take_over(approval_of(by_hand), result="paid in cash", **taken)
    await service.desk.take_over(approval_of(answered), reply="It is paid.", **taken)
    superseded = await held(service)
    await say(service, "never mind", user="cy", conversation=superseded.conversation)
    assert (await service.run(superseded.id, None)).status is RunStatus.CANCELLED
    assert await replayed(service, superseded.id) == []
    for run in (edited, by_hand, answered):
        await service._loop.drive(run.id)
        assert (await service.run(run.id, None)).status is RunStatus.DONE
        assert await replayed(service, run.id) == []
        assert (await checked(service.store)).holds


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


async def test_a_tool_that_was_out_of_reach_then_makes_no_difference() -> None:
    service = await filled(MemoryStore(), FakeClock())
    source = service.agents.get("desk").registry.sources[0]
    offered = list(source.tools())
    live = service.agents.get("desk")
    source.offered = []  # type: ignore[attr-defined]
    source.absent = lambda name: ToolResult(  # type: ignore[method-assign]
        status=ResultStatus.FAILED, content="ERROR: the server is starting"
    )
    run = await say(service, 'weather {"city": "成都"}')
    assert [call.rejection for call in (*run.past, *run.calls)] == ["unavailable"]
    source.offered = offered  # type: ignore[attr-defined]
    await live.registry.settle()
    assert await replayed(service, run.id) == []


async def test_a_run_that_a_crash_interrupted_replays_without_difference() -> None:
    from tests.support.engine import copied

    service = await filled(MemoryStore(), FakeClock())
    run = await run_of(service, "weather {")
    rows = len(await service.store.rows(run))
    for kept in range(1, rows):
        store = MemoryStore()
        await copied(service.store, run, kept, store)
        again = await service_of(answers, *tools(), store=store, clock=FakeClock())
        await again._loop.drive(run)
        assert (await again.run(run, None)).status is RunStatus.DONE
        assert await replayed(again, run) == [], kept


async def test_a_head_takes_runs_of_a_slow_writer_for_new(tmp_path: Path) -> None:
    """A run that began before the head and was written after it is not an inserted one."""
    store, clock = MemoryStore(), FakeClock()
    service = await filled(store, clock)
    journal = await service.receive(message("slow"))
    head = await head_of(store, clock)
    assert head.at - journal.run.created < timedelta(hours=1)
    await journal.commit()
    assert (await against(store, clock, head)).holds
