"""MCP server ``mojitianqi``: the weather of Chinese cities, by day.

Run it: ``python weather.py`` (stdio), ``python weather.py --http 8931`` (streamable HTTP). Answers
come from the sample data, or from Open-Meteo with ``TRAVEL_WEATHER=open-meteo``.
"""

import os
import sys
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from dates import today
from forecast import Forecast, Question, sample_forecast
from serving import Text, reply, run

SOURCE = os.environ.get("TRAVEL_WEATHER") or "sample"


def _forecaster() -> Callable[[Question, date], Awaitable[Forecast]]:
    match SOURCE:
        case "sample":
            return sample_forecast
        case "open-meteo":
            from open_meteo import open_meteo_forecast  # aiohttp costs start-up time

            return open_meteo_forecast
        case _:
            sys.exit(f"TRAVEL_WEATHER must be sample or open-meteo, not {SOURCE!r}")


forecast_for = _forecaster()

server: MCPServer[None] = MCPServer(
    "mojitianqi",
    title="天气 Weather",
    description="Daily weather forecasts for cities in China",
    version="1.0.0",
    log_level="WARNING",
)


@server.tool(
    name="DayWeather",
    title="查询天气 / Weather by day",
    description=(
        "查询中国城市某一天或某几天的天气：天况、最高和最低气温（℃）、昼夜风向风力（级）、湿度（%）。"
        "国外城市查不到。不给日期时查今天；只给开始日期时查那一天。"
    ),
    annotations=ToolAnnotations(read_only_hint=True, open_world_hint=SOURCE != "sample"),
)
async def day_weather(
    city: Annotated[Text, Field(description="城市，包括直辖市，如：成都市、上海市")] = "",
    province: Annotated[Text, Field(description="省或自治区；直辖市不填")] = "",
    towns: Annotated[Text, Field(description="区、县或镇；预报只精确到市")] = "",
    villages: Annotated[Text, Field(description="乡或村；预报只精确到市")] = "",
    start_time: Annotated[Text, Field(description="开始日期，如：2026-03-01")] = "",
    end_time: Annotated[Text, Field(description="结束日期（含），如：2026-03-03")] = "",
) -> Annotated[CallToolResult, Forecast]:
    question = Question(city=city, province=province, start=start_time, end=end_time)
    return await reply(forecast_for(question, today()), source=SOURCE)


if __name__ == "__main__":
    run(server)
