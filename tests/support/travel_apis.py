"""A stand-in for Amap's and Open-Meteo's HTTP APIs: their shapes, our own payloads.

Set ``trouble`` to make the next requests fail as the real services do.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date, timedelta
from typing import Any, Literal

from aiohttp import web
from aiohttp.test_utils import TestServer

Trouble = Literal[
    "",
    "http-500",
    "http-429",
    "not-json",
    "silence",
    "redirect",
    "incomplete",
    "amap-daily-limit",
    "amap-qps-limit",
    "amap-odd-error",
    "amap-no-route",
    "meteo-error",
]

KEY = "amap-test-key-f00d"
PLACES = {
    "成都南站": "104.068000,30.606000",
    "成都动物园": "104.107000,30.711000",
    "动物园": "104.107000,30.711000",
}
CITIES: dict[str, list[dict[str, Any]]] = {
    "成都": [
        {"name": "成都机场", "country_code": "CN", "admin1": "四川", "feature_code": "AIRP"},
        {"name": "成都", "country_code": "CN", "admin1": "四川", "feature_code": "PPLA"},
    ],
    "拉萨": [{"name": "拉萨", "country_code": "CN", "admin1": "西藏", "feature_code": "PPLA"}],
    "东京": [{"name": "东京", "country_code": "JP", "admin1": "东京都", "feature_code": "PPLC"}],
}


class TravelApis:
    """Both services on one port.

    Attributes:
        trouble: how to fail, if at all.
        asked: path and query of every request.
        codes: WMO weather code for each hour of every day.
    """

    def __init__(self) -> None:
        self.trouble: Trouble = ""
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.codes = [2] * 24
        self._closing = asyncio.Event()

    def queries(self, path: str) -> list[dict[str, str]]:
        return [query for asked, query in self.asked if asked == path]

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Listen on loopback; gives the base URL."""
        app = web.Application()
        for path, answer in {
            "/v3/geocode/geo": self._geocode,
            "/v5/direction/driving": self._driving,
            "/v4/direction/bicycling": self._bicycling,
            "/v1/search": self._search,
            "/v1/forecast": self._forecast,
        }.items():
            app.router.add_get(path, self._handler(answer))
        async with TestServer(app) as server:
            yield str(server.make_url("/")).rstrip("/")
            self._closing.set()

    def _handler(self, answer: Callable[[dict[str, str]], dict[str, Any]]) -> Any:
        async def handle(request: web.Request) -> web.Response:
            query = dict(request.query)
            self.asked.append((request.path, query))
            match self.trouble:
                case "http-500":
                    return web.Response(status=500, text=f"trace of {request.path_qs}")
                case "http-429":
                    return web.json_response({"error": True, "reason": "limit"}, status=429)
                case "not-json":
                    return web.Response(text="<html>maintenance</html>", content_type="text/html")
                case "redirect":
                    return web.Response(status=302, headers={"Location": f"/?{request.path_qs}"})
                case "silence":
                    await self._closing.wait()
            body = answer(query)
            return web.json_response(body, status=400 if body.get("error") else 200)

        return handle

    # Amap

    def _refusal(self, query: dict[str, str]) -> dict[str, Any] | None:
        if query.get("key") != KEY:
            return {"status": "0", "info": "INVALID_USER_KEY", "infocode": "10001"}
        match self.trouble:
            case "amap-daily-limit":
                return {"status": "0", "info": "DAILY_QUERY_OVER_LIMIT", "infocode": "10003"}
            case "amap-qps-limit":
                info = "CUQPS_HAS_EXCEEDED_THE_LIMIT"
                return {"status": "0", "info": info, "infocode": "10021"}
            case "amap-odd-error":
                return {"status": "0", "info": f"ODD key={query['key']}", "infocode": "39999"}
        return None

    def _geocode(self, query: dict[str, str]) -> dict[str, Any]:
        if refusal := self._refusal(query):
            return refusal
        location = PLACES.get(query["address"])
        if location is None:
            return {"status": "0", "info": "ENGINE_RESPONSE_DATA_ERROR", "infocode": "30001"}
        found = {"formatted_address": query["address"], "city": "成都市", "street": []}
        codes = [found | {"location": location, "level": "兴趣点"}]
        return _amap_ok({"count": "1", "geocodes": codes})

    def _driving(self, query: dict[str, str]) -> dict[str, Any]:
        if refusal := self._refusal(query):
            return refusal
        if self.trouble == "amap-no-route":
            return {"status": "0", "info": "ROUTE_FAIL", "infocode": "20802"}
        steps = [
            {
                "instruction": "沿测试大道向东行驶1500米右转",
                "orientation": "东",
                "road_name": "测试大道",
                "step_distance": "1500",
                "cost": {"duration": "300"},
                "navi": {"action": "右转", "assistant_action": ""},
            },
            {
                "instruction": "向南行驶20米到达目的地",
                "orientation": "南",
                "road_name": [],
                "step_distance": "20",
                "cost": {"duration": "30"},
                "navi": {"action": [], "assistant_action": "到达目的地"},
            },
        ]
        path = {"distance": "1520", "restriction": "0", "cost": {"duration": "330"}, "steps": steps}
        if self.trouble == "incomplete":
            del path["distance"]
        return _amap_ok({"count": "1", "route": {"origin": query["origin"], "paths": [path]}})

    def _bicycling(self, query: dict[str, str]) -> dict[str, Any]:
        if refusal := self._refusal(query):
            code = int(refusal["infocode"])
            return {"errcode": code, "errmsg": refusal["info"], "errdetail": None, "data": None}
        paths: list[dict[str, Any]] = []
        if self.trouble != "amap-no-route":
            step = {
                "instruction": "沿测试绿道向北骑行900米到达目的地",
                "road": "测试绿道",
                "distance": 900,
                "duration": 270,
                "orientation": "北",
                "action": [],
            }
            paths = [{"distance": 900, "duration": 270, "steps": [step]}]
        return {"errcode": 0, "errmsg": "OK", "errdetail": None, "data": {"paths": paths}}

    # Open-Meteo

    def _search(self, query: dict[str, str]) -> dict[str, Any]:
        found = CITIES.get(query["name"])
        if found is None:
            return {"generationtime_ms": 0.4}
        point = {"latitude": 30.66667, "longitude": 104.06667, "timezone": "Asia/Shanghai"}
        return {"results": [city | point for city in found], "generationtime_ms": 0.5}

    def _forecast(self, query: dict[str, str]) -> dict[str, Any]:
        if self.trouble == "meteo-error":
            return {"error": True, "reason": "Parameter 'start_date' is out of allowed range"}
        first = date.fromisoformat(query["start_date"])
        count = (date.fromisoformat(query["end_date"]) - first).days + 1
        hours = range(24 * count)
        humidity: list[float | None] = [75.6] * count
        if self.trouble == "incomplete":
            humidity[0] = None
        return {
            "timezone": query["timezone"],
            "daily": {
                "time": [str(first + timedelta(days=n)) for n in range(count)],
                "temperature_2m_max": [17.6] * count,
                "temperature_2m_min": [-0.4] * count,
                "relative_humidity_2m_mean": humidity,
            },
            "hourly": {
                "weather_code": self.codes * count,
                # Gentle north-easterlies by day, strong north-westerlies by night.
                "wind_speed_10m": [2.4 if 8 <= hour % 24 < 20 else 9.0 for hour in hours],
                "wind_direction_10m": [
                    (350 if hour % 2 else 100) if 8 <= hour % 24 < 20 else 315 for hour in hours
                ],
            },
        }


def _amap_ok(body: dict[str, Any]) -> dict[str, Any]:
    return {"status": "1", "info": "OK", "infocode": "10000"} | body
