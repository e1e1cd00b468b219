"""What is kept for the console, tried on each store that keeps it."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.messages import Usage
from pointsman.domain.record.retention import Tombstone
from pointsman.domain.record.run_figures import CallFigures, RunFigures
from pointsman.domain.runs import RunStatus
from pointsman.ports import Append, KeepsConsole
from pointsman.ports.console import Act, DraftRecord, EvaluationRecord, VersionRecord
from pointsman.ports.figures import Search
from tests.adapters.store.records import NOON, record, row, start
from tests.support.many_runs import run_id

pytestmark = pytest.mark.anyio

MINUTE = timedelta(minutes=1)


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlStore]:
    if request.param == "sqlite":
        made = sqlite(tmp_path / "test.db")
    else:
        made = postgres(request.getfixturevalue("postgres_url"))
    assert isinstance(made, SqlStore)
    yield made
    await made.aclose()


async def ended(
    store: SqlStore,
    run: str,
    *,
    minute: int = 0,
    user: str = "ann",
    conversation: str = "c1",
    text: str = "你好",
    status: RunStatus = RunStatus.DONE,
    reply: str = "好",
) -> None:
    """Store a run that began so many minutes after noon and has ended."""
    at = NOON + minute * MINUTE
    made = replace(
        record(run, user=user, conversation=conversation), input=text, created=at, updated=at
    )
    await start(store, made)
    over = replace(made, status=status, position=1, reply=reply, updated=at)
    await store.append(Append(expected=0, rows=(row(1),), run=over, transcript=()))


def counted(run: str, *, minute: int = 0, **more: object) -> RunFigures:
    at = NOON + minute * MINUTE
    one = RunFigures(
        run=run,
        conversation="c1",
        user="ann",
        agent="travel",
        origin="user",
        status="done",
        kind="answer",
        failure="",
        created=at,
        ended=at,
        ms=500,
        usage=Usage(prompt=10, cached=4, completion=3, reasoning=1, total=13),
    )
    changed: RunFigures = replace(one, **more)
    return changed


def call(tool: str, status: str = "ok", *, key: str = "1.0", ms: int = 5) -> CallFigures:
    return CallFigures(
        call=key, tool=tool, at=NOON, ms=ms, ran=True, status=status, message="no line"
    )


async def found(store: SqlStore, **wanted: object) -> list[str]:
    search: Search = replace(Search(), **wanted)
    return [one.record.id for one in await store.figures.find(search)]


async def test_the_stores_keep_what_the_console_reads(store: SqlStore) -> None:
    assert isinstance(store, KeepsConsole)


async def test_runs_without_figures_are_told_until_they_are_counted(store: SqlStore) -> None:
    for name in ("r1", "r2", "r3"):
        await ended(store, name)
    await start(store, record("r4"))
    assert await store.figures.uncounted(ended=True) == ["r1", "r2", "r3"]
    assert await store.figures.uncounted(ended=False) == ["r4"]
    await store.figures.add([counted("r2")])
    assert await store.figures.uncounted(ended=True, after="r1") == ["r3"]
    assert await store.figures.uncounted(ended=True, ids=["r1", "r2"]) == ["r1"]
    assert await store.figures.uncounted(ended=True, limit=1) == ["r1"]
    assert await store.figures.newest("r3") == "r3"
    assert await store.figures.newest("r") == ""


async def test_figures_are_kept_once_and_never_of_a_run_that_is_gone(store: SqlStore) -> None:
    await ended(store, "r1")
    await store.figures.add([counted("r1"), counted("gone", calls=(call("book"),))])
    await store.figures.add([counted("r1", ms=9, calls=(call("book"),))])
    (one,) = await store.figures.find(Search())
    assert (one.ms, one.tools) == (500, ())
    assert await store.figures.tools(since=NOON, until=NOON + MINUTE) == []


async def test_runs_are_found_by_their_figures(store: SqlStore) -> None:
    await ended(store, "r1")
    await ended(store, "r2", minute=5, status=RunStatus.FAILED, text="Where is 100% of it?")
    await ended(store, "r3", minute=9, user="bob", conversation="c2", reply="Ready_now")
    await start(store, record("r4"))
    await store.figures.add(
        [
            counted("r1", intents=("buy",), calls=(call("book"), call("book", key="1.1"))),
            counted("r2", status="failed", failure="model", candidates=("buy", "ask"), asks=1),
            counted("r3", user="bob", calls=(call("look", "timeout"),), ms=5_000, kind="question"),
        ]
    )
    assert await found(store) == ["r4", "r3", "r2", "r1"]
    assert await found(store, intent="buy") == ["r2", "r1"]
    assert await found(store, tool="book") == ["r1"]
    assert await found(store, min_ms=501) == ["r3"]
    assert await found(store, text="100%") == ["r2"]
    assert await found(store, text="READY_") == ["r3"]
    assert await found(store, text="ready%") == []
    assert await found(store, user="bob") == ["r3"]
    assert await found(store, status=(RunStatus.QUEUED, RunStatus.FAILED)) == ["r4", "r2"]
    for outcome, run in (("failed", "r2"), ("model", "r2"), ("question", "r3"), ("timeout", "r3")):
        assert await found(store, outcome=outcome) == [run]
    (page,) = await store.figures.find(Search(), limit=1, before="r3")
    assert (page.record.id, page.intents, page.asks) == ("r2", ("buy", "ask"), 1)
    (first,) = await store.figures.find(Search(tool="book"))
    assert (first.counted, first.tools, first.kind) == (True, ("book",), "answer")


async def test_runs_are_spread_over_time(store: SqlStore) -> None:
    assert (await store.figures.spread(Search(), buckets=4)).buckets == {}
    for number, minute in enumerate((0, 1, 9, 10)):
        status = RunStatus.FAILED if minute == 9 else RunStatus.DONE
        name = run_id(NOON + minute * MINUTE, number)
        await ended(store, name, minute=minute, status=status)
    spread = await store.figures.spread(Search(), buckets=2)
    assert (spread.first, spread.last) == (NOON, NOON + 10 * MINUTE)
    assert spread.step == 301
    assert spread.buckets == {0: (2, 0), 1: (2, 1)}
    wide = Search(since=NOON - MINUTE, until=NOON + 2 * MINUTE)
    assert (await store.figures.spread(wide, buckets=3)).buckets == {0: (1, 0), 1: (1, 0)}


async def test_figures_add_up_over_a_span(store: SqlStore) -> None:
    for name, minute in (("r1", 0), ("r2", 5)):
        await ended(store, name, minute=minute)
    calls = (call("book", ms=7), call("book", "error", key="1.1", ms=3))
    await store.figures.add(
        [
            counted("r1", intents=("buy",), calls=calls, asks=2, denials=1),
            counted("r2", minute=5, user="bob", intents=("buy", "ask")),
        ]
    )
    await store.figures.rate("r1", "ann", "up", "good", NOON)
    span: Any = {"since": NOON, "until": NOON + 6 * MINUTE}
    (one, other) = sorted(await store.figures.sums(**span), key=lambda row: row.created)
    assert (one.prompt, one.asks, one.denials, one.tool_calls, one.tool_ok) == (10, 2, 1, 2, 1)
    assert (one.rating, other.rating, bool(other.failed)) == ("up", "", False)
    assert len(await store.figures.sums(**span, user="bob")) == 1
    assert await store.figures.sums(**span, agent="other") == []
    assert await store.figures.intents(**span) == [("buy", 2), ("ask", 1)]
    (tool,) = await store.figures.tools(**span)
    assert (tool.tool, tool.calls, tool.ok, tool.times) == ("book", 2, 1, (3, 7))
    assert await store.figures.tools(**span, user="bob") == []
    (failure,) = await store.figures.failures(since=NOON)
    assert (failure.run, failure.code, failure.message) == ("r1", "error", "no line")
    await store.figures.forget()
    assert await store.figures.sums(**span) == []
    assert await store.figures.uncounted(ended=True) == ["r1", "r2"]


async def test_turns_of_intent_are_found_in_a_conversation(store: SqlStore) -> None:
    for name in ("r1", "r2", "r3", "r4"):
        await ended(store, name, text=f"text of {name}")
    await ended(store, "r5", conversation="c2")
    await store.figures.add(
        [
            counted("r1", route="tools", intents=("buy",)),
            counted("r2", route="tools", intents=("ask",)),
            counted("r3", route="ask", candidates=("buy", "ask")),
            counted("r4", route="tools", intents=("ask",), picked=True),
            counted("r5", route="tools", intents=("ask",), conversation="c2"),
        ]
    )
    turns = await store.figures.turnabouts("travel")
    assert [(one.run, one.next, one.taken, one.meant, one.picked) for one in turns] == [
        ("r3", "r4", ("buy", "ask"), ("ask",), True),
        ("r1", "r2", ("buy",), ("ask",), False),
    ]
    assert (turns[1].text, turns[1].correction) == ("text of r1", "text of r2")
    assert [one.run for one in await store.figures.turnabouts("travel", before="r4")] == ["r1"]
    assert await store.figures.turnabouts("other") == []


async def test_a_rating_is_replaced_and_taken_back(store: SqlStore) -> None:
    await ended(store, "r1")
    await store.figures.rate("r1", "ann", "up", "", NOON)
    await store.figures.rate("r1", "ann", "down", "wrong", NOON)
    assert await store.figures.ratings(["r1", "r2"]) == {"r1": ("down", "wrong")}
    await store.figures.rate("r1", "ann", None, "", NOON)
    await store.figures.rate("gone", "ann", "up", "", NOON)
    assert await store.figures.ratings(["r1", "gone"]) == {}


async def test_conversations_are_listed_by_last_use(store: SqlStore) -> None:
    await ended(store, "r1", text="first words")
    await ended(store, "r2", conversation="c2", minute=1)
    await ended(store, "r3", minute=2)
    await ended(store, "r4", user="bob", conversation="c3")
    await ended(store, "r5", conversation="c4")
    await store.figures.add([counted("r5", conversation="c4", origin="trial")])
    await store.talks.rename("c2", "旅行", NOON)
    await store.talks.rename("none", "lost", NOON)
    listed = await store.talks.talks("ann")
    assert [(one.id, one.runs, one.first, one.title, one.last.id) for one in listed] == [
        ("c1", 2, "first words", "", "r3"),
        ("c2", 1, "你好", "旅行", "r2"),
    ]
    assert (listed[0].created, listed[0].updated) == (NOON, NOON + 2 * MINUTE)
    assert [one.id for one in await store.talks.talks("ann", before="r3")] == ["c2"]
    assert [one.id for one in await store.talks.talks("ann", text="FIRST")] == ["c1"]
    assert [one.id for one in await store.talks.talks("ann", text="旅")] == ["c2"]
    assert await store.talks.talks("ann", agent="other") == []
    await store.talks.rename("c2", "", NOON)
    assert await store.talks.title("c2") == await store.talks.title("none") == ""


async def test_what_belongs_to_a_buried_conversation_goes_with_it(store: SqlStore) -> None:
    await ended(store, "r1")
    await ended(store, "r2", conversation="c2")
    calls = (call("book", "error"),)
    await store.figures.add(
        [
            counted("r1", intents=("buy",), calls=calls),
            counted("r2", conversation="c2", intents=("buy",), calls=calls),
        ]
    )
    await store.figures.rate("r1", "ann", "up", "secret", NOON)
    await store.talks.rename("c1", "secret", NOON)
    tombstone = Tombstone(
        run="r1",
        began=NOON,
        position=1,
        hash="00",
        end=1,
        end_hash="00",
        at=NOON,
        by="ann",
    )
    assert await store.bury("c1", [tombstone])
    assert await found(store) == ["r2"]
    assert [one.run for one in await store.figures.failures(since=NOON)] == ["r2"]
    assert await store.figures.intents(since=NOON, until=NOON + MINUTE) == [("buy", 1)]
    assert await store.figures.ratings(["r1"]) == {}
    assert await store.talks.title("c1") == ""
    await store.figures.add([counted("r1")])
    assert await found(store) == ["r2"]


async def test_acts_are_recorded_in_order(store: SqlStore) -> None:
    acts = [
        Act(at=NOON, by="oda", act="switch_off", subject="a/t", note="broken"),
        Act(at=NOON, by="ada", act="publish", subject="a"),
        Act(at=NOON, by="oda", act="switch_on", subject="a/t"),
    ]
    for act in acts:
        await store.acts.record(act)
    assert await store.acts.acts() == acts[::-1]
    assert await store.acts.acts(subject="a/t", limit=1) == [acts[2]]


async def test_an_agent_has_one_draft_and_numbered_versions(store: SqlStore) -> None:
    draft = DraftRecord(agent="a", files={"agent.yaml": "名"}, base="d", by="ada", at=NOON)
    await store.workshop.keep_draft(draft)
    await store.workshop.keep_draft(replace(draft, by="eva"))
    assert await store.workshop.draft("a") == replace(draft, by="eva")
    assert await store.workshop.draft("b") is None
    await store.workshop.drop_draft("a")
    assert await store.workshop.draft("a") is None
    first = VersionRecord(
        agent="a", version=1, at=NOON, by="ada", note="n", digest="d", files={"x.md": "x"}
    )
    assert await store.workshop.add_version(first)
    assert not await store.workshop.add_version(replace(first, by="eva"))
    assert await store.workshop.add_version(replace(first, version=2))
    assert [one.version for one in await store.workshop.versions("a")] == [2, 1]
    assert (await store.workshop.versions("a"))[1] == replace(first, files={})
    assert await store.workshop.version("a", 1) == first
    assert await store.workshop.version("a", 3) is None


async def test_evaluations_are_kept_and_those_of_lost_processes_fail(store: SqlStore) -> None:
    one = EvaluationRecord(
        id="e1", agent="a", suite="s", state="running", by="oda", started=NOON, alive=NOON
    )
    other = replace(
        one, id="e2", state="done", score=0.5, results=b"{}", ended=NOON, alive=NOON - MINUTE
    )
    for kept in (one, other, replace(one, id="e3", agent="b", alive=NOON + MINUTE)):
        await store.evaluations.keep(kept)
    assert await store.evaluations.evaluation("e2") == other
    assert await store.evaluations.evaluation("e9") is None
    assert await store.evaluations.abandon(NOON + MINUTE, NOON, "gone") == 1
    listed: Sequence[EvaluationRecord] = await store.evaluations.evaluations()
    assert [(one.id, one.state) for one in listed] == [
        ("e3", "running"),
        ("e2", "done"),
        ("e1", "failed"),
    ]
    assert listed[1].results is None
    assert (listed[2].problem, listed[2].ended) == ("gone", NOON)
    assert [one.id for one in await store.evaluations.evaluations(agent="a", before="e2")] == ["e1"]
