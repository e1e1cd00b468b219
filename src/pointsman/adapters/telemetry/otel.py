"""Sets OpenTelemetry up as its environment variables say; without them it is not even loaded.

Batches, intervals, samplers, resources and headers are the SDK's own variables
(https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pointsman.errors import SettingsError

if TYPE_CHECKING:
    from pointsman.adapters.telemetry.tracing import Traces

log = logging.getLogger("pointsman.telemetry")

_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_SIGNALS = ("TRACES", "METRICS")


def wanted(environ: Mapping[str, str]) -> frozenset[str]:
    """Which of ``TRACES`` and ``METRICS`` the environment asks for."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return frozenset()
    return frozenset(signal for signal in _SIGNALS if _exporter(signal, environ) != "none")


def _exporter(signal: str, environ: Mapping[str, str]) -> str:
    """``otlp``, ``console`` or ``none``."""
    default = "none"
    if environ.get(_ENDPOINT) or environ.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"):
        default = "otlp"
    return environ.get(f"OTEL_{signal}_EXPORTER", "").strip().lower() or default


@contextmanager
def telling(environ: Mapping[str, str]) -> "Iterator[Traces | None]":
    """What tells the collector in the block, if the environment names one; at the end of the block
    everything is handed over.

    Raises:
        SettingsError: the environment asks for what is not known here.
    """
    signals = wanted(environ)
    if not signals:
        yield None
        return
    if find_spec("opentelemetry.sdk") is None:
        log.warning(
            "OTEL_… asks for telemetry, but OpenTelemetry is not installed: "
            "pip install 'pointsman[otel]'"
        )
        yield None
        return
    protocol = environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    if protocol != "http/protobuf":
        raise SettingsError(
            f"OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf, not {protocol!r}: give the "
            "collector's HTTP endpoint, such as http://127.0.0.1:4318"
        )
    from pointsman.adapters.telemetry import otel_sdk

    with otel_sdk.exporting(
        {signal: _exporter(signal, environ) for signal in sorted(signals)},
        content=environ.get(_CONTENT, "").lower() == "true",
        named="OTEL_SERVICE_NAME" in environ
        or "service.name=" in environ.get("OTEL_RESOURCE_ATTRIBUTES", ""),
    ) as traces:
        yield traces
