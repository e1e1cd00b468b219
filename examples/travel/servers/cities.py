"""The cities that we have our own data for, read from ``data/*.toml``, and how they are named.

Sample data, made for this example: a week of weather counted from today, and a small road map.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from faults import TravelFault

DATA = Path(__file__).parent.parent / "data"

FOREIGN = frozenset(
    """
    东京 大阪 京都 首尔 釜山 曼谷 新加坡 吉隆坡 河内 雅加达 马尼拉 新德里 孟买 迪拜 伊斯坦布尔
    开罗 莫斯科 伦敦 巴黎 柏林 慕尼黑 罗马 米兰 马德里 巴塞罗那 阿姆斯特丹 维也纳 苏黎世 日内瓦
    雅典 纽约 华盛顿 波士顿 芝加哥 洛杉矶 旧金山 西雅图 温哥华 多伦多 悉尼 墨尔本 奥克兰 圣保罗
    tokyo osaka kyoto seoul bangkok singapore kualalumpur dubai moscow london paris berlin rome
    madrid amsterdam vienna newyork washington boston chicago losangeles sanfrancisco seattle
    vancouver toronto sydney melbourne
    """.split()
)
"""Well-known cities abroad, so that asking for one is told apart from asking for one we lack."""

_DISTRICT = re.compile(r".{1,8}(区|县|旗|镇|乡|村|街道)")
_TAIL = re.compile(r"(火车站|高铁站|地铁站|站|风景名胜区|风景区|景区|[东南西北正]门|入口|附近)$")


@dataclass(frozen=True, kw_only=True)
class Place:
    """A named point; ``also`` holds its other names. Degrees, GCJ-02."""

    name: str
    lng: float
    lat: float
    also: tuple[str, ...] = ()

    @property
    def location(self) -> str:
        return f"{self.lng:.6f},{self.lat:.6f}"


@dataclass(frozen=True, kw_only=True)
class Road:
    """A two-way road through places. ``kind``: express, main, street or path."""

    name: str
    kind: str
    along: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class WeatherRow:
    """One day of the sample forecast: words, degrees Celsius, Beaufort levels, percent."""

    day: str
    night: str
    high: int
    low: int
    wind_day: str
    level_day: str
    wind_night: str
    level_night: str
    humidity: int


@dataclass(frozen=True, kw_only=True)
class City:
    """A city; the first row of ``forecast`` is today's."""

    name: str
    english: str
    province: str
    forecast: tuple[WeatherRow, ...]
    places: dict[str, Place]
    roads: tuple[Road, ...]

    @cached_property
    def prefix(self) -> re.Pattern[str]:
        """What may stand before a place of this city: province and city, long or short."""
        # The 市 of 市民中心 belongs to the place.
        return re.compile(
            rf"(?:中国)?(?:{self.province}(?:省|市|壮族自治区|自治区)?)?"
            rf"(?:{self.name}(?:市(?![民场政中]))?|{plain(self.english)}(?:city)?)的?"
        )

    @cached_property
    def by_key(self) -> dict[str, Place]:
        """Place by every short form of its names."""
        found: dict[str, Place] = {}
        for place in self.places.values():
            for name in (place.name, *place.also):
                for form in (plain(name), self.without_prefix(plain(name))):
                    found.setdefault(short(form), place)
        return found

    def without_prefix(self, text: str) -> str:
        """``text`` (plain) without the names of this city at its start; never empty."""
        while (match := self.prefix.match(text)) and match.end() < len(text):
            text = text[match.end() :]
        return text


def plain(text: str) -> str:
    """Half-width, lower case, without spaces and punctuation inside."""
    return re.sub(r"[\s·,、'\"“”「」()-]", "", unicodedata.normalize("NFKC", text)).casefold()


def short(text: str) -> str:
    """A plain place name without what people add or leave out at its end (站, 南门, 景区 …)."""
    while (cut := _TAIL.sub("", text)) and cut != text:
        text = cut
    return text


@cache
def cities() -> dict[str, City]:
    """Every city of the sample data, by its Chinese short name."""
    return {city.name: city for city in map(_read, sorted(DATA.glob("*.toml")))}


def _read(path: Path) -> City:
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    fields = WeatherRow.__dataclass_fields__
    places = [
        Place(name=p["name"], lng=p["at"][0], lat=p["at"][1], also=tuple(p.get("also", ())))
        for p in raw["places"]
    ]
    return City(
        name=raw["name"],
        english=raw["english"],
        province=raw["province"],
        forecast=tuple(
            WeatherRow(**dict(zip(fields, row, strict=True))) for row in raw["forecast"]
        ),
        places={place.name: place for place in places},
        roads=tuple(Road(name=n, kind=k, along=tuple(along)) for n, k, along in raw["roads"]),
    )


def split_city(text: str) -> tuple[City | None, str]:
    """The city whose name the plain ``text`` starts with, and what follows."""
    for city in cities().values():
        if match := city.prefix.match(text):
            return city, text[match.end() :]
    return None, text


def city_in(text: str) -> City | None:
    """The city whose name ``text`` starts with, if any."""
    return split_city(plain(text))[0]


def find_city(name: str, *, province: str = "") -> City | None:
    """The city called ``name``; a district after it is allowed (成都市武侯区). None: not ours.

    Raises:
        TravelFault: the city is ours but lies in another province.
    """
    city, rest = split_city(plain(name))
    if city is None or (rest and not _DISTRICT.fullmatch(rest)):
        return None
    asked = re.sub(r"(省|市|壮族自治区|自治区)$", "", plain(province))
    if asked and asked not in (city.province, city.name):
        raise TravelFault(
            f"{city.name}不属于“{province}”，而属于{city.province}。",
            f"{city.english} is not in {province!r}.",
        )
    return city


def is_foreign(name: str) -> bool:
    """Whether ``name`` is a well-known city outside China."""
    return plain(name).removesuffix("市").removesuffix("city") in FOREIGN
