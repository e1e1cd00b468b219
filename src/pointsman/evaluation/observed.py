"""What happened in one turn, read from the events of its run. Pure."""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.messages import Usage
from pointsman.domain.runs import Run, RunStatus, fold
from pointsman.domain.tasks.task_events import TaskAsks
from pointsman.engine.service import Recorded
from pointsman.evaluation.cases import Outcome

_QUESTION = ("?", "？")


class SeenCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that ran, or that a person was asked about.

    Attributes:
        status: how it ended; ``waiting`` when it has not.
    """

    tool: str
    arguments: dict[str, Any]
    status: str = "waiting"


class Seen(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one message.

    Attributes:
        intents: that the router took; None when the agent has no intents to choose from.
        route: ``tools``, ``answer`` or ``ask``; what it amounted to when there was no choice.
        candidates: intents among which the user must choose.
        missing: parameters that the user is asked for.
        rejected: calls that the engine did not accept, as ``tool: kind``.
        confirmations: how often the user was asked to confirm.
        approvals: how often somebody else was asked to approve.
        ms: real milliseconds.
        faults: what is wrong with the journal, or untrue in the reply.
    """

    run: str
    say: str
    outcome: Outcome
    reply: str
    intents: tuple[str, ...] | None = None
    scores: dict[str, float] = {}
    route: Literal["tools", "answer", "ask"] = "answer"
    candidates: tuple[str, ...] = ()
    calls: tuple[SeenCall, ...] = ()
    missing: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    confirmations: int = 0
    approvals: int = 0
    ms: float = 0.0
    usage: Usage = Usage()
    model: str = ""
    failure: str = ""
    faults: dict[str, str] = {}

    @property
    def asks_itself(self) -> bool:
        """Whether the reply is a question of the model's own: it did nothing, and asks."""
        said = self.outcome == "answer" and not self.calls
        return said and any(mark in self.reply for mark in _QUESTION)


def _decisions(window: Sequence[ev.Event]) -> list[str]:
    """Who was asked to decide, once a decision; also what the tasks of a split request ask."""
    asked = {one.approval: one.by for one in window if isinstance(one, ev.ApprovalAsked)}
    for one in window:
        if isinstance(one, TaskAsks):
            asked |= {what.approval: what.by for what in one.questions if what.approval}
    return list(asked.values())


def observe(
    run_id: str, trace: Sequence[Recorded], *, after: int, say: str, ms: float
) -> tuple[Seen, Run]:
    """What the events of a run after a position amount to, and the run's state.

    Args:
        after: position of the last event that belongs to an earlier turn; -1 for none.
    """
    run = fold(run_id, [one.event for one in trace])
    window = [one.event for one in trace if one.position > after]
    routed = [one for one in window if isinstance(one, ev.RouteChosen)]
    scored = [one for one in window if isinstance(one, ev.IntentClassified)]
    asked = _decisions(window)
    answers = [one for one in window if isinstance(one, ev.ModelAnswered)]
    rejected = [one for one in window if isinstance(one, ev.CallRejected)]
    calls = _calls(run, trace, window)
    outcome = _outcome(run)
    chosen = routed[-1] if routed and (scored or routed[-1].intents) else None
    seen = Seen(
        run=run_id,
        say=say,
        outcome=outcome,
        reply=run.said,
        intents=chosen.intents if chosen else None,
        scores=scored[-1].scores if scored else {},
        route=chosen.kind if chosen else _route(outcome, calls),
        candidates=chosen.candidates if chosen else (),
        calls=calls,
        missing=tuple(dict.fromkeys(name for one in rejected for name in one.missing))
        if outcome == "question"
        else (),
        rejected=tuple(f"{one.tool}: {one.kind}" for one in rejected),
        confirmations=sum(by == "user" for by in asked),
        approvals=sum(by != "user" for by in asked),
        ms=round(ms, 3),
        usage=sum((one.usage for one in answers if one.usage), Usage()),
        model=answers[-1].model if answers else "",
        failure=run.failure,
    )
    return seen, run


def _calls(run: Run, trace: Sequence[Recorded], window: Sequence[ev.Event]) -> tuple[SeenCall, ...]:
    """The calls that got through in the window, in the order in which they were proposed."""
    reached = {
        event.call for event in window if isinstance(event, ev.AttemptStarted | ev.ApprovalAsked)
    }
    ended = {call.key: call.result for call in (*run.past, *run.calls)}
    found: dict[str, SeenCall] = {}
    for one in trace:
        event = one.event
        if isinstance(event, ev.CallValidated) and event.call in reached:
            result = ended.get(event.call)
            status = result.status.value if result else "waiting"
            found[event.call] = SeenCall(tool=event.tool, arguments=event.arguments, status=status)
    return tuple(found.values())


def _outcome(run: Run) -> Outcome:
    if run.status is RunStatus.WAITING:
        return "waiting"
    if run.status is not RunStatus.DONE:
        return "failure"
    return "question" if run.kind == "question" else "answer"


def _route(outcome: Outcome, calls: Sequence[SeenCall]) -> Literal["tools", "answer"]:
    return "tools" if calls or outcome in ("question", "waiting") else "answer"
