"""Plans as models write them (group 8 of the shared cases)."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.graph import edges, order
from pointsman.domain.tasks.plans import as_arguments, read, read_call
from pointsman.errors import PlanInvalid
from tests.cases import params

TWO = [{"id": 1, "task": "count"}, {"id": 2, "task": "look up"}]


def needs(written: Any, key: str = "depends_on") -> tuple[str, ...]:
    """What the third of three tasks needs, when its dependency is written so."""
    return read([*TWO, {"id": 3, "task": "send", key: written}])[2].base


def problems(plan: Any, **limits: int) -> str:
    with pytest.raises(PlanInvalid) as refused:
        read(plan, **limits)
    return str(refused.value)


@pytest.mark.parametrize("case", params(8, only=("G01", "G05", "G14")))
def test_a_plan_that_cannot_be_carried_out_is_refused_with_the_reason(case: dict[str, Any]) -> None:
    expected = case["expected"]
    assert expected["outcome"] == "invalid_plan"
    refused = problems(case["input"]["plan"])
    assert expected.get("error_contains", "") in refused
    assert {"G05": "the index 1", "G14": "at most 20: merge"}.get(case["id"], "") in refused


@pytest.mark.parametrize("case", params(8, only=("G06",)))
def test_every_spelling_of_a_dependency_is_read_or_refused(case: dict[str, Any]) -> None:
    plan, expected = case["input"]["plan"], case["expected"]
    assert [list(map(int, pair)) for pair in edges(read(plan))] == expected["edges"]
    for spelling, wanted in expected["also"].items():
        written = json.loads(spelling)
        if wanted == "reject":
            assert repr(written) in problems([*plan[:2], {**plan[2], "depends_on": written}])
        else:
            assert needs(written) == tuple(map(str, wanted)), spelling


@pytest.mark.parametrize("case", params(8, only=("G13",)))
def test_a_plan_in_text_in_text_is_unwrapped(case: dict[str, Any]) -> None:
    assert len(read(case["input"]["plan"])) == case["expected"]["nodes"]


@pytest.mark.parametrize("case", params(8, only=("G18",)))
def test_a_text_is_one_dependency_and_not_its_characters(case: dict[str, Any]) -> None:
    found = [list(pair) for pair in edges(read(case["input"]["plan"]))]
    assert found == case["expected"]["edges"]


@pytest.mark.parametrize("case", params(8, only=("G19",)))
def test_a_task_may_need_a_later_one_in_another_spelling(case: dict[str, Any]) -> None:
    nodes = order(read(case["input"]["plan"]))
    assert [node.id for node in nodes] == case["expected"]["order"]


ONE = {"index": 1, "desc": "a", "base": ""}


@pytest.mark.parametrize(
    "plan",
    [
        [ONE],
        {"tasks": [ONE]},
        {"steps": [ONE]},
        {"Sub_Tasks": [ONE]},
        {"plan": {"nodes": [ONE]}},
        {"result": {"tasks": [ONE]}},
        {"任务": [ONE]},
        {"title": "my plan", "tasks": [ONE]},
        {"plan": "count them", "tasks": [ONE]},
        {"1": {"desc": "a"}},
        {"1": "a"},
        {"tasks": json.dumps([ONE])},
        json.dumps([ONE]),
        json.dumps(json.dumps([ONE])),
        f"```json\n{json.dumps([ONE])}\n```",
        f"Here is the plan:\n```\n{json.dumps({'tasks': [ONE]})}\n```\nDone.",
        f"The tasks: {json.dumps([ONE])}",
        "[{'index': 1, 'desc': 'a', 'base': None},]",
        [[ONE]],
        ["a"],
        ONE,
    ],
)
def test_a_plan_is_found_in_every_wrapping(plan: Any) -> None:
    (node,) = read(plan)
    assert (node.id, node.desc, node.base) == ("1", "a", ())


@pytest.mark.parametrize(
    "plan",
    [
        [],
        {},
        None,
        "",
        "[]",
        {"tasks": []},
        {"tasks": ""},
        {"tasks": None},
        {"tasks": "none"},
        "null",
    ],
)
def test_an_empty_plan_has_no_tasks(plan: Any) -> None:
    assert read(plan) == ()


@pytest.mark.parametrize(
    "plan",
    [
        7,
        True,
        "count and then send",
        '[{"index": 1, "desc": "a',
        json.dumps(json.dumps(json.dumps([ONE]))),
        {"plan": {"plan": {"plan": [ONE]}}},
        [ONE, 7],
        [{"index": 1}],
        [{"index": 1, "desc": " "}],
        [{"desc": "a", "tasks": [ONE]}],
        {"tasks": [ONE], "dependencies": [[1, 2]]},
        [{"desc": "a"}, {"index": 1, "desc": "b"}],
    ],
)
def test_what_is_no_clear_plan_is_refused(plan: Any) -> None:
    assert problems(plan)


@pytest.mark.parametrize(
    ("row", "id", "desc"),
    [
        ({"index": 3, "desc": "a"}, "3", "a"),
        ({"ID": "３", "Description": "a"}, "3", "a"),
        ({"step": 3, "task": "a"}, "3", "a"),
        ({"task": 3, "goal": "a"}, "3", "a"),
        ({"id": 3.0, "step": "a"}, "3", "a"),
        ({"task_id": "t-3", "title": "t", "instruction": "a"}, "t-3", "a"),
        ({"序号": 3, "任务": "a"}, "3", "a"),
        ({"task": {"index": 3, "desc": "a"}}, "3", "a"),
        ({"desc": "a"}, "1", "a"),
        ({"name": "fetch", "task": "a"}, "1", "a"),
    ],
)
def test_a_row_is_read_under_other_names(row: dict[str, Any], id: str, desc: str) -> None:
    (node,) = read([row])
    assert (node.id, node.desc) == (id, desc)


@pytest.mark.parametrize(
    "key",
    [
        "base",
        "dependsOn",
        "depends on",
        "Dependencies",
        "requires",
        "依赖",
        "prereqs",
        "dependent_task_ids",
        "depends_on_ids",
        "dependency indices",
        "parentIds",
        "depend",
        "predecessor",
        "previous_step",
        "run_after",
        "waitsFor",
        "依赖步骤编号",
        "前置步骤",
    ],
)
def test_a_dependency_is_read_under_other_names(key: str) -> None:
    assert needs("1,2", key) == ("1", "2")


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("#1", "1"),
        ("01", "1"),
        ("1.0", "1"),
        ("step 1 step 2", "1 2"),
        ("1 2", "1 2"),
        ("Task #2 and task #1", "2 1"),
        ("第1步和第2步", "1 2"),
        ('["1", "2"]', "1 2"),
        ("(1, 2)", "1 2"),
        ("{1, 2}", "1 2"),
        ('{"1","2"}', "1 2"),
        ('{"id": 1}', "1"),
        ("1,", "1"),
        ([[1], {"index": "2"}], "1 2"),
        ({"task": "step 2"}, "2"),
        ("count", "1"),
        ("Look up", "2"),
        ([1, "1", 1.0], "1"),
        ([], ""),
        (["none"], ""),
        ("N/A", ""),
        ("没有", ""),
        ("暂无", ""),
        ("empty", ""),
        ("第一步和第二步", "1 2"),
        ("任务一、任务二", "1 2"),
        ("一", "1"),
        ("T1, s02", "1 2"),
        ("$1", "1"),
        ("1.", "1"),
        ("1、2。", "1 2"),
        ("Task 1: count", "1"),
    ],
)
def test_a_dependency_is_read_in_other_spellings(written: Any, wanted: str) -> None:
    assert needs(written) == tuple(wanted.split())


@pytest.mark.parametrize(
    "written", ["1-2", "1到2", "9", 0, -1, "all", True, {"x": 1}, "12", "c", "{1, 9}", "{"]
)
def test_a_dependency_that_names_no_task_for_certain_is_refused(written: Any) -> None:
    assert problems([*TWO, {"id": 3, "task": "send", "depends_on": written}])


def test_a_task_may_be_numbered_in_one_way_and_named_in_another() -> None:
    plan = [{"id": f"任务{n}", "task": n} for n in ("一", "二", "十二", "二十")]
    last = {"id": "end", "task": "send", "base": "步骤1, 第二步, task 12, 20"}
    assert read([*plan, last])[4].base == ("任务一", "任务二", "任务十二", "任务二十")


@pytest.mark.parametrize("key", ["next", "next_steps", "successors", "dependents", "后续任务"])
def test_a_plan_that_says_what_comes_after_instead_is_refused(key: str) -> None:
    assert "base" in problems([{**TWO[0], key: [2]}, TWO[1]])
    assert len(read([{**TWO[0], key: "none"}, {**TWO[1], key: []}])) == 2


def test_a_loose_spelling_that_fits_two_tasks_is_refused() -> None:
    plan = [{"id": "t1", "task": "a"}, {"id": "T1", "task": "b"}]
    assert read([*plan, {"id": "x", "task": "c", "base": "T1"}])[2].base == ("T1",)
    assert problems([*plan, {"id": "x", "task": "c", "base": "t01"}])


def test_equal_rows_are_one_task() -> None:
    plan = [*TWO, {"id": "1", "task": "count"}, {"id": 3, "task": "send", "base": [2, 1]}]
    assert [node.id for node in read([*plan, {"id": 3, "task": "send", "base": "2,1"}])] == [
        "1",
        "2",
        "3",
    ]


def test_a_task_that_needs_itself_is_a_circle() -> None:
    assert "1 -> 1" in problems([{"index": 1, "desc": "a", "base": 1}])


def test_all_faults_are_named_at_once() -> None:
    said = problems(
        [
            {"index": 1, "desc": "a", "base": "7"},
            {"index": 1, "desc": "b"},
            {"index": 2, "desc": "c", "base": "3"},
            {"index": 3, "desc": "d", "base": "2"},
        ],
        most=2,
    )
    for fault in ("'7'", "the index 1", "2 -> 3 -> 2", "at most 2"):
        assert fault in said


@pytest.mark.parametrize(
    "arguments",
    [
        '{"tasks": [{"index": 1, "desc": "a"}, {"index": 2, "desc": "b", "base": "1"}]}',
        '[{"index": 1, "desc": "a"}, {"index": 2, "desc": "b", "base": "1"}]',
        '{"tasks": "[{\\"index\\": 1, \\"desc\\": \\"a\\"}, '
        '{\\"index\\": 2, \\"desc\\": \\"b\\", \\"base\\": \\"1\\"}]", "agentID": "7"}',
        '{"arguments": {"tasks": ["a", {"desc": "b", "base": 1}]}}',
    ],
)
def test_the_tasks_of_a_call_are_read_as_the_model_wrote_them(arguments: str) -> None:
    nodes = read_call(arguments)
    assert as_arguments(nodes) == [
        {"index": 1, "desc": "a", "base": ""},
        {"index": 2, "desc": "b", "base": "1"},
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from("tasks id desc base step 任务".split()), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_anything_is_a_sound_plan_or_refused(value: Any) -> None:
    try:
        nodes = read(value)
    except PlanInvalid:
        return
    ids = [node.id for node in nodes]
    assert len(set(ids)) == len(ids) == len(order(nodes))
    assert all(one in ids for node in nodes for one in node.base)
    assert read(as_arguments(nodes)) == nodes


@given(st.text(max_size=60))
def test_any_text_is_a_plan_or_refused(text: str) -> None:
    for reader in (read, read_call):
        with suppress(PlanInvalid):
            reader(text)
