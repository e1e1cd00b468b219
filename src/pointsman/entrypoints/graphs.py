"""A run's graph of tasks as JSON values, the same for the HTTP API and for ``--json``."""

from datetime import datetime
from typing import Any

from pointsman.domain.agent import Language
from pointsman.domain.graph import Graph, Task
from pointsman.domain.runs import Run
from pointsman.domain.tasks.graph_picture import picture
from pointsman.errors import NotFound


def shape(run: Run, language: Language, now: datetime) -> dict[str, Any]:
    """The latest plan of the run.

    ``overall`` is ``open`` while something goes on; ``run`` names the run of a task, for whoever
    wants to see more; ``cause`` is the task whose end made another skipped; ``text`` is the whole
    as a picture in text. Instants are ISO 8601, in UTC.

    Raises:
        NotFound: the request was not split.
    """
    if not run.graphs:
        raise NotFound("graph of run", run.id)
    graph = run.graphs[-1]
    return {
        "run": run.id,
        "call": graph.call,
        "version": graph.version,
        "overall": overall(graph),
        "tasks": [_task(task) for task in graph.tasks],
        "text": picture(graph, language, now),
    }


def overall(graph: Graph) -> str:
    """How the whole came out, or ``open``."""
    return graph.overall or "open"


def _task(task: Task) -> dict[str, Any]:
    return {
        "index": task.id,
        "desc": task.node.desc,
        "base": list(task.node.base),
        "optional": task.node.optional,
        "state": task.state.value,
        "run": task.run or None,
        "attempt": task.attempt,
        "result": task.result,
        "why": task.why,
        "cause": task.cause or None,
        "questions": [question.text for question in task.questions],
        "started": task.started.isoformat() if task.started else None,
        "ended": task.ended.isoformat() if task.ended else None,
        "tokens": task.spent.tokens,
    }
