"""Amap and Open-Meteo behind the travel tools, against a stand-in of their HTTP APIs."""

from collections.abc import AsyncIterator
from datetime import date

import pytest

from amap import Amap
from faults import TravelFault
from forecast import Question
from open_meteo import open_meteo_forecast
from tests.support.travel_apis import KEY, TravelApis, Trouble

pytestmark = pytest.mark.anyio
TODAY = date(2026, 2, 28)
TOMORROW = Question(city="成都市", start="2026-03-01")


@pytest.fixture
async def apis(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TravelApis]:
    stand_in = TravelApis()
    async with stand_in.serving() as url:
        for name in ("AMAP_URL", "OPEN_METEO_URL", "OPEN_METEO_GEOCODING_URL"):
            monkeypatch.setenv(name, url)
        yield stand_in


def _fail_with(trouble: Trouble, apis: TravelApis, monkeypatch: pytest.MonkeyPatch) -> None:
    apis.trouble = trouble
    if trouble == "silence":
        monkeypatch.setenv("TRAVEL_TIMEOUT", "0.3")


async def test_a_drive_is_amap_s_first_route(apis: TravelApis) -> None:
    plan = await Amap(KEY).route("成都南站", "成都动物园", "driving")
    assert (plan.distance_m, plan.duration_min) == (1520, 5.5)
    assert plan.steps is not None
    first, last = plan.steps
    assert (first.road, first.direction, first.turn) == ("测试大道", "东", "右转")
    assert (last.road, last.turn, last.distance_m) == ("", "", 20)
    (query,) = apis.queries("/v5/direction/driving")
    assert query["origin"] == plan.origin.location == "104.068000,30.606000"


async def test_a_ride_comes_from_the_other_envelope(apis: TravelApis) -> None:
    plan = await Amap(KEY).route("成都南站", "成都动物园", "bicycling")
    assert (plan.distance_m, plan.duration_min) == (900, 4.5)
    assert [step.road for step in plan.steps or []] == ["测试绿道"]


async def test_the_other_end_says_which_city_a_bare_name_is_in(apis: TravelApis) -> None:
    await Amap(KEY).route("成都南站", "动物园", "driving")
    first, second = apis.queries("/v3/geocode/geo")
    assert "city" not in first
    assert second["city"] == "成都"


async def test_coordinates_are_not_looked_up(apis: TravelApis) -> None:
    await Amap(KEY).route("104.0683,30.6063", "104.1068,30.711", "driving")
    assert apis.queries("/v3/geocode/geo") == []


async def test_an_unknown_address_is_named(apis: TravelApis) -> None:
    with pytest.raises(TravelFault, match="没有找到“月球基地”"):
        await Amap(KEY).route("成都南站", "月球基地", "driving")


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("http-500", "暂时出错（HTTP 500）"),
        ("http-429", "请求太多"),
        ("not-json", "返回的不是 JSON（HTTP 200）"),
        ("redirect", "返回的不是 JSON（HTTP 302）"),
        ("silence", "0.3 秒内没有回应"),
        ("incomplete", "返回的数据不完整"),
        ("amap-daily-limit", "今日用量已达上限（10003）"),
        ("amap-qps-limit", "请求过于频繁，请稍后再试（10021）"),
        ("amap-odd-error", "返回错误 ODD key=***（39999）"),
        ("amap-no-route", "没有算出路线（20802）"),
    ],
)
async def test_amap_s_failures_are_told_without_the_key(
    apis: TravelApis, monkeypatch: pytest.MonkeyPatch, trouble: Trouble, said: str
) -> None:
    _fail_with(trouble, apis, monkeypatch)
    with pytest.raises(TravelFault) as caught:
        await Amap(KEY).route("成都南站", "成都动物园", "driving")
    assert said in caught.value.zh
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("trouble", ["amap-daily-limit", "amap-no-route"])
async def test_failures_in_the_bicycle_envelope_are_told_too(
    apis: TravelApis, trouble: Trouble
) -> None:
    apis.trouble = trouble
    with pytest.raises(TravelFault, match=r"10003|20802"):
        await Amap(KEY).route("104.06,30.6", "104.1,30.7", "bicycling")


async def test_a_wrong_key_is_told_and_not_shown(apis: TravelApis) -> None:
    with pytest.raises(TravelFault, match="密钥无效或已过期（10001）") as caught:
        await Amap("wrong-key").route("成都南站", "成都动物园", "driving")
    assert "wrong-key" not in str(caught.value)


async def test_a_service_that_is_not_there_is_told(
    apis: TravelApis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMAP_URL", "http://127.0.0.1:1")
    with pytest.raises(TravelFault, match="高德地图连接不上"):
        await Amap(KEY).route("成都南站", "成都动物园", "driving")


async def test_a_day_is_summed_up_from_open_meteo_s_hours(apis: TravelApis) -> None:
    apis.codes = [3] * 8 + [1, 2] * 6 + [61] * 4
    (day,) = (await open_meteo_forecast(TOMORROW, TODAY)).data
    assert (day.weather_day, day.condition) == ("多云", "多云转小雨")
    assert (day.wind_dir_day, day.wind_level_day) == ("东北风", "2")
    assert (day.wind_dir_night, day.wind_level_night) == ("西北风", "5")
    assert (day.temp_high, day.temp_low, day.humidity) == (18, 0, 76)
    assert day.predict_date == "2026-03-01"


async def test_the_city_is_looked_up_by_its_short_name_and_a_town_wins_over_an_airport(
    apis: TravelApis,
) -> None:
    await open_meteo_forecast(Question(city="四川省成都市武侯区"), TODAY)
    await open_meteo_forecast(Question(city="拉萨市", province="西藏自治区"), TODAY)
    assert [query["name"] for query in apis.queries("/v1/search")] == ["成都", "拉萨"]


async def test_the_night_of_the_last_day_is_asked_for_too(apis: TravelApis) -> None:
    await open_meteo_forecast(Question(city="成都", start="2026-03-01", end="2026-03-03"), TODAY)
    (query,) = apis.queries("/v1/forecast")
    assert (query["start_date"], query["end_date"]) == ("2026-03-01", "2026-03-04")
    assert query["timezone"] == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (Question(city="东京"), "“东京”不在国内"),
        (Question(city="无此城"), "没有找到城市“无此城”"),
        (Question(city="拉萨", province="青海省"), "没有找到城市“拉萨”"),
        (Question(city="成都", start="2026-03-15"), "没有 2026-03-15 的预报"),
    ],
)
async def test_what_open_meteo_cannot_answer_is_told(
    apis: TravelApis, question: Question, said: str
) -> None:
    with pytest.raises(TravelFault, match=said):
        await open_meteo_forecast(question, TODAY)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("http-500", "地名服务暂时出错（HTTP 500）"),
        ("silence", "地名服务0.3 秒内没有回应"),
        ("incomplete", "天气服务返回的数据不完整"),
        ("meteo-error", "天气服务拒绝了请求：Parameter 'start_date' is out of allowed range"),
    ],
)
async def test_open_meteo_s_failures_are_told(
    apis: TravelApis, monkeypatch: pytest.MonkeyPatch, trouble: Trouble, said: str
) -> None:
    _fail_with(trouble, apis, monkeypatch)
    with pytest.raises(TravelFault, match="服务") as caught:
        await open_meteo_forecast(TOMORROW, TODAY)
    assert said in caught.value.zh
