"""Fits the thresholds of the intents on one half of a suite's first messages, and shows on the
other half what they are worth. Pure; nothing is written into an agent file.

A message is taken wrongly (a tool that nobody wanted may run), asked about (a question), or missed
(an answer without the tool). What these cost relative to one another decides: see ``Costs``.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain.intents import Classification, Intent
from pointsman.domain.routing import route
from pointsman.evaluation.cases import Case
from pointsman.evaluation.graders import label
from pointsman.evaluation.metrics import CaseResult

FEWEST = 4
"""Messages with and without an intent below which its thresholds are left as they are."""
CUTS = 60
"""Places at which a threshold is tried, spread over the scores that occur."""
Verdict = Literal["right", "wrong", "asked", "missed"]
TRADE_OFF = (1.0, 2.0, 5.0, 10.0, 20.0)
"""Costs of a wrong intent for which the trade-off is shown."""


class Costs(Struct, frozen=True, kw_only=True):
    """What a wrong decision costs, where a question costs 1."""

    wrong: float = 5.0
    missed: float = 3.0


class Sample(Struct, frozen=True, kw_only=True):
    """A first message: the scores that it got, the intents that it has, those to be asked about."""

    id: str
    scores: dict[str, float]
    intents: frozenset[str]
    ask: frozenset[str] = frozenset()


class Rates(Struct, frozen=True, kw_only=True):
    """What a set of thresholds does with messages; shares in [0, 1].

    Attributes:
        right: taken as meant, or asked about where that is expected.
        wrong: an intent was taken that the message does not have.
        asked: the user is asked, though his message is clear.
        missed: an intent that the message has is not seen, or not asked about.
    """

    count: int
    right: float
    wrong: float
    asked: float
    missed: float


class Calibration(Struct, frozen=True, kw_only=True):
    """Fitted thresholds and what they are worth on messages that they were not fitted on.

    Attributes:
        fitted: intent → accept and ask.
        left: intents with too few messages, which keep what they have.
        trade_off: cost of a wrong intent → the rates of what would be fitted for it.
    """

    fitted: dict[str, tuple[float, float]]
    left: tuple[str, ...]
    fitted_on: int
    before: Rates
    after: Rates
    trade_off: dict[float, Rates]
    seen_in_training: int = 0


def samples(
    cases: Sequence[Case], results: Sequence[CaseResult], intents: Mapping[str, Intent]
) -> tuple[list[Sample], int]:
    """The first messages that say which intent they have, and how many were left out because the
    classifier has them as examples."""
    found: list[Sample] = []
    known = {text.strip() for intent in intents.values() for text in intent.examples}
    scores = {result.case: result.turns[0].scores for result in results if result.turns}
    in_training = 0
    for case in cases:
        expect = case.turns[0].expect
        ask = (
            frozenset(expect.asks or ()) & intents.keys() if expect.route == "ask" else frozenset()
        )
        if case.id not in scores or (expect.intents is None and not ask):
            continue
        if case.turns[0].say.strip() in known:
            in_training += 1
        elif scores[case.id]:
            wanted = frozenset(expect.intents or ())
            found.append(Sample(id=case.id, scores=scores[case.id], intents=wanted, ask=ask))
    return found, in_training


def calibrate(
    found: Sequence[Sample],
    intents: Mapping[str, Intent],
    costs: Costs,
    *,
    seen_in_training: int = 0,
) -> Calibration:
    """Thresholds fitted on one half of the samples and measured on the other."""
    fit, held = halves(found)
    fitted = fit_all(fit, intents, costs)
    return Calibration(
        fitted=fitted,
        left=tuple(name for name in intents if name not in fitted),
        fitted_on=len(fit),
        before=rates(held, intents),
        after=rates(held, with_thresholds(intents, fitted)),
        trade_off={
            wrong: rates(
                held, with_thresholds(intents, fit_all(fit, intents, replace(costs, wrong=wrong)))
            )
            for wrong in TRADE_OFF
        },
        seen_in_training=seen_in_training,
    )


def halves(found: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Two halves with the same mix of intents, the same each time."""
    ordered = sorted(
        found, key=lambda one: (label(tuple(one.intents)), sha256(one.id.encode()).digest())
    )
    return ordered[::2], ordered[1::2]


def fit_all(
    found: Sequence[Sample], intents: Mapping[str, Intent], costs: Costs
) -> dict[str, tuple[float, float]]:
    """Accept and ask of each intent of which there are enough messages."""
    fitted = {}
    for name in intents:
        with_it = sum(name in one.intents for one in found)
        if min(with_it, len(found) - with_it) >= FEWEST:
            fitted[name] = _fit(found, name, costs)
    return fitted


def _fit(found: Sequence[Sample], name: str, costs: Costs) -> tuple[float, float]:
    """The pair that costs least; of equals the one that leaves most room around the scores."""
    by_wish: dict[str, list[float]] = {"yes": [], "ask": [], "no": []}
    for one in found:
        wish = "yes" if name in one.intents else "ask" if name in one.ask else "no"
        by_wish[wish].append(one.scores.get(name, 0.0))
    scores = sorted({score for group in by_wish.values() for score in group})
    cuts = _cuts(scores)
    taken = {cut: _taken_cost(by_wish, cut, costs) for cut, _ in cuts}
    unseen = {cut: _unseen_cost(by_wish, cut, costs) for cut, _ in cuts}
    best = min(
        (taken[accept] + unseen[ask], -round(wide_accept + wide_ask, 6), accept, ask)
        for accept, wide_accept in cuts
        for ask, wide_ask in cuts
        if ask <= accept
    )
    return best[2], best[3]


def _taken_cost(by_wish: Mapping[str, Sequence[float]], accept: float, costs: Costs) -> float:
    """What it costs to take from ``accept`` on, over asking about everything."""
    wrong = sum(score >= accept for group in ("no", "ask") for score in by_wish[group])
    spared = sum(score >= accept for score in by_wish["yes"])
    asked = sum(score >= accept for score in by_wish["no"])
    return costs.wrong * wrong - spared - asked


def _unseen_cost(by_wish: Mapping[str, Sequence[float]], ask: float, costs: Costs) -> float:
    """What it costs to ask from ``ask`` on: questions above it, missed messages below."""
    asked = sum(score >= ask for group in ("yes", "no") for score in by_wish[group])
    missed = sum(score < ask for group in ("yes", "ask") for score in by_wish[group])
    return costs.missed * missed + asked


def _cuts(scores: Sequence[float]) -> list[tuple[float, float]]:
    """Thresholds in the middle between scores, with the room to the next score; few when there are
    many scores."""
    edges = [0.0, *(score for score in scores if 0.0 < score < 1.0), 1.0]
    middles = [
        (round((low + high) / 2, 3), (high - low) / 2) for low, high in pairwise(sorted(set(edges)))
    ]
    widest = sorted(middles, key=lambda middle: -middle[1])[: CUTS // 2]
    step = max(len(middles) // (CUTS // 2), 1)
    return sorted({*widest, *middles[::step]})


def with_thresholds(
    intents: Mapping[str, Intent], fitted: Mapping[str, tuple[float, float]]
) -> dict[str, Intent]:
    """The intents with other thresholds."""
    return {
        name: replace(intent, accept=fitted[name][0], ask=fitted[name][1])
        if name in fitted
        else intent
        for name, intent in intents.items()
    }


def rates(found: Sequence[Sample], intents: Mapping[str, Intent]) -> Rates:
    """What the router does with the samples under these thresholds."""
    verdicts = [_verdict(one, intents) for one in found]
    total = len(found)

    def share(verdict: Verdict) -> float:
        return verdicts.count(verdict) / total if total else 0.0

    return Rates(
        count=total,
        right=share("right"),
        wrong=share("wrong"),
        asked=share("asked"),
        missed=share("missed"),
    )


def _verdict(one: Sample, intents: Mapping[str, Intent]) -> Verdict:
    way = route(Classification(scores=one.scores, by="calibration"), intents)
    if way.kind == "ask":
        if one.ask:
            return "right" if one.ask <= set(way.candidates) else "missed"
        return "asked"
    if set(way.intents) - one.intents:
        return "wrong"
    return "missed" if one.ask or set(way.intents) != one.intents else "right"


def snippet(calibration: Calibration) -> str:
    """The lines to paste into the agent file."""
    lines = ["intents:"]
    for name, (accept, ask) in calibration.fitted.items():
        lines += [f"  {name}:", f"    accept: {accept:g}", f"    ask: {ask:g}"]
    return "\n".join(lines)
