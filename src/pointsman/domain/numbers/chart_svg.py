"""A chart drawn as SVG, for channels that take pictures and faces without a drawing library.

The text is a plain ``<text>``, so that a reader finds it; no script, no link, nothing fetched.
"""

import math
from collections.abc import Iterator, Sequence
from html import escape

from pointsman.domain.numbers.charts import Chart, Series

WIDTH, HEIGHT = 720, 420
FONTS = (
    "'Noto Sans CJK SC','Noto Sans SC','Source Han Sans SC','Microsoft YaHei','PingFang SC',"
    "'WenQuanYi Micro Hei','DejaVu Sans',sans-serif"
)
COLOURS = (
    "#2563eb", "#f59e0b", "#10b981", "#ef4444", "#8b5cf6", "#06b6d4", "#84cc16", "#ec4899",
    "#64748b", "#f97316", "#14b8a6", "#a855f7",
)  # fmt: skip

_INK, _PALE, _GRID = "#1f2937", "#6b7280", "#e5e7eb"
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 64, 72
_SIZE = 12
_STEPS = (1, 2, 2.5, 5, 10)


def svg(chart: Chart) -> str:
    """The picture, ``WIDTH`` by ``HEIGHT``, on white."""
    drawn = _pie(chart) if chart.kind == "pie" else _axes(chart)
    title = chart.title + (f" ({chart.unit})" if chart.unit and chart.title else "")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONTS}" font-size="{_SIZE}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(WIDTH / 2, 28, _cut(title, WIDTH - 40, 16), anchor="middle", size=16),
        *drawn,
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


def _axes(chart: Chart) -> Iterator[str]:
    """Bars or lines over labels, with a scale and a legend."""
    given = [value for one in chart.series for value in one.values if value is not None]
    low, high, step = _scale(min([0, *given]), max([0, *given]))
    wide, tall = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def y_of(value: float) -> float:
        return _TOP + tall * (high - value) / (high - low)

    for number in range(round((high - low) / step) + 1):
        value = low + number * step
        y = y_of(value)
        colour = _PALE if abs(value) < step / 1000 else _GRID
        yield f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" stroke="{colour}"/>'
        yield _text(_LEFT - 6, y + 4, _number(value), anchor="end", colour=_PALE)
    slot = wide / len(chart.labels)
    yield from _labels(chart.labels, slot)
    if len(chart.series) > 1:
        yield from _legend([one.name for one in chart.series])
    if chart.kind == "line":
        for place, one in enumerate(chart.series):
            points = [
                None if value is None else (_LEFT + (n + 0.5) * slot, y_of(value))
                for n, value in enumerate(one.values)
            ]
            yield from _line(points, COLOURS[place % len(COLOURS)])
        return
    bar = min(slot * 0.75 / len(chart.series), 56)
    for place, one in enumerate(chart.series):
        left = _LEFT + slot / 2 - bar * len(chart.series) / 2 + bar * place
        yield from _bars(one, left, slot, bar, y_of(0), [y_of(v or 0) for v in one.values], place)


def _bars(
    series: Series,
    left: float,
    slot: float,
    bar: float,
    zero: float,
    tops: Sequence[float],
    place: int,
) -> Iterator[str]:
    for n, (value, top) in enumerate(zip(series.values, tops, strict=True)):
        if value is None:
            continue
        x, y, tall = left + slot * n, min(top, zero), abs(zero - top)
        colour = COLOURS[place % len(COLOURS)]
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar:.1f}" height="{tall:.1f}" fill="{colour}"/>'
        )
        shown = _number(value)
        if _width(shown, 11) <= max(bar, slot * 0.9 if place == 0 else 0) and bar > 14:
            above = y - 4 if value >= 0 else y + tall + 12
            yield _text(x + bar / 2, above, shown, anchor="middle", size=11)


def _line(points: Sequence[tuple[float, float] | None], colour: str) -> Iterator[str]:
    path, pen = [], "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        path.append(f"{pen}{point[0]:.1f} {point[1]:.1f}")
        pen = "L"
    yield f'<path d="{"".join(path)}" fill="none" stroke="{colour}" stroke-width="2"/>'
    if len(points) <= 60:
        for point in filter(None, points):
            yield f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="3" fill="{colour}"/>'


def _labels(labels: Sequence[str], slot: float) -> Iterator[str]:
    """The labels below the axis: level where they fit, else slanted and some left out."""
    widest = max(_width(label, _SIZE) for label in labels)
    level = widest <= slot - 4
    every = 1 if level else max(math.ceil(18 / slot), 1)
    for n in range(0, len(labels), every):
        x, y = _LEFT + (n + 0.5) * slot, HEIGHT - _BOTTOM + 18
        if level:
            yield _text(x, y, labels[n], anchor="middle", colour=_PALE)
        else:
            turn = f' transform="rotate(-35 {x:.1f} {y:.1f})"'
            yield _text(x, y, _cut(labels[n], 76), anchor="end", colour=_PALE, more=turn)


def _legend(names: Sequence[str]) -> Iterator[str]:
    x = float(_LEFT)
    for place, name in enumerate(names):
        shown = _cut(name, (WIDTH - _LEFT - _RIGHT) / len(names) - 24)
        colour = COLOURS[place % len(COLOURS)]
        yield f'<rect x="{x:.1f}" y="42" width="10" height="10" fill="{colour}"/>'
        yield _text(x + 14, 51, shown, colour=_PALE)
        x += 14 + _width(shown, _SIZE) + 14


def _pie(chart: Chart) -> Iterator[str]:
    (series,) = chart.series
    values = [value or 0 for value in series.values]
    total, x, y, radius, begun = sum(values), 220.0, 232.0, 150.0, 0.0
    line = min(26, (HEIGHT - 90) / len(values))
    for place, (label, value) in enumerate(zip(chart.labels, values, strict=True)):
        colour, share = COLOURS[place % len(COLOURS)], value / total
        if share > 0.9999:
            yield f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'
        elif share > 0:
            (x1, y1), (x2, y2) = (
                (x + radius * math.sin(turn * math.tau), y - radius * math.cos(turn * math.tau))
                for turn in (begun, begun + share)
            )
            yield (
                f'<path d="M{x} {y}L{x1:.1f} {y1:.1f}A{radius} {radius} 0 {int(share > 0.5)} 1 '
                f'{x2:.1f} {y2:.1f}Z" fill="{colour}" stroke="#ffffff"/>'
            )
        begun += share
        top = 82 + place * line
        yield f'<rect x="420" y="{top - 10:.1f}" width="10" height="10" fill="{colour}"/>'
        yield _text(436, top, _cut(label, 140))
        told = f"{_number(value)} ({share:.1%})"
        yield _text(WIDTH - _RIGHT, top, told, anchor="end", colour=_PALE)


def _scale(low: float, high: float) -> tuple[float, float, float]:
    """A scale of about five round steps that holds both ends."""
    span = (high - low) or 1
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * one for one in _STEPS if power * one >= rough * 0.999)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return low, high if high > low else low + step, step


def _number(value: float) -> str:
    """A number as an axis writes it."""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.2f}" if 0.01 <= abs(value) < 1e15 else f"{value:.3g}"


def _width(text: str, size: float) -> float:
    """About how wide a text is: full-width characters take their size, others half of it."""
    return sum(size if ord(one) > 0x2E7F else size * 0.56 for one in text)


def _cut(text: str, room: float, size: float = _SIZE) -> str:
    if _width(text, size) <= room:
        return text
    while text and _width(text, size) > room - size:
        text = text[:-1]
    return text + "…"


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: int = _SIZE,
    colour: str = _INK,
    more: str = "",
) -> str:
    if not text:
        return ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{colour}"{more}>{escape(_legal(text))}</text>'
    )


def _legal(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(
        one for one in text if one >= " " and not "\ud800" <= one <= "\udfff" and one < "\ufffe"
    )
