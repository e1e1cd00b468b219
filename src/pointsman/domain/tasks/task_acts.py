"""The tasks of a request as calls, so that its reply is checked against them like against any call:
what it must not boast of, and of what it must say that it was not done."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pointsman.domain.calls import CallState, Stage
from pointsman.domain.graph import Graph, Task, TaskState
from pointsman.domain.tasks import plans
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
    """The calls of a run as its reply tells of them, each task in the place of the plan. Plans that
    another took the place of, or that were refused, are the model's business."""
    latest = run.graphs[-1] if run.graphs else None
    found: list[CallState] = []
    for call in (*run.past, *run.calls):
        if latest is not None and call.key == latest.call:
            found += (_as_call(latest, task) for task in latest.tasks)
        elif plans.NAME not in (call.tool, call.raw.name):
            found.append(call)
    return tuple(found)


def done(run: "Run") -> tuple[CallState, ...]:
    """The same, with what the tasks changed: a reply may speak of that too."""
    return (*told(run), *_deeds(run, _latest(run)))


def happened(run: "Run") -> tuple[CallState, ...]:
    """The same as ``told``, with what tasks changed that came to nothing themselves."""
    lost = [task for task in _latest(run) if task.state is not TaskState.DONE]
    return (*told(run), *_deeds(run, lost))


def specs(run: "Run") -> dict[str, ToolSpec]:
    """The tasks as tools, by the names that ``told`` gives them."""
    return {_name(task): _spec(task) for task in _latest(run)}


def _latest(run: "Run") -> tuple[Task, ...]:
    return run.graphs[-1].tasks if run.graphs else ()


def _name(task: Task) -> str:
    return f"task {task.id}"


def _spec(task: Task) -> ToolSpec:
    looked = task.state is TaskState.DONE and not task.deeds
    return ToolSpec(
        name=_name(task),
        source="pointsman",
        original=_name(task),
        description="",
        parameters={},
        wire_parameters={},
        digest="",
        title=one_line(task.node.desc, _TITLE),
        risk=Risk.READ if looked else Risk.WRITE,
    )


def _as_call(graph: Graph, task: Task) -> CallState:
    uncertain = any(deed.status is ResultStatus.UNCERTAIN for deed in task.deeds)
    status = ResultStatus.UNCERTAIN if uncertain else _STATUSES.get(task.state)
    content = task.result if task.state is TaskState.DONE else task.why
    return _call(
        f"{graph.call}/{task.id}",
        _name(task),
        _spec(task).risk,
        ToolResult(status=status or ResultStatus.CANCELLED, content=content),
    )


def _deeds(run: "Run", tasks: Iterable[Task]) -> Iterator[CallState]:
    for task in tasks:
        for place, deed in enumerate(task.deeds):
            if deed.status is ResultStatus.OK:
                yield _deed(f"{run.graphs[-1].call}/{task.id}/{place}", deed)


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
