"""A run whose request was split: its state after what happens to its tasks, and what they ask."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain import graph as graphs
from pointsman.domain.approvals import USER, Approval
from pointsman.domain.calls import CallState, Stage, as_message
from pointsman.domain.graph import Graph, Task, TaskState
from pointsman.domain.reminders.covering import ReminderOf
from pointsman.domain.run_workers import Changes
from pointsman.domain.statuses import RunStatus
from pointsman.domain.tasks import task_words
from pointsman.domain.tasks.task import Question, Spent
from pointsman.domain.tools import RawCall
from pointsman.errors import JournalCorrupt

if TYPE_CHECKING:
    from pointsman.domain.runs import Run


def graph_of(run: "Run") -> Graph | None:
    """The latest plan of the run."""
    return run.graphs[-1] if run.graphs else None


def open_graph(run: "Run") -> Graph | None:
    """The plan that is being carried out; None when there is none, or the run has ended."""
    found = graph_of(run)
    if found is None or run.status.ended:
        return None
    going = any(call.key == found.call and call.stage is Stage.SPLIT for call in run.calls)
    return found if going else None


def spent(run: "Run") -> Spent:
    """What the run and all of its tasks have used."""
    made = [1 for call in (*run.past, *run.calls) if call.attempts or call.rule]
    own = Spent(turns=run.turns, calls=len(made), tokens=run.usage.total)
    return sum([task.spent for task in begun(run)], own) if run.graphs else own


def begun(run: "Run") -> tuple[Task, ...]:
    """The tasks of all plans that a run was made for, each once."""
    return tuple({task.run: task for one in run.graphs for task in one.tasks if task.run}.values())


def origin(run: "Run") -> str:
    """What started the request that the run belongs to: ``user``, or ``reminder:…``"""
    return run.task.origin if run.task else run.origin


def reminder_of(run: "Run") -> ReminderOf | None:
    """The reminder that the request carries out which the run belongs to."""
    return run.task.reminder if run.task else run.reminder


def questions(run: "Run") -> Iterator[tuple[Task, Question]]:
    """What the tasks ask, in the order of the plan."""
    found = open_graph(run)
    for task in found.tasks if found else ():
        for question in task.questions:
            yield task, question


def words_wanted(run: "Run") -> str:
    """The question that the user's next words answer; empty when there is none."""
    return next((one.text for _, one in questions(run) if not one.approval), "")


def asked(run: "Run") -> Iterator[str]:
    """What the user reads of it. What he is asked himself, he is asked one by one, since his next
    message answers the first."""
    wanted = [one for _, one in questions(run)]
    yield from (one.text for one in wanted if one.approval and one.by != USER)
    if mine := confirmations(run):
        yield mine[0].question
        if mine[1:]:
            yield task_words.more(len(mine) - 1, run.language)
    if words := words_wanted(run):
        yield words
    found = open_graph(run)
    yield from (task.why for task in found.tasks if task.state.active and task.why) if found else ()


def confirmations(run: "Run") -> tuple[Approval, ...]:
    """What tasks ask the user himself to confirm, in the order in which they asked: a "yes" is for
    the first, which is the one that he was shown."""
    asking = [(task, one) for task, one in questions(run) if one.approval and one.by == USER]
    calls = (_as_call(run, task, one) for task, one in asking)
    return tuple(sorted((call.approval for call in calls if call.approval), key=_when))


def asked_at_once(run: "Run") -> int:
    """How many decisions the user reads of at the same time."""
    return 1 if is_one_by_one(run) else len(waiting(run))


def is_one_by_one(run: "Run") -> bool:
    """Whether it is tasks that ask for confirmations; calls of the run's own are all shown at
    once."""
    return not run.waiting and bool(confirmations(run))


def _when(approval: Approval) -> datetime:
    return approval.asked


def waiting(run: "Run") -> tuple[CallState, ...]:
    """The calls that wait for a person, of the run and of its tasks. The id of an approval says in
    which run it is decided."""
    if not run.graphs:
        return run.waiting
    asking = [(task, one) for task, one in questions(run) if one.approval]
    return (*run.waiting, *(_as_call(run, task, one) for task, one in asking))


def _as_call(run: "Run", task: Task, question: Question) -> CallState:
    at = question.asked or task.started or run.last
    approval = Approval(
        id=question.approval,
        call=task.id,
        digest="",
        by=question.by,
        requester=run.user,
        asked=at,
        expires=question.expires or at,
        question=question.text,
    )
    arguments = msgspec.json.encode(question.arguments).decode()
    return CallState(
        key=f"{run.graphs[-1].call}/{task.id}",
        raw=RawCall(id=question.approval, name=question.tool, arguments=arguments),
        stage=Stage.WAITING,
        tool=question.tool,
        arguments=question.arguments,
        approval=approval,
    )


def put_together(run: "Run", at: datetime, calls: tuple[CallState, ...]) -> Changes:
    """The run goes on with what its tasks gave. Other calls of the same reply may be open."""
    going: Changes = {"calls": calls, "status": RunStatus.RUNNING, **_over(run, at)}
    if all(call.stage is Stage.SETTLED for call in calls):
        going["messages"] = run.messages + tuple(map(as_message, calls))
    return going


def given_up(run: "Run", at: datetime) -> tuple[Graph, ...]:
    """The plans of a run that is over: what had no end has got one (case G09)."""
    return tuple(graphs.given_up(one, at) for one in run.graphs)


def _over(run: "Run", at: datetime) -> Changes:
    """A wait for a person is over; the time of a wait for tasks counts as work."""
    if run.paused_at is None:
        return {}
    waited = run.waited + (at - run.paused_at).total_seconds()
    return {"paused_at": None, "waited": waited}


def _accepted(run: "Run", event: ev.PlanAccepted) -> Changes:
    run.call(event.call)
    calls = [
        replace(call, stage=Stage.SPLIT) if call.key == event.call else call for call in run.calls
    ]
    before = graph_of(run)
    if before is None:
        made = graphs.planned(event.nodes, call=event.call)
    else:
        made = graphs.revised(before, event.nodes, call=event.call)
    return {"calls": tuple(calls), "graphs": (*run.graphs, made)}


def _task(run: "Run", event: Any, /, **changes: Any) -> Changes:
    found = run.graphs[-1]
    return {"graphs": (*run.graphs[:-1], graphs.changed(found, event.node, **changes))}


def _before(run: "Run", event: Any) -> Task:
    """The task that the event is about."""
    found = graph_of(run)
    if found is not None and found.call == event.call:
        with suppress(KeyError):
            return found[event.node]
    raise JournalCorrupt(f"run {run.id} has no task {event.node} of call {event.call}")


def _started(run: "Run", event: ev.TaskStarted) -> Changes:
    before = _before(run, event)
    return _task(
        run,
        event,
        state=TaskState.RUNNING,
        run=event.run,
        attempt=event.attempt,
        budget=event.budget,
        started=before.started or event.at,
        questions=(),
        why="",
    )


def _asks(run: "Run", event: ev.TaskAsks) -> Changes:
    before = _before(run, event)
    waits = event.questions or event.notice
    return _task(
        run,
        event,
        budget=None if event.over else before.budget,
        state=TaskState.WAITING if waits else TaskState.RUNNING,
        questions=event.questions,
        why=event.notice,
        spent=before.spent + event.spent,
        deeds=(*before.deeds, *event.deeds),
    )


def _ended(run: "Run", event: ev.TaskEnded) -> Changes:
    before = _before(run, event)
    return _task(
        run,
        event,
        state=TaskState(event.state),
        run=event.run,
        result=event.text,
        why=event.why,
        trusted=event.trusted,
        spent=before.spent + event.spent,
        deeds=(*before.deeds, *event.deeds),
        questions=(),
        ended=event.at,
    )


def _skipped(run: "Run", event: ev.TaskSkipped) -> Changes:
    _before(run, event)
    return _task(
        run, event, state=TaskState.SKIPPED, cause=event.cause, why=event.why, ended=event.at
    )


def _awaited(run: "Run", event: ev.TasksAwaited) -> Changes:
    if event.by == "person":
        paused = run.paused_at or event.at
        return {"status": RunStatus.WAITING, "step": None, "paused_at": paused}
    return {"status": RunStatus.SPLIT, "step": None, **_over(run, event.at)}


CHANGES: dict[type[Any], Callable[["Run", Any], Changes]] = {
    ev.PlanAccepted: _accepted,
    ev.TaskStarted: _started,
    ev.TaskAsks: _asks,
    ev.TaskEnded: _ended,
    ev.TaskSkipped: _skipped,
    ev.TasksAwaited: _awaited,
}
"""What each event changes."""
