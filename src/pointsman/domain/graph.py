"""Tasks that depend on one another: which may start, which never will, and how the whole ends.

A graph never changes: every function gives a new one. So a plan that has started stays as it is,
and another one for the same request is a new version (``revised``), which keeps what is finished.
``plans`` reads what a model wrote; ``engine.tasks.carrying`` carries a graph out.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.tasks.task import Budget, Deed, Question, Spent

MOST_DEEP = 2
"""A task of a request may be split once more; its own tasks may not (case G14)."""


class Node(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task as planned.

    Attributes:
        id: unique in the plan, as text.
        desc: what is to be done, in words.
        base: ids of the tasks whose results it needs.
        optional: whether the rest goes on without it when it comes to nothing.
    """

    id: str
    desc: str
    base: tuple[str, ...] = ()
    optional: bool = False


class TaskState(StrEnum):
    """How far a task is."""

    PENDING = "pending"
    RUNNING = "running"
    WAITING = "waiting"
    """For a person."""
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    """A task that it needs came to nothing."""

    @property
    def active(self) -> bool:
        return self in (TaskState.RUNNING, TaskState.WAITING)

    @property
    def ended(self) -> bool:
        return self is not TaskState.PENDING and not self.active


class Task(Struct, frozen=True, kw_only=True):
    """A planned task and what has become of it.

    Attributes:
        run: the run that carries it, the latest when there were several.
        attempt: how many runs it has had; another one follows a person's answer.
        result: what it gave; empty when it is not done.
        why: why it came to nothing, or what it waits for.
        cause: id of the task whose end made this one skipped.
        trusted: whether the result holds only what our own tools and the user gave.
        spent: by all of its runs.
        budget: what its run may use.
        questions: what it asks a person.
        deeds: its calls that have changed something, or may have.
    """

    node: Node
    state: TaskState = TaskState.PENDING
    run: str = ""
    attempt: int = 0
    result: str = ""
    why: str = ""
    cause: str = ""
    trusted: bool = True
    spent: Spent = Spent()
    budget: Budget | None = None
    questions: tuple[Question, ...] = ()
    deeds: tuple[Deed, ...] = ()
    started: datetime | None = None
    ended: datetime | None = None

    @property
    def id(self) -> str:
        return self.node.id

    @property
    def satisfied(self) -> bool:
        """Whether the tasks that need it may start: only success will do, or that it may fail."""
        return self.state is TaskState.DONE or (self.state.ended and self.node.optional)

    @property
    def status(self) -> str:
        """In words, with the root cause of one that is skipped."""
        if self.state is TaskState.SKIPPED:
            return f"skipped: dependency {self.cause} failed"
        return self.state.value


Overall = Literal["done", "partial_failure", "failed"]


class Graph(Struct, frozen=True, kw_only=True):
    """A plan that was accepted, with its tasks in the order in which they were written.

    Attributes:
        call: key of the call that brought it.
        version: 1 for a run's first plan.
    """

    call: str = ""
    version: int = 1
    tasks: tuple[Task, ...]

    def __getitem__(self, node: str) -> Task:
        return self.tasks[self.place(node)]

    def place(self, node: str) -> int:
        """Where the task stands.

        Raises:
            KeyError: there is none of this id.
        """
        for place, task in enumerate(self.tasks):
            if task.node.id == node:
                return place
        raise KeyError(node)

    def having(self, *states: TaskState) -> tuple[Task, ...]:
        """The tasks in one of these states."""
        return tuple(task for task in self.tasks if task.state in states)

    @property
    def active(self) -> tuple[Task, ...]:
        return self.having(TaskState.RUNNING, TaskState.WAITING)

    @property
    def ended(self) -> bool:
        return all(task.state.ended for task in self.tasks)

    @property
    def overall(self) -> Overall | None:
        """How the whole came out; None while something is open (case G08)."""
        if not self.ended:
            return None
        if not self.having(TaskState.DONE):
            return "failed"
        return "done" if all(task.satisfied for task in self.tasks) else "partial_failure"

    @property
    def spent(self) -> Spent:
        return sum((task.spent for task in self.tasks), Spent())


def planned(nodes: Sequence[Node], *, call: str = "") -> Graph:
    """The first version of a plan, with nothing started."""
    return Graph(call=call, tasks=tuple(Task(node=node) for node in nodes))


def revised(graph: Graph, nodes: Sequence[Node], *, call: str = "") -> Graph:
    """The next version of a plan. It keeps tasks that are done or going on, where they are the same
    task with the same tasks before it; everything else is open again (case G16)."""
    kept: dict[str, Task] = {}
    was = {task.id: task for task in graph.tasks}
    for node in order(nodes):
        before = was.get(node.id)
        stays = before is not None and (before.state is TaskState.DONE or before.state.active)
        if before and stays and before.node == node and all(one in kept for one in node.base):
            kept[node.id] = before
    return Graph(
        call=call,
        version=graph.version + 1,
        tasks=tuple(kept.get(node.id) or Task(node=node) for node in nodes),
    )


def changed(graph: Graph, node: str, **changes: Any) -> Graph:
    """The graph with one task changed."""
    place, tasks = graph.place(node), graph.tasks
    after = replace(tasks[place], **changes)
    return replace(graph, tasks=(*tasks[:place], after, *tasks[place + 1 :]))


def given_up(graph: Graph, at: datetime) -> Graph:
    """The graph of a request that has ended: nothing of it goes on, or ever starts."""
    if graph.ended:
        return graph
    over = {"state": TaskState.CANCELLED, "questions": (), "ended": at}
    tasks = [task if task.state.ended else replace(task, **over) for task in graph.tasks]
    return replace(graph, tasks=tuple(tasks))


def ready(graph: Graph, at_once: int) -> tuple[Task, ...]:
    """The tasks that may start now, in order, so that no more than so many run at the same time.
    One that waits for a person does not run."""
    free = at_once - len(graph.having(TaskState.RUNNING))
    met = {task.node.id for task in graph.tasks if task.satisfied}
    able = [task for task in graph.having(TaskState.PENDING) if met.issuperset(task.node.base)]
    return tuple(able[: max(free, 0)])


def lost(graph: Graph) -> dict[str, str]:
    """The tasks that can never start, near and far → the id of the task that is the root cause.

    It is decided as soon as one task that they need has come to nothing, whatever the others do
    (cases G09, G11).
    """
    causes: dict[str, str] = {}
    tasks = {task.node.id: task for task in graph.tasks}
    if not any(map(_cause, graph.tasks)):
        return causes
    for node in order([task.node for task in graph.having(TaskState.PENDING)]):
        for base in node.base:
            cause = causes.get(base, "") or _cause(tasks[base])
            if cause and not tasks[base].node.optional:
                causes[node.id] = cause
                break
    return causes


def _cause(task: Task) -> str:
    """The root cause that a task passes on; empty when it came to something, or still may."""
    if not task.state.ended or task.state is TaskState.DONE:
        return ""
    return task.cause or task.id


def order(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes so that each comes after those that it needs, else as they are written. Nodes of a
    circle, and what needs them, are left out."""
    left = {node.id: set(node.base) for node in nodes}
    for needs in left.values():
        needs.intersection_update(left)
    by_id = {node.id: node for node in nodes}
    sorted_: list[Node] = []
    while free := next((id for id, needs in left.items() if not needs), None):
        sorted_.append(by_id[free])
        del left[free]
        for needs in left.values():
            needs.discard(free)
    return tuple(sorted_)


def edges(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Pairs of a task and one that needs it."""
    for node in nodes:
        for base in node.base:
            yield base, node.id


def circle(nodes: Sequence[Node]) -> tuple[str, ...]:
    """The first circle: a task, what it needs, and so on back to itself; empty without any."""
    sound = {node.id for node in order(nodes)}
    bases: Mapping[str, list[str]] = {
        node.id: [base for base in node.base if base not in sound]
        for node in nodes
        if node.id not in sound
    }
    if not bases:
        return ()
    # Whoever is not sound needs somebody who is not sound, so this walk never ends before a circle.
    way = [next(iter(bases))]
    while (step := bases[way[-1]][0]) not in way:
        way.append(step)
    return (*way[way.index(step) :], step)
