"""Fits the learned classifier: regression, detector of the unknown, temperature. Deterministic."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from pointsman.adapters.classifiers.arrays import Floats, Integers, log_sum, one_thread
from pointsman.adapters.classifiers.background import SENTENCES
from pointsman.adapters.classifiers.embeddings import embed
from pointsman.adapters.classifiers.features import FeatureMap
from pointsman.adapters.classifiers.learned import LearnedModel
from pointsman.adapters.classifiers.ngrams import Counted, counted
from pointsman.adapters.classifiers.regression import fit_softmax
from pointsman.adapters.classifiers.unknown import Detector, Gallery

LOOSENESS = 10.0
"""How freely the regression follows the examples; its penalty is 1 / (looseness · examples)."""
FEW = 4000
"""Examples up to which every intent is held out once; with more, a fifth of them is enough."""
_STEPS = 16
_FOLDS = 5
_KNOWN, _HIDDEN, _APART = 0.75, 0.05, 0.2
"""How many of the messages are taken to be known, unknown but much like the known, and foreign."""
_FOREIGN = 0.6
"""A background sentence closer than this (cosine) to an example may be a known wish."""
_TEMPERATURES = np.geomspace(0.25, 4.0, 25)


class Lesson(Struct, frozen=True):
    """What to learn.

    Attributes:
        names: the intents.
        texts: examples.
        labels: their intents, as positions in ``names``.
        unknown: texts that are none of the intents.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    labels: tuple[int, ...]
    unknown: tuple[str, ...] = ()


class _Rows(Struct, frozen=True):
    """Texts as arrays, row by row."""

    centred: Floats
    ngrams: Floats
    features: Floats
    labels: Integers

    def __getitem__(self, chosen: Integers) -> "_Rows":
        return _Rows(
            self.centred[chosen], self.ngrams[chosen], self.features[chosen], self.labels[chosen]
        )


class _Sight(Struct, frozen=True):
    """How held-out texts look to a model that has not seen them."""

    logits: Floats
    labels: Integers
    evidence: Floats
    known: Integers
    weights: Floats


def learn(lesson: Lesson) -> LearnedModel:
    """Train on the lesson. 150 intents with 100 examples each take some 25 s of CPU, a dozen with
    ten each about one; loading the encoder two more."""
    with one_thread():
        embedded = embed(lesson.texts)
        given = counted(lesson.texts)
        space = FeatureMap.of(given, embedded)
        rows = _rows(space, given, embedded, np.asarray(lesson.labels, np.int64))
        foreign = _foreign(space, rows.centred, lesson.unknown)
        classes = len(lesson.names)
        sights = list(_sights(rows, foreign, classes))
        start = sights[0][1] if len(sights) == 1 else None
        weights = _fitted(rows, classes, start=start)
        gallery = Gallery.of(rows.centred, rows.ngrams, rows.labels, classes)
        seen = [sight for sight, _ in sights]
        detector = Detector.of(
            np.concatenate([sight.evidence for sight in seen]),
            np.concatenate([sight.known for sight in seen]),
            np.concatenate([sight.weights for sight in seen]),
        )
        return LearnedModel(
            names=lesson.names,
            space=space,
            weights=weights,
            gallery=gallery,
            detector=detector,
            temperature=_temperature(seen),
        )


def _rows(space: FeatureMap, given: Counted, embedded: Floats, labels: Integers) -> _Rows:
    centred, ngrams = space.centred(embedded), space.ngrams.vectors(given)
    return _Rows(centred, ngrams, space.rows(centred, ngrams), labels)


def _foreign(space: FeatureMap, examples: Floats, unknown: Sequence[str]) -> _Rows:
    """The texts that are known to be unknown, and those background sentences that are."""
    embedded = embed(SENTENCES)
    close = (space.centred(embedded) @ examples.T).max(axis=1)
    texts = [one for one, near in zip(SENTENCES, close, strict=True) if near < _FOREIGN]
    texts = [*unknown, *texts]
    return _rows(space, counted(texts), embed(texts), np.full(len(texts), -1))


def _sights(rows: _Rows, foreign: _Rows, classes: int) -> list[tuple[_Sight, Floats]]:
    """One round of holding out for many examples, five for few.

    In a round a fifth of the intents is left out as a whole and a fifth of the others' examples.
    """
    return [
        _sight(rows, foreign, classes, held)
        for held in range(1 if len(rows.labels) > FEW else _FOLDS)
    ]


def _sight(rows: _Rows, foreign: _Rows, classes: int, held: int) -> tuple[_Sight, Floats]:
    labels = rows.labels
    place = np.zeros(len(labels), np.int64)
    for one in range(classes):
        place[labels == one] = np.arange(np.count_nonzero(labels == one))
    left_out = (labels % _FOLDS == held) & (classes > 2)
    tested = ~left_out & (place > 0) & ((place + labels) % _FOLDS == held)
    taught = rows[np.flatnonzero(~left_out & ~tested)]
    weights = _fitted(taught, classes)
    absent = np.bincount(taught.labels, minlength=classes) == 0
    gallery = Gallery.of(taught.centred, taught.ngrams, taught.labels, classes)
    groups = [rows[np.flatnonzero(tested)], rows[np.flatnonzero(left_out)], foreign]
    logits = [np.where(absent, -30.0, group.features @ weights) for group in groups]
    counts = [len(group.labels) for group in groups]
    sight = _Sight(
        logits=logits[0],
        labels=groups[0].labels,
        evidence=np.concatenate(
            [
                gallery.evidence(seen, group.centred, group.ngrams)
                for seen, group in zip(logits, groups, strict=True)
            ]
        ),
        known=np.repeat(np.array([1, 0, 0]), counts),
        weights=np.concatenate(
            [
                np.full(count, sum(counts) * share / max(count, 1))
                for count, share in zip(counts, (_KNOWN, _HIDDEN, _APART), strict=True)
            ]
        ),
    )
    return sight, weights


def _fitted(rows: _Rows, classes: int, start: Floats | None = None) -> Floats:
    return fit_softmax(
        rows.features,
        rows.labels,
        classes,
        penalty=1.0 / (LOOSENESS * len(rows.labels)),
        steps=_STEPS if start is None else _STEPS * 3 // 4,
        start=start,
    )


def _temperature(seen: Sequence[_Sight]) -> float:
    """The one of a few under which the held-out examples are most likely."""
    logits = np.concatenate([sight.logits for sight in seen])
    labels = np.concatenate([sight.labels for sight in seen])
    if not len(labels):
        return 1.0
    own = logits[np.arange(len(labels)), labels]
    losses = [float(np.mean(log_sum(logits / one) - own / one)) for one in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])
