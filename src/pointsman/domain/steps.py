"""What a run does next, decided from its folded state alone."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct

from pointsman.domain.agent import Limits
from pointsman.domain.messages import AssistantMessage
from pointsman.domain.runs import CallState, Run, Stage
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tools import RawCall, Risk


class ChooseRoute(Struct, frozen=True):
    """Find out what the user wants, and which tools that may use."""


class AskModel(Struct, frozen=True):
    """Send the conversation to the model."""


class CheckCalls(Struct, frozen=True):
    """Validate the proposed calls and bring the valid ones to the gate."""

    calls: tuple[CallState, ...]


class RunCalls(Struct, frozen=True):
    """Execute cleared calls; those of one batch run at the same time."""

    calls: tuple[CallState, ...]


class RunTasks(Struct, frozen=True):
    """See how far the tasks of the request are, and start those that may start."""


class Wait(Struct, frozen=True):
    """Nothing to do before a person decides. Cleared calls of the same reply wait too: a decision
    must not race with a worker, and a call that changes something not overtake one before it."""


class Finish(Struct, frozen=True):
    """Give this reply."""

    kind: Literal["answer", "question", "calls"]
    text: str
    calls: tuple[RawCall, ...] = ()


class Fail(Struct, frozen=True):
    """End honestly without an answer."""

    reason: str
    detail: str = ""


class Ended(Struct, frozen=True):
    """The run is over."""


NextStep = ChooseRoute | AskModel | CheckCalls | RunCalls | RunTasks | Wait | Finish | Fail | Ended

MALFORMED_LIMIT = 2
"""Replies with unreadable arguments before the run gives up (case A21: one retry)."""
BLOCKED_LIMIT = 3
"""Blocked repetitions before the run gives up (case L07)."""
PLAN_LIMIT = 2
"""Plans that cannot be carried out before the run gives up (case G01: one more try)."""
_BEFORE_GATE = (Stage.PROPOSED, Stage.VALID)


def next_step(run: Run, limits: Limits, now: datetime, *, routes: bool = False) -> NextStep:
    """What a run in this state does next.

    Args:
        routes: the agent has intents, or the conversation has an open question, so that a route
            must
            be chosen first.
    """
    if run.status.ended:
        return Ended()
    if routes and run.route is None:
        return ChooseRoute()
    if run.route is not None and run.route.kind == "ask" and not run.turns:
        return Finish("question", run.route_question)
    if run.calls and (step := _with_calls(run)):
        return step
    if run.turns and not run.asked and not run.calls and _has_replied(run):
        return Finish("answer", _last_text(run))
    return _over(run, limits, now) or AskModel()


def _with_calls(run: Run) -> NextStep | None:
    """What comes next of the calls of the last reply; None when all are settled."""
    proposed = tuple([call for call in run.calls if call.stage in _BEFORE_GATE])
    if proposed and _handed_over(run):
        return Finish("calls", _last_text(run), tuple(call.raw for call in run.calls))
    if proposed:
        return CheckCalls(proposed)
    stages = [call.stage for call in run.calls]
    if Stage.WAITING in stages:
        return Wait()
    if Stage.SPLIT in stages and run_tasks.open_graph(run) is not None:
        return RunTasks()
    if Stage.CLEARED in stages:
        return RunCalls(_batch([call for call in run.calls if call.stage is Stage.CLEARED]))
    questions = [call.question for call in run.calls if call.question]
    return Finish("question", "\n".join(dict.fromkeys(questions))) if questions else None


def _has_replied(run: Run) -> bool:
    """Whether the model's last word stands; a draft that did not hold was taken out."""
    return isinstance(run.messages[-1], AssistantMessage)


def _last_text(run: Run) -> str:
    last = run.messages[-1]
    return last.text if isinstance(last, AssistantMessage) else ""


def _handed_over(run: Run) -> bool:
    """Whether every call of the last reply is of the caller's own tools."""
    theirs = {spec.name for spec in run.client_tools}
    return bool(theirs) and all(call.raw.name in theirs and not call.cut for call in run.calls)


def _batch(cleared: Sequence[CallState]) -> tuple[CallState, ...]:
    """The first calls that may run together: neighbours that only read, or one that may change
    something. Order matters where a call changes the world (case L19)."""
    if cleared[0].risk is not Risk.READ:
        return (cleared[0],)
    together = []
    for call in cleared:
        if call.risk is not Risk.READ:
            break
        together.append(call)
    return tuple(together)


def _last_refusal(run: Run) -> str:
    """Why the last plan could not be carried out."""
    refused = [one.result for one in (*run.past, *run.calls) if one.rejection == "plan"]
    return refused[-1].content.partition("\n")[0].removeprefix("ERROR: ") if refused[-1] else ""


def _over(run: Run, limits: Limits, now: datetime) -> Fail | None:
    used = run_tasks.spent(run)
    if used.turns >= limits.turns:
        return Fail("turns", str(limits.turns))
    if used.tokens > limits.tokens:
        return Fail("tokens", str(limits.tokens))
    if run.started and (now - run.started).total_seconds() - run.waited > limits.seconds:
        return Fail("seconds", f"{limits.seconds:g}")
    rejections = [call.rejection for call in (*run.past, *run.calls)]
    if rejections.count("malformed") >= MALFORMED_LIMIT:
        return Fail("malformed")
    if rejections.count("repeated") >= BLOCKED_LIMIT:
        return Fail("repeated")
    if rejections.count("plan") >= PLAN_LIMIT:
        return Fail("plan", _last_refusal(run))
    return None
