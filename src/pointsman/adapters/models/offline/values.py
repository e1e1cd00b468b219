"""Values read out of text by the rules, and whether anything else was said. Pure."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time

from msgspec import Struct

from pointsman.adapters.models.offline.dates import find_dates, numeral, write_date
from pointsman.adapters.models.offline.rules import OfflineRules, Scalar, ValueRule
from pointsman.adapters.models.offline.words import Words, matches, seen
from pointsman.domain.reminders import remind_times

_PUNCTUATION = " \t\n，。；：！？、,.;:!?~～…「」『』“”\"'‘’（）()《》"
_FILLER = re.compile(
    r"那么?|的|呢|吗|呀|啊|吧|嘛|哦|了|就|换成|改成|改为|改到|是|在|我|要|去|到|从|和|跟|与|再|还有|请问|请|帮|看看|查查|查一下"
    r"|怎么样|如何|谢谢|好的?|\b(?:what|how|about|and|then|the|in|on|at|for|is|it|i|am|i'm|im|me|please|from|to|thanks|ok|okay"
    r"|or|make|change|instead|it's|there|day)\b",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"呢\W*$|^那|换成|改成|改为|改到|\bwhat about\b|\bhow about\b|^\s*and\b|\binstead\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^\W*(?:(?:啊|呃|哦|抱歉|对不起|等等|等一下|sorry|oh|wait)[\s,，]*)?"
    r"(?:不对?|不是的?|错了|[说打写]错了|no|nope|sorry|wait|actually|i mean)[\s,，.。!！]+"
    r"(?:(?:我[想要]?|应该)(?:[说查]的?|改[成到])?是?|是|(?:i meant?|make (?:it|that)|rather)\b)?"
    r"|^\W*make (?:it|that)\b",
    re.IGNORECASE,
)
"""How a message starts that corrects the one before it: "不，…", "no, …", "make it …"."""
_NO_ANSWER = re.compile(
    r"[?？]|不知道|不清楚|随便|算了|取消|谢谢|不用|你好"
    r"|\b(?:don't know|not sure|never\s?mind|cancel|thanks?|thank you|hello|hi|no|nothing)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile("“[^“”]*”|「[^「」]*」|『[^『』]*』|\"[^\"]*\"|'[^']*'")
_ONE_STOP = re.compile(r"(?<![.\d])\.$")
_YES = re.compile(r"true|yes|on|1|是|要", re.IGNORECASE)
_LONGEST_ANSWER = 40


class Found(Struct, frozen=True):
    """A value in a text. ``value`` is None when the words name something that does not exist, such
    as 30 February."""

    value: Scalar | None
    words: str
    start: int
    end: int


def find_known(rule: ValueRule, text: str, today: date | None) -> list[Found]:
    """Choices, days and times in a text, in its order, each once: what can hardly be something
    else."""
    return _unique(_choices(rule, text) or _dates(rule, text, today) or _moments(rule, text, today))


def find_free(rule: ValueRule, text: str) -> list[Found]:
    """Values by their place in a text: between words, and patterns."""
    return _unique(_patterns(rule, text))


def find_values(rule: ValueRule, text: str, today: date | None) -> list[Found]:
    """The values of one rule in a text; the first kind of the rule that finds any is taken."""
    return find_known(rule, text, today) or find_free(rule, text)


def _unique(values: list[Found]) -> list[Found]:
    unique: dict[Scalar | None, Found] = {}
    for found in sorted(values, key=lambda found: found.start):
        unique.setdefault(found.value, found)
    return list(unique.values())


def _choices(rule: ValueRule, text: str) -> list[Found]:
    if rule.choice_gate and not seen(rule.choice_gate, text):
        return []
    candidates = [
        (found.start(), found.end(), value)
        for value, words in rule.choices.items()
        for found in words.matches(text)
    ]
    candidates.sort(key=lambda c: (c[0] - c[1], c[0]))
    kept: list[tuple[int, int, str]] = []
    for start, end, value in candidates:
        if all(end <= s or start >= e for s, e, _ in kept):
            kept.append((start, end, value))
    return list(_typed(rule, ((value, start, end) for start, end, value in kept), text))


def _dates(rule: ValueRule, text: str, today: date | None) -> list[Found]:
    if not rule.date or today is None:
        return []
    return [
        Found(
            write_date(found.day, rule.date) if found.day else None,
            text[found.start : found.end],
            found.start,
            found.end,
        )
        for found in find_dates(text, today)
    ]


_MIDNIGHT = time(tzinfo=UTC)
_AND = re.compile(r"\s*(?:和|、|以及|,|，|\band\b)\s*", re.IGNORECASE)
_BEFORE = re.compile(r"(?:\b(?:at|on|in|by|from|around)\s+|[在于到等])$", re.IGNORECASE)


def _moments(rule: ValueRule, text: str, today: date | None) -> list[Found]:
    """The first words for a time, and those that only an "and" parts from them."""
    found: list[Found] = []
    for spans in _named(rule, text, today):
        start, end = spans[0][0], spans[-1][1]
        if found and not _AND.fullmatch(text[found[-1].end : start]):
            break
        words = remind_times.joined([text[first:last] for first, last in spans])
        found.append(Found(words, words, start, end))
    return found


def _named(rule: ValueRule, text: str, today: date | None) -> list[tuple[tuple[int, int], ...]]:
    if not rule.moment or today is None:
        return []
    now = datetime.combine(today, _MIDNIGHT)
    return remind_times.named(text, now, ahead=rule.moment == "ahead")


def places_of(rule: ValueRule, text: str, today: date | None) -> list[tuple[int, int]]:
    """Where the words of a value stand; "3 and 5" is one place."""
    if not rule.moment:
        return [(found.start, found.end) for found in find_values(rule, text, today)]
    kept: list[tuple[int, int]] = []
    for spans in _named(rule, text, today):
        if kept and not _AND.fullmatch(text[kept[-1][1] : spans[0][0]]):
            break
        if kept:
            kept[-1] = (kept[-1][0], spans[0][1])
            spans = spans[1:]
        kept += spans
    return kept


def rest(text: str, left_out: Iterable[tuple[int, int]], strip: Words) -> str:
    """A text without some places, the "at" before them, and words at its ends."""
    kept = text
    for start, end in sorted(left_out, reverse=True):
        before = _BEFORE.sub("", kept[:start])
        kept = f"{before.rstrip()} {kept[end:].lstrip()}"
    kept = re.sub(r"(?<=[^\x00-\x7f]) +| +(?=[^\x00-\x7f])", "", kept)
    return _stripped(kept, strip)


def _stripped(value: str, words: Words) -> str:
    """Without punctuation and these words at its ends."""
    before = None
    while before != value:
        before, value = value, _without_end(value.strip(_PUNCTUATION), words)
    return value


def _without_end(value: str, words: Words) -> str:
    """Without one of these words that stands at either end."""
    for found in words.matches(value):
        if found.start() == 0:
            return value[found.end() :]
        if found.end() == len(value):
            return value[: found.start()]
    return value


def _patterns(rule: ValueRule, text: str) -> list[Found]:
    for pattern in (*(place.pattern for place in rule.between), *rule.patterns):
        found = list(_typed(rule, _raw(pattern, rule, text), text))
        if found:
            return found
    return []


def _raw(pattern: re.Pattern[str], rule: ValueRule, text: str) -> Iterator[tuple[str, int, int]]:
    group: str | int = "value" if "value" in pattern.groupindex else min(pattern.groups, 1)
    for match in matches(pattern, text):
        start, end = match.span(group)
        value = tidy(rule, text[max(start, 0) : max(end, 0)])
        if value:
            yield value, match.start(), match.end()


def tidy(rule: ValueRule, value: str) -> str:
    """The value without punctuation and the rule's ``strip`` words at its ends, by its own name;
    "" if it is rejected."""
    value = _unquoted(value, rule.strip) if rule.whole else _stripped(value, rule.strip)
    if rule.reject.whole(value):
        return ""
    return next((name for name, words in rule.rename.items() if words.whole(value)), value)


def _unquoted(value: str, words: Words) -> str:
    """A text as it is, without the quotes around all of it, the full stop behind it, and these
    words at its ends."""
    before = None
    while before != value:
        before, value = value, value.strip().lstrip("，,：:;；").rstrip("。，,;；").lstrip()
        if _QUOTED.fullmatch(value):
            value = value[1:-1]
        value = _without_end(value, words)
    return value[:-1] if _ONE_STOP.search(value) else value


def _typed(rule: ValueRule, found: Iterable[tuple[str, int, int]], text: str) -> Iterator[Found]:
    for written, start, end in found:
        value = convert(rule, written)
        if value is not None:
            yield Found(value, text[start:end], start, end)


def convert(rule: ValueRule, written: str) -> Scalar | None:
    """The written value in the rule's type, or None when it is not one."""
    match rule.type:
        case "text":
            return written
        case "boolean":
            return bool(_YES.fullmatch(written))
        case "integer":
            return numeral(written)
        case "number":
            try:
                return float(written)
            except ValueError:
                return numeral(written)


def bare_answer(rule: ValueRule, text: str) -> Scalar | None:
    """The whole message as the answer to the question for this value, if it can be one."""
    if not rule.free or len(text) > _LONGEST_ANSWER or _NO_ANSWER.search(text):
        return None
    value = tidy(rule, text)
    return convert(rule, value) if value else None


def changes_values(rules: OfflineRules, text: str, today: date | None) -> bool:
    """Whether a message only changes values of the request before it: "那后天呢", "in
    Rome?", "no, on Friday"."""
    for words in dict.fromkeys((text, _CORRECTS.sub("", text))):
        named = any(find_values(rule, words, today) for rule in rules.values.values())
        if named and (_FOLLOWS.search(words) or only_values(rules, words, today)):
            return True
    return False


def only_values(rules: OfflineRules, text: str, today: date | None) -> bool:
    """Whether a text names values and nothing that could be a request of its own."""
    spans = [
        (found.start, found.end)
        for rule in rules.values.values()
        for found in find_values(rule, text, today)
    ]
    if not spans:
        return False
    rest = "".join(c for i, c in enumerate(text) if not any(a <= i < b for a, b in spans))
    return not _FILLER.sub("", rest).strip(_PUNCTUATION)
