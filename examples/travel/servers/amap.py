"""Routes from Amap (高德) Web services: needs a key of the type "Web 服务".

Source: https://lbs.amap.com/api/webservice/guide/api/newroute (driving, v5), .../direction
(bicycling, v4), .../georegeo (geocoding), .../tools/info (infocodes). Two envelopes are in use:
``status``/``infocode``/``info`` and, in v4, ``errcode``/``errmsg``/``data``.
"""

import os
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, Field

from cities import city_in
from faults import TravelFault
from places import coordinates
from roads import End, Mode, Plan, Step
from web import WebApi, timeout

_MEANING = {
    "10001": ("密钥无效或已过期", "the key is invalid or has expired"),
    "10002": ("密钥没有这项服务的权限", "the key may not use this service"),
    "10003": ("今日用量已达上限", "today's quota is used up"),
    "10004": ("请求过于频繁，请稍后再试", "too many requests; try again later"),
    "10005": ("本机 IP 不在密钥的白名单内", "this IP is not on the key's list"),
    "10007": ("密钥要求数字签名", "the key asks for signed requests"),
    "10009": ("密钥类型不对，需要“Web 服务”", "the key is of another type than Web service"),
    "10013": ("密钥已被删除", "the key has been deleted"),
    "10044": ("今日用量已达上限", "today's quota is used up"),
    "20800": ("起点或终点不在国内陆地", "an end is not on land in China"),
    "20801": ("起点或终点附近没有道路", "no road near an end"),
    "20802": ("没有算出路线", "no route was found"),
    "20803": ("起点和终点相距太远", "the ends are too far apart"),
}
_OVER_LIMIT = {"10014", "10015", "10019", "10020", "10021", "10029", "10045"}

# Amap writes an absent text as an empty list.
_Text = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")]


class _Geocode(BaseModel):
    location: _Text = ""


class _Geocodes(BaseModel):
    geocodes: list[_Geocode] = []


class _Step(BaseModel):
    instruction: _Text = ""
    orientation: _Text = ""
    road: _Text = Field(default="", validation_alias=AliasChoices("road_name", "road"))
    distance: int = Field(validation_alias=AliasChoices("step_distance", "distance"))
    action: _Text = Field(
        default="", validation_alias=AliasChoices("action", AliasPath("navi", "action"))
    )


class _Path(BaseModel):
    distance: int
    seconds: int = Field(validation_alias=AliasChoices(AliasPath("cost", "duration"), "duration"))
    steps: list[_Step]


class _Paths(BaseModel):
    paths: list[_Path] = Field(
        default=[],
        validation_alias=AliasChoices(AliasPath("route", "paths"), AliasPath("data", "paths")),
    )


class Amap:
    """Amap's answers as our plans. The key is in requests only, never in a message."""

    def __init__(self, key: str) -> None:
        self._key = key
        url = os.environ.get("AMAP_URL") or "https://restapi.amap.com"
        self._api = WebApi(zh="高德地图", en="Amap", url=url, timeout=timeout())

    async def route(self, origin: str, destination: str, mode: Mode) -> Plan:
        """The first route that Amap proposes.

        Raises:
            TravelFault: an end is not found, there is no route, or the service refuses or fails.
        """
        start = await self._end(origin, near=destination)
        end = await self._end(destination, near=origin)
        ends = {"origin": start.location, "destination": end.location}
        if mode == "driving":
            answer = await self._get("/v5/direction/driving", ends | {"show_fields": "cost,navi"})
        else:
            answer = await self._get("/v4/direction/bicycling", ends)
        paths = self._api.read(_Paths, answer).paths
        if not paths:
            raise self._fault("20802", "")
        path = paths[0]
        return Plan(
            mode=mode,
            origin=start,
            destination=end,
            distance_m=path.distance,
            duration_min=round(path.seconds / 60, 1),
            steps=[
                Step(
                    instruction=step.instruction,
                    road=step.road,
                    direction=step.orientation,
                    distance_m=step.distance,
                    turn=step.action,
                )
                for step in path.steps
            ],
        )

    async def _end(self, text: str, *, near: str) -> End:
        if not text.strip():
            raise TravelFault("请给出起点和终点。", "Give both origin and destination.")
        if point := coordinates(text):
            return End(name=text.strip(), location=f"{point[0]:.6f},{point[1]:.6f}")
        query = {"address": text.strip()}
        # 动物园 alone is found anywhere in China; the other end often says which city is meant.
        if not city_in(text) and (city := city_in(near)):
            query["city"] = city.name
        answer = await self._get("/v3/geocode/geo", query)
        found = self._api.read(_Geocodes, answer).geocodes
        if not found or not found[0].location:
            raise TravelFault(
                f"高德地图没有找到“{text}”，请写得更完整（城市、地点）。",
                f"Amap does not know {text!r}; write it out with its city.",
            )
        return End(name=text.strip(), location=found[0].location)

    async def _get(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        answer = await self._api.get(path, query | {"key": self._key})
        if "errcode" in answer:
            code, info, ok = str(answer["errcode"]), answer.get("errmsg") or "", "0"
        else:
            code, info, ok = str(answer.get("infocode", "")), answer.get("info") or "", "10000"
        if code == ok:
            return answer
        # Geocoding says ENGINE_RESPONSE_DATA_ERROR for an address that it cannot read.
        if path.startswith("/v3/geocode") and code.startswith("3000"):
            return {}
        raise self._fault(code, str(info))

    def _fault(self, code: str, info: str) -> TravelFault:
        info = info.replace(self._key, "***")[:80]
        zh, en = _MEANING.get(code, (f"返回错误 {info}", f"error {info}"))
        if code in _OVER_LIMIT:
            zh, en = _MEANING["10004"]
        return TravelFault(f"高德地图：{zh}（{code}）。", f"Amap: {en} ({code}).")
