"""Whether a text is any of the known intents at all.

``Gallery`` gathers evidence: how strongly and how clearly the regression speaks, and how near the
text is to known examples. ``Detector`` turns it into a probability. It is fitted on texts that the
regression has not seen: held-out examples of known intents against examples of intents that were
left out as a whole, so that an agent needs no examples of the unknown.
"""

import numpy as np

from pointsman.adapters.classifiers.arrays import Floats, Integers, largest, log_sum, unit
from pointsman.adapters.classifiers.regression import fit_logistic

_NEAREST = 5
_SHRINK = 0.1
_MOST_EXAMPLES = 6000


class Gallery:
    """Known examples, to be compared with.

    Attributes:
        examples: centred embeddings, some of each intent.
        labels: their intents.
        gram_means: mean n-gram vector of each intent, of length 1.
    """

    def __init__(self, examples: Floats, labels: Integers, gram_means: Floats) -> None:
        self.examples, self.labels, self.gram_means = examples, labels, gram_means
        classes = len(gram_means)
        own = np.eye(classes, dtype=np.float32)[labels]
        self._means: Floats = (own.T @ examples) / np.maximum(own.sum(axis=0), 1)[:, None]
        within = _covariance(examples - self._means[labels])
        self._near = np.linalg.cholesky(np.linalg.inv(within))
        self._far = np.linalg.cholesky(np.linalg.inv(_covariance(examples)))

    @classmethod
    def of(cls, centred: Floats, ngrams: Floats, labels: Integers, classes: int) -> "Gallery":
        """Of training rows; of very many, the first of each intent."""
        own = np.eye(classes, dtype=np.float32)[labels]
        most = max(_NEAREST, _MOST_EXAMPLES // classes)
        kept = np.concatenate([np.flatnonzero(labels == one)[:most] for one in range(classes)])
        return cls(centred[kept], labels[kept], np.asarray(unit(own.T @ ngrams), np.float32))

    def evidence(self, logits: Floats, centred: Floats, ngrams: Floats) -> Floats:
        """(texts, kinds of evidence)."""
        best = logits.argmax(axis=1)
        close = centred @ self.examples.T
        own = largest(np.where(self.labels == best[:, None], close, -1.0), _NEAREST)
        own = np.where(own > -1.0, own, own.max(axis=1)[:, None])
        return np.column_stack(
            [
                logits.max(axis=1),
                log_sum(logits),
                largest(close, _NEAREST).mean(axis=1),
                own.mean(axis=1),
                self._nearness(centred),
                (ngrams @ self.gram_means.T)[np.arange(len(best)), best],
            ]
        ).astype(np.float64)

    def _nearness(self, centred: Floats) -> Floats:
        """How much nearer the nearest intent is than the middle of everything (Mahalanobis)."""
        here, means = centred @ self._near, self._means @ self._near
        squares = np.einsum("ij,ij->i", means, means) - 2.0 * (here @ means.T)
        nearest = np.einsum("ij,ij->i", here, here) + squares.min(axis=1)
        middle = np.einsum("ij,ij->i", centred @ self._far, centred @ self._far)
        nearer: Floats = np.sqrt(middle) - np.sqrt(np.maximum(nearest, 0))
        return nearer


def _covariance(rows: Floats) -> Floats:
    """Of centred rows, mixed with a multiple of the identity so that it can be inverted."""
    spread = (rows.T @ rows).astype(np.float64) / max(len(rows), 1)
    width = len(spread)
    even = max(float(np.trace(spread)) / width, 1e-6)
    mixed: Floats = (1 - _SHRINK) * spread + _SHRINK * even * np.eye(width)
    return mixed


class Detector:
    """Evidence → probability that the text is a known intent.

    Attributes:
        middle, scale: of each kind of evidence.
        coefficients: of the scaled evidence, and a bias at the end.
    """

    def __init__(self, middle: Floats, scale: Floats, coefficients: Floats) -> None:
        self.middle, self.scale, self.coefficients = middle, scale, coefficients

    @classmethod
    def of(cls, evidence: Floats, known: Integers, weights: Floats) -> "Detector":
        """Fitted; ``known`` is 1 or 0, ``weights`` say how much each row counts."""
        share = weights / weights.sum()
        middle = share @ evidence
        scale = np.sqrt(share @ (evidence - middle) ** 2) + 1e-6
        rows = (evidence - middle) / scale
        return cls(middle, scale, fit_logistic(rows, known, weights, penalty=1.0))

    def known(self, evidence: Floats) -> Floats:
        """Probabilities, by row."""
        rows = np.clip((evidence - self.middle) / self.scale, -6, 6)
        odds = rows @ self.coefficients[:-1] + self.coefficients[-1]
        sure: Floats = 1.0 / (1.0 + np.exp(-odds))
        return sure
