"""Runs a cleared call: admission, timeout, retries, and an honest word when nobody knows what
happened.

Each attempt is journaled before and after. The start of an attempt that may change something is
durable before the tool runs; that of one that only reads need not be.
"""

import asyncio

from msgspec.structs import replace

from pointsman.domain import retry, sentences
from pointsman.domain.events import AttemptFinished, AttemptStarted, CallRejected
from pointsman.domain.masking import result_without_credentials
from pointsman.domain.results import shorten
from pointsman.domain.runs import CallState, Run
from pointsman.domain.text import clean
from pointsman.domain.tools import ClearedCall, ResultStatus, Risk, ToolResult
from pointsman.engine.health import Denied, Health
from pointsman.engine.journal import Journal
from pointsman.ports import CallContext, Tool


async def run(
    cleared: ClearedCall,
    tool: Tool,
    context: CallContext,
    *,
    journal: Journal,
    health: Health,
    result_chars: int,
) -> None:
    """Run the call to its result, which the journal then holds; that it may not run now is one."""
    spec, key = cleared.call.spec, cleared.call.key
    agent, language = context.agent, journal.run.language
    async with await health.admission(
        spec, user=context.user, call=context.key, agent=agent, language=language
    ) as admitted:
        if isinstance(admitted, Denied):
            journal.record(_denied(admitted, cleared, journal))
            return
        attempt = journal.run.call(key).attempts
        while True:
            attempt += 1
            journal.record(AttemptStarted(at=journal.clock.now(), call=key, attempt=attempt))
            if spec.risk is not Risk.READ:
                await journal.commit()
            begun = journal.clock.monotonic()
            result = await _attempt(cleared, tool, context)
            ms = (journal.clock.monotonic() - begun) * 1000
            await health.report(spec, admitted, result)
            pause = retry.pause_before_retry(spec, attempt, result, journal.clock.random())
            if pause is None or health.rest(spec, agent):
                pause = None
                result = kept(_worded(result, journal.run, key), journal, result_chars)
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


def _denied(
    denied: Denied, cleared: ClearedCall, journal: Journal
) -> AttemptFinished | CallRejected:
    """The end of a call that is not let through. One that a crash interrupted may have changed
    something before."""
    call, now = journal.run.call(cleared.call.key), journal.clock.now()
    if not call.uncertain:
        name, kind, content = cleared.call.spec.name, denied.kind, denied.content
        return CallRejected(at=now, call=call.key, tool=name, kind=kind, content=content)
    result = retry.uncertain("it was interrupted, and the tool cannot be called now")
    return AttemptFinished(at=now, call=call.key, attempt=call.attempts, result=result, ms=0.0)


async def _attempt(cleared: ClearedCall, tool: Tool, context: CallContext) -> ToolResult:
    spec = cleared.call.spec
    try:
        async with asyncio.timeout(spec.timeout):
            return cleaned(await _called(cleared, tool, context))
    except TimeoutError:
        return retry.after_timeout(spec)


async def _called(cleared: ClearedCall, tool: Tool, context: CallContext) -> ToolResult:
    """What the tool gave, or how it failed."""
    try:
        return await tool.call(cleared.call.arguments, context)
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - the border to foreign code
        return _failed(fault)
    except asyncio.CancelledError as fault:
        if _is_cancelled():
            raise
        return _failed(fault) if cleared.call.spec.repeatable else retry.uncertain("it broke off")


def cleaned(result: ToolResult) -> ToolResult:
    """The result as it may be journaled and shown."""
    return result_without_credentials(_replaced(result, clean(result.content)))


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


def kept(result: ToolResult, journal: Journal, limit: int) -> ToolResult:
    """The result cut to what a model should read; the whole stays in the store (case M21)."""
    if len(result.content) <= limit:
        return result
    whole = journal.keep(result, result.content)
    return _replaced(whole, shorten(result.content, limit, f"result://{whole.blob}"))


def _replaced(result: ToolResult, content: str) -> ToolResult:
    return result if content == result.content else replace(result, content=content)
