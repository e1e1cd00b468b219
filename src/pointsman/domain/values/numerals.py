"""Numbers as people write them: digits with groups, Chinese numerals, English number words.

``325`` is also ``３２５``, ``三百二十五``, ``three hundred and twenty-five``; ``35000`` is also
``3万5`` and ``35k``. What has two readings gives both (``1.000``).
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from pointsman.domain.bounds import kept

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
_DIGITS |= {c: n for n, c in enumerate("零壹贰叁肆伍陆柒捌玖")}
_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_MYRIADS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000}
_SCALES = _MYRIADS | {"千": 1000, "百": 100}
_ENGLISH = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_ENGLISH_TENS = {
    word: n * 10
    for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ORDINALS = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        1,
    )
}
_SHORT_SCALES = {"k": 1000, "m": 10**6, "bn": 10**9, "w": 10_000}
_LONGEST = 120
CHINESE_DIGITS = "零〇一二三四五六七八九十百千万亿两俩壹贰叁肆伍陆柒捌玖拾佰仟萬"

_WORD = "|".join(sorted([*_ENGLISH, *_ENGLISH_TENS, *_ENGLISH_SCALES], key=len, reverse=True))
_NUMBER = re.compile(
    r"(?P<percent>百分之)?"
    r"(?:(?P<minus>(?<![A-Za-z\d.)])[-−](?=[\d.$￥¥])|负|negative\s+|minus\s+)?"
    r"(?:[$€£¥￥]\s?)?"
    r"(?:(?P<digits>(?<![A-Za-z\d.])(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\w.])\.\d+)"
    rf"(?P<scale>\s?(?:[万萬亿]|[千百](?![克米瓦卡字帕赫分年])|(?:hundred|thousand|million|billion)\b"
    rf"|(?:k|bn|w|m)(?![A-Za-z\d])))?(?P<tail>(?<=[万千百])\d(?!\d))?"
    rf"|(?P<chinese>(?![百千万亿佰仟])(?!一[下些点般样直起定切旦共边方面同致])(?!(?<=[统唯万之])一)[{CHINESE_DIGITS}半]+(?:点[{CHINESE_DIGITS}]+(?![分刻钟]))?)"
    rf"|(?P<english>\b(?:(?:an?|half(?:\s+an?)?)\s+(?=(?:{_WORD})\b))?"
    rf"(?:{_WORD})(?:(?:[\s-]+and)?[\s-]+(?:{_WORD}))*\b(?P<and_half>\s+and\s+a\s+half\b)?)"
    rf"|(?P<ordinal>\b(?:{'|'.join(_ORDINALS)})\b)"
    r"|(?P<odd>\b(?:half(?:\s+an?)?|a\s+couple(?:\s+of)?|(?:a\s+)?dozen|twice|double|once)\b)))"
    r"(?P<after>\s?%|\s?percent\b|个半|个百分点)?",
    re.IGNORECASE,
)
_ODD = {"half": 0.5, "dozen": 12.0, "twice": 2.0, "double": 2.0, "once": 1.0, "couple": 2.0}


class Number(Struct, frozen=True):
    """A number in a text and where it stands. ``form`` names how it is written: ``digits``,
    ``numeral`` or ``percent``; a percentage keeps its figure (20 for 20 %). ``figure`` is
    what stands before a scale word: 1200 in "1200 million"."""

    value: float
    start: int
    end: int
    form: str
    figure: float


_ONE = "[一二三四五六七八九]"
_TWO = re.compile(f"(?P<tens>(?:{_ONE}?十)?)(?P<first>{_ONE})(?P<last>{_ONE})(?P<scale>[十百]?)")
_NEIGHBOURS = "一二三四五六七八九、三五"


def chinese_number(text: str) -> float | None:
    """The value of a Chinese numeral such as 三百二十五, 一百二, 两千零五, 二〇二六 or 半."""
    if text == "半":
        return 0.5
    if len(text) > _LONGEST // 4:
        return None
    whole, point, fraction = text.partition("点")
    if point:
        base = chinese_number(whole)
        if base is None or any(c not in _DIGITS for c in fraction):
            return None
        return base + float("0." + "".join(str(_DIGITS[c]) for c in fraction))
    if not whole or any(c not in _DIGITS and c not in _TENS and c not in _MYRIADS for c in whole):
        return None
    if len(whole) > 1 and all(c in _DIGITS for c in whole):
        return float("".join(str(_DIGITS[c]) for c in whole))
    return _composed(whole)


def two_numbers(text: str) -> tuple[float, float] | None:
    """Both numbers of a word that leaves open which: 两三, 三五, 十七八, 二三十."""
    found = _TWO.fullmatch(text.replace("两", "二"))
    if found is None or found["first"] + found["last"] not in _NEIGHBOURS:
        return None
    both = [f"{found['tens']}{one}{found['scale']}" for one in found.group("first", "last")]
    first, last = (chinese_number(one) or 0 for one in both)
    return first, last


def _composed(text: str) -> float:
    total = section = digit = 0
    unit = 1
    for c in text:
        if c in _DIGITS:
            digit, unit = _DIGITS[c], 1 if _DIGITS[c] == 0 else unit
        elif c in _MYRIADS:
            total, section, digit, unit = (total + section + digit) * _MYRIADS[c], 0, 0, _MYRIADS[c]
        else:
            section, digit, unit = section + (digit or 1) * _TENS[c], 0, _TENS[c]
    short = unit // 10 if digit and unit >= 100 and text[-1] in _DIGITS else 1
    return float(total + section + digit * short)


def english_number(text: str) -> float | None:
    """The value of English number words such as "twenty-five" or "two hundred and six"."""
    total = section = 0
    if len(text) > _LONGEST:
        return None
    words = [word for word in re.split(r"[\s-]+", text.strip().lower()) if word != "and"]
    if words and words[0] in ("a", "an", "half"):
        scale = english_number(" ".join(words[1:]))
        return scale if scale is None or words[0] != "half" else scale / 2
    for word in words:
        if word in _ENGLISH:
            section += _ENGLISH[word]
        elif word in _ENGLISH_TENS:
            section += _ENGLISH_TENS[word]
        elif word == "hundred":
            section = (section or 1) * 100
        elif word in _ENGLISH_SCALES:
            total, section = total + (section or 1) * _ENGLISH_SCALES[word], 0
        else:
            return None
    return float(total + section) if words else None


def whole_number(text: str) -> float | None:
    """The number that the whole text writes, or None."""
    text = text.strip()
    found = _NUMBER.fullmatch(text)
    return _value(found) if found else None


@kept(512)
def numbers(text: str) -> tuple[Number, ...]:
    """Every number that stands in a text (after width and case), in its order."""
    return tuple(_found(text))


def _found(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        value = _value(match)
        if value is None:
            continue
        form = "digits" if match["digits"] and not match["scale"] else "numeral"
        if match["percent"] or (match["after"] or "").strip() in ("%", "percent", "个百分点"):
            form = "percent"
        digits = match["digits"]
        figure = float(digits.replace(",", "")) if digits and match["scale"] else value
        yield Number(value, match.start(), match.end(), form, figure)


def _value(match: re.Match[str]) -> float | None:
    value = _bare(match)
    if value is None:
        return None
    if match["after"] == "个半":
        value += 0.5
    return -value if match["minus"] else value


def _bare(match: re.Match[str]) -> float | None:
    if digits := match["digits"]:
        if len(digits) > 40:
            return None
        value = float(digits.replace(",", ""))
        scale = (match["scale"] or "").strip().lower()
        if not scale:
            return value
        factor = _SCALES.get(scale) or _SHORT_SCALES.get(scale) or _ENGLISH_SCALES[scale]
        value = round(value * factor, 6)
        return value + int(match["tail"]) * factor / 10 if match["tail"] else value
    if match["chinese"]:
        text = match["chinese"]
        if len(text) > 1 and text.endswith("半"):
            text = text[:-1]
        return chinese_number(text)
    if match["ordinal"]:
        return float(_ORDINALS[match["ordinal"].lower()])
    if match["odd"]:
        return next(value for word, value in _ODD.items() if word in match["odd"].lower())
    half = match["and_half"] or ""
    worded = english_number(match["english"].removesuffix(half))
    return None if worded is None else worded + (0.5 if half else 0.0)
