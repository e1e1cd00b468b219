"""What a user's next message means for a run of the conversation that waits for him.

A plain yes or no answers a confirmation, of several tasks the one that was asked for first, a no
also what is up to a role, and any words the question of a task. A yes that decides nothing changes
nothing; what is none of these withdraws what waits (case P14). What a task asks is decided in the
run of the task, and then told in those above it.
"""

from pointsman.domain import sentences
from pointsman.domain.approvals import USER, Approval, ApprovalState, lapse
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.engine.approvals.asked import run_of
from pointsman.engine.approvals.decisions import withdraw
from pointsman.engine.approvals.desk import Desk, Verdict
from pointsman.engine.approvals.unclear import Unclear
from pointsman.engine.journal import Journal
from pointsman.engine.submission import Submission
from pointsman.engine.tasks.carrying import Tasks
from pointsman.errors import NotDecided, NotFound, PositionConflict
from pointsman.ports import Bus, Clock, Store


class Answering:
    """Takes answers for the runs of one process."""

    def __init__(self, store: Store, bus: Bus, clock: Clock, desk: Desk, tasks: Tasks) -> None:
        self._store, self._bus, self._clock = store, bus, clock
        self._desk, self._tasks = desk, tasks

    async def taken(self, submission: Submission, *, hand_on: bool) -> Run | Unclear | None:
        """The waiting run that this message answers; ``Unclear`` when it is a yes that decides
        nothing, None when it is a new request. One that a new request does not answer is withdrawn.

        Args:
            hand_on: queue a run that goes on; else the caller drives it. Tasks are always queued.
        """
        waiting = await self._store.records(
            conversation=submission.conversation, status=(RunStatus.WAITING, RunStatus.SPLIT)
        )
        journals = [await self._open(record.id) for record in waiting]
        try:
            if (answered := await self._answered(journals, submission, hand_on)) is not None:
                return answered
            for journal in _attended(journals):
                if journal.run.status is RunStatus.WAITING:
                    await self._tasks.close(journal)
                    await withdraw(journal, by=submission.user)
                    await self._tasks.stop(journal.run, by=submission.user, reason="withdrawn")
        except (PositionConflict, NotDecided):
            return await self.taken(submission, hand_on=hand_on)
        return None

    async def _answered(
        self, journals: list[Journal], submission: Submission, hand_on: bool
    ) -> Run | Unclear | None:
        runs = [journal.run for journal in _attended(journals)]
        questions = [(run, call.approval) for run in runs for call in run_tasks.waiting(run)]
        word = sentences.plain_answer(submission.text)
        if word is not None and len(shown := _shown(runs) or questions) == 1:
            run, approval = shown[0]
            if approval is not None and (approval.by == USER or not word):
                return await self._said(run, approval, word, submission.user, hand_on)
        for journal in journals:
            if self._tasks.awaits_words(journal.run):
                return await self._tasks.answer(journal.run.id, submission.text)
        now = self._clock.now()
        asked = [lapse(approval, now) for _, approval in questions if approval is not None]
        waits = tuple(one for one in asked if one.state is ApprovalState.PENDING)
        return Unclear(waits) if word and waits else None

    async def _said(
        self, run: Run, approval: Approval, word: bool, user: str, hand_on: bool
    ) -> Run:
        wanted: Verdict = "approved" if word else "denied"
        try:
            return await self.decide(run.id, approval.id, wanted, by=user, hand_on=hand_on)
        except NotDecided as fault:
            if fault.kind == "expired":  # which the run goes on to tell
                return await self._above(approval.id, run)
            raise

    async def decide(
        self,
        run: str,
        approval: str,
        verdict: Verdict,
        *,
        by: str,
        reason: str = "",
        hand_on: bool = True,
    ) -> Run:
        """Approve or deny a call of the run or of one of its tasks; the run then.

        Raises:
            NotFound: the run asks for no such approval.
            Forbidden, NotDecided: as ``Desk.decide``.
        """
        where = run_of(approval)
        if where == run:
            return await self._desk.decide(
                run, approval, verdict, by=by, reason=reason, hand_on=hand_on
            )
        if not await self._is_of(where, run):
            raise NotFound("approval", approval)
        await self._desk.decide(where, approval, verdict, by=by, reason=reason)
        return await self._above(approval, (await self._open(run)).run)

    async def _is_of(self, run: str, request: str) -> bool:
        """Whether the run carries a task of the request, or a task of such a task."""
        while (record := await self._store.record(run)) is not None:
            task = (await self._open(record.id)).run.task
            if task is None:
                return False
            if task.run == request:
                return True
            run = task.run
        return False

    async def _above(self, approval: str, run: Run) -> Run:
        """The run, after every request between it and the task has been brought up to date."""
        state = (await self._open(run_of(approval))).run
        while state.id != run.id and state.task is not None:
            above = await self._tasks.catch_up(state.task.run)
            if above is None:
                return (await self._open(run.id)).run
            state = above
        return state

    async def request_of(self, run: Run) -> Run:
        """The request that the run belongs to, brought up to date with it; itself when it is
        one."""
        while run.task is not None:
            above = await self._tasks.catch_up(run.task.run)
            if above is None:
                break
            run = above
        return run

    async def _open(self, run: str) -> Journal:
        return await Journal.open(self._store, self._bus, self._clock, run)


def _attended(journals: list[Journal]) -> list[Journal]:
    """Those that the user sent himself. What a reminder does is decided by name: who writes in its
    conversation need not know that it waits."""
    return [one for one in journals if one.run.reminder is None]


def _shown(runs: list[Run]) -> list[tuple[Run, Approval | None]]:
    """The confirmations that tasks ask for one by one: of each request, the one that is shown now.
    None where a run has calls of its own that wait, which are all shown at once."""
    if any(run.waiting for run in runs):
        return []
    return [(run, one) for run in runs for one in run_tasks.confirmations(run)[:1]]
