"""Which places a route is asked between: names with or without their city, or "lng,lat"."""

import difflib
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from cities import City, Place, cities, city_in, plain, short
from faults import TravelFault

SNAP_M = 3_000
"""How far from a known place coordinates may lie, in metres."""

_COORDINATES = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*[,，]\s*(-?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class Spot:
    """A place and its city."""

    city: City
    place: Place

    def __str__(self) -> str:
        name = self.place.name
        return name if self.city.name in name else self.city.name + name


def metres(lng: float, lat: float, place: Place) -> float:
    """Distance on the sphere."""
    a, b = math.radians(lat), math.radians(place.lat)
    across = math.sin(math.radians(place.lng - lng) / 2) ** 2 * math.cos(a) * math.cos(b)
    return 2 * 6_371_000 * math.asin(math.sqrt(math.sin((b - a) / 2) ** 2 + across))


def coordinates(text: str) -> tuple[float, float] | None:
    """Longitude and latitude if ``text`` is "lng,lat", else None.

    Raises:
        TravelFault: two numbers that are no point on earth in this order.
    """
    match = _COORDINATES.fullmatch(text)
    if match is None:
        return None
    lng, lat = float(match[1]), float(match[2])
    if abs(lng) > 180 or abs(lat) > 90:
        raise TravelFault(
            f"坐标“{text}”无效，应为“经度,纬度”，如 104.0683,30.6063。",
            f"{text!r} is no coordinate; write longitude,latitude such as 104.0683,30.6063.",
        )
    return lng, lat


def resolve(origin: str, destination: str) -> tuple[Spot, Spot]:
    """The two ends of a route. A name that exists in several cities goes with the other end.

    Raises:
        TravelFault: an end is missing, unknown or ambiguous, or the ends are in different cities
            or the same place.
    """
    starts, ends = _candidates(origin), _candidates(destination)
    shared = {s.city.name for s in starts} & {s.city.name for s in ends}
    start = _one(origin, starts, shared, other=destination)
    end = _one(destination, ends, shared, other=origin)
    if start.city is not end.city:
        raise TravelFault(
            f"示例地图只有市内路线，{start}和{end}不在同一个城市。",
            f"The sample map has no routes between cities: {start.city.english}, "
            f"{end.city.english}.",
        )
    if start.place is end.place:
        raise TravelFault(f"起点和终点都是{start}。", f"Both ends are the same place: {start}.")
    return start, end


def _candidates(text: str) -> list[Spot]:
    if not text.strip():
        raise TravelFault("请给出起点和终点。", "Give both origin and destination.")
    if point := coordinates(text):
        return [_nearest(text, *point)]
    name = plain(text)
    named = city_in(text)
    if named and (place := named.by_key.get(short(named.without_prefix(name)))):
        return [Spot(named, place)]
    everywhere = cities().values()
    return [Spot(c, place) for c in everywhere if (place := c.by_key.get(short(name)))]


def _nearest(text: str, lng: float, lat: float) -> Spot:
    spots = [Spot(city, place) for city in cities().values() for place in city.places.values()]
    spots.sort(key=lambda spot: metres(lng, lat, spot.place))
    if metres(lng, lat, spots[0].place) > SNAP_M:
        near = [f"{spot}({metres(lng, lat, spot.place) / 1000:.1f} km)" for spot in spots[:3]]
        raise TravelFault(
            f"坐标 {text} 附近没有已知地点，最近的是：{'、'.join(near)}。",
            f"No known place near {text}; the nearest are {', '.join(near)}.",
        )
    return spots[0]


def _one(text: str, spots: list[Spot], shared: set[str], *, other: str) -> Spot:
    if not spots:
        raise _unknown(text, city_in(text) or city_in(other))
    fitting = [spot for spot in spots if spot.city.name in shared] or spots
    if len(fitting) > 1:
        names = "、".join(map(str, fitting))
        raise TravelFault(
            f"“{text}”可能是：{names}。请写上城市。",
            f"{text!r} may be one of {names}; name the city.",
        )
    return fitting[0]


def _unknown(text: str, city: City | None) -> TravelFault:
    if city is None:
        spots = {str(Spot(c, p)): p.name for c in cities().values() for p in c.places.values()}
        near = [full for full, name in spots.items() if name in _similar(text, spots.values())]
        where = "、".join(near) or "、".join(cities())
        return TravelFault(
            f"没有找到“{text}”，请写上城市。已知的{'地点' if near else '城市'}：{where}。",
            f"{text!r} is not known; name the city. Known {'places' if near else 'cities'}: "
            f"{where}.",
        )
    rest = city.without_prefix(plain(text))
    known = dict.fromkeys([*_similar(rest, city.places), *city.places])
    where = "、".join(list(known)[:8])
    return TravelFault(
        f"{city.name}没有找到“{text}”，附近已知的地点：{where}。",
        f"{text!r} is not known in {city.english}; known places nearby: {where}.",
    )


def _similar(text: str, names: Iterable[str]) -> list[str]:
    return difflib.get_close_matches(text, list(names), n=5, cutoff=0.5)
