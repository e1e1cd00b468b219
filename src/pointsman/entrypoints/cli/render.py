"""A run's events as lines: compactly while it happens, or as the whole story of its journal."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.calls import CallState
from pointsman.domain.messages import Usage, UserMessage
from pointsman.domain.runs import Run, begin, evolve
from pointsman.domain.tools import ToolResult
from pointsman.engine.guards import shown
from pointsman.engine.service import Recorded
from pointsman.entrypoints.cli.terminal import Line, Terminal, one_line, padded
from pointsman.entrypoints.cli.texts import say
from pointsman.ports import RunRecord

SHOWN_ID = 18
"""Digits of a run's id in a list: the time, and 24 bits of chance."""
_LABEL = 9


def call_line(tool: str, arguments: dict[str, Any], limit: int = 160) -> str:
    """A call as one reads it: ``weather(city='成都')``."""
    return one_line(f"{tool}({shown(arguments)})", limit)


def advance(run: Run | None, run_id: str, event: ev.Event) -> Run:
    """The run's state after one more event of its journal."""
    if run is None:
        assert isinstance(event, ev.MessageReceived)
        return begin(run_id, event)
    return evolve(run, event)


def outcome(result: ToolResult, ms: float, language: Language) -> Line:
    """``✓ 120 ms``, or ``✗`` and why."""
    if result.ok:
        return Line(f"✓ {ms:.0f} ms", "green")
    why = one_line(result.content.removeprefix("ERROR: "))
    return Line(f"✗ {say(f'result.{result.status.value}', language)}: {why}", "red")


def rejection(event: ev.CallRejected, language: Language) -> Line:
    """Why a proposed call did not run."""
    reason = say(f"rejected.{event.kind}", language)
    details = ", ".join(event.missing) or one_line(event.content.removeprefix("ERROR: "))
    return Line(f"✗ {reason}: {details}", "yellow")


def tokens(usage: Usage, language: Language) -> str:
    """How many tokens, in words."""
    return say("tokens", language, **msgspec.structs.asdict(usage))


def print_runs(records: Sequence[RunRecord], terminal: Terminal) -> None:
    """A table of runs. Ids are cut to what is unique in practice; every command takes them."""
    heads = ["id", "created", "status", "agent", "user", "input"]
    rows = [
        [
            record.id[:SHOWN_ID],
            local(record.created),
            say(f"status.{record.status.value}", terminal.language),
            record.agent,
            record.user,
            one_line(record.input, 100),
        ]
        for record in records
    ]
    terminal.table(heads, rows)


def local(instant: datetime) -> str:
    """The instant in the machine's zone, to the second."""
    return instant.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def story(run_id: str, trace: Iterable[Recorded], language: Language) -> Iterator[Line]:
    """The journal as a story, a line or more for each event, with seconds since the first.

    Raises:
        JournalCorrupt: the events cannot follow one another.
    """
    run: Run | None = None
    for recorded in trace:
        event = recorded.event
        run = advance(run, run_id, event)
        passed = f"{_seconds(run.created, event.at):9.3f}  "
        for label, line in _told(event, run, language):
            yield Line(f"{passed}{padded(label, _LABEL)}{line.text}", line.style)
            passed = " " * len(passed)


def _seconds(start: datetime, at: datetime) -> float:
    return (at - start).total_seconds()


def _told(event: ev.Event, run: Run, language: Language) -> Iterator[tuple[str, Line]]:
    """Label and line for each thing that an event says."""

    def our(key: str, style: str = "", **values: object) -> Line:
        return Line(say(f"story.{key}", language, **values), style)

    match event:
        case ev.MessageReceived():
            words = [m.text for m in event.messages if isinstance(m, UserMessage)]
            yield event.user, Line(one_line(" / ".join(words), 1000), "bold")
        case ev.RunStarted():
            yield "", our("started", "dim", model=event.model)
        case ev.RunResumed():
            yield "", our("resumed", "yellow", reason=event.reason)
        case ev.ModelAsked():
            yield _turn(event.turn), our("asked", "dim", count=len(event.tools))
        case ev.ModelAnswered():
            yield from _answered(event, language)
        case ev.ModelFailed():
            failed = f"✗ {event.error}: {one_line(event.detail, 400)}"
            yield _turn(event.turn), Line(failed, "red")
        case ev.ReplyGiven():
            for text in event.text.splitlines() or [""]:
                yield say(f"story.{event.kind}", language), Line(text, "bold")
        case ev.RunFailed():
            yield "", our("failed", "red", reason=event.reason, detail=event.detail or "-")
            yield say("story.answer", language), Line(event.text, "bold")
        case ev.RunCancelled():
            yield "", our("cancelled", "yellow", by=event.by, reason=event.reason or "-")
        case _:
            for line in _call_told(event, run.call(event.call), language):
                yield event.call, line


def _turn(number: int) -> str:
    return f"#{number}"


def _answered(event: ev.ModelAnswered, language: Language) -> Iterator[tuple[str, Line]]:
    calls = (*event.message.calls, *event.cut)
    answered = say(
        "story.answered",
        language,
        model=event.model,
        ms=f"{event.ms:.0f}",
        tokens=tokens(event.usage or Usage(), language),
        stop=event.stop.value,
    )
    yield _turn(event.turn), Line(answered, "dim")
    if calls and event.message.text:
        yield "", Line(one_line(event.message.text, 400))
    for call in calls:
        yield "", Line(f"→ {one_line(f'{call.name} {call.arguments}', 400)}")


_CallEvent = (
    ev.CallValidated
    | ev.CallRejected
    | ev.CallCleared
    | ev.ApprovalAsked
    | ev.ApprovalDecided
    | ev.CallRefused
    | ev.AttemptStarted
    | ev.AttemptFinished
)


def _call_told(event: _CallEvent, call: CallState, language: Language) -> Iterator[Line]:
    def our(key: str, style: str = "", **values: object) -> Line:
        return Line(say(f"story.{key}", language, **values), style)

    match event:
        case ev.CallValidated():
            yield our("valid", call=call_line(event.tool, event.arguments, 400), risk=event.risk)
            for note in event.notes:
                yield our("note", "dim", note=one_line(note, 400))
        case ev.CallRejected():
            yield rejection(event, language)
        case ev.CallCleared():
            yield our("cleared", "dim", rule=event.rule)
        case ev.ApprovalAsked():
            yield our("approval", "yellow", by=event.by, id=event.approval, rule=event.rule)
            yield Line(one_line(event.question, 400), "yellow")
        case ev.ApprovalDecided():
            reason = f": {event.reason}" if event.reason else ""
            decision = say(f"decision.{event.decision}", language)
            yield our("decided", "yellow", decision=decision, by=event.by, reason=reason)
        case ev.CallRefused():
            yield Line(f"✗ {one_line(event.content, 400)}", "red")
        case ev.AttemptStarted():
            yield our("attempt", "dim", number=event.attempt, tool=call.tool)
        case ev.AttemptFinished():
            yield outcome(event.result, event.ms, language)
            if event.retry_in is not None:
                yield our("retry", "yellow", seconds=f"{event.retry_in:.1f}")
            elif event.result.ok:
                yield Line(one_line(event.result.content, 400))
