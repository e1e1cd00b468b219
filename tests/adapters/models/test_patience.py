"""Timeouts and cancelling: what ends a question, and that it leaves nothing behind."""

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from pointsman.adapters.models.chat_completions import TAIL, ChatCompletions
from pointsman.adapters.models.deadlines import Watch
from pointsman.adapters.models.exchange import Answer
from pointsman.domain.agent import ModelSpec, ModelTimeouts
from pointsman.domain.messages import ModelReply, ModelRequest
from pointsman.errors import ModelError, ModelTimeout, ModelUnavailable
from tests.support.asked import QUESTION, STREAMED, Asked, asking, served
from tests.support.fake_clock import FakeClock
from tests.support.model_server import ModelServer, Reply, events, failing

pytestmark = pytest.mark.anyio

BOTH = pytest.mark.parametrize("request_", [QUESTION, STREAMED], ids=["whole", "stream"])
SILENT = pytest.mark.parametrize(
    "silent",
    [
        lambda: Reply(text="x", first_byte=asyncio.Event().wait),
        lambda: Reply(text="x", after_head=asyncio.Event().wait),
    ],
    ids=["no head", "head alone"],
)


class TestPatience:
    """Timeouts, with a clock that the test moves."""

    LIMITS = ModelTimeouts(connect=1, first_byte=10, idle=20, total=100)

    def spec(self, **fields: Any) -> dict[str, Any]:
        return {"timeouts": self.LIMITS, "retries": 0, **fields}

    async def ended_by(
        self, asked: Asked, seconds: float, ready: Callable[[], Any], request: ModelRequest
    ) -> ModelTimeout:
        """The timeout that comes when so many seconds pass after ``ready``, and not before."""
        errors: list[ModelError] = []

        async def ask() -> None:
            errors.append(await asked.fails(request))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await ready()
            asked.clock.advance(seconds - 0.001)
            await asyncio.sleep(0)
            assert errors == []
            asked.clock.advance(0.002)
        (error,) = errors
        assert isinstance(error, ModelTimeout)
        return error

    @BOTH
    @SILENT
    async def test_the_first_byte_is_waited_for_so_long(
        self, request_: ModelRequest, silent: Callable[[], Reply]
    ) -> None:
        reply = silent()
        async with served(reply, spec=self.spec()) as (server, asked):
            error = await self.ended_by(asked, 10, lambda: server.arrived(1), request_)
            await server.left()
        assert (error.phase, error.seconds) == ("first_byte", 10)

    async def test_a_stream_may_pause_so_long(self) -> None:
        reply = Reply(text="xy", piece_bytes=400, midway=asyncio.Event().wait)
        async with served(reply, spec=self.spec()) as (server, asked):
            error = await self.ended_by(asked, 20, asked.news.wait, STREAMED)
            await server.left()
        assert error.phase == "idle"

    async def test_the_whole_takes_so_long_at_most(self) -> None:
        reply = Reply(text="x", first_byte=asyncio.Event().wait)
        limits = ModelTimeouts(first_byte=500, total=30)
        async with served(reply, reply, spec={"timeouts": limits}) as (server, asked):
            error = await self.ended_by(asked, 30, lambda: server.arrived(1), QUESTION)
        assert (error.phase, error.seconds) == ("total", 30)
        assert len(server.requests) == 1

    async def test_a_connection_is_waited_for_so_long(self) -> None:
        class Nowhere:
            key = ""

            async def post(self, body: bytes, connected: Callable[[], None]) -> Answer:
                return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

            async def aclose(self) -> None: ...

        spec = ModelSpec(use="ark", name="m", timeouts=self.LIMITS, retries=0)
        async with asking(spec, wire=Nowhere()) as asked:
            error = await self.ended_by(asked, 1, lambda: asyncio.sleep(0), QUESTION)
        assert (error.phase, error.seconds) == ("connect", 1)

    async def test_connecting_ends_when_the_connection_is_there(self) -> None:
        limits = ModelTimeouts(connect=1, first_byte=10)
        released = asyncio.Event()
        reply = Reply(text="x", first_byte=released.wait)
        async with (
            served(reply, spec={"timeouts": limits}) as (server, asked),
            anyio.create_task_group() as group,
        ):
            group.start_soon(asked.ask)
            await server.arrived(1)
            asked.clock.advance(9)
            released.set()

    async def test_a_chunk_renews_the_patience_and_a_shorter_phase_ends_it_sooner(self) -> None:
        clock = FakeClock()
        limits = ModelTimeouts(connect=1, first_byte=10, idle=5, total=100)

        async def read_slowly() -> None:
            with Watch(limits, end=100, clock=clock, call_later=clock.call_later) as watch:
                watch.enter("first_byte")
                for _ in range(5):
                    watch.enter("idle")
                    clock.advance(4)
                assert len(clock.timers) == 1
                clock.advance(1)
                await asyncio.sleep(0)

        with pytest.raises(ModelTimeout) as caught:
            await read_slowly()
        assert (caught.value.phase, clock.monotonic()) == ("idle", 21)
        assert all(timer.cancelled for timer in clock.timers)

    async def test_a_cancel_from_outside_outweighs_a_timeout_of_the_same_moment(self) -> None:
        clock = FakeClock()

        async def wait() -> None:
            with Watch(self.LIMITS, end=100, clock=clock, call_later=clock.call_later):
                await asyncio.Event().wait()

        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        clock.advance(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def test_a_reply_that_has_ended_waits_little_for_its_usage(self) -> None:
        chunk = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}
        async with served(events(chunk, stay_open=True), spec=self.spec()) as (server, asked):
            replies: list[ModelReply] = []

            async def ask() -> None:
                replies.append(await asked.ask(STREAMED))

            async with anyio.create_task_group() as group:
                group.start_soon(ask)
                await asked.news.wait()
                asked.clock.advance(TAIL)
            await server.left()
        assert (replies[0].message.text, replies[0].attempts) == ("x", 1)

    async def test_a_timeout_before_any_text_is_tried_again(self) -> None:
        slow = Reply(text="x", first_byte=asyncio.Event().wait)
        async with served(slow, "quick", spec=self.spec(retries=1)) as (server, asked):
            replies: list[ModelReply] = []

            async def ask() -> None:
                replies.append(await asked.ask())

            async with anyio.create_task_group() as group:
                group.start_soon(ask)
                await server.arrived(1)
                asked.clock.advance(10)
        assert (replies[0].message.text, replies[0].attempts) == ("quick", 2)

    async def test_no_attempt_starts_that_the_total_cannot_hold(self) -> None:
        limits = ModelTimeouts(total=5)
        async with served(failing(429, retry_after="6"), "late", spec={"timeouts": limits}) as (
            _,
            asked,
        ):
            error = await asked.fails()
        assert isinstance(error, ModelUnavailable)
        assert asked.clock.sleeps == []


class TestCancelling:
    """A cancelled question closes its connection at once."""

    @BOTH
    @SILENT
    async def test_the_server_sees_the_client_leave(
        self, request_: ModelRequest, silent: Callable[[], Reply]
    ) -> None:
        reply = silent()
        async with served(reply) as (server, asked):
            async with anyio.create_task_group() as group:
                group.start_soon(asked.ask, request_)
                await server.arrived(1)
                group.cancel_scope.cancel()
            with anyio.fail_after(60):
                await server.left()

    async def test_a_cancelled_stream_is_closed_in_the_middle(self) -> None:
        reply = Reply(text="xy", piece_bytes=400, midway=asyncio.Event().wait)
        async with served(reply) as (server, asked):
            async with anyio.create_task_group() as group:
                group.start_soon(asked.ask, STREAMED)
                await asked.news.wait()
                group.cancel_scope.cancel()
            with anyio.fail_after(60):
                await server.left()
        assert asked.text == "x"

    async def test_a_cancelled_pause_asks_no_more(self) -> None:
        class Sleepless(FakeClock):
            async def sleep(self, seconds: float) -> None:
                started.set()
                await asyncio.Event().wait()

        started = asyncio.Event()
        async with ModelServer([failing(500), "no"]) as server:
            model = ChatCompletions(server.spec(), clock=Sleepless(), environment={})
            async with anyio.create_task_group() as group:
                group.start_soon(model.ask, QUESTION, lambda _: None)
                await started.wait()
                group.cancel_scope.cancel()
            await model.aclose()
        assert len(server.requests) == 1

    async def test_nothing_stays_open_after_closing(self) -> None:
        async with ModelServer(lambda _: "x") as server:
            async with asking(server.spec()) as asked:
                async with anyio.create_task_group() as group:
                    for _ in range(20):
                        group.start_soon(asked.ask)
                assert server.open_connections == 20
            for _ in range(100):
                await asyncio.sleep(0)
            assert server.open_connections == 0

    async def test_a_closed_client_can_be_asked_again(self) -> None:
        async with served("one", "two") as (_, asked):
            await asked.ask()
            await asked.model.aclose()
            await asked.model.aclose()
            assert (await asked.ask()).message.text == "two"
