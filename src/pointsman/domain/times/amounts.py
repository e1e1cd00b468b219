"""Rules for numbers in words and for lengths of time."""

from typing import Any

from msgspec.structs import replace

from pointsman.domain.times.calendar import Length, Unit
from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.written import Fraction, Number
from pointsman.domain.values.numerals import two_numbers

_SECONDS: dict[str, int] = {"second": 1, "minute": 60, "quarter hour": 900, "hour": 3600}
_DAYS: dict[str, int] = {"day": 1, "week": 7, "fortnight": 14, "weekend": 7}
_MONTHS: dict[str, int] = {
    "month": 1, "quarter": 3, "half year": 6, "year": 12, "decade": 120, "century": 1200,
}  # fmt: skip
_ZH_UNITS: dict[str, Unit] = {
    "年": "year", "月": "month", "月份": "month", "日": "day", "号": "day", "天": "day",
    "分": "minute", "刻": "quarter hour", "刻钟": "quarter hour", "quarter": "quarter",
    "weekdays": "weekday", "workdays": "workday",
}  # fmt: skip
_LONGEST = 100_000
_OR = ("or", "或", "或者")
_VAGUE = {"few": 3, "several": 3, "couple": 2, "pair": 2}


NUMBERS = Rules()
LENGTHS = Rules()


def unit_of(value: Any) -> Unit:
    """The unit that a word names; ``second`` is an ordinal number before it is a unit."""
    if value == 2:
        return "second"
    unit: Unit = _ZH_UNITS.get(value, value)
    return unit


def length(count: float, unit: Unit, *, vague: bool = False) -> Length | None:
    """So many units; None where the calendar has no such part (a quarter of a month)."""
    if not 0 <= count <= _LONGEST:
        return None
    if unit in _SECONDS:
        return Length(seconds=count * _SECONDS[unit], unit=unit, vague=vague)
    if unit in ("workday", "weekday"):
        return Length(workdays=int(count), unit=unit, vague=vague) if count == int(count) else None
    if unit in _DAYS:
        days = count * _DAYS[unit]
        if days != int(days):
            return Length(seconds=days * 86_400, unit="hour", vague=vague)
        return Length(days=int(days), unit=unit, vague=vague)
    months = count * _MONTHS[unit]
    unit = unit if months % _MONTHS[unit] == 0 else "month"
    days = 15 if months != int(months) and months * 2 == int(months * 2) else 0
    if months != int(months) and not days:
        return None
    return Length(months=int(months), days=days, unit=unit, vague=vague)


def counted(number: Number, unit: Unit, more: float = 0) -> Length | None:
    """As many units as the number says, and a part of one; two numbers in one word (两三天, 十七八
    分钟, 二三十分钟) are a range, of which the earlier is taken."""
    both = two_numbers(number.text)
    made = length((both[0] if both else number.value) + more, unit)
    return replace(made, least=True) if made and both else made


def plus(one: Length, other: Length) -> Length:
    return Length(
        months=one.months + other.months,
        days=one.days + other.days,
        workdays=one.workdays + other.workdays,
        seconds=one.seconds + other.seconds,
        unit=other.unit,
        vague=one.vague or other.vague,
        least=one.least or other.least,
    )


def _as(made: Length | None) -> Made:
    return None if made is None else ("length", made)


def _num(value: float) -> Made:
    return "num", Number(float(value), f"{value:.0f}")


@NUMBERS.rule("one:first (ten:tens one:last?|one:low)")
def _year_in_words(found: Found) -> Made:
    """Nineteen eighty six."""
    low = found["low"] if "low" in found else found["tens"] + (found["last"] or 0)
    if not 13 <= found["first"] <= 19 or not 10 <= low <= 99 or (found["last"] or 0) > 9:
        return None
    return "year", Number(float(found["first"] * 100 + low), "")


@NUMBERS.rule("ten:first (ten:tens one:last?|one:low)")
def _year_of_this_century(found: Found) -> Made:
    """Twenty twenty six."""
    low = found["low"] if "low" in found else found["tens"] + (found["last"] or 0)
    if found["first"] != 20 or not 10 <= low <= 99:
        return None
    return "year", Number(float(2000 + low), "")


@NUMBERS.rule("ten:tens dash? one:last")
def _tens(found: Found) -> Made:
    return _num(found["tens"] + found["last"]) if 0 < found["last"] < 10 else None


@NUMBERS.rule("ten:tens dash? <ord|second>:last")
def _ordinal(found: Found) -> Made:
    return ("ord", found["tens"] + found["last"]) if found["last"] < 10 else None


@NUMBERS.rule("one:value")
def _one(found: Found) -> Made:
    return _num(found["value"])


@NUMBERS.rule("ten:value")
def _ten(found: Found) -> Made:
    return _num(found["value"])


@NUMBERS.rule("<num|a>:count hundred:scale (and? num:rest)?", again=True)
def _hundreds(found: Found) -> Made:
    count = found["count"].value if isinstance(found["count"], Number) else 1
    rest = found["rest"].value if found["rest"] else 0
    if rest >= found["scale"]:
        return None
    value = count * found["scale"] + rest
    is_year = 1900 <= value < 2100 or (found["scale"] == 100 and 11 <= count < 20 and rest >= 10)
    return ("year" if is_year else "num"), Number(float(value), f"{value:.0f}")


@LENGTHS.rule("(?<!di)(?<!ge) num:count ge half <unit|zh_month|zh_sky>:unit")
def _and_a_half_zh(found: Found) -> Made:
    return _as(counted(found["count"], unit_of(found["unit"]), 0.5))


@LENGTHS.rule("<num|a>:count and a? half unit_en:unit")
def _and_a_half(found: Found) -> Made:
    count = found["count"].value if isinstance(found["count"], Number) else 1
    return _as(length(count + 0.5, unit_of(found["unit"])))


@LENGTHS.rule("<num|a>:count unit_en:unit and a half")
def _unit_and_a_half(found: Found) -> Made:
    return _and_a_half(found)


@LENGTHS.rule("a? half a? of? a? unit_en:unit")
def _half(found: Found) -> Made:
    return _as(length(0.5, unit_of(found["unit"])))


@LENGTHS.rule("a? quarter of? a unit_en:unit")
def _quarter(found: Found) -> Made:
    return _as(length(0.25, unit_of(found["unit"])))


@LENGTHS.rule("fraction:part of? a? unit_en:unit")
def _fraction(found: Found) -> Made:
    part: Fraction = found["part"]
    return _as(length(part.above / part.below, unit_of(found["unit"]))) if part.below else None


@LENGTHS.rule("a? few:few of? (more|business)? unit_en:unit")
def _few(found: Found) -> Made:
    return _as(
        length(
            _VAGUE[found["few"]], unit_of(found["unit"]), vague=found["few"] in ("few", "several")
        )
    )


@LENGTHS.rule("num:count dash? <quarter|unit>:quarters of? a unit_en:unit")
def _three_quarters(found: Found) -> Made:
    if found["quarters"] != "quarter":
        return None
    return _as(length(found["count"].value / 4, unit_of(found["unit"])))


@LENGTHS.rule("num:tens? few_zh ge? unit_zh:unit")
def _few_zh(found: Found) -> Made:
    """几天, 二十几年."""
    count = 3 + (found["tens"].value if found["tens"] else 0)
    return _as(length(count, unit_of(found["unit"]), vague=True))


@LENGTHS.rule("(?<!halved) half ge? <unit|zh_month|zh_year|zh_sky>:unit")
def _half_zh(found: Found) -> Made:
    return _as(length(0.5, unit_of(found["unit"])))


@LENGTHS.rule(
    "(?<!di)(?<!ge) num:count (ge <unit|zh_month|zh_sky>:unit|<zh_sky|quarter_hour>:own half:half?)"
)
def _counted_zh(found: Found) -> Made:
    unit = found["unit"] if "unit" in found else found["own"]
    return _as(counted(found["count"], unit_of(unit), 0.5 if "half" in found else 0))


@LENGTHS.rule("(?<!di) num:count <dated_zh|unit>:unit half")
def _with_half_zh(found: Found) -> Made:
    return _as(counted(found["count"], unit_of(found["unit"]), 0.5))


@LENGTHS.rule("(?<!di) num:count dated_zh:unit (?=approx? behind)")
def _before_a_shift_zh(found: Found) -> Made:
    """三日后, but not 5号前, 2018年以前 or 3月之前."""
    number: Number = found["count"]
    unit = found["unit"]
    if unit == "号" or (unit == "月" and number.text != "两"):
        return None
    year = unit == "年" and (number.value > 100 or number.text.startswith(("0", "零")))
    if year or (unit == "日" and number.text.isascii()):
        return None
    return _as(counted(number, unit_of(unit)))


@LENGTHS.rule("(?<=ahead) num:count dated_zh:unit")
def _after_a_shift_zh(found: Found) -> Made:
    return _as(counted(found["count"], unit_of(found["unit"])))


@LENGTHS.rule("(?<!di) num:count (more|business)? unit_en:unit (more)?")
def _counted(found: Found) -> Made:
    """3 hours, 三小时; 一季度 is the first quarter, not three months."""
    unit = unit_of(found["unit"])
    if unit in ("quarter", "century") and not found["count"].text.isascii():
        return None
    if unit == "day" and any(piece.kind == "business" for piece in found.all("business")):
        unit = "workday"
    return _as(counted(found["count"], unit))


@LENGTHS.rule(
    "(?<=in) num:count letter_m", "^ num:count letter_m $", "(?<=length) num:count letter_m"
)
def _minutes_letter(found: Found) -> Made:
    """In 5m, 1h30m: an m by itself can be metres and more."""
    return _as(counted(found["count"], "minute"))


@LENGTHS.rule("a more? unit_en:unit")
def _a_unit(found: Found) -> Made:
    return _as(length(1, unit_of(found["unit"])))


@LENGTHS.rule("(?<!<di|clock|month|may|within>) num:first <to|dash|and>:way length:last (?!inside)")
def _at_least(found: Found) -> Made:
    """5到10分钟, 2-3 days, 2 or 3 weeks: the earlier end of it."""
    if found.is_a("way", "and") and found["way"] not in _OR:
        return None
    last: Length = found["last"]
    first = length(found["first"].value, last.unit)
    if first is None or not 0 < _size(first) < _size(last):
        return None
    return "length", replace(first, least=True)


@LENGTHS.rule("length:one (and|comma)? length:other", again=True)
def _sum(found: Found) -> Made:
    one, other = found["one"], found["other"]
    return _as(plus(one, other)) if _size(other) < _size(one) or "and" in _names(found) else None


def _names(found: Found) -> set[str]:
    return {"and"} if found.all("and") else set()


@LENGTHS.rule("length:one num:minutes zh_minute")
def _minutes_zh(found: Found) -> Made:
    minutes = length(found["minutes"].value, "minute")
    return _as(plus(found["one"], minutes)) if minutes else None


def _size(length: Length) -> float:
    return length.months * 2_592_000 + (length.days + length.workdays) * 86_400 + length.seconds
