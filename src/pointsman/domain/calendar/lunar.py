"""The Chinese lunar calendar from 1900 to 2099, and the 24 solar terms.

A lunar month begins on the day of the new moon in China; a year has twelve of them, or thirteen
with a leap month that bears the number of the one before it.

Source: reckoned by us from the new moons and the sun's longitude (Meeus, Astronomical Algorithms,
chapters 25, 27 and 49) by the rules of GB/T 33661-2017.
"""

import math
from datetime import date, timedelta
from functools import lru_cache

_FIRST_YEAR, _DIGITS = 1900, 6
_YEARS = (
    "1716d23c0752260ea512b64a36064b1e0a9b0a955a30056a1a0b590457522a075214db253a0b25220a4b"
    "0cb4ab3202ad1c056b064b692c0da918fd923e0e92260d2510ba4d360a562002b60895b53006d41a0ea9"
    "065e922a0e9214cd2638052b220a570cb2b6320b5a1e06d4086ec92c074916f6933c0a9326052b0eca5b"
    "340aad20056a0a9b55300ba41a0b49045a932a0a9512f52d380536220aad0eb5aa3205b21c0da5087d4a"
    "2e0d4a170a953a0a9726055610cab5340ad52006d20a8ea5300ea51a064a026c97280a9b14f55a38056a"
    "220b690eb752340b521c0b2506964b2c0a4b1714ab3a02ad24056d10cb69360da9200d920a9d25300d25"
    "1b5a4d3e0a562802b612c5b53806d5220ea90ebe92340e921e0d26066a562a0a571714d63c035a2406d5"
    "10b6c936074920069308952b2e052b180a5b04555a28056a12fb553a0ba4240b490cba93320a951c052d"
    "068aad2a0ab51735aa3c05d2260da510dd4a360d4a200c950a952e2e0556180ab50455b22a06d212cea5"
    "38072522064b0cac97300cab1c055a066ad62c0b691777523c0b52260b2510da4b340a4b1e04ab08a55b"
    "2e05ad180b6a045b522a0d9214fd25380d25220a550cb4ad3204b61a05b5066daa2c0ec9191e923c0e92"
    "260d2610ca56340a571e05560886d52e07551a0749026e9328069312f52b38052b200a5b0cb55a32056a"
    "1c0b6506974a2c0b4a171a953c0a9524052d0ecaad340ab52005aa088ba52e0da51a0d4a047c95280c96"
    "12f94e380556220ab50cb5b23206d21c0ea5088e4a2a068b150c973a04ab24055b0ecad6340b6a200752"
    "0a97252e0b45180a8b02549b"
)
"""Six hex digits a year: bit n is set when the n-th month has 30 days; bits 13 to 16 the number of
the leap month, 0 for none; from bit 17 the days from 20 January to the first day."""
_TERMS = (
    "春分 清明 谷雨 立夏 小满 芒种 夏至 小暑 大暑 立秋 处暑 白露 秋分 寒露 霜降 立冬 小雪 大雪 "
    "冬至 小寒 大寒 立春 雨水 惊蛰"
).split()
TERMS = {name: 15 * n for n, name in enumerate(_TERMS)}
"""Solar term → longitude of the sun in degrees."""


_ORBIT = (
    (3_341_656, 4.6692568, 6283.07585), (34_894, 4.6261, 12_566.1517), (3497, 2.7441, 5753.3849),
    (3418, 2.8289, 3.5231), (3136, 3.6277, 77_713.7715), (2676, 4.4181, 7860.4194),
    (2343, 6.1352, 3930.2097), (1324, 0.7425, 11_506.7698), (1273, 2.0371, 529.691),
    (1199, 1.1096, 1577.3435), (990, 5.233, 5884.927), (902, 2.045, 26.298), (857, 3.508, 398.149),
    (780, 1.179, 5223.694), (753, 2.533, 5507.553), (505, 4.583, 18_849.228), (492, 4.205, 775.523),
    (357, 2.92, 0.067), (317, 5.849, 11_790.629), (284, 1.899, 796.298), (271, 0.315, 10_977.079),
    (243, 0.345, 5486.778), (206, 4.806, 2544.314), (205, 1.869, 5573.143), (202, 2.458, 6069.777),
)  # fmt: skip
"""Terms of the earth's longitude: size in 1e-8 rad, phase, rad per thousand years."""


def _year(year: int) -> int | None:
    at = (year - _FIRST_YEAR) * _DIGITS
    return int(_YEARS[at : at + _DIGITS], 16) if 0 <= at < len(_YEARS) else None


def lunar_month(year: int, month: int, *, leap: bool = False) -> tuple[date, date] | None:
    """First day of a lunar month and of the next; None where there is none or it is not known."""
    packed = _year(year)
    if packed is None or not 1 <= month <= 12:
        return None
    leap_month = packed >> 13 & 15
    if leap and leap_month != month:
        return None
    index = month - 1 + (1 if leap or (0 < leap_month < month) else 0)
    first = date(year, 1, 20) + timedelta(days=packed >> 17)
    first += timedelta(days=sum(29 + (packed >> n & 1) for n in range(index)))
    return first, first + timedelta(days=29 + (packed >> index & 1))


def lunar_day(year: int, month: int, day: int) -> date | None:
    """The day of a lunar date; None where the month has no such day. -1 is the month's last."""
    span = lunar_month(year, month)
    if span is None:
        return None
    named = span[1] - timedelta(days=1) if day == -1 else span[0] + timedelta(days=day - 1)
    return named if span[0] <= named < span[1] and day else None


@lru_cache(maxsize=256)
def solar_term(year: int, name: str) -> date | None:
    """The day in China on which the sun reaches the term's longitude in a year."""
    wanted = TERMS[name]
    days = ((wanted - 280.46) % 360) / 360 * 365.2422 + (year - 2000) * 365.2422 - 0.5
    for _ in range(5):
        days += ((wanted - _longitude(days) + 180) % 360 - 180) * 365.2422 / 360
    china = days + (8 / 24) - 69 / 86_400 + 0.5
    return date(2000, 1, 1) + timedelta(days=math.floor(china))


def _longitude(days: float) -> float:
    """The sun's apparent longitude in degrees, days after 2000-01-01 12:00 TT; within 0.001."""
    t = days / 365_250
    earth = 175_347_046 + 628_331_966_747 * t + 52_919 * t * t
    earth += sum(size * math.cos(at + speed * t) for size, at, speed in _ORBIT)
    earth += t * (206_059 * math.cos(2.678235 + 6283.07585 * t))
    earth += t * (4303 * math.cos(2.6351 + 12_566.1517 * t))
    node = math.radians(125.04 - 19_341.36 * t)
    return (math.degrees(earth / 1e8) + 180 - 0.00569 - 0.00478 * math.sin(node)) % 360
