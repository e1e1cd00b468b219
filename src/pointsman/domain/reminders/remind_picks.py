"""Which of the times that a question listed an answer takes: the second, the one on Friday."""

import re
from collections.abc import Sequence
from datetime import timedelta

from pointsman.domain.schedule import Schedule
from pointsman.domain.times import TimePhrase, When
from pointsman.domain.values.numerals import whole_number

SAME = timedelta(seconds=60)
"""A model's time this near is the same: it reckons from a date line, and in minutes."""
_PLACE = re.compile(
    r"^\W*(?:第|the\s+|option\s+|number\s+|no\.?\s*)?"
    r"(?P<number>\d|[一二三四五六七八九两]|first|second|third|fourth|last|former|latter|前|后|最后)"
    r"(?:\s*(?:个|种|一个|面|者|面那个|面一个|个时间|one))?(?:吧|please|\W)*$",
    re.IGNORECASE,
)
_WORDS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "former": 1, "前": 1}
_LAST = ("last", "latter", "后", "最后")


def listed(answer: str, count: int) -> int:
    """Which of the listed times an answer names by its place; 0 for none."""
    found = _PLACE.match(answer.strip())
    if not found:
        return 0
    word = found["number"].lower()
    place = count if word in _LAST else _WORDS.get(word) or int(whole_number(word) or 0)
    return place if 0 < place <= count else 0


def nearest(phrase: TimePhrase, options: Sequence[Schedule]) -> int | None:
    """The place of the one option that an answer fits: its instant, its hour or its day."""
    meant = [*phrase.readings, *phrase.also, *phrase.other]
    for fits in (_at_instant, _at_clock, _on_day):
        found = [
            place
            for place, one in enumerate(options)
            if any(fits(when, one, phrase) for when in meant)
        ]
        if len(found) == 1:
            return found[0]
    return None


def _at_instant(when: When, option: Schedule, phrase: TimePhrase) -> bool:
    return when.rule == option.rule and abs(when.start - option.start) < SAME


def _at_clock(when: When, option: Schedule, phrase: TimePhrase) -> bool:
    return option.start.timetz().replace(tzinfo=None) in phrase.clock


def _on_day(when: When, option: Schedule, phrase: TimePhrase) -> bool:
    end = when.end or when.start + timedelta(minutes=1)
    return not phrase.clock and when.start <= option.start < end
