"""What can be asked of the engine: submit a message, follow, decide, cancel, look.

Above: the entry points. Everything belongs to a user; another user's thing is not found.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Literal

import anyio
from msgspec import Struct

from pointsman.domain import events as ev
from pointsman.domain import sentences
from pointsman.domain.agent import Language
from pointsman.domain.messages import (
    Delta,
    Message,
    ModelParams,
    ToolChoice,
    Usage,
    UserMessage,
)
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.text import clean
from pointsman.domain.tools import ToolSpec
from pointsman.engine import endings, gate, recovery
from pointsman.engine.agents import Agents
from pointsman.engine.journal import Journal
from pointsman.engine.loop import Loop
from pointsman.errors import CallerError, Conflict, NotFound, PositionConflict
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
        self, *, agents: Agents, store: Store, queue: Queue, bus: Bus, clock: Clock
    ) -> None:
        self.agents = agents
        self._store, self._queue, self._bus, self._clock = store, queue, bus, clock
        self._loop = Loop(store, bus, clock, agents)

    async def open(self) -> None:
        """Start the agents' tool sources; slow servers become ready later."""
        for agent in self.agents:
            await agent.open()

    async def aclose(self) -> None:
        """Close the agents, then the store, after what it took over is durable."""
        for agent in self.agents:
            await agent.aclose()
        await self._store.aclose()

    async def recover(self) -> int:
        """Queue every run that a crash or a shutdown left unfinished; how many. Only for the
        process that owns the database: it takes the runs over."""
        return await recovery.requeue_unfinished(self._store, self._queue)

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
        if (answered := await self._answered(submission)) is not None:
            await self._queue.put(answered.id, answered.conversation)
            return answered.id
        journal = await self.receive(submission)
        await journal.commit()
        await self._queue.put(journal.run.id, journal.run.conversation)
        return journal.run.id

    async def receive(self, submission: Submission) -> Journal:
        """The journal of a new run for this message; nothing of it is stored yet."""
        live = self.agents.get(submission.agent)
        past: tuple[Message, ...] = ()
        if submission.conversation:
            past = (await self._own(submission.conversation, submission.user)).messages
        messages = submission.messages or (UserMessage(text=clean(submission.text)),)
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
                messages=messages,
                history=submission.history,
                client_tools=submission.client_tools,
                params=submission.params,
                tool_choice=submission.tool_choice,
                stream=submission.stream,
                origin=submission.origin,
            ),
            past=past,
        )

    async def carry(
        self, submission: Submission, on_delta: Callable[[Delta], None] | None = None
    ) -> Run:
        """Submit and drive here and now, in the caller's task; the run as it ended or waits.

        Cancelling the caller cancels the run.

        Args:
            on_delta: gets the deltas of the reply, besides those who watch the run.
        """
        if (answered := await self._answered(submission)) is not None:
            journal = await self._open(answered.id)
        else:
            journal = await self.receive(submission)
        try:
            await self._loop.carry(journal, on_delta)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), suppress(Conflict):
                await self.cancel(journal.run.id, submission.user, reason="caller cancelled")
            raise
        return journal.run

    async def _own(self, conversation: str, user: str) -> Conversation:
        found = await self._store.conversation(conversation)
        if found is None or found.user != user:
            raise NotFound("conversation", conversation)
        return found

    async def _answered(self, submission: Submission) -> Run | None:
        """The waiting run that this message confirms or denies; one that it does neither to is
        withdrawn (case P14)."""
        if not submission.conversation:
            return None
        await self._own(submission.conversation, submission.user)
        waiting = await self._store.records(
            conversation=submission.conversation, status=(RunStatus.WAITING,), limit=1
        )
        if not waiting:
            return None
        journal = await self._open(waiting[0].id)
        word, asked = sentences.plain_answer(submission.text), journal.run.waiting
        approval = asked[0].approval
        if word is None or len(asked) != 1 or approval is None or approval.by != "user":
            await self._withdraw(journal, submission.user)
            return None
        verdict: Literal["approved", "denied"] = "approved" if word else "denied"
        await self._decide(journal, approval.id, verdict, by=submission.user, reason="")
        return journal.run

    async def _withdraw(self, journal: Journal, by: str) -> None:
        """End a waiting run whose user went on to something else: nothing of it runs."""
        for call in journal.run.waiting:
            assert call.approval is not None
            journal.record(
                ev.ApprovalDecided(
                    at=self._clock.now(),
                    call=call.key,
                    approval=call.approval.id,
                    decision="superseded",
                    by=by,
                )
            )
        endings.cancel(journal, by=by, reason="superseded by a new message")
        await journal.commit()

    async def _open(self, run: str) -> Journal:
        return await Journal.open(self._store, self._bus, self._clock, run)

    async def decide(
        self,
        run: str,
        approval: str,
        decision: Literal["approved", "denied"],
        *,
        by: str,
        reason: str = "",
    ) -> Run:
        """A person's decision on one call, once; the run goes on when nothing else is open.

        Raises:
            NotFound: no such run or approval.
            Conflict: it is settled already, expired, or the run has ended.
        """
        journal = await self._open(run)
        await self._decide(journal, approval, decision, by=by, reason=reason)
        if not journal.run.waiting:
            await self._queue.put(run, journal.run.conversation)
        return journal.run

    async def _decide(
        self,
        journal: Journal,
        approval: str,
        decision: Literal["approved", "denied"],
        *,
        by: str,
        reason: str,
    ) -> None:
        run = journal.run
        call = next((c for c in run.calls if c.approval and c.approval.id == approval), None)
        if call is None or call.approval is None:
            raise NotFound("approval", approval)
        if run.status.ended:
            raise Conflict(f"run {run.id} has ended ({run.status.value})")
        if call.approval.decision:
            raise Conflict(f"already {call.approval.decision} by {call.approval.decided_by}")
        now = self._clock.now()
        journal.record(
            ev.ApprovalDecided(
                at=now,
                call=call.key,
                approval=approval,
                decision=gate.decision_at(call.approval, decision, now),
                by=by,
                reason=reason,
            )
        )
        try:
            await journal.commit()
        except PositionConflict:
            raise Conflict(f"approval {approval} was decided by somebody else just now") from None

    async def cancel(self, run: str, user: str | None, *, reason: str = "") -> Run:
        """Stop a run: its model call is closed, its attempts are given up, it never starts again.

        Args:
            user: who must own it; None for an operator.

        Raises:
            NotFound: no such run of this user.
            Conflict: it has ended already.
        """
        await self.run(run, user)
        if not await self._store.request_cancel(run):
            raise Conflict(f"run {run} has ended already")
        await self._queue.cancel(run)
        journal = await self._open(run)
        if not journal.run.status.ended:
            endings.cancel(journal, by=user or "operator", reason=reason)
            try:
                await journal.commit()
            except PositionConflict:
                journal = await self._open(run)
        return journal.run

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
        self, run: str, user: str | None, *, after: int = -1
    ) -> AsyncIterator[Recorded | News]:
        """The run's events after a position, then what happens, until it ends or waits.

        Events come once each, in order; deltas and progress between them are ephemeral.
        """
        await self._own_run(run, user)
        async with self._bus.watch(run) as news:
            for recorded in await self._events(run, after):
                after = recorded.position
                yield recorded
                if _last(recorded.event):
                    return
            async for one in news:
                if not isinstance(one, Signal):
                    yield one
                    continue
                if one.position <= after:
                    continue
                for recorded in await self._events(run, after):
                    after = recorded.position
                    yield recorded
                    if _last(recorded.event):
                        return

    async def wait(self, run: str, user: str | None) -> Run:
        """The run when it has ended or waits for a person."""
        async for seen in self.follow(run, user):
            if isinstance(seen, Recorded) and isinstance(seen.event, ev.ApprovalAsked):
                break
        return await self.run(run, user)

    async def _events(self, run: str, after: int) -> list[Recorded]:
        rows = await self._store.rows(run, after)
        return [Recorded(position=row.position, event=ev.decode(row.body)) for row in rows]

    async def _own_run(self, run: str, user: str | None) -> RunRecord:
        record = await self._store.record(run)
        if record is None or (user is not None and record.user != user):
            raise NotFound("run", run)
        return record


def _last(event: ev.Event) -> bool:
    """Whether a follower has seen all of it."""
    return isinstance(event, ev.ReplyGiven | ev.RunFailed | ev.RunCancelled)
