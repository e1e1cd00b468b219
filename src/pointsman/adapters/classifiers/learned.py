"""The trained model: texts in, confidences out; and as arrays, to be kept in a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pointsman.adapters.classifiers.arrays import Floats, one_thread, softmax
from pointsman.adapters.classifiers.embeddings import embed
from pointsman.adapters.classifiers.features import FeatureMap
from pointsman.adapters.classifiers.ngrams import NgramSpace, counted
from pointsman.adapters.classifiers.unknown import Detector, Gallery

Arrays = Mapping[str, npt.NDArray[Any]]


class LearnedModel:
    """What ``learning.learn`` made of the examples.

    Attributes:
        names: intents, in the order of the columns.
        temperature: divides the logits before they become shares.
    """

    def __init__(
        self,
        *,
        names: tuple[str, ...],
        space: FeatureMap,
        weights: Floats,
        gallery: Gallery,
        detector: Detector,
        temperature: float,
    ) -> None:
        self.names, self.temperature = names, temperature
        self._space, self._weights = space, weights
        self._gallery, self._detector = gallery, detector

    def confidences(self, texts: Sequence[str]) -> Floats:
        """(texts, intents) in [0, 1]: that a text is known at all, times the intent's share.

        A row's sum is the probability that the text is any of the intents.
        """
        with one_thread():
            centred = self._space.centred(embed(texts))
            ngrams = self._space.ngrams.vectors(counted(texts))
            logits = self._space.rows(centred, ngrams) @ self._weights
            known = self._detector.known(self._gallery.evidence(logits, centred, ngrams))
            sure: Floats = softmax(logits / self.temperature) * known[:, None]
            return sure

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Everything, for ``from_arrays``."""
        space, gallery, detector = self._space, self._gallery, self._detector
        return {
            "names": np.array(self.names),
            "centre": space.centre,
            "landmarks": space.landmarks,
            "whitening": space.whitening,
            "rarity": space.ngrams.rarity,
            "texts": np.array(space.ngrams.texts),
            "weights": self._weights,
            "examples": gallery.examples,
            "labels": gallery.labels,
            "gram_means": gallery.gram_means,
            "middle": detector.middle,
            "scale": detector.scale,
            "coefficients": detector.coefficients,
            "temperature": np.array(self.temperature),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "LearnedModel":
        """The model again.

        Raises:
            KeyError, ValueError: something is missing or has the wrong shape.
        """
        ngrams = NgramSpace(arrays["rarity"], int(arrays["texts"]))
        space = FeatureMap(arrays["centre"], arrays["landmarks"], arrays["whitening"], ngrams)
        return cls(
            names=tuple(str(name) for name in arrays["names"]),
            space=space,
            weights=arrays["weights"],
            gallery=Gallery(arrays["examples"], arrays["labels"], arrays["gram_means"]),
            detector=Detector(arrays["middle"], arrays["scale"], arrays["coefficients"]),
            temperature=float(arrays["temperature"]),
        )
