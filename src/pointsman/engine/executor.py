"""Runs a cleared call: timeout, retries, and an honest word when nobody knows what happened.

Each attempt is journaled before and after. The start of an attempt that may change something is
durable before the tool runs; that of one that only reads need not be.
"""

import asyncio

import anyio
from msgspec.structs import replace

from pointsman.domain import retry, sentences
from pointsman.domain.events import AttemptFinished, AttemptStarted
from pointsman.domain.masking import result_without_credentials
from pointsman.domain.results import shorten
from pointsman.domain.runs import CallState, Run
from pointsman.domain.text import clean
from pointsman.domain.tools import ClearedCall, ResultStatus, ToolResult
from pointsman.engine.journal import Journal
from pointsman.ports import CallContext, Tool


async def run(
    cleared: ClearedCall,
    tool: Tool,
    context: CallContext,
    *,
    journal: Journal,
    result_chars: int,
) -> None:
    """Run the call to its result, which the journal then holds."""
    spec, key = cleared.call.spec, cleared.call.key
    attempt = journal.run.call(key).attempts
    while True:
        attempt += 1
        journal.record(AttemptStarted(at=journal.clock.now(), call=key, attempt=attempt))
        if not spec.repeatable:
            await journal.commit()
        begun = journal.clock.monotonic()
        result = await _attempt(cleared, tool, context)
        ms = (journal.clock.monotonic() - begun) * 1000
        pause = retry.pause_before_retry(spec, attempt, result, journal.clock.random())
        if pause is None:
            result = _kept(_worded(result, journal.run, key), journal, result_chars)
        journal.record(
            AttemptFinished(
                at=journal.clock.now(),
                call=key,
                attempt=attempt,
                result=result,
                ms=round(ms, 3),
                retry_in=pause,
            )
        )
        if pause is None:
            return
        await journal.clock.sleep(pause)


async def _attempt(cleared: ClearedCall, tool: Tool, context: CallContext) -> ToolResult:
    spec = cleared.call.spec
    with anyio.move_on_after(spec.timeout):
        try:
            result = await tool.call(cleared.call.arguments, context)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - the border to foreign code
            result = _failed(fault)
        except asyncio.CancelledError as fault:
            if _is_cancelled():
                raise
            result = _failed(fault) if spec.repeatable else retry.uncertain("it broke off")
        return result_without_credentials(_replaced(result, clean(result.content)))
    return retry.after_timeout(spec)


def _failed(fault: BaseException) -> ToolResult:
    return ToolResult(status=ResultStatus.FAILED, content=f"ERROR: {type(fault).__name__}: {fault}")


def _is_cancelled() -> bool:
    """Whether somebody stops us, and it is no cancellation of its own that a tool let out."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _worded(result: ToolResult, run: Run, key: str) -> ToolResult:
    """The result with a word against repeating it, when the same call failed before (case L07)."""
    if result.ok or not _failed_before(run, run.call(key)):
        return result
    return _replaced(result, result.content + sentences.NO_REPEAT)


def _failed_before(run: Run, call: CallState) -> bool:
    return any(
        past.tool == call.tool
        and past.arguments == call.arguments
        and past.result is not None
        and not past.result.ok
        for past in run.past
    )


def _kept(result: ToolResult, journal: Journal, limit: int) -> ToolResult:
    """The result cut to what a model should read; the whole stays in the store (case M21)."""
    if len(result.content) <= limit:
        return result
    kept = journal.keep(result, result.content)
    return _replaced(kept, shorten(result.content, limit, f"result://{kept.blob}"))


def _replaced(result: ToolResult, content: str) -> ToolResult:
    return result if content == result.content else replace(result, content=content)
