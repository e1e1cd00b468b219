"""Whether a text is any of the known intents at all.

``Nearness`` and the regression give evidence: how strongly the regression speaks, how near the text
is to an intent, and whether it is nearer to foreign texts. ``Detector`` turns it into a
probability. It is fitted on texts that the regression has not seen: held-out examples of known
intents against examples of intents that were left out as a whole, so that an agent needs no
examples of the unknown.
"""

import numpy as np

from pointsman.adapters.classifiers.arrays import Floats, Integers, largest, log_sum, unit
from pointsman.adapters.classifiers.regression import fit_logistic

_SHRINK = 0.1
_USUAL = np.array([2.7, -2.06, 0.41, 0.36, 1.4, 1.8])
_USUAL_SCALE = np.array([1.2, 1.0, 2.3, 4.9])
"""What tells the unknown for most agents: fitted on 72 of 3 to 8 intents and 24 of 12 to 60, drawn
from the training and validation parts of the public sets of benchmarks/intents.md."""
_TRUST, _TRUST_SCALE = 100.0, 10.0
"""About how many held-out texts it takes to move an agent away from what is usual."""
_FARTHEST = 8.0
_FOREIGNER = 0.2
"""Difference of cosines by which a text is clearly nearer to foreign texts than to examples."""
_NEIGHBOURS = 3
_MOST = 4000


class Nearness:
    """Where the intents and the foreign texts lie among embeddings.

    Attributes:
        means: of the intents' centred embeddings.
        near, far: maps under which plain distance is the Mahalanobis distance, by the spread within
            an intent and that of everything.
        middle: between examples and foreign texts.
        examples, foreign: around the middle, of length 1; of very many examples, the first of each
            intent.
    """

    def __init__(
        self,
        means: Floats,
        near: Floats,
        far: Floats,
        middle: Floats,
        examples: Floats,
        foreign: Floats,
    ) -> None:
        self.means, self.near, self.far = means, near, far
        self.middle, self.examples, self.foreign = middle, examples, foreign

    @classmethod
    def of(cls, centred: Floats, labels: Integers, classes: int, foreign: Floats) -> "Nearness":
        """Of training rows; an intent without rows lies in the middle of everything."""
        own = np.eye(classes, dtype=np.float32)[labels]
        means: Floats = (own.T @ centred) / np.maximum(own.sum(axis=0), 1)[:, None]
        most = max(_NEIGHBOURS, _MOST // classes)
        first = np.concatenate([np.flatnonzero(labels == one)[:most] for one in range(classes)])
        middle = centred.mean(axis=0)
        if len(foreign):
            middle = (middle + foreign.mean(axis=0)) / 2
        return cls(
            means,
            _map(centred - means[labels]),
            _map(centred),
            middle,
            unit(centred[first] - middle),
            unit(foreign - middle),
        )

    def foreigner(self, centred: Floats) -> Floats:
        """How much nearer the examples are than foreign texts; 0 when they are nearer at all."""
        if not len(self.foreign):
            return np.zeros(len(centred))
        here = unit(centred - self.middle)
        known, foreign = (
            largest(here @ texts.T, _NEIGHBOURS).mean(axis=1)
            for texts in (self.examples, self.foreign)
        )
        behind: Floats = np.minimum(known - foreign, 0.0)
        return behind

    def nearer(self, centred: Floats) -> Floats:
        """How much nearer the nearest intent is than the middle of everything."""
        here, means = centred @ self.near, self.means @ self.near
        squares = np.einsum("ij,ij->i", means, means) - 2.0 * (here @ means.T)
        nearest = np.einsum("ij,ij->i", here, here) + squares.min(axis=1)
        there = centred @ self.far
        middle = np.einsum("ij,ij->i", there, there)
        nearer: Floats = np.sqrt(middle) - np.sqrt(np.maximum(nearest, 0))
        return nearer


def _map(rows: Floats) -> Floats:
    """Of differences; their covariance is mixed with a multiple of the identity, which is never
    small: single examples show no spread. Embeddings have length 1, hence a spread of about 1."""
    spread = (rows.T @ rows).astype(np.float64) / max(len(rows), 1)
    width = len(spread)
    even = max(float(np.trace(spread)), 0.5) / width
    mixed = (1 - _SHRINK) * spread + _SHRINK * even * np.eye(width)
    found: Floats = np.linalg.cholesky(np.linalg.inv(mixed)).astype(np.float32)
    return found


def evidence(logits: Floats, nearness: Nearness, centred: Floats) -> Floats:
    """(texts, kinds of evidence).

    Args:
        logits: of the intents, and in the last column of what is foreign to all.
    """
    known, foreign = logits[:, :-1], logits[:, -1]
    best = known.max(axis=1)
    return np.column_stack(
        [
            best,
            log_sum(known),
            best - foreign,
            nearness.nearer(centred),
            nearness.foreigner(centred),
        ]
    ).astype(np.float64)


class Detector:
    """Evidence → probability that the text is a known intent.

    Attributes:
        middle, scale: of each kind of evidence, over texts of known intents.
        coefficients: of the scaled evidence, and a bias at the end.
    """

    def __init__(self, middle: Floats, scale: Floats, coefficients: Floats) -> None:
        self.middle, self.scale, self.coefficients = middle, scale, coefficients

    @classmethod
    def of(cls, seen: Floats, known: Integers, weights: Floats) -> "Detector":
        """Fitted on evidence; ``known`` is 1 or 0, ``weights`` say how much each row counts."""
        ours = seen[known == 1, :-1]
        squares = len(ours) * ours.var(axis=0) + _TRUST_SCALE * _USUAL_SCALE**2
        middle = np.append(np.median(ours, axis=0), 0.0)
        scale = np.append(np.sqrt(squares / (len(ours) + _TRUST_SCALE)), _FOREIGNER)
        usual = cls(middle, scale, _USUAL)
        rows = usual._scaled(seen)
        fitted = fit_logistic(rows, known, weights, penalty=_TRUST, usual=_USUAL)
        return cls(middle, scale, fitted)

    def known(self, seen: Floats) -> Floats:
        """Probabilities, by row."""
        odds = self._scaled(seen) @ self.coefficients[:-1] + self.coefficients[-1]
        sure: Floats = 1.0 / (1.0 + np.exp(-np.clip(odds, -30, 30)))
        return sure

    def _scaled(self, seen: Floats) -> Floats:
        return np.clip((seen - self.middle) / self.scale, -_FARTHEST, _FARTHEST)
