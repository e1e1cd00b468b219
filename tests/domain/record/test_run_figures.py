"""What is counted of a run, read from its events alone."""

import pytest

from pointsman.domain.messages import ModelRequest
from pointsman.domain.record.run_figures import RunFigures, figures
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.service import Service
from tests.support.engine import approve, say, service_of, serving
from tests.support.fake_clock import FakeClock
from tests.support.scripted_model import Answer, results
from tests.support.tools import fake_tool

pytestmark = pytest.mark.anyio


def books(request: ModelRequest) -> Answer:
    found = results(request)
    return " / ".join(found) if found else [("book", '{"what": "train"}')]


async def counted(service: Service, run: str) -> RunFigures | None:
    return figures(run, [one.event for one in await service.trace(run, None)])


async def test_a_confirmed_call_is_counted_without_the_time_of_waiting() -> None:
    clock = FakeClock()
    tool = fake_tool("book", "booked", required=["what"], risk=Risk.WRITE)
    service = await service_of(books, tool, clock=clock)
    run = await say(service)
    assert await counted(service, run.id) is None
    clock.advance(3_600)
    async with serving(service):
        await approve(service, run)
        await service.wait(run.id, "ann")
    found = await counted(service, run.id)
    assert found is not None
    assert (found.status, found.kind, found.origin, found.user) == ("done", "answer", "user", "ann")
    assert (found.confirmations, found.approvals, found.denials, found.asks) == (1, 0, 0, 0)
    assert found.ms == 0
    assert (found.ended - found.created).total_seconds() == 3_600
    (call,) = found.calls
    assert (call.tool, call.ran, call.status, call.code) == ("book", True, "ok", "")
    assert found.usage.total == 30


async def test_a_denied_call_did_not_run() -> None:
    tool = fake_tool("book", "booked", required=["what"], risk=Risk.CRITICAL)
    service = await service_of(books, tool, roles={"approver": ["boss"]})
    run = await say(service)
    (waiting,) = run.waiting
    assert waiting.approval is not None
    async with serving(service):
        await service.decide(run.id, waiting.approval.id, "denied", by="boss")
        await service.wait(run.id, "ann")
    found = await counted(service, run.id)
    assert found is not None
    assert (found.confirmations, found.approvals, found.denials) == (0, 1, 1)
    assert [(one.ran, one.status) for one in found.calls] == [(False, "refused")]


async def test_a_question_for_a_missing_value_is_an_ask() -> None:
    service = await service_of(
        [[("book", "{}")]], fake_tool("book", "booked", required=["what"], risk=Risk.WRITE)
    )
    run = await say(service, "book")
    found = await counted(service, run.id)
    assert found is not None
    assert (found.kind, found.asks) == ("question", 1)
    assert [(one.ran, one.code) for one in found.calls] == [(False, "missing")]


async def test_what_a_tool_said_of_its_failure_shows_no_credential() -> None:
    async def fail(arguments: object, context: object) -> ToolResult:
        text = "ERROR: no entry with AKIAIOSFODNN7EXAMPLE\n" + "x" * 1_000
        return ToolResult(status=ResultStatus.ERROR, content=text)

    service = await service_of(books, fake_tool("book", fail, required=["what"]))
    run = await say(service)
    found = await counted(service, run.id)
    assert found is not None
    (call,) = found.calls
    assert call.status == "error"
    assert call.message.startswith("no entry with [masked:")
    assert "AKIAIOSFODNN7EXAMPLE" not in call.message
    assert len(call.message) <= 300
