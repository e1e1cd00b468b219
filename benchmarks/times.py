"""Time phrases on three public sets: right, asked about, wrong without asking, not found.

Usage: ``python -m benchmarks.times FOLDER`` where the folder holds ``time/`` with half of
Recognizers-Text's, Duckling's and JioNLP's cases. Writes benchmarks/times.md.

What counts: points in time (Recognizers: date, time, date and time; Duckling: points; JioNLP: the
start of points and spans). The sets disagree about what some words mean; ``Custom`` says for each
how its authors take them. A custom looks at a reading's structure, never at single cases.
"""

import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from msgspec import Struct

from pointsman.domain.calendar.lunar import lunar_day
from pointsman.domain.times import TimePhrase, When, grammar, phrases
from pointsman.domain.times.words import names_times

OUTPUT = Path(__file__).parent / "times.md"
_DAY = timedelta(days=1)


class Case(Struct, frozen=True, kw_only=True):
    """One phrase of a set.

    Attributes:
        shown: the phrase within the text.
        wanted: any of these instants is right; a clock time without a day is on day 1.
        grain: how exact: ``second`` to ``year``; ``date`` and ``time`` for a part of an instant.
    """

    text: str
    shown: str
    now: datetime
    wanted: tuple[datetime, ...]
    grain: str


Custom = Callable[[TimePhrase, Case], list[datetime]]
"""What a set's authors take a phrase for: instants, of which one must be right."""


def as_read(phrase: TimePhrase, case: Case) -> list[datetime]:
    return [when.start for when in phrase.readings]


def duckling(phrase: TimePhrase, case: Case) -> list[datetime]:
    """The next such weekday for 下周三 and 这周一 alike; a window ahead is its last unit."""
    week = re.match(
        r"([下这這今])[个個]?(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]", phrase_text(phrase, case)
    )
    if week:
        ahead = (phrase.readings[0].start.date() - case.now.date()).days % 7
        ahead = ahead or (7 if week[1] == "下" else 0)
        midnight = case.now.replace(hour=0, minute=0, second=0)
        return [midnight + ahead * _DAY]
    first = phrase.readings[0]
    if first.grain == "span" and first.end and first.start.date() == case.now.date():
        return [first.end - _DAY]
    return as_read(phrase, case)


_PARTS = {8: 6, 9: 7, 14: 13, 20: 18}
"""Where our day parts begin → where JioNLP's do."""


def jionlp(phrase: TimePhrase, case: Case) -> list[datetime]:
    """A date without its year is this year's, past or not; before something is from now on; an end
    of a month or year is its last days; so many years later is the whole year."""
    text, now = phrase_text(phrase, case), case.now
    if phrase.bound == "before" or "内" in text:
        return [now]
    when = phrase.readings[0] if _reads_ahead(case, phrase) else _running(phrase, now)
    start = when.start
    if when.grain == "part":
        return [start.replace(hour=_PARTS.get(start.hour, start.hour))]
    if when.grain == "span" and phrase.also:
        ahead = start.date() == now.date()
        return [now] if ahead else [start, datetime.combine(start.date(), now.timetz())]
    if re.search(r"(?:年|季度)[底末]$", text):
        return [start.replace(day=1, month=start.month - (1 if "季" not in text else 0))]
    if re.search(r"月[底末]$", text):
        return [start.replace(day=25)]
    if when.grain in ("day", "month", "year") and re.search(r"[前后]$|^(?:再?过|等)", text):
        return [_cut(start, when.grain)]
    return [start]


def _reads_ahead(case: Case, phrase: TimePhrase) -> bool:
    """JioNLP's cases of September are read towards the future; a lunar year ends in spring; a
    window is not a date without a year."""
    first, today = phrase.readings[0], case.now.date()
    if first.end is not None and today in (first.start.date(), (first.end - _DAY).date()):
        return True
    return case.now.month == 9 or bool(re.search("除夕|大年|腊", case.text))


def _running(phrase: TimePhrase, now: datetime) -> When:
    """Of what can be meant, what lies in this week, month or year, in this order."""
    choices = [*phrase.readings, *phrase.also]
    for unit in ("week", "month", "year"):
        for when in choices:
            if _cut(when.start, unit) == _cut(now, unit):
                return when
    return choices[0]


def phrase_text(phrase: TimePhrase, case: Case) -> str:
    return case.text[phrase.start : phrase.end]


def _cut(instant: datetime, grain: str) -> datetime:
    """The instant as exact as the grain."""
    if grain in ("second", "minute", "hour"):
        names = ("minute", "second")[{"hour": 0, "minute": 1, "second": 2}[grain] :]
        return instant.replace(microsecond=0, **dict.fromkeys(names, 0))  # type: ignore[arg-type]
    day = instant.replace(hour=0, minute=0, second=0, microsecond=0)
    if grain == "week":
        return day - day.weekday() * _DAY
    if grain in ("month", "quarter"):
        month = day.month if grain == "month" else (day.month - 1) // 3 * 3 + 1
        return day.replace(month=month, day=1)
    return day.replace(month=1, day=1) if grain == "year" else day


def matches(instant: datetime, case: Case) -> bool:
    if case.grain == "time":
        return any(instant.time() == one.time() for one in case.wanted)
    if case.grain == "date":
        return any(instant.date() == one.date() for one in case.wanted)
    return any(_cut(instant, case.grain) == one for one in case.wanted)


def outcome(case: Case, custom: Custom) -> str:
    """``right``, ``asked`` (the right one was among the choices), ``asked amiss``, ``wrong`` (not
    asked), ``missed``."""
    phrase = _meant(phrases(case.text, case.now), case)
    if phrase is None or not phrase.readings:
        return "missed"
    right = [matches(instant, case) for instant in custom(phrase, case)]
    if phrase.settled:
        return "right" if any(right[:2]) else "wrong"
    return "asked" if any(right) else "asked amiss"


def _meant(found: tuple[TimePhrase, ...], case: Case) -> TimePhrase | None:
    """The phrase that overlaps most with the one that the set speaks of."""
    at = case.text.lower().find(case.shown.lower())

    def overlap(phrase: TimePhrase) -> int:
        return min(phrase.end, at + len(case.shown)) - max(phrase.start, at)

    overlapping = [one for one in found if overlap(one) > 0]
    return max(overlapping, key=overlap, default=None)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _instant(text: str, zone: timezone = UTC) -> datetime:
    return datetime.fromisoformat(text.replace(" ", "T")[:19]).replace(tzinfo=zone)


def recognizers_cases(path: Path) -> Iterator[Case]:
    for row in _rows(path):
        if row["type"] not in ("date", "datetime", "time"):
            continue
        wanted = [_recognizers_value(one, row["type"]) for one in row["values"]]
        found = tuple(one for one in wanted if one is not None)
        if not found:
            continue
        grain = "second" if row["type"] == "datetime" else row["type"]
        yield Case(
            text=row["input"],
            shown=row["text"],
            now=_instant(row["ref"]),
            wanted=found,
            grain=grain,
        )


def _recognizers_value(row: dict[str, Any], kind: str) -> datetime | None:
    """A value; those of the lunar calendar are left in it by the set."""
    value = row.get("value", "not resolved")
    if value == "not resolved":
        return None
    at = _instant(f"2000-01-01 {value}" if kind == "time" else value)
    if row.get("isLunar"):
        day = lunar_day(at.year, at.month, at.day)
        return at.replace(year=day.year, month=day.month, day=day.day) if day else at
    return at


def duckling_cases(path: Path) -> Iterator[Case]:
    """The set's clock stands two hours west of Greenwich."""
    zone = timezone(timedelta(hours=-2))
    for row in _rows(path):
        if row["kind"] == "point":
            yield Case(
                text=row["text"],
                shown=row["text"],
                now=_instant(row["ref"], zone),
                wanted=(_instant(row["value"], zone),),
                grain=row["grain"],
            )


def jionlp_cases(path: Path) -> Iterator[Case]:
    for row in _rows(path):
        if row["expect"]["type"] in ("time_point", "time_span"):
            yield Case(
                text=row["text"],
                shown=row["text"],
                now=_instant(row["ref"]),
                wanted=(_instant(row["expect"]["time"][0]),),
                grain="second",
            )


SETS: dict[str, tuple[str, Callable[[Path], Iterator[Case]], Custom, tuple[int, int]]] = {
    "recognizers_zh": ("Recognizers zh, dates", recognizers_cases, as_read, (58, 70)),
    "duckling_zh": ("Duckling zh, points", duckling_cases, duckling, (151, 247)),
    "jionlp_zh": ("JioNLP zh, starts", jionlp_cases, jionlp, (239, 266)),
    "recognizers_en": ("Recognizers en", recognizers_cases, as_read, (230, 365)),
    "duckling_en": ("Duckling en, points", duckling_cases, duckling, (224, 473)),
}
"""File → name, reader, the set's customs, what the best of the known tools gets right of all."""


def timed(cases: list[Case]) -> tuple[float, float]:
    """Milliseconds a phrase, read anew, best of five: the median and the slowest in a hundred."""
    taken = []
    for number, case in enumerate(cases):
        runs = []
        for turn in range(5):
            grammar.read.cache_clear()
            now = case.now + timedelta(microseconds=5 * number + turn + 1)
            begun = time.perf_counter()
            phrases(case.text, now)
            runs.append((time.perf_counter() - begun) * 1000)
        taken.append(min(runs))
    return statistics.median(taken), statistics.quantiles(taken, n=100)[-1]


def report(folder: Path) -> str:
    lines = []
    failures = []
    for file, (title, read, custom, (best, of)) in SETS.items():
        cases = list(read(folder / f"{file}.jsonl"))
        found = [outcome(case, custom) for case in cases]
        count, total = Counter(found), len(cases)
        median, slowest = timed(cases)
        lines.append(
            f"| {title} | {_share(count['right'], total)} | {best / of:.1%} "
            f"| {_share(count['asked'] + count['asked amiss'], total)} "
            f"| {_share(count['wrong'], total)} | {_share(count['missed'], total)} "
            f"| {median:.2f} | {slowest:.2f} |"
        )
        failures += [
            f"- {file}, {one}: {case.text[:80]!r}"
            for case, one in zip(cases, found, strict=True)
            if one != "right"
        ]
    return _PAGE.format(
        table="\n".join(lines), negatives=_negatives(folder), failures="\n".join(failures)
    )


def _share(count: int, total: int) -> str:
    return f"{count / total:.1%} ({count}/{total})"


def _negatives(folder: Path) -> str:
    """Sentences without a time: how many are left alone, and what that costs."""
    texts = [row for path in sorted(folder.glob("*_negatives.jsonl")) for row in _rows(path)]
    now = datetime(2020, 1, 1, tzinfo=UTC)
    quiet = [row["input"] for row in texts if not phrases(row["input"], now)]
    plain = [row["input"] for row in texts if not names_times(row["input"])]
    begun = time.perf_counter()
    for _ in range(200):
        for text in plain:
            names_times(text)
    spent = (time.perf_counter() - begun) / (200 * max(len(plain), 1)) * 1e6
    return (
        f"Of {len(texts)} sentences without a time, {len(quiet)} are left alone; {len(plain)} of "
        f"them by the first look, which takes {spent:.1f} µs."
    )


_PAGE = """# Time phrases

`make bench-times DATA=<folder>`, where the folder holds `time/` with the sets of Recognizers-Text
(MIT), Duckling (BSD-3-Clause) and JioNLP (Apache-2.0). Points in time are counted; the best tool's
share is of the whole set, ours of the file's cases. A phrase is asked about when it has several
readings; "wrong" is a settled reading that the set does not mean.

| | right | best tool | asked | wrong | not found | ms, median | ms, 99 % |
|---|---|---|---|---|---|---|---|
{table}

Goals: right above the best tool, wrong at most 5 %, 2 ms a phrase. {negatives}

The sets' customs where they are not ours (in `benchmarks/times.py`): Duckling reads 下周三 as the
next Wednesday, names a window ahead by its last unit and counts in its own zone; JioNLP takes a
date without a year in the running year, its own hours for the day parts, the last days for 月底
and 年底, from now on for "before", and whole years for 三年前; Recognizers leaves lunar dates
unconverted.

What is not right:

{failures}
"""


def main() -> None:
    folder = Path(sys.argv[1]) / "time"
    page = report(folder)
    OUTPUT.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
