"""What is asked again after a fault, how long after, and what never is."""

import asyncio
import json
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import (
    ModelRequest,
    ReasoningDelta,
    ResetDelta,
    TextDelta,
)
from pointsman.errors import (
    EmptyReply,
    ModelProtocolError,
    ModelRejected,
    ModelUnavailable,
)
from tests.cases import params
from tests.support.asked import QUESTION, STREAMED, asking, served
from tests.support.fake_clock import FakeClock
from tests.support.model_server import (
    ModelServer,
    Raw,
    Reply,
    calling,
    events,
    failing,
)

pytestmark = pytest.mark.anyio


class TestRepetition:
    """What is asked again, and how long after."""

    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
    @pytest.mark.parametrize("request_", [QUESTION, STREAMED], ids=["whole", "stream"])
    async def test_a_busy_server_is_asked_again(self, status: int, request_: ModelRequest) -> None:
        async with served(failing(status), failing(status), "at last") as (server, asked):
            reply = await asked.ask(request_)
        assert (reply.message.text, reply.attempts) == ("at last", 3)
        assert server.bodies[0] == server.bodies[1] == server.bodies[2]

    async def test_pauses_double_and_jitter_at_most_halves_them(self) -> None:
        pauses = []
        for chance in (1.0, 0.0):
            async with served(*[failing(500)] * 9, spec={"retries": 8}) as (_, asked):
                asked.clock.chance = chance
                await asked.fails()
                pauses.append(asked.clock.sleeps)
        assert pauses[0] == [0.5, 1, 2, 4, 8, 16, 30, 30]
        assert pauses[1] == [pause / 2 for pause in pauses[0]]

    @pytest.mark.parametrize(
        ("retry_after", "pause"),
        [("7", 7.0), ("0", 0.5), ("2.5", 2.5), ("9999", 60.0), ("soon", 0.5), ("nan", 0.5)],
    )
    async def test_the_server_says_how_long_to_wait(self, retry_after: str, pause: float) -> None:
        async with served(failing(429, retry_after=retry_after), "ok") as (_, asked):
            await asked.ask()
        assert asked.clock.sleeps == [pause]

    @pytest.mark.parametrize(("seconds", "pause"), [(20, 20.0), (-20, 0.5)])
    async def test_retry_after_may_be_a_date(self, seconds: int, pause: float) -> None:
        moment = FakeClock().now() + timedelta(seconds=seconds)
        date = format_datetime(moment, usegmt=True)
        async with served(failing(503, retry_after=date), "ok") as (_, asked):
            await asked.ask()
        assert asked.clock.sleeps == [pause]

    async def test_a_date_without_a_zone_is_in_utc(self) -> None:
        date = "Sat, 28 Feb 2026 07:05:50 -0000"
        async with served(failing(503, retry_after=date), "ok") as (_, asked):
            await asked.ask()
        assert asked.clock.sleeps == [20.0]

    async def test_what_a_person_may_do_about_it_is_kept_in_the_error(self) -> None:
        async with served(*[failing(429, "slow down", retry_after="3")] * 3) as (server, asked):
            error = await asked.fails()
        assert isinstance(error, ModelUnavailable)
        assert (error.status, error.retry_after) == (429, 3.0)
        assert "slow down" in str(error)
        assert len(server.requests) == 3

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
    async def test_a_refused_request_is_not_repeated(self, status: int) -> None:
        async with served(failing(status, "the model field is wrong"), "no") as (server, asked):
            error = await asked.fails()
        assert type(error) is ModelRejected
        assert error.status == status
        assert "the model field is wrong" in str(error)
        assert len(server.requests) == 1

    async def test_a_server_that_is_not_there_is_tried_again(self) -> None:
        async with ModelServer() as server:
            gone = server.spec()
        async with asking(gone) as asked:
            error = await asked.fails()
        assert type(error) is ModelUnavailable
        assert "127.0.0.1" in str(error)
        assert len(asked.clock.sleeps) == 2

    @pytest.mark.parametrize("request_", [QUESTION, STREAMED], ids=["whole", "stream"])
    @pytest.mark.parametrize("drop_after", [0, 1])
    async def test_a_dropped_reply_is_asked_for_again(
        self, request_: ModelRequest, drop_after: int
    ) -> None:
        broken = Reply(text="half", piece_bytes=9, drop_after=drop_after)
        async with served(broken, "whole") as (_, asked):
            reply = await asked.ask(request_)
        assert (reply.message.text, reply.attempts) == ("whole", 2)

    async def test_a_server_that_speaks_no_http_is_a_protocol_error(self) -> None:
        async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 mail.example ESMTP\r\n\r\n")
            writer.close()

        async with await asyncio.start_server(babble, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            spec = ModelSpec(use="compatible", name="m", base_url=f"http://127.0.0.1:{port}")
            async with asking(spec) as asked:
                error = await asked.fails()
        assert type(error) is ModelProtocolError

    async def test_an_empty_reply_is_asked_for_once_more(self) -> None:
        async with served("", "words") as (_, asked):
            reply = await asked.ask()
        assert (reply.message.text, reply.attempts) == ("words", 2)

    @pytest.mark.parametrize("request_", [QUESTION, STREAMED], ids=["whole", "stream"])
    async def test_h12_two_empty_replies_are_an_error(self, request_: ModelRequest) -> None:
        async with served("", "", "late", spec={"retries": 5}) as (server, asked):
            error = await asked.fails(request_)
        assert type(error) is EmptyReply
        assert len(server.requests) == 2

    async def test_an_empty_reply_after_other_faults_is_asked_for_once_more(self) -> None:
        async with served(failing(500), failing(500), "", "words") as (_, asked):
            reply = await asked.ask()
        assert (reply.message.text, reply.attempts) == ("words", 4)

    async def test_redirects_are_not_followed(self) -> None:
        async with ModelServer(["stolen"]) as other:
            moved = Raw(status=307, headers={"Location": f"{other.base_url}/chat/completions"})
            async with served(moved) as (_, asked):
                error = await asked.fails()
        assert type(error) is ModelRejected
        assert "base_url" in str(error)
        assert other.requests == []


class TestVisibleText:
    """What a person has read is never said twice."""

    @pytest.mark.parametrize("case", params(5, only=("H16",)))
    async def test_a_reply_that_was_seen_in_part_is_not_asked_for_again(
        self, case: dict[str, Any]
    ) -> None:
        first, second = case["input"]["attempt1"], case["input"]["attempt2"]
        broken = Reply(pieces=first, text="".join(first), drop_after=1 + len(first))
        async with served(broken, Reply(pieces=second, text="".join(second))) as (server, asked):
            error = await asked.fails(STREAMED)
        assert isinstance(error, ModelUnavailable)
        assert asked.told == [TextDelta(piece) for piece in first]
        assert len(server.requests) == 1

    @pytest.mark.parametrize("case", params(5, only=("H16",)))
    async def test_a_reply_that_broke_before_it_was_seen_starts_afresh(
        self, case: dict[str, Any]
    ) -> None:
        second = case["input"]["attempt2"]
        broken = Reply(reasoning="嗯嗯", text="没说", drop_after=2)
        async with served(broken, Reply(pieces=second, text="".join(second))) as (_, asked):
            reply = await asked.ask(STREAMED)
        assert reply.message.text == case["expected"]["final"]
        assert reply.message.reasoning == ""
        assert asked.told == [
            ReasoningDelta("嗯"),
            ResetDelta(2),
            *[TextDelta(piece) for piece in second],
        ]

    async def test_h16_half_a_call_leaves_nothing_to_the_next_attempt(self) -> None:
        call = calling("add", a=1, b=2)
        broken = Reply(calls=call.calls, drop_after=3)
        async with served(broken, call) as (_, asked):
            reply = await asked.ask(STREAMED)
        assert [json.loads(each.arguments) for each in reply.message.calls] == [{"a": 1, "b": 2}]
        assert asked.told == []

    async def test_an_error_inside_the_stream_after_text_is_final(self) -> None:
        chunk = {"choices": [{"index": 0, "delta": {"content": "so"}, "finish_reason": None}]}
        script = [events(chunk, {"error": {"message": "overloaded", "code": 503}}), "again"]
        async with served(*script) as (server, asked):
            await asked.fails(STREAMED)
        assert asked.text == "so"
        assert len(server.requests) == 1
