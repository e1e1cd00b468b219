"""What happens to a run, as frozen events with a schema version, and the chain that binds them.

A run is its journal: ``runs.fold`` turns these into its state, and everything that anybody wants to
know of a run is read from them. An event's tag is its name and schema version (``name@1``); an
older version is lifted by an upcaster before decoding, an unknown one stops the reader. All
instants are aware and in UTC. ``call`` is a call's identity inside its run: ``<turn>.<index>``.
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.approval_events import ApprovalAsked as ApprovalAsked
from pointsman.domain.approval_events import ApprovalDecided as ApprovalDecided
from pointsman.domain.approval_events import ApprovalEdited as ApprovalEdited
from pointsman.domain.approval_events import DecisionRefused as DecisionRefused
from pointsman.domain.approval_events import ResultGiven as ResultGiven
from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelParams,
    Stop,
    ToolChoice,
    Usage,
)
from pointsman.domain.record.upcasting import UPCASTERS, Upcaster, lifted
from pointsman.domain.recovery_events import Answer as Answer
from pointsman.domain.recovery_events import AttemptChecked as AttemptChecked
from pointsman.domain.recovery_events import RunParked as RunParked
from pointsman.domain.recovery_events import RunReleased as RunReleased
from pointsman.domain.recovery_events import RunUnparked as RunUnparked
from pointsman.domain.reminders.covering import ReminderOf
from pointsman.domain.sources import Source
from pointsman.domain.tasks.task import TaskOf
from pointsman.domain.tasks.task_events import PlanAccepted as PlanAccepted
from pointsman.domain.tasks.task_events import TaskAsks as TaskAsks
from pointsman.domain.tasks.task_events import TaskEnded as TaskEnded
from pointsman.domain.tasks.task_events import TaskEvent as TaskEvent
from pointsman.domain.tasks.task_events import TasksAwaited as TasksAwaited
from pointsman.domain.tasks.task_events import TaskSkipped as TaskSkipped
from pointsman.domain.tasks.task_events import TaskStarted as TaskStarted
from pointsman.domain.text import clean_value
from pointsman.domain.tools import RawCall, Risk, ToolResult, ToolSpec
from pointsman.errors import EventUnknown, JournalCorrupt


class MessageReceived(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="message_received@1"
):
    """The run exists.

    Attributes:
        messages: what the run adds to the conversation: ordinarily one user message. A client of
            the
            OpenAI-compatible API sends the tail of its own history.
        history: messages before them that the caller sent; those of the conversation's earlier runs
            are in their own journals.
        client_tools: tools that the caller runs itself; a call of one ends the run.
        params: sampling parameters over the agent's own.
        origin: ``user``, or what else started the run; ``task:<run>/<node>`` for a ``task``,
            ``reminder:<id>`` for a ``reminder``.
    """

    at: datetime
    agent: str
    user: str
    conversation: str
    language: Language
    messages: tuple[Message, ...]
    history: tuple[Message, ...] = ()
    client_tools: tuple[ToolSpec, ...] = ()
    params: ModelParams | None = None
    tool_choice: ToolChoice | None = None
    stream: bool = False
    origin: str = "user"
    task: TaskOf | None = None
    reminder: ReminderOf | None = None


class RunStarted(Struct, frozen=True, kw_only=True, tag="run_started@1"):
    """A worker took the run up. ``system`` holds the date line, fixed for the whole run."""

    at: datetime
    system: str
    model: str


class RunResumed(Struct, frozen=True, kw_only=True, tag="run_resumed@1"):
    """A worker took the run up again after a crash, a restart or a decision."""

    at: datetime
    reason: str


class IntentClassified(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="intent_classified@1"
):
    """What the classifier made of the message: intent → score in [0, 1]."""

    at: datetime
    scores: dict[str, float]
    by: str
    abstains: bool = False


class RouteChosen(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="route_chosen@1"):
    """Which way the run goes.

    Attributes:
        kind: ``tools`` with these intents' tools, ``answer`` without tools, ``ask`` which of the
            candidates is meant.
        tools: the only ones that the model is shown and that the engine accepts.
        why: the rule that decided, for people: a threshold, the user's pick, a pending question.
        question: what the user is asked, when ``kind`` is ``ask``.
    """

    at: datetime
    kind: Literal["tools", "answer", "ask"]
    intents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    why: str = ""
    question: str = ""


class CallsProposed(Struct, frozen=True, kw_only=True, tag="calls_proposed@1"):
    """The engine proposes calls itself: the user's answer completed a pending one. They pass the
    same checks as a model's."""

    at: datetime
    message: AssistantMessage
    by: str


class ReplyChecked(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="reply_checked@1"):
    """The draft did not hold against the run's results.

    Attributes:
        faults: what is wrong with it, one sentence each.
        action: ``ask_again`` the model with the facts, or ``fall_back`` to the engine's own
            sentence.
    """

    at: datetime
    draft: str
    faults: tuple[str, ...]
    action: Literal["ask_again", "fall_back"]


class ModelAsked(Struct, frozen=True, kw_only=True, tag="model_asked@1"):
    """The conversation went to the model with these tools and no others."""

    at: datetime
    turn: int
    tools: tuple[str, ...]
    tool_choice: ToolChoice


class ModelAnswered(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="model_answered@1"):
    """The model's whole reply. Calls that the output limit cut off are in ``cut``, never in
    ``message``."""

    at: datetime
    turn: int
    message: AssistantMessage
    stop: Stop
    model: str
    ms: float
    usage: Usage | None = None
    cut: tuple[RawCall, ...] = ()
    attempts: int = 1


class ModelFailed(Struct, frozen=True, kw_only=True, tag="model_failed@1"):
    """The model gave no usable reply; ``error`` is the error's class."""

    at: datetime
    turn: int
    error: str
    detail: str


class CallValidated(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="call_validated@1"):
    """A registered tool, and arguments that fit and have a source.

    Attributes:
        digest: the tool's version.
        sources: dotted path of a value → where it comes from.
        tainted: those that come from untrusted content alone.
        private: names of the arguments that no view shows.
    """

    at: datetime
    call: str
    tool: str
    source: str
    original: str
    digest: str
    risk: Risk
    repeatable: bool
    arguments: dict[str, Any]
    notes: tuple[str, ...] = ()
    sources: dict[str, Source] = {}
    tainted: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


RejectionKind = Literal[
    "unsourced",
    "off_route",
    "unknown_tool",
    "malformed",
    "invalid",
    "missing",
    "truncated",
    "repeated",
    "limit",
    "unavailable",
    "plan",
]


class CallRejected(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="call_rejected@1"):
    """A call that will not run. ``content`` is what the model reads; ``missing`` names what the
    user is asked for; ``arguments`` are what the call has already."""

    at: datetime
    call: str
    tool: str
    kind: RejectionKind
    content: str
    missing: tuple[str, ...] = ()
    question: str = ""
    arguments: dict[str, Any] = {}
    private: tuple[str, ...] = ()


class CallCleared(Struct, frozen=True, kw_only=True, tag="call_cleared@1"):
    """The gate let the call pass by this rule."""

    at: datetime
    call: str
    rule: str


class CallRefused(Struct, frozen=True, kw_only=True, tag="call_refused@1"):
    """The policy or a person said no; ``content`` is what the model reads."""

    at: datetime
    call: str
    rule: str
    content: str


class AttemptStarted(Struct, frozen=True, kw_only=True, tag="attempt_started@1"):
    """The tool is about to run; committed before it does when it may change something."""

    at: datetime
    call: str
    attempt: int


class AttemptFinished(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag="attempt_finished@1"
):
    """The attempt ended. ``retry_in`` seconds later there will be another, if not None."""

    at: datetime
    call: str
    attempt: int
    result: ToolResult
    ms: float
    retry_in: float | None = None


class ReplyGiven(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="reply_given@1"):
    """The run is done.

    Attributes:
        calls: of the caller's own tools, handed over to it.
        by: login of the person who took the run over and answered; empty for the agent.
    """

    at: datetime
    kind: Literal["answer", "question", "calls"]
    text: str
    calls: tuple[RawCall, ...] = ()
    by: str = ""


class RunFailed(Struct, frozen=True, kw_only=True, tag="run_failed@1"):
    """The run ended without an answer; ``text`` is the honest sentence that the user reads."""

    at: datetime
    reason: str
    detail: str
    text: str


class RunCancelled(Struct, frozen=True, kw_only=True, tag="run_cancelled@1"):
    """A person stopped the run."""

    at: datetime
    by: str
    reason: str
    text: str


Event = (
    MessageReceived
    | RunStarted
    | RunResumed
    | RunReleased
    | RunParked
    | RunUnparked
    | IntentClassified
    | RouteChosen
    | CallsProposed
    | ReplyChecked
    | ModelAsked
    | ModelAnswered
    | ModelFailed
    | CallValidated
    | CallRejected
    | CallCleared
    | ApprovalAsked
    | ApprovalDecided
    | ApprovalEdited
    | DecisionRefused
    | ResultGiven
    | CallRefused
    | AttemptStarted
    | AttemptChecked
    | AttemptFinished
    | TaskEvent
    | ReplyGiven
    | RunFailed
    | RunCancelled
)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Event).decode
_TAGS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Event))

GENESIS = bytes(32)
"""The hash before the first event of a run."""


def encode(event: Event) -> bytes:
    """The event as the JSON bytes that are stored and hashed."""
    try:
        return _encode(event)
    except UnicodeEncodeError:
        return _encode(clean_value(msgspec.to_builtins(event)))


def decode(body: bytes, upcasters: Mapping[str, Upcaster] = UPCASTERS) -> Event:
    """The event of stored bytes.

    Raises:
        EventUnknown: one of a schema version that this release does not know.
        JournalCorrupt: no event.
    """
    try:
        return _decode(body)
    except msgspec.MsgspecError as fault:
        return _decode_older(body, upcasters, fault)


def _decode_older(
    body: bytes, upcasters: Mapping[str, Upcaster], fault: msgspec.MsgspecError
) -> Event:
    try:
        raw = msgspec.json.decode(body)
        tag = raw.get("type") if isinstance(raw, dict) else None
        if not isinstance(tag, str) or "@" not in tag or tag in _TAGS:
            raise fault
        event = lifted(raw, upcasters)
        if event["type"] not in _TAGS:
            raise EventUnknown(str(event["type"]))
        return _decode(msgspec.json.encode(event))
    except (msgspec.MsgspecError, KeyError, ValueError) as broken:
        raise JournalCorrupt(f"cannot read a journal event: {broken}") from None


def link(previous: bytes, run: str, position: int, body: bytes) -> bytes:
    """The hash of a row: SHA-256 over the hash before it, the run, the position and the body."""
    return sha256(b"%b%b:%d:%b" % (previous, run.encode(), position, body)).digest()
