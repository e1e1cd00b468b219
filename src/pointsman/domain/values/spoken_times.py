"""Dates and times in the forms that schemas ask for, also from words: 明天上午9点, tomorrow 9am.

Above: ``validation``, for the arguments of a call. Below: ``calendar_forms`` (written forms) and
the time parser (``times``). Words count only as a whole text that names one day: a bare 9点, a
3月5日 of no year, a 3/5/2025, a span, a habit and a bound (周五之前) are left alone. An hour that
the rules settle (明天9点) is taken as they say; whether the user meant it, ``sources`` asks.
"""

from datetime import datetime, timedelta

from pointsman.domain.times import TimePhrase, When, phrases
from pointsman.domain.values.calendar_forms import as_format, is_written

_LONGEST = 60


def as_said(text: str, form: str, now: datetime | None) -> str | None:
    """The text in the schema's format, or None where it has no single reading.

    Args:
        form: ``date-time``, ``date`` or ``time``.
        now: an aware instant in the user's zone; without it only written forms are read.
    """
    written = as_format(text, form, now)
    if written is not None or now is None or is_written(text, form) or len(text) > _LONGEST:
        return written
    when = _only_reading(text, now)
    if when is None:
        return None
    if form == "date":
        is_day = when.end is not None and when.end - when.start <= timedelta(hours=25)
        return when.start.date().isoformat() if when.grain == "day" and is_day else None
    return when.start.isoformat() if form == "date-time" and when.end is None else None


def _only_reading(text: str, now: datetime) -> When | None:
    """What the text means, if all of it is one phrase for a moment or a span of one day."""
    plain = text.strip()
    found = phrases(plain, now)
    if len(found) != 1 or (found[0].start, found[0].end) != (0, len(plain)):
        return None
    return found[0].readings[0] if _is_plain(found[0]) else None


def _is_plain(phrase: TimePhrase) -> bool:
    """Whether a phrase names one time, on a day that is not in doubt."""
    if not phrase.settled or len(phrase.readings) != 1 or phrase.also or phrase.why:
        return False
    when = phrase.readings[0]
    same_day = all(one.start.date() == when.start.date() for one in phrase.other)
    return same_day and not (when.rule or phrase.bound or phrase.ends)
