"""The one amount that a text is, read strictly: what a policy compares must not be guessed.

``1,200.50 元``, ``¥1200.5``, ``1.2万``, ``五百元``, ``25 kg``. What has several readings
(``1.200,50``, ``1e3``, ``007``) is none. Numbers inside a sentence are ``numerals``' concern.
"""

import re
import unicodedata
from decimal import Decimal

from msgspec import Struct

from pointsman.domain.values.numerals import CHINESE_DIGITS, chinese_number


class Amount(Struct, frozen=True, kw_only=True):
    """A number and its unit: a currency's code, ``%``, another unit as written in lower case, or
    nothing."""

    value: Decimal
    unit: str = ""


_CURRENCIES = {
    "CNY": "元 块 块钱 元整 人民币 rmb cny ¥ yuan",
    "USD": "美元 美金 usd $ us$ dollar dollars",
    "EUR": "欧元 eur € euro euros",
    "GBP": "英镑 gbp £",
    "JPY": "日元 jpy 円 yen",
    "HKD": "港元 港币 hkd hk$",
}
MONEY = frozenset(_CURRENCIES)
_UNITS = {word: code for code, words in _CURRENCIES.items() for word in words.split()}
_SCALES = {"百万": 10**6, "千万": 10**7, "百": 10**2, "千": 10**3, "万": 10**4, "亿": 10**8}
_SCALES |= {"k": 10**3, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_LONGEST = 60
_NONSENSE = re.compile(r"^[百千万亿点]|点$|(?=.*[十百千万亿]).*[一二两三四五六七八九]{2}")
"""A numeral that starts with its place, or has two digits for one place (三二百)."""
_BEFORE = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_SCALE = "|".join(f"{word}\\b" if word.isascii() else word for word in _SCALES)
_AMOUNT = re.compile(
    rf"(?P<sign>[-+−]?)(?P<before>{_BEFORE})?\s*"
    rf"(?:(?P<digits>[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?|(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)"
    rf"\s*(?P<scale>{_SCALE})?(?![0-9])"
    rf"|(?P<chinese>[{CHINESE_DIGITS}点]+))"
    r"\s*(?P<unit>[^\W\d_]+\$?|[%$€£¥])?"
)


def read_amount(text: str) -> Amount | None:
    """The amount that the whole text is, or None where it is none or has several readings."""
    if len(text) > _LONGEST:
        return None
    found = _AMOUNT.fullmatch(unicodedata.normalize("NFKC", text).strip().casefold())
    if found is None:
        return None
    if found["digits"]:
        value = Decimal(found["digits"].replace(",", ""))
        value *= _SCALES[found["scale"]] if found["scale"] else 1
    else:
        numeral = chinese_number(found["chinese"])
        if numeral is None or _NONSENSE.search(found["chinese"]):
            return None
        value = Decimal(repr(numeral))
    units = {_UNITS.get(word, word) for word in (found["before"], found["unit"]) if word}
    if len(units) > 1:
        return None
    return Amount(value=-value if found["sign"] in ("-", "−") else value, unit="".join(units))
