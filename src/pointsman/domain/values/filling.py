"""The value that an answer gives to one parameter: "which order?" – "123456789".

Only where the answer can mean nothing else; a text that could be another request gives nothing.
"""

import re
from datetime import datetime, tzinfo
from typing import Any

from msgspec import Struct

from pointsman.domain.bounds import bounded
from pointsman.domain.flags import affirms, denies
from pointsman.domain.phrases import fold, spans
from pointsman.domain.schemas.schema_reading import Schema, resolve, types
from pointsman.domain.times import TimePhrase, When, ends
from pointsman.domain.values.meanings import means
from pointsman.domain.values.natures import Parameter, described
from pointsman.domain.values.numerals import numbers, whole_number
from pointsman.domain.values.units import in_unit, quantities

_EDGES = " \t\r\n,，。.!！?？;；:：、~～\"'“”‘’「」"
_LEAD = re.compile(
    r"(?:嗯+|哦+|啊|那|那么|就|好的?|是的?|对|应该|大概|可能|我的|我们的?|您好|你好|请|麻烦|帮我|给我|我想|我要|想要|想|要|换成|改成|改为|选|选择"
    r"|查一?下?|查询|看看|去|到|在|从|用|叫做?|名字是|名字叫|是|为|单号|订单号?码?|编号|号码?|地址|城市|时间|日期|姓名"
    r"|ok(?:ay)?|well|yes|sure|please|it'?s|it is|that'?s|the|my|is|to|in|at|from|i(?:'m| am)"
    r"|i(?:'d like| want| need)"
    r"|name|number|order|id|number is|make it|let'?s say|use|go with|choose"
    r"|take)(?=[\s,，。:：]|(?<=[一-鿿]))[\s,，。:：]*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:吧|呢|啊|呀|哦|了|的|就行|就好|就可以|即可|谢谢|please|thanks|thank you)$", re.IGNORECASE
)
_QUESTION = re.compile(
    r"[?？]|吗|怎么|怎样|如何|什么|为什么|哪|多少|几[个点号天]|\b(?:what|why|how|which|who|when"
    r"|where|can you|could you)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"不知道|不清楚|随便|都行|算了|取消|不用|忘了|你定|再说|\b(?:don'?t know|not sure|no idea"
    r"|never ?mind|cancel"
    r"|forget it|whatever|any(?:thing)?)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hello|hi|hey|thanks?|thank you|ok(?:ay)?|yes|no|sure|你好|您好|谢谢|嗯+|好的?|是的?"
    r"|不是?|在吗|哈+)",
    re.IGNORECASE,
)
_ID = re.compile(
    r"(?<![A-Za-z\d])(?=[A-Za-z\d._/-]*\d)[A-Za-z\d]+(?:[-_./][A-Za-z\d]+)*(?![A-Za-z\d])"
)
_SPACED_ID = re.compile(r"(?<![\d])\d{2,}(?: \d{2,})+(?![\d])")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(r"https?://[^\s，。]+|(?:[\w-]+\.)+[a-z]{2,}(?:/[^\s，。]*)?", re.IGNORECASE)
_PHONE = re.compile(r"\+?\d[\d\s-]{5,18}\d")
_ORDINAL_ZH = re.compile(
    r"第(?P<n>\d+|[一二三四五六七八九十]+)[个项条种]?|(?P<last>最后一?[个项条]?)"
)
_ORDINAL_EN = re.compile(
    r"\bthe\s+(?P<n>first|second|third|fourth|fifth|sixth|last)(?:\s+one)?\b|\b(?:option|number|no\.?)\s+(?P<d>\d+)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:[,，、;；]|和|以及|\band\b)\s*", re.IGNORECASE)
_DATE_PATTERN = re.compile(
    r"YYYY(?P<a>[-/.年]?)MM(?P<b>[-/.月]?)DD(?P<c>日?)(?P<sep>[T ]?)(?P<clock>HH:MM(?::SS)?)?",
    re.IGNORECASE,
)
_LONGEST = 40


class Filled(Struct, frozen=True):
    """The value, and where the answer says it."""

    value: Any
    start: int
    end: int


class Unclear(Struct, frozen=True):
    """The answer names a time that can be read in these ways."""

    readings: tuple[When, ...]


def fill(
    schema: Schema,
    text: str,
    *,
    now: datetime,
    zone: tzinfo | None = None,
    name: str = "",
    root: Schema | None = None,
) -> Filled | Unclear | None:
    """What the answer gives to a parameter, or None when it is not clearly that.

    Args:
        schema: of the parameter; ``root`` is what its references point into.
        text: the whole answer.
        now: aware; in the user's zone, or with ``zone``.
        name: the parameter's own, which helps to tell what it takes.
    """
    top = root if root is not None else schema
    found = resolve(schema, top)
    text = bounded(text)
    local = now.astimezone(zone) if zone is not None else now
    if "array" in (types(found, top) or ()) and "items" in found:
        return _list(resolve(found["items"], top), text, local, name, top)
    return _one(described(found, top, name=name), text, local)


def _list(items: Schema, text: str, now: datetime, name: str, root: Schema) -> Filled | None:
    wanted = described(items, root, name=name)
    parts = [part for part in _AND.split(text) if part.strip(_EDGES)]
    found = [_one(wanted, part, now) for part in parts]
    values = [one.value for one in found if isinstance(one, Filled)]
    return Filled(values, 0, len(text)) if values and len(values) == len(parts) else None


def _one(wanted: Parameter, text: str, now: datetime) -> Filled | Unclear | None:
    if wanted.nature == "flag":
        return _flag(wanted, text)
    if wanted.nature == "choice":
        return _choice(wanted, text)
    if wanted.schema.get("x-answer") == "time":
        return _about_time(text, now)
    if _REFUSAL.search(text):
        return None
    match wanted.nature:
        case "number":
            return _number(wanted, text)
        case "time":
            return _time(wanted, text, now)
        case "id":
            return _only(_SPACED_ID, text) or _only(_ID, text, least=2)
        case "contact":
            return _contact(wanted, text)
        case "text":
            return Filled(text.strip(), 0, len(text)) if text.strip() else None
        case _:
            return _words(text)


def _flag(wanted: Parameter, text: str) -> Filled | None:
    yes = True if affirms(text) else False if denies(text) else None
    if yes is None or len(text) > _LONGEST:
        return None
    value: Any = yes
    if wanted.options:
        words = (
            ("yes", "true", "是", "on", "需要") if yes else ("no", "false", "否", "off", "不需要")
        )
        value = next((one for one in wanted.options if str(one).casefold() in words), None)
    return None if value is None else Filled(value, 0, len(text))


def _choice(wanted: Parameter, text: str) -> Filled | None:
    if position := _position(text, len(wanted.options)):
        return Filled(wanted.options[position - 1], 0, len(text))
    exact = [one for one in wanted.options if _names(one, wanted, text)]
    longest = [one for one in exact if not any(str(one) in str(o) and o != one for o in exact)]
    found = longest or [one for one in wanted.options if means(str(one), text)]
    return Filled(found[0], 0, len(text)) if len(found) == 1 else None


def _names(option: Any, wanted: Parameter, text: str) -> bool:
    titles = wanted.titles.get(str(option), ())
    return any(
        span.form in ("exact", "width")
        for one in (str(option), *titles)
        for span in spans(one, text)
    )


def _position(text: str, count: int) -> int:
    """The place in a list that an answer names: 第二个, "the last one", "2"; 0 for none."""
    plain = text.strip(_EDGES)
    if plain.isdecimal() and len(plain) < 3:
        position = int(plain)
    elif found := _ORDINAL_ZH.search(plain):
        position = count if found["last"] else int(whole_number(found["n"]) or 0)
    elif found := _ORDINAL_EN.search(plain):
        word = found["n"] or found["d"]
        position = count if word.lower() == "last" else int(whole_number(word) or 0)
    else:
        return 0
    return position if 0 < position <= count else 0


def _number(wanted: Parameter, text: str) -> Filled | None:
    folded = fold(text)
    found = {number.value: number for number in numbers(folded)}
    if len(found) != 1:
        return None
    number = next(iter(found.values()))
    value = number.value
    measured = [one for one in quantities(folded) if one.start == number.start]
    if (
        measured
        and (converted := in_unit(measured[0], f"{wanted.name} {wanted.words}")) is not None
    ):
        value = converted
    whole = wanted.schema.get("type") == "integer"
    if whole and value != int(value):
        return None
    return Filled(int(value) if value == int(value) else value, number.start, number.end)


def _time(wanted: Parameter, text: str, now: datetime) -> Filled | Unclear | None:
    found = ends(text, now)
    if len(found) != 1:
        return None
    phrase = found[0]
    if not phrase.settled:
        return Unclear(phrase.readings) if len(phrase.readings) > 1 else None
    if not phrase.readings or phrase.readings[0].rule:
        return None
    value = written(phrase.readings[0], wanted, clock_only=_is_clock(phrase, text))
    return Filled(value, phrase.start, phrase.end) if value else None


def _about_time(text: str, now: datetime) -> Filled | None:
    """The whole of an answer that speaks of a time, or picks one of a list: whoever asked reads
    it."""
    if found := ends(text, now):
        return Filled(text.strip(), found[0].start, found[-1].end)
    return Filled(text.strip(), 0, len(text)) if _position(text, _LONGEST) else None


def _is_clock(phrase: TimePhrase, text: str) -> bool:
    return bool(phrase.clock) and len(text[phrase.start : phrase.end]) <= 8


def written(when: When, wanted: Parameter, *, clock_only: bool = False) -> str:
    """The instant in the form that the parameter's schema or description asks for."""
    start = when.start
    match wanted.schema.get("format"):
        case "date":
            return start.date().isoformat()
        case "date-time":
            return start.isoformat()
        case "time":
            return start.timetz().isoformat()
    if found := _DATE_PATTERN.search(wanted.words):
        day = f"{start.year:04}{found['a']}{start.month:02}{found['b']}{start.day:02}{found['c']}"
        if not found["clock"]:
            return day
        clock = f"{start.hour:02}:{start.minute:02}"
        seconds = f":{start.second:02}" if found["clock"].upper().endswith(":SS") else ""
        return f"{day}{found['sep'] or ' '}{clock}{seconds}"
    if re.search(r"HH:MM", wanted.words, re.IGNORECASE) and (clock_only or when.end is None):
        return f"{start.hour:02}:{start.minute:02}"
    return (
        start.date().isoformat()
        if when.grain in ("day", "week", "month", "year")
        else start.isoformat()
    )


def _only(pattern: re.Pattern[str], text: str, least: int = 1) -> Filled | None:
    found = [match for match in pattern.finditer(fold_width(text)) if len(match[0]) >= least]
    if len({match[0] for match in found}) != 1:
        return None
    return Filled(re.sub(r"\s", "", found[0][0]), *found[0].span())


def fold_width(text: str) -> str:
    """Full-width letters and digits made narrow; every character stays where it was."""
    return "".join(chr(ord(c) - 0xFEE0) if "！" <= c <= "～" else c for c in text)


def _contact(wanted: Parameter, text: str) -> Filled | None:
    about = f"{wanted.name} {wanted.words} {wanted.schema.get('format', '')}".casefold()
    if "mail" in about or "邮" in about:
        return _only(_EMAIL, text)
    if "ur" in about or "link" in about or "网址" in about or "链接" in about:
        return _only(_LINK, text)
    if re.search(r"phone|mobile|tel|电话|手机", about):
        found = _only(_PHONE, text)
        return Filled(re.sub(r"-", "", found.value), found.start, found.end) if found else None
    return _words(text)


def _words(text: str) -> Filled | None:
    """A short answer without what people say around it; nothing for a question or a request."""
    if _QUESTION.search(text):
        return None
    start, end = _bare(text)
    value = text[start:end]
    if (
        not value
        or _GREETING.fullmatch(value)
        or len(value) > _LONGEST
        or len(value.split()) > 6
        or re.search(r"[,，。;；\n]", value)
    ):
        return None
    return Filled(value, start, end)


def _bare(text: str) -> tuple[int, int]:
    """Where a text stands without the words that people put around an answer."""
    start, end = 0, len(text)
    while start < end:
        lead = _LEAD.match(text, start, end)
        if text[start] not in _EDGES and lead is None:
            break
        start = lead.end() if lead is not None and lead.end() > start else start + 1
    while end > start:
        tail = _TAIL.search(text, start, end)
        if text[end - 1] not in _EDGES and tail is None:
            break
        end = tail.start() if tail is not None else end - 1
    return start, end
