"""Quantities: a number with its unit, in every unit of the same kind.

"两个小时" is 2 hours, 120 minutes and 7200 seconds; "1w", "one week" and "一周" are the same.
"""

import re

from msgspec import Struct

from pointsman.domain.bounds import kept
from pointsman.domain.values.numerals import Number, numbers, whole_number

_UNITS: dict[str, dict[str, float]] = {
    "time": {
        "毫秒 ms millisecond milliseconds": 0.001,
        "秒 秒钟 s sec secs second seconds": 1,
        "分 分钟 min mins minute minutes": 60,
        "刻 刻钟": 900,
        "小时 个小时 钟头 个钟头 个钟 h hr hrs hour hours": 3600,
        "天 日 d day days": 86_400,
        "周 星期 个星期 个礼拜 礼拜 w wk week weeks": 604_800,
    },
    "months": {
        "个月 月 month months mo mth": 1,
        "季 季度 个季度 quarter quarters": 3,
        "年 year years yr yrs y": 12,
    },
    "length": {
        "毫米 mm millimeter millimeters millimetres": 0.001,
        "厘米 公分 cm centimeter centimeters centimetres": 0.01,
        "米 m meter meters metre metres": 1,
        "公里 千米 km kilometer kilometers kilometre kilometres": 1000,
        "里": 500,
    },
    "mass": {
        "毫克 mg": 0.001,
        "克 g gram grams": 1,
        "两": 50,
        "斤": 500,
        "公斤 千克 kg kilogram kilograms kilos": 1000,
        "吨 t ton tons tonnes": 1_000_000,
    },
    "bytes": {"kb": 1, "mb": 1024, "gb": 1024**2, "tb": 1024**3},
}
_KNOWN = {
    word: (kind, factor)
    for kind, units in _UNITS.items()
    for words, factor in units.items()
    for word in words.split()
}
_UNIT = "|".join(sorted(map(re.escape, _KNOWN), key=len, reverse=True))
_AFTER = re.compile(rf"[\s-]?(?:个)?(?P<unit>{_UNIT})(?P<half>半)?(?![A-Za-z])", re.IGNORECASE)
_WHOLE = re.compile(
    rf"(?P<number>.+?)[\s_-]?(?P<unit>{_UNIT})s?(?P<half>半)?", re.IGNORECASE | re.DOTALL
)
_SHORT_WEEKS = re.compile(r"(?<![\w.])(?P<count>\d{1,2})w(?![A-Za-z\d])", re.IGNORECASE)
_ONE = re.compile(
    rf"\b(?:the\s+)?(?:next|last|past|previous|coming|an?|each|every|per)[\s_-]+(?P<unit>{_UNIT})\b"
    rf"|(?:每|上|下|这|本|过去一?|最近一?|未来一?)个?(?P<zh>{_UNIT})",
    re.IGNORECASE,
)
_EVERY = {"daily": "day", "weekly": "week", "monthly": "month", "hourly": "hour", "yearly": "year"}
_REGULAR = re.compile(rf"\b(?:{'|'.join(_EVERY)})\b", re.IGNORECASE)


class Quantity(Struct, frozen=True):
    """So much of a kind, in the kind's smallest unit, and where it stands in the text."""

    kind: str
    amount: float
    start: int
    end: int


def whole_quantity(text: str) -> tuple[str, float] | None:
    """Kind and amount when the whole text is a number with a unit: ``48h``, ``1-week``, 两天."""
    text = text.strip()
    single = _ONE.fullmatch(text.replace("_", " "))
    if single:
        return _KNOWN[(single["unit"] or single["zh"]).lower()]
    found = _WHOLE.fullmatch(text)
    number = whole_number(found["number"]) if found else None
    if found is None or number is None:
        return None
    kind, factor = _KNOWN[found["unit"].lower()]
    return kind, (number + (0.5 if found["half"] else 0.0)) * factor


@kept(512)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number with a unit that stands in a text, and "a week", "每天" as one of the unit."""
    found = [
        quantity for number in numbers(text) if (quantity := _measured(text, number)) is not None
    ]
    for match in _ONE.finditer(text):
        kind, factor = _KNOWN[(match["unit"] or match["zh"]).lower()]
        found.append(Quantity(kind, factor, *match.span()))
    found += [
        Quantity("time", int(match["count"]) * 604_800, *match.span())
        for match in _SHORT_WEEKS.finditer(text)
    ]
    for match in _REGULAR.finditer(text):
        kind, factor = _KNOWN[_EVERY[match[0].lower()]]
        found.append(Quantity(kind, factor, *match.span()))
    return tuple(found)


def _measured(text: str, number: Number) -> Quantity | None:
    match = _AFTER.match(text, number.end)
    if match is None:
        return None
    kind, factor = _KNOWN[match["unit"].lower()]
    extra = 0.5 if match["half"] else 0.0
    return Quantity(kind, (number.value + extra) * factor, number.start, match.end())


def same_amount(value: float, quantity: Quantity) -> bool:
    """Whether a bare number is the quantity in any unit of its kind."""
    return any(
        abs(quantity.amount / factor - value) <= 1e-9 * max(1.0, abs(value))
        for factor in set(_UNITS[quantity.kind].values())
    )


def in_unit(quantity: Quantity, about: str) -> float | None:
    """The amount in the unit that a description names ("in minutes", 单位为分钟); None when it
    names none of this kind, or several."""
    folded = about.lower()
    factors = {
        factor
        for words, factor in _UNITS[quantity.kind].items()
        for word in words.split()
        if len(word) > 1 and _named(word, folded)
    }
    return quantity.amount / factors.pop() if len(factors) == 1 else None


def _named(word: str, text: str) -> bool:
    return word in text if not word.isascii() else bool(re.search(rf"\b{word}\b", text))
