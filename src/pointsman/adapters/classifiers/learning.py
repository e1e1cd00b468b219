"""Fits the learned classifier: regression, detector of the unknown, temperature. Deterministic."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from pointsman.adapters.classifiers.arrays import Floats, Integers, one_thread, softmax
from pointsman.adapters.classifiers.background import SENTENCES
from pointsman.adapters.classifiers.embeddings import embed
from pointsman.adapters.classifiers.features import FeatureMap
from pointsman.adapters.classifiers.learned import LearnedModel
from pointsman.adapters.classifiers.ngrams import Counted, counted
from pointsman.adapters.classifiers.regression import fit_softmax
from pointsman.adapters.classifiers.unknown import Detector, Nearness, evidence

FEW = 4000
"""Examples up to which every intent is held out once; with more, a fifth of them is enough."""
_FOLDS = 5
_ABSENT = -30.0
"""Logit of an intent that the model was not taught."""
_APART = 0.2
"""How many of the messages are taken to be foreign; ``_hidden`` are unknown but like the known."""
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
    """How held-out texts look to a model that has not seen them.

    Attributes:
        labels: -1 for a text that is none of the intents that the model was taught.
        weights: how much each text counts.
    """

    logits: Floats
    evidence: Floats
    labels: Integers
    weights: Floats


def learn(lesson: Lesson) -> LearnedModel:
    """Train on the lesson. 150 intents with 100 examples each take some 25 s of CPU, a dozen with
    ten each about one; loading the encoder two more."""
    with one_thread():
        course = _Course(lesson)
        rounds = 1 if len(lesson.texts) > FEW else _FOLDS
        sights, heads = zip(*(course.sight(held, rounds) for held in range(rounds)), strict=True)
        whole = course.fitted(course.rows, course.foreign, start=heads[0] if rounds == 1 else ())
        seen = _Sight(
            *(
                np.concatenate([getattr(sight, name) for sight in sights])
                for name in _Sight.__struct_fields__
            )
        )
        detector = Detector.of(seen.evidence, (seen.labels >= 0).astype(np.int8), seen.weights)
        return LearnedModel(
            names=lesson.names,
            space=course.space,
            weights=course.space.joined(whole),
            nearness=course.nearness(course.rows, course.foreign),
            detector=detector,
            temperature=_temperature(seen, detector.known(seen.evidence)),
        )


class _Course:
    """The lesson as arrays.

    Attributes:
        rows: the examples.
        foreign: the texts that are known to be unknown, and those background sentences that are:
            all of one class of their own, the last.
    """

    def __init__(self, lesson: Lesson) -> None:
        self._classes = len(lesson.names)
        embedded, given = embed(lesson.texts), counted(lesson.texts)
        self.space = FeatureMap.of(given, embedded)
        self.rows = self._read(given, embedded, np.asarray(lesson.labels, np.int64))
        nearest = (self.space.centred(embed(SENTENCES)) @ self.rows.centred.T).max(axis=1)
        apart = [one for one, near in zip(SENTENCES, nearest, strict=True) if near < _FOREIGN]
        texts = [*lesson.unknown, *apart]
        labels = np.full(len(texts), self._classes)
        self.foreign = self._read(counted(texts), embed(texts), labels)

    def _read(self, given: Counted, embedded: Floats, labels: Integers) -> _Rows:
        centred, ngrams = self.space.centred(embedded), self.space.ngrams.vectors(given)
        return _Rows(centred, ngrams, self.space.rows(centred, ngrams), labels)

    def fitted(self, rows: _Rows, foreign: _Rows, start: Sequence[Floats] = ()) -> list[Floats]:
        """The weights of each part's regression.

        Args:
            start: weights to start from.
        """
        features = np.concatenate([rows.features, foreign.features])
        labels = np.concatenate([rows.labels, foreign.labels])
        return [
            fit_softmax(
                features[:, part.columns],
                labels,
                self._classes + 1,
                penalty=1.0 / (part.looseness * len(labels)),
                steps=part.steps * 3 // 4 if start else part.steps,
                start=start[at] if start else None,
            )
            for at, part in enumerate(self.space.parts())
        ]

    def nearness(self, rows: _Rows, foreign: _Rows) -> Nearness:
        return Nearness.of(rows.centred, rows.labels, self._classes, foreign.centred)

    def sight(self, held: int, rounds: int) -> tuple[_Sight, list[Floats]]:
        """How texts look to a model that has not seen them, and its weights. It is made without a
        fifth of the intents, a fifth of the others' examples, and some of the foreign texts."""
        groups, taught, foreign = self._held_out(held, rounds)
        heads = self.fitted(taught, foreign)
        absent = np.bincount(taught.labels, minlength=self._classes + 1) == 0
        absent[self._classes] = False
        rows = np.concatenate([group.features for group in groups])
        centred = np.concatenate([group.centred for group in groups])
        logits = np.where(absent, _ABSENT, rows @ self.space.joined(heads))
        counts = [len(group.labels) for group in groups]
        hidden = _hidden(self._classes)
        expected = np.array([1.0 - hidden - _APART, hidden, _APART])
        sight = _Sight(
            logits=logits[:, :-1],
            evidence=evidence(logits, self.nearness(taught, foreign), centred),
            labels=np.concatenate([groups[0].labels, np.full(sum(counts[1:]), -1)]),
            weights=np.repeat(expected * len(rows) / np.maximum(counts, 1), counts),
        )
        return sight, heads

    def _held_out(self, held: int, rounds: int) -> tuple[list[_Rows], _Rows, _Rows]:
        """Held-out examples of known intents, those of unknown ones, and foreign texts; then the
        examples and the foreign texts that are taught."""
        labels = self.rows.labels
        place = np.zeros(len(labels), np.int64)
        for one in range(self._classes):
            place[labels == one] = np.arange(np.count_nonzero(labels == one))
        left_out = (labels % _FOLDS == held) & (self._classes > 1)
        tested = ~left_out & (place > 0) & ((place + labels) % _FOLDS == held)
        apart = np.arange(len(self.foreign.labels)) % max(rounds, 2) == held
        taught = self.rows[np.flatnonzero(~left_out & ~tested)]
        if not tested.any():  # single examples: nothing can be held out
            tested = ~left_out
        groups = [
            self.rows[np.flatnonzero(tested)],
            self.rows[np.flatnonzero(left_out)],
            self.foreign[np.flatnonzero(apart)],
        ]
        return groups, taught, self.foreign[np.flatnonzero(~apart)]


def _hidden(intents: int) -> float:
    """How many of the messages are taken to be none of the intents but much like them: an agent
    that can do little is asked for more that it can't."""
    return min(0.05 + 0.6 / intents, 0.2)


def _temperature(seen: _Sight, known: Floats) -> float:
    """The one of a few under which it is most likely that the best scores are as right as they
    say."""
    right = seen.logits.argmax(axis=1) == seen.labels

    def loss(temperature: float) -> float:
        score = softmax(seen.logits / temperature).max(axis=1) * known
        kept = np.clip(np.where(right, score, 1.0 - score), 1e-6, 1.0)
        return float(-seen.weights @ np.log(kept) + np.log(temperature) ** 2)

    return float(min(_TEMPERATURES, key=loss))
