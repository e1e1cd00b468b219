"""OpenTelemetry's SDK, wired: providers, exporters, and ids that are those of runs."""

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    ConsoleMetricExporter,
    MetricExporter,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SpanExporter,
)
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import NoOpTracerProvider

from pointsman.adapters.telemetry.tracing import Traces
from pointsman.errors import SettingsError

log = logging.getLogger("pointsman.telemetry")

SCOPE = "pointsman"
_MOST = 2**128


class RunIds(RandomIdGenerator):
    """Makes the ids of traces out of those of runs, so that either is found by the other."""

    def __init__(self) -> None:
        self._next: int | None = None

    def begin(self, run: str) -> None:
        """The next trace is this run's."""
        digest = hashlib.sha256(run.encode()).hexdigest()
        hexadecimal = run if len(run) == 32 and set(run) <= set("0123456789abcdef") else digest
        self._next = int(hexadecimal[:32], 16) % _MOST or None

    def generate_trace_id(self) -> int:
        made, self._next = self._next, None
        return made or super().generate_trace_id()


@contextmanager
def exporting(exporters: Mapping[str, str], *, content: bool, named: bool) -> Iterator[Traces]:
    """What tells these exporters in the block.

    Args:
        exporters: ``TRACES`` and ``METRICS`` → ``otlp`` or ``console``.
        named: the environment says what the service is called.

    Raises:
        SettingsError: an exporter that is not known here.
    """
    attributes = {} if named else {"service.name": SCOPE}
    resource = Resource.create({**attributes, "service.version": version("pointsman")})
    ids, ends = RunIds(), list[Callable[[], object]]()
    tracers: TracerProvider | NoOpTracerProvider = NoOpTracerProvider()
    meters: MeterProvider | NoOpMeterProvider = NoOpMeterProvider()
    if kind := exporters.get("TRACES"):
        tracers = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
        tracers.add_span_processor(BatchSpanProcessor(_span_exporter(kind)))
        ends.append(tracers.shutdown)
    if kind := exporters.get("METRICS"):
        reader = PeriodicExportingMetricReader(_metric_exporter(kind))
        meters = MeterProvider(resource=resource, metric_readers=[reader], shutdown_on_exit=False)
        ends.append(meters.shutdown)
    try:
        yield Traces(
            tracers.get_tracer(SCOPE, version("pointsman")),
            meters.get_meter(SCOPE, version("pointsman")),
            begin=ids.begin,
            content=content,
        )
    finally:
        for end in ends:
            end()


def _span_exporter(kind: str) -> SpanExporter:
    if kind == "console":
        return ConsoleSpanExporter()
    _check("TRACES", kind)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()


def _metric_exporter(kind: str) -> MetricExporter:
    if kind == "console":
        return ConsoleMetricExporter()
    _check("METRICS", kind)
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    return OTLPMetricExporter()


def _check(signal: str, kind: str) -> None:
    if kind != "otlp":
        raise SettingsError(f"OTEL_{signal}_EXPORTER: expected otlp, console or none, not {kind!r}")
