"""What a worker does beside its runs, so that none is forgotten: it looks for jobs of dead workers,
for jobs of its own that it is not on, for runs that no job stands for, and for runs that a person
wants stopped.

It runs as a plain task of every worker. As a job it might wait for a lock that a dead worker holds.
"""

import logging
from collections.abc import Callable, Collection

import anyio
import psycopg
from procrastinate.exceptions import ConnectorException
from psycopg_pool import AsyncConnectionPool

from pointsman.adapters.queue.owned import OwnedJobs
from pointsman.adapters.queue.pace import Pace
from pointsman.adapters.queue.postings import DUE, INTERACTIVE, post

log = logging.getLogger("pointsman.queue")

LOOKS = 1.0
"""Seconds between two looks."""
SELDOM = 15
"""Looks between two looks for runs without a job."""

_ABANDONED = """
SELECT DISTINCT conversation FROM runs
 WHERE status = ANY(%s)
   AND NOT EXISTS (SELECT 1 FROM procrastinate.procrastinate_jobs AS job
                    WHERE job.lock = runs.conversation AND job.status IN ('todo', 'doing'))
"""
# Of a process that drives what is submitted to it: one that is gone, or cannot for another's sake.
_LEFT = """
UPDATE procrastinate.procrastinate_jobs AS job SET queue_name = args->>'home'
 WHERE status = 'todo' AND queue_name LIKE 'own-%%'
   AND EXISTS (SELECT 1 FROM procrastinate.procrastinate_events AS event
                WHERE event.job_id = job.id AND event.at < now() - make_interval(secs => %s))
"""
_STOPPED = "SELECT id FROM runs WHERE id = ANY(%s) AND cancel_requested"


class Sweeper:
    """Looks after the jobs, from one worker's side."""

    def __init__(
        self,
        jobs: OwnedJobs,
        pool: AsyncConnectionPool,
        pace: Pace,
        *,
        on: Callable[[], Collection[int]],
        driven: Callable[[], Collection[str]],
        stop: Callable[[str], None],
        restart: Callable[[], None],
    ) -> None:
        """Args:
        on: the jobs that the worker is on.
        driven: the runs that it drives.
        stop: stops one of them.
        restart: starts the worker again, under another id.
        """
        self._jobs, self._pool, self._pace = jobs, pool, pace
        self._on, self._driven, self._stop, self._restart = on, driven, stop, restart
        self._strange: set[tuple[int | None, int]] = set()

    async def sweep(self) -> None:
        """Look after them until cancelled."""
        looks = 0
        while True:
            try:
                await self.look()
                if looks % SELDOM == 0:
                    await self.look_for_runs()
            except (ConnectorException, psycopg.Error) as fault:
                why = str(fault.__cause__ or fault).partition("\n")[0]
                log.warning("the queue was not looked after: %s", why)
            looks += 1
            await anyio.sleep(LOOKS)

    async def look(self) -> None:
        """One look at the jobs."""
        for job in await self._jobs.get_stalled_jobs(seconds_since_heartbeat=self._pace.dead_after):
            if await self._jobs.give_back(job):
                log.warning("worker %s is dead; its job %s goes on", job.worker_id, job.id)
        await self._look_at_own()
        if driven := list(self._driven()):
            for run in await self._column(_STOPPED, driven):
                self._stop(run)

    async def _look_at_own(self) -> None:
        """A job that we have got without hearing of it, since the database went away just then,
        would wait for us for ever. Two looks, since we may only just be hearing of it."""
        worker = self._jobs.worker
        if worker is None:
            return
        if not await self._jobs.is_known():
            self._restart()
            return
        on = self._on()
        strange = {
            (job.id, job.attempts): job
            for job in await self._jobs.list_jobs_async(status="doing", worker_id=worker)
            if job.id not in on
        }
        for key, job in strange.items():
            if (
                key in self._strange
                and job.id not in self._on()
                and await self._jobs.give_back(job)
            ):
                log.warning("job %s was ours and nobody knew; it goes on", job.id)
        self._strange = set(strange)

    async def look_for_runs(self) -> None:
        """Put runs on the queue that should be driven and that no job stands for."""
        async with self._pool.connection() as connection:
            await connection.execute(_LEFT, (SELDOM * LOOKS,))
        for conversation in await self._column(_ABANDONED, list(DUE)):
            log.warning("conversation %s has a run that no job stood for", conversation)
            async with self._pool.connection() as connection:
                await post(connection, conversation, priority=INTERACTIVE)

    async def _column(self, query: str, values: list[str]) -> list[str]:
        async with self._pool.connection() as connection:
            found = await connection.execute(query.encode(), (values,))
            return [str(row[0]) for row in await found.fetchall()]
