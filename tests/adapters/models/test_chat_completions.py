"""The client against a real HTTP server: dialects, the end of replies, keys."""

import gzip
import json
from typing import Any

import anyio
import pytest

from pointsman.adapters.models.chat_completions import ChatCompletions
from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import (
    Message,
    ModelRequest,
    ReasoningDelta,
    Stop,
    SystemMessage,
    TextDelta,
    ToolMessage,
    Usage,
    UserMessage,
)
from pointsman.errors import (
    ModelProtocolError,
    ModelUnavailable,
    SettingsError,
)
from tests.cases import params
from tests.support.asked import QUESTION, STREAMED, asking, served
from tests.support.fake_clock import FakeClock
from tests.support.histories import tool_spec
from tests.support.model_server import (
    Call,
    Dialect,
    ModelServer,
    Raw,
    Reply,
    events,
    failing,
)

pytestmark = pytest.mark.anyio


class TestDialects:
    """The same conversation, as three kinds of servers would have it."""

    KINDS = pytest.mark.parametrize(
        ("dialect", "stream"),
        [("articles", False), ("articles", True), ("openai", False), ("openai", True)],
    )

    @KINDS
    @pytest.mark.parametrize("piece_bytes", [None, 1, 5])
    async def test_a_tool_round_is_understood_in_every_dialect(
        self, dialect: Dialect, stream: bool, piece_bytes: int | None
    ) -> None:
        def answer(asked: dict[str, Any]) -> Reply:
            if asked["messages"][-1]["role"] == "tool":
                return Reply(text="明天成都多云。", piece_bytes=piece_bytes)
            call = Call(name="mojitianqi-DayWeather", arguments='{"city":"成都市"}')
            return Reply(calls=[call], piece_bytes=piece_bytes)

        weather = tool_spec("mojitianqi-DayWeather", {"type": "object", "properties": {}})
        messages: tuple[Message, ...] = (
            SystemMessage(text="今天是 2026年02月28日"),
            UserMessage(text="明天成都天气如何？"),
        )
        async with served(answer, answer, dialect=dialect) as (server, asked):
            first = await asked.ask(
                ModelRequest(messages=messages, tools=(weather,), stream=stream)
            )
            assert first.stop is Stop.TOOL_CALLS
            (call,) = first.message.calls
            assert (call.name, call.arguments) == ("mojitianqi-DayWeather", '{"city":"成都市"}')
            assert call.id
            messages += (
                first.message,
                ToolMessage(call_id=call.id, name=call.name, content="多云"),
            )
            last = await asked.ask(ModelRequest(messages=messages, tools=(weather,), stream=stream))
        assert last.message.text == "明天成都多云。"
        assert last.usage == Usage(prompt=10, cached=4, completion=5, reasoning=2, total=15)
        assert asked.text == ("明天成都多云。" if stream else "")
        result = server.requests[1]["messages"][-1]
        if dialect == "articles":
            assert result == {"role": "tool", "name": call.name, "content": "多云"}
        else:
            assert (
                result["tool_call_id"] == server.requests[1]["messages"][-2]["tool_calls"][0]["id"]
            )

    async def test_a_whole_reply_to_a_streamed_request_is_told_in_one_piece(self) -> None:
        async with served(Reply(text="好", reasoning="想", whole=True)) as (_, asked):
            reply = await asked.ask(STREAMED)
        assert reply.message.text == "好"
        assert asked.told == [ReasoningDelta("想"), TextDelta("好")]

    async def test_a_stream_to_a_request_for_none_is_read_and_not_told(self) -> None:
        chunk = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}
        async with served(events(chunk, "[DONE]")) as (_, asked):
            reply = await asked.ask()
        assert reply.message.text == "x"
        assert asked.told == []

    async def test_a_compressed_reply_is_read(self) -> None:
        whole = {"choices": [{"message": {"content": "z"}, "finish_reason": "stop"}]}
        body = gzip.compress(json.dumps(whole).encode())
        async with served(Raw(body=body, headers={"Content-Encoding": "gzip"})) as (_, asked):
            assert (await asked.ask()).message.text == "z"

    async def test_a_content_type_that_says_nothing_leaves_it_to_the_request(self) -> None:
        chunk = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}
        raw = Raw(
            body=f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode(),
            content_type="application/octet-stream",
        )
        async with served(raw) as (_, asked):
            assert (await asked.ask(STREAMED)).message.text == "x"

    async def test_a_large_request_is_sent_whole(self) -> None:
        text = "长" * 700_000
        async with served("ok") as (server, asked):
            await asked.ask(ModelRequest(messages=(UserMessage(text=text),)))
        assert server.requests[0]["messages"][0]["content"] == text

    @KINDS
    async def test_many_questions_at_once_are_not_mixed_up(
        self, dialect: Dialect, stream: bool
    ) -> None:
        def echo(asked: dict[str, Any]) -> str:
            return f"to {asked['messages'][-1]['content']}"

        async with ModelServer(echo, dialect=dialect) as server, asking(server.spec()) as asked:
            replies: dict[int, str] = {}

            async def one(number: int) -> None:
                request = ModelRequest(messages=(UserMessage(text=str(number)),), stream=stream)
                replies[number] = (await asked.ask(request)).message.text

            async with anyio.create_task_group() as group:
                for number in range(100):
                    group.start_soon(one, number)
        assert replies == {number: f"to {number}" for number in range(100)}


class TestEndOfStream:
    """When a reply is complete, and what becomes of the connection."""

    @pytest.mark.parametrize("case", params(1, only=("S36",)))
    async def test_a_socket_left_open_after_done_holds_nobody_up(
        self, case: dict[str, Any]
    ) -> None:
        async with served(events(*case["input"]["payloads"], stay_open=True)) as (server, asked):
            with anyio.fail_after(case["expected"]["max_seconds"]):
                reply = await asked.ask(STREAMED)
                await server.left()
        assert reply.message.text == case["expected"]["content"]

    @pytest.mark.parametrize("case", params(1, only=("S28",)))
    @pytest.mark.parametrize("variant", [0, 1])
    async def test_an_error_ends_the_turn_at_once(self, case: dict[str, Any], variant: int) -> None:
        payloads = [case["input"]["payloads"], *case["input"]["variants"]][variant]
        raw = events(*payloads, stay_open=True)
        async with served(raw, spec={"retries": 0}) as (server, asked):
            with anyio.fail_after(1):
                error = await asked.fails(STREAMED)
                await server.left()
        assert isinstance(error, (ModelUnavailable, ModelProtocolError))
        assert asked.told == []

    @pytest.mark.parametrize("end_late", [False, True])
    @pytest.mark.parametrize("request_", [QUESTION, STREAMED], ids=["whole", "stream"])
    async def test_a_connection_that_ends_well_is_used_again(
        self, end_late: bool, request_: ModelRequest
    ) -> None:
        async with served(*[Reply(text="x", end_late=end_late)] * 5) as (server, asked):
            for _ in range(5):
                await asked.ask(request_)
            assert server.connections == 1

    async def test_a_refusal_leaves_the_connection_usable(self) -> None:
        async with served(failing(500), failing(400)) as (server, asked):
            await asked.fails()
            assert server.connections == 1

    @pytest.mark.parametrize(
        ("rest", "faults"),
        [
            (["data: [DONE]\n\n", 'data: {"half'], {}),
            (['data: {"usage": {"half'], {"drop_after": 2}),
        ],
        ids=["after the end mark", "cut usage"],
    )
    async def test_half_an_event_after_the_end_of_a_reply_is_no_matter(
        self, rest: list[str], faults: dict[str, Any]
    ) -> None:
        done = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}
        body = [f"data: {json.dumps(done)}\n\n".encode(), "".join(rest).encode()]
        raw = Raw(body=body, content_type="text/event-stream", **faults)
        async with served(raw) as (_, asked):
            reply = await asked.ask(STREAMED)
        assert (reply.message.text, reply.attempts) == ("x", 1)

    async def test_a_reply_whose_end_was_said_survives_a_broken_connection(self) -> None:
        done = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}
        async with served(events(done, drop_after=1)) as (_, asked):
            reply = await asked.ask(STREAMED)
        assert (reply.message.text, reply.attempts) == ("x", 1)


class TestKeys:
    """Keys come from the environment and stay there."""

    KEY = "k3y-9f8e7d6c5b4a"

    def spec(self) -> dict[str, Any]:
        return {"use": "ark", "retries": 0}

    async def test_the_key_goes_to_the_provider_and_nowhere_else(self) -> None:
        environment = {"ARK_API_KEY": f"{self.KEY}\n"}
        async with served("ok", spec=self.spec(), environment=environment) as (server, asked):
            await asked.ask()
            assert server.headers[0]["Authorization"] == f"Bearer {self.KEY}"
            assert self.KEY not in server.bodies[0].decode()
            for thing in (asked.model, asked.model._wire):
                assert self.KEY not in repr(thing)

    @pytest.mark.parametrize(
        "answer",
        [
            failing(401, f"bad value {KEY} given"),
            failing(500, f"crashed with {KEY}"),
            events({"error": {"message": f"bad value {KEY}", "code": 500}}),
            Raw(body=f"<html>{KEY}</html>".encode()),
        ],
        ids=["401", "500", "stream", "html"],
    )
    async def test_a_key_that_a_server_repeats_is_taken_out(self, answer: Raw) -> None:
        environment = {"ARK_API_KEY": self.KEY}
        async with served(answer, spec=self.spec(), environment=environment) as (_, asked):
            error = await asked.fails(STREAMED)
        shown = f"{error!s} {error!r} {error.body!r} {error.__cause__!r} {error.args}"
        assert self.KEY not in shown

    async def test_a_refused_key_names_its_variable(self) -> None:
        environment = {"ARK_API_KEY": self.KEY}
        async with served(failing(401), spec=self.spec(), environment=environment) as (_, asked):
            assert "ARK_API_KEY" in str(await asked.fails())

    @pytest.mark.parametrize("environment", [{}, {"ARK_API_KEY": " "}])
    def test_a_missing_key_says_which_variable_to_set(self, environment: dict[str, str]) -> None:
        with pytest.raises(SettingsError, match=r"ark/m.*export ARK_API_KEY="):
            ChatCompletions(
                ModelSpec(use="ark", name="m"), clock=FakeClock(), environment=environment
            )

    @pytest.mark.parametrize("key", ["a b", "密钥", "a\nb"])
    def test_what_cannot_be_a_key_is_refused_and_not_repeated(self, key: str) -> None:
        with pytest.raises(SettingsError, match="ARK_API_KEY") as caught:
            ChatCompletions(
                ModelSpec(use="ark", name="m"), clock=FakeClock(), environment={"ARK_API_KEY": key}
            )
        assert key not in str(caught.value)

    async def test_a_local_server_needs_no_key(self) -> None:
        async with served("ok", spec={"use": "vllm"}) as (server, asked):
            await asked.ask()
            assert asked.model.name == "vllm/m"
        assert "Authorization" not in server.headers[0]


async def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    async with served("direct") as (_, asked):
        assert (await asked.ask()).message.text == "direct"


async def test_a_proxy_of_the_environment_is_used_for_other_hosts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ModelServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        spec = ModelSpec(use="compatible", name="m", base_url="http://model.invalid/v1", retries=0)
        async with asking(spec) as asked:
            error = await asked.fails()
    assert error.status is not None
