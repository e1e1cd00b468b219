"""Dates and times in the forms that schemas ask for (RFC 3339), from forms with one reading.

Not here: natural language ("tomorrow at nine"); that is in ``spoken_times``. A day and month in
an order that cannot be known (3/5/2025), a date without its year, a time without its date, and a
local time that the zone skips or repeats are all left alone.
"""

import re
import unicodedata
from datetime import date, datetime, time

_DATE = (
    r"(?P<year>\d{4})(?:(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"|年(?P<zm>\d{1,2})月(?P<zd>\d{1,2})[日号])"
)
_TIME = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<fraction>\.\d{1,9})?)?"
    r"|时(?:(?P<zi>\d{1,2})分(?:(?P<zs>\d{1,2})秒)?)?)"
    r"\s*(?P<offset>[Zz]|[+-]\d{2}(?::?\d{2})?)?"
)
_FULL_DATE = re.compile(_DATE, re.ASCII)
_FULL_TIME = re.compile(_TIME, re.ASCII)
_DATE_TIME = re.compile(rf"{_DATE}(?:[Tt]|\s+|(?<=[日号])){_TIME}", re.ASCII)
_FORMS = {"date-time": _DATE_TIME, "date": _FULL_DATE, "time": _FULL_TIME}


def is_written(text: str, form: str) -> bool:
    """Whether the text is in a written form of the format, also where that names no one time."""
    return form in _FORMS and bool(_FORMS[form].fullmatch(_plain(text)))


def as_format(text: str, form: str, now: datetime | None) -> str | None:
    """The text in the schema's format, or None where it has no single reading.

    Args:
        form: ``date-time``, ``date`` or ``time``.
        now: an aware instant in the user's zone, for texts without an offset.
    """
    plain = _plain(text)
    match form:
        case "date-time":
            return _date_time(plain, now)
        case "date":
            return _date(plain, now)
        case "time":
            return _time(plain, now)
    return None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()


def _date_time(text: str, now: datetime | None) -> str | None:
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return None
    try:
        local = datetime.combine(_day(found), _clock(found))
    except ValueError:
        return None
    if offset := _offset(found):
        return f"{local.isoformat()}{found['fraction'] or ''}{offset}"
    instant = _in_zone(local, now)
    if instant is None:
        return None
    zone = instant.isoformat()[len(local.isoformat()) :]
    return f"{local.isoformat()}{found['fraction'] or ''}{zone}"


def _date(text: str, now: datetime | None) -> str | None:
    try:
        if found := _FULL_DATE.fullmatch(text):
            return _day(found).isoformat()
        if re.fullmatch(r"\d{8}", text, re.ASCII):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        return None
    midnight = _date_time(text, now)
    if midnight is None or not midnight[10:].startswith("T00:00:00"):
        return None
    given = datetime.fromisoformat(midnight)
    local = _in_zone(given.replace(tzinfo=None), now)
    return given.date().isoformat() if local == given else None


def _time(text: str, now: datetime | None) -> str | None:
    found = _FULL_TIME.fullmatch(text)
    if found is None:
        return None
    try:
        clock = _clock(found)
    except ValueError:
        return None
    offset = _offset(found)
    if not offset and now is not None:
        offset = now.isoformat()[-6:]
    return f"{clock.isoformat()}{found['fraction'] or ''}{offset}" if offset else None


def _day(found: re.Match[str]) -> date:
    return date(
        int(found["year"]), int(found["month"] or found["zm"]), int(found["day"] or found["zd"])
    )


def _clock(found: re.Match[str]) -> time:
    return time(
        int(found["hour"]),
        int(found["minute"] or found["zi"] or 0),
        int(found["second"] or found["zs"] or 0),
    )


def _offset(found: re.Match[str]) -> str:
    offset = found["offset"]
    if not offset or offset in "Zz":
        return "Z" if offset else ""
    digits = offset[1:].replace(":", "").ljust(4, "0")
    return f"{offset[0]}{digits[:2]}:{digits[2:]}"


def _in_zone(local: datetime, now: datetime | None) -> datetime | None:
    """The local time in the user's zone, if it happens there exactly once."""
    if now is None or now.tzinfo is None:
        return None
    instant = local.replace(tzinfo=now.tzinfo)
    return instant if instant.utcoffset() == instant.replace(fold=1).utcoffset() else None
