"""What ``--json`` prints: plain JSON values whose keys do not change within a major version."""

from typing import Any

import msgspec

from pointsman.domain.calls import CallState
from pointsman.domain.runs import Run
from pointsman.domain.tasks import run_tasks
from pointsman.engine.service import Recorded
from pointsman.ports import RunRecord


def run_shape(run: Run) -> dict[str, Any]:
    """A run as it stands."""
    calls = (*run.past, *run.calls)
    return {
        "run": run.id,
        "conversation": run.conversation,
        "agent": run.agent,
        "user": run.user,
        "origin": run.origin,
        "status": run.status.value,
        "kind": run.kind,
        "reply": run.reply,
        "failure": run.failure,
        "calls": [_call_shape(call) for call in calls],
        "waiting": [_waiting_shape(call) for call in run_tasks.waiting(run)],
        "turns": run.turns,
        "usage": msgspec.to_builtins(run.usage),
    }


def _call_shape(call: CallState) -> dict[str, Any]:
    result = call.result
    return {
        "call": call.key,
        "tool": call.tool or call.raw.name,
        "arguments": call.arguments if call.tool else call.raw.arguments,
        "risk": call.risk.value if call.tool else None,
        "notes": list(call.notes),
        "stage": call.stage.value,
        "attempts": call.attempts,
        "status": result.status.value if result else None,
        "content": result.content if result else None,
        "data": result.data if result else None,
    }


def _waiting_shape(call: CallState) -> dict[str, Any]:
    approval = call.approval
    assert approval is not None
    return {
        "approval": approval.id,
        "call": call.key,
        "by": approval.by,
        "question": approval.question,
        "expires": approval.expires.isoformat(),
    }


def record_shape(record: RunRecord) -> dict[str, Any]:
    """A run in a list."""
    return {
        "run": record.id,
        "conversation": record.conversation,
        "agent": record.agent,
        "user": record.user,
        "status": record.status.value,
        "input": record.input,
        "reply": record.reply,
        "created": record.created.isoformat(),
        "updated": record.updated.isoformat(),
        "usage": msgspec.to_builtins(record.usage),
    }


def event_shape(recorded: Recorded) -> dict[str, Any]:
    """An event at its place, as the journal holds it."""
    event: dict[str, Any] = msgspec.to_builtins(recorded.event)
    return {"position": recorded.position, **event}
