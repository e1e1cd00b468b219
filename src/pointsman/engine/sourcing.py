"""ValidCall → the event that it is valid, with the source of every argument; or the question for
what nobody gave (B1). The rules are ``domain.sources``'."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from pointsman.domain import questions, sources
from pointsman.domain.events import CallRejected, CallValidated
from pointsman.domain.graph import Graph, TaskState
from pointsman.domain.messages import AssistantMessage, Message, ToolMessage, UserMessage
from pointsman.domain.runs import Run
from pointsman.domain.sources import Evidence, Result, Source
from pointsman.domain.tasks.task_words import RESULT
from pointsman.domain.tools import Risk, ValidCall
from pointsman.engine.driving import Driving
from pointsman.engine.registry import Registry


def sourced(valid: ValidCall, driving: Driving, at: datetime) -> CallValidated | CallRejected:
    """The call with its sources, or why it waits."""
    run, spec = driving.journal.run, valid.spec
    found = sources.find(valid.arguments, spec, evidence(driving))
    verdict = sources.judge(spec, found, valid.arguments)
    if verdict.ok:
        return _validated(valid, found, _taint(valid, verdict.tainted, run), at)
    missing = tuple(dict.fromkeys(name.split(".")[0] for name in verdict.unsourced))
    if missing:
        question = questions.ask_for(missing, spec.parameters, run.language)
        return _waits(valid, missing, question, "nobody gave these values", at)
    if verdict.ambiguous:
        name, readings = next(iter(verdict.ambiguous.items()))
        question = questions.ask_which(name, readings, spec.parameters, run.language)
        return _waits(valid, (name.split(".")[0],), question, "it can be read in two ways", at)
    wrong = "; ".join(f"{name}: {what}" for name, what in verdict.invalid.items())
    return CallRejected(
        at=at,
        call=valid.key,
        tool=spec.name,
        kind="invalid",
        content=f"ERROR: {wrong}",
        private=spec.private,
    )


def _taint(valid: ValidCall, tainted: tuple[str, ...], run: Run) -> tuple[str, ...]:
    """What is tainted in the call. A result that only repeats the words of an equal call before
    does not taint them."""
    for call in (*run.past, *run.calls):
        if call.rule and call.tool == valid.spec.name and call.arguments == valid.arguments:
            return call.tainted
    return tainted


def _waits(
    valid: ValidCall, missing: tuple[str, ...], question: str, why: str, at: datetime
) -> CallRejected:
    names = ", ".join(missing)
    return CallRejected(
        at=at,
        call=valid.key,
        tool=valid.spec.name,
        kind="unsourced",
        content=f"NOT RUN: {why}: {names}. The user is asked; do not guess.",
        missing=missing,
        question=question,
        arguments={name: v for name, v in valid.arguments.items() if name not in missing},
        private=valid.spec.private,
    )


def _validated(
    valid: ValidCall,
    found: dict[str, Source | None],
    tainted: tuple[str, ...],
    at: datetime,
) -> CallValidated:
    spec = valid.spec
    return CallValidated(
        at=at,
        call=valid.key,
        tool=spec.name,
        source=spec.source,
        original=spec.original,
        digest=spec.digest,
        risk=spec.risk,
        repeatable=spec.repeatable,
        arguments=valid.arguments,
        notes=valid.notes,
        sources={name: source for name, source in found.items() if source is not None},
        tainted=tainted,
        private=spec.private,
    )


def evidence(driving: Driving) -> Evidence:
    """All that a value of this run can come from."""
    run, registry = driving.journal.run, driving.live.registry
    earlier = driving.prefix[1:]
    return Evidence(
        messages=said_in(run, earlier)[::-1],
        results=(
            *results_of(run, registry),
            *handed_down(run),
            *_results_in(earlier, registry),
        ),
        now=driving.now,
    )


def said_in(run: Run, earlier: Sequence[Message]) -> tuple[sources.Message, ...]:
    """What the person has said, oldest first: for a task before all in the request's conversation.

    Args:
        earlier: the messages before those of the run.
    """
    said = _said((*earlier, *run.messages))
    return (*run.task.said, *said) if run.task else said


def handed_down(run: Run) -> Iterator[Result]:
    """What a task was given, and what its request knew before."""
    if run.task is None:
        return
    for one in run.task.given:
        if one.done:
            yield Result(
                call=f"task {one.task}", tool=RESULT, content=one.text, trusted=one.trusted
            )
    yield from run.task.known


def _said(messages: Sequence[Message]) -> tuple[sources.Message, ...]:
    said: list[sources.Message] = []
    asked = ""
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            asked = message.text
        elif isinstance(message, UserMessage) and message.own:
            said.append(sources.Message(index=index, text=message.text, asked=asked))
    return tuple(said)


def results_of(run: Run, registry: Registry) -> Iterator[Result]:
    """What this run's calls gave, the latest first; of one that was split, what each task did."""
    plans = {graph.call: graph for graph in run.graphs}
    for call in reversed((*run.past, *run.calls)):
        if call.key in plans:
            yield from _results_of_tasks(plans[call.key], call.tool)
            continue
        if call.result is None or not call.result.ok:
            continue
        # The arguments of a call that changed something had sources of their own. Those of one that
        # only read may be invented, and are no source.
        if call.risk is not Risk.READ and not call.tainted:
            yield Result(call=call.key, tool=call.tool, data=call.arguments, trusted=True)
        if call.result.content:
            yield Result(
                call=call.key,
                tool=call.tool,
                content=call.result.content,
                data=call.result.data,
                trusted=_trusted(call.tool, registry) and not call.result.untrusted,
            )


def _results_of_tasks(graph: Graph, tool: str) -> Iterator[Result]:
    for task in graph.having(TaskState.DONE):
        key = f"{graph.call}/{task.id}"
        yield Result(call=key, tool=tool, content=task.result, trusted=task.trusted)


def _results_in(messages: Sequence[Message], registry: Registry) -> Iterator[Result]:
    """What earlier runs' calls gave, the latest first."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, ToolMessage):
            yield Result(
                call=f"earlier {index}",
                tool=message.name,
                content=message.content,
                trusted=_trusted(message.name, registry) and not message.untrusted,
            )


def _trusted(tool: str, registry: Registry) -> bool:
    spec = registry.spec(tool)
    return spec is not None and spec.trusted
