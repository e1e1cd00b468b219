"""Journaled runs replayed: what comes out differently, and what does not."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain.intents import Intent
from pointsman.domain.limiting import BreakerLimits, Rate, ToolLimits
from pointsman.domain.policy import rules_from
from pointsman.domain.record.comparison import Difference
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.record import verification
from pointsman.engine.record.replay import replay
from pointsman.engine.service import Service
from pointsman.errors import Forbidden
from tests.support.engine import copied, message, say, service_of
from tests.support.fake_clock import START, FakeClock
from tests.support.journals import CARD, Saying, answers, approval_of, filled, held, tools
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio


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


async def test_a_yes_that_decided_nothing_is_told_again() -> None:
    service = await service_of(
        [[("pay", "{}"), ("pay", "{}")]],
        fake_tool("pay", "paid", risk=Risk.WRITE),
        intents=[Intent(name="pay", tools=("pay",), accept=0.5, ask=0.2)],
        classifier=Saying({"pay": 0.9}),
    )
    run = await say(service)
    second = await say(service, "yes", conversation=run.conversation)
    assert "2 things wait" in second.reply
    assert await replayed(service, second.id) == []


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


async def test_what_people_changed_and_did_by_hand_replays_without_difference() -> None:
    service = await service_of(answers, *tools(), store=MemoryStore(), clock=FakeClock())
    edited, by_hand, answered = [await held(service) for _ in range(3)]
    await service.desk.edit(approval_of(edited), {"card": "other"}, by="cy")
    taken = {"by": "cy"}
    await service.desk.take_over(approval_of(by_hand), result="paid in cash", **taken)
    await service.desk.take_over(approval_of(answered), reply="It is paid.", **taken)
    superseded = await held(service)
    await say(service, "another thing", user="cy", conversation=superseded.conversation)
    assert (await service.run(superseded.id, None)).status is RunStatus.CANCELLED
    assert await replayed(service, superseded.id) == []
    for run in (edited, by_hand, answered):
        await service._loop.drive(run.id)
        assert (await service.run(run.id, None)).status is RunStatus.DONE
        assert await replayed(service, run.id) == []
        assert (await verification.verify(service.store, FakeClock().now())).holds


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


def failing(**limits: Any) -> FakeTool:
    """A tool that reads and fails, held to these limits."""

    async def fail(arguments: Any, context: Any) -> ToolResult:
        return ToolResult(status=ResultStatus.FAILED, content="ERROR: no route to host")

    return fake_tool("lose", fail, required=["n"], retries=0, limits=ToolLimits(**limits))


async def every_run(service: Service, **changes: Any) -> dict[str, list[Difference]]:
    """The runs of the journal that come out differently, by what the user said."""
    records = await service.runs(user=None, limit=100)
    found = {record.input: await replayed(service, record.id, **changes) for record in records}
    return {text: differences for text, differences in found.items() if differences}


def stubborn(request: Any) -> Any:
    """A model that calls ``lose`` four times before it gives in."""
    results = [one for one in request.messages if getattr(one, "call_id", None)]
    return "It failed." if len(results) >= 4 else [("lose", f'{{"n": "{len(results)}"}}')]


async def test_what_a_breaker_or_a_rate_kept_from_running_makes_no_difference() -> None:
    """Nor does what came of it: the model asked again, and was turned away again."""
    resting = failing(breaker=BreakerLimits(failures=2, pause=3600))
    rated = failing(rate=Rate(calls=1, seconds=3600), breaker=BreakerLimits(failures=0))
    for tool, kept_off in ((resting, "unavailable"), (rated, "limit")):
        service = await service_of(stubborn, tool, clock=FakeClock())
        run = await say(service, "once")
        await say(service, "twice")
        assert [call.rejection for call in run.past][-1] == kept_off
        assert await every_run(service) == {}


async def test_a_policy_shows_also_where_a_rate_kept_a_call_from_running() -> None:
    tool = failing(rate=Rate(calls=1, seconds=3600), breaker=BreakerLimits(failures=0))
    service = await service_of(stubborn, tool, clock=FakeClock())
    await say(service, "once")
    denied = await every_run(service, **policy({"tool": "lose", "then": "deny"}))
    assert [one.now for one in denied["once"] if one.call == "4.0" and one.about == "gate"] == [
        "refused (policy rule 1)"
    ]


async def test_hours_without_a_worker_make_no_difference() -> None:
    """Whatever the call was about to change, and however long the run may take."""

    def pays(request: Any) -> Any:
        results = [one for one in request.messages if getattr(one, "call_id", None)]
        return "I do not know whether it is paid." if results else [("pay", '{"card": "1"}')]

    service = await service_of(pays, *tools(), clock=FakeClock(), policy=[{"then": "allow"}])
    run = (await say(service, "pay")).id
    rows = len(await service.store.rows(run))
    for kept in range(1, rows):
        store, later = MemoryStore(), FakeClock(START + timedelta(hours=5))
        await copied(service.store, run, kept, store)
        rules = [{"then": "allow"}]
        again = await service_of(pays, *tools(), store=store, clock=later, policy=rules)
        await again._loop.drive(run)
        assert (await again.run(run, None)).status is RunStatus.DONE
        assert await replayed(again, run) == [], kept


async def test_an_approval_that_was_used_too_late_is_so_again() -> None:
    clock = FakeClock()
    service = await service_of(answers, *tools(), clock=clock)
    run = await held(service)
    with pytest.raises(Forbidden):
        await service.decide(run.id, approval_of(run), "approved", by="bo")
    await service.decide(run.id, approval_of(run), "approved", by="cy")
    clock.advance(100_000)
    await service._loop.drive(run.id)
    assert "too long ago" in str(await service.store.rows(run.id))
    assert await every_run(service) == {}


async def test_what_the_user_said_to_a_question_is_said_again() -> None:
    """A confirmation in the conversation, a value that was asked for, and one who gave up."""
    service = await service_of(answers, *tools(), clock=FakeClock())
    first = await held(service)
    await say(service, "确认", user="cy", conversation=first.conversation)
    second = await held(service)
    await say(service, "no", user="cy", conversation=second.conversation)
    asked = await say(service, "weather {}")
    told = await say(service, "成都", conversation=asked.conversation)
    assert [call.arguments for call in told.past] == [{"city": "成都"}]
    asked = await say(service, "weather {}")
    await say(service, "never mind", conversation=asked.conversation)
    started = await service.submit(message("book"))
    await service.cancel(started, None)
    assert len(await service.runs(user=None, limit=100)) == 7
    assert await every_run(service) == {}
