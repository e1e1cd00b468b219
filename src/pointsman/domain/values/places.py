"""Place names with and without what kind of place they are, and in two languages.

成都 is 成都市 is Chengdu; 内蒙古 is 内蒙古自治区; the US is 美国. The table is small on
purpose: what it does not know is compared as it is written.
"""

import re
from functools import lru_cache

from pointsman.domain.values.place_table import COORDINATES, INSIDE, PLACES

_KINDS = (
    "特别行政区|壮族自治区|回族自治区|维吾尔自治区|自治区|自治州|自治县|地区|新区|街道|市"
    "|省|区|县|州|盟|旗|镇|乡|村"
)
_SPLIT = re.compile(rf"(?<=[一-鿿])(?:{_KINDS})")
_EN_KIND = re.compile(
    r"\b(?:city|province|state|district|county|town|the|of|municipality)\b|[.,]", re.IGNORECASE
)

_GROUPS = [
    frozenset(name.replace("_", " ").casefold() for name in group.split())
    for line in PLACES.strip().splitlines()
    for group in line.split("|")
]
_SAME: dict[str, frozenset[str]] = {}
for _group in _GROUPS:
    for _name in _group:
        _SAME[_name] = _SAME.get(_name, frozenset()) | _group


def place_core(name: str) -> str:
    """The name without its last 市, 省, "city" …, in lower case."""
    plain = _EN_KIND.sub(" ", name.casefold())
    plain = " ".join(plain.split())
    core = re.sub(rf"(?<=[一-鿿]{{2}})(?:{_KINDS})$", "", plain)
    return core or plain


def place_parts(name: str) -> list[str]:
    """The places that a Chinese name is built of, from the widest: 四川省成都市 → 四川, 成都."""
    return [part for part in _SPLIT.split(name.casefold()) if len(part) > 1]


_NEAR = 0.25
"""Degrees that a city's coordinates may differ from its middle."""
_CITY_AT = {
    name: (float(latitude), float(longitude))
    for line in COORDINATES.strip().splitlines()
    for entry in line.split("|")
    for *words, latitude, longitude in [entry.split()]
    for name in [" ".join(words)]
}


@lru_cache(maxsize=512)
def cities_near(degrees: float, *, longitude: bool) -> tuple[str, ...]:
    """Every way to write the large cities that lie at a latitude or longitude."""
    return tuple(
        name
        for city, place in _CITY_AT.items()
        if abs(place[longitude] - degrees) <= _NEAR
        for name in _SAME.get(city, frozenset({city}))
        if len(name) > 2 or not name.isascii()
    )


@lru_cache(maxsize=512)
def places_inside(country: str) -> tuple[str, ...]:
    """Every way to write the large cities and provinces of a country, itself written in any way."""
    return tuple(
        name
        for key, listed in INSIDE.items()
        if country.casefold() in _SAME.get(key, frozenset())
        for place in listed.split("|")
        for name in _SAME.get(place, frozenset({place}))
        if len(name) > 2 or not name.isascii()
    )


@lru_cache(maxsize=2048)
def same_places(name: str) -> frozenset[str]:
    """Every known way to write the place, in lower case; itself and its core when it is unknown."""
    core = place_core(name)
    return _SAME.get(core, frozenset()) | _SAME.get(name.casefold(), frozenset()) | {core}


def is_place(name: str) -> bool:
    """Whether the table knows the name, or it ends like a place (朝阳区)."""
    core = place_core(name)
    return core in _SAME or (bool(_SPLIT.search(name)) and len(core) > 1 and core != name)
