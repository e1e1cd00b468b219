"""One call and what has become of it, read from the events that name it."""

from enum import StrEnum
from typing import Any, assert_never

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.approvals import Approval, ApprovalState, settled
from pointsman.domain.messages import ToolMessage
from pointsman.domain.retry import uncertain
from pointsman.domain.tools import RawCall, ResultStatus, Risk, ToolResult
from pointsman.errors import JournalCorrupt


class Stage(StrEnum):
    """How far a call has come."""

    PROPOSED = "proposed"
    VALID = "valid"
    WAITING = "waiting"
    CLEARED = "cleared"
    SPLIT = "split"
    """It is a plan, and its tasks are not over."""
    SETTLED = "settled"


class CallState(Struct, frozen=True, kw_only=True):
    """One call and what has become of it.

    Attributes:
        cut: the model's output ended inside the call: it never runs.
        approval: the decision that it waits for, or has got.
        former: approvals that were closed without one: of other arguments, or asked for again.
        edited: the parameters that a person changed.
        open: an attempt has started and not finished.
        undone: the attempts up to this one did not happen, says the tool.
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
    tainted: tuple[str, ...] = ()
    rule: str = ""
    approval: Approval | None = None
    former: tuple[Approval, ...] = ()
    edited: tuple[str, ...] = ()
    attempts: int = 0
    open: bool = False
    undone: int = 0
    retry_in: float | None = None
    result: ToolResult | None = None
    rejection: str = ""
    missing: tuple[str, ...] = ()
    question: str = ""

    @property
    def uncertain(self) -> bool:
        """Whether it may have changed something and nobody knows."""
        if self.result is not None:
            return self.result.status is ResultStatus.UNCERTAIN
        return self.attempts > self.undone and self.risk is not Risk.READ


CallEvent = (
    ev.CallValidated
    | ev.CallRejected
    | ev.CallCleared
    | ev.ApprovalAsked
    | ev.ApprovalDecided
    | ev.ApprovalEdited
    | ev.ResultGiven
    | ev.CallRefused
    | ev.AttemptStarted
    | ev.AttemptChecked
    | ev.AttemptFinished
)


def changed(call: CallState, event: CallEvent, requester: str) -> CallState:
    """The call after an event that names it.

    Args:
        requester: login of the asking user.

    Raises:
        JournalCorrupt: the event cannot follow.
    """
    if call.stage is Stage.SETTLED:
        raise JournalCorrupt(f"call {call.key} goes on after its end")
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
                tainted=event.tainted,
            )
        case ev.CallCleared():
            return replace(call, stage=Stage.CLEARED, rule=event.rule)
        case ev.AttemptStarted():
            return replace(call, open=True, attempts=event.attempt, retry_in=None)
        case ev.AttemptChecked():
            if event.answer == "not_happened":
                return replace(call, open=False, undone=event.attempt)
            return call
        case ev.AttemptFinished():
            if event.retry_in is not None:
                return replace(call, open=False, retry_in=event.retry_in)
            spent = call.approval and replace(call.approval, used=event.at)
            return replace(
                call, open=False, stage=Stage.SETTLED, result=event.result, approval=spent
            )
        case ev.CallRejected():
            return _rejected(call, event)
        case ev.ApprovalAsked():
            return replace(_asked(call, event, event.approval, requester), stage=Stage.WAITING)
        case ev.ApprovalDecided():
            return replace(call, stage=Stage.VALID, approval=_decided(call, event))
        case ev.ApprovalEdited():
            return _edited(call, event, requester)
        case ev.ResultGiven():
            return replace(call, stage=Stage.SETTLED, result=event.result)
        case ev.CallRefused():
            result = ToolResult(status=ResultStatus.REFUSED, content=event.content)
            return replace(call, stage=Stage.SETTLED, rule=event.rule, result=result)
        case _:
            assert_never(event)


def _rejected(call: CallState, event: ev.CallRejected) -> CallState:
    return replace(
        call,
        stage=Stage.SETTLED,
        result=ToolResult(status=ResultStatus.REJECTED, content=event.content),
        tool=event.tool if event.missing else call.tool,
        arguments=event.arguments or call.arguments,
        rejection=event.kind,
        missing=event.missing,
        question=event.question,
    )


def shown(arguments: dict[str, Any]) -> str:
    """The arguments in one line, for a person."""
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def _asked(
    call: CallState, event: ev.ApprovalAsked | ev.ApprovalEdited, id: str, requester: str
) -> CallState:
    approval = Approval(
        id=id,
        call=call.key,
        digest=event.digest,
        by=event.by,
        requester=requester,
        asked=event.at,
        expires=event.expires,
        own=event.own,
        question=event.question,
    )
    former = (*call.former, call.approval) if call.approval else ()
    return replace(call, rule=event.rule, approval=approval, former=former)


def _edited(call: CallState, event: ev.ApprovalEdited, requester: str) -> CallState:
    if call.approval is None:
        raise JournalCorrupt(f"call {call.key} was edited and nobody had been asked")
    closed = settled(
        call.approval, ApprovalState.EDITED, by=event.editor, at=event.at, reason=event.reason
    )
    closed = replace(closed, replaced_by=event.replacement)
    after = _asked(replace(call, approval=closed), event, event.replacement, requester)
    assert after.approval is not None
    return replace(
        after,
        approval=replace(after.approval, edited_from=closed.id),
        arguments=event.arguments,
        tainted=event.tainted,
        notes=(*call.notes, *event.notes),
        edited=tuple(dict.fromkeys((*call.edited, *event.changed))),
    )


def _decided(call: CallState, event: ev.ApprovalDecided) -> Approval:
    if call.approval is None:
        raise JournalCorrupt(f"call {call.key} got a decision that nobody asked for")
    state = ApprovalState(event.decision)
    return settled(call.approval, state, by=event.by, at=event.at, reason=event.reason)


def as_message(call: CallState) -> ToolMessage:
    """What the model reads of a settled call; also that it ran with arguments that a person put
    in."""
    assert call.result is not None
    content = call.result.content
    if call.edited and call.attempts:
        now = shown({name: call.arguments.get(name) for name in call.edited})
        content = f"NOTE: {call.former[-1].decided_by} changed the arguments: {now}.\n{content}"
    return ToolMessage(
        call_id=call.raw.id,
        name=call.raw.name,
        content=content,
        untrusted=call.result.untrusted,
    )


def given_up(call: CallState) -> CallState:
    """The call as it stands when its run ends: settled, and honest about what may have happened."""
    if call.stage is Stage.SETTLED:
        return call
    if call.uncertain:
        result = uncertain("the run ended before the call did")
    else:
        what = "given up" if call.attempts else "not run"
        content = f"{what}: the run ended before"
        result = ToolResult(status=ResultStatus.CANCELLED, content=content)
    return replace(call, stage=Stage.SETTLED, result=result)
