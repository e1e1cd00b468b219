"""The article's three conversations (D8) over a real model server, in each dialect, with the travel
agent's real tool servers; then once more from a recording, without any model server."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman import agentfile, bootstrap
from pointsman.adapters.models.chat_completions import ChatCompletions
from pointsman.adapters.models.recorded import Recorded, Recorder, http_wire
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.system import SystemClock
from pointsman.domain.runs import Run
from pointsman.engine.service import Service, Submission
from pointsman.ports import ChatModel, ToolSource
from tests.support.model_server import Answer, Dialect, ModelServer, calling

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TRAVEL = Path(__file__).parents[2] / "examples" / "travel"
FEBRUARY = datetime(2026, 2, 28, 7, 5, 30, tzinfo=UTC)
WHO = "你是谁？"
WEATHER = "我在成都，明天天气如何？"
FORK = (
    "我在{start}，明天要去{end}。如果明天下雨，请帮我规划一下驾驶路线。"
    "如果明天不下雨，给我规划一下骑行路线。"
)
DRY = FORK.format(start="成都南站", end="成都动物园")
WET = FORK.format(start="杭州东站", end="西湖")


class FebruaryClock(SystemClock):
    """The machine's clock, set to the article's day."""

    def now(self) -> datetime:
        return FEBRUARY


def model(asked: dict[str, Any]) -> Answer:
    """What a model would say: it reads the last user message and the results after it."""
    said = [message for message in asked["messages"] if message["role"] == "user"][-1]["content"]
    last = asked["messages"][-1]
    if last["role"] == "user":
        if said == WHO:
            return "我是强子开发的智能客服。"
        city = "杭州市" if "杭州" in said else "成都市"
        day = "2026年03月01日"
        return calling("mojitianqi-DayWeather", city=city, start_time=day, end_time=day)
    if last["name"] == "mojitianqi-DayWeather" and "规划" in said:
        way = "driving" if "雨" in last["content"] else "bicycle"
        start, end = ("杭州东站", "西湖") if "杭州" in said else ("成都南站", "成都动物园")
        return calling(f"gaodedetu-plan_{way}", origin=start, destination=end)
    return f"根据{last['name']}的结果：{last['content'][:300]}"


@pytest.fixture(scope="module")
async def sources() -> AsyncIterator[list[ToolSource]]:
    """The travel agent's two tool servers, running, on the article's day."""
    file = agentfile.load(TRAVEL)
    tools = tuple(
        replace(tool, settings=replace(tool.settings, env={"TRAVEL_TODAY": "2026-02-28"}))
        for tool in file.tools
        if isinstance(tool, agentfile.McpServer)
    )
    opened = bootstrap.tool_sources(replace(file, tools=tools), SystemClock())
    for source in opened:
        await source.open()
    yield opened
    for source in opened:
        await source.aclose()


def travel(chat: ChatModel, sources: list[ToolSource]) -> Service:
    clock = FebruaryClock()
    live = bootstrap.live_agent(agentfile.load(TRAVEL).spec, sources, clock, model=chat)
    return bootstrap.service_of([live], MemoryStore(), clock)


async def say(service: Service, text: str, *, stream: bool, conversation: str = "") -> Run:
    return await service.carry(
        Submission(agent="travel", user="ann", text=text, stream=stream, conversation=conversation)
    )


def tools_of(run: Run) -> list[tuple[str, dict[str, Any]]]:
    return [(call.tool, call.arguments) for call in (*run.past, *run.calls)]


async def hold_the_conversations(
    chat: ChatModel, sources: list[ToolSource], *, stream: bool
) -> None:
    """The three conversations, the third both ways."""
    service = travel(chat, sources)
    first = await say(service, WHO, stream=stream)
    assert first.said == "我是强子开发的智能客服。"
    assert tools_of(first) == []
    assert first.system.startswith("今天是 2026年02月28日 15时05分30秒 星期六")
    second = await say(service, WEATHER, stream=stream, conversation=first.conversation)
    assert tools_of(second) == [
        (
            "mojitianqi-DayWeather",
            {"city": "成都市", "start_time": "2026年03月01日", "end_time": "2026年03月01日"},
        )
    ]
    assert "多云" in second.said
    dry = await say(service, DRY, stream=stream)
    assert [name for name, _ in tools_of(dry)] == [
        "mojitianqi-DayWeather",
        "gaodedetu-plan_bicycle",
    ]
    wet = await say(service, WET, stream=stream)
    assert [name for name, _ in tools_of(wet)] == [
        "mojitianqi-DayWeather",
        "gaodedetu-plan_driving",
    ]
    assert all(call.result is not None and call.result.ok for call in (*dry.past, *wet.past))
    await chat.aclose()


@pytest.mark.parametrize(
    ("dialect", "stream"),
    [("articles", False), ("openai", False), ("openai", True), ("articles", True)],
    ids=["articles", "openai", "openai streamed", "articles streamed"],
)
async def test_the_three_conversations_in_each_dialect(
    dialect: Dialect, stream: bool, sources: list[ToolSource]
) -> None:
    async with ModelServer(model, dialect=dialect) as server:
        chat = ChatCompletions(server.spec(), clock=SystemClock())
        await hold_the_conversations(chat, sources, stream=stream)
    # The second conversation carried the first: its question came with three messages before it.
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == [
        "mojitianqi-DayWeather",
        "gaodedetu-plan_driving",
        "gaodedetu-plan_bicycle",
    ]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_the_conversations_play_from_a_recording(
    stream: bool, sources: list[ToolSource], tmp_path: Path
) -> None:
    recording = tmp_path / "talk.jsonl"
    async with ModelServer(model) as server:
        spec = server.spec()
        wire = Recorder(http_wire(spec), recording)
        chat = ChatCompletions(spec, clock=SystemClock(), wire=wire)
        await hold_the_conversations(chat, sources, stream=stream)
    played = ChatCompletions(spec, clock=SystemClock(), wire=Recorded(recording))
    await hold_the_conversations(played, sources, stream=stream)
