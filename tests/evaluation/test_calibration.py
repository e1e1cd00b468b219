"""Thresholds fitted on one half and measured on the other."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.intents import Intent
from pointsman.evaluation.calibration import (
    Costs,
    Sample,
    calibrate,
    fit_all,
    halves,
    rates,
    samples,
    snippet,
    with_thresholds,
)
from pointsman.evaluation.cases import Case, Expectation, Turn
from pointsman.evaluation.metrics import CaseResult
from pointsman.evaluation.observed import Seen

INTENTS = {name: Intent(name=name, examples=("seen before",)) for name in ("order", "refund")}


def sample(number: int, *intents: str, ask: tuple[str, ...] = (), **scores: float) -> Sample:
    return Sample(id=str(number), scores=scores, intents=frozenset(intents), ask=frozenset(ask))


CLEAR = [
    *(sample(n, "order", order=0.45, refund=0.1) for n in range(20)),
    *(sample(n + 20, "refund", order=0.2, refund=0.95) for n in range(20)),
    *(sample(n + 40, order=0.2, refund=0.1) for n in range(20)),
]
"""Orders get scores below the default threshold: all of them would be asked about."""


def test_what_can_be_told_apart_is_told_apart() -> None:
    fitted = calibrate(CLEAR, INTENTS, Costs())
    accept, ask = fitted.fitted["order"]
    assert 0.2 < ask <= accept <= 0.45
    assert fitted.before.asked == pytest.approx(1 / 3)
    assert fitted.after.asked == 0
    assert fitted.after.right == 1
    assert fitted.fitted_on == fitted.after.count == 30


def test_what_cannot_be_told_apart_is_asked_about_when_a_mistake_is_dear() -> None:
    mixed = [sample(n, *(["order"] if n % 3 else []), order=0.5 + (n % 5) / 100) for n in range(60)]
    dear = with_thresholds(INTENTS, fit_all(mixed, INTENTS, Costs(wrong=20)))
    cheap = with_thresholds(INTENTS, fit_all(mixed, INTENTS, Costs(wrong=1)))
    assert rates(mixed, dear).wrong == 0
    assert rates(mixed, dear).asked > 0.6
    assert rates(mixed, cheap).wrong > 0.3
    assert rates(mixed, cheap).asked == 0


def test_the_trade_off_asks_more_the_dearer_a_wrong_intent_is() -> None:
    noisy = [
        sample(n, *(["order"] if (n * 7) % 10 < 7 else []), order=((n * 13) % 50) / 50)
        for n in range(200)
    ]
    shown = calibrate(noisy, INTENTS, Costs()).trade_off
    wrong = [one.wrong for one in shown.values()]
    asked = [one.asked for one in shown.values()]
    assert wrong == sorted(wrong, reverse=True)
    assert asked == sorted(asked)


def test_a_message_that_should_be_asked_about_is_right_when_it_is() -> None:
    unclear = [sample(n, ask=("order", "refund"), order=0.55, refund=0.5) for n in range(4)]
    assert rates(unclear, INTENTS).right == 1
    taken = with_thresholds(INTENTS, {"order": (0.3, 0.2)})
    assert rates(unclear, taken).wrong == 1
    unseen = with_thresholds(INTENTS, dict.fromkeys(INTENTS, (0.9, 0.8)))
    assert rates(unclear, unseen).missed == 1


def test_an_intent_with_few_messages_keeps_its_thresholds() -> None:
    few = [*CLEAR[20:], sample(99, "order", order=0.4)]
    fitted = calibrate(few, INTENTS, Costs())
    assert (set(fitted.fitted), fitted.left) == ({"refund"}, ("order",))


def test_the_halves_have_the_same_mix_and_are_the_same_each_time() -> None:
    first, second = halves(CLEAR)
    assert halves(list(reversed(CLEAR))) == (first, second)
    for half in (first, second):
        assert [sum(name in one.intents for one in half) for name in INTENTS] == [10, 10]


def test_what_is_pasted_is_yaml_of_an_agent_file() -> None:
    fitted = calibrate(CLEAR, INTENTS, Costs())
    assert yaml.safe_load(snippet(fitted)) == {
        "intents": {
            name: {"accept": accept, "ask": ask} for name, (accept, ask) in fitted.fitted.items()
        }
    }


def test_samples_are_first_messages_with_an_expected_intent_that_are_no_examples() -> None:
    def case(name: str, say: str, **expect: Any) -> Case:
        turn = Turn(say=say, expect=Expectation(**expect))
        return Case(id=name, line=1, turns=(turn, Turn(say="x", expect=Expectation())))

    def result(name: str, scores: dict[str, float]) -> CaseResult:
        seen = Seen(run="r", say="", outcome="answer", reply="", scores=scores)
        return CaseResult(suite="s", case=name, repeat=1, passed=True, score=1, turns=(seen, seen))

    cases = [
        case("a", "hi", intents=("order",)),
        case("b", "hi", intents=()),
        case("c", "hi", route="ask", asks=("order", "refund")),
        case("d", "seen before", intents=("order",)),
        case("e", "hi"),
        case("f", "hi", intents=("order",)),
    ]
    scores = {"order": 0.5}
    results = [result(name, scores) for name in "abcde"] + [result("f", {})]
    found, in_training = samples(cases, results, INTENTS)
    assert found == [
        sample(0, "order", order=0.5).__replace__(id="a"),
        sample(0, order=0.5).__replace__(id="b"),
        sample(0, ask=("order", "refund"), order=0.5).__replace__(id="c"),
    ]
    assert in_training == 1


SAMPLES = st.lists(
    st.tuples(st.sampled_from([(), ("order",), ("refund",)]), st.floats(0, 1), st.floats(0, 1)),
    max_size=60,
)


@given(SAMPLES)
def test_thresholds_are_in_order_and_in_range(
    drawn: list[tuple[tuple[str, ...], float, float]],
) -> None:
    found = [sample(n, *i, order=o, refund=r) for n, (i, o, r) in enumerate(drawn)]
    for name, (accept, ask) in fit_all(found, INTENTS, Costs()).items():
        assert 0 <= ask <= accept <= 1
        assert name in INTENTS
