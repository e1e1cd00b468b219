"""Runs handed out by Procrastinate, a job queue in the journal's own PostgreSQL database, to the
workers of any number of processes.

One job stands for a conversation (``postings``); its end counts only from whoever has it
(``owned``); what else could go wrong is looked after beside (``sweeping``). At least once: the
journal's epochs see to it that a run which two have is carried on by one.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
import msgspec
import psycopg
from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import AsyncConnectionPool

from pointsman.adapters.queue import standing
from pointsman.adapters.queue.owned import PAUSE, HandBack, HandedBack, NotDriven, OwnedJobs
from pointsman.adapters.queue.pace import Pace
from pointsman.adapters.queue.postings import (
    DRIVE,
    INTERACTIVE,
    enqueue,
    next_due,
    post,
    queue_of,
    settled,
)
from pointsman.adapters.queue.sweeping import Sweeper
from pointsman.errors import JournalCorrupt, StoreUnavailable
from pointsman.ports import Append, Clock, Cursor, QueueState

log = logging.getLogger("pointsman.queue")

HOUSEKEEPING = "housekeeping"
HOURS = 24
"""After which jobs that ended are deleted; those that ended well go at once."""
LETTING_GO = 1.0
"""Seconds that another process gets to let go of a run that is cancelled."""
AGAIN = 3
"""Drives of one run in a row that leave it where it was, before the job is given a rest."""
_SEARCH = '-c search_path="$user",public,procrastinate'

_DRIVEN_ELSEWHERE = """
SELECT 1 FROM runs JOIN procrastinate.procrastinate_jobs AS job
    ON job.lock = runs.conversation AND job.status = 'doing'
 WHERE runs.id = %s AND runs.status = 'running'
"""


class ProcrastinateQueue:
    """``ports.Queue`` in a PostgreSQL database."""

    lasting = True

    def __init__(
        self,
        conninfo: str,
        *,
        agents: Sequence[str],
        name: str,
        clock: Clock,
        pace: Pace | None = None,
        interrupt: Callable[[str], None] = lambda run: None,
        alone: bool = False,
    ) -> None:
        """Args:
        agents: whose runs are driven here.
        alone: drive what is submitted here, and nothing else. When this process is gone, others
            take up what it leaves.
        name: of this process, for people.
        clock: tells when a worker starts.
        interrupt: tells the other processes that whoever drives a run is to stop.
        """
        self._agents, self._name, self._pace = tuple(agents), name, pace or Pace()
        self._poll = min(self._pace.poll, 0.1) if alone else self._pace.poll
        self._clock = clock
        self._own = f"own-{clock.new_id()}" if alone else ""
        self._interrupt = interrupt
        options = conninfo_to_dict(conninfo).get("options") or ""
        self._pool = AsyncConnectionPool(
            conninfo,
            kwargs={"options": f"{options} {_SEARCH}".strip()},
            configure=_one_statement_a_transaction,
            min_size=1,
            max_size=4,
            timeout=5.0,
            open=False,
        )
        self._app = App(connector=PsycopgConnector())
        self._jobs = OwnedJobs(self._app.connector, self._description)
        self._app.job_manager = self._jobs
        self._app.task(name=DRIVE, pass_context=True, retry=HandBack())(self._drain)
        housekeeping = self._app.task(name=HOUSEKEEPING, queue=HOUSEKEEPING, pass_context=True)
        # Without any periodic task a worker would not notice that it lost its connection.
        self._app.periodic(cron="*/10 * * * *")(housekeeping(_delete_old))
        self._drive: Callable[[str], Awaitable[None]] | None = None
        self._driven: dict[str, tuple[anyio.CancelScope, anyio.Event]] = {}
        self._on: set[int] = set()
        self._stopping = False
        self._worker: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """The queue can be used in the block."""
        await self._pool.open()
        try:
            await self._app.open_async(self._pool)
            yield
        finally:
            await self._pool.close()

    def enqueue(self, cursor: Cursor, due: Sequence[Append]) -> None:
        """``ports.Enqueue``, for the store. It may be called in any thread."""
        enqueue(cursor, due, own=self._own)

    async def put(self, run: str, conversation: str) -> None:
        try:
            async with self._pool.connection() as connection:
                await post(connection, conversation, priority=INTERACTIVE)
        except psycopg.Error as fault:
            raise StoreUnavailable(f"run {run} could not be put on the queue: {fault}") from None

    async def woken(self, run: str, conversation: str) -> None:
        """The append has put it."""

    async def cancel(self, run: str) -> None:
        if run in self._driven:
            return await self._stop_and_wait(run)
        self._interrupt(run)
        with suppress(psycopg.Error), anyio.move_on_after(LETTING_GO):
            while await self._is_driven_elsewhere(run):  # noqa: ASYNC110 - nobody tells us
                await anyio.sleep(0.05)

    def stop(self, run: str) -> None:
        """Interrupt the run if it is driven here."""
        if run in self._driven:
            self._driven[run][0].cancel()

    async def state(self) -> QueueState | None:
        try:
            async with self._pool.connection() as connection:
                return await standing.read(connection, self._pace.dead_after)
        except psycopg.Error as fault:
            raise StoreUnavailable(f"the queue could not be asked: {fault}") from None

    async def serve(self, drive: Callable[[str], Awaitable[None]]) -> None:
        self._drive, self._stopping = drive, False
        async with anyio.create_task_group() as tasks:
            sweeper = Sweeper(
                self._jobs,
                self._pool,
                self._pace,
                on=lambda: self._on,
                driven=lambda: self._driven,
                stop=self.stop,
                restart=self._restart,
            )
            tasks.start_soon(sweeper.sweep)
            while True:
                await self._work()
                await anyio.sleep(PAUSE)

    async def _work(self) -> None:
        """One life of a worker: until cancelled, or until the others take it for dead."""
        self._worker = worker = asyncio.create_task(
            self._app.run_worker_async(
                queues=self._queues(),
                name=self._name,
                concurrency=self._pace.concurrency,
                fetch_job_polling_interval=self._poll,
                update_heartbeat_interval=self._pace.heartbeat,
                stalled_worker_timeout=self._pace.dead_after,
                shutdown_graceful_timeout=self._pace.grace,
                delete_jobs="successful",
                install_signal_handlers=False,
            )
        )
        try:
            await asyncio.wait([worker])
        finally:
            if not worker.done():
                self._stopping = True
                worker.cancel()
                with anyio.CancelScope(shield=True):
                    await asyncio.wait([worker])
        if worker.cancelled() or (fault := worker.exception()) is None:
            log.warning("worker %s starts again", self._name)
        elif isinstance(fault, ConnectorException):
            log.warning("worker %s starts again: %s", self._name, fault.__cause__ or fault)
        else:
            raise fault

    async def _drain(
        self, context: JobContext, conversation: str, home: str, run: str | None = None
    ) -> None:
        """Drive what waits in the conversation, one by one, as long as the job is ours.

        Args:
            run: one that is looked at first, whatever its status.
        """
        job = context.job
        passed: list[str] = []
        assert job.id is not None
        self._on.add(job.id)
        try:
            if run is not None:
                async with self._pool.connection() as connection:
                    await settled(connection, conversation)
                await self._drive_one(run)
            last, times = "", 0
            while run := await self._next(conversation, job, passed):
                if self._stopping:
                    raise HandedBack
                last, times = run, times + 1 if run == last else 0
                if times >= AGAIN:
                    raise NotDriven(run)
                if times:
                    await anyio.sleep(self._poll)
                try:
                    await self._drive_one(run)
                except JournalCorrupt as fault:
                    log.error("run %s is left where it is: %s", run, fault)
                    passed.append(run)
        finally:
            self._on.discard(job.id)

    async def _next(self, conversation: str, job: Job, passed: Sequence[str]) -> str | None:
        async with self._pool.connection() as connection:
            return await next_due(connection, conversation, job, passed)

    async def _drive_one(self, run: str) -> None:
        assert self._drive is not None
        over = anyio.Event()
        with anyio.CancelScope() as scope:
            self._driven[run] = scope, over
            try:
                await self._drive(run)
            finally:
                del self._driven[run]
                over.set()

    def _queues(self) -> list[str]:
        return [self._own] if self._own else [HOUSEKEEPING, *map(queue_of, self._agents)]

    def _restart(self) -> None:
        if self._worker is not None:
            self._worker.cancel()

    def _description(self) -> bytes:
        said = standing.Description(
            name=self._name,
            agents=self._agents,
            concurrency=self._pace.concurrency,
            since=self._clock.now(),
        )
        return msgspec.json.encode(said)

    async def _stop_and_wait(self, run: str) -> None:
        scope, over = self._driven[run]
        scope.cancel()
        await over.wait()

    async def _is_driven_elsewhere(self, run: str) -> bool:
        async with self._pool.connection() as connection:
            found = await connection.execute(_DRIVEN_ELSEWHERE, (run,))
            return await found.fetchone() is not None


async def _one_statement_a_transaction(connection: psycopg.AsyncConnection) -> None:
    await connection.set_autocommit(True)


async def _delete_old(context: JobContext, timestamp: int) -> None:
    await context.app.job_manager.delete_old_jobs(
        nb_hours=HOURS, include_failed=True, include_cancelled=True, include_aborted=True
    )
