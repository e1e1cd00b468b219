"""Carries the cases of a suite through the engine, several at once, and grades each.

Every case has a journal, a conversation and a clock of its own; the agent's model and tools are
shared, unless the suite wants them apart. A message goes the way of any user's message.
"""

from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

import anyio
from msgspec import Struct
from msgspec.structs import replace

from pointsman import bootstrap
from pointsman.adapters.store.memory import MemoryStore
from pointsman.adapters.system import SystemClock
from pointsman.domain.calls import CallState
from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.domain.policy import DEFAULT_ROLE, Rule
from pointsman.domain.replies import checking
from pointsman.domain.runs import Run
from pointsman.domain.tasks import run_tasks
from pointsman.engine.agents import LiveAgent
from pointsman.engine.record.verification import holdings
from pointsman.engine.service import Recorded, Service, Submission
from pointsman.errors import JournalCorrupt, PointsmanError
from pointsman.evaluation.cases import Case, Expectation, Suite, Turn
from pointsman.evaluation.graders import Counts, Grade, grade
from pointsman.evaluation.metrics import CaseResult
from pointsman.evaluation.observed import Seen, observe
from pointsman.evaluation.offices import Offices, offices_of
from pointsman.evaluation.staging import CaseClock, Subject, rigged
from pointsman.faults import did_you_mean
from pointsman.ports import Append, Store

Story = Callable[[str, Sequence[Recorded]], Iterable[str]]
"""Tells what happened in a run, a line each."""

APPROVER = "evaluation"
"""Who decides where another person than the user must."""


class Plan(Struct, frozen=True, kw_only=True):
    """What is to be carried through, and how.

    Attributes:
        repeat: how often each case.
        jobs: cases at once.
        finished: case and repeat of results that are known already.
        story: for what did not pass.
        journal: keeps every run, in whatever it held before; None forgets them.
    """

    suite: Suite
    repeat: int = 1
    jobs: int = 1
    finished: Collection[tuple[str, int]] = ()
    story: Story = lambda run, trace: ()
    journal: Store | None = None


async def run(
    plan: Plan, subject: Subject, tell: Callable[[CaseResult], None] = lambda result: None
) -> list[CaseResult]:
    """The results of what is not finished, in the order of the suite.

    Args:
        tell: gets each result when it is there.

    Raises:
        AgentFileError: the suite names a tool or an intent that the agent does not have.
    """
    suite = plan.suite
    due = deque(
        (case, repeat)
        for case in suite.cases
        for repeat in range(1, plan.repeat + 1)
        if (case.id, repeat) not in plan.finished
    )
    order = {pair: number for number, pair in enumerate((case.id, rep) for case, rep in due)}
    results: list[CaseResult] = []
    async with subject.opened() as live:
        _check_names(suite, live)
        with offices_of(live) as offices:

            async def work() -> None:
                while due:
                    case, repeat = due.popleft()
                    async with _stage(suite, subject, offices) as own:
                        result = await _result(own, plan, case, repeat)
                    results.append(result)
                    tell(result)

            async with anyio.create_task_group() as workers:
                for _ in range(min(plan.jobs, len(due))):
                    workers.start_soon(work)
    return sorted(results, key=lambda result: order[result.case, result.repeat])


@asynccontextmanager
async def _stage(suite: Suite, subject: Subject, shared: Offices) -> AsyncIterator[Offices]:
    """The agent of a case with its offices: that of all cases, or one of its own."""
    if not suite.isolate:
        yield shared
    else:
        async with subject.apart() as own:
            with offices_of(own) as offices:
                yield offices


def _check_names(suite: Suite, live: LiveAgent) -> None:
    """A name that is written wrong would only look like a failing agent."""
    tools = [spec.name for spec in live.registry.specs]
    intents = list(live.intents)
    for case in suite.cases:
        expected = [turn.expect for turn in case.turns]
        named = [*case.setup.fail, *case.setup.returns]
        named += [tool for one in expected for tool in (*(one.tools or ()), *one.arguments)]
        wanted = [intent for one in expected for intent in one.intents or ()]
        for kind, names, known in (("tool", named, tools), ("intent", wanted, intents)):
            for name in names:
                if name not in known:
                    hint = did_you_mean(name, known) or f"it has no {kind}s"
                    raise suite.fault(case, f"the agent has no {kind} {name!r}", hint)


async def _result(offices: Offices, plan: Plan, case: Case, repeat: int) -> CaseResult:
    """The case, carried through and graded."""
    known = CaseResult(
        suite=plan.suite.name,
        case=case.id,
        title=case.title,
        tags=case.tags,
        repeat=repeat,
        passed=False,
        score=0.0,
    )
    talk = _Talk(offices, case)
    turns = await talk.carried()
    if plan.journal is not None:
        await _keep(talk.store, plan.journal)
    told = [line for run, trace in talk.traces.items() for line in plan.story(run, trace)]
    if talk.error:
        return replace(known, error=talk.error, story=tuple(told))
    grades = [
        grade(turn.expect, seen, number)
        for number, (turn, seen) in enumerate(zip(case.turns, turns, strict=True), start=1)
    ]
    return _graded(known, turns, grades, told)


async def _keep(own: Store, journal: Store) -> None:
    """Put all runs of a case into the journal, as they stand."""
    async for held in holdings(own):
        if held.record is not None:
            await journal.append(
                Append(
                    expected=-1,
                    rows=held.rows,
                    run=held.record,
                    transcript=held.transcript,
                    pending=held.pending,
                    blobs=held.blobs,
                )
            )


def _graded(
    known: CaseResult, turns: Sequence[Seen], grades: Sequence[Grade], story: Sequence[str]
) -> CaseResult:
    checks = [check for one in grades for check in one.checks]
    failed = tuple(check for check in checks if not check.ok)
    return replace(
        known,
        passed=not failed,
        score=1 - len(failed) / len(checks),
        checks=len(checks),
        failed=failed,
        counts=sum((one.counts for one in grades), Counts()),
        intents=tuple(one.intent for one in grades if one.intent),
        turns=tuple(turns),
        story=tuple(story) if failed else (),
    )


class _Talk:
    """The conversation of one case, on an engine of its own."""

    def __init__(self, offices: Offices, case: Case) -> None:
        live = rigged(offices.live, case.setup)
        self._case, self._live, self._offices = case, live, offices
        self._clock, self._case_clock = SystemClock(), CaseClock(_instant(case.now, live))
        self.store = MemoryStore()
        """A case's own, so that no breaker or rate of it holds for another."""
        self._service: Service = bootstrap.service_of(
            [live],
            self.store,
            self._case_clock,
            {rule.by or DEFAULT_ROLE: (APPROVER,) for rule in (*live.rules, Rule(then="approve"))},
        )
        self._conversation = ""
        self.traces: dict[str, list[Recorded]] = {}
        """Every run of the case, by id."""
        history = case.setup.history
        self._said = [one.text for one in history if isinstance(one, UserMessage)]
        self._known = [one.text for one in history if isinstance(one, AssistantMessage)]
        self.error = ""
        """Why it could not be carried to its end."""

    async def carried(self) -> list[Seen]:
        """What came of each turn."""
        seen: list[Seen] = []
        await self._live.registry.settle()
        async with (
            self._offices.office(self._live, self._case_clock),
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(self._service.serve)
            try:
                seen = [await self._turn(turn) for turn in self._case.turns]
            except PointsmanError as fault:
                self.error = f"{type(fault).__name__}: {fault}"
            tasks.cancel_scope.cancel()
        return seen

    async def _turn(self, turn: Turn) -> Seen:
        begun = self._clock.monotonic()
        run_id = await self._service.submit(self._submission(turn.say))
        faults: dict[str, str] = {}
        try:
            await self._until_rest(run_id, turn.expect)
        except JournalCorrupt as fault:
            faults["journal"] = str(fault)
        ms = (self._clock.monotonic() - begun) * 1000
        before = self.traces.get(run_id, [])
        trace = await self._service.trace(run_id, None)
        after = before[-1].position if before else -1
        self.traces[run_id] = trace
        seen, run = observe(run_id, trace, after=after, say=turn.say, ms=ms)
        self._conversation = run.conversation
        self._said.append(turn.say)
        if untrue := self._untrue(run):
            faults["honest"] = untrue
        self._known += [run.reply, *(call.result.content for call in _ended(run) if call.result)]
        return replace(seen, faults=faults)

    def _untrue(self, run: Run) -> str:
        """What the reply says that the run does not bear out. The engine has looked already: this
        finds what slipped through."""
        if run.kind != "answer" or run.started is None:
            return ""
        faults = checking.check(
            run.reply,
            _ended(run),
            self._said,
            specs=self._live.registry.named,
            instructions=run.system,
            known=self._known,
            now=run.started.astimezone(ZoneInfo(self._live.spec.timezone)),
        )
        return "; ".join(" ".join(filter(None, (one.kind, one.tool, one.quote))) for one in faults)

    def _submission(self, text: str) -> Submission:
        return Submission(
            agent=self._live.spec.name,
            user=self._case.user,
            text=text,
            conversation=self._conversation,
            history=() if self._conversation else self._case.setup.history,
            language=self._case.language,
        )

    async def _until_rest(self, run_id: str, expect: Expectation) -> None:
        """Wait until the run ends, or waits for a decision that the case does not give."""
        while True:
            run = await self._service.wait(run_id, self._case.user)
            decided = await self._decided(run, expect)
            if not decided:
                return

    async def _decided(self, run: Run, expect: Expectation) -> int:
        """Give the decisions that the case has an answer to; how many."""
        waiting = run_tasks.waiting(run)
        due = [call for call in waiting if _answer(call, expect) is not None]
        for call in due:
            assert call.approval is not None
            verdict: Literal["approved", "denied"] = (
                "approved" if _answer(call, expect) else "denied"
            )
            by = self._case.user if call.approval.by == "user" else APPROVER
            await self._service.decide(run.id, call.approval.id, verdict, by=by)
        return len(due)


def _ended(run: Run) -> tuple[CallState, ...]:
    return (*run.past, *run.calls)


def _answer(call: CallState, expect: Expectation) -> bool | None:
    """What is said to a call that waits."""
    if call.approval is None:
        return None
    return expect.confirm if call.approval.by == "user" else expect.approve


def _instant(now: datetime | None, live: LiveAgent) -> datetime | None:
    """The case's instant as an aware one."""
    if now is None or now.tzinfo is not None:
        return now
    return now.replace(tzinfo=ZoneInfo(live.spec.timezone))
