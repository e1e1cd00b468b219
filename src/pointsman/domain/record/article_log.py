"""A run as the article's log: one line for each call, or one for a run without calls.

``{"user_input": …, "intent": …, "tool": …, "params": {…}, "status": "success"}`` and, after these,
what else one needs to trace a complaint back: who, when, how sure, checked how, approved by whom.

Source: the third article, section 12 (R10, R12).
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.domain import events as ev
from pointsman.domain.calls import CallEvent, CallState, Stage
from pointsman.domain.runs import Run, fold

SUCCESS, BY_HAND = "success", "by_hand"


def log_lines(run_id: str, events: Sequence[ev.Event]) -> list[dict[str, Any]]:
    """The lines of a run, as JSON values.

    ``status`` is ``success``, else the result's status (``failed``, ``uncertain``, ``refused`` …),
    ``by_hand`` when a person did it, ``missing`` when the user was asked for a value, ``waiting``
    or ``open`` before the end; of a run without calls ``answered``, ``asked``, or the run's own
    status.

    Raises:
        JournalCorrupt: the events cannot follow one another.
    """
    run = fold(run_id, events)
    common = {"user_input": run.input, "intent": _intent(run), "confidence": _confidence(run)}
    calls = (*run.past, *run.calls)
    if not calls:
        return [
            {
                **_picked(common, "user_input", "intent"),
                "tool": None,
                "params": {},
                "status": _status_of_run(run),
                "confidence": common["confidence"],
                **_place(run),
                "time": _time(run.created),
                "reply": run.reply,
            }
        ]
    return [_line(run, call, events, common) for call in calls]


def _line(
    run: Run, call: CallState, events: Sequence[ev.Event], common: dict[str, Any]
) -> dict[str, Any]:
    own = [event for event in events if isinstance(event, CallEvent) and event.call == call.key]
    finished = [event for event in own if isinstance(event, ev.AttemptFinished)]
    return {
        **_picked(common, "user_input", "intent"),
        "tool": call.tool or call.raw.name,
        "params": call.arguments if call.tool else _params(call),
        "status": _status(run, call),
        "confidence": common["confidence"],
        **_place(run),
        "call": call.key,
        "time": _time(own[0].at if own else run.created),
        "validation": call.rejection or ("valid" if call.digest else ""),
        "missing": list(call.missing),
        "notes": list(call.notes),
        "risk": call.risk.value if call.digest else None,
        "rule": call.rule,
        "approval": _approval(call),
        "attempts": call.attempts,
        "ms": round(sum(event.ms for event in finished), 3),
        "result": call.result.content if call.result else None,
        "reply": run.reply,
    }


def _picked(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _place(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "conversation": run.conversation,
        "user": run.user,
        "agent": run.agent,
    }


def _time(at: Any) -> str:
    return str(at.isoformat())


def _intent(run: Run) -> str | None:
    """The intent that the run went by, several with commas; None in open mode."""
    if run.route is None:
        return None
    return ", ".join(run.route.intents or run.route.candidates) or None


def _confidence(run: Run) -> float | None:
    """The lowest score of the intents that were taken."""
    if run.route is None:
        return None
    named = run.route.intents or run.route.candidates
    return min((run.scores[name] for name in named if name in run.scores), default=None)


def _params(call: CallState) -> Any:
    """What the model wrote: the JSON value, or its text when it is none."""
    try:
        return msgspec.json.decode(call.raw.arguments)
    except msgspec.DecodeError:
        return call.raw.arguments


def _status(run: Run, call: CallState) -> str:
    if call.missing:
        return "missing"
    if call.result is not None:
        if call.result.ok:
            return SUCCESS if call.attempts else BY_HAND
        return call.result.status.value
    if run.status.ended:
        return "uncertain" if call.uncertain else "cancelled"
    return "waiting" if call.stage is Stage.WAITING else "open"


def _status_of_run(run: Run) -> str:
    if run.kind in ("answer", "question"):
        return "answered" if run.kind == "answer" else "asked"
    return run.status.value


def _approval(call: CallState) -> dict[str, str] | None:
    approval = call.approval
    if approval is None:
        return None
    return {
        "id": approval.id,
        "by": approval.by,
        "decision": approval.decision,
        "decided_by": approval.decided_by,
        "reason": approval.reason,
    }
