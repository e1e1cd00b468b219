"""A call that a person proposes meets what a model's call would meet."""

import pytest

from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.service import Service
from pointsman.engine.trial import trial
from tests.support.engine import service_of, serving
from tests.support.scripted_model import ScriptedModel
from tests.support.tools import FakeTool, fake_tool

pytestmark = pytest.mark.anyio


async def tried(tool: FakeTool, name: str, arguments: str) -> tuple[Service, Run]:
    """The trial of one call, as far as it comes by itself. The agent's own model is never asked."""
    service = await service_of(ScriptedModel([]), tool)
    return service, await service.carry(trial("desk", user="ann", tool=name, arguments=arguments))


async def test_a_reading_call_runs_at_once_and_its_result_is_the_reply() -> None:
    tool = fake_tool("look", "a tree", required=["at"])
    _, run = await tried(tool, "look", '{"at": "north"}')
    assert (run.status, run.reply, run.origin) == (RunStatus.DONE, "a tree", "trial")
    assert tool.calls == [{"at": "north"}]


async def test_a_risky_call_waits_and_runs_after_the_yes_only() -> None:
    tool = fake_tool("pay", "paid", risk=Risk.WRITE)
    service, run = await tried(tool, "pay", "{}")
    assert (run.status, tool.calls) == (RunStatus.WAITING, [])
    (waiting,) = run.waiting
    assert waiting.approval is not None
    async with serving(service):
        await service.decide(run.id, waiting.approval.id, "approved", by="ann")
        run = await service.wait(run.id, "ann")
    assert (run.reply, tool.calls) == ("paid", [{}])


async def test_a_result_that_reads_like_a_lie_does_not_make_the_call_run_twice() -> None:
    async def fail(arguments: object, context: object) -> ToolResult:
        return ToolResult(status=ResultStatus.ERROR, content="The report was sent to Bob.")

    tool = fake_tool("send", fail)
    _, run = await tried(tool, "send", "{}")
    assert (len(tool.calls), run.status) == (1, RunStatus.DONE)


@pytest.mark.parametrize(
    ("name", "arguments"), [("lok", "{}"), ("look", '{"at": {}}'), ("look", "[1]"), ("look", "{}")]
)
async def test_a_call_at_fault_does_not_run(name: str, arguments: str) -> None:
    tool = fake_tool("look", required=["at"])
    _, run = await tried(tool, name, arguments)
    call = (*run.past, *run.calls)[0]
    assert call.result is not None
    assert (call.result.status, tool.calls) == (ResultStatus.REJECTED, [])
    assert run.status is RunStatus.DONE
