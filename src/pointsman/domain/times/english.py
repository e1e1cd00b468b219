"""English words of time: what each one is."""

from typing import Any

from pointsman.domain.times.calendar import Relative
from pointsman.domain.times.feasts import ENGLISH as FEASTS

Word = tuple[str, Any]
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "mon tue wed thu fri sat sun".split()
_LONG_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_LONG_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_UNITS = {
    "second": "seconds sec secs",
    "minute": "minute minutes min mins",
    "hour": "hour hours hr hrs",
    "day": "day days",
    "workday": "workday",
    "weekday": "weekday",
    "week": "week weeks wk wks",
    "fortnight": "fortnight fortnights",
    "month": "month months",
    "quarter": "quarters qtr qtrs",
    "year": "year years yr yrs",
    "decade": "decade decades",
    "century": "century centuries",
}
_KINDS = {
    "a": "a an",
    "the": "the",
    "half": "half",
    "quarter": "quarter",
    "at": "at @",
    "on": "on",
    "of": "of",
    "in": "in",
    "by": "by",
    "for": "for",
    "from": "from",
    "to": "to",
    "until": "until till til untill thru through",
    "between": "between",
    "and": "and & or",
    "after": "after",
    "before": "before",
    "since": "since",
    "within": "within",
    "during": "during throughout",
    "around": "around about approximately roughly circa approx nearly almost ish sometime "
    "sometimes exactly precisely",
    "ago": "ago back",
    "later": "later hence",
    "now": "now immediately asap",
    "every": "every each",
    "other": "other alternate second",
    "more": "more another additional extra",
    "few": "few couple several pair",
    "hourly": "hourly",
    "daily": "daily everyday",
    "weekly": "weekly",
    "monthly": "monthly",
    "yearly": "yearly annually",
    "quarterly": "quarterly",
    "oclock": "o'clock oclock o’clock clock",
    "sharp": "sharp",
    "noon": "noon midday noontime",
    "midnight": "midnight",
    "end": "end ending",
    "begin": "beginning start starting begin",
    "middle": "middle mid",
    "early": "early earlier",
    "late": "late",
    "measure": "street st ave avenue road rd floor percent degrees usd dollars euros people miles "
    "km kg times place option options version persons grade generation items pieces stars",
    "weekend": "weekend",
    "weekends": "weekends",
    "workdays": "weekdays workdays",
    "business": "business working work",
    "lunch": "lunch lunchtime",
    "all": "all whole entire",
    "bimonthly": "fortnightly biweekly",
    "than": "than",
    "except": "except excluding",
}
_SHIFTS = {
    "this": "this current",
    "next": "next following",
    "coming": "coming upcoming",
    "last": "last",
    "past": "previous past preceding prior",
}
_PARTS = {
    "morning": "morning mornings",
    "afternoon": "afternoon afternoons",
    "evening": "evening evenings night nights nighttime",
    "daytime": "daytime",
}
_ZONES = {
    "utc": 0, "gmt": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120,
    "eest": 180, "msk": 180, "ist": 330, "sgt": 480, "hkt": 480, "jst": 540, "kst": 540,
    "aest": 600, "aedt": 660, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420,
    "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip
"""Zone → minutes east of Greenwich; cst is China's for whoever lives by China's clock."""
_PLACES = {
    "Asia/Shanghai": "beijing china shanghai",
    "Asia/Hong_Kong": "hong-kong",
    "Asia/Tokyo": "tokyo japan",
    "Asia/Singapore": "singapore",
    "Asia/Kolkata": "india",
    "Australia/Sydney": "sydney",
    "Europe/London": "london uk",
    "Europe/Paris": "paris",
    "Europe/Berlin": "berlin",
    "America/New_York": "eastern new-york us-eastern",
    "America/Chicago": "central chicago us-central",
    "America/Denver": "mountain us-mountain",
    "America/Los_Angeles": "pacific los-angeles us-pacific san-francisco",
}
"""Where the clocks are meant by "Beijing time"."""


def _lexicon() -> dict[str, Word]:
    words: dict[str, Word] = {}
    for name, listed in _KINDS.items():
        words |= {word: (name, word) for word in listed.split()}
    for unit, listed in _UNITS.items():
        words |= dict.fromkeys(listed.split(), ("unit", unit))
    for kind, listed in _SHIFTS.items():
        words |= {word: (kind, word) for word in listed.split()}
    for part, listed in _PARTS.items():
        words |= dict.fromkeys(listed.split(), ("part", part))
    words |= {zone: ("zone", (zone, minutes)) for zone, minutes in _ZONES.items()}
    words |= {"et": ("zone", ("America/New_York", 0)), "pt": ("zone", ("America/Los_Angeles", 0))}
    for n, (short, long) in enumerate(zip(MONTHS, _LONG_MONTHS, strict=True), 1):
        words |= {short: ("month", n), long: ("month", n)}
    words |= {"sept": ("month", 9), "may": ("may", 5), "march": ("may", 3), "mar": ("may", 3)}
    words |= {"apr": ("may", 4), "dec": ("may", 12)}
    for n, (short, long) in enumerate(zip(WEEKDAYS, _LONG_WEEKDAYS, strict=True)):
        words |= {short: ("weekday", n), long: ("weekday", n), f"{long}s": ("weekdays", n)}
    words |= {"tues": ("weekday", 1), "thur": ("weekday", 3), "thurs": ("weekday", 3)}
    words |= {"sat": ("sat", 5), "sun": ("sat", 6), "wed": ("sat", 2), "weds": ("weekday", 2)}
    for n, word in enumerate(_ONES):
        words[word] = ("one", n)
    words |= {word: ("ten", n * 10) for n, word in enumerate(_TENS, 2)}
    words |= {"hundred": ("hundred", 100), "thousand": ("hundred", 1000)}
    words |= {word: ("ord", n) for n, word in enumerate(_ORDINALS) if n != 2}
    words |= {f"{word[:-1]}ieth": ("ord", n * 10) for n, word in enumerate(_TENS, 2)}
    words |= {"second": ("second", 2)}
    words |= {
        "today": ("day", Relative("day", 0)),
        "tomorrow": ("day", Relative("day", 1)),
        "tomorrows": ("day", Relative("day", 1)),
        "tmrw": ("day", Relative("day", 1)),
        "tomorow": ("day", Relative("day", 1)),
        "tommorow": ("day", Relative("day", 1)),
        "tommorrow": ("day", Relative("day", 1)),
        "tmr": ("day", Relative("day", 1)),
        "yesterday": ("day", Relative("day", -1)),
        "tonight": ("tonight", "evening"),
        "tonite": ("tonight", "evening"),
        "spring": ("season_en", 1),
        "summer": ("season_en", 2),
        "autumn": ("season_en", 3),
        "fall": ("season_en", 3),
        "winter": ("season_en", 4),
        "eod": ("eod", None),
        "eow": ("edge", ("end", "week")),
        "eom": ("edge", ("end", "month")),
        "eoy": ("edge", ("end", "year")),
    }
    return words


LEXICON = _lexicon()
PHRASES: dict[str, list[tuple[tuple[str, ...], Word]]] = {}
"""First word → longer names that begin with it, the longest first."""


def _add(words: str, word: Word) -> None:
    first, *rest = words.split()
    PHRASES.setdefault(first, []).append((tuple(rest), word))


for _name, _rule in FEASTS.items():
    _add(_name, ("feast", _rule))
for _words, _word in {
    "day after tomorrow": ("day", Relative("day", 2)),
    "day before yesterday": ("day", Relative("day", -2)),
    "right now": ("now", None),
    "just now": ("now", None),
    "at the moment": ("now", None),
    "at this moment": ("now", None),
    "at the minute": ("now", None),
    "at this time": ("now", None),
    "at present": ("now", None),
    "this time": ("same_time", None),
    "same time": ("same_time", None),
    "the same time": ("same_time", None),
    "at the present time": ("now", None),
    "as soon as possible": ("now", None),
    "end of day": ("eod", None),
    "end of the day": ("eod", None),
    "in advance": ("advance", None),
    "ahead of time": ("advance", None),
    "ahead": ("advance", None),
    "beforehand": ("advance", None),
    "week end": ("weekend", "weekend"),
    "week ends": ("weekend", "weekend"),
    "mid day": ("noon", None),
    "mid night": ("midnight", None),
    "working day": ("unit", "workday"),
    "working days": ("unit", "workday"),
    "business day": ("unit", "workday"),
    "business days": ("unit", "workday"),
    "work day": ("unit", "workday"),
    "work days": ("unit", "workday"),
    "semi annually": ("biannual", None),
    "twice a year": ("biannual", None),
    "once an hour": ("hourly", None),
    "once a day": ("daily", None),
    "once daily": ("daily", None),
    "twice a day": ("daily", None),
    "twice daily": ("daily", None),
    "once a week": ("weekly", None),
    "once a month": ("monthly", None),
    "once a year": ("yearly", None),
    "half past": ("half_past", None),
    "on the hour": ("minute_past", 0),
    "on the half hour": ("minute_past", 30),
    "early hours of the morning": ("part", "night"),
    "early hours": ("part", "night"),
    "good morning": ("x", None),
    "good afternoon": ("x", None),
    "good evening": ("x", None),
    "good night": ("x", None),
    "fiscal year": ("x", None),
    "school year": ("x", None),
}.items():
    _add(_words, _word)
for _zone, _places in _PLACES.items():
    for _place in _places.split():
        _add(f"{_place.replace('-', ' ')} time", ("zone", (_zone, 0)))
for _listed in PHRASES.values():
    _listed.sort(key=lambda one: -len(one[0]))
