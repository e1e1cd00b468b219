"""When a reminder is meant to fire: the user's own words, read anew, against what a model made of
them (O1).

The words decide; the model's reckoning is only compared with them. What can be read in two ways,
has passed, names a day without an hour, or differs from the model's time is a ``Doubt``, which
somebody asks the user about (``remind_texts``). Pure.

Above: the tools and the API of reminders. Below: ``times``, ``schedule``.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice, pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pointsman.domain import times
from pointsman.domain.calendar.workdays import Workdays
from pointsman.domain.reminders.remind_exceptions import is_of_holidays, left_out
from pointsman.domain.reminders.remind_leads import earlier
from pointsman.domain.reminders.remind_picks import SAME, listed, nearest
from pointsman.domain.schedule import BadRule, Schedule, check, occasions
from pointsman.domain.times import TimePhrase, When

Why = Literal[
    "none",
    "which",
    "differs",
    "clock",
    "passed",
    "impossible",
    "bound",
    "vague",
    "daily",
    "rule",
    "except",
]
Remark = Literal["short months", "monday to friday", "earlier of two"]

_CRON = re.compile(
    r"(?<!\S)(?:cron\s*[:：]?\s*)?(?P<line>(?:[\d*][\d*,/-]*[ \t]+){2}[\d*][\w*,/-]*[ \t]+"
    r"[\w*][\w*,/-]*[ \t]+[\w*][\w*,/-]*|@(?:hourly|daily|weekly|monthly|yearly))(?!\S)",
    re.IGNORECASE,
)
_RRULE = re.compile(r"(?:RRULE:)?(?P<rule>(?:RSCALE=\w+;)?FREQ=[A-Z]+(?:;[A-Z]+=[\w,+-]+)*)")
_CLOCKED = ("MINUTELY", "HOURLY")
_DAILY = re.compile(
    r"每[天日晚早]|天天|日日|每一天|\b(?:every\s*(?:day|night|morning|evening)|daily|each day)\b",
    re.IGNORECASE,
)
_CJK = re.compile(r"[一-鿿]")
_BEFORE_WHAT = re.compile(
    r"[一-鿿]前[\d一二两三四五六七八九十几半]+个?(?:天|日|周|星期|月|年|小时|钟头|分钟|刻钟)"
)
"""So long before what is no time to us (生日前一天): the clock does not tell when that is."""
_AND = re.compile(r"\s*(?:[和与及跟或、]|或者|还有|以及|and|or|&)\s*(?:at\s+)?", re.IGNORECASE)
_LISTED = re.compile(r"^\s*(?P<number>[1-9])[.、)]\s*(?P<text>.+)$", re.MULTILINE)


class Settled(Struct, frozen=True, kw_only=True):
    """What the words mean.

    Attributes:
        words: the user's own.
        remarks: what he should be told with it.
    """

    schedule: Schedule
    words: str
    remarks: tuple[Remark, ...] = ()


class Doubt(Struct, frozen=True, kw_only=True):
    """Why the words cannot be taken as they are.

    Attributes:
        words: those that are in doubt; empty when there are none.
        options: what they can mean; none where the user has to say more.
        day: the day that is known, where only the hour is not.
    """

    why: Why
    words: str = ""
    options: tuple[Schedule, ...] = ()
    day: datetime | None = None
    detail: str = ""


class Heard(Struct, frozen=True, kw_only=True):
    """What is known of a reminder's time.

    Attributes:
        when: the words that name it, as the model or a form gives them.
        said: the user's messages, the latest first; without any, ``when`` is his own.
        asked: the question that the latest of them answers.
        time: what the model reckoned, or the answer to the question.
        daily: the model says that it is every day.
    """

    when: str
    said: tuple[str, ...] = ()
    asked: str = ""
    time: str = ""
    daily: bool = False


def understood(heard: Heard, now: datetime, workdays: Workdays | None = None) -> Settled | Doubt:
    """What the words mean at an instant.

    Args:
        now: aware, in the user's zone.
    """
    reader = _Reader(now, workdays)
    if heard.asked and heard.time and any(heard.time in text for text in heard.said[:1]):
        return reader.answered(heard)
    found = reader.read(heard.when, heard.said)
    if isinstance(found, Doubt):
        return found
    every = reader.daily(found, heard) if heard.daily and not found.schedule.rule else found
    if isinstance(every, Settled):
        every = reader.without(every, heard.said[0] if heard.said else heard.when)
    return every if isinstance(every, Doubt) else reader.compared(every, heard.time)


def coming(
    schedule: Schedule, after: datetime, count: int, workdays: Workdays | None = None
) -> list[datetime]:
    """The next instants, at most so many, in the schedule's zone."""
    return list(islice(occasions(schedule, after, workdays), count))


Span = tuple[int, int]


def named(text: str, now: datetime, *, ahead: bool = False) -> list[tuple[Span, ...]]:
    """Where a text names times, cron lines and rules included; what says one time in two places
    (每天 … 早上9点) goes together. Beside times with an hour, days alone (my weekly report) are
    left out.

    Args:
        ahead: only what has not begun at ``now``.
    """
    rules = [found.span() for pattern in (_CRON, _RRULE) for found in pattern.finditer(text)]
    if rules:
        return [(one,) for one in rules]
    found: list[tuple[Span, ...]] = []
    vague: list[tuple[Span, ...]] = []
    for one in times.phrases(text, now):
        span = (one.start, one.end)
        if vague and vague[-1] is found[-1] and one.clock and not _ruled(one):
            found[-1] = (*vague.pop(), span)
        elif not (ahead and one.readings and all(when.start <= now for when in one.readings)):
            found.append((span,))
            vague += found[-1:] if _wants_clock(one) else []
    clear = [one for one in found if one not in vague]
    return clear or found


class _Reader:
    """Reads words at one instant."""

    def __init__(self, now: datetime, workdays: Workdays | None) -> None:
        self.now, self.workdays = now, workdays

    def read(self, when: str, said: Sequence[str] = ()) -> Settled | Doubt:
        """The words where the user said them, else as they are given."""
        for text in (when, *said[:1]):
            if (ruled := self._rule(text)) is not None:
                return ruled
        for text in said:
            at = text.find(when) if when.strip() else -1
            if at >= 0 and (chosen := self._within(text, at, at + len(when))):
                return self._meant(chosen, text)
        own = self.phrases(when)
        if not said:
            return self._meant(own, when) if own else Doubt(why="none", words=when.strip())
        if not self.phrases(said[0]):
            return Doubt(why="none")
        return self._as_said(when, own, said[0])

    def _as_said(self, when: str, own: Sequence[TimePhrase], text: str) -> Settled | Doubt:
        """What the user said, where the model gives it in words that are not his."""
        theirs = self.phrases(text)
        heard = self._meant(theirs, text)
        mine = self._meant(own, when) if own else heard
        if not isinstance(mine, Settled) or mine == heard:
            return heard
        each = [heard, *(self._meant([one], text) for one in theirs)]
        same = [one for one in each if isinstance(one, Settled) and one.schedule == mine.schedule]
        if same:
            return same[0]
        if not isinstance(heard, Settled):
            return heard
        options = (heard.schedule, mine.schedule)
        return Doubt(why="differs", words=heard.words, options=options)

    def phrases(self, text: str) -> list[TimePhrase]:
        found = times.phrases(text, self.now, workdays=self.workdays)
        return [one for one in found if not _BEFORE_WHAT.match(text, max(one.start - 1, 0))]

    def _within(self, text: str, start: int, end: int) -> list[TimePhrase]:
        return [one for one in self.phrases(text) if one.start < end and start < one.end]

    def _meant(self, chosen: Sequence[TimePhrase], text: str) -> Settled | Doubt:
        """What the phrases say, so much earlier as the text wishes (提前10分钟)."""
        found, leads = self._several(chosen, text), times.leads(text)
        if not isinstance(found, Settled) or len(leads) != 1:
            return found
        words = joined((found.words, text[leads[0].start : leads[0].end]))
        schedule = earlier(found.schedule, leads[0].length)
        if schedule is None:
            return Doubt(why="vague", words=words)
        if not self._is_to_come(schedule):
            return Doubt(why="passed", words=words, options=(found.schedule,))
        return replace(found, schedule=schedule, words=words)

    def _several(self, chosen: Sequence[TimePhrase], text: str) -> Settled | Doubt:
        """Of several times in a row (明天9点和14点) none is dropped unasked."""
        row = [one for one in chosen[:1] if one.clock]
        for before, one in pairwise(chosen):
            if not (row and one.clock and _AND.fullmatch(text, before.end, one.start)):
                break
            row.append(one)
        each = [self._named([one], text) for one in row]
        options = tuple(one.schedule for one in each if isinstance(one, Settled))
        if len(row) < 2 or len(options) < len(row):
            return self._named(chosen, text)
        return Doubt(why="which", words=text[row[0].start : row[-1].end], options=options)

    def _named(self, chosen: Sequence[TimePhrase], text: str) -> Settled | Doubt:
        """One phrase, or several that say one time in parts (每天 … 早上9点)."""
        words = text[chosen[0].start : chosen[0].end].strip()
        if _wants_clock(chosen[0]):
            rest = [one for one in self.phrases(text) if one.start >= chosen[0].end]
            parts = (chosen[0], *(one for one in rest if one.clock and not _ruled(one)))
            both = joined([text[one.start : one.end] for one in parts[:2]])
            again = self.phrases(both)
            if len(parts) > 1 and len(again) == 1:
                return self._settled(again[0], both)
        return self._settled(chosen[0], words)

    def _settled(self, phrase: TimePhrase, words: str) -> Settled | Doubt:
        options = tuple(map(_schedule, phrase.readings))
        if not options:
            return Doubt(why="none" if phrase.why == "unread" else "impossible", words=words)
        if phrase.bound:
            return Doubt(why="bound", words=words)
        if not phrase.settled or len(options) > 1:
            coming_ = tuple(one for one in options if self._is_to_come(one))
            if phrase.why == "passed":
                return Doubt(why="passed", words=words, options=coming_)
            if len(coming_) < 2:
                return Doubt(why="vague", words=words)
            return Doubt(why="which", words=words, options=coming_)
        if not self._is_to_come(options[0]):
            later = tuple(filter(self._is_to_come, map(_schedule, phrase.also)))
            return Doubt(why="passed", words=words, options=later)
        if _wants_clock(phrase):
            when = phrase.readings[0]
            return Doubt(why="clock", words=words, day=when.start if not when.rule else None)
        return Settled(schedule=options[0], words=words, remarks=_remarks(phrase))

    def _is_to_come(self, schedule: Schedule) -> bool:
        return bool(coming(schedule, self.now, 1, self.workdays))

    def _rule(self, text: str) -> Settled | Doubt | None:
        """A cron line or an RRULE that stands in the text."""
        if found := _CRON.search(text):
            rule = found["line"]
        elif found := _RRULE.search(text):
            rule = found["rule"]
        else:
            return None
        schedule = Schedule(start=self.now.replace(second=0, microsecond=0), rule=rule)
        try:
            check(rule)
            if not self._is_to_come(schedule):
                return Doubt(why="impossible", words=rule)
        except BadRule as fault:
            return Doubt(why="rule", words=rule, detail=str(fault))
        return Settled(schedule=schedule, words=rule)

    def daily(self, found: Settled, heard: Heard) -> Settled | Doubt:
        """Every day at the same hour, where the user said so; else one of the two."""
        hour = found.schedule.start
        rule = f"FREQ=DAILY;BYHOUR={hour.hour};BYMINUTE={hour.minute}"
        first = replace(found.schedule, rule=rule)
        said = heard.said[0] if heard.said else heard.when
        if _DAILY.search(f"{said} {heard.when}"):
            return replace(found, schedule=first)
        return Doubt(why="daily", words=found.words, options=(found.schedule, first))

    def without(self, found: Settled, text: str) -> Settled | Doubt:
        """The recurrence without what the text leaves out elsewhere (…，周末除外), where a rule can
        say that."""
        if not found.schedule.rule:
            return found
        what = left_out(text, found.words, lambda one: bool(self.phrases(one)))
        if not what or (found.schedule.workdays and is_of_holidays(what)):
            return found
        both = f"{found.words} {what}"
        again = self.phrases(both)
        if len(again) == 1 and again[0].end == len(both):
            return self._settled(again[0], both)
        return Doubt(why="except", words=what)

    def compared(self, found: Settled, time: str) -> Settled | Doubt:
        """The words' meaning, unless the model reckoned another time that is still to come."""
        phrases = self.phrases(time)
        if len(phrases) != 1 or not phrases[0].settled or not phrases[0].readings:
            return found
        theirs = phrases[0].readings[0]
        if theirs.end is not None or theirs.start <= self.now or self._same(found, theirs):
            return found
        other = _schedule(theirs)
        if found.schedule.rule:
            hour = theirs.start
            rule = re.sub(r"BYHOUR=[\d,]+", f"BYHOUR={hour.hour}", found.schedule.rule)
            rule = re.sub(r"BYMINUTE=\d+", f"BYMINUTE={hour.minute}", rule)
            other = replace(found.schedule, rule=rule)
            other = replace(other, start=next(occasions(other, self.now, self.workdays)))
        return Doubt(why="differs", words=found.words, options=(found.schedule, other))

    def _same(self, found: Settled, theirs: When) -> bool:
        if not found.schedule.rule:
            return abs(theirs.start.astimezone(UTC) - found.schedule.start) < SAME
        if "BYHOUR" not in found.schedule.rule:
            return True
        clocks = {(one.hour, one.minute) for one in coming(found.schedule, self.now, 10)}
        return (theirs.start.hour, theirs.start.minute) in clocks

    def answered(self, heard: Heard) -> Settled | Doubt:
        """The user's answer to the question which time is meant, or at what hour."""
        answer, options = heard.said[0], self.options_in(heard.asked)
        if options and (place := listed(answer, len(options))):
            return options[place - 1]
        own = self.phrases(answer)
        if not own:
            return self._rule(answer) or Doubt(why="none", words=answer)
        near = nearest(own[0], [one.schedule for one in options])
        if near is not None:
            return options[near]
        both = joined((heard.when, answer))
        if not options and heard.when and len(again := self.phrases(both)) == 1:
            found = self._settled(again[0], both)
            if isinstance(found, Settled):
                return found
        return self._meant(own, answer)

    def options_in(self, question: str) -> list[Settled]:
        """The times that a question of ours lists."""
        found = [self.read(one["text"]) for one in _LISTED.finditer(question)]
        return [one for one in found if isinstance(one, Settled)]


def _schedule(when: When) -> Schedule:
    start = when.start.replace(microsecond=0)
    return Schedule(start=start, rule=when.rule, workdays=when.workdays)


def _ruled(phrase: TimePhrase) -> bool:
    return bool(phrase.readings and phrase.readings[0].rule)


def _wants_clock(phrase: TimePhrase) -> bool:
    """Whether it names a day, and no hour: nobody wants to be reminded at midnight."""
    if not phrase.readings:
        return False
    when = phrase.readings[0]
    if when.rule:
        return "BYHOUR" not in when.rule and not any(one in when.rule for one in _CLOCKED)
    return when.end is not None and when.grain in ("day", "week", "month", "year", "span")


def joined(parts: Sequence[str]) -> str:
    """Words that say one time, as one phrase."""
    text = " ".join(part.strip() for part in parts)
    return text.replace(" ", "") if _CJK.search(text) else text


def _remarks(phrase: TimePhrase) -> tuple[Remark, ...]:
    remarks: list[Remark] = [note for note in phrase.notes if note != "past"]
    return (*remarks, "earlier of two") if phrase.why == "range" else tuple(remarks)
