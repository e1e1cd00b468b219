"""How well the ``examples`` classifier tells intents, and that a message has none.

Public sets (their licences keep them out of this repository), read from a folder. Trained on train,
thresholds chosen on validation, tested once. Run: ``make bench-intents DATA=…``; writes
``benchmarks/intents.md``. ``--validation`` tests on the validation parts and writes nothing;
``--only NAME`` takes the sets whose name holds it.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time

import numpy as np
from msgspec import Struct

from benchmarks.intent_report import FIRM, Outcome, Pairs, line, page
from benchmarks.intent_sets import IntentSet, Labelled, every
from pointsman.adapters.classifiers.arrays import one_thread
from pointsman.adapters.classifiers.embeddings import embed
from pointsman.adapters.classifiers.examples import Examples
from pointsman.domain.intents import ACCEPT, Intent

_BINS = 15
_PAIRS = 500


class Judged(Struct, frozen=True):
    """What the classifier said of one message.

    Attributes:
        wanted: the right intent; empty for none.
        known: sum of the scores.
        taken: the intents that reach the default ``accept``.
    """

    wanted: str
    best: str
    score: float
    known: float
    taken: frozenset[str]

    @property
    def right(self) -> bool:
        return self.best == self.wanted


def run(given: IntentSet, *, on_validation: bool) -> tuple[Outcome, Pairs]:
    """Train and test."""
    intents = _intents(given.train)
    started = process_time()
    classifier = Examples.trained(intents, unknown=given.unknown)
    training = process_time() - started
    judged = tuning = _judged(classifier, given.validation, given.validation_unknown)
    tested, foreign = given.validation, given.validation_unknown
    started = process_time()
    if not on_validation:
        tested, foreign = given.test, given.test_unknown
        judged = _judged(classifier, tested, foreign)
    message = (process_time() - started) / len(judged)
    outcome = _measured(
        judged,
        _threshold(tuning),
        _firm_threshold(tuning),
        name=given.name,
        intents=len(intents),
        examples=len(given.train),
        training=training,
        message=message,
    )
    return outcome, _doubled(classifier, given.name, tested)


def _doubled(classifier: Examples, name: str, rows: Labelled) -> Pairs:
    """Every message with the one that stands a third of the list further, joined by "and then"."""
    apart = len(rows) // 3
    pairs = [
        (f"{first}{joint}{second}", {wanted, other})
        for (first, wanted), (second, other) in zip(rows[:apart], rows[apart:], strict=False)
        for joint in ["。然后" if "zh" in name else " and then "]
        if wanted != other
    ][:_PAIRS]
    both = one = wrong = 0
    for text, wanted in pairs:
        scores = classifier.scores(text)
        taken = {name for name, score in scores.items() if score >= ACCEPT}
        both += taken == wanted
        one += len(taken) == 1 and taken < wanted
        wrong += bool(taken - wanted)
    count = len(pairs)
    return Pairs(name=name, messages=count, both=both / count, one=one / count, wrong=wrong / count)


def _intents(rows: Labelled) -> list[Intent]:
    """Titled with the label's words, as an agent file would be."""
    texts: dict[str, list[str]] = defaultdict(list)
    for text, label in rows:
        texts[label].append(text)
    return [
        Intent(
            name=label,
            title={"en": label.replace("_", " ").replace("/", " ").strip("? ")},
            examples=tuple(examples),
        )
        for label, examples in sorted(texts.items())
    ]


def _judged(classifier: Examples, known: Labelled, unknown: Iterable[str]) -> list[Judged]:
    found: list[Judged] = []
    for text, wanted in [*known, *((text, "") for text in unknown)]:
        scores = classifier.scores(text)
        best = max(scores, key=lambda name: scores[name])
        taken = frozenset(name for name, score in scores.items() if score >= ACCEPT)
        found.append(Judged(wanted, best, scores[best], sum(scores.values()), taken))
    return found


def _threshold(judged: Sequence[Judged]) -> float:
    """The one with the most right answers; 0 when no unknown messages are at hand."""
    right = np.sort([one.score for one in judged if one.wanted and one.right])
    unknown = np.sort([one.score for one in judged if not one.wanted])
    if not len(unknown):
        return 0.0
    scores = np.unique([one.score for one in judged])
    good = len(right) - np.searchsorted(right, scores) + np.searchsorted(unknown, scores)
    return float(scores[int(np.argmax(good))])


def _firm_threshold(judged: Sequence[Judged]) -> float:
    """The lowest under which ``FIRM`` of the unknown messages lie."""
    unknown = [one.score for one in judged if not one.wanted]
    return float(np.quantile(unknown, FIRM)) if unknown else 0.0


def _measured(
    judged: Sequence[Judged],
    threshold: float,
    firm: float,
    *,
    name: str,
    intents: int,
    examples: int,
    training: float,
    message: float,
) -> Outcome:
    known = [one for one in judged if one.wanted]
    unknown = [one for one in judged if not one.wanted]
    refused = [one for one in judged if one.score < threshold]
    refused_unknown = sum(not one.wanted for one in refused)
    return Outcome(
        name=name,
        intents=intents,
        examples=examples,
        training=training,
        message=message,
        accuracy=_share(one.right for one in known),
        threshold=threshold,
        known_accuracy=_share(one.right and one.score >= threshold for one in known),
        unknown_recall=_share(one.score < threshold for one in unknown),
        unknown_precision=refused_unknown / max(len(refused), 1),
        firm_known=_share(one.right and one.score >= firm for one in known),
        firm_unknown=_share(one.score < firm for one in unknown),
        auroc=_auroc([one.score for one in known], [one.score for one in unknown]),
        detected=_auroc([one.known for one in known], [one.known for one in unknown]),
        calibration=_calibration_error(judged),
        default_known=_share(one.right and one.score >= ACCEPT for one in known),
        default_unknown=_share(one.score < ACCEPT for one in unknown),
        second_intents=_share(len(one.taken) > 1 for one in known),
    )


def _share(facts: Iterable[bool]) -> float:
    listed = list(facts)
    return sum(listed) / len(listed) if listed else float("nan")


def _auroc(known: Sequence[float], unknown: Sequence[float]) -> float:
    """How often a known message scores above an unknown one; ties count half."""
    if not known or not unknown:
        return float("nan")
    low = np.sort(unknown)
    below = np.searchsorted(low, known, side="left") + np.searchsorted(low, known, side="right")
    return float(below.mean() / 2 / len(low))


def _calibration_error(judged: Sequence[Judged]) -> float:
    """Expected calibration error of the best score, 15 equal bins; an unknown message is wrong
    whatever is said of it."""
    scores = np.array([one.score for one in judged])
    right = np.array([one.right for one in judged], float)
    places = np.minimum((scores * _BINS).astype(int), _BINS - 1)
    gaps = [
        abs(scores[places == place].mean() - right[places == place].mean())
        * np.count_nonzero(places == place)
        for place in range(_BINS)
        if (places == place).any()
    ]
    return float(sum(gaps) / len(judged))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--validation", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    embed(["the weights are loaded"])
    outcomes: list[Outcome] = []
    pairs: list[Pairs] = []
    with one_thread():
        for given in every(arguments.folder):
            if arguments.only not in given.name or (arguments.validation and not given.validation):
                continue
            outcome, doubled = run(given, on_validation=arguments.validation)
            outcomes.append(outcome)
            print(line(outcome), doubled, flush=True)
            if not given.name.startswith("CLINC150") or "full" in given.name:
                pairs.append(doubled)
    if not arguments.validation and not arguments.only:
        here = Path(__file__).parent
        published = (here / "intents_published.md").read_text(encoding="utf-8")
        (here / "intents.md").write_text(page(outcomes, pairs, published), encoding="utf-8")


if __name__ == "__main__":
    main()
