"""The trained model: texts in, confidences out; and as arrays, to be kept in a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pointsman.adapters.classifiers.arrays import Floats, one_thread, softmax
from pointsman.adapters.classifiers.embeddings import embed
from pointsman.adapters.classifiers.features import FeatureMap
from pointsman.adapters.classifiers.ngrams import NgramSpace, counted
from pointsman.adapters.classifiers.unknown import Detector, Nearness, evidence

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
        nearness: Nearness,
        detector: Detector,
        temperature: float,
    ) -> None:
        self.names, self.temperature = names, temperature
        self._space, self._weights = space, weights
        self._nearness, self._detector = nearness, detector

    def confidences(self, texts: Sequence[str]) -> Floats:
        """(texts, intents) in [0, 1]: that a text is known at all, times the intent's share.

        A row's sum is the probability that the text is any of the intents.
        """
        with one_thread():
            centred = self._space.centred(embed(texts))
            ngrams = self._space.ngrams.vectors(counted(texts))
            logits = self._space.rows(centred, ngrams) @ self._weights
            known = self._detector.known(evidence(logits, self._nearness, centred))
            sure: Floats = softmax(logits[:, :-1] / self.temperature) * known[:, None]
            return sure

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Everything, for ``from_arrays``."""
        space, nearness, detector = self._space, self._nearness, self._detector
        return {
            "names": np.array(self.names),
            "centre": space.centre,
            "landmarks": space.landmarks,
            "whitening": space.whitening,
            "rarity": space.ngrams.rarity,
            "texts": np.array(space.ngrams.texts),
            "weights": self._weights,
            "means": nearness.means,
            "near": nearness.near,
            "far": nearness.far,
            "between": nearness.middle,
            "examples": nearness.examples,
            "foreign": nearness.foreign,
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
            nearness=Nearness(
                *(
                    arrays[name]
                    for name in ("means", "near", "far", "between", "examples", "foreign")
                )
            ),
            detector=Detector(arrays["middle"], arrays["scale"], arrays["coefficients"]),
            temperature=float(arrays["temperature"]),
        )
