"""What another plan of the same request leaves behind: tasks of an earlier one that it neither
keeps nor does again. What came of them is told with the rest."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from pointsman.domain.graph import Graph, Task, TaskState
from pointsman.domain.tools import ResultStatus

_WORDS = 8
"""Characters from which on words can be alike that are not the same."""
_ALIKE, _ALIKE_AT_ONE_INDEX = 0.6, 0.3


def left_behind(graphs: Sequence[Graph]) -> Iterator[tuple[Graph, Task]]:
    """The tasks of earlier plans that no later one stands for, each with its plan.

    A result is not lost with its plan. What came to nothing, or never began, may have been given
    another chance, under the same index or in like words. What may have taken effect stays so.
    """
    for place, graph in enumerate(graphs[:-1], start=1):
        later = [task for after in graphs[place:] for task in after.tasks]
        runs = {task.run for task in later if task.run}
        for task in graph.tasks:
            if task.run in runs:
                continue
            again = any(_is_again(task, other) for other in later)
            if not again or (is_uncertain(task) and task.run):
                yield graph, task


def is_uncertain(task: Task) -> bool:
    """Whether the task may have changed something, and nobody knows."""
    return any(deed.status is ResultStatus.UNCERTAIN for deed in task.deeds)


def _is_again(task: Task, later: Task) -> bool:
    """Whether a task of a later plan is the same thing to do."""
    one, other = (" ".join(each.node.desc.casefold().split()) for each in (task, later))
    if one == other:
        return True
    if task.state is TaskState.DONE:
        return False
    alike = SequenceMatcher(None, one, other, autojunk=False).ratio()
    if task.id == later.id:
        return alike >= _ALIKE_AT_ONE_INDEX
    return min(len(one), len(other)) >= _WORDS and alike >= _ALIKE
