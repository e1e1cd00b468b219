"""Routes on the sample map: the quickest way through a city's roads, and how to say it."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cities import City, Place, Road
from faults import TravelFault
from places import Spot, metres, resolve

Mode = Literal["driving", "bicycling"]

_KMH: dict[Mode, dict[str, float]] = {
    "driving": {"express": 55, "main": 30, "street": 20},
    "bicycling": {"main": 14, "street": 14, "path": 16},
}
_VERB: dict[Mode, str] = {"driving": "行驶", "bicycling": "骑行"}
_WAIT_S = 25
"""What lights and crossings cost at the end of a main road's or street's section, in seconds."""

_COMPASS = ("北", "东北", "东", "东南", "南", "西南", "西", "西北")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One road of a route. ``turn`` is what to do at its end; empty at the destination."""

    instruction: str
    road: str
    direction: str
    distance_m: int
    turn: str


@dataclass(frozen=True, kw_only=True)
class End:
    """An end of a route; ``location`` is "lng,lat"."""

    name: str
    location: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A route: metres, minutes, and its steps unless they were not wanted."""

    mode: Mode
    origin: End
    destination: End
    distance_m: int
    duration_min: float
    steps: list[Step] | None = None


@dataclass(frozen=True, kw_only=True)
class _Leg:
    road: Road
    start: Place
    end: Place

    @property
    def length(self) -> float:
        return metres(self.start.lng, self.start.lat, self.end)

    @property
    def bearing(self) -> float:
        return _bearing(self.start, self.end)

    def seconds(self, mode: Mode) -> float:
        waits = self.road.kind in ("main", "street")
        return self.length / _KMH[mode][self.road.kind] * 3.6 + _WAIT_S * waits


def sample_route(origin: str, destination: str, mode: Mode) -> Plan:
    """The quickest route between two places of one city.

    Raises:
        TravelFault: an end is not known, or no way leads there.
    """
    start, end = resolve(origin, destination)
    legs = _quickest(start, end, mode)
    return Plan(
        mode=mode,
        origin=End(name=start.place.name, location=start.place.location),
        destination=End(name=end.place.name, location=end.place.location),
        distance_m=round(sum(leg.length for leg in legs)),
        duration_min=round(sum(leg.seconds(mode) for leg in legs) / 60, 1),
        steps=_steps(legs, mode),
    )


def _legs_from(city: City, mode: Mode) -> dict[str, list[_Leg]]:
    leaving: dict[str, list[_Leg]] = {name: [] for name in city.places}
    for road in city.roads:
        if road.kind in _KMH[mode]:
            for a, b in zip(road.along, road.along[1:], strict=False):
                for start, end in ((a, b), (b, a)):
                    leg = _Leg(road=road, start=city.places[start], end=city.places[end])
                    leaving[start].append(leg)
    return leaving


def _quickest(start: Spot, end: Spot, mode: Mode) -> list[_Leg]:
    """Dijkstra by seconds; ties go to the name, so that an answer never changes."""
    leaving = _legs_from(start.city, mode)
    queue: list[tuple[float, str]] = [(0.0, start.place.name)]
    best = {start.place.name: 0.0}
    came_by: dict[str, _Leg] = {}
    while queue:
        spent, here = heapq.heappop(queue)
        if here == end.place.name:
            return list(_trace(came_by, start.place.name, here))[::-1]
        if spent > best[here]:
            continue
        for leg in leaving[here]:
            total = spent + leg.seconds(mode)
            if total < best.get(leg.end.name, math.inf):
                best[leg.end.name], came_by[leg.end.name] = total, leg
                heapq.heappush(queue, (total, leg.end.name))
    raise TravelFault(f"没有从{start}到{end}的路线。", f"No way leads from {start} to {end}.")


def _trace(came_by: dict[str, _Leg], start: str, here: str) -> Iterator[_Leg]:
    while here != start:
        yield (leg := came_by[here])
        here = leg.start.name


def _steps(legs: list[_Leg], mode: Mode) -> list[Step]:
    """One step a road, each ending with the turn into the next."""
    runs: list[list[_Leg]] = []
    for leg in legs:
        if runs and runs[-1][-1].road is leg.road:
            runs[-1].append(leg)
        else:
            runs.append([leg])
    steps = []
    for run, following in zip(runs, [*runs[1:], None], strict=True):
        road, first, last = run[0].road.name, run[0], run[-1]
        direction = _COMPASS[round(_bearing(first.start, last.end) / 45) % 8]
        distance = round(sum(leg.length for leg in run))
        turn = _turn(last.bearing, following[0].bearing) if following else ""
        then = f"{turn}进入{following[0].road.name}" if following else f"到达{last.end.name}"
        steps.append(
            Step(
                instruction=f"沿{road}向{direction}{_VERB[mode]}{distance}米，{then}",
                road=road,
                direction=direction,
                distance_m=distance,
                turn=turn,
            )
        )
    return steps


def _bearing(a: Place, b: Place) -> float:
    """Degrees clockwise from north; the earth is flat enough inside a city."""
    east = (b.lng - a.lng) * math.cos(math.radians((a.lat + b.lat) / 2))
    return math.degrees(math.atan2(east, b.lat - a.lat)) % 360


def _turn(before: float, after: float) -> str:
    angle = (after - before + 180) % 360 - 180
    side = "右" if angle > 0 else "左"
    if abs(angle) < 25:
        return "直行"
    if abs(angle) < 60:
        return f"向{side}前方行驶"
    return f"{side}转" if abs(angle) < 150 else f"向{side}后方行驶"
