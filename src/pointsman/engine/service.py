"""What can be asked of the engine: submit a message, follow, decide, cancel, look.

Above: the entry points. Everything belongs to a user; another user's thing is not found.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import anyio

from pointsman.domain import events as ev
from pointsman.domain.calendar.workdays import Workdays
from pointsman.domain.messages import Delta, Message
from pointsman.domain.pending import Pending
from pointsman.domain.runs import Run, RunStatus
from pointsman.engine import endings, once, recovery
from pointsman.engine.accounts.users import Accounts
from pointsman.engine.agents import Agents
from pointsman.engine.approvals.answering import Answering
from pointsman.engine.approvals.desk import Desk, Verdict
from pointsman.engine.approvals.unclear import Unclear
from pointsman.engine.changes import Changes
from pointsman.engine.following import Recorded as Recorded
from pointsman.engine.following import rest_of, told_by
from pointsman.engine.journal import Journal
from pointsman.engine.looking import Looking
from pointsman.engine.loop import Loop
from pointsman.engine.notices.mailroom import Mailroom
from pointsman.engine.observing import ObservedBus
from pointsman.engine.reminders.book import ReminderBook
from pointsman.engine.reminders.reminding import reminder_book
from pointsman.engine.submission import Submission as Submission
from pointsman.engine.tasks.carrying import Tasks
from pointsman.errors import CallerError, Conflict, PositionConflict
from pointsman.ports import (
    Bus,
    Clock,
    Queue,
    QueueState,
    Signal,
    Store,
)


class Service(Looking):
    """The engine's front: one instance a process."""

    def __init__(
        self,
        *,
        agents: Agents,
        store: Store,
        queue: Queue,
        bus: Bus,
        clock: Clock,
        roles: Mapping[str, Sequence[str]] | None = None,
        mailroom: Mailroom | None = None,
        accounts: Accounts | None = None,
        workdays: Workdays | None = None,
        alone: bool = False,
    ) -> None:
        """Args:
        roles: role → the logins that have it; without any, nobody has a role.
        mailroom, accounts: None where there are none; without a mailroom, no reminders.
        workdays: China's calendar.
        alone: what is due besides texts is left to a process that others can rely on.
        """
        self._mailroom, self.accounts = mailroom, accounts
        roles = {} if roles is None else roles  # one that fills later is not replaced
        agents = self.agents = agents.with_roles(roles)
        bus = self.observed = ObservedBus(bus)
        self.changes = Changes(store, clock)
        bus.add(self.changes)
        super().__init__(store, bus, clock)
        self._queue = queue
        self._tasks = Tasks(store, bus, clock, queue, agents, self._cancel)
        self._loop = Loop(store, bus, clock, agents, self._tasks)
        self.desk = Desk(store, bus, clock, queue, agents, roles)
        self._answering = Answering(store, bus, clock, self.desk, self._tasks)
        self._reminders = None
        if mailroom is not None:
            self._reminders = reminder_book(
                store,
                mailroom.post,
                queue,
                clock,
                bus,
                agents=[agent.spec.name for agent in agents],
                workdays=workdays,
                actions=not alone,
            )
        self._serving = 0
        self._carried: dict[str, asyncio.Timeout] = {}

    @property
    def store(self) -> Store:
        """Where everything is kept, for whoever reads the record."""
        return self._store

    @property
    def mailroom(self) -> Mailroom:
        """Notifications and inboxes.

        Raises:
            CallerError: there are none in this engine.
        """
        if self._mailroom is None:
            raise CallerError("this engine has no notifications: its journal is in memory")
        return self._mailroom

    @property
    def reminders(self) -> ReminderBook:
        """Everybody's reminders.

        Raises:
            CallerError: there are none in this engine.
        """
        if self._reminders is None:
            raise CallerError("this engine has no reminders: its journal is in memory")
        return self._reminders

    def now(self) -> datetime:
        """The instant, aware, in UTC."""
        return self._clock.now()

    @property
    def shares(self) -> bool:
        """Whether other processes may drive what is submitted here."""
        return self._queue.lasting

    async def workers(self) -> QueueState | None:
        """What waits for workers, and who they are; None when this process is the only one."""
        return await self._queue.state()

    async def open(self) -> None:
        """Start the agents' tool sources; slow servers become ready later."""
        for agent in self.agents:
            await agent.open()

    async def aclose(self) -> None:
        """Close the agents, then the store, after what it took over is durable."""
        try:
            await self.agents.aclose()
            if self._mailroom is not None:
                await self._mailroom.aclose()
        finally:
            await self._store.aclose()

    async def recover(self) -> int:
        """Queue every run that a crash or a shutdown left unfinished; how many. Only for the
        process that owns the database: it takes the runs over. A queue that lasts knows them."""
        if self._queue.lasting:
            return 0
        served = {agent.spec.name for agent in self.agents}
        return await recovery.requeue_unfinished(self._store, self._queue, served)

    async def serve(self) -> None:
        """Drive what is queued here, carry what is in the outbox and fire what is due, until
        cancelled."""
        self._serving += 1
        try:
            async with anyio.create_task_group() as tasks:
                if self._mailroom is not None:
                    tasks.start_soon(self._mailroom.postman.serve)
                if self._reminders is not None:
                    tasks.start_soon(self._reminders.serve)
                if self.accounts is not None:
                    tasks.start_soon(self.accounts.keep_current)
                await self._queue.serve(self._loop.drive)
        finally:
            self._serving -= 1

    async def submit(self, submission: Submission) -> str:
        """Journal the message and queue its run; the run's id.

        A message to a conversation that waits for the user's confirmation answers it when it is a
        plain yes or no, and else withdraws it (case P14). A yes that decides nothing is told so in
        a run of its own, and what waits goes on waiting.

        Raises:
            NotFound: no such agent, or no such conversation of this user.
        """
        answered = await self._answered(submission, hand_on=True)
        if isinstance(answered, Run):
            return answered.id
        journal = await self.receive(submission)
        if answered is not None:
            answered.told(journal)
        await journal.commit(wake=True)
        await self._queue.woken(journal.run.id, journal.run.conversation)
        return journal.run.id

    async def submit_once(self, submission: Submission, key: str) -> str:
        """As ``submit``, and the same run again for the same message under the same key.

        Raises:
            NotFound: as ``submit``.
            Conflict: another message was handed in under this key.
        """
        return await once.submitted(self._store, self._clock, submission, key, self.submit)

    async def receive(self, submission: Submission) -> Journal:
        """The journal of a new run for this message; nothing of it is stored yet."""
        live = self.agents.get(submission.agent)
        past: tuple[Message, ...] = ()
        pending: Pending | None = None
        if submission.conversation:
            held = await self._own(submission.conversation, submission.user)
            past, pending = held.messages, held.pending
        return Journal.start(
            self._store,
            self._bus,
            self._clock,
            run=submission.run or self._clock.new_id(),
            first=submission.received(
                past,
                language=live.spec.language,
                asked=pending is not None,
                now=self._clock.now(),
                fresh=self._clock.new_id(),
            ),
            past=past,
            pending=pending,
        )

    async def carry(
        self, submission: Submission, on_delta: Callable[[Delta], None] | None = None
    ) -> Run:
        """Submit and drive here and now, in the caller's task; the run as it ended or waits.

        Cancelling the caller cancels the run.

        Args:
            on_delta: gets the deltas of the reply, besides those who watch the run.
        """
        answered = await self._answered(submission, hand_on=False)
        if isinstance(answered, Run):
            journal = await self._open(answered.id)
        else:
            journal = await self.receive(submission)
            if answered is not None:
                answered.told(journal)
        return await self._driven(journal, on_delta)

    async def _driven(self, journal: Journal, on_delta: Callable[[Delta], None] | None) -> Run:
        """The run as it ended or waits, after it was driven here and now."""
        run, user = journal.run.id, journal.run.user
        carried = self._carried[run] = asyncio.timeout(None)  # until _interrupt sets its end
        try:
            async with carried:
                try:
                    await self._loop.carry(journal, on_delta)
                    if journal.run.status is RunStatus.SPLIT:
                        return await self._until_rest(journal.run, on_delta)
                finally:
                    self._carried.pop(run, None)
        except (PositionConflict, TimeoutError) as fault:
            if isinstance(fault, TimeoutError) and not carried.expired():
                raise
            return (await self._open(run)).run
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), suppress(Conflict):
                await self.cancel(run, user, reason="caller cancelled")
            raise
        return journal.run

    async def _until_rest(self, run: Run, on_delta: Callable[[Delta], None] | None) -> Run:
        """The run when it rests. Its tasks, and then the run itself, are driven by whoever serves;
        here, when nobody does."""
        async with anyio.create_task_group() as group:
            if not (self._serving or self._queue.lasting):
                group.start_soon(self._queue.serve, self._loop.drive)
            told = ""
            async for one in self.follow(run.id, None, after=run.position):
                if on_delta is not None and isinstance(one, Delta):
                    on_delta(one)
                    told = told_by(told, one)
            group.cancel_scope.cancel()
        ended = (await self._open(run.id)).run
        if on_delta is not None and ended.stream and ended.status is RunStatus.DONE:
            for delta in rest_of(ended.reply, told):
                on_delta(delta)
        return ended

    async def _answered(self, submission: Submission, *, hand_on: bool) -> Run | Unclear | None:
        """The waiting run that this message answers; see ``Answering.taken``."""
        if not submission.conversation:
            return None
        await self._own(submission.conversation, submission.user)
        return await self._answering.taken(submission, hand_on=hand_on)

    async def decide(
        self, run: str, approval: str, decision: Verdict, *, by: str, reason: str = ""
    ) -> Run:
        """A person's decision on one call of the run or of its tasks; see ``Desk.decide``."""
        return await self._answering.decide(run, approval, decision, by=by, reason=reason)

    async def decide_here(
        self, run: str, approval: str, decision: Verdict, *, by: str, reason: str = ""
    ) -> Run:
        """As ``decide``, and the run is driven on in the caller's task; as it ended or waits."""
        await self._answering.decide(run, approval, decision, by=by, reason=reason, hand_on=False)
        return await self._driven(await self._open(run), None)

    async def request_of(self, run: Run) -> Run:
        """The request that the run carries a task of, through all depths, as it stands after that;
        the run itself when it carries none."""
        return await self._answering.request_of(run)

    async def resume(self, run: str) -> None:
        """Take up a run that another process moved on by a person's decision, and tell who watches
        it. Does no harm to any other run.

        Raises:
            NotFound: there is no such run, or it is of no agent of this process.
        """
        record = await self._own_run(run, None)
        if not self._queue.lasting:
            self.agents.get(record.agent)
        self._bus.publish(run, Signal(record.position, record.status.ended))
        if record.status in (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.SPLIT):
            await self._queue.put(run, record.conversation)

    async def unpark(self, run: str, user: str | None, *, by: str, reason: str = "") -> Run:
        """Let a parked run go on.

        Args:
            user: who must own it; None for an operator.
            by: login of the person.

        Raises:
            NotFound: no such run of this user.
            Conflict: it is not parked.
        """
        await self._own_run(run, user)
        journal = await self._open(run)
        if journal.run.status is not RunStatus.PARKED:
            raise Conflict(f"run {run} is not parked ({journal.run.status.value})")
        journal.record(ev.RunUnparked(at=self._clock.now(), by=by, reason=reason))
        await journal.commit(wake=True)
        await self._queue.woken(run, journal.run.conversation)
        return journal.run

    async def cancel(self, run: str, user: str | None, *, by: str = "", reason: str = "") -> Run:
        """Stop a run: its model call is closed, its attempts are given up, it never starts again.

        Args:
            user: who must own it; None for an operator.
            by: login of who stops it, for the journal; the user by default.

        Raises:
            NotFound: no such run of this user.
            Conflict: it has ended already.
        """
        await self._own_run(run, user)
        return await self._cancel(run, by or user or "operator", reason)

    async def _cancel(self, run: str, by: str, reason: str) -> Run:
        if not await self._store.request_cancel(run):
            ended = (await self._open(run)).run
            if await self._tasks.takes_back(ended):
                return ended
            raise Conflict(f"run {run} has ended already")
        while True:
            await self._interrupt(run)
            journal = await self._open(run)
            if journal.run.status is RunStatus.CANCELLED:
                await self._tasks.stop(journal.run, by=by, reason="its request was cancelled")
                await self._tasks.told(journal.run)
                return journal.run
            if journal.run.status.ended:
                raise Conflict(f"run {run} has ended already")
            await self._tasks.close(journal)
            endings.cancel(journal, by=by, reason=reason)
            # Whoever has just taken the run up is interrupted by the next round, or has lost it.
            with suppress(PositionConflict):
                await journal.commit()

    async def _interrupt(self, run: str) -> None:
        """Stop the run where it is driven in this process."""
        if carried := self._carried.pop(run, None):
            carried.reschedule(0)
        await self._queue.cancel(run)
