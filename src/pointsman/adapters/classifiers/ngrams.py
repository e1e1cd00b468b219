"""Words and character n-grams of a text as a short dense vector. Numpy; deterministic.

Grams are hashed into buckets, weighted by how rare they are in the training texts, and added with a
sign into few dimensions. A gram that training has not seen adds nothing, but counts in the length:
a text of unknown words, as one in a language without examples, gets a vector near zero, and the
sentence embedding decides alone.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from zlib import crc32

import numpy as np
from msgspec import Struct

from pointsman.adapters.classifiers.arrays import Floats, Integers
from pointsman.domain.phrases import fold

BUCKETS = 1 << 18
WIDTH = 2048
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")
_CHARACTERS = range(2, 6)


def grams(text: str) -> Iterator[str]:
    """Words (a Chinese character is one), pairs of words, and 2 to 5 characters in a row."""
    words = _TOKEN.findall(fold(text))
    yield from ("\x00" + word for word in words)
    yield from (f"\x00{first} {second}" for first, second in pairwise(words))
    line = f" {' '.join(words)} "
    for size in _CHARACTERS:
        for start in range(len(line) - size + 1):
            yield line[start : start + size]


class Counted(Struct, frozen=True):
    """The grams of texts: (row, bucket, times), sorted by row and bucket."""

    texts: int
    rows: Integers
    buckets: Integers
    times: Integers


def counted(texts: Sequence[str]) -> Counted:
    """Count them."""
    hashed = [[crc32(gram.encode(errors="replace")) for gram in grams(text)] for text in texts]
    rows = np.repeat(np.arange(len(texts)), [len(row) for row in hashed])
    crcs = np.fromiter(chain.from_iterable(hashed), np.uint64, len(rows))
    buckets = ((crcs * np.uint64(2654435761)) >> np.uint64(14)) % np.uint64(BUCKETS)
    found, times = np.unique(rows * BUCKETS + buckets.astype(np.int64), return_counts=True)
    return Counted(len(texts), found // BUCKETS, found % BUCKETS, times)


class NgramSpace:
    """How rare each bucket is, learnt from texts.

    Attributes:
        rarity: bucket → weight; 0 for a bucket that no text fell in.
    """

    def __init__(self, rarity: Floats, texts: int) -> None:
        self.rarity, self.texts = rarity, texts
        self._unseen = _rarity(texts, np.zeros(1))[0]

    @classmethod
    def of(cls, given: Counted) -> "NgramSpace":
        """Learnt from these."""
        found = np.bincount(given.buckets, minlength=BUCKETS)
        rarity = np.where(found > 0, _rarity(given.texts, found), 0.0)
        return cls(rarity.astype(np.float32), given.texts)

    def vectors(self, given: Counted) -> Floats:
        """(texts, ``WIDTH``); a row's length is at most about 1: the share of what is known."""
        often = 1.0 + np.log(given.times)
        known = self.rarity[given.buckets]
        weights = often * np.where(known > 0, known, self._unseen)
        lengths = np.sqrt(np.bincount(given.rows, weights**2, minlength=given.texts))
        spread = given.buckets.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        cells = (spread >> np.uint64(40)).astype(np.int64) % WIDTH
        signs = np.where((spread >> np.uint64(20)) & np.uint64(1), 1.0, -1.0)
        flat = np.bincount(
            given.rows * WIDTH + cells, often * known * signs, minlength=given.texts * WIDTH
        )
        rows = flat.reshape(given.texts, WIDTH) / np.maximum(lengths, 1e-6)[:, None]
        vectors: Floats = rows.astype(np.float32)
        return vectors


def _rarity(texts: int, found: Floats | Integers) -> Floats:
    weight: Floats = (np.log((1.0 + texts) / (1.0 + found)) + 1.0).astype(np.float32)
    return weight
