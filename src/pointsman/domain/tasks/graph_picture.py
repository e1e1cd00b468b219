"""A graph of tasks as a picture in text: a line for each task, with its state, and lanes on the
left from what it needs.

    ✓      1  done     count the documents  0.4 s
    │ ✓    2  done     count the users  0.3 s
    ├─┘
    ▶      3  running  send both to admin

A task's mark stands in a lane. The lane goes on downwards to the tasks that need it, and joins the
lane of the first of them.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime

from pointsman.domain.agent import Language
from pointsman.domain.graph import Graph, Task, TaskState, order
from pointsman.domain.record.words import say
from pointsman.domain.text import one_line

SYMBOLS = {
    TaskState.PENDING: "○",
    TaskState.RUNNING: "▶",
    TaskState.WAITING: "?",
    TaskState.DONE: "✓",
    TaskState.FAILED: "✗",
    TaskState.CANCELLED: "■",
    TaskState.SKIPPED: "–",
}
_WIDEST = 60
_WIDEST_ID = 24
_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = {
    0: " ",
    _UP | _DOWN: "│",
    _LEFT | _RIGHT: "─",
    _UP | _RIGHT: "└",
    _UP | _LEFT: "┘",
    _DOWN | _RIGHT: "┌",
    _DOWN | _LEFT: "┐",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _DOWN | _LEFT: "┤",
    _UP | _LEFT | _RIGHT: "┴",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
    _UP: "╵",
    _DOWN: "╷",
    _LEFT: "╴",
    _RIGHT: "╶",
}

Lanes = list[str | None]
"""For each lane the task that it leads away from; None where there is none."""


def picture(graph: Graph, language: Language, now: datetime | None = None) -> str:
    """The graph as lines of text, the last of which tells how the whole stands.

    Args:
        now: for how long what is going on has run so far.
    """
    tasks = {task.id: task for task in graph.tasks}
    drawn = list(_drawn(graph))
    margin = max((len(lanes) for lanes, _ in drawn), default=0) + 2
    ids = {id_: one_line(id_, _WIDEST_ID) for id_ in tasks}
    id_width = max(map(_width, ids.values()))
    words = {state: say(f"task.{state.value}", language) for state in TaskState}
    word_width = max(_width(words[task.state]) for task in graph.tasks)
    lines = []
    for lanes, node in drawn:
        if node is None:
            lines.append(lanes.rstrip())
            continue
        task = tasks[node]
        told = [
            _padded(lanes, margin),
            _padded(ids[node], id_width) + "  ",
            _padded(words[task.state], word_width) + "  ",
            one_line(task.node.desc, _WIDEST),
            _time(task, now),
            _note(task),
        ]
        lines.append("".join(told).rstrip())
    return "\n".join([*lines, summary(graph, language)])


def summary(graph: Graph, language: Language) -> str:
    """How the whole stands, in a line."""
    counts = [
        f"{say(f'task.{state.value}', language)} {len(graph.having(state))}"
        for state in TaskState
        if graph.having(state)
    ]
    stands: str = graph.overall or "open"
    if stands == "done" and len(graph.having(TaskState.DONE)) < len(graph.tasks):
        stands = "done_but"
    overall = say(f"graph.{stands}", language)
    mark = "：" if language == "zh" else ": "
    comma = "，" if language == "zh" else ", "
    return f"{overall}{mark}{comma.join(counts)}"


def _time(task: Task, now: datetime | None) -> str:
    end = task.ended or now
    if task.started is None or end is None:
        return ""
    return f"  {(end - task.started).total_seconds():.1f} s"


def _note(task: Task) -> str:
    text = task.why or " ".join(question.text for question in task.questions)
    return f"  ({one_line(text, _WIDEST)})" if text else ""


def _width(text: str) -> int:
    """Columns of a terminal."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _padded(text: str, width: int) -> str:
    return text + " " * max(width - _width(text), 0)


def _drawn(graph: Graph) -> Iterator[tuple[str, str | None]]:
    """Lines of lanes, each with the task that it is for; none is for lanes that join."""
    nodes = order([task.node for task in graph.tasks])
    left = {node.id: sum(node.id in other.base for other in nodes) for node in nodes}
    marks = {task.id: SYMBOLS[task.state] for task in graph.tasks}
    lanes: Lanes = []
    for node in nodes:
        joins = [lanes.index(base) for base in node.base]
        for base in node.base:
            left[base] -= 1
        after: Lanes = [None if one is None or not left[one] else one for one in lanes]
        place = _place(joins, lanes, after)
        after += [None] * (place + 1 - len(after))
        if joins and joins != [place]:
            yield _joined(lanes, after, joins, place), None
        yield _row(after, place, marks[node.id]), node.id
        after[place] = node.id if left[node.id] else None
        while after and after[-1] is None:
            after.pop()
        lanes = after


def _place(joins: Sequence[int], lanes: Lanes, after: Lanes) -> int:
    """The lane of a task: the first of those that it needs which ends there, else a free one."""
    for lane in sorted(joins):
        if after[lane] is None:
            return lane
    start = max(joins) if joins else 0
    free = (lane for lane in range(start, len(after)) if after[lane] is None)
    return next(free, len(lanes))


def _joined(before: Lanes, after: Lanes, joins: Sequence[int], place: int) -> str:
    """The line in which lanes come together above a task."""
    first, last = min(*joins, place), max(*joins, place)
    cells = []
    for lane in range(max(len(before), len(after))):
        up = lane < len(before) and before[lane] is not None
        down = lane == place or (lane < len(after) and after[lane] is not None)
        ours = lane == place or lane in joins
        reached = first <= lane <= last
        lines = _UP * up | _DOWN * down
        if ours:
            lines |= _LEFT * (first < lane <= last) | _RIGHT * (first <= lane < last)
        elif reached and not lines:
            lines = _LEFT | _RIGHT
        cells.append(_LINES[lines])
        cells.append("─" if first <= lane < last else " ")
    return "".join(cells)


def _row(lanes: Lanes, place: int, mark: str) -> str:
    cells = ["│" if one is not None else " " for one in lanes]
    cells[place] = mark
    return " ".join(cells)
