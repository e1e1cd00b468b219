"""News inside one process."""

import anyio
import pytest

from pointsman.adapters.bus import memory
from pointsman.adapters.bus.memory import MemoryBus
from pointsman.domain.messages import TextDelta
from pointsman.ports import News, Signal

pytestmark = pytest.mark.anyio


async def test_a_watcher_gets_the_news_of_its_run_from_entering_on_in_order() -> None:
    bus = MemoryBus()
    bus.publish("r1", TextDelta("before"))
    async with bus.watch("r1") as news:
        bus.publish("r1", TextDelta("a"))
        bus.publish("r2", TextDelta("of another run"))
        bus.publish("r1", Signal(1))
        assert [await anext(news), await anext(news)] == [TextDelta("a"), Signal(1)]


async def test_a_watcher_waits_for_news() -> None:
    bus = MemoryBus()
    got: list[News] = []

    async def watch() -> None:
        async with bus.watch("r1") as news:
            got.append(await anext(news))
            got.append(await anext(news))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        await anyio.wait_all_tasks_blocked()
        bus.publish("r1", TextDelta("a"))
        await anyio.wait_all_tasks_blocked()
        bus.publish("r1", TextDelta("b"))
    assert got == [TextDelta("a"), TextDelta("b")]


async def test_every_watcher_gets_everything() -> None:
    bus = MemoryBus()
    async with bus.watch("r1") as one, bus.watch("r1") as other:
        bus.publish("r1", Signal(1))
        assert (await anext(one), await anext(other)) == (Signal(1), Signal(1))


async def test_a_slow_watcher_loses_deltas_and_no_signal() -> None:
    bus = MemoryBus()
    async with bus.watch("r1") as news:
        for number in range(memory.BACKLOG + 10):
            bus.publish("r1", TextDelta(str(number)))
        bus.publish("r1", Signal(7, True))
        got = [await anext(news) for _ in range(memory.BACKLOG + 1)]
    assert got[-1] == Signal(7, True)
    assert got[-2] == TextDelta(str(memory.BACKLOG - 1))


async def test_nothing_is_held_when_nobody_watches() -> None:
    bus = MemoryBus()
    assert not bus.watched("r1")
    async with bus.watch("r1"):
        async with bus.watch("r1"):
            assert bus.watched("r1")
        assert bus.watched("r1")
    assert not bus.watched("r1")
    assert bus._watchers == {}
