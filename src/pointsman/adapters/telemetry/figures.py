"""Counters in Prometheus's format, of what this process has committed and answered.

Labels come from what the agents' authors declare, never from what users write.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pointsman.domain import events as ev
from pointsman.domain.approvals import USER
from pointsman.domain.runs import Run

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_QUICK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_LONG = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0)
"""Upper bounds of the buckets, in seconds."""


class Figures:
    """All figures of one process. An observer of its commits."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        counter = partial(Counter, registry=self._registry, namespace="pointsman")
        seconds = partial(Histogram, registry=self._registry, namespace="pointsman", unit="seconds")
        self._requests = counter(
            "http_requests", "Requests answered.", ("method", "route", "status")
        )
        self._request_seconds = seconds(
            "http_request", "Until an answer began.", ("method", "route"), buckets=_QUICK
        )
        self._runs = counter("runs", "Runs that have ended.", ("agent", "outcome", "reason"))
        self._run_seconds = seconds(
            "run", "Work on a run, waiting for people left out.", ("agent",), buckets=_LONG
        )
        self._model_calls = counter("model_calls", "Answers of models.", ("agent", "model"))
        self._model_failures = counter("model_failures", "Models that failed.", ("agent", "error"))
        self._model_seconds = seconds(
            "model_call", "Until a whole answer.", ("model",), buckets=_LONG
        )
        self._tokens = counter("model_tokens", "Tokens used.", ("agent", "model", "kind"))
        self._tool_calls = counter("tool_calls", "Attempts.", ("agent", "tool", "outcome"))
        self._tool_seconds = seconds("tool_call", "One attempt.", ("agent", "tool"), buckets=_QUICK)
        self._rejected = counter("calls_rejected", "Calls that did not run.", ("agent", "kind"))
        self._asks = counter("asks", "Questions to the user.", ("agent", "kind"))
        self._approvals = counter("approvals", "Asked for and decided.", ("agent", "by", "outcome"))
        self._gauges: dict[str, Gauge] = {}

    def requested(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered, ``seconds`` after it came."""
        self._requests.labels(method, route, status).inc()
        self._request_seconds.labels(method, route).observe(seconds)

    def gauge(
        self, name: str, text: str, value: float | Mapping[str, float], *, label: str = ""
    ) -> None:
        """Set a figure that is looked up when it is asked for; nothing of what it was stays.

        Args:
            value: one, or one for each value of the label.
        """
        if name not in self._gauges:
            labels = (label,) if label else ()
            self._gauges[name] = Gauge(
                name, text, labels, registry=self._registry, namespace="pointsman"
            )
        gauge = self._gauges[name]
        if not isinstance(value, Mapping):
            return gauge.set(value)
        gauge.clear()
        for key, one in value.items():
            gauge.labels(key).set(one)

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)

    def committed(self, run: Run, events: Sequence[ev.Event]) -> None:
        for event in events:
            if count := _COUNTED.get(type(event)):
                count(self, run, event)

    def _answered(self, run: Run, event: ev.ModelAnswered) -> None:
        self._model_calls.labels(run.agent, event.model).inc()
        self._model_seconds.labels(event.model).observe(event.ms / 1000)
        if used := event.usage:
            for kind, tokens in (
                ("prompt", used.prompt - used.cached),
                ("cached", used.cached),
                ("completion", used.completion),
            ):
                if tokens > 0:
                    self._tokens.labels(run.agent, event.model, kind).inc(tokens)

    def _failed_model(self, run: Run, event: ev.ModelFailed) -> None:
        self._model_failures.labels(run.agent, event.error).inc()

    def _attempted(self, run: Run, event: ev.AttemptFinished) -> None:
        tool = next((c.tool for c in (*run.calls, *run.past) if c.key == event.call), "")
        self._tool_calls.labels(run.agent, tool, event.result.status.value).inc()
        self._tool_seconds.labels(run.agent, tool).observe(event.ms / 1000)

    def _rejected_call(self, run: Run, event: ev.CallRejected) -> None:
        self._rejected.labels(run.agent, event.kind).inc()
        if event.question:
            self._asks.labels(run.agent, "parameter").inc()

    def _routed(self, run: Run, event: ev.RouteChosen) -> None:
        if event.kind == "ask":
            self._asks.labels(run.agent, "intent").inc()

    def _asked(self, run: Run, event: ev.ApprovalAsked) -> None:
        self._approvals.labels(run.agent, _who(event.by), "asked").inc()

    def _decided(self, run: Run, event: ev.ApprovalDecided) -> None:
        found = run.approval(event.approval)
        by = _who(found[1].by) if found else ""
        self._approvals.labels(run.agent, by, event.decision).inc()

    def _replied(self, run: Run, event: ev.ReplyGiven) -> None:
        self._ended(run, event.kind, "")

    def _failed(self, run: Run, event: ev.RunFailed) -> None:
        self._ended(run, "failed", event.reason)

    def _cancelled(self, run: Run, event: ev.RunCancelled) -> None:
        self._ended(run, "cancelled", "")

    def _ended(self, run: Run, outcome: str, reason: str) -> None:
        self._runs.labels(run.agent, outcome, reason).inc()
        worked = (run.last - run.created).total_seconds() - run.waited
        self._run_seconds.labels(run.agent).observe(max(worked, 0.0))


def _who(by: str) -> str:
    """Whether the asking user decides, or somebody with a role."""
    return "user" if by == USER else "role"


_COUNTED: dict[type, Callable[[Figures, Run, Any], None]] = {
    ev.ModelAnswered: Figures._answered,
    ev.ModelFailed: Figures._failed_model,
    ev.AttemptFinished: Figures._attempted,
    ev.CallRejected: Figures._rejected_call,
    ev.RouteChosen: Figures._routed,
    ev.ApprovalAsked: Figures._asked,
    ev.ApprovalDecided: Figures._decided,
    ev.ReplyGiven: Figures._replied,
    ev.RunFailed: Figures._failed,
    ev.RunCancelled: Figures._cancelled,
}
