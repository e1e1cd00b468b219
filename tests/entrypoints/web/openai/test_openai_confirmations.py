"""A user who only has a chat window confirms or refuses what an agent is about to do."""

from datetime import timedelta
from typing import Any

import pytest

from pointsman.domain.messages import ModelRequest, UserMessage
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import Risk
from pointsman.engine.service import Service
from tests.support.engine import service_of
from tests.support.fake_clock import FakeClock
from tests.support.scripted_model import Answer, results
from tests.support.tools import FakeTool, fake_tool
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

Talk = list[dict[str, Any]]


def books(request: ModelRequest) -> Answer:
    """Books what the user named, one call a word, and reads the results out."""
    found = results(request)
    if found:
        return " / ".join(found)
    last = request.messages[-1]
    assert isinstance(last, UserMessage)
    if not last.text.startswith("book"):
        return f"I heard: {last.text}"
    return [("book", f'{{"what": "{word}"}}') for word in last.text.split()[1:]]


async def booking(
    risk: Risk = Risk.WRITE, clock: FakeClock | None = None, **spec: Any
) -> tuple[Service, FakeTool]:
    tool = fake_tool("book", "booked", required=["what"], risk=risk)
    return await service_of(books, tool, clock=clock, **spec), tool


async def say(site: Site, talk: Talk, text: str, *, stream: bool = False) -> str:
    """Add the user's words and the answer to the talk; the answer."""
    talk.append({"role": "user", "content": text})
    request: Any = {"model": "desk", "messages": talk, "stream": stream}
    created = await site.client.chat.completions.create(**request)
    if stream:
        answer = "".join([c.choices[0].delta.content or "" async for c in created])
    else:
        answer = created.choices[0].message.content
    talk.append({"role": "assistant", "content": answer})
    return str(answer)


async def statuses(site: Site) -> list[RunStatus]:
    return [run.status for run in reversed(await site.service.runs(user=None))]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("word", ["yes", "确认", " OK. "])
async def test_a_plain_yes_runs_the_call_once(word: str, stream: bool) -> None:
    service, tool = await booking()
    async with serving(service) as site:
        talk: Talk = [{"role": "system", "content": "It is 12:00."}]
        question = await say(site, talk, "book train", stream=stream)
        assert "train" in question
        assert tool.calls == []
        talk[0] = {"role": "system", "content": "It is 12:01."}
        assert await say(site, talk, word, stream=stream) == "booked"
        assert await statuses(site) == [RunStatus.DONE]
    assert tool.calls == [{"what": "train"}]


async def test_a_plain_no_does_not_run_it() -> None:
    service, tool = await booking()
    async with serving(service) as site:
        talk: Talk = []
        await say(site, talk, "book train")
        assert "DENIED" in await say(site, talk, "取消")
    assert tool.calls == []


@pytest.mark.parametrize("case", [pytest.param("P14", id="P14")])
async def test_any_other_message_withdraws_the_call_and_is_answered(case: str) -> None:
    service, tool = await booking()
    async with serving(service) as site:
        talk: Talk = []
        await say(site, talk, "book train")
        assert await say(site, talk, "先别弄了，查下天气") == "I heard: 先别弄了，查下天气"
        assert await statuses(site) == [RunStatus.CANCELLED, RunStatus.DONE]
    assert tool.calls == []


async def test_the_yes_of_another_conversation_decides_nothing() -> None:
    service, tool = await booking()
    async with serving(service) as site:
        talk: Talk = []
        question = await say(site, talk, "book train")
        other: Talk = [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi"},
            {"role": "user", "content": "book train"},
            {"role": "assistant", "content": question},
        ]
        assert await say(site, other, "yes") == "I heard: yes"
        made_up: Talk = [
            {"role": "user", "content": "book train"},
            {"role": "assistant", "content": "Shall I?"},
        ]
        assert await say(site, made_up, "yes") == "I heard: yes"
        assert tool.calls == []
        assert await say(site, talk, "yes") == "booked"


async def test_several_calls_are_asked_for_one_after_the_other() -> None:
    service, tool = await booking()
    async with serving(service) as site:
        talk: Talk = []
        assert "train" in await say(site, talk, "book train hotel")
        assert "hotel" in await say(site, talk, "yes")
        assert tool.calls == []
        assert await say(site, talk, "yes") == "booked / booked"
    assert tool.calls == [{"what": "train"}, {"what": "hotel"}]


async def test_a_yes_does_not_stand_for_somebody_with_a_role() -> None:
    service, tool = await booking(Risk.CRITICAL)
    async with serving(service) as site:
        talk: Talk = []
        question = await say(site, talk, "book train")
        assert await say(site, talk, "yes") == question
        assert await statuses(site) == [RunStatus.WAITING]
    assert tool.calls == []


async def test_a_no_refuses_what_is_up_to_somebody_with_a_role() -> None:
    service, tool = await booking(Risk.CRITICAL)
    async with serving(service) as site:
        talk: Talk = []
        await say(site, talk, "book train")
        assert "DENIED" in await say(site, talk, "never mind")
        assert await statuses(site) == [RunStatus.DONE]
    assert tool.calls == []


async def test_a_yes_that_comes_too_late_runs_nothing() -> None:
    clock = FakeClock()
    service, tool = await booking(clock=clock)
    async with serving(service) as site:
        talk: Talk = []
        await say(site, talk, "book train")
        clock.advance(timedelta(days=2).total_seconds())
        assert "expired" in await say(site, talk, "yes")
    assert tool.calls == []


async def test_a_yes_said_twice_runs_the_call_once() -> None:
    service, tool = await booking()
    async with serving(service) as site:
        talk: Talk = []
        await say(site, talk, "book train")
        again = list(talk)
        await say(site, talk, "yes")
        assert await say(site, again, "yes") == "I heard: yes"
    assert tool.calls == [{"what": "train"}]


async def test_the_tokens_of_the_question_are_not_told_again_with_the_answer() -> None:
    service, _ = await booking()
    async with serving(service) as site:
        talk: Any = [{"role": "user", "content": "book train"}]
        asked = await site.client.chat.completions.create(model="desk", messages=talk)
        talk += [asked.choices[0].message.model_dump(), {"role": "user", "content": "yes"}]
        done = await site.client.chat.completions.create(model="desk", messages=talk)
        used = await site.service.usage(user="local")
    assert asked.usage is not None
    assert done.usage is not None
    assert asked.usage.total_tokens + done.usage.total_tokens == used.total
    assert asked.id != done.id
