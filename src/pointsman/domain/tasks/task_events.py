"""What happens to a run whose request was split into tasks; ``events`` says what an event is.

Each task is a run with a journal of its own. Here is what the request's journal holds of it.
"""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from pointsman.domain.graph import Node
from pointsman.domain.tasks.task import Budget, Deed, Question, Spent


class PlanAccepted(Struct, frozen=True, kw_only=True, tag="plan_accepted@1"):
    """The call is a plan that can be carried out. It never changes; another one for the same
    request has the next version, and keeps what is finished."""

    at: datetime
    call: str
    version: int
    nodes: tuple[Node, ...]


class TaskStarted(Struct, frozen=True, kw_only=True, tag="task_started@1"):
    """A run was made for a task. It exists already, and may even be over."""

    at: datetime
    call: str
    node: str
    run: str
    attempt: int
    budget: Budget


class TaskAsks(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="task_asks@1"):
    """What a task waits for has changed.

    Attributes:
        questions: all that it asks now; it goes on when there is none.
        notice: what a person should do when it is no question: its run is parked.
        over: its run ended with the question, whose answer starts another; ``spent`` and ``deeds``
            are of that run.
        hidden: private values in this, which no view shows.
    """

    at: datetime
    call: str
    node: str
    run: str
    questions: tuple[Question, ...] = ()
    notice: str = ""
    over: bool = False
    spent: Spent = Spent()
    deeds: tuple[Deed, ...] = ()
    hidden: tuple[str, ...] = ()


class TaskEnded(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="task_ended@1"):
    """The run of a task is over, or none could be made.

    Attributes:
        text: what it gave; ``why`` is why it came to nothing.
        trusted: whether the text holds only what our own tools and the user gave.
        deeds: its calls that have changed something, or may have.
        hidden: private values in this, which no view shows.
    """

    at: datetime
    call: str
    node: str
    run: str
    state: Literal["done", "failed", "cancelled"]
    text: str = ""
    why: str = ""
    trusted: bool = True
    spent: Spent = Spent()
    deeds: tuple[Deed, ...] = ()
    hidden: tuple[str, ...] = ()


class TaskSkipped(Struct, frozen=True, kw_only=True, tag="task_skipped@1"):
    """A task will never start, since one that it needs came to nothing: ``cause`` is the first of
    them."""

    at: datetime
    call: str
    node: str
    cause: str
    why: str


class TasksAwaited(Struct, frozen=True, kw_only=True, tag="tasks_awaited@1"):
    """The run rests until one of its tasks has ended (``tasks``), or until a person has answered
    one, when nothing else goes on (``person``)."""

    at: datetime
    call: str
    by: Literal["tasks", "person"]


TaskEvent = PlanAccepted | TaskStarted | TaskAsks | TaskEnded | TaskSkipped | TasksAwaited
