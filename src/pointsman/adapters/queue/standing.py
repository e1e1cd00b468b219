"""What waits for workers and who they are, for whoever looks after them.

Procrastinate knows of a worker only when it gave its last sign of life. The rest a worker writes
beside, when it starts.
"""

from datetime import datetime

import msgspec
from msgspec import Struct
from psycopg import AsyncConnection

from pointsman.ports import QueueState, WorkerState

DESCRIBE = """
INSERT INTO shared (key, body) VALUES (%(key)s, %(body)s)
    ON CONFLICT (key) DO UPDATE SET body = excluded.body
"""
FORGET = """
DELETE FROM shared WHERE key LIKE 'worker/%%' AND NOT EXISTS (
    SELECT 1 FROM procrastinate.procrastinate_workers AS worker
     WHERE shared.key = 'worker/' || worker.id)
"""

_WORKERS = """
SELECT shared.body, worker.last_heartbeat,
       worker.last_heartbeat > now() - make_interval(secs => %s),
       (SELECT count(*) FROM procrastinate.procrastinate_jobs AS job
         WHERE job.worker_id = worker.id AND job.status = 'doing')
  FROM procrastinate.procrastinate_workers AS worker
  LEFT JOIN shared ON shared.key = 'worker/' || worker.id
 ORDER BY worker.id
"""
_JOBS = """
SELECT count(*) FILTER (WHERE status = 'todo'), count(*) FILTER (WHERE status = 'doing')
  FROM procrastinate.procrastinate_jobs
 WHERE lock IS NOT NULL AND status IN ('todo', 'doing')
"""


class Description(Struct, frozen=True, kw_only=True):
    """What a worker says of itself."""

    name: str = "?"
    agents: tuple[str, ...] = ()
    concurrency: int = 0
    since: datetime | None = None


def key_of(worker: int) -> str:
    """Where it says so."""
    return f"worker/{worker}"


async def read(connection: AsyncConnection, dead_after: float) -> QueueState:
    """How the queue stands.

    Args:
        dead_after: seconds without a sign of life.
    """
    waiting, driven = await (await connection.execute(_JOBS)).fetchone() or (0, 0)
    workers = await (await connection.execute(_WORKERS, (dead_after,))).fetchall()
    return QueueState(
        waiting=waiting,
        driven=driven,
        workers=tuple(_state(*worker) for worker in workers),
    )


def _state(body: bytes | None, heard: datetime, alive: bool, driving: int) -> WorkerState:
    try:
        said = msgspec.json.decode(body or b"{}", type=Description)
    except msgspec.MsgspecError:  # of another release
        said = Description()
    return WorkerState(
        name=said.name,
        agents=said.agents,
        concurrency=said.concurrency,
        driving=driving,
        since=said.since,
        heard=heard,
        alive=alive,
    )
