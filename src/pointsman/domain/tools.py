"""Tools and calls.

A call changes its type as it passes the checks: ``RawCall`` (a model or a rule proposed it),
``ValidCall`` (a registered tool, arguments that fit), ``ClearedCall`` (the gate let it pass). The
executor takes a ``ClearedCall`` and only ``engine.gate`` makes one.
"""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from pointsman.domain.limiting import ToolLimits


class Risk(StrEnum):
    """What a tool may do to the world. A tool that declares nothing counts as ``WRITE``."""

    READ = "read"
    WRITE = "write"
    CRITICAL = "critical"


class ToolSpec(Struct, frozen=True, kw_only=True):
    """What the engine knows about a tool, whatever kind it is.

    Attributes:
        name: what the model sees: ``[A-Za-z0-9_-]{1,64}``, unique in an agent.
        source: where it comes from: ``python``, ``client``, or a tool server's name.
        original: its name at the source.
        description: for the model.
        title: for people, in questions and confirmations; the name when empty. ``titles`` has it by
            language, where more than one is known.
        parameters: JSON Schema (2020-12) that arguments are validated against. Context parameters
            are not in it.
        wire_parameters: the same, simplified to what providers accept.
        private: parameters whose values no view of a journal shows (``masking``).
        context: parameter → context field (``user``, ``agent``, ``conversation``, ``run``,
            ``input``, ``now``), filled by the engine and never by the model.
        timeout: seconds for one attempt.
        idempotent: running it twice is the same as once. Read-only tools are.
        retries: further attempts after a retryable failure, if read-only or idempotent.
        trusted: its results and annotations are our own; MCP servers are not, by default.
        digest: changes when the source, the name or the parameters change (hex).
        limits: how often and how many at once, and when it is left alone.
        splits: its call is a plan, which the engine carries out as runs of their own
            (``engine.tasks.carrying``); no tool is run.
    """

    name: str
    source: str
    original: str
    description: str
    parameters: dict[str, Any]
    wire_parameters: dict[str, Any]
    digest: str
    title: str = ""
    titles: dict[str, str] = {}
    risk: Risk = Risk.WRITE
    timeout: float = 30.0
    idempotent: bool = False
    retries: int = 2
    trusted: bool = False
    private: tuple[str, ...] = ()
    context: dict[str, str] = {}
    limits: ToolLimits = ToolLimits()
    splits: bool = False

    def titled(self, language: str) -> str:
        """What people who speak the language call it."""
        return self.titles.get(language) or self.title or self.name

    @property
    def repeatable(self) -> bool:
        """Whether a second attempt can do no harm."""
        return self.idempotent or self.risk is Risk.READ


class RawCall(Struct, frozen=True, kw_only=True):
    """A call as proposed; nothing about it has been checked.

    Attributes:
        id: the provider's id, or one made by the adapter; unique inside one reply only.
        name: the name that the model wrote.
        arguments: JSON text as the model wrote it; ``{}`` for none.
    """

    id: str
    name: str
    arguments: str


class ValidCall(Struct, frozen=True, kw_only=True):
    """A call of a registered tool whose arguments fit its schema.

    Attributes:
        key: identity inside the run: ``<turn>.<index>``.
        arguments: after repair, coercion and context filling.
        notes: what was repaired, coerced or dropped, one sentence each.
    """

    key: str
    spec: ToolSpec
    arguments: dict[str, Any]
    notes: tuple[str, ...] = ()


class ClearedCall(Struct, frozen=True, kw_only=True):
    """A call that may run. Made by ``engine.gate`` alone.

    Attributes:
        rule: what cleared it: a policy rule, or the approval's id.
    """

    call: ValidCall
    rule: str


class ResultStatus(StrEnum):
    """How a call ended."""

    OK = "ok"
    ERROR = "error"
    """The tool said that it failed."""
    FAILED = "failed"
    """The tool could not be run or raised."""
    TIMEOUT = "timeout"
    """No answer in time, and nothing can have happened twice: the tool only reads."""
    UNCERTAIN = "uncertain"
    """It was started and nobody knows whether it happened."""
    REJECTED = "rejected"
    """Not run: unknown tool, bad arguments, a limit."""
    REFUSED = "refused"
    """Not run: the policy or a person said no."""
    CANCELLED = "cancelled"
    """Not run, or given up, because the run was cancelled."""


class ToolResult(Struct, frozen=True, kw_only=True):
    """What came of a call.

    Attributes:
        content: what the model reads.
        data: the structured result, when the tool gave one (JSON values only).
        retryable: a further attempt may succeed.
        blob: id of the whole result in the store when ``content`` is cut.
        untrusted: whether it holds what others wrote, though the tool is our own.
    """

    status: ResultStatus
    content: str
    data: Any = None
    retryable: bool = False
    blob: str = ""
    untrusted: bool = False

    @property
    def ok(self) -> bool:
        return self.status is ResultStatus.OK
