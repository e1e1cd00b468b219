"""Rules for clock times in words: 三点半, half past three, 3 pm, at 5."""

from pointsman.domain.times.cascade import Found, Made, Rules
from pointsman.domain.times.clocks import Clock, in_part, on_clock
from pointsman.domain.times.written import Number
from pointsman.domain.values.numerals import two_numbers

HOURS = Rules()


def _whole(number: Number | None) -> int:
    if number is None:
        return 0
    return int(number.value) if number.value == int(number.value) else -1


def _clock(hour: int, minute: int = 0, second: int = 0, part: str = "") -> Made:
    if hour < 0 or minute < 0 or second < 0:
        return None
    return "clock", on_clock(hour, minute, second, part=part)


def _dotted(number: Number) -> tuple[int, int] | None:
    """Hour and minute of 6 or 6.45."""
    hour, point, minute = number.text.partition(".")
    if point and (len(minute) != 2 or minute > "59"):
        return None
    return (
        (int(hour), int(minute or 0))
        if hour.isdecimal() and int(hour) <= 24
        else ((_whole(number), 0) if not point and 0 <= number.value <= 24 else None)
    )


def _packed(number: Number) -> tuple[int, int] | None:
    """Hour and minute of 1030."""
    text = number.text
    if len(text) not in (3, 4) or not text.isdecimal() or text[-2:] > "59" or int(text) > 2400:
        return None
    if len(text) == 3 and text[-1] not in "05":
        return None
    return int(text[:-2]), int(text[-2:])


_ZH_MINUTES = (
    "(half:half|step half:step_half|step num:fives|num:quarters quarter_hour|sharp"
    "|num:minute zh_minute (num:second unit)?|num:minute_only (?!unit_start|zh_minute|dash|to)"
    "|pass? num:over zh_minute)?"
)


@HOURS.rule("lack num:less <zh_minute|unit|quarter_hour>:unit anypart:part? num:hour zh_hour")
def _lacking_before(found: Found) -> Made:
    return _lacking(found)


@HOURS.rule("anypart:part? de? num:hour zh_hour lack num:less <zh_minute|unit|quarter_hour>:unit")
def _lacking(found: Found) -> Made:
    """差5分8点, 8点差一刻."""
    less = _whole(found["less"]) * (15 if str(found["unit"]).startswith("刻") else 1)
    if not 0 < less < 60:
        return None
    return _clock(_whole(found["hour"]) - 1, 60 - less, part=found["part"] or "")


@HOURS.rule(f"(?<!di) anypart:part? de? approx? num:hour zh_hour {_ZH_MINUTES} (?!points)")
def _chinese(found: Found) -> Made:
    hour: Number = found["hour"]
    minute = _whole(found["minute"] or found["minute_only"] or found["over"])
    if "half" in found or "step_half" in found:
        minute = 30
    elif "quarters" in found:
        minute = _whole(found["quarters"]) * 15
    elif "fives" in found:
        minute = _whole(found["fives"]) * 5
    part = found["part"] or ""
    if both := two_numbers(hour.text):
        return "clock", on_clock(int(both[0]), minute, part=part, later=int(both[1]))
    return _clock(_whole(hour), minute, _whole(found["second"]), part)


@HOURS.rule("digital:clock zh_hour")
def _digital_hour(found: Found) -> Made:
    return "digital", found["clock"]


@HOURS.rule("anypart:part de? digital:clock")
def _digital_in_part(found: Found) -> Made:
    return "clock", in_part(found["clock"], found["part"])


@HOURS.rule("anypart:part? num:hour (?=<to|dash> num zh_hour)")
def _first_of_two(found: Found) -> Made:
    """The 五 of 早上五到六点."""
    hour = _whole(found["hour"])
    return _clock(hour, part=found["part"] or "") if 0 <= hour <= 24 else None


@HOURS.rule("digital:clock stop? ap:half")
def _digital_half(found: Found) -> Made:
    return "clock", in_part(found["clock"], found["half"])


@HOURS.rule("num:hour num:minute ap:half")
def _two_numbers_half(found: Found) -> Made:
    hour, minute = _whole(found["hour"]), _whole(found["minute"])
    return (
        _clock(hour, minute, part=found["half"]) if 1 <= hour <= 12 and 0 <= minute < 60 else None
    )


@HOURS.rule("num:hour stop? ap:half (?!and x)")
def _half_of_day(found: Found) -> Made:
    at = _packed(found["hour"]) or _dotted(found["hour"])
    return _clock(*at, part=found["half"]) if at and at[0] <= 24 else None


@HOURS.rule("half past_word? num:hour oclock? ap:half?")
def _half_past(found: Found) -> Made:
    """Half past three, half three."""
    hour = _whole(found["hour"])
    return _clock(hour, 30, part=found["half"] or "") if 1 <= hour <= 12 else None


@HOURS.rule(
    "a? <num|quarter>:less minutes_word? <to|before|until> <num|clock|noon|midnight>:hour"
    " oclock? ap:half?"
)
def _to(found: Found) -> Made:
    """Quarter to four, ten minutes to noon; not the range two to four."""
    is_quarter = not isinstance(found["less"], Number)
    minutes = any(piece.value == "minute" for piece in found.all("unit"))
    if not (is_quarter or minutes or isinstance(found["hour"], Clock | str)):
        return None
    less = 15 if is_quarter else _whole(found["less"])
    if not is_quarter and not minutes and less not in (5, 10, 15, 20, 25):
        return None
    return _moved(found, -less)


@HOURS.rule(
    "(?<=<at|day>) num:less <to|until> num:hour (?!no_hour|ap|oclock)",
    "^ num:less <to|until> num:hour (?=<day|tonight>|in the? part|$)",
)
def _to_in_words(found: Found) -> Made:
    """Ten to nine tomorrow; 10 to 11 and ten to eleven are ranges."""
    less, hour = found["less"], found["hour"]
    in_words = any(
        piece.value is less and piece.end - piece.start > len(less.text) for piece in found.pieces()
    )
    if not in_words or _whole(less) not in (10, 20, 25):
        return None
    return _moved(found, -_whole(less)) if 1 <= _whole(hour) < min(_whole(less), 13) else None


@HOURS.rule("(?<=at) num:less to num:hour (?!no_hour|ap|oclock)")
def _five_to(found: Found) -> Made:
    """At five to twelve; five to twelve without "at" may be a range."""
    less, hour = found.pieces()[0], _whole(found["hour"])
    in_words = less.end - less.start > len(less.value.text)
    return _moved(found, -5) if in_words and less.value.text == "5" and 1 <= hour <= 12 else None


@HOURS.rule(
    "(half_past|a? <num|quarter|half>:more minutes_word? past_word) <num|clock|noon|midnight>:hour"
    " oclock? ap:half?",
    "(?<!every) num:more unit from <clock|noon|midnight>:hour oclock? ap:half?",
)
def _past(found: Found) -> Made:
    """A quarter past 2pm, 20 past noon, 15 minutes from 1 pm."""
    if any(piece.value != "minute" for piece in found.all("unit")):
        return None
    more = found["more"]
    return _moved(
        found, _whole(more) if isinstance(more, Number) else 15 if more == "quarter" else 30
    )


def _moved(found: Found, minutes: int) -> Made:
    of = found["hour"]
    if not 0 < abs(minutes) < 60:
        return None
    if isinstance(of, Number):
        hour, part = _whole(of), found["half"] or ""
        if not 0 <= hour <= 24:
            return None
    elif isinstance(of, Clock):
        hour, part = of.hour, of.part or found["half"] or ""
        if of.minute:
            return None
    else:
        hour, part = (12, "pm") if of in ("noon", "midday", None) else (24, "")
    if minutes < 0:
        hour, minutes = (hour - 1) % 24 or 12, 60 + minutes
    return _clock(hour, minutes, part=part)


@HOURS.rule("num:hour num:minute? oclock")
def _oclock(found: Found) -> Made:
    hour = _whole(found["hour"])
    return _clock(hour, _whole(found["minute"])) if 0 <= hour <= 24 else None


@HOURS.rule("clock:clock oclock? in? the? ap:half")
def _told_half(found: Found) -> Made:
    return "clock", in_part(found["clock"], found["half"])


@HOURS.rule("noon")
def _noon(found: Found) -> Made:
    return "clock", Clock(hours=(12,), hour=12)


@HOURS.rule("midnight")
def _midnight(found: Found) -> Made:
    return "clock", Clock(hours=(24,), hour=24)


@HOURS.rule(
    "at around? num:hour num:minute unit:unit (?!no_hour)",
    "at around? num:hour num:minute (?!no_hour)",
    "(?<=day) num:hour num:minute (?!no_hour)",
    "^ num:hour num:minute (?=<day|tonight>)",
)
def _at_two_numbers(found: Found) -> Made:
    if any(piece.value != "minute" for piece in found.all("unit")):
        return None
    hour, minute = _whole(found["hour"]), _whole(found["minute"])
    return _clock(hour, minute) if 0 <= hour <= 24 and 10 <= minute < 60 else None


@HOURS.rule("<at|around> around? num:hour around? (?!no_hour)")
def _at(found: Found) -> Made:
    """At 5, around 1030; not "about 5 people"."""
    number: Number = found["hour"]
    if packed := _packed(number):
        return _clock(*packed)
    if not found.all("at") or not (at := _dotted(number)):
        return None
    return _clock(*at)


@HOURS.rule(
    "at num:hour hour_letter (?!no_hour)",
    "(?<=<weekday|day>) num:hour hour_letter (?!no_hour)",
    "^ num:hour hour_letter (?=zone|dash|to|for|$)",
)
def _letter(found: Found) -> Made:
    """At 15h."""
    hour = _whole(found["hour"])
    return _clock(hour) if 0 <= hour <= 24 else None


@HOURS.rule("at? num:hour num:minute? oclock? (in the|this|at|in) part:part")
def _in_the_part(found: Found) -> Made:
    """3 in the morning, 8 this evening: the day of "this" is today."""
    hour, minute = _whole(found["hour"]), _whole(found["minute"])
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        return None
    return _clock(hour, minute, part=found["part"])


@HOURS.rule("clock:clock (in the|at|in) part:part")
def _clock_in_the_part(found: Found) -> Made:
    return "clock", in_part(found["clock"], found["part"])


@HOURS.rule("digital:clock (in the|at|in) part:part")
def _digital_in_the_part(found: Found) -> Made:
    return "clock", in_part(found["clock"], found["part"])


@HOURS.rule("digital:clock sharp?")
def _digital(found: Found) -> Made:
    return "clock", found["clock"]


@HOURS.rule("clock:clock (sharp|approx|around)")
def _about(found: Found) -> Made:
    return "clock", found["clock"]


@HOURS.rule(
    "(?<=between) num:hour (?=and num (on|this)? <day|tonight|weekday>)",
    "(?<=day between) num:hour (?=and num (?!no_hour|x))",
    "(?<=between clock and) num:hour (?=(on|this)? <day|tonight|weekday>)",
    "(?<=day between clock and) num:hour (?!no_hour|x)",
    "(?<=<day|weekday> from) num:hour (?=<to|until|dash> num (?!no_hour|x))",
    "(?<=<day|weekday> from clock <to|until|dash>) num:hour (?!no_hour|x)",
    "(?<=every unit from) num:hour (?=<to|until|dash> num (?!no_hour|x))",
    "(?<=every unit from clock <to|until|dash>) num:hour (?!no_hour|x)",
    "(?<=from) num:hour (?=<to|until|dash> num (on|this)? <day|tonight|weekday>)",
    "(?<=from clock <to|until|dash>) num:hour (?=(on|this)? <day|tonight|weekday>)",
)
def _between(found: Found) -> Made:
    """Between 2 and 4 tomorrow, tomorrow from 9 to 10."""
    hour = _whole(found["hour"])
    return _clock(hour) if 1 <= hour <= 24 else None


@HOURS.rule(
    "(?<=<from|between>) num:hour num:minute? (?=<to|dash|until|and> clock)",
    "num:hour num:minute? (?=<to|dash|until> clock)",
)
def _until_a_clock(found: Found) -> Made:
    """The 3 of "between 3 and 8am", the "two thirty" of "from two thirty to two forty five"."""
    hour, minute = _whole(found["hour"]), _whole(found["minute"])
    return _clock(hour, minute) if 0 <= hour <= 24 and 0 <= minute < 60 else None
