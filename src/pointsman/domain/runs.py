"""A run: one user message carried to its reply. ``fold`` reads its state from its events.

What comes next is ``steps.next_step``'s to say. Both are pure, so a run that crashed anywhere goes
on from its journal alone.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any, assert_never

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelParams,
    Stop,
    ToolChoice,
    ToolMessage,
    Usage,
    UserMessage,
)
from pointsman.domain.tools import RawCall, ResultStatus, Risk, ToolResult, ToolSpec
from pointsman.errors import JournalCorrupt


class RunStatus(StrEnum):
    """Where a run stands, for people and locks."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    """For a person's decision; costs nothing meanwhile."""
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self in (RunStatus.DONE, RunStatus.FAILED, RunStatus.CANCELLED)


class Stage(StrEnum):
    """How far a call has come."""

    PROPOSED = "proposed"
    VALID = "valid"
    WAITING = "waiting"
    CLEARED = "cleared"
    SETTLED = "settled"


class PendingApproval(Struct, frozen=True, kw_only=True):
    """A decision that a call waits for, or has got."""

    id: str
    by: str
    digest: str
    question: str
    expires: datetime
    decision: str = ""
    decided_by: str = ""
    reason: str = ""


class CallState(Struct, frozen=True, kw_only=True):
    """One call and what has become of it.

    Attributes:
        cut: the model's output ended inside the call: it never runs.
        open: an attempt has started and not finished.
        result: set when the stage is SETTLED.
    """

    key: str
    raw: RawCall
    stage: Stage = Stage.PROPOSED
    cut: bool = False
    tool: str = ""
    digest: str = ""
    risk: Risk = Risk.WRITE
    repeatable: bool = False
    arguments: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    rule: str = ""
    approval: PendingApproval | None = None
    attempts: int = 0
    open: bool = False
    retry_in: float | None = None
    result: ToolResult | None = None
    rejection: str = ""
    missing: tuple[str, ...] = ()
    question: str = ""


class Run(Struct, frozen=True, kw_only=True):
    """The state of a run, folded from its events.

    Attributes:
        position: of the last event.
        messages: what the run has added to its conversation so far, whole call groups only.
        calls: those of the model's last reply.
        past: calls of earlier replies.
        stop: why the last reply ended.
    """

    id: str
    agent: str
    user: str
    conversation: str
    language: Language
    created: datetime
    history: tuple[Message, ...]
    messages: tuple[Message, ...]
    client_tools: tuple[ToolSpec, ...] = ()
    params: ModelParams | None = None
    tool_choice: ToolChoice | None = None
    stream: bool = False
    origin: str = "user"
    status: RunStatus = RunStatus.QUEUED
    position: int = 0
    started: datetime | None = None
    system: str = ""
    turns: int = 0
    asked: bool = False
    calls: tuple[CallState, ...] = ()
    past: tuple[CallState, ...] = ()
    stop: Stop = Stop.STOP
    usage: Usage = Usage()
    kind: str = ""
    reply: str = ""
    handed: tuple[RawCall, ...] = ()
    failure: str = ""
    waited: float = 0.0
    paused_at: datetime | None = None

    @property
    def input(self) -> str:
        """The user's own words in this run; empty when the run only brings tool results."""
        texts = [message.text for message in self.messages if isinstance(message, UserMessage)]
        return texts[-1] if texts else ""

    @property
    def waiting(self) -> tuple[CallState, ...]:
        """The calls that wait for a person."""
        return tuple(call for call in self.calls if call.stage is Stage.WAITING)

    @property
    def said(self) -> str:
        """What the user reads of the run now: its reply, or the questions that wait for a person."""
        if self.status.ended:
            return self.reply
        return "\n".join(call.approval.question for call in self.waiting if call.approval)

    def call(self, key: str) -> CallState:
        """The call of the current group with this key."""
        for call in self.calls:
            if call.key == key:
                return call
        raise JournalCorrupt(f"run {self.id} has no open call {key}")


def fold(run_id: str, history: Iterable[ev.Event]) -> Run:
    """The state after these events, which start with ``MessageReceived``.

    Raises:
        JournalCorrupt: the events cannot follow one another.
    """
    events = iter(history)
    first = next(events, None)
    if not isinstance(first, ev.MessageReceived):
        raise JournalCorrupt(f"run {run_id} does not start with a received message")
    run = begin(run_id, first)
    for event in events:
        run = evolve(run, event)
    return run


def begin(run_id: str, event: ev.MessageReceived) -> Run:
    """The state after a run's first event."""
    return Run(
        id=run_id,
        agent=event.agent,
        user=event.user,
        conversation=event.conversation,
        language=event.language,
        created=event.at,
        history=event.history,
        messages=event.messages,
        client_tools=event.client_tools,
        params=event.params,
        tool_choice=event.tool_choice,
        stream=event.stream,
        origin=event.origin,
    )


def evolve(run: Run, event: ev.Event) -> Run:
    """The state after one more event."""
    return replace(_apply(run, event), position=run.position + 1)


def _apply(run: Run, event: ev.Event) -> Run:
    match event:
        case ev.MessageReceived():
            raise JournalCorrupt(f"run {run.id} received a second first message")
        case ev.RunStarted():
            return replace(
                run, status=RunStatus.RUNNING, started=event.at, system=event.system, asked=False
            )
        case ev.RunResumed():
            return replace(run, status=RunStatus.RUNNING, asked=False)
        case ev.ModelAsked():
            return replace(run, turns=event.turn, asked=True)
        case ev.ModelAnswered():
            return _answered(run, event)
        case ev.ModelFailed():
            return replace(run, asked=False)
        case ev.ReplyGiven():
            return _replied(run, event)
        case ev.RunFailed():
            return replace(
                _closed(run, event.text),
                status=RunStatus.FAILED,
                failure=event.reason,
                kind="failure",
            )
        case ev.RunCancelled():
            return replace(_closed(run, event.text), status=RunStatus.CANCELLED, kind="cancelled")
        case _:
            return _call_changed(run, event)


def _answered(run: Run, event: ev.ModelAnswered) -> Run:
    complete = [
        CallState(key=f"{event.turn}.{index}", raw=raw)
        for index, raw in enumerate(event.message.calls)
    ]
    cut = [
        CallState(key=f"{event.turn}.{len(complete) + index}", raw=raw, cut=True)
        for index, raw in enumerate(event.cut)
    ]
    message = event.message
    if event.cut:
        message = replace(message, calls=message.calls + event.cut)
    return replace(
        run,
        asked=False,
        messages=(*run.messages, message),
        past=run.past + run.calls,
        calls=tuple(complete + cut),
        stop=event.stop,
        usage=run.usage + event.usage if event.usage else run.usage,
    )


_CallEvent = (
    ev.CallValidated
    | ev.CallRejected
    | ev.CallCleared
    | ev.ApprovalAsked
    | ev.ApprovalDecided
    | ev.CallRefused
    | ev.AttemptStarted
    | ev.AttemptFinished
)


def _call_changed(run: Run, event: _CallEvent) -> Run:
    calls = tuple(
        _call_after(call, event) if call.key == event.call else call for call in run.calls
    )
    run = replace(run, calls=calls)
    if isinstance(event, ev.ApprovalAsked):
        return replace(run, status=RunStatus.WAITING, paused_at=run.paused_at or event.at)
    if isinstance(event, ev.ApprovalDecided) and run.paused_at and not run.waiting:
        waited = run.waited + (event.at - run.paused_at).total_seconds()
        return replace(run, status=RunStatus.RUNNING, waited=waited, paused_at=None)
    if all(call.stage is Stage.SETTLED for call in calls):
        return replace(run, messages=run.messages + tuple(map(_tool_message, calls)))
    return run


def _call_after(call: CallState, event: _CallEvent) -> CallState:
    match event:
        case ev.CallValidated():
            return replace(
                call,
                stage=Stage.VALID,
                tool=event.tool,
                digest=event.digest,
                risk=event.risk,
                repeatable=event.repeatable,
                arguments=event.arguments,
                notes=event.notes,
            )
        case ev.CallRejected():
            result = ToolResult(status=ResultStatus.REJECTED, content=event.content)
            return replace(
                call,
                stage=Stage.SETTLED,
                result=result,
                rejection=event.kind,
                missing=event.missing,
                question=event.question,
            )
        case ev.CallCleared():
            return replace(call, stage=Stage.CLEARED, rule=event.rule)
        case ev.ApprovalAsked():
            approval = PendingApproval(
                id=event.approval,
                by=event.by,
                digest=event.digest,
                question=event.question,
                expires=event.expires,
            )
            return replace(call, stage=Stage.WAITING, rule=event.rule, approval=approval)
        case ev.ApprovalDecided():
            assert call.approval is not None
            approval = replace(
                call.approval, decision=event.decision, decided_by=event.by, reason=event.reason
            )
            return replace(call, stage=Stage.VALID, approval=approval)
        case ev.CallRefused():
            result = ToolResult(status=ResultStatus.REFUSED, content=event.content)
            return replace(call, stage=Stage.SETTLED, rule=event.rule, result=result)
        case ev.AttemptStarted():
            return replace(call, open=True, attempts=event.attempt, retry_in=None)
        case ev.AttemptFinished():
            if event.retry_in is not None:
                return replace(call, open=False, retry_in=event.retry_in)
            return replace(call, open=False, stage=Stage.SETTLED, result=event.result)
        case _:
            assert_never(event)


def _tool_message(call: CallState) -> ToolMessage:
    assert call.result is not None
    return ToolMessage(call_id=call.raw.id, name=call.raw.name, content=call.result.content)


def _replied(run: Run, event: ev.ReplyGiven) -> Run:
    messages = run.messages
    last = messages[-1] if messages else None
    if event.text and not (isinstance(last, AssistantMessage) and last.text == event.text):
        messages = (*messages, AssistantMessage(text=event.text))
    return replace(
        run,
        status=RunStatus.DONE,
        kind=event.kind,
        reply=event.text,
        handed=event.calls,
        messages=messages,
    )


def _closed(run: Run, text: str) -> Run:
    """The run with every call of the last group answered and the sentence that the user read."""
    messages = run.messages
    unsettled = [call for call in run.calls if call.stage is not Stage.SETTLED]
    if unsettled:
        messages += tuple(_tool_message(_given_up(call)) for call in run.calls)
    return replace(run, reply=text, messages=(*messages, AssistantMessage(text=text)))


def _given_up(call: CallState) -> CallState:
    if call.stage is Stage.SETTLED:
        return call
    if call.open and not call.repeatable:
        content = "outcome unknown: the call was started and its end was not seen; do not repeat it"
        status = ResultStatus.UNCERTAIN
    else:
        content, status = "not run: the run ended before", ResultStatus.CANCELLED
    return replace(call, stage=Stage.SETTLED, result=ToolResult(status=status, content=content))
