"""How a run ends when it does not end with an answer: always with a sentence that is true."""

from collections.abc import Mapping

from pointsman.domain import sentences
from pointsman.domain.events import RunCancelled, RunFailed
from pointsman.domain.graph import TaskState
from pointsman.domain.replies import reply_texts
from pointsman.domain.runs import Run
from pointsman.domain.tasks import task_acts
from pointsman.domain.text import clean
from pointsman.domain.tools import ToolSpec
from pointsman.engine.journal import Journal


async def fail(journal: Journal, reason: str, detail: str = "") -> None:
    """End the run: why, what was run before, what may have happened."""
    run = journal.run
    detail = clean(detail)
    text = _failure(run, reason, detail)
    journal.record(RunFailed(at=journal.clock.now(), reason=reason, detail=detail, text=text))
    await journal.commit()


def _failure(run: Run, reason: str, detail: str) -> str:
    """The sentence, with what was run before. What tasks gave is not lost with the reply that was
    to tell it."""
    if any(graph.having(TaskState.DONE) for graph in run.graphs):
        told = reply_texts.fallback(
            task_acts.happened(run), run.language, specs=task_acts.specs(run)
        )
        return f"{sentences.failure(reason, detail, run.language, run=run.id)}\n{told}"
    done, uncertain = happened(run)
    return sentences.failure(
        reason, detail, run.language, run=run.id, done=done, uncertain=uncertain
    )


def cancel(journal: Journal, *, by: str, reason: str) -> None:
    """Record that a person stopped the run."""
    done, uncertain = happened(journal.run)
    text = sentences.cancelled(journal.run.language, done=done, uncertain=uncertain)
    journal.record(RunCancelled(at=journal.clock.now(), by=by, reason=reason, text=text))


def happened(run: Run) -> tuple[list[str], list[str]]:
    """The tools that ran, and those that may have changed something."""
    calls = task_acts.happened(run)
    specs = task_acts.specs(run)
    return (
        [_named(call.tool, specs) for call in calls if call.result and call.result.ok],
        [_named(call.tool, specs) for call in calls if call.uncertain],
    )


def _named(tool: str, tasks: Mapping[str, ToolSpec]) -> str:
    return tasks[tool].title if tool in tasks else tool
