"""The tasks of a request as calls, so that its reply is checked against them like against any call:
what it must not boast of, and of what it must say that it was not done."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pointsman.domain.calls import CallState, Stage
from pointsman.domain.graph import Graph, Task, TaskState
from pointsman.domain.tasks import plans, revisions, run_tasks
from pointsman.domain.tasks.task import Deed
from pointsman.domain.text import one_line
from pointsman.domain.tools import RawCall, ResultStatus, Risk, ToolResult, ToolSpec

if TYPE_CHECKING:
    from pointsman.domain.runs import Run

_TITLE = 60
_STATUSES = {
    TaskState.DONE: ResultStatus.OK,
    TaskState.FAILED: ResultStatus.ERROR,
    TaskState.SKIPPED: ResultStatus.ERROR,
    TaskState.CANCELLED: ResultStatus.CANCELLED,
}


def told(run: "Run") -> tuple[CallState, ...]:
    """The calls of a run as its reply tells of them, each task in the place of its plan. Plans that
    were refused, and tasks that another plan does again, are the model's business."""
    tasks: dict[str, list[CallState]] = {}
    for graph, task in _standing(run) if run.graphs else ():
        tasks.setdefault(graph.call, []).append(_as_call(run, graph, task))
    found: list[CallState] = []
    for call in (*run.past, *run.calls):
        if call.key in tasks:
            found += tasks[call.key]
        elif plans.NAME not in (call.tool, call.raw.name):
            found.append(call)
    return tuple(found)


def done(run: "Run") -> tuple[CallState, ...]:
    """The same, with what the tasks changed: a reply may speak of that too."""
    return (*told(run), *_deeds(run_tasks.begun(run))) if run.graphs else told(run)


def happened(run: "Run") -> tuple[CallState, ...]:
    """The same as ``told``, with what tasks changed that came to nothing themselves."""
    lost = [task for task in run_tasks.begun(run) if task.state is not TaskState.DONE]
    return (*told(run), *_deeds(lost))


def specs(run: "Run") -> dict[str, ToolSpec]:
    """The tasks as tools, by the names that ``told`` gives them."""
    named = ((_name(run, graph, task), task) for graph, task in _standing(run))
    return {name: _spec(name, task) for name, task in named}


def _standing(run: "Run") -> Iterator[tuple[Graph, Task]]:
    """The tasks that a reply has to do with, each with its plan."""
    yield from revisions.left_behind(run.graphs)
    for graph in run.graphs[-1:]:
        yield from ((graph, task) for task in graph.tasks)


def _name(run: "Run", graph: Graph, task: Task) -> str:
    is_latest = graph.version == run.graphs[-1].version
    return f"task {task.id}" if is_latest else f"task {task.id} of plan {graph.version}"


def _spec(name: str, task: Task) -> ToolSpec:
    looked = task.state is TaskState.DONE and not task.deeds
    return ToolSpec(
        name=name,
        source="pointsman",
        original=name,
        description="",
        parameters={},
        wire_parameters={},
        digest="",
        title=one_line(task.node.desc, _TITLE),
        risk=Risk.READ if looked else Risk.WRITE,
    )


def _as_call(run: "Run", graph: Graph, task: Task) -> CallState:
    uncertain = revisions.is_uncertain(task)
    status = ResultStatus.UNCERTAIN if uncertain else _STATUSES.get(task.state)
    content = task.result if task.state is TaskState.DONE else task.why
    name = _name(run, graph, task)
    return _call(
        f"{graph.call}/{task.id}",
        name,
        _spec(name, task).risk,
        ToolResult(status=status or ResultStatus.CANCELLED, content=content),
    )


def _deeds(tasks: Iterable[Task]) -> Iterator[CallState]:
    for task in tasks:
        for place, deed in enumerate(task.deeds):
            if deed.status is ResultStatus.OK:
                yield _deed(f"{task.run}/{place}", deed)


def _deed(key: str, deed: Deed) -> CallState:
    result = ToolResult(status=deed.status, content=deed.content)
    return replace(_call(key, deed.tool, deed.risk, result), arguments=deed.arguments)


def _call(key: str, tool: str, risk: Risk, result: ToolResult) -> CallState:
    return CallState(
        key=key,
        raw=RawCall(id=key, name=tool, arguments="{}"),
        stage=Stage.SETTLED,
        tool=tool,
        risk=risk,
        attempts=1,
        result=result,
    )
