"""Whether what was done was right: the journal against what was counted outside."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pointsman import agentfile, bootstrap
from pointsman.domain import events as ev
from pointsman.domain.calls import CallState
from pointsman.domain.messages import UserMessage
from pointsman.domain.replies import checking
from pointsman.domain.runs import Run, RunStatus, fold
from pointsman.domain.tools import ResultStatus, ToolSpec
from pointsman.engine.journal import verify
from pointsman.engine.record import verification
from pointsman.ports import Clock, Store
from tests.support.chaos.agent import CLAIM
from tests.support.chaos.till import Till


@dataclass
class Verdict:
    """What came of the runs.

    Attributes:
        wrong: what must not be, a sentence each.
        statuses, results: how runs ended, and their calls that change something.
        resumed: times that a run was taken up again.
        checked: answers of tools that were asked whether a call happened.
    """

    wrong: list[str] = field(default_factory=list)
    runs: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    resumed: int = 0
    released: int = 0
    parked: int = 0
    checked: Counter[str] = field(default_factory=Counter)
    streamed: int = 0


async def judge(
    store: Store,
    till: Till,
    desk: Path,
    clock: Clock,
    *,
    accepted: Sequence[str],
    streams: Mapping[str, Sequence[int]],
) -> Verdict:
    """Look at everything."""
    verdict = Verdict(streamed=len(streams))
    specs = _specs(desk, clock)
    paid, booked = Counter(till.paid), dict(till.booked)
    runs: dict[str, list[tuple[str, list[ev.Event]]]] = {}
    for record in reversed(await store.records(limit=100_000)):
        rows = await store.rows(record.id)
        verify(record.id, rows)
        trace = [ev.decode(row.body) for row in rows]
        run = fold(record.id, trace)
        verdict.runs += 1
        runs.setdefault(run.conversation, []).append((run.id, trace))
        _count(trace, verdict)
        withdrawn = any(
            isinstance(one, ev.RunCancelled) and one.reason.startswith("superseded")
            for one in trace
        )
        if withdrawn:  # it waited for a word, and the person said something else
            verdict.statuses["withdrawn"] += 1
        else:
            _judge_end(run, verdict)
            _judge_reply(run, specs, verdict)
        _judge_payment(run, paid, verdict)
        _judge_booking(run, booked, verdict)
        if run.id in streams:
            _judge_stream(run, trace, streams[run.id], verdict)
    verdict.wrong += [f"{key}: paid for no run" for key, times in paid.items() if times]
    verdict.wrong += [f"{key}: booked for no run" for key in booked]
    stored = {run for talk in runs.values() for run, _ in talk}
    verdict.wrong += [f"{run}: promised and lost" for run in accepted if run not in stored]
    for talk in runs.values():
        _judge_order(talk, verdict)
    whole = await verification.verify(store, clock.now())
    verdict.wrong += [f"{one.run}: {one.kind}: {one.detail}" for one in whole.faults]
    return verdict


def _specs(desk: Path, clock: Clock) -> dict[str, ToolSpec]:
    sources = bootstrap.tool_sources(agentfile.load(desk), clock)
    return {tool.spec.name: tool.spec for source in sources for tool in source.tools()}


def _count(trace: Sequence[ev.Event], verdict: Verdict) -> None:
    for event in trace:
        match event:
            case ev.RunResumed():
                verdict.resumed += 1
            case ev.RunReleased():
                verdict.released += 1
            case ev.RunParked():
                verdict.parked += 1
            case ev.AttemptChecked():
                verdict.checked[event.answer] += 1
            case _:
                pass


def _judge_stream(
    run: Run, trace: Sequence[ev.Event], seen: Sequence[int], verdict: Verdict
) -> None:
    """A client saw every event once, in order, up to the run's end. What comes behind the end is a
    decision that was late and refused; whoever followed until the end may not have seen it."""
    end = len(trace)
    while isinstance(trace[end - 1], ev.DecisionRefused):
        end -= 1
    if list(seen) != list(range(len(seen))) or not end <= len(seen) <= len(trace):
        verdict.wrong.append(f"{run.id}: its stream showed {seen} of {len(trace)}")


def _calls(run: Run, tool: str) -> list[CallState]:
    return [call for call in (*run.past, *run.calls) if call.tool == tool]


def _judge_end(run: Run, verdict: Verdict) -> None:
    verdict.statuses[run.status.value] += 1
    if run.status is not RunStatus.DONE:
        verdict.wrong.append(f"{run.id}: ended {run.status.value}: {run.reply}")


def _judge_payment(run: Run, paid: Counter[str], verdict: Verdict) -> None:
    """A tool that cannot be asked: each call pays once at most, and is uncertain if nobody saw."""
    for call in _calls(run, "pay"):
        times = paid.pop(f"{run.id}:{call.key}", 0)
        status = call.result.status if call.result else None
        if call.attempts == 0 and not times:
            continue  # it was never let through
        verdict.results[f"pay {status}"] += 1
        if times > 1:
            verdict.wrong.append(f"{run.id}: paid {times} times")
        if status is ResultStatus.OK and times != 1:
            verdict.wrong.append(f"{run.id}: said to be paid and was not")
        if status is not ResultStatus.OK and status is not ResultStatus.UNCERTAIN:
            verdict.wrong.append(f"{run.id}: pay is {status}: {call.result}")


def _judge_booking(run: Run, booked: dict[str, int], verdict: Verdict) -> None:
    """A tool that can be asked: whatever happened, it happened once, and the run knows."""
    for call in _calls(run, "book"):
        keys = [f"{run.id}:{call.key}"]
        keys += [f"{run.id}/{number}:{call.key}" for number in range(1, call.attempts + 1)]
        times = sum(booked.pop(key, None) is not None for key in keys)
        status = call.result.status if call.result else None
        if call.attempts == 0 and not times:
            continue
        verdict.results[f"book {status}"] += 1
        if times > 1:
            verdict.wrong.append(f"{run.id}: booked {times} times")
        if status is ResultStatus.OK and times != 1:
            verdict.wrong.append(f"{run.id}: said to be booked and was not")
        if status not in (ResultStatus.OK, ResultStatus.UNCERTAIN):
            verdict.wrong.append(f"{run.id}: book is {status}: {call.result}")


def _judge_reply(run: Run, specs: Mapping[str, ToolSpec], verdict: Verdict) -> None:
    """The model claims that all went well; the user reads that only where it did."""
    said = [one.text for one in run.messages if isinstance(one, UserMessage)]
    calls = (*run.past, *run.calls)
    faults = checking.check(run.reply, calls, said, specs=specs, instructions=run.system)
    verdict.wrong += [f"{run.id}: the reply lies ({one.kind}): {run.reply}" for one in faults]
    good = all(call.result and call.result.ok for call in calls)
    claims = run.reply == CLAIM.format(number=said[-1].split()[-1][:-1])
    if claims and not good:
        verdict.wrong.append(f"{run.id}: the reply claims what is not known: {run.reply}")
    if good and not claims:
        verdict.wrong.append(f"{run.id}: all went well and the reply is: {run.reply}")


def _judge_order(talk: Sequence[tuple[str, list[ev.Event]]], verdict: Verdict) -> None:
    """The runs of a conversation come one after the other; those that wait for a person let the
    next go by."""
    last = None
    for run, trace in talk:
        started = [event.at for event in trace if isinstance(event, ev.RunStarted)]
        if last is not None and started and started[0] < last:
            verdict.wrong.append(f"{run}: began before the run before it ended")
        waited = any(isinstance(event, ev.ApprovalAsked | ev.RunParked) for event in trace)
        last = None if waited else trace[-1].at
