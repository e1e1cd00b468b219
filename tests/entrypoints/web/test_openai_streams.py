"""What a streaming client sees when the run is not one straight reply."""

from collections.abc import Callable
from typing import Any

import anyio.lowlevel
import pytest

from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    ResetDelta,
    Stop,
    TextDelta,
)
from pointsman.domain.tools import RawCall
from pointsman.entrypoints.web.app import close_streams
from pointsman.errors import ModelUnavailable
from tests.support.engine import service_of
from tests.support.function_model import FunctionModel, HeldModel, reply
from tests.support.scripted_model import results
from tests.support.tools import fake_tool
from tests.support.web import Event, Site, events, serving

pytestmark = pytest.mark.anyio

Tell = Callable[[Delta], None]
BODY = {"model": "desk", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


async def stream_of(site: Site, body: Any = BODY) -> list[Event]:
    async with site.http.post("/v1/chat/completions", json=body) as answer:
        assert answer.status == 200
        assert answer.content_type == "text/event-stream"
        return [event async for event in events(answer)]


def pieces(stream: list[Event]) -> list[str]:
    return [
        event.data["choices"][0]["delta"]["content"]
        for event in stream
        if "choices" in event.data and event.data["choices"][0]["delta"].get("content")
    ]


def errors(stream: list[Event]) -> list[str]:
    return [e.data["error"]["message"] for e in stream if e.data != "[DONE]" and "error" in e.data]


@pytest.mark.parametrize("case", [pytest.param("X06", id="X06")])
async def test_a_failure_after_text_is_one_error_and_one_end(case: str) -> None:
    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        tell(TextDelta("It "))
        tell(TextDelta("is"))
        raise ModelUnavailable("the stream broke")

    async with serving(await service_of(FunctionModel(ask))) as site:
        stream = await stream_of(site)
    assert pieces(stream) == ["It ", "is"]
    assert len(errors(stream)) == 1
    assert "could not be reached" in errors(stream)[0]
    assert "error" in stream[-2].data
    assert [event.data for event in stream].count("[DONE]") == 1
    assert stream[-1].data == "[DONE]"
    assert not any(
        e.data["choices"][0]["finish_reason"] for e in stream[:-1] if "choices" in e.data
    )


async def test_a_fault_of_ours_after_the_head_is_an_error_too() -> None:
    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        raise RuntimeError("a secret of the inside")

    async with serving(await service_of(FunctionModel(ask))) as site:
        stream = await stream_of(site)
    assert "failed inside" in errors(stream)[0]
    assert "secret" not in str(stream)


async def test_text_that_was_read_and_taken_back_ends_in_an_error() -> None:
    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        tell(TextDelta("It is rai"))
        tell(ResetDelta(2))
        tell(TextDelta("It is sunny."))
        return reply("It is sunny.")

    async with serving(await service_of(FunctionModel(ask))) as site:
        async with site.http.post("/v1/chat/completions", json=BODY) as answer:
            stream = [event async for event in events(answer)]
            run = answer.headers["x-pointsman-run"]
        assert pieces(stream) == ["It is rai"]
        assert run in errors(stream)[0]
        assert stream[-1].data == "[DONE]"
        assert (await site.service.wait(run, "local")).reply == "It is sunny."


async def test_an_attempt_that_nobody_saw_is_taken_back_in_silence() -> None:
    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        tell(TextDelta(" \n"))
        tell(ResetDelta(2))
        tell(TextDelta("It is sunny."))
        return reply("It is sunny.")

    async with serving(await service_of(FunctionModel(ask))) as site:
        assert pieces(await stream_of(site)) == ["It is sunny."]


def looks(text: str, *, tells: bool) -> FunctionModel:
    """Says something, looks at the weather, says what it saw."""

    async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
        await anyio.lowlevel.checkpoint()  # as every model does that is not of this process
        found = results(request)
        said = f"It is {found[0]}." if found else text
        if tells:
            for word in said.split(" "):
                tell(TextDelta(word + " "))
        calls = () if found else (RawCall(id="c", name="weather", arguments="{}"),)
        stop = Stop.STOP if found else Stop.TOOL_CALLS
        message = AssistantMessage(text=said + " " if tells else said, calls=calls)
        return ModelReply(message=message, stop=stop, model="m")

    return FunctionModel(ask)


@pytest.mark.parametrize("tells", [True, False])
async def test_the_texts_of_two_turns_stand_apart(tells: bool) -> None:
    service = await service_of(looks("Let me see.", tells=tells), fake_tool("weather", "sunny"))
    async with serving(service) as site:
        text = "".join(pieces(await stream_of(site)))
        whole = await site.client.chat.completions.create(
            model="desk", messages=[{"role": "user", "content": "hi"}]
        )
    assert [line.strip() for line in text.split("\n\n")] == ["Let me see.", "It is sunny."]
    assert (whole.choices[0].message.content or "").strip() == "It is sunny."


@pytest.mark.parametrize("case", [pytest.param("X01", id="X01")])
async def test_a_client_that_leaves_finds_its_run_finished_and_comes_back_to_it(case: str) -> None:
    model = HeldModel("It is ", "sunny.")
    async with serving(await service_of(model)) as site:
        async with site.http.post("/v1/chat/completions", json=BODY) as answer:
            run = answer.headers["x-pointsman-run"]
            await model.told.wait()
            await anext(aiter(events(answer)))
            answer.close()
        model.go.set()
        assert (await site.service.wait(run, "local")).reply == "It is sunny."
        headers = {"Last-Event-ID": "2"}
        async with site.http.get(f"/api/runs/{run}/events", headers=headers) as back:
            names = [event.name async for event in events(back)]
    assert names == ["model_answered", "reply_given", "end"]


async def test_a_run_that_a_client_left_can_still_be_cancelled() -> None:
    model = HeldModel("It is ", "sunny.")
    async with serving(await service_of(model)) as site:
        async with site.http.post("/v1/chat/completions", json=BODY) as answer:
            run = answer.headers["x-pointsman-run"]
            await model.told.wait()
            answer.close()
        async with site.http.post(f"/api/runs/{run}/cancel") as cancelled:
            assert (await cancelled.json())["status"] == "cancelled"


async def test_who_watches_is_told_that_the_run_was_cancelled() -> None:
    model = HeldModel("It is ", "sunny.")
    async with (
        serving(await service_of(model)) as site,
        site.http.post("/v1/chat/completions", json=BODY) as answer,
    ):
        await model.told.wait()
        await site.service.cancel(answer.headers["x-pointsman-run"], "local")
        stream = [event async for event in events(answer)]
    assert "".join(pieces(stream)) == "It is \n\nCancelled."
    assert stream[-1].data == "[DONE]"


async def test_a_server_that_stops_does_not_pass_half_a_reply_off_as_whole() -> None:
    model = HeldModel("It is ", "sunny.")
    async with (
        serving(await service_of(model)) as site,
        site.http.post("/v1/chat/completions", json=BODY) as answer,
    ):
        await model.told.wait()
        close_streams(site.app)
        stream = [event async for event in events(answer)]
    assert "the server is stopping" in errors(stream)[0]
    assert stream[-1].data == "[DONE]"
