"""What an event in the journal costs, on both databases, beside a bare loop of inserts.

Each append is two events with their hashes, moves its run's row on, and every fourth must outlive a
power cut, as in a run. The bare loop writes the same rows with nothing around them: once with a
commit for each two rows, once in large transactions.

Run: ``make bench-journal``. The PostgreSQL server is one of the tests, with its safety switched on.
Quoted by ``benchmarks/durable.md``.
"""

import asyncio
import os
import resource
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from pointsman.adapters.store.postgres import postgres
from pointsman.adapters.store.sqlite import sqlite
from pointsman.domain import events as ev
from pointsman.domain.runs import RunStatus
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.ports import Append, Row, RunRecord, Store
from tests.support.postgres import TEMPLATE, PostgresServer, prepare, running

EVENTS = 20_000
EACH = 2
"""Events of an append."""
SYNCED = 4
"""Every so many appends one must outlive a power cut."""
BATCH = 200
"""Rows of a large transaction of the bare loop."""

NOW = datetime.now(UTC)
EVENT = ev.AttemptFinished(
    at=NOW,
    call="1.0",
    attempt=1,
    result=ToolResult(status=ResultStatus.OK, content="晴，18 到 26 度。" * 12),
    ms=12.5,
)
SQL = "INSERT INTO events (run, position, body, hash) VALUES ({0}, {0}, {0}, {0})"


class Measured(Struct, frozen=True):
    """Events in a second, and microseconds of CPU of our process and of the database's for each."""

    rate: float
    ours: float
    theirs: float | None


def cpu() -> float:
    """Seconds of CPU that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def servers_cpu(server: PostgresServer) -> float:
    """Seconds of CPU of the server and of all who serve its connections, or have served them."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except OSError:  # it has just ended
            continue
        if server.pid in (int(stat.parent.name), int(fields[1])):
            own, of_ended = fields[11:13], fields[13:15]
            ticks += sum(map(int, [*own, *(of_ended if int(fields[1]) != server.pid else [])]))
    return ticks / os.sysconf("SC_CLK_TCK")


def rows(run: str, start: int, count: int, head: bytes) -> tuple[list[Row], bytes]:
    """The next rows of a run, encoded and linked as the journal does."""
    made = []
    for position in range(start, start + count):
        body = ev.encode(EVENT)
        head = ev.link(head, run, position, body)
        made.append(Row(position=position, body=body, hash=head))
    return made, head


async def drive(store: Store, number: int, appends: int) -> None:
    """One run, append after append, each when the one before it stands."""
    run, head = f"{number:032x}", ev.GENESIS
    record = RunRecord(
        id=run,
        conversation=run,
        user="ann",
        agent="travel",
        status=RunStatus.RUNNING,
        input="明天成都天气如何？",
        created=NOW,
        updated=NOW,
        position=-1,
    )
    for turn in range(appends):
        made, head = rows(run, turn * EACH, EACH, head)
        expected, record = record.position, replace(record, position=made[-1].position)
        synced = turn % SYNCED == 0
        await store.append(Append(expected=expected, rows=tuple(made), run=record, synced=synced))


async def measured(
    act: Callable[[], Awaitable[None]], events: int, *, server: PostgresServer | None
) -> Measured:
    """What it costs to do this."""
    before, theirs, start = cpu(), servers_cpu(server) if server else 0.0, time.perf_counter()
    await act()
    seconds, ours = time.perf_counter() - start, cpu() - before
    theirs = (servers_cpu(server) - theirs) / events * 1e6 if server else 0.0
    return Measured(events / seconds, ours / events * 1e6, theirs if server else None)


async def journal(store: Store, at_once: int, *, server: PostgresServer | None) -> Measured:
    """Appends of so many runs at once."""
    appends = EVENTS // EACH // at_once

    async def act() -> None:
        await asyncio.gather(*(drive(store, number, appends) for number in range(at_once)))

    found = await measured(act, at_once * appends * EACH, server=server)
    await store.aclose()
    return found


def parts(together: int) -> Iterable[list[tuple[str, int, bytes, bytes]]]:
    """The rows of the bare loop, so many together."""
    made, _ = rows("0" * 32, 0, EVENTS, ev.GENESIS)
    for start in range(0, EVENTS, together):
        yield [
            ("0" * 32, row.position, row.body, row.hash) for row in made[start : start + together]
        ]


async def bare_sqlite(path: Path, together: int) -> Measured:
    """The loop on a file, with every fourth commit synced."""
    sqlite(path)
    connection = sqlite3.connect(path, isolation_level=None)

    async def act() -> None:
        for number, part in enumerate(parts(together)):
            level = "FULL" if number % SYNCED == 0 else "NORMAL"
            connection.execute(f"PRAGMA synchronous={level}")
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(SQL.format("?"), part)
            connection.execute("COMMIT")

    found = await measured(act, EVENTS, server=None)
    connection.close()
    return found


async def bare_postgres(server: PostgresServer, together: int) -> Measured:
    """The loop on a server, every commit synced."""
    with psycopg.connect(server.create(TEMPLATE), autocommit=True) as connection:
        cursor = connection.cursor()

        async def act() -> None:
            for part in parts(together):
                cursor.execute("BEGIN")
                cursor.executemany(SQL.format("%s").encode(), part)
                cursor.execute("COMMIT")

        return await measured(act, EVENTS, server=server)


def show(database: str, what: str, found: Measured) -> None:
    """One row of the table."""
    theirs = "–" if found.theirs is None else f"{found.theirs:.0f}"
    print(f"| {database} | {what} | {found.rate:,.0f} | {found.ours:.0f} | {theirs} |", flush=True)


async def both(folder: Path, server: PostgresServer) -> None:
    """The whole table."""
    print("| database | what | events/s | CPU µs/event | server's CPU µs/event |")
    print("|---|---|---:|---:|---:|")
    for together, name in ((EACH, "a commit for each two"), (BATCH, f"{BATCH} in a commit")):
        show("SQLite", f"bare inserts, {name}", await bare_sqlite(folder / name, together))
        show("PostgreSQL", f"bare inserts, {name}", await bare_postgres(server, together))
    for at_once in (1, 20, 200):
        for synchronous in ("full", "normal"):
            what = f"journal, {at_once} at once, `{synchronous}`"
            file = sqlite(folder / what.replace("`", ""), synchronous=synchronous)
            show("SQLite", what, await journal(file, at_once, server=None))
            kept = postgres(server.create(TEMPLATE), synchronous=synchronous)
            show("PostgreSQL", what, await journal(kept, at_once, server=server))


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder, running(safe=True) as server:
        prepare(server)
        asyncio.run(both(Path(folder), server))


if __name__ == "__main__":
    main()
