"""The wire shapes of evaluations. Times are in UTC, ISO 8601."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.entrypoints.web.native.native_shapes import Tokens


class NewEvaluation(BaseModel):
    """An agent and one of its suites, by name."""

    model_config = ConfigDict(extra="forbid")

    agent: str
    suite: str
    repeat: int = Field(1, ge=1, le=20)


class SuiteShape(BaseModel):
    """A suite in an agent's folder; ``problem`` says why it cannot be read."""

    agent: str
    suite: str
    file: str
    cases: int
    problem: str | None


class EvaluationRow(BaseModel):
    """An evaluation in a list: ``done`` of ``total`` case runs are carried through, ``passed`` of
    them pass; ``score`` is the share of checks that hold, in [0, 1]. ``change`` is the score's
    over the evaluation of the same suite before it. ``problem`` says why it failed."""

    id: str
    agent: str
    suite: str
    state: Literal["running", "done", "failed"]
    done: int
    total: int
    passed: int
    score: float | None
    change: float | None
    by: str
    model: str
    version: str
    started: datetime
    ended: datetime | None
    problem: str | None


class EvaluationList(BaseModel):
    """Newest first; ``before`` is that parameter's value for the next page, if there is one."""

    suites: list[SuiteShape]
    evaluations: list[EvaluationRow]
    before: str | None


class EvaluationStarted(BaseModel):
    id: str


class MetricShape(BaseModel):
    """A number that a suite is judged by: ``value`` null where nothing was measured. ``form`` is
    ``share`` in [0, 1], ``count`` or ``number``; ``wanted`` the threshold, a floor when
    ``at_least``, else a ceiling."""

    metric: str
    value: float | None
    form: Literal["share", "count", "number"]
    at_least: bool
    wanted: float | None
    met: bool | None


class CheckShape(BaseModel):
    """Something that does not hold in a turn (from 1)."""

    kind: str
    turn: int
    expected: str
    got: str


class TurnShape(BaseModel):
    """What a case says in a turn and what came of it. ``run`` names a run of the evaluation, whose
    trace is in ``story``."""

    run: str
    say: str
    reply: str
    outcome: str
    intents: list[str]
    calls: list[dict[str, Any]]
    ms: float


class CaseShape(BaseModel):
    """A case, carried through once. ``story`` tells what happened, a line each, where it did not
    pass; ``error`` why it could not be carried through."""

    case: str
    title: str
    tags: list[str]
    repeat: int
    passed: bool
    score: float
    failed: list[CheckShape]
    turns: list[TurnShape]
    story: list[str]
    error: str
    ms: float


class EvaluationReport(EvaluationRow):
    """What came of an evaluation. ``confusion``: expected label → got label → turns. Cases that did
    not pass come first."""

    metrics: list[MetricShape]
    confusion: dict[str, dict[str, int]]
    labels: list[str]
    usage: Tokens
    cases: list[CaseShape]


class MetricChange(BaseModel):
    """A metric in two evaluations."""

    metric: str
    form: Literal["share", "count", "number"]
    at_least: bool
    before: float | None
    after: float | None


class EvaluationComparison(BaseModel):
    """The evaluation of the address over the ``other``: cases that pass now and did not, those that
    pass no more, those that are new, and those that are gone."""

    evaluation: EvaluationRow
    other: EvaluationRow
    metrics: list[MetricChange]
    fixed: list[str]
    broken: list[str]
    new: list[str]
    gone: list[str]
