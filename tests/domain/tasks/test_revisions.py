"""What another plan of the same request leaves behind."""

import pytest

from pointsman.domain.graph import Graph, Node, Task, TaskState
from pointsman.domain.tasks.revisions import left_behind
from pointsman.domain.tasks.task import Deed
from pointsman.domain.tools import ResultStatus, Risk

DONE, FAILED, SKIPPED = TaskState.DONE, TaskState.FAILED, TaskState.SKIPPED


def plan(
    version: int, *tasks: tuple[str, str, TaskState], deed: ResultStatus | None = None
) -> Graph:
    deeds = (Deed(tool="pay", risk=Risk.WRITE, status=deed, content=""),) if deed else ()
    return Graph(
        version=version,
        tasks=tuple(
            Task(
                node=Node(id=id, desc=desc),
                state=state,
                run="" if state is SKIPPED else f"{version}/{id}",
                deeds=deeds,
            )
            for id, desc, state in tasks
        ),
    )


def left(*graphs: Graph) -> list[str]:
    return [f"{graph.version}/{task.id}" for graph, task in left_behind(graphs)]


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        pytest.param(("2", "do b", FAILED), ("3", "do c", DONE), ["1/2"], id="dropped"),
        pytest.param(("2", "do b", FAILED), ("3", "Do  b", DONE), [], id="same words"),
        pytest.param(("2", "do b", FAILED), ("2", "do b in another way", DONE), [], id="reworded"),
        pytest.param(
            ("1", "send both numbers to admin", SKIPPED),
            ("2", "send the two numbers to admin", DONE),
            [],
            id="reworded, with another index",
        ),
        pytest.param(
            ("2", "count the users", FAILED),
            ("2", "把结果发给管理员", DONE),
            ["1/2"],
            id="another thing with its index",
        ),
        pytest.param(
            ("2", "count the users", DONE), ("2", "count the rooms", DONE), ["1/2"], id="a result"
        ),
    ],
)
def test_what_no_later_plan_stands_for_is_left_behind(
    before: tuple[str, str, TaskState], after: tuple[str, str, TaskState], wanted: list[str]
) -> None:
    assert left(plan(1, before), plan(2, after)) == wanted


def test_a_task_that_a_later_plan_keeps_is_not_left_behind() -> None:
    first = plan(1, ("1", "do a", DONE))
    assert left(first, Graph(version=2, tasks=first.tasks)) == []


def test_what_may_have_taken_effect_is_told_even_if_it_was_done_again() -> None:
    first = plan(1, ("1", "pay", FAILED), deed=ResultStatus.UNCERTAIN)
    assert left(first, plan(2, ("1", "pay", DONE))) == ["1/1"]
