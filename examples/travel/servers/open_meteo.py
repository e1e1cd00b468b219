"""Forecasts from Open-Meteo (https://open-meteo.com): no key, worldwide, asked for China only.

Source: https://open-meteo.com/en/docs and .../docs/geocoding-api. ``weather_code`` is the WMO code.
"""

import math
import os
import re
from collections.abc import Sequence
from datetime import date, timedelta

from pydantic import BaseModel

from cities import find_city
from dates import span
from faults import TravelFault
from forecast import Day, Forecast, Question, foreign, whole_day
from web import WebApi, timeout

DAYS = 15
"""Sixteen days are forecast; the last one's night would end on the seventeenth."""

_CHINA = {"CN", "HK", "MO", "TW"}
_WORDS = {
    code: words
    for words, codes in {
        "晴": (0, 1),
        "多云": (2,),
        "阴": (3,),
        "雾": (45, 48),
        "小雨": (51, 53, 55, 61),
        "冻雨": (56, 57, 66, 67),
        "中雨": (63,),
        "大雨": (65,),
        "小雪": (71, 77),
        "中雪": (73,),
        "大雪": (75,),
        "阵雨": (80, 81),
        "强阵雨": (82,),
        "阵雪": (85,),
        "强阵雪": (86,),
        "雷阵雨": (95,),
        "雷阵雨伴有冰雹": (96, 99),
    }.items()
    for code in codes
}
_BEAUFORT = (0.3, 1.6, 3.4, 5.5, 8.0, 10.8, 13.9, 17.2, 20.8, 24.5, 28.5, 32.7)
_WINDS = ("北风", "东北风", "东风", "东南风", "南风", "西南风", "西风", "西北风")
_DAILY = "temperature_2m_max,temperature_2m_min,relative_humidity_2m_mean"
_HOURLY = "weather_code,wind_speed_10m,wind_direction_10m"


class _Match(BaseModel):
    name: str
    latitude: float
    longitude: float
    country_code: str = ""
    admin1: str = ""
    feature_code: str = ""


class _Matches(BaseModel):
    results: list[_Match] = []


class _Daily(BaseModel):
    time: list[date]
    temperature_2m_max: list[float]
    temperature_2m_min: list[float]
    relative_humidity_2m_mean: list[float]


class _Hourly(BaseModel):
    weather_code: list[int]
    wind_speed_10m: list[float]
    wind_direction_10m: list[float]


class _Weather(BaseModel):
    daily: _Daily
    hourly: _Hourly


async def open_meteo_forecast(question: Question, today: date) -> Forecast:
    """The days asked for, from Open-Meteo.

    Raises:
        TravelFault: no such city, abroad, a day out of range, or the service fails.
    """
    first, last = span(question.start, question.end, today=today, days=DAYS)
    place = await _find(question)
    base = os.environ.get("OPEN_METEO_URL") or "https://api.open-meteo.com"
    api = WebApi(zh="天气服务", en="The weather service", url=base, timeout=timeout())
    answer = await api.get(
        "/v1/forecast",
        {
            "latitude": f"{place.latitude:.4f}",
            "longitude": f"{place.longitude:.4f}",
            "timezone": "Asia/Shanghai",
            "wind_speed_unit": "ms",
            "start_date": first.isoformat(),
            # The night of the last day ends on the next morning.
            "end_date": (last + timedelta(days=1)).isoformat(),
            "daily": _DAILY,
            "hourly": _HOURLY,
        },
    )
    if answer.get("error"):
        reason = str(answer.get("reason", ""))[:200]
        raise api.fault(f"拒绝了请求：{reason}", f"refused the request: {reason}")
    weather = api.read(_Weather, answer)
    try:
        return Forecast(data=[_day(weather, n) for n in range((last - first).days + 1)])
    except IndexError:
        raise api.incomplete() from None


async def _find(question: Question) -> _Match:
    """Where the city is.

    Raises:
        TravelFault: it is not found, or is abroad, or the service fails.
    """
    base = os.environ.get("OPEN_METEO_GEOCODING_URL") or "https://geocoding-api.open-meteo.com"
    api = WebApi(zh="地名服务", en="The place-name service", url=base, timeout=timeout())
    ours = find_city(question.place, province=question.province)
    # Two characters match whole names only, and the index holds 拉萨, not 拉萨市.
    name = ours.name if ours else re.sub(r"(?<=..)(市|自治州|地区)$", "", question.place)
    answer = await api.get("/v1/search", {"name": name, "language": "zh", "count": "20"})
    matches = api.read(_Matches, answer).results
    if question.city and (asked := question.province.strip()[:2]):
        matches = [m for m in matches if not m.admin1 or m.admin1.startswith(asked)]
    if not matches:
        raise TravelFault(f"没有找到城市“{question.place}”。", f"No city {question.place!r} found.")
    best = min(matches, key=lambda match: not match.feature_code.startswith("PPL"))
    if best.country_code.upper() not in _CHINA:
        raise foreign(question.place)
    return best


def _day(weather: _Weather, n: int) -> Day:
    daily, start = weather.daily, 24 * n
    by_day = _Half(weather.hourly, range(start + 8, start + 20))
    by_night = _Half(weather.hourly, range(start + 20, start + 32))
    return Day(
        wind_dir_day=by_day.wind,
        wind_level_day=by_day.level,
        temp_high=round(daily.temperature_2m_max[n]),
        condition=whole_day(by_day.words, by_night.words),
        wind_dir_night=by_night.wind,
        predict_date=daily.time[n].isoformat(),
        weather_day=by_day.words,
        wind_level_night=by_night.level,
        temp_low=round(daily.temperature_2m_min[n]),
        humidity=round(daily.relative_humidity_2m_mean[n]),
    )


class _Half:
    """Twelve hours, summed up: the most severe weather, the strongest wind, its mean direction."""

    def __init__(self, hourly: _Hourly, hours: Sequence[int]) -> None:
        code = max(hourly.weather_code[hour] for hour in hours)
        self.words = _WORDS.get(code, f"未知天气（代码 {code}）")
        speeds = [hourly.wind_speed_10m[hour] for hour in hours]
        self.level = str(sum(max(speeds) >= limit for limit in _BEAUFORT))
        angles = [math.radians(hourly.wind_direction_10m[hour]) for hour in hours]
        east = sum(v * math.sin(a) for v, a in zip(speeds, angles, strict=True))
        north = sum(v * math.cos(a) for v, a in zip(speeds, angles, strict=True))
        self.wind = _WINDS[round(math.degrees(math.atan2(east, north)) / 45) % 8]
