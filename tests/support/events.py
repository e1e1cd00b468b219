"""Events of a run, made short: what a test writes down is what matters to it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, Message, Stop, Usage, UserMessage
from pointsman.domain.tools import RawCall, ResultStatus, Risk, ToolResult, ToolSpec
from tests.support.fake_clock import START

RUN = "0" * 32


def received(
    *messages: Message, client_tools: Sequence[ToolSpec] = (), conversation: str = "c1"
) -> ev.MessageReceived:
    return ev.MessageReceived(
        at=START,
        agent="desk",
        user="ann",
        conversation=conversation,
        language="en",
        messages=messages or (UserMessage(text="hi"),),
        client_tools=tuple(client_tools),
    )


def started(after: float = 0.0) -> ev.RunStarted:
    return ev.RunStarted(at=later(after), system="s", model="scripted")


def parked(after: float = 0.0) -> ev.RunParked:
    return ev.RunParked(at=later(after), deaths=3, step="asking the model", text="set aside")


def asked(turn: int = 1, *tools: str) -> ev.ModelAsked:
    return ev.ModelAsked(at=START, turn=turn, tools=tools, tool_choice="auto")


def answered(
    text: str = "",
    *calls: tuple[str, str],
    turn: int = 1,
    cut: Sequence[tuple[str, str]] = (),
    stop: Stop = Stop.STOP,
    tokens: int = 0,
) -> ev.ModelAnswered:
    """A reply; calls are (tool, arguments as JSON text) and get the ids ``a``, ``b``, …"""
    raw = raw_calls((*calls, *cut))
    return ev.ModelAnswered(
        at=START,
        turn=turn,
        message=AssistantMessage(text=text, calls=raw[: len(calls)]),
        cut=raw[len(calls) :],
        stop=stop,
        model="scripted",
        ms=1.0,
        usage=Usage(prompt=tokens, total=tokens) if tokens else None,
    )


def raw_calls(calls: Sequence[tuple[str, str]]) -> tuple[RawCall, ...]:
    return tuple(
        RawCall(id=chr(ord("a") + index), name=name, arguments=arguments)
        for index, (name, arguments) in enumerate(calls)
    )


def validated(
    call: str,
    tool: str = "look",
    *,
    risk: Risk = Risk.READ,
    repeatable: bool | None = None,
    arguments: dict[str, Any] | None = None,
) -> ev.CallValidated:
    return ev.CallValidated(
        at=START,
        call=call,
        tool=tool,
        source="python",
        original=tool,
        digest="d",
        risk=risk,
        repeatable=risk is Risk.READ if repeatable is None else repeatable,
        arguments=arguments or {},
    )


def rejected(
    call: str, kind: ev.RejectionKind = "invalid", *, question: str = ""
) -> ev.CallRejected:
    return ev.CallRejected(
        at=START, call=call, tool="look", kind=kind, content="ERROR: no", question=question
    )


def cleared(call: str) -> ev.CallCleared:
    return ev.CallCleared(at=START, call=call, rule="default for read")


def refused(call: str) -> ev.CallRefused:
    return ev.CallRefused(at=START, call=call, rule="r", content="DENIED")


def pending(call: str, *, by: str = "user", after: float = 0.0) -> ev.ApprovalAsked:
    return ev.ApprovalAsked(
        at=later(after),
        call=call,
        approval=f"approval {call}",
        by=by,
        rule="r",
        digest="d",
        question=f"run {call}?",
        expires=later(3600),
    )


def decided(call: str, *, after: float = 0.0) -> ev.ApprovalDecided:
    return ev.ApprovalDecided(
        at=later(after), call=call, approval=f"approval {call}", decision="approved", by="ann"
    )


def attempt(call: str, number: int = 1) -> ev.AttemptStarted:
    return ev.AttemptStarted(at=START, call=call, attempt=number)


def finished(
    call: str,
    content: str = "ok",
    *,
    status: ResultStatus = ResultStatus.OK,
    retry_in: float | None = None,
) -> ev.AttemptFinished:
    result = ToolResult(status=status, content=content)
    return ev.AttemptFinished(
        at=START, call=call, attempt=1, result=result, ms=1.0, retry_in=retry_in
    )


def resumed(after: float = 0.0) -> ev.RunResumed:
    return ev.RunResumed(at=later(after), reason="taken up again")


def replied(text: str, kind: Any = "answer") -> ev.ReplyGiven:
    return ev.ReplyGiven(at=START, kind=kind, text=text)


def failed(text: str = "Sorry.") -> ev.RunFailed:
    return ev.RunFailed(at=START, reason="model", detail="", text=text)


def cancelled(text: str = "Cancelled.") -> ev.RunCancelled:
    return ev.RunCancelled(at=START, by="ann", reason="", text=text)


def later(seconds: float) -> Any:
    return START + timedelta(seconds=seconds)
