"""What a crash left behind: attempts without an end, runs without a driver, runs that no worker
lives through."""

import logging
from collections.abc import Collection

import anyio

from pointsman.domain import retry, sentences
from pointsman.domain.calls import CallState
from pointsman.domain.events import AttemptChecked, AttemptFinished, RunParked
from pointsman.domain.runs import Run, RunStatus, deaths
from pointsman.engine import endings, executor
from pointsman.engine.calling import context_of
from pointsman.engine.driving import Driving
from pointsman.engine.journal import Journal
from pointsman.ports import Checked, CheckedTool, Queue, Store

log = logging.getLogger("pointsman.recovery")

DEATHS = 3
"""Workers that may vanish on a run without a step forward, before it is parked."""
_GOING = (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.SPLIT)
CLAIMS = 10
"""Workers that may vanish before they say anything at all."""


async def settle_interrupted(driving: Driving) -> None:
    """Give every attempt that started and did not finish its meaning.

    One that may be repeated stays cleared and runs again. Of another the tool is asked whether it
    happened, if it has a way to know. Else it is uncertain: nobody knows, so it never runs again by
    itself.
    """
    for call in driving.journal.run.calls:
        if call.open and not call.repeatable:
            await _settle(call, driving)


async def _settle(call: CallState, driving: Driving) -> None:
    journal = driving.journal
    said = await _asked(call, driving)
    if said is not None:
        journal.record(
            AttemptChecked(
                at=journal.clock.now(),
                call=call.key,
                attempt=call.attempts,
                answer=said.answer,
                detail=said.detail,
            )
        )
        if said.answer == "not_happened":
            return
    if said is not None and said.result is not None:
        limit = driving.live.spec.limits.result_chars
        result = executor.kept(executor.cleaned(said.result), journal, limit)
    else:
        result = retry.uncertain("the worker stopped before the call ended")
    journal.record(
        AttemptFinished(
            at=journal.clock.now(),
            call=call.key,
            attempt=call.attempts,
            result=result,
            ms=0.0,
        )
    )


async def _asked(call: CallState, driving: Driving) -> Checked | None:
    """What the tool knows of the attempt; None when it is not the one that was called, or has no
    way to know."""
    tool = driving.live.registry.tool(call.tool)
    if not isinstance(tool, CheckedTool) or tool.spec.digest != call.digest:
        return None
    with anyio.move_on_after(tool.spec.timeout):
        return await tool.check(call.arguments, context_of(driving, call))
    return Checked(answer="unknown", detail=f"no answer within {tool.spec.timeout:g} s")


def is_hopeless(journal: Journal) -> bool:
    """Whether worker after worker has vanished on the run."""
    run = journal.run
    if not run.system:
        return journal.claims > CLAIMS
    return run.step is not None and deaths(run) >= DEATHS


async def park(journal: Journal) -> None:
    """Leave the run to a person, with what is known of it."""
    run = journal.run
    done, uncertain = endings.happened(run)
    lost = deaths(run) if run.system else journal.claims - 1
    step = _last_step(run)
    journal.record(
        RunParked(
            at=journal.clock.now(),
            deaths=lost,
            step=step,
            text=sentences.parked(run.language, run=run.id, done=done, uncertain=uncertain),
        )
    )
    await journal.commit()
    log.error(
        "run %s of agent %s is parked: %d workers in a row were lost on it, the last at: %s; look "
        "at it with `pointsman runs show %s`, then resume or cancel it",
        *(run.id, run.agent, lost, step, run.id),
    )


def _last_step(run: Run) -> str:
    """What the last worker was doing, as far as the journal knows."""
    begun = [f"{call.tool} (call {call.key})" for call in run.calls if call.open]
    if begun:
        return f"running {', '.join(begun)}"
    if run.asked:
        return f"asking the model (turn {run.turns})"
    return (
        "taking the run up"
        if not run.system
        else "what comes after " + (f"turn {run.turns}" if run.turns else "its start")
    )


async def requeue_unfinished(store: Store, queue: Queue, agents: Collection[str]) -> int:
    """Hand every run of these agents that should be running to the queue again, oldest first; how
    many. Runs of other agents are left to a process that serves them. One that waits is only looked
    at: a task of it may be over, and nobody have come to say so."""
    statuses = (*_GOING, RunStatus.WAITING)
    unfinished = await store.records(status=statuses, limit=100_000)
    found = [record for record in unfinished if record.agent in agents]
    for record in reversed(found):
        await queue.put(record.id, record.conversation)
    return sum(record.status in _GOING for record in found)
