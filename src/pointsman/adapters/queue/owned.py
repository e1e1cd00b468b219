"""Jobs whose end only their owner may tell, through what happens to the database meanwhile.

Procrastinate is not fenced: a worker that was stopped for a while and wakes would end a job that
another is on. Here an end counts only while the job is still on the same attempt of the same
worker. And a worker goes on through a restart of the database: it does not stop, and forgets
nothing that it has to tell.
"""

import asyncio
import logging
from asyncio import CancelledError
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import anyio
import psycopg
from procrastinate import BaseConnector, BaseRetryStrategy, RetryDecision
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager, NotificationCallback

from pointsman.adapters.queue import standing

log = logging.getLogger("pointsman.queue")

PAUSES = (0.0, 1.0, 5.0, 30.0)
"""Seconds before a job is tried again whose drive failed; the last again and again."""
RETRIES = 30
"""Seconds during which the end of a job is told to a database that is away."""
PAUSE = 1.0
"""Seconds between two tries."""

# Only while the job is on that attempt of that worker. The other workers are told that it is to be
# had, or that its lock is free: Procrastinate leaves them to their next look.
_FINISH: Any = """
WITH mine AS (
    SELECT id, lock FROM procrastinate_jobs
     WHERE id = %(id)s AND status = 'doing' AND attempts = %(attempts)s
       AND worker_id IS NOT DISTINCT FROM %(worker)s::bigint
       FOR UPDATE),
ended AS (
    SELECT procrastinate_finish_job_v1(
               id, %(status)s::procrastinate_job_status, %(delete)s) AS one
      FROM mine),
told AS (
    SELECT pg_notify('procrastinate_queue_v1#' || next.queue_name,
                     json_build_object('type', 'job_inserted', 'job_id', next.id)::text) AS one
      FROM mine JOIN procrastinate_jobs AS next ON next.lock = mine.lock AND next.status = 'todo'
     LIMIT 1)
SELECT (SELECT count(*) FROM ended) AS ended, (SELECT count(*) FROM told) AS told
"""
_RETRY: Any = """
WITH mine AS (
    SELECT id, CASE WHEN %(home)s THEN args->>'home' ELSE queue_name END AS queue_name
      FROM procrastinate_jobs
     WHERE id = %(id)s AND status = 'doing' AND attempts = %(attempts)s
       AND worker_id IS NOT DISTINCT FROM %(worker)s::bigint
       FOR UPDATE),
again AS (
    SELECT procrastinate_retry_job_v2(id, %(at)s::timestamptz, NULL, queue_name, NULL) AS one
      FROM mine),
told AS (
    SELECT pg_notify('procrastinate_queue_v1#' || queue_name,
                     json_build_object('type', 'job_inserted', 'job_id', id)::text) AS one
      FROM mine)
SELECT (SELECT count(*) FROM again) AS ended, (SELECT count(*) FROM told) AS told
"""
_KNOWN = "SELECT count(*) AS workers FROM procrastinate_workers WHERE id = %(worker)s"


HOME = "home"
"""Stands for the queue of the job's agent, which workers of any process look at."""


class HandedBack(Exception):
    """What is left of the job is for another worker."""


class NotDriven(Exception):
    """Drives left the run where it was."""


class HandBack(BaseRetryStrategy):
    """A job that a shutdown interrupts, or that fails, is never lost: it is tried again."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        """When."""
        if isinstance(exception, CancelledError | HandedBack):
            return RetryDecision(retry_in={"seconds": 0}, queue=HOME)
        pause = PAUSES[min(job.attempts, len(PAUSES) - 1)]
        return RetryDecision(retry_in={"seconds": int(pause)})


class OwnedJobs(JobManager):
    """The job manager of one worker at a time."""

    def __init__(self, connector: BaseConnector, describe: Callable[[], bytes]) -> None:
        """Args:
        describe: what others are told of a worker that starts.
        """
        super().__init__(connector)
        self.worker: int | None = None
        """Procrastinate's id of the worker, while there is one."""
        self._describe = describe

    async def register_worker(self) -> int:
        self.worker = await super().register_worker()
        await self.connector.execute_query_async(
            standing.DESCRIBE, key=standing.key_of(self.worker), body=self._describe()
        )
        return self.worker

    async def unregister_worker(self, worker_id: int) -> None:
        self.worker = None
        try:
            await super().unregister_worker(worker_id)
            await self.connector.execute_query_async(standing.FORGET)
        except ConnectorException as fault:
            log.warning("worker %d could not sign off: %s", worker_id, _why(fault))

    async def update_heartbeat(self, worker_id: int) -> None:
        try:
            await super().update_heartbeat(worker_id)
        except ConnectorException as fault:
            log.warning("worker %d could not say that it lives: %s", worker_id, _why(fault))

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        try:
            return await super().fetch_job(queues=queues, worker_id=worker_id)
        except ConnectorException as fault:
            if isinstance(fault.__cause__, psycopg.errors.ForeignKeyViolation):
                raise  # we are taken for dead: whoever started us starts us again
            log.warning("worker %d could not look for runs: %s", worker_id, _why(fault))
            return None

    async def defer_periodic_job(
        self, job: Job, periodic_id: str, defer_timestamp: int
    ) -> int | None:
        try:
            return await super().defer_periodic_job(job, periodic_id, defer_timestamp)
        except ConnectorException as fault:
            log.warning("housekeeping is left to its next turn: %s", _why(fault))
            return None

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        while True:
            try:
                await super().listen_for_jobs(on_notification=on_notification, queues=queues)
            except ConnectorException as fault:
                log.warning("new runs are not told, only found: %s", _why(fault))
            await anyio.sleep(PAUSE)

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        values = {"status": status.value, "delete": delete_job}
        if not await self._told(_FINISH, job, values):
            log.warning("job %s is another worker's by now; its end here does not count", job.id)

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        await self._give_back(job, retry_at, home=queue == HOME)

    async def give_back(self, job: Job) -> bool:
        """Let the job be done by any worker of its agent, if it still is whose it was; whether it
        was."""
        return await self._give_back(job, None, home=True)

    async def _give_back(self, job: Job, at: datetime | None, *, home: bool) -> bool:
        try:
            return await self._told(_RETRY, job, {"at": at, "home": home})
        except UniqueViolation:
            # Another job of the conversation waits, and will do.
            return await self._told(_FINISH, job, {"status": "aborted", "delete": True})

    async def is_known(self) -> bool:
        """Whether the other workers take the worker for alive."""
        row = await self.connector.execute_query_one_async(_KNOWN, worker=self.worker)
        return bool(row["workers"])

    async def _told(self, query: Any, job: Job, values: dict[str, Any]) -> bool:
        """Run it for the job; whether the job was still the owner's. A database that is away is
        waited for: a job that nobody ends would hold its conversation for ever."""
        owner = {"id": job.id, "worker": job.worker_id, "attempts": job.attempts}
        for left in range(RETRIES, -1, -1):
            try:
                row = await self.connector.execute_query_one_async(query, **owner, **values)
                return bool(row["ended"])
            except UniqueViolation:
                raise
            except ConnectorException as fault:
                if not left:
                    raise
                log.warning("the end of job %s could not be told: %s", job.id, _why(fault))
            await asyncio.sleep(PAUSE)
        raise AssertionError


def _why(fault: Exception) -> str:
    """The first line of what the database said."""
    return str(fault.__cause__ or fault).partition("\n")[0]
