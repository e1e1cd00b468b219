"""The bus between processes: what it survives, and what it says no more than needed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import psycopg
import pytest

from pointsman.adapters.bus.line import ALL
from pointsman.adapters.bus.postgres import BETWEEN, PostgresBus
from pointsman.domain.messages import TextDelta
from pointsman.ports import Missed, NewAnswer, News, Signal
from tests.support.postgres import PostgresServer
from tests.support.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@asynccontextmanager
async def processes(url: str, *names: str) -> AsyncIterator[list[PostgresBus]]:
    async with AsyncExitStack() as stack:
        buses = [PostgresBus(url, name=name) for name in names]
        for one in buses:
            await stack.enter_async_context(one.opened())
        yield buses


async def first(news: AsyncIterator[News], wanted: Callable[[News], bool]) -> News:
    with anyio.fail_after(60):
        async for one in news:
            if wanted(one):
                return one
    raise AssertionError


async def test_a_watcher_is_told_to_look_for_itself_now_and_then(postgres_url: str) -> None:
    async with processes(postgres_url, "a") as [bus], bus.watch("r1") as news:
        for _ in range(2):
            await first(news, lambda one: isinstance(one, Missed))


async def test_an_error_in_the_block_leaves_it_as_it_is(postgres_url: str) -> None:
    with pytest.raises(KeyError, match="mine"):
        async with processes(postgres_url, "a"):
            raise KeyError("mine")


async def test_both_lines_stand_again_after_the_database_was_away(
    own_postgres: PostgresServer,
) -> None:
    url = own_postgres.create()
    async with processes(url, "a", "b") as [speaker, hearer], hearer.watch("r1") as news:
        await until(lambda: speaker.watched("r1"))
        await asyncio.to_thread(own_postgres.restart, "crash")
        await first(news, lambda one: isinstance(one, Missed))
        position = 0

        async def speak() -> None:
            nonlocal position
            while True:
                position += 1
                speaker.publish("r1", Signal(position))
                await anyio.sleep(0.05)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(speak)
            await first(news, lambda one: isinstance(one, Signal) and one.position > 0)
            tasks.cancel_scope.cancel()


async def test_a_process_that_comes_later_learns_who_watches(postgres_url: str) -> None:
    async with (
        processes(postgres_url, "a") as [hearer],
        hearer.watch("r1") as news,
        processes(postgres_url, "b") as [speaker],
    ):
        await until(lambda: speaker.watched("r1"))
        speaker.publish("r1", Signal(5))
        assert await first(news, lambda one: isinstance(one, Signal)) == Signal(5)


async def test_who_begins_to_watch_is_told_the_last_signal(postgres_url: str) -> None:
    async with processes(postgres_url, "a", "b") as [speaker, hearer]:
        speaker.publish("r1", Signal(7))
        async with hearer.watch("r1") as news:
            assert await first(news, lambda one: isinstance(one, Signal)) == Signal(7)


async def test_a_run_is_interrupted_wherever_it_is_driven(postgres_url: str) -> None:
    stopped: list[tuple[str, str]] = []
    async with processes(postgres_url, "a", "b") as buses:
        for name, bus in zip("ab", buses, strict=True):
            bus.on_interrupt(lambda run, name=name: stopped.append((name, run)))  # type: ignore[misc]
        buses[0].interrupt("r1")
        await until(lambda: len(stopped) == 2)
    assert sorted(stopped) == [("a", "r1"), ("b", "r1")]


async def test_what_another_release_says_is_not_understood_and_does_no_harm(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with processes(postgres_url, "a", "b") as [speaker, hearer], hearer.watch("r1") as news:
        await until(lambda: speaker.watched("r1"))
        async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as other:
            for said in ('1 [["from the future"]]', "nonsense", ""):
                await other.execute("SELECT pg_notify(%s, %s)", (ALL, said))
        speaker.publish("r1", Signal(1))
        assert await first(news, lambda one: isinstance(one, Signal)) == Signal(1)
    assert "cannot be read" in caplog.text


async def test_a_stream_says_no_more_than_ten_messages_a_second(postgres_url: str) -> None:
    heard, text = 0, ""
    async with processes(postgres_url, "a", "b") as [speaker, hearer], hearer.watch("r1") as news:
        await until(lambda: speaker.watched("r1"))
        speaker.publish("r1", NewAnswer(1))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for number in range(400):
            speaker.publish("r1", TextDelta(f"{number} "))
            await anyio.sleep(0.001)
        lasted = loop.time() - begun
        speaker.publish("r1", Signal(1))
        while not isinstance(one := await anext(news), Signal):
            if isinstance(one, TextDelta):
                heard, text = heard + 1, text + one.text
    assert text == "".join(f"{number} " for number in range(400))
    assert heard <= lasted / BETWEEN + 2
