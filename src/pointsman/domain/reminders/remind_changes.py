"""A new time for a reminder that there is: what its owner leaves unsaid stays as it was.

"10点" of one that is due tomorrow is 10:00 tomorrow, "后天" its own hour on another day, and an
hour by itself moves a habit and leaves its days. Pure.

Above: the tool that changes reminders. Below: ``remind_times``.
"""

import re
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import times
from pointsman.domain.calendar.workdays import Workdays
from pointsman.domain.reminders import remind_times
from pointsman.domain.reminders.remind_times import Doubt, Heard, Settled
from pointsman.domain.schedule import Schedule
from pointsman.domain.times import TimePhrase

_CJK = re.compile(r"[一-鿿]")


class Former(Struct, frozen=True, kw_only=True):
    """When the reminder would be due without the change.

    Attributes:
        due: the next time, in the zone of its schedule; None when there is none.
    """

    schedule: Schedule
    due: datetime | None


def changed(
    heard: Heard, former: Former, now: datetime, workdays: Workdays | None = None
) -> Settled | Doubt:
    """What the words mean for it.

    Args:
        now: aware, in the user's zone.
    """
    understood = remind_times.understood(heard, now, workdays)
    words = understood.words or heard.when
    answered = bool(heard.asked and heard.time)
    if answered or former.due is None:
        return understood
    kept = _on_its_day(words, former.due, now) or _at_its_hour(words, former.due, now)
    if kept is None:
        return understood
    meant = remind_times.understood(Heard(when=kept), now, workdays)
    if isinstance(meant, Doubt):
        return meant
    meant = replace(meant, words=words)
    return _as_a_habit(meant, former.schedule, now, workdays) if former.schedule.rule else meant


def _on_its_day(words: str, due: datetime, now: datetime) -> str | None:
    """Words of nothing but an hour, with the day that the reminder is due on."""
    day = f"{due.year}年{due.month}月{due.day}日" if _CJK.search(words) else f"{due:%Y-%m-%d}"
    one, both = _single(words, now), remind_times.joined((day, words))
    if one is None or one.readings[0].rule or one.readings[0].grain not in ("minute", "part"):
        return None
    return both if _single(both, now) else None


def _at_its_hour(words: str, due: datetime, now: datetime) -> str | None:
    """Words of nothing but a day, with the hour that the reminder is due at."""
    one = _single(words, now)
    if one is None or one.readings[0].rule or one.readings[0].grain != "day":
        return None
    both = remind_times.joined((words, f"{due:%H:%M}"))
    return both if _single(both, now) else None


def _single(words: str, now: datetime) -> TimePhrase | None:
    """The one time that words name, where it is clear and nothing else."""
    found = times.phrases(words, now)
    if len(found) != 1 or not found[0].readings or not found[0].settled:
        return None
    return found[0]


def _as_a_habit(
    meant: Settled, former: Schedule, now: datetime, workdays: Workdays | None
) -> Settled:
    """The former habit at the new hour; the new time once, where the habit names no single hour."""
    hour = meant.schedule.start
    rule = re.sub(r"BYHOUR=\d+(?=;|$)", f"BYHOUR={hour.hour}", former.rule)
    rule = re.sub(r"BYMINUTE=\d+(?=;|$)", f"BYMINUTE={hour.minute}", rule)
    if f"BYHOUR={hour.hour};BYMINUTE={hour.minute}" not in rule:
        return meant
    habit = replace(former, rule=rule)
    first = remind_times.coming(habit, now, 1, workdays)
    return replace(meant, schedule=replace(habit, start=first[0])) if first else meant
