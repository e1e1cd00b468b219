"""The run of a task: its id, what it is told, and what it may use of the request's limits.

Everything follows from the request's journal: a worker that does it again makes the same runs, so
that none is made twice.
"""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain import sources
from pointsman.domain.agent import Limits
from pointsman.domain.graph import Graph, Task, TaskState
from pointsman.domain.messages import Message, UserMessage
from pointsman.domain.runs import Run
from pointsman.domain.sources import Result
from pointsman.domain.tasks import run_tasks, task_words
from pointsman.domain.tasks.task import Budget, Given, TaskOf
from pointsman.domain.text import cut_middle
from pointsman.engine import sourcing
from pointsman.engine.context import mend
from pointsman.engine.registry import Registry

KEPT_TURNS = 2
"""Of a request's turns, for its own reply."""
_LEAST_TURNS = 2
"""Of a task: one for a call, one for its reply. Fewer tasks start together where all would get
less."""
KEPT_SHARE = 0.1
"""Of its tokens and seconds, likewise; never more than so many seconds."""
KEPT_SECONDS = 30.0
_GIVEN_SHARE = 0.5
"""Of what the model reads of a conversation, for the results that a task is given."""
_DESC = 500
_LEFT_OUT = " … {left_out} … "
_KNOWN = 20_000
"""Characters of what the request knew before that a task's values may come from."""


def run_of(request: str, version: int, node: str, attempt: int) -> str:
    """The id of a task's run. It sorts with the request's own, and by attempts."""
    return _id(request, f"{version}/{node}", attempt)


def conversation_of(request: str, version: int, node: str) -> str:
    """The id of a task's conversation."""
    return _id(request, f"{version}/{node}/conversation", 0)


def _id(request: str, what: str, number: int) -> str:
    """As an id of version 7 (hex): the request's time, what depends on both, the number."""
    told = sha256(f"{request}/{what}".encode()).hexdigest()
    variant = "89ab"[int(told[0], 16) % 4]
    return f"{request[:12]}7{told[1:4]}{variant}{told[4:16]}{number:03x}"


def budgets(run: Run, limits: Limits, now: datetime, count: int) -> list[Budget]:
    """What each of so many tasks may use that start together; fewer when it is not enough for all.

    The request and all of its tasks share its limits: what is not used comes back when a task ends.
    """
    used = run_tasks.spent(run)
    found = run_tasks.graph_of(run)
    lent = [task.budget for task in found.active if task.budget] if found else []
    turns = limits.turns - used.turns - KEPT_TURNS - sum(one.turns for one in lent)
    calls = limits.calls - used.calls - sum(one.calls for one in lent)
    tokens = limits.tokens - used.tokens - sum(one.tokens for one in lent)
    seconds = limits.seconds - worked(run, now)
    count = min(count, max(turns // _LEAST_TURNS, min(turns, 1)))
    if calls > 0:
        count = min(count, calls)
    if count <= 0 or seconds <= 0 or tokens <= 0:
        return []
    return [
        Budget(
            turns=turns // count,
            calls=max(calls // count, 0),
            tokens=int(tokens * (1 - KEPT_SHARE)) // count,
            seconds=seconds - min(KEPT_SHARE * seconds, KEPT_SECONDS),
        )
    ] * count


def worked(run: Run, now: datetime) -> float:
    """Seconds that the run has worked, waits for people not counted."""
    until = run.paused_at or now
    return (until - (run.started or run.created)).total_seconds() - run.waited


def first_event(
    run: Run,
    graph: Graph,
    task: Task,
    budget: Budget,
    *,
    past: Sequence[Message],
    registry: Registry,
    now: datetime,
    limits: Limits,
) -> ev.MessageReceived:
    """What the run of a task begins with.

    Args:
        past: what the request's conversation held before it.
        limits: those of the agent.
    """
    given = _all_given([graph[base] for base in task.node.base], limits)
    return ev.MessageReceived(
        at=now,
        agent=run.agent,
        user=run.user,
        conversation=conversation_of(run.id, graph.version, task.id),
        language=run.language,
        messages=task_words.opening(task.node.desc, given),
        params=run.params,
        origin=f"task:{run.id}/{task.id}",
        task=TaskOf(
            run=run.id,
            conversation=run.conversation,
            call=graph.call,
            version=graph.version,
            node=task.id,
            attempt=1,
            depth=run.task.depth + 1 if run.task else 1,
            origin=run_tasks.origin(run),
            request=run.task.request if run.task else run.input,
            budget=budget,
            said=_said(run, past),
            known=_known(run, registry),
            given=given,
            reminder=run_tasks.reminder_of(run),
        ),
    )


def next_event(before: Run, text: str, budget: Budget, now: datetime) -> ev.MessageReceived:
    """What the next run of a task begins with, whose last one ended with a question: the person's
    words."""
    assert before.task is not None
    return ev.MessageReceived(
        at=now,
        agent=before.agent,
        user=before.user,
        conversation=before.conversation,
        language=before.language,
        messages=(UserMessage(text=text),),
        params=before.params,
        origin=before.origin,
        task=replace(before.task, attempt=before.task.attempt + 1, budget=budget),
    )


def _all_given(bases: Sequence[Task], limits: Limits) -> tuple[Given, ...]:
    """The results, cut so that all of them fit whole into what the task's model reads."""
    sizes = [min(len(_text(base)), limits.result_chars) for base in bases]
    longest = _fitting(sizes, int(limits.history_chars * _GIVEN_SHARE))
    return tuple(_given(base, min(longest, limits.result_chars)) for base in bases)


def _fitting(sizes: Sequence[int], room: int) -> int:
    """The greatest size to which all can be cut so that they fit together; those that are smaller
    leave their room to the others."""
    for place, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - place)
        if size > share:
            return share
        room -= size
    return max(sizes, default=0)


def _given(base: Task, limit: int) -> Given:
    return Given(
        task=base.id,
        desc=cut_middle(base.node.desc, _DESC, _LEFT_OUT),
        text=cut_middle(_text(base), limit, _LEFT_OUT),
        done=base.state is TaskState.DONE,
        trusted=base.trusted,
    )


def _text(base: Task) -> str:
    return base.result if base.state is TaskState.DONE else base.why


def _said(run: Run, past: Sequence[Message]) -> tuple[sources.Message, ...]:
    """The person's words, numbered so that they cannot be taken for messages of the task's own
    conversation."""
    said = sourcing.said_in(run, mend((*past, *run.history)))
    return tuple(replace(one, index=-2 - place) for place, one in enumerate(said))


def _known(run: Run, registry: Registry) -> tuple[Result, ...]:
    """What the request's calls gave so far, the latest first, as far as it is not too much."""
    known: list[Result] = []
    left = _KNOWN
    for one in (*sourcing.results_of(run, registry), *sourcing.handed_down(run)):
        left -= len(one.content or str(one.data))
        if left < 0:
            break
        known.append(one)
    return tuple(known)
