"""Recurrence rules of RFC 5545: the part of RRULE that reminders need, as a pure function of time.

Read: FREQ from MINUTELY to YEARLY, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY (also ``-1FR``), BYSETPOS
of a month, BYHOUR, BYMINUTE, UNTIL, COUNT, WKST=MO; of RFC 7529 SKIP, which here is BACKWARD when
it is not said, and RSCALE=CHINESE for what comes once a lunar year. Anything else is refused:
half-read rules fire at wrong times.

Why not dateutil: it leaves out days that a month lacks, walks from the start for each question (a
minutely rule a year old takes half a million steps), and knows neither gaps nor working days.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import islice

from msgspec import Struct

from pointsman.domain.calendar.lunar import lunar_month
from pointsman.domain.calendar.wall_clock import exactly_later, on_day
from pointsman.domain.calendar.workdays import Workdays, is_workday

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY = re.compile(r"(?P<nth>[+-]?\d)?(?P<day>MO|TU|WE|TH|FR|SA|SU)")
_STEPS = {"MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1)}
_KNOWN = {
    "FREQ", "INTERVAL", "BYMONTH", "BYMONTHDAY", "BYDAY", "BYHOUR", "BYMINUTE", "UNTIL", "COUNT",
    "WKST", "SKIP", "RSCALE", "BYSETPOS",
}  # fmt: skip
_HORIZON = 3000
"""Periods without an occasion after which there is none: 29 February comes within these, the
31st of February never."""
_MOST_STEPS = 20_000


class BadRule(ValueError):
    """A rule that cannot be followed; the message says why."""


class Recurrence(Struct, frozen=True, kw_only=True):
    """An RRULE, read.

    Attributes:
        weekdays: n-th (0: every) and weekday (0: Monday).
        hours, minutes: on the clock; empty: the start's.
        positions: which of a month's days, counted from its end when negative.
        skip: a day that a month lacks is left out; otherwise it is the month's last.
        lunar: months and their days are those of the Chinese calendar.
    """

    frequency: str
    interval: int = 1
    months: tuple[int, ...] = ()
    monthdays: tuple[int, ...] = ()
    weekdays: tuple[tuple[int, int], ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    until: datetime | None = None
    count: int = 0
    positions: tuple[int, ...] = ()
    skip: bool = False
    lunar: bool = False

    def occasions(
        self,
        start: datetime,
        after: datetime,
        workdays: Workdays | None = None,
        *,
        only_workdays: bool = False,
    ) -> Iterator[datetime]:
        """Every occasion later than ``after``, none before ``start``.

        Args:
            after: in UTC, so that nothing is compared by a wall clock that runs twice.
        """
        if self.count:
            first = start.astimezone(UTC) - timedelta(microseconds=1)
            endless = self._endless(start, first, workdays, only_workdays)
            found: Iterator[datetime] = islice(endless, self.count)
        else:
            found = self._endless(start, after, workdays, only_workdays)
        for instant in found:
            if self.until is not None and instant > self.until:
                return
            if instant > after:
                yield instant

    def _endless(
        self, start: datetime, after: datetime, workdays: Workdays | None, only_workdays: bool
    ) -> Iterator[datetime]:
        if self.frequency in _STEPS:
            yield from self._steps(start, after)
            return
        times, begin = self._times(start), start.astimezone(UTC)
        working = (lambda day: is_workday(day, workdays)) if only_workdays else None
        for day in self._days(start.date(), after.astimezone(start.tzinfo).date(), working):
            for hour, minute in times:
                instant = on_day(day, start.tzinfo, hour, minute, 0 if self.hours else start.second)
                if instant > after and instant >= begin:
                    yield instant

    def _times(self, start: datetime) -> list[tuple[int, int]]:
        hours = self.hours or (start.hour,)
        minutes = self.minutes or ((0,) if self.hours else (start.minute,))
        return sorted((hour, minute) for hour in hours for minute in minutes)

    def _steps(self, start: datetime, after: datetime) -> Iterator[datetime]:
        step, begin = _STEPS[self.frequency] * self.interval, start.astimezone(UTC)
        number, idle = max(0, (after - begin) // step), 0
        while idle < _MOST_STEPS:
            try:
                instant = exactly_later(start, number * step)
                if not self._fits(instant.date()):
                    tomorrow = on_day(instant.date(), start.tzinfo, 24)
                    number = max(number, (tomorrow - begin) // step - 1)
            except OverflowError:
                return
            number, idle = number + 1, idle + 1
            if instant > after and self._allows(instant):
                idle = 0
                yield instant

    def _allows(self, instant: datetime) -> bool:
        return (
            (not self.hours or instant.hour in self.hours)
            and (not self.minutes or instant.minute in self.minutes)
            and self._fits(instant.date())
        )

    def _days(
        self, first: date, after: date, working: Callable[[date], bool] | None
    ) -> Iterator[date]:
        """Days with an occasion, in order, from just before ``after``."""
        if working is not None and not self.positions:
            yield from filter(working, _each_day(max(first, after)))
            return
        passed = max(0, self._periods_between(first, after) // self.interval - 1)
        empty = 0
        while empty < _HORIZON:
            try:
                days = sorted(set(self._days_of(first, passed * self.interval, working)))
            except (ValueError, OverflowError):
                return
            empty = 0 if days else empty + 1
            yield from days
            passed += 1

    def _periods_between(self, first: date, last: date) -> int:
        if self.frequency == "DAILY":
            return (last - first).days
        if self.frequency == "WEEKLY":
            return ((last - _monday(first)).days) // 7
        months = (last.year - first.year) * 12 + last.month - first.month
        return months if self.frequency == "MONTHLY" else last.year - first.year

    def _days_of(
        self, first: date, periods: int, working: Callable[[date], bool] | None
    ) -> Iterator[date]:
        """The days of the period that is so many after the first one's."""
        if self.lunar:
            yield from self._lunar_days(first.year + periods)
        elif self.frequency == "DAILY":
            day = first + timedelta(days=periods)
            if self._fits(day):
                yield day
        elif self.frequency == "WEEKLY":
            monday = _monday(first) + timedelta(days=7 * periods)
            wanted = [day for _, day in self.weekdays] or [first.weekday()]
            days = (monday + timedelta(days=day) for day in wanted)
            yield from (day for day in days if not self.months or day.month in self.months)
        elif self.frequency == "MONTHLY":
            year, month = divmod(first.year * 12 + first.month - 1 + periods, 12)
            if not self.months or month + 1 in self.months:
                yield from self._chosen(year, month + 1, first.day, working)
        else:
            for month in self.months or (first.month,):
                yield from self._days_of_month(first.year + periods, month, first.day)

    def _fits(self, day: date) -> bool:
        return (
            (not self.months or day.month in self.months)
            and (not self.weekdays or (0, day.weekday()) in self.weekdays)
            and (not self.monthdays or day.day in self.monthdays)
        )

    def _chosen(
        self, year: int, month: int, usual: int, working: Callable[[date], bool] | None
    ) -> Iterator[date]:
        days = sorted(set(self._days_of_month(year, month, usual)))
        if working is not None:
            first, last = date(year, month, 1), monthrange(year, month)[1]
            days = [day for n in range(last) if working(day := first + timedelta(days=n))]
        if not self.positions:
            yield from days
        for position in self.positions:
            if -len(days) <= position <= len(days):
                yield days[position - 1 if position > 0 else position]

    def _lunar_days(self, year: int) -> Iterator[date]:
        """The lunar days that fall into a year of the sun's calendar."""
        for lunar_year in (year - 1, year):
            span = lunar_month(lunar_year, self.months[0])
            if span is None:
                continue
            last = (span[1] - span[0]).days
            for number in self.monthdays:
                day = _in_month(number, last, self.skip)
                found = span[0] + timedelta(days=day - 1)
                if day and found.year == year:
                    yield found

    def _days_of_month(self, year: int, month: int, usual: int) -> Iterator[date]:
        last = monthrange(year, month)[1]
        by_number = {
            day for number in self.monthdays if (day := _in_month(number, last, self.skip))
        }
        by_weekday = {
            day for nth, weekday in self.weekdays for day in _weekdays(year, month, nth, weekday)
        }
        if self.monthdays and self.weekdays:
            days = by_number & by_weekday
        elif self.monthdays or self.weekdays:
            days = by_number | by_weekday
        else:
            days = {day for day in (_in_month(usual, last, self.skip),) if day}
        yield from (date(year, month, day) for day in days)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _each_day(day: date) -> Iterator[date]:
    while True:
        yield day
        try:
            day += timedelta(days=1)
        except OverflowError:
            return


def _in_month(number: int, last: int, skip: bool) -> int:
    """The day of a month with that number, from its end when negative; 0 where there is none."""
    day = last + 1 + number if number < 0 else number
    if day < 1:
        return 0
    return day if day <= last else 0 if skip else last


def _weekdays(year: int, month: int, nth: int, weekday: int) -> Iterator[int]:
    first = 1 + (weekday - date(year, month, 1).weekday()) % 7
    days = list(range(first, monthrange(year, month)[1] + 1, 7))
    if not nth:
        yield from days
    elif -len(days) <= nth <= len(days):
        yield days[nth - 1 if nth > 0 else nth]


@lru_cache(maxsize=1024)
def recurrence(text: str) -> Recurrence:
    """Reads an RRULE, with or without its name in front.

    Raises:
        BadRule: it cannot be read, or asks for what is not followed here.
    """
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").split(";"):
        name, _, value = part.partition("=")
        if name not in _KNOWN or name in parts:
            raise BadRule(f"{name or 'an empty part'} is not followed here")
        parts[name] = value
    try:
        rule = _read(parts)
    except (ValueError, KeyError) as error:
        if isinstance(error, BadRule):
            raise
        raise BadRule(f"cannot read {text!r}") from error
    _refuse_nonsense(rule, parts)
    return rule


def _read(parts: dict[str, str]) -> Recurrence:
    frequency = parts["FREQ"]
    if frequency not in (*_STEPS, "DAILY", "WEEKLY", "MONTHLY", "YEARLY"):
        raise BadRule(f"FREQ={frequency} is not followed here")
    return Recurrence(
        frequency=frequency,
        interval=_whole(parts.get("INTERVAL", "1"), 1, 10_000),
        months=_list(parts, "BYMONTH", 1, 12),
        monthdays=_list(parts, "BYMONTHDAY", -31, 31),
        weekdays=tuple(_weekday(one) for one in parts.get("BYDAY", "").split(",") if one),
        hours=_list(parts, "BYHOUR", 0, 23),
        minutes=_list(parts, "BYMINUTE", 0, 59),
        until=_instant(parts["UNTIL"]) if "UNTIL" in parts else None,
        count=_whole(parts.get("COUNT", "0"), 0, 100_000),
        positions=_list(parts, "BYSETPOS", -31, 31),
        skip=parts.get("SKIP") == "OMIT",
        lunar=parts.get("RSCALE", "GREGORIAN") == "CHINESE",
    )


def _refuse_nonsense(rule: Recurrence, parts: dict[str, str]) -> None:
    nths = [nth for nth, _ in rule.weekdays if nth]
    if nths and (rule.frequency not in ("MONTHLY", "YEARLY") or max(map(abs, nths)) > 5):
        raise BadRule("BYDAY with a number needs FREQ=MONTHLY")
    if rule.frequency == "YEARLY" and rule.weekdays and not rule.months:
        raise BadRule("BYDAY in a year needs BYMONTH")
    if rule.frequency == "WEEKLY" and rule.monthdays:
        raise BadRule("BYMONTHDAY does not go with FREQ=WEEKLY")
    if 0 in rule.monthdays or 0 in rule.positions:
        raise BadRule("there is no day 0")
    if rule.positions and (rule.frequency != "MONTHLY" or not (rule.weekdays or rule.monthdays)):
        raise BadRule("BYSETPOS needs FREQ=MONTHLY and days")
    if rule.lunar and not (rule.frequency == "YEARLY" and len(rule.months) == 1 and rule.monthdays):
        raise BadRule("RSCALE=CHINESE needs FREQ=YEARLY, one BYMONTH and a BYMONTHDAY")
    if parts.get("RSCALE", "GREGORIAN") not in ("GREGORIAN", "CHINESE"):
        raise BadRule(f"RSCALE={parts['RSCALE']} is not followed here")
    if parts.get("WKST", "MO") != "MO" or parts.get("SKIP", "OMIT") not in ("OMIT", "BACKWARD"):
        raise BadRule("weeks start on Monday, and SKIP is OMIT or BACKWARD")


def _whole(text: str, least: int, most: int) -> int:
    number = int(text)
    if not least <= number <= most:
        raise BadRule(f"{text} is not between {least} and {most}")
    return number


def _list(parts: dict[str, str], name: str, least: int, most: int) -> tuple[int, ...]:
    return tuple(_whole(one, least, most) for one in parts.get(name, "").split(",") if one)


def _weekday(text: str) -> tuple[int, int]:
    found = _DAY.fullmatch(text)
    if found is None:
        raise BadRule(f"{text!r} is no weekday")
    return int(found["nth"] or 0), WEEKDAYS.index(found["day"])


def _instant(text: str) -> datetime:
    """UNTIL: an instant in UTC, or a day, which counts to its end."""
    if "T" in text:
        return datetime.strptime(text.removesuffix("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    day = datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC)
    return day + timedelta(days=1, microseconds=-1)
