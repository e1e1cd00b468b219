"""Which reminder words mean: by number, by what it says, by when it is due. Pure.

Numbers are those of the list that the user sees (``in_order``). Nothing is guessed: several that
fit are all given, and whoever asks lists them.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from pointsman.domain import times
from pointsman.domain.agent import Language
from pointsman.domain.reminders import remind_texts
from pointsman.domain.reminders.reminder import Reminder
from pointsman.domain.times import TimePhrase
from pointsman.domain.traditional import simplified
from pointsman.domain.values.numerals import whole_number

LISTED = 30
"""Reminders in a list for people."""
_FAR = datetime.max.replace(tzinfo=UTC)
_ALL = re.compile(r"所有|全部|全都|每一个|\b(?:all|every one|everything|both)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"^\W*(?:第|the\s+|number\s+|no\.?\s*|#\s*)?(?P<n>\d{1,2}|[一二三四五六七八九十两]{1,2}"
    r"|first|second|third|fourth|fifth|last|最后一?)\s*(?:个|条|项|号|one|reminder)?"
    r"(?:的?提醒|的?定时)?\W*$",
    re.IGNORECASE,
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_ID = re.compile(r"\b[0-9a-f]{8,32}\b")
_FILLER = re.compile(
    r"提醒|定时|任务|闹钟|那个|这个|那条|这条|我的|刚才|刚刚|关于|取消|删除|删掉|删了|暂停|停掉|恢复|推迟|修改|改成|改到|把|给|的|了|掉|吧|个|条|事"
    r"|\b(?:the|my|that|this|reminders?|alarms?|about|for|to|of|on|at|one|please|cancel|delete"
    r"|remove|stop|pause|resume|snooze|change|move|it|me|remind)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9]+|[一-鿿]+")


def in_order(reminders: Sequence[Reminder]) -> list[Reminder]:
    """As people see them: what is due first before the others."""
    return sorted(reminders, key=lambda one: (one.next or _FAR, one.created, one.id))


def found(words: str, ordered: Sequence[Reminder], now: datetime) -> list[Reminder]:
    """Those that the words may mean; all of them when the words say nothing of any.

    Args:
        ordered: the user's, as ``in_order`` has them.
        now: aware, in the user's zone.
    """
    words = simplified(words)
    if place := _PLACE.match(words):
        number = _number(place["n"], len(ordered))
        return [ordered[number - 1]] if 0 < number <= len(ordered) else []
    if named := _ID.findall(words.lower()):
        return [one for one in ordered if any(one.id.startswith(id) for id in named)]
    if _ALL.search(words):
        return list(ordered)
    phrases = times.phrases(words, now)
    rest = _without(words, phrases)
    fitting = [one for one in ordered if _says(one, rest)] if rest else list(ordered)
    if not phrases:
        return fitting
    for fits in (_is_due, _has_clock):
        if due := [one for one in fitting or ordered if fits(one, phrases)]:
            return due
    return fitting if rest else []


def means_all(words: str) -> bool:
    """Whether the words mean all of them."""
    return bool(_ALL.search(simplified(words)))


def _number(word: str, count: int) -> int:
    if word.lower() == "last" or word.startswith("最后"):
        return count
    return _ORDINALS.get(word.lower()) or int(whole_number(word) or 0)


def _without(words: str, phrases: Sequence[TimePhrase]) -> list[str]:
    """The words without times and without what people say around them."""
    kept = "".join(
        " " if any(one.start <= place < one.end for one in phrases) else letter
        for place, letter in enumerate(words)
    )
    return _WORD.findall(_FILLER.sub(" ", kept).lower())


def _says(reminder: Reminder, rest: Sequence[str]) -> bool:
    """Whether it says all of these words."""
    content = simplified(f"{reminder.content} {reminder.title}".lower())
    return all(_holds(content, word) for word in rest)


def _holds(content: str, word: str) -> bool:
    if word in content:
        return True
    if word.isascii():
        stem = word.rstrip("s")
        return len(stem) > 3 and stem in content
    pairs = [word[at : at + 2] for at in range(len(word) - 1)]
    return len(pairs) > 1 and sum(pair in content for pair in pairs) * 2 >= len(pairs)


def _is_due(reminder: Reminder, phrases: Sequence[TimePhrase]) -> bool:
    if reminder.next is None:
        return False
    at = reminder.next.astimezone(ZoneInfo(reminder.timezone))
    for phrase in phrases:
        for when in (*phrase.readings, *phrase.also, *phrase.other):
            if when.rule and when.rule == reminder.schedule.rule:
                return True
            if when.end is not None and when.start <= at < when.end:
                return True
            if abs((when.start - at).total_seconds()) < 60:
                return True
    return False


def _has_clock(reminder: Reminder, phrases: Sequence[TimePhrase]) -> bool:
    if reminder.next is None:
        return False
    clock = reminder.next.astimezone(ZoneInfo(reminder.timezone)).time().replace(second=0)
    return any(clock in phrase.clock for phrase in phrases)


_ACTION: dict[Language, str] = {"zh": "自动执行", "en": "action"}
_STATES: dict[str, dict[Language, str]] = {
    "active": {"zh": "", "en": ""},
    "paused": {"zh": "已暂停", "en": "paused"},
    "done": {"zh": "已完成", "en": "done"},
    "cancelled": {"zh": "已取消", "en": "cancelled"},
}


def when_of(reminder: Reminder, language: Language) -> str:
    """When it is due, in words: the rule, or the instant."""
    if reminder.schedule.rule:
        return remind_texts.rule(reminder.schedule, language)
    at = reminder.schedule.start.astimezone(ZoneInfo(reminder.timezone))
    return remind_texts.instant(at, language)


def line(reminder: Reminder, language: Language) -> str:
    """A reminder in one line."""
    notes = [_STATES[reminder.state][language]]
    if reminder.kind == "action":
        notes.insert(0, _ACTION[language])
    if reminder.snoozed is not None:
        until = remind_texts.instant(
            reminder.snoozed.astimezone(ZoneInfo(reminder.timezone)), language
        )
        notes.append(f"推迟到 {until}" if language == "zh" else f"snoozed until {until}")
    told = [note for note in notes if note]
    if language == "zh":
        after = f"（{'，'.join(told)}）" if told else ""
        return f"{when_of(reminder, language)}：{reminder.content}{after}"
    after = f" ({', '.join(told)})" if told else ""
    return f"{when_of(reminder, language)}: {reminder.content}{after}"


def lines(ordered: Sequence[Reminder], chosen: Sequence[Reminder], language: Language) -> list[str]:
    """Some of a list, a line each, by the numbers that they have in it."""
    ids = {one.id for one in chosen}
    return [
        f"{place}. {line(one, language)}"
        for place, one in enumerate(ordered[:LISTED], start=1)
        if one.id in ids
    ]
