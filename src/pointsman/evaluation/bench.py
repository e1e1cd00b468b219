"""Evaluations in the background of a server: one after the other, with progress and what came of
them in the store. One whose process ends is marked as failed."""

import logging
import math
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.record.story import story
from pointsman.engine.service import Recorded
from pointsman.errors import CallerError, NotFound, PointsmanError
from pointsman.evaluation import report, suites
from pointsman.evaluation.cases import Suite
from pointsman.evaluation.metrics import CaseResult
from pointsman.evaluation.runner import Plan, run
from pointsman.evaluation.staging import Subject
from pointsman.ports import Clock, Store
from pointsman.ports.console import EvaluationRecord, Evaluations, KeepsConsole

log = logging.getLogger("pointsman.bench")

JOBS = 2
"""Cases at once: the server has other things to do."""
MOST_WAITING = 20
BEAT = 10.0
"""Seconds between two signs of life; also how often progress is stored at most, by cases."""
LOST = timedelta(seconds=60)
"""Without a sign of life for so long, its process is gone."""
GONE = "the server stopped before it was done"


class Listed(Struct, frozen=True, kw_only=True):
    """A suite in an agent's folder; ``problem`` says why it cannot be read."""

    name: str
    file: str
    cases: int = 0
    problem: str = ""


class _Job(Struct, frozen=True):
    record: EvaluationRecord
    suite: Suite
    subject: Subject


class Bench:
    """The evaluations of one server.

    Args:
        alone: no other process is on the store: what runs there at the start runs no more.
    """

    def __init__(self, store: Store, clock: Clock, *, alone: bool) -> None:
        self._store, self._clock, self._alone = store, clock, alone
        self._waiting: deque[_Job] = deque()
        self._more = anyio.Event()

    async def serve(self) -> None:
        """Carry what is asked for, until cancelled. Does nothing where nothing is kept."""
        if not isinstance(self._store, KeepsConsole):
            return
        if self._alone:
            now = self._clock.now()
            await self._store.evaluations.abandon(now + LOST, now, GONE)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._show_waiting, self._store.evaluations)
            while True:
                while self._waiting:
                    await self._carry(self._waiting.popleft(), self._store.evaluations)
                self._more = anyio.Event()
                await self._more.wait()

    async def start(
        self, kept: Evaluations, home: Path, agent: str, suite: str, *, repeat: int, by: str
    ) -> EvaluationRecord:
        """Ask for an evaluation; as it is stored now.

        Args:
            suite: its name, or its file's.

        Raises:
            NotFound: there is no such suite.
            AgentFileError: it cannot be read.
            CallerError: too many wait.
        """
        subject = Subject(path=home)
        found = await to_thread.run_sync(_suite, home, suite)
        now = self._clock.now()
        record = EvaluationRecord(
            id=self._clock.new_id(),
            agent=agent,
            suite=found.name,
            state="running",
            by=by,
            started=now,
            alive=now,
            repeat=repeat,
            total=len(found.cases) * repeat,
            model=subject.names,
            version=await to_thread.run_sync(subject.digest),
        )
        if len(self._waiting) >= MOST_WAITING:
            raise CallerError(f"{MOST_WAITING} evaluations wait: let some end first")
        await kept.keep(record)
        self._waiting.append(_Job(record, found, subject))
        self._more.set()
        return record

    async def sweep(self, kept: Evaluations) -> None:
        """Mark those as failed whose process is gone."""
        now = self._clock.now()
        await kept.abandon(now - LOST, now, GONE)

    async def _show_waiting(self, kept: Evaluations) -> None:
        """Show that those that wait are not forgotten, until cancelled."""
        while True:
            await anyio.sleep(BEAT)
            for job in list(self._waiting):
                await kept.keep(replace(job.record, alive=self._clock.now()))

    async def _carry(self, job: _Job, kept: Evaluations) -> None:
        progress = _Progress(job, kept, self._clock)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(progress.beat)
            try:
                await progress.done(await run(progress.plan(), job.subject, progress.tell))
            except anyio.get_cancelled_exc_class():
                with anyio.CancelScope(shield=True):
                    await progress.failed(GONE)
                raise
            except Exception as fault:  # noqa: BLE001 - the agent's own code may raise anything
                await progress.failed(_reason(fault))
            tasks.cancel_scope.cancel()


def _reason(fault: BaseException) -> str:
    """Why it could not be carried through, without the groups of tasks around it."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    if isinstance(fault, PointsmanError):
        return str(fault)
    log.error("an evaluation failed", exc_info=fault)
    return f"{type(fault).__name__}: {fault}"


class _Progress:
    """How far one evaluation is, in the store too."""

    def __init__(self, job: _Job, kept: Evaluations, clock: Clock) -> None:
        self._job, self._kept, self._clock = job, kept, clock
        self._record = job.record
        self._scores: list[float] = []

    def plan(self) -> Plan:
        """What is carried through."""
        return Plan(suite=self._job.suite, repeat=self._job.record.repeat, jobs=JOBS, story=_story)

    def tell(self, result: CaseResult) -> None:
        """One case more."""
        self._scores.append(result.score)
        self._record = replace(
            self._record,
            done=self._record.done + 1,
            passed=self._record.passed + result.passed,
            score=math.fsum(self._scores) / len(self._scores),
        )

    async def beat(self) -> None:
        """Store how far it is, whenever it is further, and now and then to show that it is alive;
        until cancelled."""
        stored, waited = self._record, 0.0
        while True:
            await anyio.sleep(0.5)
            waited += 0.5
            if self._record is not stored or waited >= BEAT:
                stored, waited = self._record, 0.0
                await self._kept.keep(replace(stored, alive=self._clock.now()))

    async def done(self, results: Sequence[CaseResult]) -> None:
        """Keep what came of it."""
        job = self._job
        found = report.report_of(
            [job.suite],
            results,
            agent=job.record.agent,
            model=job.record.model,
            thresholds={},
            default={"passed": 1.0},
        )
        body = msgspec.json.encode(report.as_json(found))
        now = self._clock.now()
        self._record = replace(self._record, state="done", ended=now, alive=now, results=body)
        await self._kept.keep(self._record)

    async def failed(self, problem: str) -> None:
        """Keep that it could not be carried through, and why."""
        now = self._clock.now()
        self._record = replace(self._record, state="failed", ended=now, alive=now, problem=problem)
        await self._kept.keep(self._record)


def _story(run_id: str, trace: Sequence[Recorded]) -> Iterator[str]:
    for told in story(run_id, [one.event for one in trace], "en"):
        yield f"{told.label} {told.phrase.text}".strip()


def _suite(home: Path, name: str) -> Suite:
    for file in _files(home):
        try:
            suite = suites.load(file)
        except PointsmanError as fault:
            if name in (file.stem, file.name):
                raise CallerError(_relative(fault, home)) from None
            continue
        if name in (suite.name, file.stem, file.name):
            return suite
    raise NotFound("suite", name)


def _relative(fault: PointsmanError, home: Path) -> str:
    """What is wrong, without the place of the folder."""
    return str(fault).replace(f"{home}/", "")


def listed(home: Path) -> list[Listed]:
    """The suites of an agent's folder."""
    found = []
    for file in _files(home):
        stat = file.stat()
        found.append(_listed(home, file, (stat.st_mtime_ns, stat.st_size)))
    return found


@lru_cache(maxsize=256)
def _listed(home: Path, file: Path, stamp: tuple[int, int]) -> Listed:
    """Reading a suite takes long; it is read again when its file has changed."""
    try:
        suite = suites.load(file)
    except PointsmanError as fault:
        return Listed(name=file.stem, file=file.name, problem=_relative(fault, home))
    return Listed(name=suite.name, file=file.name, cases=len(suite.cases))


def _files(home: Path) -> list[Path]:
    folder = home / suites.FOLDER
    return sorted(one for one in folder.glob("*") if one.suffix in suites.SUFFIXES)
