"""What can be asked of the engine: submit a message, follow, decide, cancel, look.

Above: the entry points. Everything belongs to a user; another user's thing is not found.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress

import anyio
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain import sentences
from pointsman.domain.agent import Language
from pointsman.domain.approvals import USER
from pointsman.domain.messages import (
    Delta,
    Message,
    ModelParams,
    ToolChoice,
    Usage,
    UserMessage,
)
from pointsman.domain.pending import Pending
from pointsman.domain.runs import Run, RunStatus, evolve, fold
from pointsman.domain.tools import ToolSpec
from pointsman.engine import endings, recovery
from pointsman.engine.agents import Agents
from pointsman.engine.context import cleaned
from pointsman.engine.decisions import withdraw
from pointsman.engine.desk import Desk, Verdict
from pointsman.engine.journal import Journal
from pointsman.engine.loop import Loop
from pointsman.errors import CallerError, Conflict, NotDecided, NotFound, PositionConflict
from pointsman.ports import Bus, Clock, Conversation, News, Queue, RunRecord, Signal, Store


class Submission(Struct, frozen=True, kw_only=True):
    """A message for an agent.

    Attributes:
        conversation: an existing one of this user, or empty for a fresh one.
        messages: instead of ``text``, for callers that keep the history themselves.
        history: messages before them, known to the caller and not to the store.
        language: of the engine's own sentences; the agent's when None.
        stream: tell the reply as it is written.
    """

    agent: str
    user: str
    text: str = ""
    conversation: str = ""
    messages: tuple[Message, ...] = ()
    history: tuple[Message, ...] = ()
    client_tools: tuple[ToolSpec, ...] = ()
    params: ModelParams | None = None
    tool_choice: ToolChoice | None = None
    language: Language | None = None
    stream: bool = False
    origin: str = "user"


class Recorded(Struct, frozen=True, kw_only=True):
    """An event at its place in the journal."""

    position: int
    event: ev.Event


class Service:
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
    ) -> None:
        """Args:
        roles: role → the logins that have it; without any, nobody has a role.
        """
        self.agents = agents
        self._store, self._queue, self._bus, self._clock = store, queue, bus, clock
        self._loop = Loop(store, bus, clock, agents)
        self.desk = Desk(store, bus, clock, queue, agents, roles or {})
        self._carried: dict[str, anyio.CancelScope] = {}

    @property
    def store(self) -> Store:
        """Where everything is kept, for whoever reads the record."""
        return self._store

    async def open(self) -> None:
        """Start the agents' tool sources; slow servers become ready later."""
        for agent in self.agents:
            await agent.open()

    async def aclose(self) -> None:
        """Close the agents, then the store, after what it took over is durable."""
        try:
            for agent in self.agents:
                await agent.aclose()
        finally:
            await self._store.aclose()

    async def recover(self) -> int:
        """Queue every run that a crash or a shutdown left unfinished; how many. Only for the
        process that owns the database: it takes the runs over."""
        served = {agent.spec.name for agent in self.agents}
        return await recovery.requeue_unfinished(self._store, self._queue, served)

    async def serve(self) -> None:
        """Drive what is queued here, until cancelled."""
        await self._queue.serve(self._loop.drive)

    async def submit(self, submission: Submission) -> str:
        """Journal the message and queue its run; the run's id.

        A message to a conversation that waits for the user's confirmation answers it when it is a
        plain yes or no, and else withdraws it (case P14).

        Raises:
            NotFound: no such agent, or no such conversation of this user.
        """
        if (answered := await self._answered(submission, hand_on=True)) is not None:
            return answered.id
        journal = await self.receive(submission)
        await journal.commit()
        await self._queue.put(journal.run.id, journal.run.conversation)
        return journal.run.id

    async def receive(self, submission: Submission) -> Journal:
        """The journal of a new run for this message; nothing of it is stored yet."""
        live = self.agents.get(submission.agent)
        past: tuple[Message, ...] = ()
        pending: Pending | None = None
        if submission.conversation:
            held = await self._own(submission.conversation, submission.user)
            past, pending = held.messages, held.pending
        messages = submission.messages or (UserMessage(text=submission.text),)
        return Journal.start(
            self._store,
            self._bus,
            self._clock,
            run=self._clock.new_id(),
            first=ev.MessageReceived(
                at=self._clock.now(),
                agent=submission.agent,
                user=submission.user,
                conversation=submission.conversation or self._clock.new_id(),
                language=submission.language or live.spec.language,
                messages=cleaned(messages),
                history=cleaned(submission.history),
                client_tools=submission.client_tools,
                params=submission.params,
                tool_choice=submission.tool_choice,
                stream=submission.stream,
                origin=submission.origin,
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
        if (answered := await self._answered(submission, hand_on=False)) is not None:
            journal = await self._open(answered.id)
        else:
            journal = await self.receive(submission)
        run = journal.run.id
        try:
            with anyio.CancelScope() as scope:
                self._carried[run] = scope
                await self._loop.carry(journal, on_delta)
        except PositionConflict:
            return (await self._open(run)).run
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), suppress(Conflict):
                await self.cancel(run, submission.user, reason="caller cancelled")
            raise
        finally:
            del self._carried[run]
        return (await self._open(run)).run if scope.cancelled_caught else journal.run

    async def _own(self, conversation: str, user: str) -> Conversation:
        found = await self._store.conversation(conversation)
        if found is None or found.user != user:
            raise NotFound("conversation", conversation)
        return found

    async def _answered(self, submission: Submission, *, hand_on: bool) -> Run | None:
        """The waiting run that this message confirms or denies; one that it does neither to is
        withdrawn (case P14)."""
        if not submission.conversation:
            return None
        await self._own(submission.conversation, submission.user)
        waiting = await self._store.records(
            conversation=submission.conversation, status=(RunStatus.WAITING,)
        )
        journals = [await self._open(record.id) for record in waiting]
        questions = [(one, call.approval) for one in journals for call in one.run.waiting]
        word = sentences.plain_answer(submission.text)
        try:
            if word is not None and len(questions) == 1:
                journal, approval = questions[0]
                if approval is not None and approval.by == USER:
                    wanted: Verdict = "approved" if word else "denied"
                    try:
                        return await self.desk.decide(
                            journal.run.id,
                            approval.id,
                            wanted,
                            by=submission.user,
                            hand_on=hand_on,
                        )
                    except NotDecided as fault:
                        if fault.kind == "expired":  # which the run goes on to tell
                            return journal.run
                        raise
            for journal in journals:
                if journal.run.waiting:
                    await withdraw(journal, by=submission.user)
        except (PositionConflict, NotDecided):
            return await self._answered(submission, hand_on=hand_on)
        return None

    async def _open(self, run: str) -> Journal:
        return await Journal.open(self._store, self._bus, self._clock, run)

    async def decide(
        self, run: str, approval: str, decision: Verdict, *, by: str, reason: str = ""
    ) -> Run:
        """A person's decision on one call; see ``Desk.decide``."""
        return await self.desk.decide(run, approval, decision, by=by, reason=reason)

    async def resume(self, run: str) -> None:
        """Take up a run that another process moved on by a person's decision, and tell who watches
        it. Does no harm to any other run.

        Raises:
            NotFound: there is no such run, or it is of no agent of this process.
        """
        record = await self._own_run(run, None)
        self.agents.get(record.agent)
        self._bus.publish(run, Signal(record.position, record.status.ended))
        if record.status in (RunStatus.QUEUED, RunStatus.RUNNING):
            await self._queue.put(run, record.conversation)

    async def cancel(self, run: str, user: str | None, *, reason: str = "") -> Run:
        """Stop a run: its model call is closed, its attempts are given up, it never starts again.

        Args:
            user: who must own it; None for an operator.

        Raises:
            NotFound: no such run of this user.
            Conflict: it has ended already.
        """
        await self._own_run(run, user)
        if not await self._store.request_cancel(run):
            raise Conflict(f"run {run} has ended already")
        while True:
            await self._interrupt(run)
            journal = await self._open(run)
            if journal.run.status is RunStatus.CANCELLED:
                return journal.run
            if journal.run.status.ended:
                raise Conflict(f"run {run} has ended already")
            endings.cancel(journal, by=user or "operator", reason=reason)
            # Whoever has just taken the run up is interrupted by the next round, or has lost it.
            with suppress(PositionConflict):
                await journal.commit()

    async def _interrupt(self, run: str) -> None:
        """Stop the run where it is driven in this process."""
        if scope := self._carried.get(run):
            scope.cancel()
        await self._queue.cancel(run)

    async def run(self, run: str, user: str | None) -> Run:
        """The state of a run, folded from its verified journal."""
        await self._own_run(run, user)
        return (await self._open(run)).run

    async def record(self, run: str, user: str | None) -> RunRecord:
        """The row of a run."""
        return await self._own_run(run, user)

    async def trace(self, run: str, user: str | None) -> list[Recorded]:
        """Every event of a run, in order."""
        await self._own_run(run, user)
        return await self._events(run, -1)

    async def runs(
        self,
        *,
        user: str | None,
        conversation: str | None = None,
        agent: str | None = None,
        status: tuple[RunStatus, ...] = (),
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        """Runs, newest first."""
        return await self._store.records(
            user=user,
            conversation=conversation,
            agent=agent,
            status=status,
            limit=limit,
            before=before,
        )

    async def conversation(self, conversation: str, user: str) -> Conversation:
        """A conversation of this user, with the messages of its ended runs."""
        return await self._own(conversation, user)

    async def usage(self, *, conversation: str | None = None, user: str | None = None) -> Usage:
        """Tokens used in a conversation or by a user (D9)."""
        if conversation is None and user is None:
            raise CallerError("usage of what? give a conversation or a user")
        return await self._store.usage(conversation=conversation, user=user)

    async def blob(self, run: str, blob: str, user: str | None) -> str:
        """The whole text of a result that was cut."""
        await self._own_run(run, user)
        text = await self._store.blob(run, blob)
        if text is None:
            raise NotFound("result", blob)
        return text

    async def follow(
        self, run: str, user: str | None, *, after: int = -1, to_end: bool = False
    ) -> AsyncIterator[Recorded | News]:
        """The run's events after a position, then what happens, until it ends or waits.

        Events come once each, in order; deltas and progress between them are ephemeral.

        Args:
            to_end: go on while it waits for a person.
        """
        await self._own_run(run, user)
        async with self._bus.watch(run) as news:
            events = await self._events(run, -1)
            state = fold(run, [recorded.event for recorded in events])
            for recorded in events:
                if recorded.position > after:
                    yield recorded
            while not (state.status.ended if to_end else state.rests):
                async for one in news:
                    if isinstance(one, Signal) and one.position > state.position:
                        break
                    if not isinstance(one, Signal):
                        yield one
                for recorded in await self._events(run, state.position):
                    state = evolve(state, recorded.event)
                    yield recorded

    async def wait(self, run: str, user: str | None) -> Run:
        """The run when it has ended or waits for a person."""
        async for _ in self.follow(run, user):
            """What happens until then is for others."""
        return await self.run(run, user)

    async def _events(self, run: str, after: int) -> list[Recorded]:
        rows = await self._store.rows(run, after)
        return [Recorded(position=row.position, event=ev.decode(row.body)) for row in rows]

    async def _own_run(self, run: str, user: str | None) -> RunRecord:
        record = await self._store.record(run)
        if record is None or (user is not None and record.user != user):
            raise NotFound("run", run)
        return record
