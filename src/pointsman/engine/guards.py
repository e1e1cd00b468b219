"""Why a proposed call will not run, before its arguments are even read, and the words for it.

Pure functions from a run's state to the event that rejects a call, or None.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from pointsman.domain import names, questions, sentences
from pointsman.domain.agent import Limits
from pointsman.domain.events import CallRejected, RejectionKind
from pointsman.domain.messages import Message, ToolMessage
from pointsman.domain.runs import CallState, Run
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import ToolSpec, ValidCall
from pointsman.errors import ArgumentsMalformed, ArgumentsMissing, ModelFacingError

_HOPELESS: tuple[RejectionKind, ...] = ("unknown_tool", "off_route", "invalid")
"""Rejections that the same call will meet again, whenever it is made."""


def before(
    call: CallState,
    spec: ToolSpec | None,
    run: Run,
    *,
    limits: Limits,
    known: Sequence[str],
    absent: str | None,
    off_route: bool,
    at: datetime,
) -> CallRejected | None:
    """Cut off, over a limit, or not a registered tool (R5; cases S24, L01, L03, L19, M18, M19).

    Args:
        known: the names that are registered.
        off_route: the tool is registered, and not on the way that was chosen for this run; or the
            caller wants none to be called.
        absent: what the tool's source says of a name that it does not offer now, or why the tool
            is left alone.
    """
    if call.cut:
        return _rejected(call, "truncated", sentences.TRUNCATED, at)
    if call.raw.name in {theirs.name for theirs in run.client_tools}:
        return _rejected(call, "unavailable", sentences.CLIENT_MIXED, at)
    if absent is not None:
        return _rejected(call, "unavailable", absent, at)
    if spec is None and call.raw.name in run.offered:
        return gone(call, at)
    if spec is None:
        written = names.shown(call.raw.name)
        close = names.close(call.raw.name, known)
        content = sentences.unknown_tool(written, close, known[: names.MOST_LISTED])
        return _rejected(call, "unknown_tool", content, at)
    if off_route:
        return _rejected(call, "off_route", sentences.OFF_ROUTE, at)
    if run.calls.index(call) >= limits.calls_per_turn:
        return _rejected(call, "limit", sentences.TURN_CAP.format(limit=limits.calls_per_turn), at)
    if run_tasks.spent(run).calls >= limits.calls:
        return _rejected(call, "limit", sentences.CALL_CAP.format(limit=limits.calls), at)
    return None


def unfit(
    call: CallState, spec: ToolSpec, fault: ModelFacingError, run: Run, at: datetime
) -> CallRejected:
    """The arguments do not do. What is missing is asked of the user, the rest is told to the
    model."""
    if isinstance(fault, ArgumentsMissing):
        return CallRejected(
            at=at,
            call=call.key,
            tool=spec.name,
            kind="missing",
            content=f"NOT RUN: {fault}. The user is asked; do not guess.",
            missing=fault.missing,
            question=questions.ask_for(fault.missing, spec.parameters, run.language),
            arguments={k: v for k, v in fault.arguments.items() if k not in fault.missing},
            private=spec.private,
        )
    kind: RejectionKind = "malformed" if isinstance(fault, ArgumentsMalformed) else "invalid"
    return _rejected(call, kind, f"ERROR: {fault}", at, private=spec.private)


def repeated(
    call: CallState, valid: ValidCall, run: Run, *, limits: Limits, at: datetime
) -> CallRejected | None:
    """The same call with the same arguments once too often (case L07)."""
    times = sum(1 for one in (*run.past, *run.calls) if one.rule and _equal(one, valid))
    if times < limits.equal_calls:
        return None
    return _rejected(call, "repeated", sentences.REPEATED.format(times=times), at)


def insisted(rejected: CallRejected, call: CallState, run: Run, *, limits: Limits) -> CallRejected:
    """The rejection with a word against making the same call again; one time too often it is a
    repeated call, as one that runs would be (cases L01, L07)."""
    if rejected.kind not in _HOPELESS:
        return rejected
    times = sum(1 for one in (*run.past, *run.calls) if _rejected_alike(one, rejected, call))
    if times >= limits.equal_calls:
        content = f"{rejected.content} {sentences.INSISTED.format(times=times)}"
        return replace(rejected, kind="repeated", content=content)
    return replace(rejected, content=rejected.content + sentences.NO_REPEAT) if times else rejected


def _rejected_alike(one: CallState, rejected: CallRejected, call: CallState) -> bool:
    """Whether an earlier call was not run for what this one is not run for. The arguments do not
    matter where it is the name that will not do."""
    if one.key == call.key or one.raw.name != call.raw.name:
        return False
    alike = rejected.kind != "invalid" or one.raw.arguments == call.raw.arguments
    return alike and one.rejection in (rejected.kind, "repeated")


def gone(call: CallState, at: datetime) -> CallRejected:
    """The tool, or its schema, is no longer what it was when the call was checked (case M19)."""
    return _rejected(call, "unavailable", sentences.GONE, at)


def doubtful(valid: ValidCall, run: Run, before: Sequence[Message]) -> bool:
    """Whether an equal call was started earlier, in this run or before it, and its outcome is not
    known (case H18)."""
    if any(one.uncertain and _equal(one, valid) for one in (*run.past, *run.calls)):
        return True
    name, source = valid.spec.name, valid.spec.source
    return any(
        isinstance(message, ToolMessage)
        and message.content.startswith("UNCERTAIN")
        and names.resolve(message.name, (name,), (source,)) is not None
        for message in before
    )


def _equal(one: CallState, valid: ValidCall) -> bool:
    return one.tool == valid.spec.name and one.arguments == valid.arguments


def _rejected(
    call: CallState,
    kind: RejectionKind,
    content: str,
    at: datetime,
    private: tuple[str, ...] = (),
) -> CallRejected:
    return CallRejected(
        at=at,
        call=call.key,
        tool=call.raw.name,
        kind=kind,
        content=content,
        private=private,
    )
