"""A run: one user message carried to its reply. ``fold`` reads its state from its events.

What comes next is ``steps.next_step``'s to say. Both are pure, so a run that crashed anywhere goes
on from its journal alone.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import approval_texts, run_workers
from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.approvals import Approval, ApprovalState, withdraw
from pointsman.domain.calls import CallEvent, as_message, changed, given_up
from pointsman.domain.calls import CallState as CallState
from pointsman.domain.calls import Stage as Stage
from pointsman.domain.graph import Graph
from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelParams,
    Stop,
    ToolChoice,
    Usage,
    UserMessage,
)
from pointsman.domain.reminders.covering import ReminderOf
from pointsman.domain.routing import Route
from pointsman.domain.run_workers import Changes
from pointsman.domain.run_workers import deaths as deaths
from pointsman.domain.statuses import RunStatus as RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.domain.tasks.task import TaskOf
from pointsman.domain.tools import RawCall, ToolSpec
from pointsman.errors import JournalCorrupt


class Run(Struct, frozen=True, kw_only=True):
    """The state of a run, folded from its events.

    Attributes:
        position: of the last event.
        last: the instant of the last event.
        messages: what the run has added to its conversation so far, whole call groups only.
        scores: intent → score, when there was a classifier.
        route: None before it is chosen, and in open mode.
        route_question: what the user is asked, when the route is to ask.
        checks: drafts of the reply that did not hold.
        asked: the model was asked and has not answered.
        offered: the tools that the model was last shown.
        calls: those of the model's last reply.
        past: calls of earlier replies.
        stop: why the last reply ended.
        replied_by: login of the person who answered in the agent's place.
        waited: seconds that do not count as work: for a person, or without a worker.
        deaths: workers that vanished on it one after the other without a step forward.
        step: how far it was when a worker took it up last; None when no worker has it.
        notice: what the user reads of a parked run.
        task: which task of which request it carries, if any.
        reminder: which occurrence of which reminder it carries out, if any.
        graphs: the plans of its own request, each with its tasks; the latest counts.
    """

    id: str
    agent: str
    user: str
    conversation: str
    language: Language
    created: datetime
    last: datetime
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
    scores: dict[str, float] = {}
    route: Route | None = None
    route_question: str = ""
    checks: tuple[ev.ReplyChecked, ...] = ()
    asked: bool = False
    offered: tuple[str, ...] = ()
    calls: tuple[CallState, ...] = ()
    past: tuple[CallState, ...] = ()
    stop: Stop = Stop.STOP
    usage: Usage = Usage()
    kind: str = ""
    reply: str = ""
    replied_by: str = ""
    handed: tuple[RawCall, ...] = ()
    failure: str = ""
    waited: float = 0.0
    paused_at: datetime | None = None
    deaths: int = 0
    step: tuple[int, ...] | None = None
    notice: str = ""
    task: TaskOf | None = None
    reminder: ReminderOf | None = None
    graphs: tuple[Graph, ...] = ()

    @property
    def input(self) -> str:
        """The user's own words in this run; empty when the run only brings tool results."""
        texts = [message.text for message in self.messages if isinstance(message, UserMessage)]
        return texts[-1] if texts else ""

    @property
    def waiting(self) -> tuple[CallState, ...]:
        """The calls that wait for a person."""
        return _waiting(self.calls)

    @property
    def rests(self) -> bool:
        """Whether nothing more happens by itself: it has ended, or waits for a person."""
        return self.status.rests

    @property
    def said(self) -> str:
        """What the user reads of the run now: its reply, or the questions that it waits with."""
        if self.status.ended:
            return self.reply
        if self.status is RunStatus.PARKED:
            return self.notice
        asked = [call.approval.question for call in self.waiting if call.approval]
        lines = [*asked, *run_tasks.asked(self)]
        return approval_texts.together(lines, run_tasks.asked_at_once(self))

    def approval(self, approval: str) -> tuple[CallState, Approval] | None:
        """The call that this approval was asked for, and how it stands."""
        for call in (*self.past, *self.calls):
            for one in (call.approval, *call.former):
                if one is not None and one.id == approval:
                    return call, one
        return None

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
        last=event.at,
        history=event.history,
        messages=event.messages,
        client_tools=event.client_tools,
        params=event.params,
        tool_choice=event.tool_choice,
        stream=event.stream,
        origin=event.origin,
        task=event.task,
        reminder=event.reminder,
    )


def evolve(run: Run, event: ev.Event) -> Run:
    """The state after one more event.

    Raises:
        JournalCorrupt: the event cannot follow.
    """
    kind = type(event)
    if kind is ev.DecisionRefused:
        return replace(run, position=run.position + 1)
    if run.status.ended:
        raise JournalCorrupt(f"run {run.id} goes on after its end")
    changes = _CHANGES.get(kind, _call_changed)(run, event)
    return replace(run, **changes, position=run.position + 1, last=event.at)


def _twice(run: Run, event: ev.MessageReceived) -> Changes:
    raise JournalCorrupt(f"run {run.id} received a second first message")


def _classified(run: Run, event: ev.IntentClassified) -> Changes:
    return {"scores": event.scores}


def _routed(run: Run, event: ev.RouteChosen) -> Changes:
    return {"route": _route(event), "route_question": event.question}


def _checked(run: Run, event: ev.ReplyChecked) -> Changes:
    return {"checks": (*run.checks, event), "messages": _without_draft(run, event)}


def _asked(run: Run, event: ev.ModelAsked) -> Changes:
    return {"turns": event.turn, "asked": True, "offered": event.tools}


def _unanswered(run: Run, event: ev.ModelFailed) -> Changes:
    return {}


def _failed(run: Run, event: ev.RunFailed) -> Changes:
    end = {"status": RunStatus.FAILED, "failure": event.reason, "kind": "failure"}
    return _closed(run, event.text, event.at) | end


def _cancelled(run: Run, event: ev.RunCancelled) -> Changes:
    end = {"status": RunStatus.CANCELLED, "kind": "cancelled"}
    return _closed(run, event.text, event.at, by=event.by) | end


def _route(event: ev.RouteChosen) -> Route:
    return Route(
        kind=event.kind,
        intents=event.intents,
        tools=event.tools,
        candidates=event.candidates,
        why=event.why,
    )


def _proposed(run: Run, event: ev.CallsProposed) -> Changes:
    calls = tuple(
        CallState(key=f"{run.turns}.{index}", raw=raw)
        for index, raw in enumerate(event.message.calls)
    )
    return {"messages": (*run.messages, event.message), "calls": calls}


def _without_draft(run: Run, event: ev.ReplyChecked) -> tuple[Message, ...]:
    """The messages without a reply that did not hold: nobody read it, and no model may learn it."""
    last = run.messages[-1] if run.messages else None
    if isinstance(last, AssistantMessage) and not last.calls and last.text == event.draft:
        return run.messages[:-1]
    return run.messages


def _answered(run: Run, event: ev.ModelAnswered) -> Changes:
    message = event.message
    if event.cut:
        message = replace(message, calls=message.calls + event.cut)
    whole = len(message.calls) - len(event.cut)
    calls = [
        CallState(key=f"{event.turn}.{index}", raw=raw, cut=index >= whole)
        for index, raw in enumerate(message.calls)
    ]
    return {
        "asked": False,
        "messages": (*run.messages, message),
        "past": run.past + run.calls,
        "calls": tuple(calls),
        "stop": event.stop,
        "usage": run.usage + event.usage if event.usage else run.usage,
    }


def _call_changed(run: Run, event: CallEvent) -> Changes:
    before = run.call(event.call)
    after = changed(before, event, run.user)
    calls = tuple([after if call is before else call for call in run.calls])
    if isinstance(event, ev.ApprovalAsked):
        paused = run.paused_at or event.at
        waiting = {"status": RunStatus.WAITING, "paused_at": paused, "step": None}
        return {"calls": calls, **waiting}
    if isinstance(event, ev.ApprovalDecided) and run.paused_at and not _waiting(calls):
        waited = run.waited + (event.at - run.paused_at).total_seconds()
        going = {"status": RunStatus.RUNNING, "waited": waited, "paused_at": None}
        return {"calls": calls, **going}
    if before.stage is Stage.SPLIT:
        return run_tasks.put_together(run, event.at, calls)
    if after.stage is Stage.SETTLED and all(call.stage is Stage.SETTLED for call in calls):
        return {"calls": calls, "messages": run.messages + tuple(map(as_message, calls))}
    return {"calls": calls}


def _waiting(calls: Iterable[CallState]) -> tuple[CallState, ...]:
    return tuple([call for call in calls if call.stage is Stage.WAITING])


def _replied(run: Run, event: ev.ReplyGiven) -> Changes:
    messages = run.messages
    last = messages[-1] if messages else None
    if event.text and not (isinstance(last, AssistantMessage) and last.text == event.text):
        messages = (*messages, AssistantMessage(text=event.text))
    return {
        "status": RunStatus.DONE,
        "kind": event.kind,
        "reply": event.text,
        "replied_by": event.by,
        "handed": event.calls,
        "messages": messages,
    }


def _closed(run: Run, text: str, at: datetime, *, by: str = "") -> Changes:
    """Every call of the last group answered, nothing left to decide, and the sentence
    that the user read."""
    messages = run.messages
    if messages and isinstance(last := messages[-1], AssistantMessage) and not _says(last):
        messages = messages[:-1]
    unsettled = [call for call in run.calls if call.stage is not Stage.SETTLED]
    if unsettled:
        messages += tuple(as_message(given_up(call)) for call in run.calls)
    calls = tuple(
        replace(call, approval=withdraw(call.approval, ApprovalState.CANCELLED, by=by, now=at))
        if call.approval
        else call
        for call in run.calls
    )
    return {
        "reply": text,
        "messages": (*messages, AssistantMessage(text=text)),
        "calls": calls,
        "graphs": run_tasks.given_up(run, at),
    }


def _says(message: AssistantMessage) -> bool:
    """Whether there is anything in it; an empty message in a history is an error to some providers
    (case H12)."""
    return bool(message.text.strip() or message.calls)


_CHANGES: dict[type[Any], Callable[[Run, Any], Changes]] = {
    ev.MessageReceived: _twice,
    ev.RunStarted: run_workers.started,
    ev.RunResumed: run_workers.resumed,
    ev.RunReleased: run_workers.released,
    ev.RunParked: run_workers.parked,
    ev.RunUnparked: run_workers.unparked,
    ev.IntentClassified: _classified,
    ev.RouteChosen: _routed,
    ev.CallsProposed: _proposed,
    ev.ReplyChecked: _checked,
    ev.ModelAsked: _asked,
    ev.ModelAnswered: _answered,
    ev.ModelFailed: _unanswered,
    ev.ReplyGiven: _replied,
    ev.RunFailed: _failed,
    ev.RunCancelled: _cancelled,
    **run_tasks.CHANGES,
}
"""What each event changes; all others are of one call."""
