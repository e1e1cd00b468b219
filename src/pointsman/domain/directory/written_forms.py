"""How descriptions of people are written, before they are read as words: lead-ins, numbered and
dashed lists, telephone numbers, and what else the same words may be written for."""

import re
from collections.abc import Iterator

from pointsman.domain.directory.office_words import folded

_LEAD_IN = re.compile(
    r"\A(?:请帮我|帮我|请|麻烦|please )?"
    r"(?:发送给|发给|发信给|发消息给|发邮件给|转发给|转给|抄送给?|寄给|通知到?|告诉|告知|提醒|联系|给"
    r"|(?:to:?|send (?:it |this |a message )?to|notify|tell|inform|let|cc|email|message)(?= ))\s*"
)
_ADDRESSED_BY = re.compile(
    r"\A(?:手机号码?|手机|电话号码|电话|邮箱地址|邮箱|用户名?"
    r"|phone(?: number)?|tel|user ?name|mailto)"
    r"\s*[是为:]?\s*(?=[+a-z0-9])"
)
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_TAIL = re.compile(r"[。.!！?？~～;；,，、\s]+$")
_ITEM = re.compile(r"(?:\A|\n)\s*[-*•–]\s+|(?:\A|\s)\d{1,2}[.)、）](?!\d)\s*")
_NUMBERED = re.compile(r"\A\s*(?:[-*•–]\s+|1[.)、）](?!\d))")
_BREAK = re.compile(r"\s*[\r\n]+\s*|(?<=[^\s+\d])\s*[+|｜]\s*(?=[^\s+\d])|\s+(?=@\w)")
_PHONE = re.compile(r"(?<![\w@.-])(?:\+|00)?\d(?:[ -]?\d){6,14}(?![\w@])")
_COUNTRY = re.compile(r"\A(?:\+|00)86(?=1\d{10}\Z)")
_SPACE = re.compile("(?<=[\u3400-\u9fff)]) (?=[\u3400-\u9fff])")
"""Between Chinese words it may part a list."""
_PARTICLES = re.compile("(?<=[\u3400-\u9fff])[吧呀啊哦呢嘛啦]+\\Z")
_LAST_FIRST = re.compile(r"\A([a-z'-]+), ([a-z'-]+)\Z")
_N = "[一二三四五六七八九十]"
_NUMBERS = re.compile(
    rf"(?P<stem>[\u3400-\u9fff]{{0,6}}?)(?P<numbers>{_N}(?:[、,和及与]{_N})+)"
    r"(?P<kind>小组|组|大队|队|部|班|车间|科)"
)

_EN = "(?:[1-9]|one|two|three|four|five|six|seven|eight|nine)"
_EN_NUMBERS = re.compile(
    r"(?P<stem>(?:[a-z&]+ )?)(?P<kind>team|group)s? "
    rf"(?P<numbers>{_EN}(?:(?:, and |, | and | & ){_EN})+)\b"
)


def plain(words: str) -> str:
    """The words as they are compared, without what introduces or numbers them."""
    text = _ITEM.sub("\n", words) if _NUMBERED.match(words) else words
    text = folded(_BREAK.sub(",", _EMPHASIS.sub("", text).strip()))
    text = _ADDRESSED_BY.sub("", _LEAD_IN.sub("", text, count=1), count=1)
    return _TAIL.sub("", _PHONE.sub(lambda found: phone(found[0]), text))


def phone(number: str) -> str:
    """A telephone number as it is compared."""
    return _COUNTRY.sub("", re.sub(r"[ ()-]", "", number))


def others(text: str) -> Iterator[str]:
    """What a text that is not understood may be written for: a list parted by spaces, a last name
    before the first, 一、二组 for 一组、二组, "teams 1 and 2"."""
    given = {text}
    for way in (
        _SPACE.sub(",", text),
        _PARTICLES.sub("", text),
        _LAST_FIRST.sub(r"\2 \1", text),
        _NUMBERS.sub(_each_numbered, text),
        _EN_NUMBERS.sub(_each_team, text),
    ):
        if way not in given:
            given.add(way)
            yield way


def _each_numbered(found: re.Match[str]) -> str:
    numbers = re.findall(_N, found["numbers"])
    return "、".join(found["stem"] + one + found["kind"] for one in numbers)


def _each_team(found: re.Match[str]) -> str:
    stem = found["stem"].removeprefix("the ")
    numbers = re.findall(_EN, found["numbers"])
    return ", ".join(f"{stem}{found['kind']} {one}" for one in numbers)
