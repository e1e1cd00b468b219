"""What became of a task, read from its run: done, or why not, or what it asks of a person.

A run that ended with a reply is not yet a task that is done: when a call came to nothing and no
later one made good for it, the task has failed, whatever the reply says (case G08). So it has when
the reply told of a deed that no call did, or when nothing was called and the reply says itself that
it was not done.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pointsman.domain import events as ev
from pointsman.domain.calls import CallState
from pointsman.domain.graph import Task
from pointsman.domain.pending import Pending
from pointsman.domain.replies.reply_facts import acts_of
from pointsman.domain.routing import NEVER_MIND
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import revisions, run_tasks, task_acts, task_replies, task_words
from pointsman.domain.tasks.task import Deed, Question, Spent
from pointsman.domain.tools import ResultStatus, Risk
from pointsman.engine.registry import Registry

_CONTENT = 500
_ARGUMENTS = 4000
"""Characters of a call that the request's journal keeps."""


def news(
    task: Task,
    run: Run,
    registry: Registry,
    *,
    call: str,
    at: datetime,
    wanted: Pending | None = None,
) -> ev.TaskEnded | ev.TaskAsks | None:
    """What its run tells of a task that was going on; None when it is nothing new.

    Args:
        call: key of the call that brought the plan.
        wanted: the question of the run before, which this one was to answer.
    """
    if run.status.ended and not _is_question(task, run):
        return _ended(task, run, registry, wanted, call=call, at=at)
    questions, notice = _asks(run)
    if questions == task.questions and notice == task.why:
        return None
    over = run.status.ended
    return ev.TaskAsks(
        at=at,
        call=call,
        node=task.id,
        run=run.id,
        questions=questions,
        notice=notice,
        over=over,
        spent=run_tasks.spent(run) if over else Spent(),
        deeds=tuple(deeds(run, registry)) if over else (),
        hidden=hidden(run, registry),
    )


def gone(task: Task, run: Run, *, call: str, at: datetime) -> ev.TaskEnded:
    """That the run of a task of this request is not there any more."""
    why = task_words.gone(run.language)
    return ev.TaskEnded(at=at, call=call, node=task.id, run=task.run, state="failed", why=why)


def given_up(task: Task, run: Run, *, call: str, at: datetime) -> ev.TaskEnded:
    """That a task was stopped, with nothing that is not told yet of what it spent and did.

    Args:
        run: of the user who reads it.
    """
    why = task_words.cancelled(run.language)
    return ev.TaskEnded(at=at, call=call, node=task.id, run=task.run, state="cancelled", why=why)


def _asks(run: Run) -> tuple[tuple[Question, ...], str]:
    """What the run asks of people; or what they should know of it."""
    match run.status:
        case RunStatus.DONE:
            return (Question(text=run.reply),), ""
        case RunStatus.WAITING:
            own = tuple(_question(call) for call in run.waiting)
            return (*own, *(question for _, question in run_tasks.questions(run))), ""
        case RunStatus.PARKED:
            return (), run.notice
        case _:
            return (), ""


def _question(call: CallState) -> Question:
    assert call.approval is not None
    return Question(
        text=call.approval.question,
        approval=call.approval.id,
        by=call.approval.by,
        tool=call.tool,
        arguments=call.arguments,
        expires=call.approval.expires,
        asked=call.approval.asked,
    )


def _is_question(task: Task, run: Run) -> bool:
    """Whether the run ended with a question, the engine's or its model's own. Nobody is there to
    answer the model of a reminder's."""
    if run.kind == "answer" and not run.replied_by and not _has_done(run):
        attended = run_tasks.reminder_of(run) is None
        return attended and task_replies.is_question(run.reply, task.node.desc)
    return run.kind == "question"


def _ended(
    task: Task, run: Run, registry: Registry, wanted: Pending | None, *, call: str, at: datetime
) -> ev.TaskEnded:
    lacks = _came_to_nothing(run, registry) or _has_dropped(run, wanted, registry)
    done = run.status is RunStatus.DONE and not (lacks or _has_boasted(run) or _says_undone(run))
    return ev.TaskEnded(
        at=at,
        call=call,
        node=task.id,
        run=run.id,
        state="done" if done else _state(run),
        text=run.reply if done else "",
        why="" if done else _why(run, lacks),
        trusted=_is_trusted(run, registry),
        spent=run_tasks.spent(run),
        deeds=tuple(deeds(run, registry)),
        hidden=hidden(run, registry),
    )


def _why(run: Run, lacks: bool) -> str:
    """Why it came to nothing. The run's last words tell it, unless all that they know is calls that
    succeeded."""
    if _is_unwanted(run):
        return task_words.unwanted(run.language)
    return task_words.boasted(run.language) if _has_boasted(run) and not lacks else run.reply


def _state(run: Run) -> Any:
    stopped = run.status is RunStatus.CANCELLED or _is_unwanted(run)
    return "cancelled" if stopped else "failed"


def _is_unwanted(run: Run) -> bool:
    """Whether the person answered the task's question with "never mind"."""
    return run.route is not None and run.route.why == NEVER_MIND


def _has_dropped(run: Run, wanted: Pending | None, registry: Registry) -> bool:
    """Whether the call that the person was asked about was not made, nor one in its place: he spoke
    of something else, or wants it no more."""
    if wanted is None or wanted.kind != "fill":
        return False
    spec = registry.spec(wanted.tool)
    looks = spec is None or spec.risk is Risk.READ
    done = [one for one in (*run.past, *run.calls) if one.result is not None and one.result.ok]
    return not any(looks or one.risk is not Risk.READ for one in done)


def _came_to_nothing(run: Run, registry: Registry) -> bool:
    """Whether something that the run called for was not done."""
    if run.graphs and run.graphs[-1].overall != "done":
        return True
    if not all(task.satisfied for _, task in revisions.left_behind(run.graphs)):
        return True
    specs, tasks = registry.named, task_acts.specs(run)
    calls = [call for call in task_acts.told(run) if call.tool not in tasks]
    return any(act.owed for act in acts_of(calls, specs))


def _has_done(run: Run) -> bool:
    """Whether any of its calls, or of its own tasks, came to something."""
    return any(call.result is not None and call.result.ok for call in (*run.past, *run.calls))


def _says_undone(run: Run) -> bool:
    """Whether the model says that it did not do it. What is not done of the tasks before it may
    stand in its reply too."""
    told = run.task is None or all(one.done for one in run.task.given)
    own = told and not run.replied_by and not _has_done(run)
    return own and task_replies.says_undone(run.reply)


def _has_boasted(run: Run) -> bool:
    """Whether the engine had to speak in the place of a model that told, to the last, of what no
    call did, or gave."""
    last = run.checks[-1] if run.checks else None
    if last is None or last.action != "fall_back":
        return False
    claims = ("claimed_action", "claimed_success")
    return not _has_done(run) or any(one.startswith(claims) for one in last.faults)


def _is_trusted(run: Run, registry: Registry) -> bool:
    """Whether all that the run has read is our own or the user's."""
    told = run.task is None or run.task.trusted
    tasks = all(task.trusted for graph in run.graphs for task in graph.tasks)
    return told and tasks and all(_is_own(call, registry) for call in (*run.past, *run.calls))


def _is_own(call: CallState, registry: Registry) -> bool:
    """Whether a call has brought nothing that others wrote."""
    if call.result is None or call.result.untrusted:
        return call.result is None
    if not call.attempts:  # the engine's own words
        return True
    spec = registry.spec(call.tool)
    return spec is not None and spec.trusted


def deeds(run: Run, registry: Registry) -> Iterator[Deed]:
    """The calls of the run and of its own tasks that changed something, or may have."""
    for call in (*run.past, *run.calls):
        changed = call.result is not None and call.result.ok and call.risk is not Risk.READ
        if changed or call.uncertain:
            yield Deed(
                tool=call.tool,
                risk=call.risk,
                status=call.result.status if call.result else ResultStatus.UNCERTAIN,
                content=call.result.content[:_CONTENT] if call.result else "",
                arguments=_shown(call, registry),
            )
    for task in run_tasks.begun(run):
        yield from task.deeds


def _shown(call: CallState, registry: Registry) -> dict[str, Any]:
    """The arguments without private ones; none when they are long."""
    spec = registry.spec(call.tool)
    if spec is None:
        return {}
    shown = {name: value for name, value in call.arguments.items() if name not in spec.private}
    return shown if len(json.dumps(shown, ensure_ascii=False)) <= _ARGUMENTS else {}


def hidden(run: Run, registry: Registry) -> tuple[str, ...]:
    """The private values of the run's calls, which stand in what people read of them."""
    found: dict[str, None] = {}
    for call in (*run.past, *run.calls):
        spec = registry.spec(call.tool)
        for name in spec.private if spec else ():
            value = call.arguments.get(name)
            if value not in (None, ""):
                found[str(value) if isinstance(value, str | int | float) else json.dumps(value)] = (
                    None
                )
    return tuple(found)
