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

from pointsman.adapters.classifiers.arrays import Floats, Hashes, Integers
from pointsman.adapters.classifiers.wording import plain

BUCKETS = 1 << 18
WIDTH = 1536
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")
_LONGEST = 5
_MIX, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x100000001B3)


class Counted(Struct, frozen=True):
    """The grams of texts: (row, bucket, times), sorted by row and bucket."""

    texts: int
    rows: Integers
    buckets: Integers
    times: Integers


def counted(texts: Sequence[str]) -> Counted:
    """Count words (a Chinese character is one), pairs of words, and 2 to 5 characters in a row."""
    words = [_TOKEN.findall(plain(text)) for text in texts]
    parts = [_worded(words), *_in_a_row([f" {' '.join(one)} " for one in words])]
    rows = np.concatenate([part[0] for part in parts])
    hashes = np.concatenate([part[1] for part in parts])
    buckets = ((hashes * _MIX) >> np.uint64(40)).astype(np.int64) % BUCKETS
    found, times = np.unique(rows * BUCKETS + buckets, return_counts=True)
    return Counted(len(texts), found // BUCKETS, found % BUCKETS, times)


def _worded(texts: list[list[str]]) -> tuple[Integers, Hashes]:
    """(row, hash) of every word and pair."""
    hashed = [
        [crc32(gram.encode(errors="replace")) for gram in (*one, *map(" ".join, pairwise(one)))]
        for one in texts
    ]
    rows = np.repeat(np.arange(len(texts)), [len(one) for one in hashed])
    return rows, np.fromiter(chain.from_iterable(hashed), np.uint64, len(rows))


def _in_a_row(lines: list[str]) -> Iterator[tuple[Integers, Hashes]]:
    """(row, hash) of all characters in a row, for each number of them."""
    codes = np.frombuffer("".join(lines).encode("utf-32-le", "replace"), np.uint32)
    rows = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    hashes = codes.astype(np.uint64)
    for size in range(2, _LONGEST + 1):
        hashes = hashes[:-1] * _STEP + codes[size - 1 :]
        inside = rows[: len(hashes)] == rows[size - 1 :]
        yield rows[: len(hashes)][inside], hashes[inside]


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
        spread = given.buckets.astype(np.uint64) * _MIX
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
