"""A text as a row of pieces: its words of time, its numbers, and what means nothing here.

Below ``grammar``, which puts them together. Every piece knows its place in the text.
"""

import re
from collections.abc import Iterator

from pointsman.domain.times import chinese, english
from pointsman.domain.times.cascade import Piece, merged
from pointsman.domain.times.kinds import WEAK, kind
from pointsman.domain.times.written import NUMERIC, Number, numeric
from pointsman.domain.values.numerals import chinese_number

_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0x2019: 0x27}
_FOLD |= {code: code + 32 for code in range(0x41, 0x5B)} | chinese.TRADITIONAL
_FOLD |= {code: code - 0xFEC0 for code in range(0xFF21, 0xFF3B)}
_HAN = re.compile(
    "[年月日号號天周週星礼禮点點时時分秒刻鐘钟早晚夜午晨昏节節今明昨后後前现現马馬立春夏秋冬元除旬季岁歲底末初聽听尋琴"
    "噚端重七清腊正平圣聖双雙万國国此]|[而依]家"
)
_DIGITS = re.compile(
    r"\d[:：/.\-·hH]\d|\d\s?[apAP]\b|(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)|\d{8}|\d(?:st|nd|rd|th)\b"
    r"|\b(?:[aA]t|[aA]round|[aA]bout)\s+\d|[qQhH][1-4](?![A-Za-z0-9])|\d[hHmMdDwWsSqQ]\b"
)
_HALF_OF_DAY = re.compile(r"[\d\s][apAP]\s?\.?\s?[mM]\b")
_DIGIT = re.compile(r"\d")
_IN_WORDS = re.compile(
    r"\b(?:five|ten|twenty(?:[ -]five)?) past (?:one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve)\b|^\s*(?:ten|twenty(?:[ -]five)?) (?:to|till?) (?:one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve)\s*$"
)
_NAMES = re.compile(r"[a-z]+")
_UNTELLING = frozenset("at around after every this ago".split())
_COMMON = frozenset("the this that day time school work business".split())
_TELLING = frozenset(
    word
    for word, (name, _) in english.LEXICON.items()
    if kind(name) not in WEAK and name not in _UNTELLING
) | frozenset(
    max(
        re.findall("[a-z]+", " ".join((first, *rest))),
        key=lambda one: (one not in _COMMON, len(one)),
    )
    for first, listed in english.PHRASES.items()
    for rest, _ in listed
)
"""Words of which a text has one when it names a time in English."""
_WORD = re.compile(
    r"(?P<blank>[ \t\r\u00a0\u200b]+)|(?P<ap>(?<=[\d\s.])[ap]\s?\.?\s?m(?:\s?\.|\b))"
    r"|(?P<word>[a-z@&]+(?:'[a-z]+)*'?)|(?P<han>[一-鿿]+)"
    r"|(?P<dash>[-–—~〜]+)|(?P<comma>[,，;；、()（）/])|(?P<stop>[.?!。？！\n])|(?P<measure>[%％])|(?P<other>.)",
    re.DOTALL,
)
HAN = re.compile("[一-鿿]")
_TWO_LETTERS = re.compile("[a-z]{2}")
LETTERS = re.compile("[A-Za-zＡ-Ｚａ-ｚ]")
_ABBREVIATED = frozenset(
    (
        "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed weds thu thur thurs "
        "fri sat sun hr hrs min mins sec secs yr yrs wk wks qtr"
    ).split()
)
_OFFSET = re.compile(
    r"(?:\s?(?P<sign>[+-])(?P<hours>0?\d|1[0-4])(?::?(?P<minutes>[0-5]\d))?(?![\d:]))?(?:时间)?"
)
_NUMERAL = re.compile(f"[{chinese.NUMERALS}]+")
_A_BIT = re.compile(
    r"一点(?=[也都儿没不小])|(?<=[有早快慢多少大小好高低差]|(?<![今明昨当每后])晚)一点(?![半整钟\d零一二三四五])"
)
_AFTER_DAYS = re.compile(
    r"(?<=[天日周月年])[前后]天(?=气)|(?<=\w)(?<![我你您他她们在于到是的请从至])[前后](?=[早晨朝晚夜])"
)
"""Where 前 and 后 belong to what stands before them: 三天后早上 is not 后早."""


def names_times(text: str) -> bool:
    """Whether a text can name a time at all; costs a few microseconds."""
    if not text.isascii() and _HAN.search(text):
        return True
    if _DIGIT.search(text) and _DIGITS.search(text):
        return True
    lowered = text.lower()
    return not _TELLING.isdisjoint(_NAMES.findall(lowered)) or bool(
        _HALF_OF_DAY.search(lowered) or _IN_WORDS.search(lowered)
    )


def pieces(text: str) -> list[Piece]:
    """The text in pieces; blanks are left out, what means nothing is one piece as long as it
    goes."""
    return merged(_pieces(text.translate(_FOLD)))


def _pieces(text: str) -> Iterator[Piece]:
    at, size = 0, len(text)
    is_chinese = bool(HAN.search(text)) or not _TWO_LETTERS.search(text)
    while at < size:
        letter = text[at]
        if letter.isdigit() or (letter in "qh" and not text[at - 1 : at].isalpha()):
            numeral = NUMERIC.match(text, at)
            if numeral is not None:
                name, value = numeric(numeral, chinese=is_chinese)
                yield Piece(kind(name), at, numeral.end(), value)
                at = numeral.end()
                continue
        match = _WORD.match(text, at)
        assert match is not None
        name = str(match.lastgroup)
        if name == "word":
            found = list(_english(text, at, match[0]))
        elif name == "han":
            found = list(_chinese(text, at, match.end()))
        elif name == "ap":
            found = [Piece(kind("ap"), at, match.end(), f"{match[0][0]}m")]
        elif name == "blank":
            found = []
        else:
            found = [Piece(kind("x" if name == "other" else name), at, match.end(), None)]
        yield from found
        at = max(match.end(), found[-1].end if found else 0)


def _english(text: str, start: int, word: str) -> Iterator[Piece]:
    """A word, or several that are one name."""
    end = start + len(word)
    for rest, (name, value) in english.PHRASES.get(word, ()):
        if last := _follows(text, end, rest):
            yield Piece(kind(name), start, last, value)
            return
    if word in ("utc", "gmt") and (apart := _OFFSET.match(text, end)):
        minutes = int(apart["hours"] or 0) * 60 + int(apart["minutes"] or 0)
        minutes = -minutes if apart["sign"] == "-" else minutes
        yield Piece(kind("zone"), start, apart.end(), (word, minutes))
    elif word in english.LEXICON:
        name, value = english.LEXICON[word]
        end += word in _ABBREVIATED and text[end : end + 1] == "."
        yield Piece(kind(name), start, end, value)
    elif "'" in word:
        yield from _possessive(start, word)
    else:
        name, value = _GLUED.get(word, ("x", None))
        yield Piece(kind(name), start, end, value)


def _possessive(start: int, word: str) -> Iterator[Piece]:
    """Last week's, Christmas's."""
    stem = word.removesuffix("'s").removesuffix("'")
    names = [meaning for rest, meaning in english.PHRASES.get(stem, ()) if not rest]
    known = names[0] if names else english.LEXICON.get(stem)
    end = start + len(stem)
    if known is None:
        yield Piece(kind("x"), start, start + len(word), None)
        return
    yield Piece(kind(known[0]), start, end, known[1])
    yield Piece(kind("owns"), end, start + len(word), None)


_GLUED = {
    "h": ("hour_letter", "hour"), "s": ("letter", "second"), "d": ("letter", "day"),
    "w": ("letter", "week"), "m": ("letter_m", "minute"), "a": ("ap", "am"),
    "p": ("ap", "pm"), "am": ("ap", "am"), "pm": ("ap", "pm"), "ish": ("around", "ish"),
}  # fmt: skip
"""Letters that mean something behind a number; the rules look whether there is one."""


def _follows(text: str, at: int, words: tuple[str, ...]) -> int:
    """Where the words end that follow, or 0."""
    for word in words:
        while at < len(text) and text[at] in " -.\t":
            at += 1
        if not text.startswith(word, at):
            return 0
        at += len(word)
    return 0 if text[at : at + 1].isalpha() else at


def _chinese(text: str, at: int, end: int) -> Iterator[Piece]:
    """The longest words first; numerals are numbers."""
    while at < end:
        if match := _A_BIT.match(text, at) or _AFTER_DAYS.match(text, at):
            name = "x" if text[at] == "一" else "front" if text[at] == "前" else "back"
            last = match.end() if name == "x" else at + 1
            yield Piece(kind(name), at, last, None)
            at = last
            continue
        for size in range(min(chinese.LONGEST, end - at), 0, -1):
            known = chinese.LEXICON.get(text[at : at + size])
            if known is not None:
                yield from _spread(known, at, size)
                at += size
                break
        else:
            if match := _NUMERAL.match(text, at, end):
                yield Piece(kind("num"), at, match.end(), _number(match[0]))
                at = match.end()
            else:
                yield Piece(kind("x"), at, at + 1, None)
                at += 1


def _spread(known: tuple[chinese.Word, ...], at: int, size: int) -> Iterator[Piece]:
    if len(known) == 1:
        name, value = known[0]
        yield Piece(kind(name), at, at + size, value)
        return
    for n, (name, value) in enumerate(known):
        if name != "skip":
            last = at + size if n + 1 == len(known) or known[n + 1][0] == "skip" else at + n + 1
            yield Piece(kind(name), at + n, last, value)


def _number(text: str) -> Number:
    value = (
        chinese_number(text.replace("廿", "二十").replace("卅", "三十")) if len(text) < 12 else None
    )
    return Number(value if value is not None else -1, text)
