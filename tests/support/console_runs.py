"""Many runs in a data folder, for the console: copies of the ended ones, over the last 30 days.

    python -m tests.support.console_runs FOLDER [COUNT]

No server may use the folder meanwhile.
"""

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

import anyio

from pointsman.adapters.store.sqlite import sqlite
from pointsman.adapters.system import SystemClock
from pointsman.domain import events as ev
from pointsman.domain.runs import RunStatus
from pointsman.ports import Store
from tests.support.many_runs import add_run, moved, run_id

SPAN = timedelta(days=30)
ENDED = (RunStatus.DONE, RunStatus.FAILED, RunStatus.CANCELLED)


async def fill(folder: Path, count: int = 10_000) -> None:
    """Add so many copies of the folder's ended runs, each user with about as many."""
    store = sqlite(folder / "pointsman.db")
    try:
        records = await store.records(status=ENDED, limit=200)
        patterns = [
            [ev.decode(row.body) for row in await store.rows(record.id)] for record in records
        ]
        await _copy(store, patterns, sorted({record.user for record in records}), count)
    finally:
        await store.aclose()


async def _copy(
    store: Store, patterns: Sequence[Sequence[ev.Event]], users: Sequence[str], count: int
) -> None:
    chance, now = Random(7), SystemClock().now()
    starts = sorted(now - SPAN * chance.random() ** 0.8 for _ in range(count))
    for number, at in enumerate(starts):
        events = chance.choice(patterns)
        first = {"user": chance.choice(users), "conversation": run_id(at, 10**9 + number)}
        by = at - events[0].at
        await add_run(store, run_id(at, number), [moved(one, by, **first) for one in events])


if __name__ == "__main__":
    anyio.run(fill, Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
