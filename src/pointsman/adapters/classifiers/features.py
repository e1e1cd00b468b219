"""What the regression sees of a text: embedding, closeness to known examples, and n-grams."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from pointsman.adapters.classifiers.arrays import Floats, Integers, unit
from pointsman.adapters.classifiers.ngrams import WIDTH, Counted, NgramSpace

CLOSENESS = 8000
"""Training texts up to which closeness is a feature; with more it is slow and adds little."""
_LANDMARKS = 1024
_ENOUGH = 20
"""Texts that have a middle; around that of fewer they would lie in all directions."""
_NGRAMS = 0.4
_BIAS = 0.3
_SLOW, _QUICK = 25, 16


class Part(Struct, frozen=True):
    """What one regression sees of the features.

    Attributes:
        columns: of the feature rows; the last is the constant.
        share: how much its logits count.
        steps: that fitting it takes.
        looseness: how freely it follows the examples.
    """

    columns: Integers
    share: float
    steps: int
    looseness: float = 10.0


class FeatureMap:
    """Texts and their embeddings → feature rows, float32.

    Closeness is the Gaussian kernel exp(-|a - b|²) of embeddings, through some training texts as
    landmarks (Nyström). Each part has a regression of its own, whose logits are added: that tells
    more than one regression on all parts. How much each counts was chosen on validation sets.

    Attributes:
        centre: mean embedding of the training texts; zero when they are few.
        landmarks: their centred embeddings; no rows when closeness is off.
        whitening: (landmarks, landmarks).
    """

    def __init__(
        self, centre: Floats, landmarks: Floats, whitening: Floats, ngrams: NgramSpace
    ) -> None:
        self.centre, self.landmarks, self.whitening = centre, landmarks, whitening
        self.ngrams = ngrams

    @classmethod
    def of(cls, given: Counted, embedded: Floats) -> "FeatureMap":
        """Learnt from these."""
        centre = np.zeros(embedded.shape[1], np.float32)
        if given.texts >= _ENOUGH:
            centre = embedded.mean(axis=0).astype(np.float32)
        landmarks = np.zeros((0, embedded.shape[1]), np.float32)
        if given.texts <= CLOSENESS:
            every = max(1, -(-given.texts // _LANDMARKS))
            landmarks = np.asarray(unit(embedded - centre)[::every], np.float32)
        kernel = _kernel(landmarks, landmarks).astype(np.float64) + 1e-3 * np.eye(len(landmarks))
        whitening = np.linalg.inv(np.linalg.cholesky(kernel)).T if len(kernel) else kernel
        return cls(centre, landmarks, whitening.astype(np.float32), NgramSpace.of(given))

    def centred(self, embedded: Floats) -> Floats:
        """Embeddings around the centre, of length 1."""
        return np.asarray(unit(embedded - self.centre), np.float32)

    def rows(self, centred: Floats, ngrams: Floats) -> Floats:
        """Feature rows from ``centred`` and ``ngrams.vectors`` of the same texts: the parts side by
        side, and a constant."""
        parts = [centred, ngrams, np.full((len(centred), 1), _BIAS)]
        if len(self.landmarks):
            parts.insert(1, _kernel(centred, self.landmarks) @ self.whitening)
        return np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)

    def parts(self) -> list[Part]:
        """The regressions."""
        width, close = len(self.centre), len(self.landmarks)
        grams = width + close
        bias = grams + WIDTH
        embedding = Part(np.r_[0:width, bias], 0.5 if close else 1.0, _SLOW)
        closeness = Part(np.r_[width:grams, bias], 0.5, _SLOW)
        return [
            embedding,
            *([closeness] if close else []),
            Part(np.r_[grams:bias, bias], _NGRAMS, _QUICK, looseness=30.0),
        ]

    def joined(self, heads: Sequence[Floats]) -> Floats:
        """Weights of all columns, for the sum of the logits of the parts' regressions."""
        parts = self.parts()
        weights = np.zeros((parts[-1].columns[-1] + 1, heads[0].shape[1]), np.float32)
        for part, head in zip(parts, heads, strict=True):
            weights[part.columns] += np.float32(part.share) * head
        return weights


def _kernel(left: Floats, right: Floats) -> Floats:
    """exp(-|a - b|²) of unit rows."""
    closeness: Floats = np.exp(2.0 * (left @ right.T) - 2.0)
    return closeness
