"""Graphs as pictures in text."""

import pytest
from hypothesis import given

from pointsman.domain.graph import Graph, Node, TaskState, changed, order, planned
from pointsman.domain.tasks.graph_picture import picture, summary
from tests.domain.test_graph import graph, graphs
from tests.support.fake_clock import START

PICTURES = [
    (
        graph(a="", b="", c="a b"),
        """\
○     a  pending  do a
│ ○   b  pending  do b
├─┘
○     c  pending  do c
going on: pending 3""",
    ),
    (
        graph(a="", b="a", c="b"),
        """\
○  a  pending  do a
○  b  pending  do b
○  c  pending  do c
going on: pending 3""",
    ),
    (
        graph(a="", b="a", c="a", d="b c"),
        """\
○     a  pending  do a
├─┐
│ ○   b  pending  do b
○ │   c  pending  do c
├─┘
○     d  pending  do d
going on: pending 4""",
    ),
    (
        graph(a="", b="", c="a", d="b", e="a b", f="c d e", g="a f"),
        """\
○         a  pending  do a
│ ○       b  pending  do b
├─│─┐
│ │ ○     c  pending  do c
│ ├─│─┐
│ │ │ ○   d  pending  do d
├─┤ │ │
│ ○ │ │   e  pending  do e
│ ├─┴─┘
│ ○       f  pending  do f
├─┘
○         g  pending  do g
going on: pending 7""",
    ),
]


@pytest.mark.parametrize(("drawn", "wanted"), PICTURES, ids=["join", "chain", "diamond", "cross"])
def test_lanes_lead_from_a_task_to_those_that_need_it(drawn: Graph, wanted: str) -> None:
    assert picture(drawn, "en") == wanted


def test_each_task_shows_its_state_its_time_and_why() -> None:
    found = graph(a="", b="a", c="")
    found = changed(found, "a", state=TaskState.FAILED, started=START, ended=START, why="no disk")
    found = changed(found, "b", state=TaskState.SKIPPED, cause="a", why="a failed")
    found = changed(found, "c", state=TaskState.RUNNING, started=START)
    assert picture(found, "zh", START).splitlines() == [
        "✗  a  失败    do a  0.0 s  (no disk)",
        "–  b  跳过    do b  (a failed)",
        "▶  c  进行中  do c  0.0 s",
        "进行中：进行中 1，失败 1，跳过 1",
    ]


@pytest.mark.parametrize(
    ("ends", "wanted"),
    [
        ("done done", "all done: done 2"),
        ("done failed", "partly done: done 1, failed 1"),
        ("failed skipped", "not done: failed 1, skipped 1"),
    ],
)
def test_the_last_line_tells_how_the_whole_stands(ends: str, wanted: str) -> None:
    found = graph(a="", b="")
    for node, end in zip("ab", ends.split(), strict=True):
        found = changed(found, node, state=TaskState(end))
    assert summary(found, "en") == wanted


def test_the_last_line_does_not_call_all_done_where_what_was_optional_failed() -> None:
    found = graph(a="", b_="")
    found = changed(changed(found, "a", state=TaskState.DONE), "b_", state=TaskState.FAILED)
    assert summary(found, "en") == "done but for what was optional: done 1, failed 1"
    assert summary(found, "zh") == "除可选任务外都已完成：完成 1，失败 1"


def test_an_index_takes_no_more_than_its_place_and_cannot_steer_a_terminal() -> None:
    drawn = planned([Node(id="\x1b[2J" + "n" * 200, desc="do a"), Node(id="b", desc="do b")])
    first, second, _ = picture(drawn, "en").splitlines()
    assert first == f"○  [2J{'n' * 20}…  pending  do a"
    assert second == f"○  b{' ' * 25}pending  do b"


@given(graphs())
def test_every_task_has_a_line_after_those_that_it_needs(drawn: Graph) -> None:
    lines = picture(drawn, "en").splitlines()[:-1]
    marked = [line for line in lines if "○" in line]
    nodes = order([task.node for task in drawn.tasks])
    assert len(marked) == len(nodes)
    for line, node in zip(marked, nodes, strict=True):
        assert line.split("○", 1)[1].strip(" │").split()[0] == node.id
