"""Charts as PNG, for channels that take no SVG. Needs the ``charts`` extra."""

from functools import cache

from pointsman.domain.numbers.chart_svg import svg
from pointsman.domain.numbers.charts import Chart
from pointsman.errors import MissingExtra

_WIDE = 0x2E80
"""From this character on, a font for Chinese is needed."""


def png(chart: Chart) -> bytes | None:
    """The picture; None when this machine has no font for its Chinese text. Blocks for about a
    tenth of a second.

    Raises:
        MissingExtra
    """
    drawn = svg(chart)
    if any(ord(one) >= _WIDE for one in drawn) and not _draws_chinese():
        return None
    return _drawn(drawn)


@cache
def _draws_chinese() -> bool:
    """Whether a Chinese character leaves a trace."""
    frame = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">{}</svg>'
    text = '<text x="4" y="30" font-size="24" font-family="sans-serif">{}</text>'
    return _drawn(frame.format(text.format("中"))) != _drawn(frame.format(text.format(" ")))


def _drawn(picture: str) -> bytes:
    try:
        import resvg_py
    except ModuleNotFoundError as missing:
        raise MissingExtra("a chart as PNG", "charts") from missing
    return bytes(resvg_py.svg_to_bytes(svg_string=picture, background="#ffffff"))
