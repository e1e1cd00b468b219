"""What every bus does: in memory, over PostgreSQL inside one process, and between two."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import anyio
import pytest

from pointsman.adapters.bus.memory import MemoryBus
from pointsman.adapters.bus.postgres import PostgresBus
from pointsman.domain.messages import ReasoningDelta, ResetDelta, TextDelta
from pointsman.ports import Bus, Missed, NewAnswer, News, Progress, Signal
from tests.support.waiting import until

pytestmark = pytest.mark.anyio


class Pair:
    """The bus of who has news, and that of who watches."""

    def __init__(self, speaker: Bus, hearer: Bus) -> None:
        self.speaker, self.hearer = speaker, hearer

    async def is_watched(self, run: str) -> None:
        """Wait until the speaker knows that somebody watches."""
        await until(lambda: self.speaker.watched(run))


@pytest.fixture(params=["memory", "postgres", "postgres, two processes"])
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    if request.param == "memory":
        bus = MemoryBus()
        yield Pair(bus, bus)
        return
    url = request.getfixturevalue("postgres_url")
    async with AsyncExitStack() as stack:
        buses = [PostgresBus(url, name=name) for name in ("a", "b")]
        for one in buses:
            await stack.enter_async_context(one.opened())
        yield Pair(buses[0], buses[-1 if "two" in request.param else 0])


async def heard(news: AsyncIterator[News], count: int) -> list[News]:
    """So many news; looks into the journal do not count."""
    got: list[News] = []
    with anyio.fail_after(60):
        while len(got) < count:
            one = await anext(news)
            if not isinstance(one, Missed):
                got.append(one)
    return got


async def test_a_watcher_gets_the_news_of_its_run_in_order(pair: Pair) -> None:
    async with pair.hearer.watch("r1") as news:
        await pair.is_watched("r1")
        pair.speaker.publish("r1", NewAnswer(1))
        pair.speaker.publish("r1", ReasoningDelta("hm"))
        pair.speaker.publish("r1", TextDelta("a"))
        pair.speaker.publish("r2", TextDelta("of another run"))
        pair.speaker.publish("r1", Signal(1))
        wanted = [NewAnswer(1), ReasoningDelta("hm"), TextDelta("a"), Signal(1)]
        assert await heard(news, 4) == wanted


async def test_a_watcher_waits_for_news(pair: Pair) -> None:
    got: list[News] = []

    async def watch(started: anyio.Event) -> None:
        async with pair.hearer.watch("r1") as news:
            started.set()
            got.extend(await heard(news, 1))
            got.extend(await heard(news, 1))

    async with anyio.create_task_group() as tasks:
        started = anyio.Event()
        tasks.start_soon(watch, started)
        await started.wait()
        await pair.is_watched("r1")
        pair.speaker.publish("r1", Signal(1))
        await until(lambda: bool(got))
        pair.speaker.publish("r1", Signal(2))
    assert got == [Signal(1), Signal(2)]


async def test_every_watcher_gets_everything(pair: Pair) -> None:
    async with pair.hearer.watch("r1") as one, pair.hearer.watch("r1") as other:
        await pair.is_watched("r1")
        pair.speaker.publish("r1", Signal(1))
        assert await heard(one, 1) == await heard(other, 1) == [Signal(1)]


async def test_a_watcher_that_comes_late_gets_the_answer_from_its_beginning(pair: Pair) -> None:
    pair.speaker.publish("r1", NewAnswer(1))
    pair.speaker.publish("r1", TextDelta("Room "))
    pair.speaker.publish("r1", TextDelta("201 "))
    async with pair.hearer.watch("r1") as news, pair.hearer.watch("r1") as other:
        await pair.is_watched("r1")
        pair.speaker.publish("r1", TextDelta("is free."))
        pair.speaker.publish("r1", Signal(3))
        for one in (news, other):
            told: list[News] = []
            while Signal(3) not in told:
                told += await heard(one, 1)
            assert text_of(told) == "Room 201 is free."


def text_of(told: list[News]) -> str:
    """What a reader sees of the answer."""
    text = ""
    for one in told:
        if isinstance(one, NewAnswer | ResetDelta):
            text = ""
        elif isinstance(one, TextDelta):
            text += one.text
    return text


async def test_an_answer_that_begins_again_is_told_from_there(pair: Pair) -> None:
    pair.speaker.publish("r1", NewAnswer(1))
    pair.speaker.publish("r1", TextDelta("lost"))
    async with pair.hearer.watch("r1") as news:
        await pair.is_watched("r1")
        pair.speaker.publish("r1", ResetDelta(2))
        pair.speaker.publish("r1", TextDelta("whole"))
        pair.speaker.publish("r1", Signal(3))
        told: list[News] = []
        while Signal(3) not in told:
            told += await heard(news, 1)
        assert text_of(told) == "whole"


async def test_of_an_answer_of_a_run_that_has_ended_nothing_is_told(pair: Pair) -> None:
    pair.speaker.publish("r1", NewAnswer(1))
    pair.speaker.publish("r1", TextDelta("Room "))
    pair.speaker.publish("r1", Signal(3, True))
    async with pair.hearer.watch("r1") as news:
        await pair.is_watched("r1")
        pair.speaker.publish("r1", TextDelta("201 is free."))
        pair.speaker.publish("r1", Signal(4, True))
        told: list[News] = []
        while Signal(4, True) not in told:
            told += await heard(news, 1)
        assert text_of(told) == ""


async def test_progress_is_told_at_any_time(pair: Pair) -> None:
    progress = Progress(call="1.0", fraction=0.5, message="half")
    async with pair.hearer.watch("r1") as news:
        await pair.is_watched("r1")
        pair.speaker.publish("r1", progress)
        assert await heard(news, 1) == [progress]


async def test_text_of_any_kind_and_length_arrives_as_it_was(pair: Pair) -> None:
    text = "".join(map(chr, range(1, 0x2FFF))) + "\U0001f600" * 9_000
    async with pair.hearer.watch("r1") as news:
        await pair.is_watched("r1")
        pair.speaker.publish("r1", NewAnswer(1))
        pair.speaker.publish("r1", TextDelta(text))
        pair.speaker.publish("r1", Signal(1))
        assert await heard(news, 1) == [NewAnswer(1)]
        whole = ""
        while not isinstance(one := (await heard(news, 1))[0], Signal):
            assert isinstance(one, TextDelta)
            whole += one.text
    assert whole == text


async def test_nothing_is_held_when_nobody_watches(pair: Pair) -> None:
    assert not pair.speaker.watched("r1")
    async with pair.hearer.watch("r1"):
        async with pair.hearer.watch("r1"):
            await pair.is_watched("r1")
        assert pair.hearer.watched("r1")
    await until(lambda: not pair.speaker.watched("r1"))
    assert not pair.hearer.watched("r1")
