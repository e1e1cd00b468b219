"""Four days around a change of the clocks, with processes killed at random moments. ``make
soak-reminders`` lives through a year."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.year.living import lived
from tests.support.year.plan import Span

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def span(seed: int) -> Span:
    start = datetime(2025, 3, 8, tzinfo=UTC)
    return Span(
        start=start,
        end=start + timedelta(days=4),
        reminders=60,
        kills=2,
        jumps=1,
        steps=12,
        seed=seed,
    )


async def test_one_process_on_a_file_loses_doubles_and_hastens_nothing(tmp_path: Path) -> None:
    verdict = await lived(tmp_path, span(seed=3))
    assert verdict.wrong == []
    assert sum(verdict.states.values()) >= 40


async def test_two_processes_on_one_database_lose_double_and_hasten_nothing(
    tmp_path: Path, postgres_url: str
) -> None:
    verdict = await lived(tmp_path, span(seed=4), postgres_url, processes=2)
    assert verdict.wrong == []
    assert sum(verdict.states.values()) >= 40
