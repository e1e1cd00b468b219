"""MCP server ``gaodedetu``: driving and bicycle routes.

Run it: ``python routes.py`` (stdio), ``python routes.py --http 8932`` (streamable HTTP). Routes
come from the sample map of each city, or from Amap when ``AMAP_KEY`` is set.
"""

import os
from dataclasses import replace
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from roads import Mode, Plan, sample_route
from serving import Flag, reply, run

KEY = os.environ.get("AMAP_KEY", "").strip()
SOURCE = "amap" if KEY else "sample"

server: MCPServer[None] = MCPServer(
    "gaodedetu",
    title="路线 Routes",
    description="Driving and bicycle routes in cities of China",
    version="1.0.0",
    log_level="WARNING",
)

_END = "地名（最好带城市，如：成都南站、杭州西湖），或“经度,纬度”，中间是英文逗号"
Origin = Annotated[str, Field(description=f"起点。{_END}")]
Destination = Annotated[str, Field(description=f"终点。{_END}")]
DisablePaths = Annotated[Flag, Field(description="true：只要距离和时间，不要每一步怎么走")]
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=bool(KEY))
_ANSWER = "给出距离（米）、用时（分钟）和每一步的道路与转向。"


async def _plan(origin: str, destination: str, mode: Mode, *, disable_paths: bool) -> Plan:
    if KEY:
        from amap import Amap  # aiohttp costs start-up time

        plan = await Amap(KEY).route(origin, destination, mode)
    else:
        plan = sample_route(origin, destination, mode)
    return replace(plan, steps=None) if disable_paths else plan


@server.tool(
    name="plan_driving",
    title="驾车路线 / Driving route",
    description=f"规划开车从一处到另一处的路线，{_ANSWER}",
    annotations=_READS,
)
async def plan_driving(
    origin: Origin, destination: Destination, disable_paths: DisablePaths = False
) -> Annotated[CallToolResult, Plan]:
    plan = _plan(origin, destination, "driving", disable_paths=disable_paths)
    return await reply(plan, source=SOURCE)


@server.tool(
    name="plan_bicycle",
    title="骑行路线 / Bicycle route",
    description=f"规划骑自行车从一处到另一处的路线，{_ANSWER}",
    annotations=_READS,
)
async def plan_bicycle(
    origin: Origin, destination: Destination, disable_paths: DisablePaths = False
) -> Annotated[CallToolResult, Plan]:
    plan = _plan(origin, destination, "bicycling", disable_paths=disable_paths)
    return await reply(plan, source=SOURCE)


if __name__ == "__main__":
    run(server)
