"""The travel agent's MCP servers as processes, driven by the official client."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import ByteReceiveStream
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent

from tests.support.travel_apis import KEY, TravelApis, Trouble

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SERVERS = Path(__file__).parents[2] / "examples/travel/servers"
TOMORROW_IN_CHENGDU = {
    "wind_dir_day": "东北风",
    "wind_level_day": "2",
    "temp_high": 18,
    "condition": "多云",
    "wind_dir_night": "东北风",
    "predict_date": "2026-03-01",
    "weather_day": "多云",
    "wind_level_night": "2",
    "temp_low": 10,
    "humidity": 76,
}
ENDS = {"origin": "成都南站", "destination": "成都动物园"}


@asynccontextmanager
async def _connected(script: str, tmp_path: Path, **env: str) -> AsyncIterator[Client]:
    """A client of a server process that was started in another folder."""
    command = StdioServerParameters(
        command=sys.executable,
        args=[str(SERVERS / script)],
        env={"TRAVEL_TODAY": "2026-02-28", **env},
        cwd=tmp_path,
    )
    with (tmp_path / "stderr").open("w+") as errlog:
        async with Client(stdio_client(command, errlog)) as client:
            yield client


def _text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def test_the_weather_tool_has_the_agreed_name_and_parameters(tmp_path: Path) -> None:
    async with _connected("weather.py", tmp_path) as client:
        (tool,) = (await client.list_tools()).tools
    assert tool.name == "DayWeather"
    names = {"city", "province", "towns", "villages", "start_time", "end_time"}
    assert set(tool.input_schema["properties"]) == names
    assert all(p["type"] == "string" for p in tool.input_schema["properties"].values())
    assert "required" not in tool.input_schema
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint


async def test_the_weather_of_a_day_is_compact_json_and_structured(tmp_path: Path) -> None:
    asked = {"city": "成都市", "start_time": "2026年03月01日", "end_time": "2026年03月01日"}
    async with _connected("weather.py", tmp_path) as client:
        result = await client.call_tool("DayWeather", asked)
    assert not result.is_error
    assert result.structured_content == {"data": [TOMORROW_IN_CHENGDU]}
    assert _text(result) == json.dumps(
        {"data": [TOMORROW_IN_CHENGDU]}, ensure_ascii=False, separators=(",", ":")
    )
    assert (result.meta or {})["source"] == "sample"


async def test_weather_that_cannot_be_given_is_a_tool_error_and_the_server_lives_on(
    tmp_path: Path,
) -> None:
    async with _connected("weather.py", tmp_path) as client:
        for asked, said in [
            ({"city": "东京"}, "“东京”不在国内"),
            ({"city": "成都", "start_time": "2026-05-01"}, "没有 2026-05-01 的预报"),
            ({}, "请给出要查询的城市"),
        ]:
            result = await client.call_tool("DayWeather", asked)
            assert result.is_error
            assert said in _text(result)
        nulls = {"city": "成都", "province": None, "start_time": "明天", "end_time": None}
        result = await client.call_tool("DayWeather", nulls)
    assert result.structured_content == {"data": [TOMORROW_IN_CHENGDU]}


async def test_routes_have_steps_unless_they_are_not_wanted(tmp_path: Path) -> None:
    async with _connected("routes.py", tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        drive = await client.call_tool("plan_driving", ENDS)
        ride = await client.call_tool("plan_bicycle", ENDS | {"disable_paths": True})
        lost = await client.call_tool("plan_bicycle", ENDS | {"destination": "月球基地"})
    assert set(tools) == {"plan_driving", "plan_bicycle"}
    for tool in tools.values():
        assert set(tool.input_schema["properties"]) == {"origin", "destination", "disable_paths"}
        assert set(tool.input_schema["required"]) == {"origin", "destination"}
    planned: dict[str, Any] = drive.structured_content or {}
    assert [step["road"] for step in planned["steps"]] == ["三环路", "昭觉寺南路"]
    assert json.loads(_text(drive)) == planned
    ridden: dict[str, Any] = ride.structured_content or {}
    assert "steps" not in ridden
    assert ridden["distance_m"] > 9_000
    assert lost.is_error
    assert "附近已知的地点" in _text(lost)


async def test_real_services_answer_the_same_tools_when_configured(tmp_path: Path) -> None:
    apis = TravelApis()
    async with apis.serving() as url:
        urls = {"OPEN_METEO_URL": url, "OPEN_METEO_GEOCODING_URL": url, "AMAP_URL": url}
        async with _connected(
            "weather.py", tmp_path, TRAVEL_WEATHER="open-meteo", **urls
        ) as client:
            weather = await client.call_tool("DayWeather", {"city": "拉萨", "start_time": "明天"})
        async with _connected("routes.py", tmp_path, AMAP_KEY=KEY, **urls) as client:
            ride = await client.call_tool("plan_bicycle", ENDS)
    assert (weather.meta or {})["source"] == "open-meteo"
    assert (weather.structured_content or {})["data"][0]["weather_day"] == "多云"
    assert (ride.meta or {})["source"] == "amap"
    assert (ride.structured_content or {})["distance_m"] == 900


async def test_the_key_shows_nowhere_when_the_service_fails(tmp_path: Path) -> None:
    apis = TravelApis()
    troubles: list[Trouble] = ["http-500", "redirect", "amap-odd-error", "incomplete"]
    async with (
        apis.serving() as url,
        _connected("routes.py", tmp_path, AMAP_KEY=KEY, AMAP_URL=url) as client,
    ):
        for apis.trouble in troubles:
            result = await client.call_tool("plan_driving", ENDS)
            assert result.is_error
            assert KEY not in result.model_dump_json()
        schemas = (await client.list_tools()).model_dump_json()
    assert KEY not in schemas
    assert KEY not in (tmp_path / "stderr").read_text()
    assert len(apis.asked) >= len(troubles)


async def test_a_server_speaks_streamable_http_with_a_flag() -> None:
    command = [sys.executable, str(SERVERS / "weather.py"), "--http", "0", "--today", "2026-02-28"]
    async with await anyio.open_process(command) as process:
        assert process.stderr is not None
        url = (await _first_line(process.stderr)).removeprefix("mojitianqi: ")
        async with Client(url) as client:
            result = await client.call_tool("DayWeather", {"city": "成都", "start_time": "明天"})
        process.terminate()
    assert result.structured_content == {"data": [TOMORROW_IN_CHENGDU]}


async def _first_line(stream: ByteReceiveStream) -> str:
    text = b""
    with anyio.fail_after(60):
        while b"\n" not in text:
            text += await stream.receive()
    return text.decode().splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        ([], {"TRAVEL_WEATHER": "moji"}, "TRAVEL_WEATHER must be sample or open-meteo"),
        (["--today", "yesterday"], {}, "TRAVEL_TODAY must look like 2026-02-28"),
    ],
)
async def test_a_setting_that_cannot_be_meant_ends_the_server_at_once(
    arguments: list[str], env: dict[str, str], said: str
) -> None:
    command = [sys.executable, str(SERVERS / "weather.py"), *arguments]
    done = await anyio.run_process(command, env=env, check=False)
    assert done.returncode != 0
    assert said in done.stderr.decode()
