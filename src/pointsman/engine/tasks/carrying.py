"""Carries a plan out: tasks that may start get runs of their own, the request gets what came of
them (O5).

A request that was split rests until one of its tasks has ended, asks a person, or goes on after
that: each of these puts it on the queue, with the very append that makes it so (``Append.wakes``).
Whoever gets it brings its journal up to date with its tasks (``Tasks.advance``). That is the same
after a crash, by two workers at once, or once too often: the runs of tasks have ids that follow
from the plan, and go to the store before what the request's journal says of them.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain import graph as graphs
from pointsman.domain import sentences
from pointsman.domain.graph import Graph, Task, TaskState
from pointsman.domain.messages import Message
from pointsman.domain.pending import Pending
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks, task_words
from pointsman.domain.tasks.task import Budget
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.engine.agents import Agents, LiveAgent
from pointsman.engine.journal import Journal
from pointsman.engine.tasks import closing, task_ends, task_runs
from pointsman.errors import CallerError, NotFound, PositionConflict
from pointsman.ports import Bus, Clock, Progress, Queue, Store

_TRIES = 5

Stop = Callable[[str, str, str], Awaitable[object]]
"""Cancels a run: its id, login of who wants it, and why."""


class _Made(Struct, frozen=True):
    """The run that was made for a task."""

    task: Task
    run: str
    budget: Budget


class Tasks:
    """The tasks of the requests that this process drives."""

    def __init__(
        self, store: Store, bus: Bus, clock: Clock, queue: Queue, agents: Agents, stop: Stop
    ) -> None:
        self._store, self._bus, self._clock = store, bus, clock
        self._queue, self._agents, self._stop = queue, agents, stop

    async def advance(self, journal: Journal, *, driven: bool = True) -> bool:
        """Journal what has become of the tasks of the open plan, and start those that may start;
        whether all are over, so that the run goes on with their results.

        Args:
            driven: by a worker that has claimed the run. Else one that has it just now is thrown
                out by this, so that another look is due.

        Raises:
            PositionConflict: another worker does the same, or a person has stopped the run.
        """
        live = self._live(journal.run)
        if journal.run.status is RunStatus.RUNNING:
            # The plan outlives a crash before any run of it is there: another answer of the model
            # might be another plan.
            await journal.commit()
        made = [*await self._look(journal, live), *self._start_ready(journal, live)]
        found = run_tasks.open_graph(journal.run)
        assert found is not None
        if found.ended:
            self._put_together(journal, found, live)
            self._tell(journal.run, found)
            return True
        goes_on = found.having(TaskState.RUNNING)
        status = RunStatus.SPLIT if goes_on else RunStatus.WAITING
        if journal.run.status is not status:
            journal.record(
                ev.TasksAwaited(
                    at=self._clock.now(), call=found.call, by="tasks" if goes_on else "person"
                )
            )
        journal.push(synced=True, look=not driven)
        await self._stored(made)
        await journal.commit()
        self._tell(journal.run, found)
        return False

    def _tell(self, run: Run, found: Graph) -> None:
        """Tell who watches the request how far it is."""
        over = sum(task.state.ended for task in found.tasks)
        news = Progress(
            call=found.call, fraction=over / len(found.tasks), message=f"{over}/{len(found.tasks)}"
        )
        self._bus.publish(run.id, news)

    async def catch_up(self, request: str) -> Run | None:
        """The request, with what has become of its tasks; None when it is of no agent here."""
        for _ in range(_TRIES):
            journal = await self._open(request)
            if journal.run.status not in (RunStatus.SPLIT, RunStatus.WAITING):
                return journal.run
            with suppress(PositionConflict):
                try:
                    return await self._nudged(journal)
                except NotFound:
                    return None
        return (await self._open(request)).run

    async def _nudged(self, journal: Journal) -> Run:
        """The request, brought up to date by somebody who does not drive it."""
        if run_tasks.open_graph(journal.run) is not None:
            if await self.advance(journal, driven=False):
                await journal.commit(wake=True)
            await self._queue.woken(journal.run.id, journal.run.conversation)
        return journal.run

    async def told(self, run: Run) -> None:
        """Have the request looked at whose task the run carries, now that it rests or goes on
        again."""
        if run.task is not None:
            await self._queue.woken(run.task.run, run.task.conversation)

    async def left(self, run: Run) -> None:
        """A worker has let go of the run: what goes on for it is stopped when it is over, and the
        request looked at whose task it carries."""
        if run.status.ended:
            await self.stop(run, by=run.user, reason="its request is over")
        if run.rests:
            await self.told(run)

    async def is_orphan(self, run: Run) -> bool:
        """Whether the request is over whose task the run carries."""
        if run.task is None:
            return False
        record = await self._store.record(run.task.run)
        return record is None or record.status.ended

    async def close(self, journal: Journal) -> None:
        """Journal what has come so far of the tasks of a request that is about to end."""
        if run_tasks.open_graph(journal.run) is not None:
            with suppress(NotFound):  # no agent of this process
                await closing.close(journal, self._live(journal.run).registry, self._run)

    async def stop(self, run: Run, *, by: str, reason: str) -> None:
        """Stop what goes on for a request that is over."""
        found = run_tasks.graph_of(run)
        for task in found.having(TaskState.CANCELLED) if found else ():
            with suppress(CallerError):
                await self._stop(task.run, by, reason)

    async def takes_back(self, run: Run) -> bool:
        """Give a task up whose run ended with a question, if that still waits for its answer."""
        if run.task is None or run.kind == "cancelled":
            return False
        journal = await self._open(run.task.run)
        found = run_tasks.open_graph(journal.run)
        asking = [one for one in found.active if one.run == run.id] if found else []
        for task in asking:
            assert found is not None
            journal.record(task_ends.given_up(task, run, call=found.call, at=self._clock.now()))
            with suppress(PositionConflict):
                await self._nudged(journal)
        return bool(asking)

    def awaits_words(self, run: Run) -> bool:
        """Whether the person's next message is the answer to a task's question."""
        return self._asking(run) is not None

    async def answer(self, request: str, text: str) -> Run:
        """Give the person's words to the task that asked first: another run carries it on.

        Raises:
            PositionConflict: it asks no more; look again.
        """
        journal = await self._open(request)
        asking, found = self._asking(journal.run), run_tasks.open_graph(journal.run)
        if asking is None or found is None:
            raise PositionConflict(f"run {request} asks nothing")
        before = (await self._open(asking.run)).run
        if not before.status.ended:  # a task of its own asks
            await self.answer(before.id, text)
            return await self._nudged(journal)
        live, now = self._live(journal.run), self._clock.now()
        shares = task_runs.budgets(journal.run, live.spec.limits, now, 1)
        budget = shares[0] if shares else Budget(turns=0, calls=0, tokens=0, seconds=0.0)
        first = task_runs.next_event(before, text, budget, now)
        run = task_runs.run_of(request, found.version, asking.id, asking.attempt + 1)
        held = await self._store.conversation(before.conversation)
        past, pending = (held.messages, held.pending) if held else ((), None)
        child = self._new(run, first, past, pending)
        child.push(synced=True, wake=True)
        await self._stored([child])
        self._record_start(journal, found, _Made(asking, run, budget))
        return await self._nudged(journal)

    def _asking(self, run: Run) -> Task | None:
        wanted = (task for task, one in run_tasks.questions(run) if not one.approval)
        return next(wanted, None)

    async def _look(self, journal: Journal, live: LiveAgent) -> list[Journal]:
        """Journal what the runs of tasks have come to; those that are made again, for they are not
        there."""
        found = run_tasks.open_graph(journal.run)
        assert found is not None
        if not found.active:
            return []
        lost: list[Journal] = []
        run, nexts = journal.run, {}
        for task in found.active:
            if task.questions and task.budget is None:  # its run is over
                nexts[task.id] = task_runs.run_of(run.id, found.version, task.id, task.attempt + 1)
        ids = [*(task.run for task in found.active), *nexts.values()]
        rows = await self._store.records(ids=ids, limit=len(ids))
        records = {record.id: record for record in rows}
        for task in found.active:
            again = nexts.get(task.id)
            if again in records and again is not None:  # whoever made it did not come to say so
                made = (await self._open(again)).run.task
                assert made is not None
                self._record_start(journal, found, _Made(task, again, made.budget))
                continue
            record, now = records.get(task.run), self._clock.now()
            begun = task.state is TaskState.RUNNING
            if record is None and begun and task.attempt == 1 and task.budget is not None:
                gone = _Made(task, task.run, task.budget)
                lost.append(self._pushed(journal, found, gone, live))
            elif record is None:
                journal.record(task_ends.gone(task, journal.run, call=found.call, at=now))
            elif not begun or record.status in _TELLING:
                told = await self._open(task.run)
                news = task_ends.news(
                    task, told.run, live.registry, call=found.call, at=now, wanted=told.pending
                )
                if news is not None:
                    journal.record(news)
        return lost

    def _start_ready(self, journal: Journal, live: LiveAgent) -> list[Journal]:
        """Hand the runs of tasks that may start to the store, and journal that they are there, and
        what never will be."""
        limits, begun = live.spec.limits, list[Journal]()
        while True:
            found = run_tasks.open_graph(journal.run)
            assert found is not None
            self._skip_lost(journal, found)
            found = run_tasks.open_graph(journal.run)
            assert found is not None
            wave = graphs.ready(found, limits.tasks_at_once)
            if not wave:
                return begun
            now = self._clock.now()
            shares = task_runs.budgets(journal.run, limits, now, len(wave))
            if not shares and found.active:
                return begun  # what they do not use is for these
            if not shares:
                self._refuse(journal, found, wave, live)
                continue
            made = [
                _Made(
                    task,
                    task_runs.run_of(journal.run.id, found.version, task.id, task.attempt + 1),
                    budget,
                )
                for task, budget in zip(wave, shares, strict=False)
            ]
            for one in made:
                begun.append(self._pushed(journal, found, one, live))
                self._record_start(journal, found, one)

    def _skip_lost(self, journal: Journal, found: Graph) -> None:
        for node, cause in graphs.lost(found).items():
            journal.record(
                ev.TaskSkipped(
                    at=self._clock.now(),
                    call=found.call,
                    node=node,
                    cause=cause,
                    why=task_words.skipped(found[cause], journal.run.language),
                )
            )

    def _refuse(
        self, journal: Journal, found: Graph, wave: Sequence[Task], live: LiveAgent
    ) -> None:
        """Journal that tasks cannot start since the request has used what it may use."""
        now, limits, run = self._clock.now(), live.spec.limits, journal.run
        used = run_tasks.spent(run)
        if limits.turns - used.turns <= task_runs.KEPT_TURNS:
            reason, detail = "turns", str(limits.turns)
        elif used.tokens >= limits.tokens:
            reason, detail = "tokens", str(limits.tokens)
        else:
            reason, detail = "seconds", f"{limits.seconds:g}"
        why = sentences.failure(reason, detail, run.language, run=run.id)
        for task in wave:
            journal.record(
                ev.TaskEnded(at=now, call=found.call, node=task.id, run="", state="failed", why=why)
            )

    def _pushed(self, journal: Journal, found: Graph, made: _Made, live: LiveAgent) -> Journal:
        """The run of a task, handed to the store before what the request's journal says of it."""
        first = task_runs.first_event(
            journal.run,
            found,
            made.task,
            made.budget,
            past=journal.past,
            registry=live.registry,
            now=self._clock.now(),
            limits=live.spec.limits,
        )
        child = self._new(made.run, first, (), None)
        child.push(synced=True, wake=True)
        return child

    def _new(
        self,
        run: str,
        first: ev.MessageReceived,
        past: tuple[Message, ...],
        pending: Pending | None,
    ) -> Journal:
        return Journal.start(
            self._store, self._bus, self._clock, run=run, first=first, past=past, pending=pending
        )

    async def _stored(self, journals: Sequence[Journal]) -> None:
        """Wait until the runs are stored, and queue them; one that was there stays as it is."""
        for one in journals:
            with suppress(PositionConflict):
                await one.commit()
            await self._queue.woken(one.run.id, one.run.conversation)

    def _record_start(self, journal: Journal, found: Graph, made: _Made) -> None:
        journal.record(
            ev.TaskStarted(
                at=self._clock.now(),
                call=found.call,
                node=made.task.id,
                run=made.run,
                attempt=made.task.attempt + 1,
                budget=made.budget,
            )
        )

    def _put_together(self, journal: Journal, found: Graph, live: LiveAgent) -> None:
        """Journal what the call came to: what each task gave, or why it came to nothing."""
        limits = live.spec.limits
        limit = min(limits.result_chars, limits.history_chars // 2)
        result = ToolResult(
            status=ResultStatus.OK if found.overall == "done" else ResultStatus.ERROR,
            content=task_words.summary(found, limit),
            untrusted=not all(task.trusted for task in found.tasks),
        )
        begun = [task.started for task in found.tasks if task.started]
        now = self._clock.now()
        journal.record(
            ev.AttemptFinished(
                at=now,
                call=found.call,
                attempt=journal.run.call(found.call).attempts,
                result=result,
                ms=round((now - min(begun)).total_seconds() * 1000, 3) if begun else 0.0,
            )
        )

    def _live(self, run: Run) -> LiveAgent:
        return self._agents.get(run.agent).carrying(run)

    async def _open(self, run: str) -> Journal:
        return await Journal.open(self._store, self._bus, self._clock, run)

    async def _run(self, run: str) -> Run:
        return (await self._open(run)).run


_TELLING = (
    RunStatus.WAITING,
    RunStatus.PARKED,
    RunStatus.DONE,
    RunStatus.FAILED,
    RunStatus.CANCELLED,
)
"""Statuses of a task's run that tell its request something."""
