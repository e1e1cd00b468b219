"""Types and small functions of arrays that the learned classifier shares. One BLAS thread."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.integer]
Hashes = npt.NDArray[np.uint64]

_BLAS = ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS to one thread: on small matrices more of them only wait for one another."""
    with _BLAS.limit(limits=1, user_api="blas"):
        yield


def unit(rows: Floats) -> Floats:
    """Rows of length 1; a row of zeros stays."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    scaled: Floats = rows / np.maximum(lengths, 1e-9)
    return scaled


def softmax(logits: Floats) -> Floats:
    """Rows that sum to 1."""
    grown = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = grown / grown.sum(axis=1, keepdims=True)
    return shares


def log_sum(logits: Floats) -> Floats:
    """log of the sum of exp, by row."""
    most = logits.max(axis=1)
    total: Floats = most + np.log(np.exp(logits - most[:, None]).sum(axis=1))
    return total


def largest(rows: Floats, count: int) -> Floats:
    """The ``count`` largest values of each row, in no order; all of a shorter row."""
    count = min(count, rows.shape[1])
    return np.partition(rows, rows.shape[1] - count, axis=1)[:, -count:]
