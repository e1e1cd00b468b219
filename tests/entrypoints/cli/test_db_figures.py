"""``pointsman db figures``."""

from datetime import timedelta
from pathlib import Path

import anyio

from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.ports.figures import Search
from tests.support.command import Command
from tests.support.fake_clock import FakeClock
from tests.support.journals import filled


async def fill(database: Path) -> None:
    """Write a run of every kind, a day ago."""
    clock = FakeClock(SystemClock().now() - timedelta(days=1))
    service = await filled(sqlite(database), clock)
    await service.aclose()


async def counted(database: Path, *, forget: bool = False) -> dict[bool, int]:
    """How many ended runs are counted and not."""
    store = sqlite(database)
    found = await store.figures.find(Search(), limit=1_000)
    if forget:
        await store.figures.forget()
    await store.aclose()
    ended = [one.counted for one in found if one.record.status.ended]
    return {which: ended.count(which) for which in (True, False)}


def test_figures_are_brought_up_to_date_and_made_again(command: Command) -> None:
    database = command.folder / "pointsman.db"
    anyio.run(fill, database)
    command.environment["POINTSMAN_DATABASE"] = str(database)
    before = anyio.run(counted, database)
    assert before[True] == 0
    assert "hold every run" in command.run("db", "figures").stdout
    after = anyio.run(lambda: counted(database, forget=True))
    assert after == {True: before[False], False: 0}
    command.run("db", "figures")
    assert anyio.run(counted, database)[True] == 0
    assert "made again" in command.run("db", "figures", "--rebuild").stdout
    assert anyio.run(counted, database) == after
