"""A run's events as a story that people read: a line or more for each event, in Chinese or English.

The command line and the console dress the lines; what they say is here.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, assert_never

import msgspec
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.calls import CallEvent, CallState, shown
from pointsman.domain.messages import Usage, UserMessage
from pointsman.domain.record.words import say
from pointsman.domain.runs import Run, begin, evolve
from pointsman.domain.text import one_line
from pointsman.domain.tools import RawCall, ToolResult

Tone = Literal["plain", "quiet", "strong", "good", "bad", "notice"]


class Phrase(Struct, frozen=True):
    """Some words, and how they are meant."""

    text: str
    tone: Tone = "plain"


class Told(Struct, frozen=True, kw_only=True):
    """A line of the story.

    Attributes:
        passed: seconds since the run's first event; None on the further lines of an event.
        label: who or what: the user, a turn (``#1``), a call (``1.0``), or empty.
    """

    passed: float | None
    label: str
    phrase: Phrase


def route_word(event: ev.RouteChosen) -> str:
    """Names the words of a route: one that asks for no pick tells of a yes that decides nothing."""
    return (
        "route_unclear" if event.kind == "ask" and not event.candidates else f"route_{event.kind}"
    )


def call_line(tool: str, arguments: dict[str, Any], limit: int = 160) -> str:
    """A call as one reads it: ``weather(city='成都')``."""
    return one_line(f"{tool}({shown(arguments)})", limit)


def advance(run: Run | None, run_id: str, event: ev.Event) -> Run:
    """The run's state after one more event of its journal."""
    if run is None:
        assert isinstance(event, ev.MessageReceived)
        return begin(run_id, event)
    return evolve(run, event)


def story(run_id: str, events: Iterable[ev.Event], language: Language) -> Iterator[Told]:
    """The journal as a story.

    Raises:
        JournalCorrupt: the events cannot follow one another.
    """
    run: Run | None = None
    for event in events:
        run = advance(run, run_id, event)
        passed: float | None = (event.at - run.created).total_seconds()
        for label, phrase in _told(event, run, language):
            yield Told(passed=passed, label=label, phrase=phrase)
            passed = None


def outcome(result: ToolResult, ms: float, language: Language) -> Phrase:
    """``✓ 120 ms``, or ``✗`` and why."""
    if result.ok:
        return Phrase(f"✓ {ms:.0f} ms", "good")
    why = one_line(result.content.removeprefix("ERROR: "))
    return Phrase(f"✗ {say(f'result.{result.status.value}', language)}: {why}", "bad")


def rejection(event: ev.CallRejected, language: Language) -> Phrase:
    """Why a proposed call did not run."""
    reason = say(f"rejected.{event.kind}", language)
    details = ", ".join(event.missing) or one_line(event.content.removeprefix("ERROR: "))
    return Phrase(f"✗ {reason}: {details}", "notice")


def tokens(usage: Usage, language: Language) -> str:
    """How many tokens, in words."""
    return say("tokens", language, **msgspec.structs.asdict(usage))


def _told(event: ev.Event, run: Run, language: Language) -> Iterator[tuple[str, Phrase]]:
    """Label and line for each thing that an event says."""

    def our(key: str, tone: Tone = "plain", **values: object) -> Phrase:
        return Phrase(say(f"story.{key}", language, **values), tone)

    match event:
        case ev.MessageReceived():
            words = [m.text for m in event.messages if isinstance(m, UserMessage)]
            yield event.user, Phrase(one_line(" / ".join(words), 1000), "strong")
        case ev.RunStarted():
            yield "", our("started", "quiet", model=event.model)
        case ev.RunResumed():
            yield "", our("resumed", "notice", reason=event.reason)
        case ev.RunReleased():
            yield "", our("released", "quiet", reason=event.reason)
        case ev.RunParked():
            yield "", our("parked", "bad", deaths=event.deaths, step=event.step)
        case ev.RunUnparked():
            yield "", our("unparked", "notice", by=event.by, reason=_after(event.reason))
        case ev.IntentClassified():
            scores = ", ".join(f"{name} {score:.2f}" for name, score in event.scores.items())
            yield "", our("classified", "quiet", by=event.by, scores=scores or "-")
        case ev.RouteChosen():
            named = ", ".join((*event.intents, *event.candidates)) or "-"
            tools = ", ".join(event.tools) or "-"
            way = route_word(event)
            yield "", our(way, intents=named, tools=tools, why=event.why or "-")
        case ev.ReplyChecked():
            yield "", our(f"checked_{event.action}", "notice", faults="; ".join(event.faults))
        case ev.ModelAsked():
            yield _turn(event.turn), our("asked", "quiet", count=len(event.tools))
        case ev.ModelAnswered():
            yield from _answered(event, language)
        case ev.ModelFailed():
            failed = f"✗ {event.error}: {one_line(event.detail, 400)}"
            yield _turn(event.turn), Phrase(failed, "bad")
        case ev.DecisionRefused():
            vain = our("vain", "notice", by=event.by, wanted=event.wanted, kind=event.kind)
            yield event.call, vain
        case ev.ReplyGiven():
            if event.by:
                yield "", our("taken_over", "notice", by=event.by)
            label = say(f"story.{event.kind}", language)
            for number, text in enumerate(event.text.splitlines() or [""]):
                yield "" if number else label, Phrase(text, "strong")
        case ev.RunFailed():
            yield "", our("failed", "bad", reason=event.reason, detail=event.detail or "-")
            yield say("story.answer", language), Phrase(event.text, "strong")
        case ev.RunCancelled():
            yield "", our("cancelled", "notice", by=event.by, reason=event.reason or "-")
        case ev.CallsProposed():
            yield "", our("proposed", by=event.by)
            yield from _proposals(event.message.calls)
        case _ if isinstance(event, ev.TaskEvent):
            for line in task_told(event, language):
                yield event.call, line
        case _:
            for line in _call_told(event, run.call(event.call), language):
                yield event.call, line


def task_told(event: ev.TaskEvent, language: Language) -> Iterator[Phrase]:
    """A line or more for something that happened to the tasks of a run."""

    def our(key: str, tone: Tone = "plain", **values: object) -> Phrase:
        return Phrase(say(f"story.{key}", language, **values), tone)

    match event:
        case ev.PlanAccepted():
            yield our("plan", count=len(event.nodes), version=event.version)
            for node in event.nodes:
                base = f" ← {', '.join(node.base)}" if node.base else ""
                yield our("planned", task=node.id, desc=one_line(node.desc), base=base)
        case ev.TaskStarted():
            yield our("task_started", "quiet", task=event.node, run=event.run)
        case ev.TaskAsks():
            asked = [one_line(one.text, 400) for one in event.questions]
            if event.notice:
                asked.append(one_line(event.notice, 400))
            for text in asked:
                yield our("task_asks", "notice", task=event.node, text=text)
            if not asked:
                yield our("task_goes_on", "quiet", task=event.node)
        case ev.TaskEnded():
            tone: Tone = "good" if event.state == "done" else "bad"
            text = one_line(event.text or event.why or "-", 400)
            yield our(f"task_{event.state}", tone, task=event.node, text=text)
        case ev.TaskSkipped():
            yield our("task_skipped", "notice", task=event.node, text=event.why)
        case ev.TasksAwaited():
            yield our(f"await_{event.by}", "quiet")
        case _:
            assert_never(event)


def _proposals(calls: Iterable[RawCall]) -> Iterator[tuple[str, Phrase]]:
    for call in calls:
        yield "", Phrase(f"→ {one_line(f'{call.name} {call.arguments}', 400)}")


def _after(reason: str) -> str:
    return f": {reason}" if reason else ""


def _turn(number: int) -> str:
    return f"#{number}"


def _answered(event: ev.ModelAnswered, language: Language) -> Iterator[tuple[str, Phrase]]:
    calls = (*event.message.calls, *event.cut)
    answered = say(
        "story.answered",
        language,
        model=event.model,
        ms=f"{event.ms:.0f}",
        tokens=tokens(event.usage or Usage(), language),
        stop=event.stop.value,
    )
    yield _turn(event.turn), Phrase(answered, "quiet")
    if calls and event.message.text:
        yield "", Phrase(one_line(event.message.text, 400))
    yield from _proposals(calls)


def _call_told(event: CallEvent, call: CallState, language: Language) -> Iterator[Phrase]:
    def our(key: str, tone: Tone = "plain", **values: object) -> Phrase:
        return Phrase(say(f"story.{key}", language, **values), tone)

    match event:
        case ev.CallValidated():
            yield our(
                "valid",
                call=call_line(event.tool, event.arguments, 400),
                risk=say(f"risk.{event.risk.value}", language),
            )
            for note in event.notes:
                yield our("note", "quiet", note=one_line(note, 400))
        case ev.CallRejected():
            yield rejection(event, language)
        case ev.CallCleared():
            yield our("cleared", "quiet", rule=event.rule)
        case ev.ApprovalAsked():
            yield our("approval", "notice", by=event.by, id=event.approval, rule=event.rule)
            yield Phrase(one_line(event.question, 400), "notice")
        case ev.ApprovalDecided():
            reason = _after(event.reason)
            decision = say(f"decision.{event.decision}", language)
            yield our("decided", "notice", decision=decision, by=event.by, reason=reason)
        case ev.ApprovalEdited():
            yield our(
                "edited",
                "notice",
                by=event.editor,
                changed=", ".join(event.changed),
                call=call_line(call.tool, event.arguments, 400),
                role=event.by,
                id=event.replacement,
            )
        case ev.ResultGiven():
            content = one_line(event.result.content, 400)
            yield our("given", "notice", by=event.by, content=content)
        case ev.CallRefused():
            yield Phrase(f"✗ {one_line(event.content, 400)}", "bad")
        case ev.AttemptStarted():
            yield our("attempt", "quiet", number=event.attempt, tool=call.tool)
        case ev.AttemptChecked():
            answer = say(f"happened.{event.answer}", language)
            detail = _after(one_line(event.detail, 400))
            yield our("checked", "notice", number=event.attempt, answer=answer, detail=detail)
        case ev.AttemptFinished():
            yield outcome(event.result, event.ms, language)
            if event.retry_in is not None:
                yield our("retry", "notice", seconds=f"{event.retry_in:.1f}")
            elif event.result.ok:
                yield Phrase(one_line(event.result.content, 400))
