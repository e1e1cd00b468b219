"""What the tests of reminders start from: a file, a clock that the test owns, and an engine."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pointsman.adapters.store.sql import SqlStore
from pointsman.adapters.store.sqlite import sqlite
from pointsman.engine.service import Service
from tests.support.reminders import MORNING, StillClock, engine


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    opened = sqlite(tmp_path / "test.db")
    yield opened
    await opened.aclose()


@pytest.fixture
def clock() -> StillClock:
    return StillClock(MORNING)


@pytest.fixture
async def service(store: SqlStore, clock: StillClock) -> Service:
    return await engine(store, clock, ["done"])
