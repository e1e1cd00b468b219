"""The travel servers' own data: dates, forecasts, places and routes as tables."""

import contextlib
import itertools
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cities import City, cities
from dates import parse_day, span
from faults import TravelFault
from forecast import Day, Question, sample_forecast
from places import resolve
from roads import Mode, sample_route

TODAY = date(2026, 2, 28)
MODES: list[Mode] = ["driving", "bicycling"]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026年03月01日", "2026-03-01"),
        ("2026年3月1日", "2026-03-01"),
        ("２０２６年０３月０１日", "2026-03-01"),
        ("2026-03-01", "2026-03-01"),
        ("2026/3/1", "2026-03-01"),
        ("2026.03.01", "2026-03-01"),
        ("20260301", "2026-03-01"),
        (" 2026-03-01 08:30:00 ", "2026-03-01"),
        ("2026-03-01T08:30:00", "2026-03-01"),
        ("2026-03-01T00:30:00+08:00", "2026-03-01"),
        ("2026-03-01T20:00:00Z", "2026-03-02"),
        ("2026年03月01日 15时23分47秒", "2026-03-01"),
        ("2026年03月01日 星期日", "2026-03-01"),
        ("2026-03-01（周日）", "2026-03-01"),
        ("3月1日", "2026-03-01"),
        ("1月2号", "2027-01-02"),
        ("明天", "2026-03-01"),
        ("Tomorrow", "2026-03-01"),
        ("大后天", "2026-03-03"),
    ],
)
def test_a_day_is_read_however_it_is_written(text: str, day: str) -> None:
    assert parse_day(text, today=TODAY).isoformat() == day


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-02-30", "2026-13-01", "3", "2026-03-01abc", "2026-03-01T99", "1e9"]
)
def test_what_is_no_day_is_named_in_the_fault(text: str) -> None:
    with pytest.raises(TravelFault, match="日期") as caught:
        parse_day(text, today=TODAY)
    assert text in str(caught.value)


@given(st.text() | st.from_regex(r"\d{1,4}[-年/.]\d{1,2}[-月/.]?\d{0,2}[T日 ]?[\d:+Z-]*"))
def test_any_text_is_a_day_or_a_fault(text: str) -> None:
    with contextlib.suppress(TravelFault):
        assert isinstance(parse_day(text, today=TODAY), date)


@given(
    st.dates(min_value=date(1000, 1, 1)), st.sampled_from(["%Y年%m月%d日", "%Y-%m-%d", "%Y%m%d"])
)
def test_a_written_day_is_read_back(day: date, form: str) -> None:
    assert parse_day(day.strftime(form), today=TODAY) == day


@given(st.text() | st.from_regex(r"-?\d{1,3}(\.\d+)?[,，]-?\d{1,3}"))
def test_any_end_of_a_route_is_a_place_or_a_fault(text: str) -> None:
    with contextlib.suppress(TravelFault):
        resolve(text, "成都动物园")


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("", "", ("2026-02-28", "2026-02-28")),
        ("明天", "", ("2026-03-01", "2026-03-01")),
        ("", "2026-03-02", ("2026-02-28", "2026-03-02")),
        ("2026-03-01", "2026-03-06", ("2026-03-01", "2026-03-06")),
    ],
)
def test_missing_dates_mean_today_or_the_other_date(
    start: str, end: str, days: tuple[str, str]
) -> None:
    first, last = span(start, end, today=TODAY, days=7)
    assert (first.isoformat(), last.isoformat()) == days


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("2026-02-27", "", "没有 2026-02-27 的预报，只能查询 2026-02-28 到 2026-03-06"),
        ("2026-03-07", "", "没有 2026-03-07 的预报"),
        ("2026-03-01", "2026-03-20", "没有 2026-03-20 的预报"),
        ("2026-03-02", "2026-03-01", "早于开始日期"),
    ],
)
def test_days_out_of_range_or_order_are_named(start: str, end: str, said: str) -> None:
    with pytest.raises(TravelFault, match=said):
        span(start, end, today=TODAY, days=7)


async def _days(city: str, *, today: date = TODAY, province: str = "", end: str = "") -> list[Day]:
    question = Question(city=city, province=province, start="明天", end=end)
    return (await sample_forecast(question, today)).data


@pytest.mark.anyio
@pytest.mark.parametrize("today", [date(2026, 2, 28), date(2027, 12, 31), date(2028, 2, 28)])
async def test_tomorrow_it_rains_in_hangzhou_and_never_in_chengdu(today: date) -> None:
    (dry,), (wet,) = await _days("成都", today=today), await _days("杭州", today=today)
    assert (dry.condition, dry.weather_day) == ("多云", "多云")
    assert "雨" in wet.condition
    assert "雨" in wet.weather_day
    assert (
        dry.predict_date == wet.predict_date == date.fromordinal(today.toordinal() + 1).isoformat()
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name",
    ["成都", "成都市", "四川省成都市", "四川成都", "中国成都", "成都市武侯区", "Chengdu", " 成都 "],
)
async def test_a_city_is_known_by_its_long_and_short_names(name: str) -> None:
    assert await _days(name) == await _days("成都", province="四川省")


@pytest.mark.anyio
async def test_a_municipality_given_as_the_province_is_the_city() -> None:
    assert await _days("", province="北京市") == await _days("北京")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("city", "province", "said"),
    [
        ("东京", "", "“东京”不在国内"),
        ("New York", "", "不在国内"),
        ("拉萨", "", "没有“拉萨”的天气数据，现有城市：北京"),
        ("重庆路", "", "没有“重庆路”的天气数据"),
        ("成都", "浙江省", "成都不属于“浙江省”，而属于四川"),
        ("", "", "请给出要查询的城市"),
    ],
)
async def test_a_city_that_cannot_be_answered_is_told_why(
    city: str, province: str, said: str
) -> None:
    with pytest.raises(TravelFault, match=said):
        await _days(city, province=province)


@pytest.mark.anyio
async def test_a_span_gives_every_day_in_order() -> None:
    days = await _days("上海", end="2026-03-06")
    assert [day.predict_date[-2:] for day in days] == ["01", "02", "03", "04", "05", "06"]


@pytest.mark.parametrize("city", cities().values(), ids=lambda city: city.english)
def test_every_city_has_a_week_and_sound_roads(city: City) -> None:
    assert len(city.forecast) == 7
    assert all(row.high > row.low for row in city.forecast)
    for road in city.roads:
        assert set(road.along) <= set(city.places), road.name


@pytest.mark.parametrize("mode", MODES)
def test_a_way_leads_between_any_two_places_of_a_city_and_its_steps_add_up(mode: Mode) -> None:
    for city in cities().values():
        for a, b in itertools.combinations(city.places, 2):
            plan = sample_route(f"{city.name}{a}", f"{city.name}{b}", mode)
            assert plan.steps is not None
            assert abs(sum(step.distance_m for step in plan.steps) - plan.distance_m) < 10
            assert plan.duration_min > 0
            assert plan.steps[-1].instruction.endswith(f"到达{b}")


def test_a_car_takes_the_express_road_and_a_bicycle_the_green_way() -> None:
    drive = sample_route("成都南站", "成都动物园", "driving")
    ride = sample_route("成都南站", "成都动物园", "bicycling")
    assert [step.road for step in drive.steps or []] == ["三环路", "昭觉寺南路"]
    assert [step.road for step in ride.steps or []] == ["科华中路", "府河绿道", "昭觉寺南路"]
    assert 9_000 < ride.distance_m < 17_000
    assert drive.duration_min < ride.duration_min


def test_turns_are_named_from_the_rider_s_point_of_view() -> None:
    (first, second, last) = sample_route("西湖", "杭州东站", "driving").steps or []
    assert (first.turn, first.direction) == ("向左前方行驶", "东北")
    assert second.instruction == f"沿上塘高架路向北行驶{second.distance_m}米，右转进入德胜快速路"
    assert last.turn == ""


@pytest.mark.parametrize(
    ("origin", "destination", "ends"),
    [
        ("成都南站", "成都动物园", ("成都南站", "成都动物园")),
        ("成都市成都南站", "四川省成都市动物园", ("成都南站", "成都动物园")),
        ("成都南", "成都的动物园", ("成都南站", "成都动物园")),
        ("火车南站", "动物园", ("成都南站", "成都动物园")),
        ("成都东", "天府广场地铁站", ("成都东站", "天府广场")),
        ("西湖", "杭州东站", ("西湖", "杭州东站")),
        ("杭州西湖风景名胜区", "杭州东火车站", ("西湖", "杭州东站")),
        ("西湖", "东站", ("西湖", "杭州东站")),
        ("广州塔", "北京路", ("广州塔", "北京路")),
        ("深圳市民中心", "深圳市福田站", ("市民中心", "福田站")),
        ("北京国贸", "北京站", ("国贸", "北京站")),
        ("104.0683,30.6063", "天府广场", ("成都南站", "天府广场")),
        ("104.07， 30.61", "104.1068,30.7110", ("成都南站", "成都动物园")),
    ],
)
def test_places_are_found_as_people_write_them(
    origin: str, destination: str, ends: tuple[str, str]
) -> None:
    start, end = resolve(origin, destination)
    assert (start.place.name, end.place.name) == ends


@pytest.mark.parametrize(
    ("origin", "destination", "said"),
    [
        ("成都南站", "成都春西路", "成都没有找到“成都春西路”，附近已知的地点：春熙路"),
        (
            "成都南站",
            "月球基地",
            "成都没有找到“月球基地”，附近已知的地点：熊猫基地、环球中心、成都南站",
        ),
        ("西湖边上", "杭州东站", "杭州没有找到“西湖边上”，附近已知的地点：西湖"),
        ("夫子庙街", "x", "没有找到“夫子庙街”，请写上城市。已知的地点：南京夫子庙"),
        ("xyz", "zyx", "没有找到“xyz”，请写上城市。已知的城市：北京"),
        ("国贸", "鼓楼", "“国贸”可能是：北京国贸、深圳国贸"),
        ("成都南站", "杭州西湖", "不在同一个城市"),
        ("成都南站", "火车南站", "起点和终点都是成都南站"),
        ("成都南站", " ", "请给出起点和终点"),
        ("91.1,29.6", "成都南站", "附近没有已知地点，最近的是"),
        ("304.06,30.6", "成都南站", "坐标“304.06,30.6”无效"),
    ],
)
def test_a_place_that_cannot_be_used_is_named_with_what_could(
    origin: str, destination: str, said: str
) -> None:
    with pytest.raises(TravelFault, match=said) as caught:
        resolve(origin, destination)
    assert caught.value.en in str(caught.value)
