"""What the results of a suite add up to, and whether that is enough. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import ceil, comb
from typing import Literal

from msgspec import Struct

from pointsman.domain.messages import Usage
from pointsman.evaluation.graders import Check, Counts
from pointsman.evaluation.observed import Seen


class CaseResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One case, carried through once.

    Attributes:
        repeat: which time, from 1.
        score: the share of its checks that hold, in [0, 1].
        checks: how many there were.
        failed: those that do not hold.
        intents: expected and got label of each graded turn.
        story: of its runs, a line each, when it did not pass.
        error: why it could not be carried through; then nothing was graded.
    """

    suite: str
    case: str
    repeat: int
    passed: bool
    score: float
    title: str = ""
    tags: tuple[str, ...] = ()
    checks: int = 0
    failed: tuple[Check, ...] = ()
    counts: Counts = Counts()
    intents: tuple[tuple[str, str], ...] = ()
    turns: tuple[Seen, ...] = ()
    story: tuple[str, ...] = ()
    error: str = ""

    @property
    def ms(self) -> float:
        """Real milliseconds of all its turns."""
        return sum(turn.ms for turn in self.turns)

    @property
    def usage(self) -> Usage:
        return sum((turn.usage for turn in self.turns), Usage())


Form = Literal["share", "count", "number"]


class Metric(Struct, frozen=True, kw_only=True):
    """A number that a suite is judged by.

    Attributes:
        at_least: whether more is better: a threshold is then a floor, else a ceiling.
        form: ``share`` in [0, 1], ``count``, or another ``number``.
    """

    at_least: bool = False
    form: Form = "share"
    of: Callable[[Counts], float | None] | None = None


def _share(right: str, of: str) -> Callable[[Counts], float | None]:
    def share(counts: Counts) -> float | None:
        total = getattr(counts, of)
        return getattr(counts, right) / total if total else None

    return share


METRICS: dict[str, Metric] = {
    "passed": Metric(at_least=True),
    "pass_k": Metric(at_least=True),
    "intent": Metric(at_least=True, of=_share("intents_right", "intents")),
    "tool_precision": Metric(at_least=True, of=_share("tools_right", "tools_called")),
    "tool_recall": Metric(at_least=True, of=_share("tools_right", "tools_expected")),
    "arguments": Metric(at_least=True, of=_share("arguments_right", "arguments")),
    "needless_questions": Metric(of=_share("needless_questions", "without_question")),
    "missed_questions": Metric(of=_share("missed_questions", "with_question")),
    "forbidden_calls": Metric(form="count", of=lambda counts: counts.forbidden_calls),
    "failures": Metric(form="count", of=lambda counts: counts.failures),
    "untrue_replies": Metric(form="count", of=lambda counts: counts.untrue_replies),
    "ms_median": Metric(form="number"),
    "ms_p95": Metric(form="number"),
    "tokens": Metric(form="number"),
}
"""In the order in which they are shown."""

THRESHOLDS = tuple(METRICS)


class Breach(Struct, frozen=True, kw_only=True):
    """A threshold that is not met; ``got`` is None when nothing was measured."""

    metric: str
    wanted: float
    got: float | None


class Summary(Struct, frozen=True, kw_only=True):
    """A suite in numbers.

    Attributes:
        cases: how many; ``runs`` counts repeats too.
        metrics: in the order of ``METRICS``; None where nothing was measured.
        pass_hat: k → the chance that k runs of a case all pass, averaged over the cases.
        confusion: expected label → got label → turns.
    """

    suite: str
    cases: int
    runs: int
    passed: int
    metrics: dict[str, float | None]
    pass_hat: dict[int, float]
    confusion: dict[str, dict[str, int]]
    usage: Usage
    breaches: tuple[Breach, ...] = ()


def summarise(
    suite: str, results: Sequence[CaseResult], thresholds: Mapping[str, float]
) -> Summary:
    """What the results of one suite add up to."""
    counts = sum((result.counts for result in results), Counts())
    passed = sum(result.passed for result in results)
    hat = pass_hat(results)
    times = sorted(turn.ms for result in results for turn in result.turns)
    usage = sum((result.usage for result in results), Usage())
    metrics: dict[str, float | None] = {
        name: metric.of(counts) if metric.of else None for name, metric in METRICS.items()
    }
    metrics |= {
        "passed": passed / len(results) if results else None,
        "pass_k": hat[max(hat)] if hat else None,
        "ms_median": quantile(times, 0.5),
        "ms_p95": quantile(times, 0.95),
        "tokens": usage.total / len(results) if results else None,
    }
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        for expected, got in result.intents:
            confusion[expected][got] += 1
    return Summary(
        suite=suite,
        cases=len({result.case for result in results}),
        runs=len(results),
        passed=passed,
        metrics=metrics,
        pass_hat=hat,
        confusion={expected: dict(row) for expected, row in sorted(confusion.items())},
        usage=usage,
        breaches=tuple(breaches(metrics, thresholds)),
    )


def pass_hat(results: Sequence[CaseResult]) -> dict[int, float]:
    """k → the chance that k runs of a case all pass: of n runs with c passes, C(c, k) / C(n, k),
    averaged over the cases. k goes as far as every case was repeated."""
    runs: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        runs[result.case].append(result.passed)
    most = min(map(len, runs.values()), default=0)
    return {
        k: sum(comb(sum(one), k) / comb(len(one), k) for one in runs.values()) / len(runs)
        for k in range(1, most + 1)
    }


def breaches(metrics: Mapping[str, float | None], thresholds: Mapping[str, float]) -> list[Breach]:
    """The thresholds that are not met. What nothing measured meets a ceiling, and no floor."""
    found = []
    for name, wanted in thresholds.items():
        got, floor = metrics[name], METRICS[name].at_least
        below = floor and (got is None or got < wanted)
        if below or (not floor and got is not None and got > wanted):
            found.append(Breach(metric=name, wanted=wanted, got=got))
    return found


def quantile(values: Sequence[float], share: float) -> float | None:
    """The value below or at which this share of the sorted values lies; None without values."""
    return values[max(ceil(share * len(values)) - 1, 0)] if values else None
