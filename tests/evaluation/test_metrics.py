"""Adding up."""

from typing import Any

import pytest

from pointsman.domain.messages import Usage
from pointsman.evaluation.graders import Counts
from pointsman.evaluation.metrics import (
    METRICS,
    CaseResult,
    breaches,
    pass_hat,
    quantile,
    summarise,
)
from pointsman.evaluation.observed import Seen


def result(case: str, passed: bool = True, repeat: int = 1, **more: Any) -> CaseResult:
    return CaseResult(
        suite="s", case=case, repeat=repeat, passed=passed, score=float(passed), **more
    )


def turn(ms: float, total: int = 0) -> Seen:
    usage = Usage(total=total)
    return Seen(run="r", say="s", outcome="answer", reply="", ms=ms, usage=usage)


def test_shares_are_of_what_was_measured() -> None:
    counts = Counts(
        intents=4,
        intents_right=3,
        tools_expected=4,
        tools_called=2,
        tools_right=2,
        without_question=50,
        needless_questions=1,
        forbidden_calls=2,
    )
    summary = summarise("s", [result("a", counts=counts), result("b", passed=False)], {})
    wanted = {
        "passed": 0.5,
        "intent": 0.75,
        "tool_precision": 1.0,
        "tool_recall": 0.5,
        "needless_questions": 0.02,
        "forbidden_calls": 2,
        "arguments": None,
        "missed_questions": None,
    }
    assert {name: summary.metrics[name] for name in wanted} == wanted
    assert list(summary.metrics) == list(METRICS)


def test_times_are_of_turns_and_tokens_of_cases() -> None:
    turns = (turn(10, 5), turn(20, 5)), (turn(30, 20),)
    summary = summarise("s", [result("a", turns=turns[0]), result("b", turns=turns[1])], {})
    assert (summary.metrics["ms_median"], summary.metrics["ms_p95"]) == (20, 30)
    assert (summary.metrics["tokens"], summary.usage.total) == (15, 30)


def test_pass_hat_is_the_chance_that_all_of_k_runs_pass() -> None:
    runs = [result("a", True, 1), result("a", True, 2), result("a", False, 3)]
    assert pass_hat(runs) == pytest.approx({1: 2 / 3, 2: 1 / 3, 3: 0})
    both = [*runs, result("b", True, 1)]
    assert pass_hat(both) == pytest.approx({1: 5 / 6})
    assert pass_hat([]) == {}


def test_the_confusion_counts_turns() -> None:
    pairs = (("a", "a"), ("a", "b"), ("none", "a"))
    summary = summarise("s", [result("x", intents=pairs), result("y", intents=pairs[:1])], {})
    assert summary.confusion == {"a": {"a": 2, "b": 1}, "none": {"a": 1}}


@pytest.mark.parametrize(
    ("metric", "got", "wanted", "met"),
    [
        ("intent", 0.95, 0.95, True),
        ("intent", 0.94, 0.95, False),
        ("intent", None, 0.95, False),
        ("needless_questions", 0.02, 0.02, True),
        ("needless_questions", 0.03, 0.02, False),
        ("needless_questions", None, 0.02, True),
        ("forbidden_calls", 1, 0, False),
    ],
)
def test_a_threshold_is_a_floor_or_a_ceiling(
    metric: str, got: float | None, wanted: float, met: bool
) -> None:
    found = breaches({metric: got}, {metric: wanted})
    assert (not found) == met
    assert [one.metric for one in found] == ([] if met else [metric])


def test_quantiles_are_values_that_occur() -> None:
    values = [1.0, 2.0, 3.0, 4.0]
    assert [quantile(values, share) for share in (0.0, 0.5, 0.95, 1.0)] == [1, 2, 4, 4]
    assert quantile([], 0.5) is None
