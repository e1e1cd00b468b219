"""Traces and metrics by OpenTelemetry's conventions for generative AI, read from the journal.

A run that is driven is one ``invoke_agent`` span; what it asks models and tools are spans in it.
When it waits for a person the span ends, and another of the same trace begins when it goes on. The
trace's id is the run's own where the ids are ours to make (``otel``). What the conventions have no
name for stands under ``pointsman.``. What people and models say is left out unless ``content``.

Source: github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai (status: development).
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from opentelemetry import trace
from opentelemetry.metrics import Meter
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from pointsman.adapters.telemetry import semantics as sem
from pointsman.domain import events as ev
from pointsman.domain.calls import CallState
from pointsman.domain.masking import RunMask
from pointsman.domain.runs import Run

OPEN = 10_000
"""Runs whose spans may be open; beyond, the oldest is ended: another process has taken it."""


class _Driven:
    """A run that this process drives: its span, and when what is in it began."""

    def __init__(self, span: Span, model: str, began: datetime) -> None:
        self.span, self.model, self.began = span, model, began
        self.asked: datetime | None = None
        self.attempts: dict[str, datetime] = {}
        self.mask = RunMask()


class Traces:
    """An observer that tells a tracer and a meter.

    Args:
        begin: called with a run's id before its span begins.
        content: put in what was said, with private values and credentials masked.
    """

    def __init__(
        self,
        tracer: Tracer,
        meter: Meter,
        *,
        begin: Callable[[str], None] | None = None,
        content: bool = False,
    ) -> None:
        self._tracer, self._begin, self._content = tracer, begin, content
        self._driven: dict[str, _Driven] = {}

        def seconds(name: str, text: str, bounds: Sequence[float]) -> Callable[..., None]:
            return meter.create_histogram(
                name, unit="s", description=text, explicit_bucket_boundaries_advisory=bounds
            ).record

        self._operation_seconds = seconds(*sem.OPERATION_DURATION)
        self._tool_seconds = seconds(*sem.TOOL_DURATION)
        self._agent_seconds = seconds(*sem.AGENT_DURATION)
        name, text, bounds = sem.TOKEN_USAGE
        self._tokens = meter.create_histogram(
            name, unit="{token}", description=text, explicit_bucket_boundaries_advisory=bounds
        ).record

    def committed(self, run: Run, events: Sequence[ev.Event]) -> None:
        for event in events:
            if isinstance(event, ev.RunStarted | ev.RunResumed):
                self._open(run, event)
            elif driven := self._driven.get(run.id):
                if self._content:
                    driven.mask.learn(event)
                if told := _TOLD.get(type(event)):
                    told(self, run, driven, event)
        if run.rests or (events and isinstance(events[-1], ev.RunReleased)):
            self._close(run)

    def _open(self, run: Run, event: ev.RunStarted | ev.RunResumed) -> None:
        self._close(run)
        model = event.model if isinstance(event, ev.RunStarted) else ""
        attributes = {
            **sem.operation("invoke_agent", model),
            sem.AGENT_NAME: run.agent,
            sem.CONVERSATION: run.conversation,
            sem.RUN: run.id,
            sem.ORIGIN: run.origin.partition(":")[0],
        }
        if run.task is not None:
            attributes |= {sem.PARENT_RUN: run.task.run, sem.TASK: run.task.node}
        if self._begin is not None:
            self._begin(run.task.run if run.task else run.id)
        span = self._tracer.start_span(
            f"invoke_agent {run.agent}",
            kind=SpanKind.INTERNAL,
            attributes=attributes,
            start_time=_ns(event.at),
        )
        self._driven[run.id] = _Driven(span, model, event.at)
        if len(self._driven) > OPEN:
            self._driven.pop(next(iter(self._driven))).span.end()

    def _close(self, run: Run) -> None:
        driven = self._driven.pop(run.id, None)
        if driven is None:
            return
        span = driven.span
        span.set_attribute(sem.RUN_STATUS, run.status.value)
        span.set_attributes(sem.usage(run.usage))
        tags: dict[str, str] = {sem.AGENT_NAME: run.agent}
        if run.failure:
            span.set_attribute(sem.ERROR, run.failure)
            span.set_status(Status(StatusCode.ERROR))
            tags[sem.ERROR] = run.failure
        if self._content:
            span.set_attribute(sem.INPUT, sem.said("user", run.input))
            span.set_attribute(sem.OUTPUT, sem.said("assistant", run.said))
        span.end(_ns(run.last))
        self._agent_seconds(max((run.last - driven.began).total_seconds(), 0.0), tags)

    def _asked_model(self, run: Run, driven: _Driven, event: ev.ModelAsked) -> None:
        driven.asked = event.at

    def _answered(self, run: Run, driven: _Driven, event: ev.ModelAnswered) -> None:
        tags = sem.operation("chat", event.model)
        attributes: dict[str, Any] = {
            **tags,
            sem.CONVERSATION: run.conversation,
            sem.RESPONSE_MODEL: tags.get(sem.REQUEST_MODEL, event.model),
            sem.FINISH: [event.stop.value],
            sem.STREAM: run.stream,
            sem.TURN: event.turn,
            **sem.usage(event.usage),
        }
        if self._content:
            masked = driven.mask.masked(event)
            assert isinstance(masked, ev.ModelAnswered)
            attributes[sem.OUTPUT] = sem.said("assistant", masked.message.text)
        self._child(driven, sem.named(tags), SpanKind.CLIENT, attributes, driven.asked, event.at)
        self._operation_seconds(event.ms / 1000, tags)
        if used := event.usage:
            self._tokens(used.prompt, {**tags, sem.TOKEN_TYPE: "input"})
            self._tokens(used.completion, {**tags, sem.TOKEN_TYPE: "output"})
        driven.asked = None

    def _failed_model(self, run: Run, driven: _Driven, event: ev.ModelFailed) -> None:
        tags = {**sem.operation("chat", driven.model), sem.ERROR: event.error}
        attributes = {**tags, sem.CONVERSATION: run.conversation, sem.TURN: event.turn}
        began = driven.asked or event.at
        self._child(driven, sem.named(tags), SpanKind.CLIENT, attributes, began, event.at)
        self._operation_seconds((event.at - began).total_seconds(), tags)
        driven.asked = None

    def _started(self, run: Run, driven: _Driven, event: ev.AttemptStarted) -> None:
        driven.attempts[event.call] = event.at

    def _finished(self, run: Run, driven: _Driven, event: ev.AttemptFinished) -> None:
        call = next((one for one in (*run.calls, *run.past) if one.key == event.call), None)
        if call is None:
            return
        tags: dict[str, Any] = {sem.TOOL_NAME: call.tool, sem.AGENT_NAME: run.agent}
        if not event.result.ok:
            tags[sem.ERROR] = event.result.status.value
        attributes = {
            **sem.operation("execute_tool", ""),
            **tags,
            sem.TOOL_CALL: call.raw.id,
            sem.CONVERSATION: run.conversation,
            sem.ATTEMPT: event.attempt,
            **_control(call),
        }
        if self._content:
            masked = driven.mask.masked(event)
            assert isinstance(masked, ev.AttemptFinished)
            attributes[sem.TOOL_RESULT] = masked.result.content
        began = driven.attempts.pop(event.call, event.at)
        name = f"execute_tool {call.tool}"
        self._child(driven, name, SpanKind.INTERNAL, attributes, began, event.at)
        self._tool_seconds(event.ms / 1000, tags)

    def _classified(self, run: Run, driven: _Driven, event: ev.IntentClassified) -> None:
        driven.span.set_attribute(sem.CLASSIFIER, event.by)

    def _routed(self, run: Run, driven: _Driven, event: ev.RouteChosen) -> None:
        driven.span.set_attributes({sem.ROUTE: event.kind, sem.INTENTS: list(event.intents)})

    def _approval_asked(self, run: Run, driven: _Driven, event: ev.ApprovalAsked) -> None:
        told = {sem.APPROVAL: "asked", sem.APPROVAL_BY: event.by, sem.RULE: event.rule}
        driven.span.add_event(sem.APPROVAL, told, _ns(event.at))

    def _child(
        self,
        driven: _Driven,
        name: str,
        kind: SpanKind,
        attributes: dict[str, Any],
        began: datetime | None,
        ended: datetime,
    ) -> None:
        """A span inside of the run's that is over."""
        span = self._tracer.start_span(
            name,
            context=trace.set_span_in_context(driven.span),
            kind=kind,
            attributes=attributes,
            start_time=_ns(began or ended),
        )
        if sem.ERROR in attributes:
            span.set_status(Status(StatusCode.ERROR))
        span.end(_ns(ended))


def _control(call: CallState) -> dict[str, Any]:
    """How risky the call was, and who let it pass."""
    told: dict[str, Any] = {sem.RISK: call.risk.value, sem.RULE: call.rule}
    if call.approval is not None:
        told |= {sem.APPROVAL: call.approval.state.value, sem.APPROVAL_BY: call.approval.by}
    return told


def _ns(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000


_TOLD: dict[type, Callable[[Traces, Run, _Driven, Any], None]] = {
    ev.ModelAsked: Traces._asked_model,
    ev.ModelAnswered: Traces._answered,
    ev.ModelFailed: Traces._failed_model,
    ev.AttemptStarted: Traces._started,
    ev.AttemptFinished: Traces._finished,
    ev.IntentClassified: Traces._classified,
    ev.RouteChosen: Traces._routed,
    ev.ApprovalAsked: Traces._approval_asked,
}
