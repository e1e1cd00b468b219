"""What the regression sees of a text: embedding, closeness to known examples, and n-grams."""

import numpy as np

from pointsman.adapters.classifiers.arrays import Floats, unit
from pointsman.adapters.classifiers.ngrams import Counted, NgramSpace

CLOSENESS = 8000
"""Training texts up to which closeness is a feature; with more it is slow and adds little."""
_LANDMARKS = 1024
_NGRAMS = 0.3
_BIAS = 0.3


class FeatureMap:
    """Texts and their embeddings → feature rows, float32.

    Closeness is the Gaussian kernel exp(-|a - b|²) of embeddings, through some training texts as
    landmarks (Nyström). The weights of the parts were chosen on validation sets.

    Attributes:
        centre: mean embedding of the training texts.
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
        centre: Floats = embedded.mean(axis=0).astype(np.float32)
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
        """Feature rows from ``centred`` and ``ngrams.vectors`` of the same texts."""
        share = 0.5 if len(self.landmarks) else 1.0
        parts = [np.sqrt(share) * centred, np.sqrt(_NGRAMS) * ngrams]
        if len(self.landmarks):
            parts.append(np.sqrt(share) * (_kernel(centred, self.landmarks) @ self.whitening))
        parts.append(np.full((len(centred), 1), _BIAS))
        return np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)


def _kernel(left: Floats, right: Floats) -> Floats:
    """exp(-|a - b|²) of unit rows."""
    closeness: Floats = np.exp(2.0 * (left @ right.T) - 2.0)
    return closeness
