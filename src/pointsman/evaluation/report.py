"""What came of an evaluation, as lines for a terminal and as one JSON value. ``page`` and ``junit``
show the same as a page and to build servers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from rich.cells import cell_len

from pointsman.domain.agent import Language
from pointsman.evaluation.calibration import Calibration, Rates, snippet
from pointsman.evaluation.cases import Suite
from pointsman.evaluation.metrics import METRICS, CaseResult, Summary, summarise
from pointsman.evaluation.words import word

WIDEST_MATRIX = 8
"""Labels up to which the confusion matrix is shown whole in a terminal."""
MOST_FAILED = 20
"""Cases that did not pass which a terminal shows in detail."""
_LONGEST = 160


class Line(Struct, frozen=True):
    """A line to print, in one of rich's styles."""

    text: str
    style: str = ""


class Change(Struct, frozen=True, kw_only=True):
    """How the cases of two evaluations differ; ids, sorted."""

    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class Report(Struct, frozen=True, kw_only=True):
    """One evaluation of one agent.

    Attributes:
        thresholds: of each suite, by name.
        change: over an earlier evaluation, by suite.
    """

    agent: str
    model: str
    results: tuple[CaseResult, ...]
    summaries: tuple[Summary, ...]
    thresholds: dict[str, dict[str, float]]
    change: dict[str, Change] | None = None

    @property
    def good(self) -> bool:
        """Whether every threshold is met and every case could be carried through."""
        broken = any(result.error for result in self.results)
        return not broken and not any(summary.breaches for summary in self.summaries)

    def of(self, suite: str) -> list[CaseResult]:
        """The results of one suite."""
        return [result for result in self.results if result.suite == suite]


def report_of(
    suites: Sequence[Suite],
    results: Sequence[CaseResult],
    *,
    agent: str,
    model: str,
    thresholds: Mapping[str, float],
    default: Mapping[str, float] | None = None,
    earlier: Sequence[CaseResult] | None = None,
) -> Report:
    """The results added up.

    Args:
        thresholds: over those of the suites.
        default: for a suite for which there are neither.
    """
    wanted = {
        suite.name: {**suite.thresholds, **thresholds} or dict(default or {}) for suite in suites
    }
    summaries = [
        summarise(
            suite.name, [one for one in results if one.suite == suite.name], wanted[suite.name]
        )
        for suite in suites
    ]
    change = None
    if earlier is not None:
        change = {suite.name: changed(suite.name, earlier, results) for suite in suites}
    return Report(
        agent=agent,
        model=model,
        results=tuple(results),
        summaries=tuple(summaries),
        thresholds=wanted,
        change=change,
    )


def changed(suite: str, before: Sequence[CaseResult], after: Sequence[CaseResult]) -> Change:
    """Which cases of a suite pass now and did not, and the other way round. A case passes when all
    its repeats do."""
    old, new = _passing(suite, before), _passing(suite, after)
    both = old.keys() & new.keys()
    return Change(
        fixed=tuple(sorted(case for case in both if new[case] and not old[case])),
        broken=tuple(sorted(case for case in both if old[case] and not new[case])),
        new=tuple(sorted(new.keys() - old.keys())),
        gone=tuple(sorted(old.keys() - new.keys())),
    )


def _passing(suite: str, results: Sequence[CaseResult]) -> dict[str, bool]:
    passing: dict[str, bool] = {}
    for result in results:
        if result.suite == suite:
            passing[result.case] = passing.get(result.case, True) and result.passed
    return passing


def as_json(report: Report) -> dict[str, Any]:
    """The report as one JSON value; ``--compare`` reads it again."""
    value: dict[str, Any] = msgspec.to_builtins({"schema": 1, "good": report.good})
    value |= msgspec.to_builtins(report, str_keys=True)
    return value


def shown(name: str, value: float | None) -> str:
    """A metric's value as one reads it."""
    if value is None:
        return "–"
    match METRICS[name].form:
        case "share":
            return f"{value:.1%}"
        case "count":
            return f"{value:.0f}"
        case _:
            return f"{value:,.1f}"


def lines(report: Report, language: Language, *, earlier: str = "") -> Iterator[Line]:
    """The report for a terminal.

    Args:
        earlier: where the evaluation lies that it is compared with.
    """
    yield Line(word("subject", language, agent=report.agent, model=report.model), "dim")
    for summary in report.summaries:
        yield Line("")
        yield from _suite(report, summary, language)
        if report.change is not None:
            yield from _change(report.change[summary.suite], earlier, language)
        yield from _breaches(summary, language)


def _suite(report: Report, summary: Summary, language: Language) -> Iterator[Line]:
    passed = word("passed", language, passed=summary.passed, runs=summary.runs, cases=summary.cases)
    title = word("title", language, suite=summary.suite)
    yield Line(f"{title}  {passed}", "bold")
    yield from table(
        [word(f"head.{head}", language) for head in ("metric", "value", "threshold")],
        [
            [word(f"metric.{name}", language), shown(name, value), wanted(report, summary, name)]
            for name, value in summary.metrics.items()
            if name in report.thresholds[summary.suite]
            or (value is not None and (name != "pass_k" or len(summary.pass_hat) > 1))
        ],
    )
    if len(summary.pass_hat) > 1:
        values = "  ".join(f"{k}: {value:.1%}" for k, value in summary.pass_hat.items())
        yield Line(word("pass_hat", language, values=values))
    if summary.confusion:
        yield Line("")
        yield from _confusion(summary.confusion, language)
    yield Line("")
    yield from _failed(report.of(summary.suite), language)


def wanted(report: Report, summary: Summary, name: str) -> str:
    """A metric's threshold as one reads it."""
    threshold = report.thresholds[summary.suite].get(name)
    if threshold is None:
        return ""
    met = all(breach.metric != name for breach in summary.breaches)
    sign = "≥" if METRICS[name].at_least else "≤"
    return f"{'✓' if met else '✗'} {sign} {shown(name, threshold)}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    """Columns; a Chinese character takes two."""
    widths = [max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)]
    for number, row in enumerate((heads, *rows)):
        cells = (
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        )
        yield Line("  ".join(cells).rstrip(), "" if number else "bold")


def labels(confusion: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Every label of a confusion matrix, in one order for rows and columns."""
    return sorted({*confusion, *(got for row in confusion.values() for got in row)})


def _confusion(confusion: Mapping[str, Mapping[str, int]], language: Language) -> Iterator[Line]:
    names = labels(confusion)
    if len(names) <= WIDEST_MATRIX:
        yield Line(word("matrix", language), "bold")
        rows = [
            [expected, *(str(confusion[expected].get(got) or "·") for got in names)]
            for expected in names
            if expected in confusion
        ]
        yield from table(["", *names], rows)
        return
    yield Line(word("confusion", language), "bold")
    pairs = [
        (count, expected, got)
        for expected, row in confusion.items()
        for got, count in row.items()
        if expected != got
    ]
    if not pairs:
        yield Line(word("confusion.none", language), "green")
    for count, expected, got in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        yield Line(f"  {expected} → {got}: {count}")


def _failed(results: Sequence[CaseResult], language: Language) -> Iterator[Line]:
    failed = [result for result in results if not result.passed]
    if not failed:
        yield Line(word("failed.none", language), "green")
        return
    yield Line(word("failed", language), "bold")
    for result in failed[:MOST_FAILED]:
        yield Line(f"✗ {named(result)}  {result.score:.0%}", "red")
        if result.error:
            yield Line(f"  {word('case.error', language, error=cut(result.error))}")
        for number, seen in enumerate(result.turns, start=1):
            wrong = [check for check in result.failed if check.turn == number]
            if not wrong:
                continue
            turn = word("case.turn", language, turn=number, say=cut(seen.say))
            yield Line(f"  {turn}  {word('case.run', language, run=seen.run)}")
            for check in wrong:
                said = word(
                    "said", language, expected=cut(check.expected) or "–", got=cut(check.got)
                )
                yield Line(f"    {word(f'kind.{check.kind}', language)}: {said}")
    if failed[MOST_FAILED:]:
        yield Line(word("case.more", language, count=len(failed) - MOST_FAILED), "dim")


def named(result: CaseResult) -> str:
    """A case as reports name it."""
    again = f" #{result.repeat}" if result.repeat > 1 else ""
    return f"{result.case}{again}" + (f" – {result.title}" if result.title else "")


def cut(text: str) -> str:
    """A text on one line of a terminal."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"


def _change(change: Change, earlier: str, language: Language) -> Iterator[Line]:
    yield Line(word("compared", language, place=earlier), "bold")
    said = [
        ("fixed", change.fixed, "green"),
        ("broken", change.broken, "red"),
        ("new", change.new, ""),
        ("gone", change.gone, "dim"),
    ]
    for key, cases, style in said:
        if cases:
            yield Line(f"  {word(f'compared.{key}', language, cases=', '.join(cases))}", style)
    if change == Change():
        yield Line(f"  {word('compared.same', language)}")


def _breaches(summary: Summary, language: Language) -> Iterator[Line]:
    for breach in summary.breaches:
        got = shown(breach.metric, breach.got)
        yield Line(
            word(
                "breach",
                language,
                metric=breach.metric,
                got=word("unmeasured", language) if breach.got is None else got,
                wanted=shown(breach.metric, breach.wanted),
            ),
            "red",
        )


def calibration_lines(calibration: Calibration, language: Language) -> Iterator[Line]:
    """The fitted thresholds, what they are worth, and the lines to paste."""
    after = calibration.after
    head = word("calibration", language, fitted=calibration.fitted_on, held=calibration.after.count)
    yield Line(head, "bold")
    heads = ["", *(word(f"calibration.{one}", language) for one in _RATES)]
    rows = [
        [word("calibration.before", language), *_rates(calibration.before)],
        [word("calibration.after", language), *_rates(after)],
    ]
    yield from table(heads, rows)
    yield Line("")
    yield Line(word("calibration.trade_off", language), "bold")
    rows = [
        [word("calibration.wrong_costs", language, cost=cost), *_rates(rates)]
        for cost, rates in calibration.trade_off.items()
    ]
    yield from table(heads, rows)
    if calibration.left:
        left = ", ".join(calibration.left)
        yield Line(word("calibration.left", language, intents=left), "yellow")
    if calibration.seen_in_training:
        count = calibration.seen_in_training
        yield Line(word("calibration.training", language, count=count), "dim")
    if calibration.fitted:
        yield Line("")
        yield Line(word("calibration.paste", language), "bold")
        yield Line(snippet(calibration))


_RATES = ("right", "wrong", "asked", "missed")


def _rates(rates: Rates) -> list[str]:
    return [f"{getattr(rates, name):.1%}" for name in _RATES]
