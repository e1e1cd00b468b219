"""Why each call of a run ran or did not, in sentences, from the run's events alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain.agent import Language
from pointsman.domain.calls import CallEvent, CallState, Stage, shown
from pointsman.domain.messages import UserMessage
from pointsman.domain.record.story import call_line, route_word, task_told
from pointsman.domain.record.words import say
from pointsman.domain.runs import Run, fold
from pointsman.domain.text import one_line
from pointsman.domain.tools import ResultStatus

_LONG = 400
_NEVER_RAN = (ResultStatus.REJECTED, ResultStatus.REFUSED, ResultStatus.CANCELLED)


class CallExplained(Struct, frozen=True, kw_only=True):
    """One call: what became of it, in a word, and why, in sentences.

    Attributes:
        verdict: ``ran``, ``failed``, ``uncertain``, ``by_hand``, ``not_run``, ``waiting`` or
            ``open_call``.
    """

    call: str
    line: str
    verdict: str
    sentences: tuple[str, ...]


class Explained(Struct, frozen=True, kw_only=True):
    """A run: how its way was chosen, each of its calls, and how it ended."""

    opening: tuple[str, ...]
    calls: tuple[CallExplained, ...]
    ending: tuple[str, ...]


def explain(
    run_id: str,
    events: Sequence[ev.Event],
    language: Language,
    *,
    quotes: Mapping[tuple[str, str], str] | None = None,
) -> Explained:
    """Why the run went as it did.

    Args:
        quotes: (call, argument) → the user's words that the argument's value was taken from.

    Raises:
        JournalCorrupt: the events cannot follow one another.
    """
    run = fold(run_id, events)
    quotes = quotes or {}
    calls = tuple(_call(run, call, events, language, quotes) for call in (*run.past, *run.calls))
    return Explained(
        opening=tuple(_opening(events, language)),
        calls=calls,
        ending=tuple(_ending(run, events, language, silent=not calls)),
    )


def _opening(events: Sequence[ev.Event], language: Language) -> Iterator[str]:
    routed = False
    for event in events:
        match event:
            case ev.MessageReceived():
                words = [m.text for m in event.messages if isinstance(m, UserMessage)]
                text = one_line(" / ".join(words), _LONG)
                yield say("explain.message", language, user=event.user, text=text)
            case ev.IntentClassified() if event.abstains or not event.scores:
                yield say("explain.abstained", language, by=event.by)
            case ev.IntentClassified():
                ranked = sorted(event.scores.items(), key=lambda item: -item[1])
                scores = ", ".join(f"{name} {score:.2f}" for name, score in ranked)
                yield say("explain.classified", language, by=event.by, scores=scores)
            case ev.RouteChosen():
                routed = True
                yield say(
                    f"explain.{route_word(event)}",
                    language,
                    intents=", ".join((*event.intents, *event.candidates)) or "-",
                    tools=", ".join(event.tools) or "-",
                    why=event.why or "-",
                )
            case ev.ModelAsked() if not routed:
                yield say("explain.open", language, tools=", ".join(event.tools) or "-")
                return
            case _:
                pass


def _call(
    run: Run,
    call: CallState,
    events: Sequence[ev.Event],
    language: Language,
    quotes: Mapping[tuple[str, str], str],
) -> CallExplained:
    own = [event for event in events if isinstance(event, CallEvent) and event.call == call.key]
    sentences = [_proposal(call, events, language)]
    for event in own:
        sentences += _about(event, own, language)
        if isinstance(event, ev.CallValidated):
            sentences += _sources(event, language, quotes)
    for one in events:
        if isinstance(one, ev.TaskEvent) and one.call == call.key:
            sentences += [phrase.text for phrase in task_told(one, language)]
    if not run.status.ended and call.stage is Stage.WAITING:
        sentences.append(say("explain.undecided", language))
    elif run.status.ended and call.stage is not Stage.SETTLED:
        key = "unfinished" if call.open else "given_up"
        sentences.append(say(f"explain.{key}", language, number=call.attempts))
    line = call_line(call.tool, call.arguments, _LONG) if call.tool else _raw_line(call)
    return CallExplained(
        call=call.key,
        line=line,
        verdict=_verdict(run, call),
        sentences=tuple(sentences),
    )


def _raw_line(call: CallState) -> str:
    return one_line(f"{call.raw.name} {call.raw.arguments}", _LONG)


def _verdict(run: Run, call: CallState) -> str:
    result = call.result
    if result is not None:
        if result.status is ResultStatus.UNCERTAIN:
            return "uncertain"
        if not call.attempts:
            return "by_hand" if result.ok else "not_run"
        return "ran" if result.ok else "failed"
    if run.status.ended:
        return "uncertain" if call.uncertain else "failed" if call.attempts else "not_run"
    return "waiting" if call.stage is Stage.WAITING else "open_call"


def _proposal(call: CallState, events: Sequence[ev.Event], language: Language) -> str:
    """Who proposed the call."""
    for event in events:
        if isinstance(event, ev.CallsProposed) and call.raw in event.message.calls:
            return say("explain.by_engine", language, by=event.by)
        if isinstance(event, ev.ModelAnswered) and event.turn == int(call.key.partition(".")[0]):
            if call.cut:
                return say("explain.cut", language)
            return say("explain.by_model", language, model=event.model, turn=event.turn)
    return say("explain.by_engine", language, by="-")


def _sources(
    event: ev.CallValidated, language: Language, quotes: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    """Where each value came from."""
    for name, source in event.sources.items():
        words = quotes.get((event.call, name), "")
        yield say(
            f"explain.source_{source.kind}",
            language,
            name=name,
            value=one_line(repr(_at(event.arguments, name)), 80),
            words=f" “{one_line(words, 80)}”" if words else "",
            tool=source.tool,
            call=source.call,
            at=source.at,
        )
    found = {path.partition(".")[0] for path in event.sources}
    for name, value in event.arguments.items():
        if name not in found:
            shown_value = one_line(repr(value), 80)
            yield say("explain.source_none", language, name=name, value=shown_value)
    if event.tainted:
        yield say("explain.tainted", language, names=", ".join(event.tainted))


def _at(arguments: Any, path: str) -> Any:
    """The value at a dotted path, as in ``rooms.0.id``."""
    for step in path.split("."):
        if isinstance(arguments, dict) and step in arguments:
            arguments = arguments[step]
        elif isinstance(arguments, list) and step.isdecimal() and int(step) < len(arguments):
            arguments = arguments[int(step)]
        else:
            return None
    return arguments


def _about(event: CallEvent, own: Sequence[CallEvent], language: Language) -> list[str]:
    """What one event of the call says about it."""

    def our(key: str, **values: object) -> str:
        return say(f"explain.{key}", language, **values)

    match event:
        case ev.CallValidated():
            risk = say(f"risk.{event.risk.value}", language)
            valid = our("valid", tool=event.tool, source=event.source, risk=risk)
            return [valid, *(our("note", note=one_line(note)) for note in event.notes)]
        case ev.CallRejected():
            reason = say(f"rejected.{event.kind}", language)
            detail = ", ".join(event.missing) or one_line(event.content.removeprefix("ERROR: "))
            asked = [our("asked_user", question=one_line(event.question))] * bool(event.question)
            return [our("rejected", reason=reason, detail=detail), *asked]
        case ev.CallCleared():
            return [our("cleared", rule=event.rule)]
        case ev.ApprovalAsked():
            held = "held_user" if event.by == "user" else "held_role"
            return [our(held, by=event.by, rule=event.rule)]
        case ev.ApprovalDecided():
            asking = (ev.ApprovalAsked, ev.ApprovalEdited)
            asked_at = [one.at for one in own if isinstance(one, asking)]
            return [
                our(
                    "decided",
                    seconds=f"{(event.at - asked_at[-1]).total_seconds():.0f}" if asked_at else "?",
                    by=event.by,
                    decision=say(f"decision.{event.decision}", language),
                    reason=f": {event.reason}" if event.reason else "",
                )
            ]
        case ev.ApprovalEdited():
            changed = ", ".join(event.changed)
            line = one_line(shown(event.arguments), _LONG)
            return [our("edited", by=event.editor, changed=changed, role=event.by, call=line)]
        case ev.ResultGiven():
            return [our("given", by=event.by, content=one_line(event.result.content))]
        case ev.CallRefused():
            return [our("refused", rule=event.rule)]
        case ev.AttemptStarted():
            return []
        case ev.AttemptChecked():
            answer = say(f"happened.{event.answer}", language)
            detail = f": {one_line(event.detail)}" if event.detail else ""
            return [our("checked", number=event.attempt, answer=answer, detail=detail)]
        case ev.AttemptFinished():
            status = say(f"result.{event.result.status.value}", language)
            content = one_line(event.result.content.removeprefix("ERROR: "))
            ms = f"{event.ms:.0f}"
            return [our("attempt", number=event.attempt, ms=ms, status=status, content=content)]
        case _:
            assert_never(event)


def _ending(
    run: Run, events: Sequence[ev.Event], language: Language, *, silent: bool
) -> Iterator[str]:
    def our(key: str, **values: object) -> str:
        return say(f"explain.{key}", language, **values)

    if silent:
        yield our("no_calls")
    for event in events:
        match event:
            case ev.ModelFailed():
                yield our("model_failed", error=event.error, detail=one_line(event.detail))
            case ev.ReplyChecked():
                yield our(f"checked_{event.action}", faults="; ".join(event.faults))
            case ev.RunParked():
                yield our("parked", deaths=event.deaths, step=event.step)
            case ev.RunUnparked():
                reason = f": {event.reason}" if event.reason else ""
                yield our("unparked", by=event.by, reason=reason)
            case ev.DecisionRefused():
                wanted, kind = event.wanted, event.kind
                yield our("vain", by=event.by, call=event.call, wanted=wanted, kind=kind)
            case ev.ReplyGiven(kind="calls"):
                yield our("calls", calls=", ".join(call.name for call in event.calls))
            case ev.ReplyGiven():
                if event.by:
                    yield our("taken_over", by=event.by)
                yield our(event.kind, text=one_line(event.text, _LONG))
            case ev.RunFailed():
                text = one_line(event.text, _LONG)
                yield our("run_failed", reason=event.reason, detail=event.detail or "-", text=text)
            case ev.RunCancelled():
                yield our("cancelled", by=event.by, reason=event.reason or "-")
            case _:
                pass
    if not run.status.ended:
        yield our("goes_on")
