"""What the models of a request and of its tasks are told."""

import json

import pytest

from pointsman.domain.graph import Graph, Node, Task, TaskState
from pointsman.domain.tasks.task_words import summary


def ended(count: int, result: str) -> Graph:
    nodes = (Node(id=str(number), desc=f"do {number} " * 50) for number in range(count))
    return Graph(
        tasks=tuple(Task(node=node, state=TaskState.DONE, result=result) for node in nodes)
    )


@pytest.mark.parametrize("limit", [100, 4_000, 20_000])
def test_every_task_is_told_however_long_the_results_are(limit: int) -> None:
    told = json.loads(summary(ended(20, 'a "long"\\n' * 2_000), limit))
    assert [one["index"] for one in told["tasks"]] == [str(number) for number in range(20)]
    assert all(one["result"].startswith('a "long"') for one in told["tasks"])


def test_what_is_told_keeps_to_its_room() -> None:
    assert len(summary(ended(20, 'a "long"\\n' * 2_000), 20_000)) <= 20_000


def test_short_results_are_told_whole() -> None:
    told = json.loads(summary(ended(3, "short " * 100), 20_000))
    assert {one["result"] for one in told["tasks"]} == {"short " * 100}
