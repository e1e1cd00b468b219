"""Telemetry is off unless the environment asks for it, and then reaches a collector over HTTP."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from pointsman.adapters.telemetry.otel import telling, wanted
from pointsman.errors import SettingsError
from tests.support.engine import say, service_of

pytestmark = pytest.mark.anyio

HERE = "http://127.0.0.1:4318"


@pytest.mark.parametrize(
    ("environ", "signals"),
    [
        ({}, set()),
        ({"OTEL_SERVICE_NAME": "desk"}, set()),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": HERE}, {"TRACES", "METRICS"}),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": HERE}, {"TRACES"}),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": HERE, "OTEL_METRICS_EXPORTER": "none"}, {"TRACES"}),
        ({"OTEL_TRACES_EXPORTER": "console"}, {"TRACES"}),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": HERE, "OTEL_SDK_DISABLED": "true"}, set()),
    ],
)
def test_the_environment_says_what_is_told(environ: dict[str, str], signals: set[str]) -> None:
    assert wanted(environ) == signals


@pytest.mark.parametrize(
    "environ",
    [
        {"OTEL_TRACES_EXPORTER": "zipkin"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": HERE, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
    ],
)
def test_an_exporter_that_is_not_known_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="OTEL_"), telling(environ):
        pass


@pytest.mark.slow
def test_nothing_of_it_is_loaded_where_nobody_asks_for_it() -> None:
    program = (
        "import os, sys\n"
        "from pointsman import bootstrap\n"
        "from pointsman.adapters.telemetry.otel import telling\n"
        "with telling(os.environ) as traces:\n"
        "    assert traces is None\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@contextmanager
def collecting() -> Iterator[tuple[str, dict[str, list[bytes]]]]:
    """A collector on a free port, and what it got, by path."""
    got: dict[str, list[bytes]] = {}

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.setdefault(self.path, []).append(body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_a_collector_gets_the_spans_and_metrics_of_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with collecting() as (url, got):
        environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_COMPRESSION": "none"}
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        service = await service_of(["hello"])
        with telling(environ) as traces:
            assert traces is not None
            service.observed.add(traces)
            run = await say(service)
    spans = [
        span
        for body in got["/v1/traces"]
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert sorted(span.name.partition(" ")[0] for span in spans) == ["chat", "invoke_agent"]
    assert {span.trace_id.hex() for span in spans} == {run.id}
    metrics = {
        metric.name
        for body in got["/v1/metrics"]
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert metrics >= {
        "gen_ai.client.operation.duration",
        "gen_ai.client.token.usage",
        "gen_ai.invoke_agent.duration",
    }
