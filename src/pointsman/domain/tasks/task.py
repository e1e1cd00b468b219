"""What a task of a request is given, and what it leaves behind, as its run's and its request's
journals hold it."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.agent import Limits
from pointsman.domain.reminders.covering import ReminderOf
from pointsman.domain.sources import Message, Result
from pointsman.domain.tools import ResultStatus, Risk


class Spent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was used of what a request may use."""

    turns: int = 0
    calls: int = 0
    tokens: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            turns=self.turns + other.turns,
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
        )


class Budget(Struct, frozen=True, kw_only=True):
    """What a task may use of its request's limits; ``seconds`` from its own start."""

    turns: int
    calls: int
    tokens: int
    seconds: float

    def within(self, limits: Limits) -> Limits:
        """The limits, and no more than the budget."""
        return replace(
            limits,
            turns=min(limits.turns, self.turns),
            calls=min(limits.calls, self.calls),
            tokens=min(limits.tokens, self.tokens),
            seconds=min(limits.seconds, self.seconds),
        )


class Given(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a task gets of one that it needs.

    Attributes:
        done: whether there is a result; an optional task may have none.
        trusted: whether it holds only what our own tools and the user gave.
    """

    task: str
    desc: str
    text: str
    done: bool = True
    trusted: bool = True


class Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a task asks a person.

    Attributes:
        approval: the decision that is wanted; empty when words are.
        by: ``user`` for the asking user, else the role that may approve.
        tool, arguments: the call that waits for the decision.
        asked: when the decision was asked for.
    """

    text: str
    approval: str = ""
    by: str = "user"
    tool: str = ""
    arguments: dict[str, Any] = {}
    expires: datetime | None = None
    asked: datetime | None = None


class Deed(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call of a task that has changed something, or may have."""

    tool: str
    risk: Risk
    status: ResultStatus
    content: str
    arguments: dict[str, Any] = {}


class TaskOf(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which task of which request a run carries.

    Attributes:
        run, conversation: those of the request.
        call, version, node: the plan and its task.
        attempt: 1 for the first run of the task.
        depth: 1 for a task of a person's request, 2 for a task of such a task.
        origin: what started the request, through all depths: ``user``, ``reminder:…``
        request: the person's own words.
        said: what the person has said in the request's conversation: the only words of his that
            values can come from.
        known: what the request's own calls gave before; a source, and not shown.
        given: the results of the tasks that this one needs.
        reminder: the one that the request carries out, if any.
    """

    run: str
    conversation: str
    call: str
    version: int
    node: str
    attempt: int
    depth: int
    origin: str
    request: str
    budget: Budget
    said: tuple[Message, ...] = ()
    known: tuple[Result, ...] = ()
    given: tuple[Given, ...] = ()
    reminder: ReminderOf | None = None

    @property
    def trusted(self) -> bool:
        """Whether all that the task was told is our own or the user's."""
        return all(one.trusted for one in self.known) and all(one.trusted for one in self.given)
