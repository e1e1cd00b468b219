"""How a run ends when it does not end with an answer: always with a sentence that is true."""

from pointsman.domain import sentences
from pointsman.domain.events import RunCancelled, RunFailed
from pointsman.domain.runs import CallState
from pointsman.domain.tools import ResultStatus
from pointsman.engine.journal import Journal


async def fail(journal: Journal, reason: str, detail: str = "") -> None:
    """End the run: why, what was run before, what may have happened."""
    run = journal.run
    calls = (*run.past, *run.calls)
    text = sentences.failure(
        reason,
        detail,
        run.language,
        run=run.id,
        done=[call.tool for call in calls if call.result is not None and call.result.ok],
        uncertain=[call.tool for call in calls if _uncertain(call)],
    )
    journal.record(RunFailed(at=journal.clock.now(), reason=reason, detail=detail, text=text))
    await journal.commit()


def cancel(journal: Journal, *, by: str, reason: str) -> None:
    """Record that a person stopped the run."""
    text = sentences.cancelled(journal.run.language)
    journal.record(RunCancelled(at=journal.clock.now(), by=by, reason=reason, text=text))


def _uncertain(call: CallState) -> bool:
    if call.result is not None:
        return call.result.status is ResultStatus.UNCERTAIN
    return call.open and not call.repeatable
