"""The travel agent's conversations with the offline model: whole talks against scripted results,
and against the same sample data that its servers give."""

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import anyio
import pytest

from faults import TravelFault
from forecast import Question, sample_forecast
from pointsman import agentfile
from pointsman.adapters.models.offline import OfflineModel
from pointsman.domain.agent import Language
from roads import sample_route
from tests.support.offline_talk import Talk

SATURDAY = date(2026, 2, 28)
WEATHER, DRIVING, CYCLING = (
    "mojitianqi-DayWeather",
    "gaodedetu-plan_driving",
    "gaodedetu-plan_bicycle",
)
FOLDER = Path(__file__).parents[2] / "examples" / "travel"
FILE = agentfile.load(FOLDER)
MODEL = OfflineModel(FILE.spec.offline)
D8_FORK = (
    "我在成都南站，明天要去成都动物园。如果明天下雨，请帮我规划一下驾驶路线。"
    "如果明天不下雨，给我规划一下骑行路线。"
)


def weather(sky: str) -> Any:
    """One day's weather, whatever day is asked for."""

    def forecast(arguments: dict[str, Any]) -> Any:
        day = arguments["start_time"].replace("年", "-").replace("月", "-").strip("日")
        return {
            "data": [
                {
                    "wind_dir_day": "东北风",
                    "wind_level_day": "2",
                    "temp_high": 18,
                    "condition": sky,
                    "wind_dir_night": "东北风",
                    "predict_date": day,
                    "weather_day": sky.split("转")[0],
                    "wind_level_night": "2",
                    "temp_low": 10,
                    "humidity": 76,
                }
            ]
        }

    return forecast


def route(arguments: dict[str, Any]) -> Any:
    return {
        "origin": {"name": arguments["origin"], "location": "104.07,30.61"},
        "destination": {"name": arguments["destination"], "location": "104.11,30.71"},
        "distance_m": 14900,
        "duration_min": 84.6,
        "steps": [
            {
                "instruction": "沿人民南路向北骑行105米，左转进入二环路",
                "road": "人民南路",
                "direction": "北",
                "distance_m": 105,
                "turn": "左转",
            },
            {
                "instruction": "沿二环路向东骑行72米，到达终点",
                "road": "",
                "direction": "东",
                "distance_m": 72,
                "turn": "",
            },
        ],
    }


def talk(sky: str = "多云", language: Language = "zh") -> Talk:
    tools = {WEATHER: weather(sky), DRIVING: route, CYCLING: route}
    return Talk(MODEL, tools, today=SATURDAY, language=language)


def on_sample_data(today: date = SATURDAY) -> Talk:
    """The tools as the servers answer, without processes."""

    def answered(work: Any) -> str:
        try:
            return json.dumps(asdict(work()), ensure_ascii=False)
        except TravelFault as fault:
            return f"ERROR: {fault}"

    def forecast(arguments: dict[str, Any]) -> str:
        question = Question(
            city=arguments.get("city", ""),
            start=arguments["start_time"],
            end=arguments["end_time"],
        )
        return answered(lambda: anyio.run(sample_forecast, question, today))

    def planned(mode: Any) -> Any:
        return lambda given: answered(
            lambda: sample_route(given["origin"], given["destination"], mode)
        )

    tools = {WEATHER: forecast, DRIVING: planned("driving"), CYCLING: planned("bicycling")}
    return Talk(MODEL, tools, today=today, language="zh")


def test_the_file_declares_the_articles_agent() -> None:
    spec = FILE.spec
    assert (spec.name, spec.language, spec.timezone) == ("travel", "zh", "Asia/Shanghai")
    assert spec.instructions.startswith("# 角色")
    servers = [one for one in FILE.tools if isinstance(one, agentfile.McpServer)]
    assert [(one.settings.name, one.settings.joiner) for one in servers] == [
        ("mojitianqi", "-"),
        ("gaodedetu", "-"),
    ]
    assert all((FOLDER / one.settings.command[1]).is_file() for one in servers)


@pytest.mark.parametrize(
    ("text", "word"),
    [("你是谁？", "强子"), ("Who are you?", "Qiangzi"), ("谢谢", "不客气"), ("hi", "Hello")],
)  # fmt: skip
def test_d8_a_question_about_itself_needs_no_tool(text: str, word: str) -> None:
    turn = talk().say(text)
    assert not turn.calls
    assert word in turn.reply


@pytest.mark.parametrize(
    "text",
    [
        "我在成都，明天天气如何？",
        "成都明天天气怎么样",
        "查一下成都市3月1日的天气",
        "I am in Chengdu, what is tomorrow's weather?",
        "Will it rain in Chengdu tomorrow?",
        "成都周日气温多少度",
    ],
)
def test_d8_the_weather_is_one_call_with_the_right_day(text: str) -> None:
    turn = talk().say(text)
    day = "2026年03月01日"
    assert turn.calls == [(WEATHER, {"city": "成都市", "start_time": day, "end_time": day})]
    assert "18" in turn.reply
    assert "76" in turn.reply


def test_the_weather_is_said_in_the_users_language() -> None:
    assert talk().say("我在成都，明天天气如何？").reply == (
        "**成都市** 03月01日（星期日）多云，气温 10～18 ℃，东北风 2 级，湿度 76%。"
    )
    assert talk("多云转小雨").say("weather in Chengdu tomorrow").reply == (
        "**Chengdu**, Sunday 2026-03-01: partly cloudy turning to light rain, 10 to 18 °C, "
        "wind northeast force 2, humidity 76%."
    )


FORKS = [
    (D8_FORK, DRIVING, CYCLING),
    ("我在成都南站，明天要去成都动物园。如果明天不下雨,给我规划驾驶;下雨就骑行", CYCLING, DRIVING),
    (D8_FORK.replace("，", ",").replace("。", "."), DRIVING, CYCLING),
    (
        "If the weather is dry tomorrow, plan cycling from Chengdu South Station to Chengdu Zoo; "
        "if it is wet, plan driving.",
        DRIVING,
        CYCLING,
    ),
    ("从成都南站去成都动物园，明天要是下雨就开车，否则骑自行车", DRIVING, CYCLING),
    ("明天不下雨的话骑车从成都南站到成都动物园，下雨的话开车", DRIVING, CYCLING),
    ("我在成都南站，明天去成都动物园，晴天骑车，下雨开车", DRIVING, CYCLING),
    ("除非明天下雨，从成都南站骑车去成都动物园，不然开车", DRIVING, CYCLING),
    ("从成都南站到成都动物园，如果明天下雨就骑行，不下雨就驾车", CYCLING, DRIVING),
    (
        "I'm at Chengdu South Station and want to go to Chengdu Zoo tomorrow. If it rains, plan a "
        "driving route, otherwise a cycling route.",
        DRIVING,
        CYCLING,
    ),
    (
        "Plan driving from Chengdu South Station to Chengdu Zoo if it rains tomorrow, "
        "and cycling otherwise.",
        DRIVING,
        CYCLING,
    ),
    (
        "If it doesn't rain tomorrow, drive from Chengdu South Station to Chengdu Zoo; "
        "if it rains, cycle.",
        CYCLING,
        DRIVING,
    ),
]


@pytest.mark.parametrize(("text", "wet", "dry"), FORKS)
@pytest.mark.parametrize("sky", ["多云", "小雨", "多云转小雨", "晴", "雷阵雨"])
def test_d8_the_forecast_and_the_users_words_choose_the_route(
    text: str, wet: str, dry: str, sky: str
) -> None:
    turn = talk(sky).say(text)
    chosen = wet if "雨" in sky else dry
    assert [[name for name, _ in calls] for calls in turn.rounds] == [[WEATHER], [chosen]]
    day = "2026年03月01日"
    assert turn.calls[0][1] == {"city": "成都市", "start_time": day, "end_time": day}
    assert turn.calls[1][1] == {"origin": "成都南站", "destination": "成都动物园"}


def test_the_forks_answer_has_weather_decision_steps_and_totals() -> None:
    assert talk().say(D8_FORK).reply == (
        "### 天气：成都市\n\n"
        "- **日期**：2026年03月01日（星期日）\n"
        "- **天况**：多云，10～18 ℃\n"
        "- **风和湿度**：东北风 2 级，76%\n\n"
        "**判断**：成都市没有雨（多云）。\n\n"
        "### 骑行路线：成都南站 → 成都动物园\n\n"
        "1. 沿人民南路向北骑行105米，左转进入二环路\n"
        "2. 沿二环路向东骑行72米，到达终点\n\n"
        "**全程**约 14.9 公里，约 85 分钟。"
    )
    reply = talk("小雨").say(FORKS[-2][0]).reply
    assert "**So**: rain is forecast." in reply
    assert "1. 人民南路, north, 0.1 km; then turn left\n2. an unnamed road, east" in reply


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("从成都南站开车到成都动物园", (DRIVING, "成都南站", "成都动物园")),
        ("从杭州东站骑车去西湖怎么走？", (CYCLING, "杭州东站", "西湖")),
        ("我想骑自行车从上海站到外滩", (CYCLING, "上海站", "外滩")),
        ("帮我规划一下从重庆北站到洪崖洞的驾车路线", (DRIVING, "重庆北站", "洪崖洞")),
        ("我在钟楼，想开车去大雁塔", (DRIVING, "钟楼", "大雁塔")),
        ("Drive from the Bund to Shanghai Hongqiao Station", (DRIVING, "外滩", "上海虹桥站")),
        ("How do I cycle from West Lake to Leifeng Pagoda?", (CYCLING, "西湖", "雷峰塔")),
    ],
)
def test_a_route_alone_is_one_call(text: str, call: tuple[str, str, str]) -> None:
    name, origin, destination = call
    assert talk().say(text).calls == [(name, {"origin": origin, "destination": destination})]


def test_only_the_totals_on_request() -> None:
    turn = talk().say("从成都南站开车到成都动物园多远？")
    assert turn.calls[0][1]["disable_paths"] is True


def test_follow_ups_change_the_day_the_city_and_the_way() -> None:
    chat = talk()
    chat.say("我在成都，明天天气如何？")
    assert chat.say("那后天呢？").calls[0][1]["start_time"] == "2026年03月02日"
    assert chat.say("上海呢?").calls[0][1] == {
        "city": "上海市",
        "start_time": "2026年03月02日",
        "end_time": "2026年03月02日",
    }
    assert chat.say("And Hangzhou?").calls[0][1]["city"] == "杭州市"
    chat.say("从杭州东站开车去西湖")
    assert chat.say("换成骑车").calls == [(CYCLING, {"origin": "杭州东站", "destination": "西湖"})]


def test_a_way_taken_back_in_passing_is_not_planned() -> None:
    assert talk().say("我在西湖，要去杭州东站。骑车，不，开车").names == [DRIVING]


def test_a_fork_is_understood_in_traditional_characters() -> None:
    said = "我在杭州東站，明天要去西湖。如果下雨請幫我規劃駕車路線，不下雨就規劃騎行路線"
    turn = talk("小雨").say(said)
    assert turn.names == [WEATHER, DRIVING]
    assert turn.calls[1][1]["origin"] == "杭州东站"


@pytest.mark.parametrize(
    "text", ["从成都南站到成都动物园坐地铁怎么走", "帮我订一张去成都的机票", "Is there a bus?"]
)
def test_what_the_agent_cannot_do_is_said_with_what_it_can(text: str) -> None:
    turn = talk().say(text)
    assert turn.calls == []
    assert "驾车" in turn.reply or "drives" in turn.reply


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("不要查天气，只规划成都南站到成都动物园的开车路线", [DRIVING]),
        ("深圳今天天气怎么样？适合骑车吗", [WEATHER]),
        ("开车从成都南站到成都动物园多远", [DRIVING]),
    ],
)
def test_only_what_is_wanted_is_looked_up(text: str, names: list[str]) -> None:
    turn = talk().say(text)
    assert turn.names == names
    assert all(one.get("destination", "成都动物园") == "成都动物园" for _, one in turn.calls)


def test_a_follow_up_runs_the_fork_again_for_another_day() -> None:
    chat = on_sample_data()
    assert chat.say(D8_FORK).names == [WEATHER, CYCLING]
    assert chat.say("那大后天呢？").names == [WEATHER, DRIVING]


def test_what_is_missing_is_asked_and_the_answer_goes_on() -> None:
    chat = talk()
    assert chat.say("明天天气怎么样").reply == "您想查哪个城市的天气？"
    assert chat.say("我在成都").calls[0][1]["city"] == "成都市"
    assert chat.say("开车去春熙路").reply == "请问从哪里出发？"
    assert chat.say("成都南站").calls == [
        (DRIVING, {"origin": "成都南站", "destination": "春熙路"})
    ]
    assert talk().say("What's the weather tomorrow?").reply.startswith("Which city")
    chat = talk()
    assert "开车去，还是骑车" in chat.say("从成都南站到成都动物园怎么走").reply
    assert chat.say("骑车").names == [CYCLING]


def test_several_requests_are_served_at_once() -> None:
    turn = talk().say("成都和上海明天的天气怎么样？")
    assert [a["city"] for _, a in turn.calls] == ["成都市", "上海市"]
    assert len(turn.rounds) == 1
    turn = talk().say("从成都南站开车到成都动物园，顺便告诉我明天上海的天气")
    assert turn.names == [DRIVING, WEATHER]
    assert turn.calls[1][1]["city"] == "上海市"
    turn = talk().say("查成都明天的天气，再查上海后天的天气")
    assert [(a["city"], a["start_time"][-3:]) for _, a in turn.calls] == [
        ("成都市", "01日"),
        ("上海市", "02日"),
    ]


def test_a_fork_may_hang_on_the_temperature() -> None:
    text = "如果明天成都最高气温超过{}度就从成都南站骑车去成都动物园，否则开车"
    assert talk().say(text.format(15)).names == [WEATHER, CYCLING]
    assert talk().say(text.format(20)).names == [WEATHER, DRIVING]


def test_a_failed_forecast_is_said_and_no_route_is_planned() -> None:
    chat = talk()
    failing = Talk(
        MODEL,
        {WEATHER: lambda _: "ERROR: 天气服务没有响应\nno answer", DRIVING: route, CYCLING: route},
        today=SATURDAY,
        language="zh",
    )
    turn = failing.say(D8_FORK)
    assert turn.names == [WEATHER]
    assert "「天气查询」没有成功：天气服务没有响应" in turn.reply
    assert "无法判断" in turn.reply
    assert chat.say(D8_FORK).names == [WEATHER, CYCLING]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("东京明天天气怎么样", "不在国内"),
        ("我在攀枝花，明天天气怎么样", "没有“攀枝花”的天气数据"),
        ("Drive from Chengdu South Station to the Bund", "no routes between cities"),
        ("成都2月30日的天气", "没有“2月30日”这一天"),
    ],
)
def test_what_the_servers_cannot_do_is_said(text: str, said: str) -> None:
    assert said in on_sample_data().say(text).reply


@pytest.mark.parametrize("today", [date(2026, 2, 28), date(2026, 12, 31), date(2028, 2, 28)])
def test_it_rains_tomorrow_in_one_city_and_not_in_another(today: date) -> None:
    text = "从{}到{}，如果明天下雨就开车，不下雨就骑车"
    dry = on_sample_data(today).say(text.format("成都南站", "成都动物园"))
    assert dry.names == [WEATHER, CYCLING]
    wet = on_sample_data(today).say(text.format("杭州东站", "西湖"))
    assert wet.names == [WEATHER, DRIVING]
    assert "公里" in wet.reply
