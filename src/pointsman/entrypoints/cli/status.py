"""``pointsman status``: what waits, for whom, since when, and who works on it."""

from collections.abc import Sequence
from typing import Any

from pointsman import bootstrap
from pointsman.domain.runs import RunStatus
from pointsman.entrypoints.cli import lock
from pointsman.entrypoints.cli.render import local, print_runs
from pointsman.entrypoints.cli.shapes import record_shape
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.entrypoints.cli.texts import say
from pointsman.errors import NotFound
from pointsman.ports import QueueState, RunRecord, WorkerState
from pointsman.settings import Settings

OPEN = (
    RunStatus.QUEUED,
    RunStatus.RUNNING,
    RunStatus.SPLIT,
    RunStatus.WAITING,
    RunStatus.PARKED,
)
MOST = 100_000
SHOWN = 10
"""Parked runs in the list; ``runs list --status parked`` has all."""


async def status(settings: Settings, terminal: Terminal, *, as_json: bool) -> int:
    """Print how the runs, the queue and the workers stand. Exit code 1 when runs wait for workers
    and there is none, or when a run is parked."""
    if not settings.has_database:
        raise NotFound("database", str(settings.database))
    async with bootstrap.opened([], settings) as service:
        runs = {one: await service.runs(user=None, status=(one,), limit=MOST) for one in OPEN}
        queue = await service.workers()
    owner = lock.owner_of(settings.database)
    alive = [one for one in queue.workers if one.alive] if queue else []
    lonely = bool(runs[RunStatus.QUEUED]) and not (alive or owner)
    if as_json:
        print_json(_shape(str(settings.database), runs, queue, owner))
    else:
        _print(str(settings.database), runs, queue, owner, terminal)
        if lonely:
            terminal.tell("state.lonely", "red")
    return 1 if lonely or runs[RunStatus.PARKED] else 0


def _oldest(records: Sequence[RunRecord]) -> RunRecord | None:
    return records[-1] if records else None


def _shape(
    database: str,
    runs: dict[RunStatus, list[RunRecord]],
    queue: QueueState | None,
    owner: lock.Owner | None,
) -> dict[str, Any]:
    oldest = _oldest(runs[RunStatus.QUEUED])
    return {
        "database": database,
        "runs": {one.value: len(found) for one, found in runs.items()},
        "oldest_queued": record_shape(oldest) if oldest else None,
        "queue": {"waiting": queue.waiting, "driven": queue.driven} if queue else None,
        "workers": [_worker_shape(one) for one in queue.workers] if queue else [],
        "server": {"pid": owner.pid, "address": owner.address} if owner else None,
        "parked": [record_shape(one) for one in runs[RunStatus.PARKED]],
    }


def _worker_shape(worker: WorkerState) -> dict[str, Any]:
    return {
        "name": worker.name,
        "agents": list(worker.agents),
        "concurrency": worker.concurrency,
        "driving": worker.driving,
        "since": worker.since.isoformat() if worker.since else None,
        "heard": worker.heard.isoformat(),
        "alive": worker.alive,
    }


def _print(
    database: str,
    runs: dict[RunStatus, list[RunRecord]],
    queue: QueueState | None,
    owner: lock.Owner | None,
    terminal: Terminal,
) -> None:
    terminal.tell("state.head", "bold", database=database)
    counts: dict[str, object] = {one.value: len(found) for one, found in runs.items()}
    terminal.answer(say("state.runs", terminal.language, **counts))
    if oldest := _oldest(runs[RunStatus.QUEUED]):
        since = local(oldest.created)
        terminal.tell("state.oldest", "yellow", run=oldest.id, since=since, agent=oldest.agent)
    if queue is not None:
        terminal.tell("state.queue", waiting=queue.waiting, driven=queue.driven)
        for worker in queue.workers:
            _print_worker(worker, terminal)
    if owner is not None:
        terminal.tell("state.server", "green", pid=owner.pid, address=owner.address)
    if parked := runs[RunStatus.PARKED]:
        terminal.tell("state.parked", "red", count=len(parked))
        print_runs(parked[:SHOWN], terminal)


def _print_worker(worker: WorkerState, terminal: Terminal) -> None:
    key, style = ("state.worker", "green") if worker.alive else ("state.dead", "red")
    terminal.tell(
        key,
        style,
        name=worker.name,
        agents=", ".join(worker.agents) or "-",
        driving=worker.driving,
        concurrency=worker.concurrency,
        since=local(worker.since) if worker.since else "?",
        heard=local(worker.heard),
    )
