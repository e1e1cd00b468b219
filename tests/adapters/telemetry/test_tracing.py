"""A run as spans and metrics, by the conventions' names, with nothing that anybody said."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from pointsman.adapters.telemetry.otel_sdk import RunIds
from pointsman.adapters.telemetry.tracing import Traces
from pointsman.domain.messages import ModelRequest
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.service import Service
from pointsman.ports import CallContext
from tests.support.engine import approve, say, service_of
from tests.support.function_model import FunctionModel, Tell
from tests.support.scripted_model import Answer, results
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


class Collector:
    """What a collector would have got."""

    def __init__(self) -> None:
        self._exporter, self._reader, ids = InMemorySpanExporter(), InMemoryMetricReader(), RunIds()
        self._tracers = TracerProvider(id_generator=ids, shutdown_on_exit=False)
        self._tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._meters = MeterProvider([self._reader], shutdown_on_exit=False)
        self.tracer, self.meter = self._tracers.get_tracer("t"), self._meters.get_meter("t")
        self.ids = ids

    def observe(self, service: Service, *, content: bool = False) -> None:
        traces = Traces(self.tracer, self.meter, begin=self.ids.begin, content=content)
        service.observed.add(traces)

    def spans(self, name: str = "") -> list[ReadableSpan]:
        """The spans that have ended, whose names begin so."""
        return [one for one in self._exporter.get_finished_spans() if one.name.startswith(name)]

    def points(self, metric: str) -> list[Any]:
        read = self._reader.get_metrics_data()
        return [
            point
            for resource in (read.resource_metrics if read else ())
            for scope in resource.scope_metrics
            for one in scope.metrics
            if one.name == metric
            for point in one.data.data_points
        ]

    def close(self) -> None:
        self._tracers.shutdown()
        self._meters.shutdown()


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.close()


def looks_up(request: ModelRequest) -> Answer:
    return "It is sunny." if results(request) else [("weather", '{"city": "Chengdu"}')]


async def weather(**more: Any) -> Service:
    return await service_of(looks_up, fake_tool("weather", "sunny", risk=Risk.READ), **more)


async def test_a_run_is_one_span_with_its_models_and_tools_inside(collector: Collector) -> None:
    service = await weather()
    collector.observe(service)
    run = await say(service, "weather?")
    (agent,) = collector.spans("invoke_agent")
    assert agent.name == "invoke_agent desk"
    assert agent.kind is SpanKind.INTERNAL
    assert agent.context is not None
    assert f"{agent.context.trace_id:032x}" == run.id
    assert agent.attributes is not None
    assert agent.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert agent.attributes["gen_ai.agent.name"] == "desk"
    assert agent.attributes["gen_ai.conversation.id"] == run.conversation
    assert agent.attributes["gen_ai.usage.input_tokens"] == run.usage.prompt
    assert agent.attributes["pointsman.run.status"] == "done"
    inner = [span for span in collector.spans() if span is not agent]
    assert [span.name.partition(" ")[0] for span in inner] == ["chat", "execute_tool", "chat"]
    for span in inner:
        assert span.parent is not None
        assert span.parent.span_id == agent.context.span_id
        assert agent.start_time is not None
        assert span.start_time is not None
        assert span.end_time is not None
        assert agent.start_time <= span.start_time <= span.end_time


async def test_a_models_span_says_what_it_was_and_what_it_cost(collector: Collector) -> None:
    service = await weather()
    collector.observe(service)
    await say(service, "weather?")
    chat, last = collector.spans("chat")
    assert chat.kind is SpanKind.CLIENT
    assert chat.attributes is not None
    assert last.attributes is not None
    assert chat.attributes["gen_ai.operation.name"] == "chat"
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("tool_calls",)
    assert last.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert chat.attributes["gen_ai.usage.output_tokens"] == 5
    kinds = {
        point.attributes["gen_ai.token.type"]: point
        for point in collector.points("gen_ai.client.token.usage")
    }
    assert (kinds["input"].sum, kinds["output"].sum) == (20, 10)
    (duration,) = collector.points("gen_ai.client.operation.duration")
    assert duration.count == 2


async def test_a_tools_span_says_how_risky_it_was_and_who_let_it_pass(
    collector: Collector,
) -> None:
    service = await service_of(
        lambda request: "done" if results(request) else [("book", '{"what": "train"}')],
        fake_tool("book", "booked", required=["what"], risk=Risk.WRITE),
    )
    collector.observe(service)
    waiting = await say(service, "book a train")
    (first,) = collector.spans("invoke_agent")
    assert first.attributes is not None
    assert first.attributes["pointsman.run.status"] == "waiting"
    await approve(service, waiting)
    await service._loop.drive(waiting.id)
    (tool,) = collector.spans("execute_tool")
    assert tool.name == "execute_tool book"
    assert tool.attributes is not None
    assert tool.attributes["gen_ai.tool.name"] == "book"
    assert tool.attributes["pointsman.risk"] == "write"
    assert tool.attributes["pointsman.approval"] == "approved"
    assert tool.attributes["pointsman.approval.by"] == "user"
    traces = {span.context.trace_id for span in collector.spans() if span.context}
    assert traces == {int(waiting.id, 16)}


async def test_what_fails_is_an_error_of_a_kind(collector: Collector) -> None:
    async def fails(arguments: Mapping[str, Any], context: CallContext) -> ToolResult:
        return ToolResult(status=ResultStatus.ERROR, content="no")

    failing = fake_tool("weather", fails, risk=Risk.READ)
    service = await service_of(looks_up, failing)
    collector.observe(service)
    await say(service, "weather?")
    tool = collector.spans("execute_tool")[0]
    assert tool.attributes is not None
    assert tool.attributes["error.type"] == "error"
    assert tool.status.status_code is StatusCode.ERROR
    assert collector.points("gen_ai.execute_tool.duration")[0].attributes["error.type"] == "error"


async def test_a_model_that_fails_fails_its_span_and_the_runs(collector: Collector) -> None:
    async def ask(request: ModelRequest, tell: Tell) -> Any:
        raise OSError("broken")

    service = await service_of(FunctionModel(ask))
    collector.observe(service)
    run = await say(service)
    (agent,) = collector.spans("invoke_agent")
    assert agent.attributes is not None
    assert agent.attributes["error.type"] == run.failure
    assert agent.status.status_code is StatusCode.ERROR


async def test_nothing_that_was_said_is_told_unless_it_is_wanted(collector: Collector) -> None:
    service = await weather()
    collector.observe(service)
    await say(service, "weather in Chengdu?")
    told = str([(span.name, dict(span.attributes or {})) for span in collector.spans()])
    assert "Chengdu" not in told
    assert "sunny" not in told


async def test_what_was_said_is_told_where_it_is_wanted(collector: Collector) -> None:
    service = await weather()
    collector.observe(service, content=True)
    await say(service, "weather in Chengdu?")
    (agent,) = collector.spans("invoke_agent")
    assert agent.attributes is not None
    assert "Chengdu" in str(agent.attributes["gen_ai.input.messages"])
    (tool,) = collector.spans("execute_tool")
    assert tool.attributes is not None
    assert tool.attributes["gen_ai.tool.call.result"] == "sunny"
