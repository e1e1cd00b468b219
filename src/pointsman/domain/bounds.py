"""What of a foreign text the patterns of the domain look at, so that none can be made slow."""

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_Result = TypeVar("_Result")
_KEPT = 2000
_READ = 4000
_RUNS = re.compile(
    r"\d{40,}|\s{40,}|[零〇一二三四五六七八九十百千万亿两半]{40,}|[^\W\d_]{400,}|[._@/:-]{40,}"
)


def bounded(text: str, limit: int = _READ) -> str:
    """The start of a text, every character in its place; nobody's number, word or gap is as long
    as the runs that are masked here."""
    return _RUNS.sub(lambda run: "\ufffc" * len(run[0]), text[:limit])


def kept(size: int) -> Callable[[Callable[[str], _Result]], Callable[[str], _Result]]:
    """Keeps what a function made of its last texts, unless they are long: the same message is read
    for every argument, a long result once."""

    def keeping(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
        cached = lru_cache(maxsize=size)(function)

        @wraps(function)
        def reading(text: str) -> _Result:
            return cached(text) if len(text) <= _KEPT else function(text)

        return reading

    return keeping
