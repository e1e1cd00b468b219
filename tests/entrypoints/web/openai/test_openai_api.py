"""The official client of OpenAI's API works against an agent unchanged."""

from typing import Any

import anyio.to_thread
import openai
import pytest
from openai.types.chat import ChatCompletionMessage, ChatCompletionToolParam

from pointsman.domain.agent import Limits, ModelSpec
from pointsman.domain.messages import ModelParams, ModelRequest, Stop, SystemMessage
from pointsman.errors import ModelRejected, ModelUnavailable
from tests.support.engine import service_of
from tests.support.function_model import reply
from tests.support.scripted_model import Answer, ScriptedModel, results
from tests.support.tools import fake_tool
from tests.support.web import Site, serving

pytestmark = pytest.mark.anyio

HI: Any = [{"role": "user", "content": "hi"}]
ADD: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two numbers.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
    },
}


def weather(request: ModelRequest) -> Answer:
    """Looks first, then says what it saw."""
    found = results(request)
    return f"It is {found[0]}." if found else [("weather", '{"city": "成都"}')]


async def streamed(site: Site, messages: Any = HI, **more: Any) -> list[Any]:
    stream = await site.client.chat.completions.create(
        model="desk", messages=messages, stream=True, **more
    )
    return [chunk async for chunk in stream]


async def asked(site: Site, messages: Any = HI, **more: Any) -> Any:
    return await site.client.chat.completions.create(model="desk", messages=messages, **more)


def text_of(chunks: list[Any]) -> str:
    return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)


async def test_an_answer_is_a_completion_with_the_tokens_of_the_whole_run() -> None:
    service = await service_of(weather, fake_tool("weather", "sunny", required=["city"]))
    async with serving(service) as site:
        answer = await asked(site)
    assert answer.choices[0].message.content == "It is sunny."
    assert answer.choices[0].finish_reason == "stop"
    assert (answer.object, answer.model) == ("chat.completion", "desk")
    assert (answer.usage.prompt_tokens, answer.usage.total_tokens) == (20, 30)


async def test_a_stream_starts_with_the_role_and_adds_up_to_the_reply() -> None:
    async with serving(await service_of(["one\ntwo\nthree"])) as site:
        chunks = await streamed(site)
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].delta.content for c in chunks[1:-1]] == ["one\n", "two\n", "three"]
    assert [c.choices[0].finish_reason for c in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert len({c.id for c in chunks}) == 1


async def test_a_stream_tells_the_tokens_when_asked() -> None:
    async with serving(await service_of(["hello"])) as site:
        chunks = await streamed(site, stream_options={"include_usage": True})
        without = await streamed(site)
    assert [c.usage and c.usage.total_tokens for c in chunks] == [None] * (len(chunks) - 1) + [15]
    assert chunks[-1].choices == []
    assert all(c.choices for c in without)


async def test_the_agents_are_the_models() -> None:
    async with serving(await service_of(["hello"])) as site:
        assert [model.id async for model in site.client.models.list()] == ["desk"]
        assert (await site.client.models.retrieve("desk")).owned_by == "pointsman"
        with pytest.raises(openai.NotFoundError, match="the agents here are: desk"):
            await site.client.models.retrieve("gpt-4")


async def test_the_blocking_client_works_too() -> None:
    async with serving(await service_of(["hello"])) as site:

        def ask() -> str | None:
            with openai.OpenAI(base_url=f"{site.url}/v1", api_key="none") as client:
                return (
                    client.chat.completions.create(model="desk", messages=HI)
                    .choices[0]
                    .message.content
                )

        assert await anyio.to_thread.run_sync(ask) == "hello"


async def test_an_unknown_model_is_not_found() -> None:
    async with serving(await service_of(["hello"])) as site:
        with pytest.raises(openai.NotFoundError) as missing:
            await site.client.chat.completions.create(model="gpt-4", messages=HI)
    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")


async def test_a_path_that_is_not_offered_is_not_found_in_openais_shape() -> None:
    async with serving(await service_of(["hello"])) as site:
        with pytest.raises(openai.NotFoundError, match="POST /v1/embeddings"):
            await site.client.embeddings.create(model="desk", input="x")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"n": 2}, "n"),
        ({"temperature": 3}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stop": 5}, "stop"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages"),
        ({"tool_choice": "sometimes"}, "tool_choice"),
        ({"tool_choice": {"type": "function", "function": {"name": "add"}}}, "tool_choice"),
        ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools[0].function.name"),
        ({"tools": [{"type": "custom", "custom": {"name": "x"}}]}, "tools[0].type"),
        ({"tools": [ADD, ADD]}, "tools[1].function.name"),
    ],
)
async def test_a_bad_request_names_its_field(given: dict[str, Any], field: str) -> None:
    async with serving(await service_of(["hello"])) as site:
        with pytest.raises(openai.BadRequestError) as refused:
            await site.client.chat.completions.create(**{"model": "desk", "messages": HI, **given})
        assert refused.value.param == field
        assert await site.service.runs(user=None) == []


async def test_fields_that_only_openais_models_know_are_ignored() -> None:
    async with serving(await service_of(["hello"])) as site:
        answer = await asked(
            site, user="mallory", store=True, reasoning_effort="low", logprobs=True
        )
        assert answer.choices[0].message.content == "hello"
        assert [run.user for run in await site.service.runs(user=None)] == ["local"]


async def test_parameters_stand_over_the_agents_own() -> None:
    model = ScriptedModel(["hello"])
    spec = ModelSpec(params=ModelParams(temperature=0.1, top_p=0.5))
    async with serving(await service_of(model, model=spec)) as site:
        await asked(
            site,
            temperature=1.5,
            max_tokens=7,
            max_completion_tokens=9,
            stop="END",
            seed=3,
            presence_penalty=1,
        )
    assert model.requests[0].params == ModelParams(
        temperature=1.5, top_p=0.5, max_tokens=9, stop=("END",), seed=3, presence_penalty=1
    )


async def test_the_clients_instructions_come_after_the_agents() -> None:
    model = ScriptedModel(["hello"])
    async with serving(await service_of(model, instructions="Serve.")) as site:
        await asked(site, [{"role": "developer", "content": "Rhyme."}, *HI])
    texts = [m.text for m in model.requests[0].messages if isinstance(m, SystemMessage)]
    assert "Serve." in texts[0]
    assert texts[1:] == ["Rhyme."]


def adds(request: ModelRequest) -> Answer:
    found = results(request)
    return f"The sum is {found[0]}." if found else [("add", '{"a": 1}')]


@pytest.mark.parametrize("stream", [False, True])
async def test_the_clients_own_tools_make_a_round_trip(stream: bool) -> None:
    model = ScriptedModel(adds)
    async with serving(await service_of(model, fake_tool("weather"))) as site:
        if stream:
            async with site.client.chat.completions.stream(
                model="desk", messages=HI, tools=[ADD]
            ) as one:
                answer: Any = await one.get_final_completion()
        else:
            answer = await asked(site, tools=[ADD])
        message: ChatCompletionMessage = answer.choices[0].message
        assert answer.choices[0].finish_reason == "tool_calls"
        assert message.tool_calls
        (call,) = message.tool_calls
        assert call.type == "function"
        assert (call.function.name, call.function.arguments) == ("add", '{"a": 1}')
        result = {"role": "tool", "tool_call_id": call.id, "content": "2"}
        again = await asked(site, [*HI, message.model_dump(), result], tools=[ADD])
    assert again.choices[0].message.content == "The sum is 2."
    assert [tool.name for tool in model.requests[0].tools] == ["weather", "add"]


async def test_a_client_may_not_put_its_tool_in_the_place_of_an_agents() -> None:
    async with serving(await service_of(["hello"], fake_tool("add"))) as site:
        with pytest.raises(openai.BadRequestError, match="already has a tool 'add'"):
            await asked(site, tools=[ADD])


@pytest.mark.parametrize("choice", ["none", "auto", "required"])
async def test_the_choice_of_tools_reaches_the_model(choice: Any) -> None:
    model = ScriptedModel(["hello"])
    async with serving(await service_of(model)) as site:
        await asked(site, tools=[ADD], tool_choice=choice)
    assert model.requests[0].tool_choice == choice


@pytest.mark.parametrize(
    ("stop", "reason"), [(Stop.LENGTH, "length"), (Stop.FILTERED, "content_filter")]
)
async def test_an_answer_that_was_cut_says_why(stop: Stop, reason: str) -> None:
    async with serving(await service_of([reply("half", stop)])) as site:
        assert (await asked(site)).choices[0].finish_reason == reason
        assert (await streamed(site))[-1].choices[0].finish_reason == reason


async def test_a_model_that_cannot_be_reached_is_a_server_error_asked_once() -> None:
    model = ScriptedModel([ModelUnavailable("down")])
    async with serving(await service_of(model)) as site:
        with pytest.raises(openai.InternalServerError, match="could not be reached") as failed:
            await site.client.with_options(max_retries=2).chat.completions.create(
                model="desk", messages=HI
            )
    assert failed.value.status_code == 502
    assert len(model.requests) == 1


async def test_a_failure_after_a_call_is_an_answer_so_that_nobody_repeats_the_call() -> None:
    def once(request: ModelRequest) -> Answer:
        return ModelUnavailable("down") if results(request) else weather(request)

    async with serving(await service_of(once, fake_tool("weather", required=["city"]))) as site:
        text = (await asked(site)).choices[0].message.content
    assert "could not be reached" in text
    assert "weather" in text


async def test_a_conversation_that_no_longer_fits_is_the_callers_fault() -> None:
    service = await service_of(["hello"], limits=Limits(history_chars=100))
    async with serving(service) as site:
        with pytest.raises(openai.BadRequestError) as failed:
            await asked(site, [{"role": "user", "content": "x" * 200}])
    assert failed.value.code == "context_length_exceeded"


async def test_a_limit_ends_in_an_honest_answer() -> None:
    def calls(request: ModelRequest) -> Answer:
        return [("weather", f'{{"city": "{len(request.messages)}"}}')]

    tool = fake_tool("weather", required=["city"])
    service = await service_of(calls, tool, limits=Limits(turns=2))
    async with serving(service) as site:
        answer = await asked(site)
        assert answer.choices[0].finish_reason == "stop"
        assert "not finished within 2 rounds" in answer.choices[0].message.content
        assert "not finished within 2 rounds" in text_of(await streamed(site))


async def test_the_official_client_raises_what_a_stream_ends_with() -> None:
    async with serving(await service_of([ModelRejected("no")])) as site:
        with pytest.raises(openai.APIError, match="could not be reached"):
            await streamed(site)


async def test_two_requests_at_once_are_two_runs() -> None:
    def echo(request: ModelRequest) -> str:
        return str(getattr(request.messages[-1], "text", ""))

    answers: dict[int, str] = {}
    async with serving(await service_of(echo)) as site:

        async def ask(number: int) -> None:
            answer = await asked(site, [{"role": "user", "content": f"n{number}"}])
            answers[number] = answer.choices[0].message.content

        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(ask, number)
    assert answers == {number: f"n{number}" for number in range(10)}
