"""The sample forecast: a table by city and day offset, so that it is stable on any date."""

from dataclasses import dataclass
from datetime import date, timedelta

from cities import City, cities, find_city, is_foreign
from dates import span
from faults import TravelFault

DAYS = 7


@dataclass(frozen=True, kw_only=True)
class Day:
    """One day's weather. Degrees Celsius, Beaufort levels, percent; ``predict_date`` in ISO form.

    ``condition`` is the whole day in words, ``weather_day`` the daytime alone.
    """

    wind_dir_day: str
    wind_level_day: str
    temp_high: int
    condition: str
    wind_dir_night: str
    predict_date: str
    weather_day: str
    wind_level_night: str
    temp_low: int
    humidity: int


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What ``DayWeather`` answers: the days in order."""

    data: list[Day]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of ``DayWeather``, as the caller wrote it."""

    city: str
    province: str = ""
    start: str = ""
    end: str = ""

    @property
    def place(self) -> str:
        """The city's name; a municipality is often given as its province.

        Raises:
            TravelFault: neither is given.
        """
        if name := self.city.strip() or self.province.strip():
            return name
        raise TravelFault("请给出要查询的城市。", "Which city? Give its name.")


def whole_day(day: str, night: str) -> str:
    """多云, or 多云转小雨 when the night differs."""
    return day if day == night else f"{day}转{night}"


def _day(city: City, today: date, when: date) -> Day:
    row = city.forecast[(when - today).days]
    return Day(
        wind_dir_day=row.wind_day,
        wind_level_day=row.level_day,
        temp_high=row.high,
        condition=whole_day(row.day, row.night),
        wind_dir_night=row.wind_night,
        predict_date=when.isoformat(),
        weather_day=row.day,
        wind_level_night=row.level_night,
        temp_low=row.low,
        humidity=row.humidity,
    )


def foreign(name: str) -> TravelFault:
    return TravelFault(
        f"“{name}”不在国内，这里只能查询国内城市的天气。",
        f"{name!r} is not in China; only cities in China are covered.",
    )


async def sample_forecast(question: Question, today: date) -> Forecast:
    """The days asked for, from our own table.

    Raises:
        TravelFault: no such city here, abroad, in another province, or a day out of range.
    """
    city = find_city(question.place, province=question.province)
    if city is None:
        if is_foreign(question.place):
            raise foreign(question.place)
        raise TravelFault(
            f"没有“{question.place}”的天气数据，现有城市：{'、'.join(cities())}。",
            f"No weather for {question.place!r}; the cities are "
            f"{', '.join(city.english for city in cities().values())}.",
        )
    first, last = span(question.start, question.end, today=today, days=DAYS)
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return Forecast(data=[_day(city, today, when) for when in days])
