"""Which chart fits an answer, as a description that faces draw: labels, and a series or several.

The shape of the answer decides: shares of a whole make a pie, steps of time a line, anything else
with a label and numbers makes bars; a single value makes none. A person may ask for another kind,
and is told when the answer has not the shape for it.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from pointsman.domain.agent import Language
from pointsman.domain.numbers.tables import Cell, Column, Table

ChartKind = Literal["bar", "line", "pie"]
KINDS: tuple[ChartKind, ...] = get_args(ChartKind)

MOST_BARS = 40
MOST_POINTS = 500
MOST_SLICES = 12
MOST_SERIES = 8

_NUMBERS = ("integer", "number")
_STEP = re.compile(
    r"(?:19|20)\d{2}(?:[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?月?|年|[-年 ]?Q[1-4]|-W\d{2})?"
    r"(?:[T ]\d{2}:\d{2}.*)?"
    r"|\d{1,2}[月日点时]|\d{1,2}:\d{2}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{4})?",
    re.IGNORECASE,
)
_SHARE = re.compile(r"占比|比例|份额|百分|share|percent|pct|proportion|ratio", re.IGNORECASE)
_OTHER = {"zh": "其他", "en": "Other"}
_WHY = {
    "shape": {
        "zh": "画图需要一列标签和至少一列数字，行数不少于 2",
        "en": "a chart needs a column of labels, one of numbers or more, and two rows or more",
    },
    "pie": {
        "zh": "饼图只画一列不为负、总和大于 0 的数字",
        "en": "a pie needs one column of numbers, none below 0, with a sum above 0",
    },
    "many": {
        "zh": "行数太多，画不成图；请先归并或只取前几行",
        "en": "there are too many rows for a chart; group them, or take the first ones",
    },
}


class Series(Struct, frozen=True):
    """One value for each label; None where there is none."""

    name: str
    values: tuple[int | float | None, ...]


class Chart(Struct, frozen=True, kw_only=True):
    """What to draw.

    Attributes:
        label: what the labels are, such as the department.
    """

    kind: ChartKind
    title: str = ""
    label: str = ""
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    unit: str = ""


class NoChart(Struct, frozen=True):
    """Why there is none, for whoever asked."""

    why: str


def chart_of(
    table: Table,
    language: Language,
    *,
    kind: ChartKind | None = None,
    title: str = "",
    unit: str = "",
) -> Chart | NoChart:
    """The chart of an answer.

    Args:
        kind: as asked for; None for the one that fits.
    """
    read = _read(table)
    if read is None:
        return NoChart(_WHY["shape"][language])
    label, labels, series = read
    kind = kind or _fitting(labels, series)
    if kind == "pie":
        if len(series) != 1 or not _is_whole(series[0].values):
            return NoChart(_WHY["pie"][language])
        labels, series = _sliced(labels, series[0], language)
    if len(labels) > (MOST_BARS if kind == "bar" else MOST_POINTS):
        return NoChart(_WHY["many"][language])
    if kind == "line":
        labels, series = _in_order(labels, series)
    return Chart(
        kind=kind, title=title, label=label, labels=labels, series=tuple(series), unit=unit
    )


def as_data(chart: Chart) -> dict[str, Any]:
    """The chart in JSON's types."""
    return {
        "kind": chart.kind,
        "title": chart.title,
        "label": chart.label,
        "unit": chart.unit,
        "labels": list(chart.labels),
        "series": [{"name": one.name, "values": list(one.values)} for one in chart.series],
    }


Read = tuple[str, tuple[str, ...], list[Series]]


def _read(table: Table) -> Read | None:
    """What the labels are, the labels, and the series; None for a table of another shape."""
    names = [place for place, one in enumerate(table.columns) if one.type not in _NUMBERS]
    if not names and len(table.columns) > 1 and _counts_up([row[0] for row in table.rows]):
        names = [0]
    values = [
        place
        for place, one in enumerate(table.columns)
        if one.type in _NUMBERS and place not in names
    ]
    if len(table.rows) < 2 or not values:
        return None
    if len(names) == 2 and len(values) == 1:
        return _crossed(table, names, values[0])
    if len(names) != 1 or len(values) > MOST_SERIES:
        return None
    labels = tuple(_label(row[names[0]]) for row in table.rows)
    series = [
        Series(table.columns[place].name, tuple(_number(row[place]) for row in table.rows))
        for place in values
    ]
    return table.columns[names[0]].name, labels, series


def _crossed(table: Table, names: Sequence[int], value: int) -> Read | None:
    """Rows of label, group and number as one series for each group."""
    first, second = names
    if _is_time(table.columns[second], [_label(row[second]) for row in table.rows]):
        first, second = second, first
    labels = tuple(dict.fromkeys(_label(row[first]) for row in table.rows))
    groups = tuple(dict.fromkeys(_label(row[second]) for row in table.rows))
    found = {(_label(row[first]), _label(row[second])): _number(row[value]) for row in table.rows}
    if len(groups) > MOST_SERIES or len(found) < len(table.rows):
        return None
    series = [Series(group, tuple(found.get((one, group)) for one in labels)) for group in groups]
    return table.columns[first].name, labels, series


def _is_time(column: Column, labels: Sequence[str]) -> bool:
    return column.type in ("date", "datetime") or all(map(_STEP.fullmatch, labels))


def _fitting(labels: Sequence[str], series: Sequence[Series]) -> ChartKind:
    if len(labels) > 2 and all(map(_STEP.fullmatch, labels)):
        return "line"
    (first, *others) = series
    if not others and len(labels) <= MOST_SLICES and _SHARE.search(first.name):
        total = sum(value or 0 for value in first.values)
        if _is_whole(first.values) and (0.98 <= total <= 1.02 or 98 <= total <= 102):
            return "pie"
    return "bar"


def _is_whole(values: Sequence[int | float | None]) -> bool:
    return all(value is not None and value >= 0 for value in values) and any(values)


def _sliced(
    labels: tuple[str, ...], series: Series, language: Language
) -> tuple[tuple[str, ...], list[Series]]:
    """The largest slices, and one for the rest when there are many."""
    pairs = list(zip(labels, series.values, strict=True))
    if len(pairs) > MOST_SLICES:
        pairs.sort(key=lambda pair: pair[1] or 0, reverse=True)
        rest = sum(value or 0 for _, value in pairs[MOST_SLICES - 1 :])
        pairs = [*pairs[: MOST_SLICES - 1], (_OTHER[language], rest)]
    return tuple(label for label, _ in pairs), [Series(series.name, tuple(v for _, v in pairs))]


def _in_order(
    labels: tuple[str, ...], series: list[Series]
) -> tuple[tuple[str, ...], list[Series]]:
    """A line goes forward in time: written dates are sorted, anything else stays."""
    if len({len(label) for label in labels}) > 1 or not all(
        label[:4].isdigit() for label in labels
    ):
        return labels, series
    order = sorted(range(len(labels)), key=labels.__getitem__)
    return tuple(labels[place] for place in order), [
        Series(one.name, tuple(one.values[place] for place in order)) for one in series
    ]


def _counts_up(values: Sequence[Cell]) -> bool:
    """Whether whole numbers are years, months or steps, not amounts: each greater by one or more
    than the one before."""
    numbers = [value for value in values if isinstance(value, int)]
    steps = sorted(numbers)
    return (
        len(numbers) == len(values) > 1
        and len(set(numbers)) == len(numbers)
        and numbers in (steps, steps[::-1])
    )


def _label(value: Cell) -> str:
    if value is None:
        return "—"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: Cell) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
