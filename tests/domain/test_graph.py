"""Graphs of tasks: what may start, what never will, and how the whole ends (group 8)."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.graph import (
    Graph,
    Node,
    TaskState,
    changed,
    circle,
    given_up,
    lost,
    order,
    planned,
    ready,
    revised,
)
from pointsman.domain.tasks.plans import read
from tests.cases import CASES, params
from tests.support.fake_clock import START

DONE, FAILED, RUNNING = TaskState.DONE, TaskState.FAILED, TaskState.RUNNING


def graph(**bases: str) -> Graph:
    """Tasks by name, each with those that it needs: ``c="a b"``; a name with ``_`` is optional."""
    return planned(
        [
            Node(id=id, desc=f"do {id}", base=tuple(base.split()), optional=id.endswith("_"))
            for id, base in bases.items()
        ]
    )


def settled(plan: Graph) -> Graph:
    """The graph with what is lost marked so."""
    for node, cause in lost(plan).items():
        plan = changed(plan, node, state=TaskState.SKIPPED, cause=cause)
    return plan


def carried_out(plan: Graph, ends: Mapping[str, TaskState], at_once: int = 4) -> Graph:
    """The graph at its end; the tasks end in waves, done unless it is said otherwise."""
    started: list[str] = []
    while not plan.ended:
        wave = ready(plan, at_once)
        assert wave, "nothing can start, and something is open"
        assert len(wave) <= at_once
        for task in wave:
            assert set(task.node.base) <= {one.id for one in plan.tasks if one.state.ended}
            started.append(task.id)
            plan = changed(plan, task.id, state=RUNNING)
        for task in wave:
            plan = changed(plan, task.id, state=ends.get(task.id, DONE))
        plan = settled(plan)
    assert len(started) == len(set(started))
    return plan


def of_case(case: Mapping[str, Any]) -> tuple[Graph, dict[str, TaskState]]:
    rows = case["input"]["plan"]
    ends = {str(row["id"]): FAILED for row in rows if row.get("fail")}
    return planned(read(rows)), ends


@pytest.mark.parametrize("case", params(8, only=("G08",)))
def test_what_needs_a_failed_task_does_not_run(case: dict[str, Any]) -> None:
    ended = carried_out(*of_case(case))
    assert {task.id: task.status for task in ended.tasks} == case["expected"]["status"]
    assert ended.overall == case["expected"]["overall"]


@pytest.mark.parametrize("case", params(8, only=("G09",)))
def test_what_is_skipped_says_so_with_the_root_cause(case: dict[str, Any]) -> None:
    ended = carried_out(*of_case(case))
    for node, state in case["expected"]["status"].items():
        assert (ended[node].state.value, ended[node].cause) == (state, "1")
    assert ended.overall == "failed"


@pytest.mark.parametrize("case", params(8, only=("G11",)))
def test_a_task_is_lost_as_soon_as_one_that_it_needs_has_failed(case: dict[str, Any]) -> None:
    plan, _ = of_case(case)
    plan = changed(plan, "1", state=FAILED)
    plan = changed(plan, "2", state=RUNNING)
    assert lost(plan) == {"3": "1"}


@pytest.mark.parametrize("case", params(8, only=("G16",)))
def test_a_changed_plan_is_a_new_version_and_the_old_one_stays(case: dict[str, Any]) -> None:
    plan, _ = of_case(case)
    plan = changed(plan, "1", state=RUNNING, run="r1")
    rows = [*case["input"]["plan"], {"id": 3, "task": "t3", "depends_on": [2]}]
    rows[1] = {**rows[1], "depends_on": [1]}
    again = revised(plan, read(rows))
    assert (plan.version, len(plan.tasks), plan["2"].node.base) == (1, 2, ())
    assert (again.version, again["2"].node.base) == (2, ("1",))
    assert (again["1"].state, again["1"].run) == (RUNNING, "r1")


def test_a_new_version_keeps_what_is_done_with_all_that_was_before_it() -> None:
    plan = graph(a="", b="a", c="b", d="")
    for node in "abc":
        plan = changed(plan, node, state=DONE, result=node)
    plan = changed(plan, "d", state=FAILED)
    nodes = [task.node for task in plan.tasks]
    same = revised(plan, nodes)
    assert [same[node].state.value for node in "abcd"] == ["done", "done", "done", "pending"]
    nodes[1] = Node(id="b", desc="do something else", base=("a",))
    other = revised(plan, nodes)
    assert [other[node].state.value for node in "abcd"] == ["done", "pending", "pending", "pending"]


def test_an_optional_task_that_fails_holds_nobody_up() -> None:
    ended = carried_out(graph(a="", b_="a", c="b_"), {"b_": FAILED})
    assert [task.status for task in ended.tasks] == ["done", "failed", "done"]
    assert ended.overall == "done"


def test_a_plan_of_which_nothing_was_done_has_failed_though_all_was_optional() -> None:
    assert carried_out(graph(a_=""), {"a_": FAILED}).overall == "failed"


def test_an_optional_task_that_is_skipped_holds_nobody_up_either() -> None:
    ended = carried_out(graph(a="", b_="a", c="b_"), {"a": FAILED})
    assert [task.state.value for task in ended.tasks] == ["failed", "skipped", "done"]
    assert ended.overall == "partial_failure"


def test_no_more_than_so_many_run_at_the_same_time() -> None:
    plan = graph(a="", b="", c="", d="", e="")
    assert [task.id for task in ready(plan, 4)] == ["a", "b", "c", "d"]
    plan = changed(plan, "a", state=RUNNING)
    plan = changed(plan, "b", state=TaskState.WAITING)
    assert [task.id for task in ready(plan, 2)] == ["c"]
    assert ready(plan, 1) == ()


def test_a_circle_is_told_from_a_task_through_what_it_needs() -> None:
    nodes = [task.node for task in graph(a="", b="a d", c="b", d="c", e="d").tasks]
    assert circle(nodes) == ("b", "d", "c", "b")
    assert [node.id for node in order(nodes)] == ["a"]


@pytest.mark.parametrize("failing", range(12))
def test_the_failure_of_each_task_in_turn_leaves_the_right_rest(failing: int) -> None:
    bases = ["", "", "0", "0 1", "2", "2 3", "4 5", "", "7", "6 8", "9", "1"]
    plan = planned(
        [Node(id=str(n), desc="x", base=tuple(base.split())) for n, base in enumerate(bases)]
    )
    after = {failing}
    for n, base in enumerate(bases):
        if after & set(map(int, base.split())):
            after.add(n)
    ended = carried_out(plan, {str(failing): FAILED})
    for n in range(len(bases)):
        wanted = "failed" if n == failing else "skipped" if n in after else "done"
        assert ended[str(n)].state.value == wanted
        assert ended[str(n)].cause == (str(failing) if wanted == "skipped" else "")


@st.composite
def graphs(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Graph:
    """Any graph without a circle, its tasks in any order."""
    count = draw(st.integers(1, 12))
    nodes = [
        Node(
            id=str(n),
            desc="x",
            base=tuple(map(str, sorted(draw(st.sets(st.integers(0, n - 1)))))) if n else (),
            optional=draw(st.booleans()),
        )
        for n in range(count)
    ]
    return planned(draw(st.permutations(nodes)))


@given(
    graphs(),
    st.lists(st.sampled_from([DONE, FAILED, TaskState.CANCELLED]), min_size=12, max_size=12),
    st.integers(1, 5),
)
def test_every_graph_comes_to_an_end_and_nothing_runs_before_what_it_needs(
    plan: Graph, ends: list[TaskState], at_once: int
) -> None:
    ended = carried_out(plan, {str(n): end for n, end in enumerate(ends)}, at_once)
    for task in ended.tasks:
        unmet = [base for base in task.node.base if not ended[base].satisfied]
        assert (task.state is TaskState.SKIPPED) == bool(unmet)
        if unmet:
            assert ended[task.cause].state in (FAILED, TaskState.CANCELLED)
    assert ended.overall is not None


def test_the_cases_of_the_group_are_all_here() -> None:
    assert [name for name, case in CASES.items() if case["group"] == 8] == (
        "G01 G05 G06 G08 G09 G11 G13 G14 G16 G18 G19".split()
    )


def test_the_graph_of_a_request_that_is_over_has_an_end_for_every_task() -> None:
    plan = graph(a="", b="a", c="")
    plan = changed(changed(plan, "a", state=DONE, result="a"), "c", state=RUNNING)
    over = given_up(plan, START)
    assert [task.state.value for task in over.tasks] == ["done", "cancelled", "cancelled"]
    assert (over.overall, over["a"].result) == ("partial_failure", "a")
