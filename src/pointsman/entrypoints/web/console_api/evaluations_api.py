"""Evaluations: which suites there are, how the agents did, and one more of them.

They are carried in the background of the server, one after the other; what came of them is stored.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from anyio import to_thread
from fastapi import APIRouter, Depends, Query

from pointsman.entrypoints.web.access import Engine, Operator
from pointsman.entrypoints.web.bodies import body
from pointsman.entrypoints.web.console_api.backstage import Behind
from pointsman.entrypoints.web.console_api.evaluation_shapes import (
    CaseShape,
    CheckShape,
    EvaluationComparison,
    EvaluationList,
    EvaluationReport,
    EvaluationRow,
    EvaluationStarted,
    MetricChange,
    MetricShape,
    NewEvaluation,
    SuiteShape,
    TurnShape,
)
from pointsman.entrypoints.web.documents import takes
from pointsman.entrypoints.web.native.native_shapes import Tokens
from pointsman.errors import Conflict, NotFound
from pointsman.evaluation import bench
from pointsman.evaluation.metrics import METRICS, CaseResult, Summary
from pointsman.evaluation.report import changed, labels
from pointsman.ports.console import EvaluationRecord, Evaluations

MOST = 200
"""On one page."""
LOOKED_BACK = 500
"""Evaluations among which the one before is looked for."""

router = APIRouter(prefix="/api/evaluations", tags=["evaluations"])


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A stored report, as ``evaluation.report.as_json`` gave it."""

    results: tuple[CaseResult, ...]
    summaries: tuple[Summary, ...]
    thresholds: dict[str, dict[str, float]]


@router.get("", summary="Suites and evaluations")
async def evaluations(
    service: Engine,
    behind: Behind,
    who: Operator,
    agent: str | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    before: Annotated[str | None, Query(description="As the last answer gave it.")] = None,
) -> EvaluationList:
    """The suites in the agents' folders, and the evaluations so far with their progress, newest
    first."""
    kept = behind.kept.evaluations
    await behind.bench.sweep(kept)
    agents = [service.agents.get(agent)] if agent else list(service.agents)
    homes = {live.spec.name: live.home for live in agents if live.home}
    suites = [
        SuiteShape(
            agent=name,
            suite=one.name,
            file=one.file,
            cases=one.cases,
            problem=one.problem or None,
        )
        for name in homes
        for one in await to_thread.run_sync(bench.listed, behind.home(name))
    ]
    found = await kept.evaluations(agent=agent, limit=limit + 1, before=before)
    older = await kept.evaluations(agent=agent, limit=LOOKED_BACK, before=before)
    page = found[:limit]
    return EvaluationList(
        suites=suites,
        evaluations=[_row(one, _former(one, older)) for one in page],
        before=page[-1].id if len(found) > limit else None,
    )


@router.post("", status_code=202, openapi_extra=takes(NewEvaluation), summary="Evaluate an agent")
async def start(
    who: Operator,
    wanted: Annotated[NewEvaluation, Depends(body(NewEvaluation))],
    behind: Behind,
) -> EvaluationStarted:
    """Carry an agent through a suite of its folder, in the background. The tools that the suite
    does not replace are run for real, as by `pointsman eval run`."""
    record = await behind.bench.start(
        behind.kept.evaluations,
        behind.home(wanted.agent),
        wanted.agent,
        wanted.suite,
        repeat=wanted.repeat,
        by=who.login,
    )
    return EvaluationStarted(id=record.id)


@router.get("/{evaluation}", summary="What came of an evaluation")
async def evaluation(evaluation: str, behind: Behind, who: Operator) -> EvaluationReport:
    """Metrics with their thresholds, the confusion matrix, and every case, those that did not pass
    first: what was expected and what came. Empty while it runs."""
    kept = behind.kept.evaluations
    await behind.bench.sweep(kept)
    record = await _find(kept, evaluation)
    older = await kept.evaluations(agent=record.agent, limit=LOOKED_BACK, before=record.id)
    row = _row(record, _former(record, older)).model_dump()
    if record.results is None:
        return EvaluationReport(
            **row,
            metrics=[],
            confusion={},
            labels=[],
            usage=Tokens(prompt=0, cached=0, completion=0, reasoning=0, total=0),
            cases=[],
        )
    stored = _stored(record)
    summary = stored.summaries[0]
    wanted = stored.thresholds.get(record.suite, {})
    ranked = sorted(stored.results, key=lambda one: one.passed)
    return EvaluationReport(
        **row,
        metrics=_metrics(summary, wanted),
        confusion=summary.confusion,
        labels=labels(summary.confusion),
        usage=Tokens.model_validate(msgspec.structs.asdict(summary.usage)),
        cases=[_case(one) for one in ranked],
    )


@router.get("/{evaluation}/compare/{other}", summary="Compare two evaluations")
async def compare(
    evaluation: str, other: str, behind: Behind, who: Operator
) -> EvaluationComparison:
    """What an evaluation changed over another one of the same suite: which cases pass now, which
    pass no more, and every metric in both. A case passes when all its repeats do."""
    kept = behind.kept.evaluations
    new, old = await _find(kept, evaluation), await _find(kept, other)
    if (new.agent, new.suite) != (old.agent, old.suite):
        raise Conflict("the two are of different suites")
    for one in (new, old):
        if one.results is None:
            raise Conflict(f"evaluation {one.id} is not done")
    after, before = _stored(new), _stored(old)
    change = changed(new.suite, before.results, after.results)
    metrics = [
        MetricChange(
            metric=name,
            form=metric.form,
            at_least=metric.at_least,
            before=before.summaries[0].metrics.get(name),
            after=after.summaries[0].metrics.get(name),
        )
        for name, metric in METRICS.items()
    ]
    return EvaluationComparison(
        evaluation=_row(new, old),
        other=_row(old, None),
        metrics=metrics,
        fixed=list(change.fixed),
        broken=list(change.broken),
        new=list(change.new),
        gone=list(change.gone),
    )


async def _find(kept: Evaluations, id: str) -> EvaluationRecord:
    found = await kept.evaluation(id)
    if found is None:
        raise NotFound("evaluation", id)
    return found


def _former(record: EvaluationRecord, older: list[EvaluationRecord]) -> EvaluationRecord | None:
    """The last done evaluation of the same suite before this one."""
    same = (
        one
        for one in older
        if one.id < record.id
        and (one.agent, one.suite, one.state) == (record.agent, record.suite, "done")
    )
    return next(same, None)


def _row(record: EvaluationRecord, former: EvaluationRecord | None) -> EvaluationRow:
    change = None
    if former is not None and former.score is not None and record.score is not None:
        change = record.score - former.score
    return EvaluationRow(
        id=record.id,
        agent=record.agent,
        suite=record.suite,
        state=record.state,
        done=record.done,
        total=record.total,
        passed=record.passed,
        score=record.score,
        change=change if record.state == "done" else None,
        by=record.by,
        model=record.model,
        version=record.version,
        started=record.started,
        ended=record.ended,
        problem=record.problem or None,
    )


def _stored(record: EvaluationRecord) -> Stored:
    assert record.results is not None
    return msgspec.json.decode(record.results, type=Stored, strict=False)


def _metrics(summary: Summary, wanted: Mapping[str, float]) -> list[MetricShape]:
    breached = {breach.metric for breach in summary.breaches}
    return [
        MetricShape(
            metric=name,
            value=summary.metrics.get(name),
            form=metric.form,
            at_least=metric.at_least,
            wanted=wanted.get(name),
            met=name not in breached if name in wanted else None,
        )
        for name, metric in METRICS.items()
    ]


def _case(one: CaseResult) -> CaseShape:
    return CaseShape(
        case=one.case,
        title=one.title,
        tags=list(one.tags),
        repeat=one.repeat,
        passed=one.passed,
        score=one.score,
        failed=[
            CheckShape(kind=check.kind, turn=check.turn, expected=check.expected, got=check.got)
            for check in one.failed
        ],
        turns=[
            TurnShape(
                run=turn.run,
                say=turn.say,
                reply=turn.reply,
                outcome=turn.outcome,
                intents=list(turn.intents or ()),
                calls=_calls(turn.calls),
                ms=turn.ms,
            )
            for turn in one.turns
        ],
        story=list(one.story),
        error=one.error,
        ms=one.ms,
    )


def _calls(calls: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.to_builtins(calls)
    return found
