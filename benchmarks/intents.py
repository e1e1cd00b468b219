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
from msgspec.structs import replace

from benchmarks.intent_report import written
from benchmarks.intent_sets import IntentSet, Labelled, every
from pointsman.adapters.classifiers.arrays import one_thread
from pointsman.adapters.classifiers.embeddings import embed
from pointsman.adapters.classifiers.examples import Examples
from pointsman.domain.intents import ACCEPT, Intent

_BINS = 15


class Judged(Struct, frozen=True):
    """What the classifier said of one message.

    Attributes:
        wanted: the right intent; empty for none.
        taken: how many intents reach the default ``accept``.
    """

    wanted: str
    best: str
    score: float
    taken: int

    @property
    def right(self) -> bool:
        return self.best == self.wanted


class Outcome(Struct, frozen=True, kw_only=True):
    """The figures of one set. Shares in [0, 1]; times in seconds of CPU."""

    name: str
    intents: int
    examples: int
    training: float
    message: float
    accuracy: float
    threshold: float
    known_accuracy: float
    unknown_recall: float
    unknown_precision: float
    auroc: float
    calibration: float
    default_known: float
    default_unknown: float
    second_intents: float


def run(given: IntentSet, *, on_validation: bool) -> Outcome:
    """Train and test."""
    intents = _intents(given.train)
    started = process_time()
    classifier = Examples.trained(intents, unknown=given.unknown)
    training = process_time() - started
    tuning = _judged(classifier, given.validation, given.validation_unknown)
    started = process_time()
    judged = tuning if on_validation else _judged(classifier, given.test, given.test_unknown)
    message = (process_time() - started) / max(len(judged), 1)
    return replace(
        _measured(judged, _threshold(tuning)),
        name=given.name,
        intents=len(intents),
        examples=len(given.train),
        training=training,
        message=message,
    )


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
        taken = sum(score >= ACCEPT for score in scores.values())
        found.append(Judged(wanted, best, scores[best], taken))
    return found


def _threshold(judged: Sequence[Judged]) -> float:
    """The one with the most right answers when a fifth of the messages is unknown; 0 when no
    unknown ones are at hand."""
    known = [one for one in judged if one.wanted]
    unknown = [one for one in judged if not one.wanted]
    if not known or not unknown:
        return 0.0
    scores = sorted({one.score for one in judged})
    right = np.sort([one.score for one in known if one.right])
    wrong = np.sort([one.score for one in unknown])
    kept = (len(right) - np.searchsorted(right, scores)) / len(known)
    refused = np.searchsorted(wrong, scores) / len(wrong)
    return float(scores[int(np.argmax(0.8 * kept + 0.2 * refused))])


def _measured(judged: Sequence[Judged], threshold: float) -> Outcome:
    known = [one for one in judged if one.wanted]
    unknown = [one for one in judged if not one.wanted]
    refused = [one for one in judged if one.score < threshold]
    refused_unknown = sum(not one.wanted for one in refused)
    return Outcome(
        name="",
        intents=0,
        examples=0,
        training=0.0,
        message=0.0,
        accuracy=_share(one.right for one in known),
        threshold=threshold,
        known_accuracy=_share(one.right and one.score >= threshold for one in known),
        unknown_recall=_share(one.score < threshold for one in unknown),
        unknown_precision=refused_unknown / max(len(refused), 1),
        auroc=_auroc([one.score for one in known], [one.score for one in unknown]),
        calibration=_calibration_error(judged),
        default_known=_share(one.right and one.score >= ACCEPT for one in known),
        default_unknown=_share(one.score < ACCEPT for one in unknown),
        second_intents=_share(one.taken > 1 for one in known),
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
    with one_thread():
        for given in every(arguments.folder):
            if arguments.only not in given.name or (arguments.validation and not given.validation):
                continue
            outcomes.append(run(given, on_validation=arguments.validation))
            print(written(outcomes[-1]), flush=True)


if __name__ == "__main__":
    main()
