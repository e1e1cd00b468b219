"""Tools over HTTP: how they fare, tried by hand, switched off and on."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain.limiting import BreakerLimits, ToolLimits
from pointsman.domain.messages import ModelRequest
from pointsman.domain.tools import ResultStatus, Risk, ToolResult
from pointsman.engine.service import Service, Submission
from tests.entrypoints.web.console_api.test_runs_api import as_user
from tests.entrypoints.web.native import get, post
from tests.support.engine import service_of
from tests.support.scripted_model import Answer, results
from tests.support.tools import FakeTool, fake_tool
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio


def desk(request: ModelRequest) -> Answer:
    """Looks whenever it is shown the tool, and tells what came of it."""
    if found := results(request):
        return " / ".join(found)
    if "look" not in [tool.name for tool in request.tools]:
        return "there is nothing to look with"
    return [("look", '{"at": "north"}')]


async def fail(arguments: object, context: object) -> ToolResult:
    return ToolResult(status=ResultStatus.FAILED, content="ERROR: no line")


@pytest.fixture
def pay() -> FakeTool:
    return fake_tool("pay", "paid", properties={"amount": {"type": "number"}}, risk=Risk.CRITICAL)


@pytest.fixture
async def site(tmp_path: Path, pay: FakeTool) -> AsyncIterator[Site]:
    service = await service_of(
        desk,
        fake_tool("look", "a tree", required=["at"]),
        fake_tool("fails", fail, limits=ToolLimits(breaker=BreakerLimits(failures=1))),
        pay,
        store=sqlite(tmp_path / "test.db"),
        policy=[{"tool": "pay", "when": "amount > 500", "then": "deny"}],
        roles={"approver": ["boss"]},
    )
    async with serving(service) as site:
        yield site


async def ended(service: Service, text: str = "what is there?") -> str:
    run = await service.submit(Submission(agent="desk", user="eve", text=text))
    return (await service.wait(run, "eve")).reply


async def tool(site: Site, name: str) -> dict[str, Any]:
    listed = await get(site, "/api/tools")
    (found,) = [one for one in listed["tools"] if one["tool"] == name]
    assert isinstance(found, dict)
    return found


async def test_a_tool_tells_how_its_calls_went(site: Site) -> None:
    await ended(site.service)
    await ended(site.service)
    found = await tool(site, "look")
    assert (found["calls"], found["ok"], found["failed"]) == (2, 2, 0)
    assert found["p50_ms"] <= found["p95_ms"]
    assert (found["source_state"], found["risk"], found["off"]) == ("ready", "read", None)
    assert found["parameters"]["required"] == ["at"]


async def test_a_failing_tool_shows_its_breaker_and_its_last_errors(site: Site) -> None:
    run = await post(site, "/api/tools/desk/fails/try")
    found = await tool(site, "fails")
    assert found["breaker"]["state"] == "open"
    (error,) = found["last_errors"]
    assert (error["run"], error["code"], error["message"]) == (run["run"], "failed", "no line")


async def test_the_policy_of_a_tool_is_told_in_order(site: Site) -> None:
    found = await tool(site, "pay")
    assert found["verdict"] == "deny"
    assert found["policy"][0].startswith("policy rule 1 (amount > 500)")
    assert "by default" in found["policy"][1]


async def test_a_tried_call_that_reads_runs_at_once(site: Site) -> None:
    run = await post(site, "/api/tools/desk/look/try", {"arguments": {"at": "north"}})
    assert (run["status"], run["text"]) == ("done", "a tree")
    assert run["calls"][0]["arguments"] == {"at": "north"}


async def test_a_tried_call_meets_validation_gate_and_approvers(site: Site, pay: FakeTool) -> None:
    bad = await post(site, "/api/tools/desk/pay/try", {"arguments": {"amount": {}}})
    assert bad["calls"][0]["status"] == "rejected"
    denied = await post(site, "/api/tools/desk/pay/try", {"arguments": {"amount": 600}})
    assert denied["calls"][0]["status"] == "refused"
    waits = await post(site, "/api/tools/desk/pay/try", {"arguments": {"amount": 5}})
    assert (waits["status"], pay.calls) == ("waiting", [])
    approval = waits["waiting"][0]["approval"]
    await site.service.decide(waits["run"], approval, "approved", by="boss")
    run = await site.service.wait(waits["run"], None)
    assert (run.reply, pay.calls) == ("paid", [{"amount": 5}])


async def test_a_tool_that_is_off_is_not_shown_and_is_refused_and_goes_on_again(site: Site) -> None:
    path = "/api/tools/desk/look/switch"
    await post(site, path, {"on": False, "reason": "maintenance"}, 204)
    found = await tool(site, "look")
    assert (found["off"]["by"], found["off"]["reason"]) == ("local", "maintenance")
    other = await tool(site, "pay")
    assert other["off"] is None
    run = await post(site, "/api/tools/desk/look/try", {"arguments": {"at": "x"}})
    assert run["calls"][0]["status"] == "rejected"
    assert "switched off by an operator: maintenance" in run["calls"][0]["content"]
    assert await ended(site.service) == "there is nothing to look with"
    await post(site, path, {"on": True}, 204)
    assert (await tool(site, "look"))["off"] is None
    acts = (await get(site, "/api/acts?subject=desk/look"))["acts"]
    assert [(one["act"], one["by"], one["note"]) for one in acts] == [
        ("switch_on", "local", ""),
        ("switch_off", "local", "maintenance"),
    ]


async def test_a_refusal_is_told_in_the_language_of_the_run(site: Site) -> None:
    await post(site, "/api/tools/desk/look/switch", {"on": False, "reason": "维护"}, 204)
    run = await site.service.submit(
        Submission(
            agent="desk", user="eve", text='look {"at": "北"}', origin="trial", language="zh"
        )
    )
    ended = await site.service.wait(run, "eve")
    assert "运维人员已停用工具 look，原因：维护" in ended.reply


async def test_tools_are_for_operators(site: Site) -> None:
    as_user(site, "eve", "approver")
    await get(site, "/api/tools", 403)
    await get(site, "/api/acts", 403)
    await post(site, "/api/tools/desk/look/try", {"arguments": {"at": "x"}}, 403)
    await post(site, "/api/tools/desk/look/switch", {"on": False}, 403)
    as_user(site, "oda", "operator")
    await get(site, "/api/tools?agent=desk")
    await get(site, "/api/tools?agent=none", 404)
    await post(site, "/api/tools/desk/none/try", {}, 404)
