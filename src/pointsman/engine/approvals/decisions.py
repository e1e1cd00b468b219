"""Where people decide on calls that wait: once, by whom it is up to, and with a record of whoever
tried in vain.

The decisions on one run are made one after the other, and only after the last of them the run is
handed on. So whoever comes second finds a run that nobody drives, and what he wanted can be
journaled too (case P06). Other processes are kept off by the position that each append expects.
"""

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Literal

import anyio

from pointsman.domain import approvals, sentences
from pointsman.domain import events as ev
from pointsman.domain.approvals import USER, Approval, ApprovalState, Choice, Person, Refusal
from pointsman.domain.calls import CallState
from pointsman.domain.runs import Run
from pointsman.engine import endings
from pointsman.engine.journal import Journal
from pointsman.errors import Conflict, Forbidden, NotDecided, NotFound, PositionConflict
from pointsman.ports import Bus, Clock, Queue, Store

log = logging.getLogger("pointsman.approvals")

Wanted = Literal["approve", "deny", "edit", "take_over"]
Act = Callable[[Journal, CallState, Approval], Sequence[ev.Event] | Refusal]
"""What a person does to a call: the events of it, or why he may not."""


CLOCK = Person(login="clock")
"""Who settles that nobody decided in time."""


class _Turn:
    """The decisions that are being made on one run."""

    def __init__(self) -> None:
        self.lock = anyio.Lock()
        self.wanted = 0
        self.goes_on = False
        """The run waits for nobody any more, and is to be handed on at the end."""


class Decisions:
    """The desk of one process."""

    def __init__(self, store: Store, bus: Bus, clock: Clock, queue: Queue) -> None:
        self._store, self._bus, self._clock, self._queue = store, bus, clock, queue
        self._turns: dict[str, _Turn] = {}

    async def make(
        self,
        run: str,
        approval: str,
        wanted: Wanted,
        act: Act,
        *,
        by: Person,
        reason: str = "",
        hand_on: bool = True,
    ) -> Run:
        """Do this to the call; the run goes on when it waits for nobody else.

        Args:
            hand_on: queue it then; else the caller drives it.

        Raises:
            NotFound: no such run, or it has asked for no such approval.
            Forbidden: it is not up to this person.
            NotDecided: it is settled already, expired, or the run was cancelled.
        """
        async with self._turn(run) as turn:
            while True:
                try:
                    journal = await self._open(run, approval)
                    asked, waited = journal.run.approval(approval), bool(journal.run.waiting)
                    if asked is None:
                        raise NotFound("approval", approval)
                    done = act(journal, *asked)
                    events: Sequence[ev.Event] = ()
                    if not isinstance(done, Refusal):
                        events = done
                    elif journal.run.rests or (turn.goes_on and not self._queue.lasting):
                        events = [_noted(done, journal, wanted, by=by, reason=reason)]
                    else:  # appending would take the run from the worker that has it
                        words = (wanted, approval, by.login, done.kind)
                        log.warning("to %s %s, as %s wanted, had no effect: %s", *words)
                    turn.goes_on |= await _journaled(journal, events, wakes=hand_on and waited)
                except PositionConflict:
                    continue
                break
        if isinstance(done, Refusal):
            raise _error(done, journal.run, by)
        return journal.run

    async def _open(self, run: str, approval: str) -> Journal:
        try:
            return await Journal.open(self._store, self._bus, self._clock, run)
        except NotFound:
            raise NotFound("approval", approval) from None

    @asynccontextmanager
    async def _turn(self, run: str) -> AsyncIterator[_Turn]:
        turn = self._turns.setdefault(run, _Turn())
        turn.wanted += 1
        try:
            async with turn.lock:
                yield turn
        finally:
            turn.wanted -= 1
            if not turn.wanted:
                del self._turns[run]
                if turn.goes_on:
                    with anyio.CancelScope(shield=True):
                        await self._hand_on(run)

    async def _hand_on(self, run: str) -> None:
        record = await self._store.record(run)
        assert record is not None
        await self._queue.woken(run, record.conversation)


async def _journaled(journal: Journal, events: Sequence[ev.Event], *, wakes: bool = False) -> bool:
    """Journal them; whether the run is due by that.

    Args:
        wakes: it is when nobody else is waited for.
    """
    for event in events:
        journal.record(event)
    due = bool(events) and wakes and not journal.run.rests
    await journal.commit(wake=due)
    return due


def _noted(
    refusal: Refusal, journal: Journal, wanted: Wanted, *, by: Person, reason: str
) -> ev.ApprovalDecided | ev.DecisionRefused:
    """The event that tells of a decision without effect: the first that comes too late settles
    that the approval has expired."""
    approval, now = refusal.approval, journal.clock.now()
    assert approval is not None
    found = journal.run.approval(approval.id)
    if refusal.kind == "expired" and found and found[1].state is ApprovalState.PENDING:
        return ev.ApprovalDecided(
            at=now, call=approval.call, approval=approval.id, decision="expired", by=by.login
        )
    return ev.DecisionRefused(
        at=now,
        call=approval.call,
        approval=approval.id,
        wanted=wanted,
        by=by.login,
        kind=refusal.kind,
        reason=reason,
    )


def _error(refusal: Refusal, run: Run, by: Person) -> Forbidden | NotDecided:
    approval = refusal.approval
    assert approval is not None
    match refusal.kind:
        case "forbidden":
            needed = "the asking user" if approval.by == USER else f"the role {approval.by!r}"
            return Forbidden(refusal.kind, f"{by.login} may not decide this: it needs {needed}")
        case "own_request":
            why = f"{by.login} asked for this: another person with the role {approval.by!r} decides"
            return Forbidden(refusal.kind, why)
        case "expired":
            why = f"approval {approval.id} has expired, the call did not run: ask again"
        case "run_cancelled":
            why = f"run {run.id} has ended ({run.status.value}): there is nothing left to decide"
        case _:
            state = approval.state.value.replace("_", " ")
            why = f"already {state} by {approval.decided_by}"
    return NotDecided(refusal.kind, why)


def deciding(choice: Choice, *, by: Person, reason: str) -> Act:
    """Approve or deny the call."""

    def act(journal: Journal, call: CallState, approval: Approval) -> Sequence[ev.Event] | Refusal:
        now = journal.clock.now()
        answer = approvals.decide(approval, choice, by=by, now=now, reason=reason)
        return answer if isinstance(answer, Refusal) else [decided(answer)]

    return act


def lapsing(journal: Journal, call: CallState, approval: Approval) -> Sequence[ev.Event]:
    """Settle that nobody decided in time.

    Raises:
        Conflict: somebody did, or may still.
    """
    now = journal.clock.now()
    if approval.state is not ApprovalState.PENDING or now < approval.expires:
        raise Conflict(f"approval {approval.id} has not expired")
    return [
        ev.ApprovalDecided(
            at=now, call=call.key, approval=approval.id, decision="expired", by=CLOCK.login
        )
    ]


def decided(approval: Approval) -> ev.ApprovalDecided:
    """The event that brings an approval into its end state."""
    decisions: dict[ApprovalState, Literal["approved", "denied", "superseded", "taken_over"]] = {
        ApprovalState.APPROVED: "approved",
        ApprovalState.DENIED: "denied",
        ApprovalState.SUPERSEDED: "superseded",
        ApprovalState.TAKEN_OVER: "taken_over",
    }
    assert approval.decided_at is not None
    return ev.ApprovalDecided(
        at=approval.decided_at,
        call=approval.call,
        approval=approval.id,
        decision=decisions[approval.state],
        by=approval.decided_by,
        reason=approval.reason,
    )


async def withdraw(journal: Journal, *, by: str) -> None:
    """End a waiting run whose user went on to something else: nothing of it runs.

    Raises:
        PositionConflict: somebody else has moved the run on; look again.
    """
    now = journal.clock.now()
    for call in journal.run.waiting:
        assert call.approval is not None
        over = approvals.withdraw(call.approval, ApprovalState.SUPERSEDED, by=by, now=now)
        late = over.state is ApprovalState.EXPIRED
        journal.record(
            ev.ApprovalDecided(
                at=now,
                call=call.key,
                approval=over.id,
                decision="expired" if late else "superseded",
                by=CLOCK.login if late else by,
            )
        )
        content = sentences.EXPIRED if late else sentences.SUPERSEDED
        journal.record(ev.CallRefused(at=now, call=call.key, rule=call.rule, content=content))
    endings.cancel(journal, by=by, reason="superseded by a new message")
    await journal.commit()
