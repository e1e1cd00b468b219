"""A request that ends before its tasks: what had come of each by then is journaled first, so that
its end hides nothing that was done. Stopping their runs comes after that, and is ``carrying``'s."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.graph import Graph, Task
from pointsman.domain.runs import Run
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tasks.task import Spent
from pointsman.engine.journal import Journal
from pointsman.engine.registry import Registry
from pointsman.engine.tasks import task_ends
from pointsman.errors import NotFound

Load = Callable[[str], Awaitable[Run]]
"""A run by its id; raises ``NotFound``."""


async def close(journal: Journal, registry: Registry, load: Load) -> None:
    """Journal an end for every task that has none; nothing where there are no open tasks."""
    found = run_tasks.open_graph(journal.run)
    for task in found.tasks if found else ():
        if found is not None and not task.state.ended:
            runs = [] if _is_told(task) else await _with_tasks(task.run, load)
            journal.record(_end(task, runs, registry, found, journal))


def _is_told(task: Task) -> bool:
    """Whether the request knows all of the task's run: there is none, or it ended in a question."""
    return not task.run or task.budget is None


async def _with_tasks(run: str, load: Load) -> list[Run]:
    """The run, and those of its own tasks that go on, near and far; none when it is not there."""
    try:
        runs = [await load(run)]
    except NotFound:
        return []
    found = run_tasks.open_graph(runs[0])
    for task in found.active if found else ():
        if not _is_told(task):
            runs += await _with_tasks(task.run, load)
    return runs


def _end(
    task: Task, runs: list[Run], registry: Registry, found: Graph, journal: Journal
) -> ev.TaskEnded:
    now = journal.clock.now()
    if runs and runs[0].status.ended:
        news = task_ends.news(task, runs[0], registry, call=found.call, at=now)
        if isinstance(news, ev.TaskEnded):
            return news
    return replace(
        task_ends.given_up(task, journal.run, call=found.call, at=now),
        spent=sum(map(run_tasks.spent, runs), Spent()),
        deeds=tuple(deed for run in runs for deed in task_ends.deeds(run, registry)),
        hidden=tuple(text for run in runs for text in task_ends.hidden(run, registry)),
    )
