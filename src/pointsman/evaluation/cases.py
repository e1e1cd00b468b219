"""Cases: what a user says, and what must come of it. ``suites`` reads them from files."""

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.messages import Message
from pointsman.errors import AgentFileError

NO_INTENT = "none"
"""What a suite says for a message that wants nothing that the agent has."""
TIMEOUT = "timeout"
"""What ``setup.fail`` says for a tool that does not answer in time."""

CheckKind = Literal["equals", "matches", "one_of", "any", "absent"]
Outcome = Literal["answer", "question", "waiting", "failure"]


class ArgumentCheck(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one argument must be: ``kind`` says how ``value`` is meant."""

    kind: CheckKind = "equals"
    value: Any = None


class ReplyCheck(Struct, frozen=True, kw_only=True):
    """What a reply says; case and width of letters do not matter, patterns are as written."""

    contains: tuple[str, ...] = ()
    not_contains: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()


class Expectation(Struct, frozen=True, kw_only=True):
    """What one turn must come to; None is not graded.

    Attributes:
        intents: taken by the router; empty for none.
        tools: calls that ran, or that a person was asked about.
        arguments: tool → what the arguments of its calls must be, one entry a call.
        asks: parameters that the user is asked for, or intents that he must choose from.
        forbidden: tools that must neither run nor be brought before a person.
        confirm: what the user says when he is asked to confirm; None leaves it open.
        approve: the same for those who approve.
    """

    intents: tuple[str, ...] | None = None
    route: Literal["tools", "answer", "ask"] | None = None
    tools: tuple[str, ...] | None = None
    any_order: bool = False
    arguments: dict[str, tuple[dict[str, ArgumentCheck], ...]] = {}
    asks: tuple[str, ...] | None = None
    forbidden: tuple[str, ...] = ()
    reply: ReplyCheck = ReplyCheck()
    outcome: Outcome | None = None
    confirm: bool | None = None
    approve: bool | None = None

    @property
    def question(self) -> bool:
        """Whether the turn must end with a question."""
        return self.outcome == "question" or self.route == "ask" or bool(self.asks)


class Turn(Struct, frozen=True, kw_only=True):
    """A message of the user and what must come of it."""

    say: str
    expect: Expectation


class Setup(Struct, frozen=True, kw_only=True):
    """What a case finds.

    Attributes:
        fail: tool → its error, or ``timeout``.
        returns: tool → the JSON value that it gives without being called.
        history: what was said before.
    """

    fail: dict[str, str] = {}
    returns: dict[str, Any] = {}
    history: tuple[Message, ...] = ()


class Case(Struct, frozen=True, kw_only=True):
    """One conversation.

    Attributes:
        line: 1-based, in its suite's file.
        now: the instant at which it happens, in the agent's zone when it has no offset; None for
            the time of the evaluation.
    """

    id: str
    line: int
    turns: tuple[Turn, ...]
    title: str = ""
    tags: tuple[str, ...] = ()
    language: Language | None = None
    user: str = "tester"
    now: datetime | None = None
    setup: Setup = Setup()


class Suite(Struct, frozen=True, kw_only=True):
    """Cases that are measured together.

    Attributes:
        isolate: every case gets the agent's folder and tools afresh.
        thresholds: metric → what it must reach, or may not exceed.
        digest: of the file's bytes (hex).
    """

    name: str
    file: str
    cases: tuple[Case, ...]
    digest: str
    isolate: bool = False
    thresholds: dict[str, float] = {}

    def fault(self, case: Case, problem: str, hint: str = "") -> AgentFileError:
        """An error about a case, found after the suite was loaded."""
        return AgentFileError(problem, file=self.file, line=case.line, field=case.id, hint=hint)
