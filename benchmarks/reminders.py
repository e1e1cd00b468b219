"""What reminders cost while they wait, and how fast they fire; one line a database.

python -m benchmarks.reminders [--waiting 100000] [--due 10000] [--idle 20] [sqlite|postgres ...]
"""

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

import anyio

from pointsman import bootstrap, settings
from pointsman.adapters.store.sql import SqlStore
from pointsman.domain.notices.delivery import DeliveryStatus
from pointsman.domain.reminders import reminder_moves as moves
from pointsman.domain.reminders.reminder import Reminder
from pointsman.domain.schedule import Schedule
from pointsman.engine.service import Service
from tests.support.postgres import TEMPLATE, prepare, running

ZONE = ZoneInfo("Asia/Shanghai")
DAILY = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"
OPEN = tuple(one for one in DeliveryStatus if not one.ended)
TOGETHER = 2000


def rss() -> float:
    """Megabytes of this process."""
    gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


async def put(service: Service, count: int, start: datetime, rule: str) -> float:
    """Make so many reminders; seconds that it took."""
    store, now = cast("SqlStore", service.store).reminders, service.now()
    began = time.perf_counter()
    for first in range(0, count, TOGETHER):
        async with anyio.create_task_group() as tasks:
            for number in range(first, min(first + TOGETHER, count)):
                one = Reminder(
                    user=f"user{number % 1000}",
                    agent="desk",
                    kind="text",
                    text=f"reminder {number}",
                    schedule=Schedule(start=start, rule=rule),
                    timezone="Asia/Shanghai",
                )
                clock = service.reminders._clock
                tasks.start_soon(store.add, moves.named(moves.begun(one, now, None), clock.new_id))
    return time.perf_counter() - began


async def idle(service: Service, seconds: float) -> tuple[float, float]:
    """Percent of a CPU while nothing is due, and megabytes then."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(service.serve)
        await anyio.sleep(2)
        before = time.process_time()
        await anyio.sleep(seconds)
        used = time.process_time() - before
        held = rss()
        tasks.cancel_scope.cancel()
    return 100 * used / seconds, held


async def fired(service: Service, due: datetime) -> tuple[float, float]:
    """Seconds from their instant until all are handed to the outbox, and until all are in the
    inboxes."""
    store = cast("SqlStore", service.store)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(service.serve)
        while (following := await store.reminders.next_due()) is not None and following <= due:  # noqa: ASYNC110 - nobody tells us
            await anyio.sleep(0.05)
        handed = (service.now() - due).total_seconds()
        while await store.outbox.deliveries(status=OPEN, limit=1):  # noqa: ASYNC110
            await anyio.sleep(0.1)
        delivered = (service.now() - due).total_seconds()
        tasks.cancel_scope.cancel()
    return handed, delivered


@contextmanager
def databases(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield str(folder / "test.db")
        return
    with running() as server:
        prepare(server)
        yield server.create(TEMPLATE)


async def measured(kind: str, database: str, folder: Path, given: argparse.Namespace) -> None:
    desk = folder / "desk"
    desk.mkdir()
    (desk / "agent.yaml").write_text("agent: desk\noffline: {fallback: Noted.}\n")
    chosen = settings.load({"POINTSMAN_DATABASE": database}, folder=desk)
    async with bootstrap.opened([desk], chosen) as service:
        empty_cpu, empty_rss = await idle(service, given.idle)
        morning = datetime.now(ZONE).replace(hour=9, minute=0) + timedelta(days=2)
        took = await put(service, given.waiting, morning, DAILY)
        cpu, held = await idle(service, given.idle)
        due = service.now().replace(microsecond=0) + timedelta(seconds=given.ahead)
        await put(service, given.due, due.astimezone(ZONE), "FREQ=DAILY")
        if service.now() > due:
            raise SystemExit("they were due before all were made: --ahead more seconds")
        handed, delivered = await fired(service, due)
    print(
        f"{kind}: {given.waiting} waiting (made in {took:.1f} s): {cpu:.2f} % of a CPU (none: "
        f"{empty_cpu:.2f} %), {held:.0f} MB (none: {empty_rss:.0f} MB); {given.due} due in one "
        f"second: all fired after {handed:.2f} s, all in the inboxes after {delivered:.1f} s",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", type=int, default=100_000)
    parser.add_argument("--due", type=int, default=10_000)
    parser.add_argument("--idle", type=float, default=20)
    parser.add_argument("--ahead", type=float, default=20, help="seconds until they are due")
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgres"])
    given = parser.parse_args()
    for kind in given.kinds:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with databases(kind, folder) as database:
                anyio.run(measured, kind, database, folder, given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
