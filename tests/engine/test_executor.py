"""Running a cleared call: timeout, retries, and what is journaled when."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
import pytest

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.store.memory import MemoryStore
from pointsman.domain import events as ev
from pointsman.domain.limiting import BreakerLimits, Rate, ToolLimits
from pointsman.domain.retry import FIRST_PAUSE
from pointsman.domain.runs import CallState
from pointsman.domain.tools import ClearedCall, ResultStatus, Risk, ToolResult, ValidCall
from pointsman.engine import executor
from pointsman.engine.health import Admitted, Health
from pointsman.engine.journal import Journal
from pointsman.ports import CallContext
from tests.support.events import RUN, answered, asked, cleared, received, started, validated
from tests.support.fake_clock import START, FakeClock
from tests.support.tools import Behaviour, FakeTool, fake_tool

pytestmark = pytest.mark.anyio

BUSY = ToolResult(status=ResultStatus.FAILED, content="ERROR: busy", retryable=True)


class Bench:
    """A run whose only call is cleared, and the tool behind it."""

    def __init__(self, tool: FakeTool) -> None:
        self.tool, self.clock, self.store = tool, FakeClock(), MemoryStore()
        self.health = Health(self.store, self.clock, patience=0.01)
        self.journal = Journal.start(
            self.store, MemoryBus(), self.clock, run=RUN, first=received(), past=(), pending=None
        )
        spec = tool.spec
        for event in (
            started(),
            asked(),
            answered("", (spec.name, "{}")),
            validated("1.0", spec.name, risk=spec.risk, repeatable=spec.repeatable),
            cleared("1.0"),
        ):
            self.journal.record(event)

    async def run(self, *, result_chars: int = 1000) -> CallState:
        """The call after it was run."""
        call = ValidCall(key="1.0", spec=self.tool.spec, arguments={})
        await executor.run(
            ClearedCall(call=call, rule="r"),
            self.tool,
            _context(),
            journal=self.journal,
            health=self.health,
            result_chars=result_chars,
        )
        await self.journal.commit()
        return self.journal.run.call("1.0")

    async def stored(self, kind: type[ev.Event]) -> list[Any]:
        rows = await self.store.rows(RUN)
        return [one for row in rows if isinstance(one := ev.decode(row.body), kind)]


def _context() -> CallContext:
    return CallContext(
        run=RUN,
        conversation="c1",
        user="ann",
        agent="desk",
        input="hi",
        language="en",
        now=START,
        key=f"{RUN}:1.0",
        progress=lambda fraction, message: None,
    )


def answers(*results: ToolResult | str) -> Behaviour:
    """A behaviour that gives these results, one a call."""
    left = iter(results)

    async def answer(arguments: Mapping[str, Any], context: CallContext) -> ToolResult | str:
        return next(left)

    return answer


async def hang(arguments: Mapping[str, Any], context: CallContext) -> str:
    await anyio.sleep_forever()
    return ""


def raises(fault: BaseException) -> Behaviour:
    async def fail(arguments: Mapping[str, Any], context: CallContext) -> str:
        raise fault

    return fail


async def test_a_result_is_journaled_with_its_attempt() -> None:
    bench = Bench(fake_tool("look", "seen"))
    call = await bench.run()
    assert call.result == ToolResult(status=ResultStatus.OK, content="seen")
    (begun,) = await bench.stored(ev.AttemptStarted)
    (over,) = await bench.stored(ev.AttemptFinished)
    assert (begun.attempt, over.attempt, over.retry_in) == (1, 1, None)


async def test_the_start_of_what_changes_something_is_durable_before_it_runs() -> None:
    seen: list[int] = []

    async def pay(arguments: Mapping[str, Any], context: CallContext) -> str:
        seen.append(len(await bench.stored(ev.AttemptStarted)))
        return "paid"

    bench = Bench(fake_tool("pay", pay, risk=Risk.WRITE))
    await bench.run()
    assert seen == [1]


async def test_a_failure_that_may_pass_is_tried_again_after_growing_pauses() -> None:
    bench = Bench(fake_tool("look", answers(BUSY, BUSY, "seen")))
    call = await bench.run()
    assert (call.result and call.result.content, call.attempts) == ("seen", 3)
    assert bench.clock.sleeps == [FIRST_PAUSE, FIRST_PAUSE * 2]
    over = await bench.stored(ev.AttemptFinished)
    assert [one.retry_in for one in over] == [*bench.clock.sleeps, None]


async def test_retries_come_to_an_end() -> None:
    bench = Bench(fake_tool("look", answers(BUSY, BUSY, BUSY), retries=2))
    call = await bench.run()
    assert (call.result, len(bench.tool.calls)) == (BUSY, 3)


@pytest.mark.parametrize(
    ("tool", "calls"),
    [
        pytest.param(fake_tool("pay", answers(BUSY), risk=Risk.WRITE), 1, id="a write"),
        pytest.param(
            fake_tool("set", answers(BUSY, "ok"), risk=Risk.WRITE, idempotent=True),
            2,
            id="an idempotent write",
        ),
    ],
)
async def test_only_what_can_do_no_harm_is_tried_again(tool: FakeTool, calls: int) -> None:
    await Bench(tool).run()
    assert len(tool.calls) == calls


async def test_a_read_that_ran_out_of_time_is_tried_again() -> None:
    bench = Bench(fake_tool("look", hang, timeout=0.01, retries=1))
    call = await bench.run()
    assert call.result is not None
    assert call.result.status is ResultStatus.TIMEOUT
    assert len(bench.tool.calls) == 2


async def test_a_write_that_ran_out_of_time_is_uncertain_and_never_tried_again() -> None:
    bench = Bench(fake_tool("pay", hang, risk=Risk.WRITE, timeout=0.01))
    call = await bench.run()
    assert call.result is not None
    assert call.result.status is ResultStatus.UNCERTAIN
    assert len(bench.tool.calls) == 1


async def test_an_idempotent_write_is_tried_again_and_stays_uncertain() -> None:
    bench = Bench(fake_tool("set", hang, risk=Risk.WRITE, idempotent=True, timeout=0.01, retries=1))
    call = await bench.run()
    assert call.result is not None
    assert call.result.status is ResultStatus.UNCERTAIN
    assert len(bench.tool.calls) == 2


async def test_a_tool_whose_time_is_over_can_still_put_things_back() -> None:
    put_back = []

    async def hold(arguments: Mapping[str, Any], context: CallContext) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            await asyncio.sleep(0)
            put_back.append(context.key)
        return ""

    call = await Bench(fake_tool("look", hold, timeout=0.01, retries=0)).run()
    assert call.result is not None
    assert call.result.status is ResultStatus.TIMEOUT
    assert len(put_back) == 1


async def test_what_a_tool_gives_that_swallows_its_cancellation_is_what_happened() -> None:
    async def stubborn(arguments: Mapping[str, Any], context: CallContext) -> str:
        with suppress(asyncio.CancelledError):
            await anyio.sleep_forever()
        await asyncio.sleep(0)
        return "paid"

    call = await Bench(fake_tool("pay", stubborn, risk=Risk.WRITE, timeout=0.01)).run()
    assert call.result == ToolResult(status=ResultStatus.OK, content="paid")


@pytest.mark.parametrize(
    ("fault", "content"),
    [
        pytest.param(ValueError("no such id"), "ERROR: ValueError: no such id", id="an exception"),
        pytest.param(SystemExit(3), "ERROR: SystemExit: 3", id="an exit"),
        pytest.param(OSError("\ud83d"), "ERROR: OSError: \ufffd", id="H08"),
    ],
)
async def test_what_a_tool_raises_is_a_failure_and_not_ours(
    fault: BaseException, content: str
) -> None:
    call = await Bench(fake_tool("look", raises(fault))).run()
    assert call.result == ToolResult(status=ResultStatus.FAILED, content=content)


@pytest.mark.parametrize(
    ("risk", "status"),
    [(Risk.READ, ResultStatus.FAILED), (Risk.WRITE, ResultStatus.UNCERTAIN)],
)
async def test_a_cancellation_of_the_tools_own_does_not_stop_the_run(
    risk: Risk, status: ResultStatus
) -> None:
    call = await Bench(fake_tool("t", raises(asyncio.CancelledError()), risk=risk)).run()
    assert call.result is not None
    assert call.result.status is status


async def test_ours_goes_through_and_leaves_the_attempt_open() -> None:
    running = anyio.Event()

    async def pay(arguments: Mapping[str, Any], context: CallContext) -> str:
        running.set()
        await anyio.sleep_forever()
        return ""

    bench = Bench(fake_tool("pay", pay, risk=Risk.WRITE))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bench.run)
        await running.wait()
        tasks.cancel_scope.cancel()
    assert bench.journal.run.call("1.0").open


async def test_a_huge_result_is_cut_and_kept_whole() -> None:
    """Case M21."""
    bench = Bench(fake_tool("look", "长" * 5000))
    call = await bench.run(result_chars=500)
    assert call.result is not None
    assert len(call.result.content) <= 500
    assert f"result://{call.result.blob}" in call.result.content
    assert await bench.store.blob(RUN, call.result.blob) == "长" * 5000


async def test_attempts_before_a_crash_count() -> None:
    bench = Bench(fake_tool("look", answers(BUSY), retries=2))
    for number in (1, 2):
        bench.journal.record(ev.AttemptStarted(at=START, call="1.0", attempt=number))
    call = await bench.run()
    assert (call.attempts, call.result) == (3, BUSY)


FRAGILE = ToolLimits(breaker=BreakerLimits(failures=2))


async def test_a_tool_that_opened_its_breaker_is_not_tried_again() -> None:
    bench = Bench(fake_tool("look", answers(BUSY, BUSY), retries=5, limits=FRAGILE))
    call = await bench.run()
    assert (call.result, call.attempts, len(bench.tool.calls)) == (BUSY, 2, 2)


async def test_a_call_of_a_tool_that_rests_is_no_attempt_and_journaled() -> None:
    bench = Bench(fake_tool("look", limits=FRAGILE))
    await fail(bench.health, bench.tool, times=2)
    call = await bench.run()
    assert call.result is not None
    assert (call.result.status, call.attempts) == (ResultStatus.REJECTED, 0)
    assert call.result.content.startswith(
        "ERROR: not run: look is temporarily unavailable after 2 failures; try again in 30 s."
    )
    assert not bench.tool.calls
    (told,) = await bench.stored(ev.CallRejected)
    assert told.kind == "unavailable"


async def test_a_call_over_the_rate_is_no_attempt() -> None:
    limits = ToolLimits(rate=Rate(calls=1, seconds=60))
    bench = Bench(fake_tool("look", limits=limits))
    async with await bench.health.admission(bench.tool.spec, user="ann", call="another"):
        """The one call that she has in this minute."""
    call = await bench.run()
    assert call.result is not None
    assert call.result.status is ResultStatus.REJECTED
    assert "look has its calls for this user (in 60 s: 1); try again in 60 s" in call.result.content


async def test_a_call_that_finds_no_place_is_no_attempt() -> None:
    bench = Bench(fake_tool("look", limits=ToolLimits(at_once=1)))
    async with await bench.health.admission(bench.tool.spec, user="ann", call="another") as other:
        assert isinstance(other, Admitted)
        call = await bench.run()
    assert call.result is not None
    assert "look is busy (calls at the same time: 1)" in call.result.content
    assert not bench.tool.calls


async def test_what_a_crash_interrupted_stays_uncertain_when_its_tool_rests() -> None:
    tool = fake_tool("set", risk=Risk.WRITE, idempotent=True, limits=FRAGILE)
    bench = Bench(tool)
    bench.journal.record(ev.AttemptStarted(at=START, call="1.0", attempt=1))
    await fail(bench.health, tool, times=2)
    call = await bench.run()
    assert call.result is not None
    assert call.result.status is ResultStatus.UNCERTAIN
    assert not tool.calls


async def fail(health: Health, tool: FakeTool, *, times: int) -> None:
    """Let other calls of the tool fail."""
    for number in range(times):
        async with await health.admission(
            tool.spec, user="bob", call=f"other {number}"
        ) as admitted:
            assert isinstance(admitted, Admitted)
            await health.report(tool.spec, admitted, BUSY)
