"""``pointsman mcp`` as a process that the official client starts."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult

from tests.support.command import COMMAND

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

AGENT = """\
agent: shop
title: {zh: 小店, en: Shop}
language: en
tools: [{python: tools}]
offline:
  values:
    amount: {patterns: ['(\\d+)'], type: integer}
  calls:
    refund:
      tool: refund
      when: [refund]
      arguments: {amount: amount}
      say: Refunded {{ amount }}.
  answers: [{when: [hello], say: Good day}]
  fallback: I refund.
"""
TOOLS = """\
from pointsman import Risk, tool

print("a stray line on stdout")


@tool(risk=Risk.WRITE)
def refund(amount: int) -> dict[str, int]:
    \"\"\"Pay back an amount.\"\"\"
    return {"amount": amount}
"""


@pytest.fixture
def shop(tmp_path: Path) -> StdioServerParameters:
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    return StdioServerParameters(command=COMMAND, args=["mcp", str(tmp_path), "--user", "ann"])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_agent_is_a_tool_and_asks_through_the_client(
    shop: StdioServerParameters, mode: Any
) -> None:
    asked: list[str] = []

    async def user(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"approve": len(asked) == 1})

    with anyio.fail_after(60):
        async with Client(shop, mode=mode, elicitation_callback=user) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                "shop",
                "pointsman_run",
            ]
            done = await client.call_tool("shop", {"message": "refund 30"})
            assert done.structured_content["text"] == "Refunded 30."
            denied = await client.call_tool("shop", {"message": "refund 40"})
            assert "Refunded" not in denied.structured_content["text"]
    assert ["30" in asked[0], "40" in asked[1]] == [True, True]
