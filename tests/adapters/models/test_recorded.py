"""Exchanges with a real server, recorded and played without one."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pointsman.adapters.models.chat_completions import ChatCompletions
from pointsman.adapters.models.recorded import Recorded, Recorder, digest, http_wire
from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import (
    Delta,
    Message,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)
from pointsman.errors import ModelRejected, ModelUnavailable, SettingsError
from tests.support.fake_clock import FakeClock
from tests.support.histories import tool_spec
from tests.support.model_server import Dialect, ModelServer, Raw, Reply, calling, failing, turns

pytestmark = pytest.mark.anyio

KEY = "k3y-9f8e7d6c5b4a"
KINDS = pytest.mark.parametrize(
    ("dialect", "stream"),
    [("articles", False), ("articles", True), ("openai", False), ("openai", True)],
)
Outcome = tuple[list[ModelReply], list[Delta]]


async def conversation(model: ChatCompletions, stream: bool) -> Outcome:
    """One tool round, and all that was told."""
    told: list[Delta] = []
    replies: list[ModelReply] = []
    messages: tuple[Message, ...] = (UserMessage(text="一加二？"),)
    while True:
        request = ModelRequest(messages=messages, tools=(tool_spec(),), stream=stream)
        reply = await model.ask(request, told.append)
        replies.append(reply)
        if not reply.message.calls:
            await model.aclose()
            return replies, told
        results = [
            ToolMessage(call_id=call.id, name=call.name, content="3")
            for call in reply.message.calls
        ]
        messages += (reply.message, *results)


def answer(asked: dict[str, Any]) -> Reply:
    if asked["messages"][-1]["role"] == "tool":
        return Reply(text="三", piece_bytes=5)
    return calling("add", a=1, b=2)


@KINDS
async def test_a_played_conversation_is_the_recorded_one(
    dialect: Dialect, stream: bool, tmp_path: Path
) -> None:
    path = tmp_path / "talk.jsonl"
    async with ModelServer(answer, dialect=dialect) as server:
        spec = server.spec(key_env="MY_KEY")
        wire = Recorder(http_wire(spec, {"MY_KEY": KEY}), path)
        recorded = await conversation(ChatCompletions(spec, clock=FakeClock(), wire=wire), stream)
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in path.read_text()
    assert spec.base_url not in path.read_text()
    player = ChatCompletions(spec, clock=FakeClock(), wire=Recorded(path))
    assert await conversation(player, stream) == recorded


async def test_the_pieces_of_a_body_are_kept_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    read, came = list[bytes](), asyncio.Event()
    async with ModelServer([Reply(text="三四五", piece_bytes=7, midway=came.wait)]) as server:
        wire = Recorder(http_wire(server.spec()), path)
        async for chunk in _chunks(wire, b'{"stream":true,"messages":[]}'):
            read.append(chunk)
            came.set()
        await wire.aclose()
    played = [chunk async for chunk in _chunks(Recorded(path), b'{"messages":[], "stream": true}')]
    assert played == read
    assert len(played) > 1
    assert b"".join(played).endswith(b"data: [DONE]\n\n")


async def _chunks(wire: Recorder | Recorded, body: bytes) -> Any:
    reply = await wire.post(body, lambda: None)
    while chunk := await reply.read():
        yield chunk
    reply.close()


async def test_faults_are_played_too_and_repetitions_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    script = [
        failing(429, retry_after="3"),
        Raw(body=b'{"choices":[{"mes', drop_after=1),
        "at last",
    ]
    request = ModelRequest(messages=(UserMessage(text="q"),))
    async with ModelServer(script) as server:
        spec = server.spec()
        model = ChatCompletions(spec, clock=FakeClock(), wire=Recorder(http_wire(spec), path))
        recorded = await model.ask(request, print)
        await model.aclose()
    clock = FakeClock()
    model = ChatCompletions(spec, clock=clock, wire=Recorded(path))
    assert await model.ask(request, print) == recorded
    assert recorded.attempts == 3
    assert clock.sleeps == [3.0, 1.0]
    again = await model.ask(request, print)
    assert (again.message.text, again.attempts) == ("at last", 1)


async def test_a_recorded_drop_is_a_drop(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    request = ModelRequest(messages=(UserMessage(text="q"),), stream=True)
    async with ModelServer([Reply(text="half", drop_after=3)]) as server:
        spec = server.spec(retries=0)
        model = ChatCompletions(spec, clock=FakeClock(), wire=Recorder(http_wire(spec), path))
        with pytest.raises(ModelUnavailable):
            await model.ask(request, lambda _: None)
        await model.aclose()
    with pytest.raises(ModelUnavailable):
        await ChatCompletions(spec, clock=FakeClock(), wire=Recorded(path)).ask(
            request, lambda _: None
        )


async def test_runs_may_be_played_in_another_order(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    questions = [ModelRequest(messages=(UserMessage(text=str(n)),)) for n in range(5)]

    def echo(asked: dict[str, Any]) -> str:
        return f"to {asked['messages'][-1]['content']}"

    async with ModelServer(echo) as server:
        spec = server.spec()
        model = ChatCompletions(spec, clock=FakeClock(), wire=Recorder(http_wire(spec), path))
        await asyncio.gather(*[model.ask(question, print) for question in questions])
        await model.aclose()
    player = ChatCompletions(spec, clock=FakeClock(), wire=Recorded(path))
    texts = [(await player.ask(q, print)).message.text for q in reversed(questions)]
    assert texts == ["to 4", "to 3", "to 2", "to 1", "to 0"]


async def test_a_request_that_was_never_recorded_says_so(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.touch()
    spec = ModelSpec(use="ark", name="doubao")
    model = ChatCompletions(spec, clock=FakeClock(), wire=Recorded(path))
    with pytest.raises(ModelRejected, match=r"talk\.jsonl holds no recording.*doubao.*'问题'"):
        await model.ask(ModelRequest(messages=(UserMessage(text="问题"),)), print)


@pytest.mark.parametrize(
    ("content", "problem"), [(None, "cannot read"), ("{}\n", ":1: not a recorded exchange")]
)
def test_a_file_that_cannot_be_played_says_why(
    content: str | None, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "talk.jsonl"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SettingsError, match=problem):
        Recorded(path)


async def test_a_key_that_a_server_repeats_is_not_stored(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    pieces = [f"your key is {KEY[:5]}".encode(), KEY[5:].encode()]
    async with ModelServer([Raw(body=pieces, midway=turns)]) as server:
        wire = http_wire(server.spec(key_env="MY_KEY"), {"MY_KEY": KEY})
        recorder = Recorder(wire, path, secrets=("三",))
        body = '{"messages": [{"content": "三"}]}'.encode()
        assert [chunk async for chunk in _chunks(recorder, body)] == pieces
        await recorder.aclose()
    exchange = json.loads(path.read_text())
    assert exchange["chunks"] == [{"text": "your key is ***"}]
    assert exchange["request"] == {"messages": [{"content": "***"}]}


def test_made_call_ids_and_the_order_of_fields_make_no_difference() -> None:
    def body(first: str, second: str) -> bytes:
        calls = [{"id": first}, {"id": second}]
        results = [{"role": "tool", "tool_call_id": i} for i in (first, second)]
        return json.dumps({"messages": [{"tool_calls": calls}, *results], "model": "m"}).encode()

    swapped = json.dumps(dict(reversed(json.loads(body("x", "y")).items()))).encode()
    assert digest(body("a", "b")) == digest(body("x", "y")) == digest(swapped)
    assert digest(body("a", "b")) != digest(body("a", "a"))


def test_other_words_are_another_request() -> None:
    assert digest(b'{"messages":[{"content":"a"}]}') != digest(b'{"messages":[{"content":"b"}]}')
