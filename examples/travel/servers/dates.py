"""Days as people and models write them, and which days a forecast is asked for. Zone: UTC+8."""

import os
import re
import unicodedata
from datetime import date, datetime, timedelta, timezone

from faults import TravelFault

CHINA = timezone(timedelta(hours=8))

_WORDS = {
    "今天": 0,
    "今日": 0,
    "today": 0,
    "明天": 1,
    "明日": 1,
    "tomorrow": 1,
    "后天": 2,
    "大后天": 3,
}
_DAY = re.compile(
    r"(?:(?P<year>\d{4})\s*[-/.年]\s*)?(?P<month>\d{1,2})\s*[-/.月]\s*(?P<day>\d{1,2})\s*[日号]?"
    r"(?P<rest>\D.*)?"
)
_COMPACT = re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?P<rest>\D.*)?")
_REST = re.compile(
    r"[T\s]*(?:\d{1,2}\s*[:时点].*)?|\s*[(（]?\s*(?:星期|周)[一二三四五六日天][)）]?\s*(?:\d.*)?"
)


def today() -> date:
    """The day in China, or the one that ``TRAVEL_TODAY`` sets.

    Raises:
        TravelFault: ``TRAVEL_TODAY`` is no date.
    """
    given = os.environ.get("TRAVEL_TODAY", "")
    if not given:
        return datetime.now(CHINA).date()
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise TravelFault(
            f"TRAVEL_TODAY 应写成 2026-02-28 的样子，现在是“{given}”。",
            f"TRAVEL_TODAY must look like 2026-02-28, not {given!r}.",
        ) from None


def parse_day(text: str, *, today: date) -> date:
    """The day that ``text`` names; a day without a year is the next such day.

    Raises:
        TravelFault: it is no date, or there is no such day.
    """
    cleaned = unicodedata.normalize("NFKC", text).strip().strip('"')
    if (offset := _WORDS.get(cleaned.casefold())) is not None:
        return today + timedelta(days=offset)
    if "T" in cleaned and (moment := _moment(cleaned)):
        return moment
    match = _COMPACT.fullmatch(cleaned) or _DAY.fullmatch(cleaned)
    if match is None or not _REST.fullmatch(match["rest"] or ""):
        raise _no_date(text)
    try:
        day = date(int(match["year"] or today.year), int(match["month"]), int(match["day"]))
        if not match["year"] and day < today:
            day = day.replace(year=today.year + 1)
    except ValueError:
        raise _no_date(text) from None
    return day


def _moment(text: str) -> date | None:
    """The day in China of an ISO instant; one without an offset is taken as local."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo is None else moment.astimezone(CHINA)).date()
    except (ValueError, OverflowError):
        return None


def _no_date(text: str) -> TravelFault:
    return TravelFault(
        f"看不懂日期“{text}”，请写成 2026-03-01 或 2026年03月01日。",
        f"{text!r} is not a date; write 2026-03-01.",
    )


def span(start: str, end: str, *, today: date, days: int) -> tuple[date, date]:
    """First and last day asked for. Without dates: today; with one start: that day.

    Raises:
        TravelFault: no date, a wrong order, or outside the ``days`` that start today.
    """
    last = parse_day(end, today=today) if end.strip() else None
    first = parse_day(start, today=today) if start.strip() else today
    last = last or first
    if last < first:
        raise TravelFault(
            f"结束日期 {last} 早于开始日期 {first}。",
            f"The end {last} is before the start {first}.",
        )
    horizon = today + timedelta(days=days - 1)
    outside = [str(day) for day in sorted({first, last}) if not today <= day <= horizon]
    if outside:
        raise TravelFault(
            f"没有 {'、'.join(outside)} 的预报，只能查询 {today} 到 {horizon}。",
            f"No forecast for {', '.join(outside)}; the range is {today} to {horizon}.",
        )
    return first, last
