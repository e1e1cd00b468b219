"""``pointsman runs chart``: the chart of an answer as a picture, for whoever passes it on."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread

from pointsman.adapters.pictures import png
from pointsman.domain.events import AttemptFinished
from pointsman.domain.numbers.chart_svg import svg
from pointsman.domain.numbers.charts import Chart, as_data
from pointsman.engine.service import Recorded
from pointsman.entrypoints.cli.runs import find, journal_of, masked
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.errors import CallerError, NotFound
from pointsman.settings import Settings


async def show(
    settings: Settings, terminal: Terminal, prefix: str, *, out: Path | None, as_json: bool
) -> int:
    """Print the run's last chart as SVG, or write it to a file.

    Raises:
        NotFound: there is no such run, or it has no chart.
        CallerError: the file's name is of no kind of picture, it cannot be written, or this machine
            has no font for the chart's Chinese.
        MissingExtra: what PNG needs is not installed.
    """
    async with journal_of(settings) as service:
        record = await find(service, prefix)
        trace = masked(await service.trace(record.id, None))
    chart = _last(trace)
    if chart is None:
        raise NotFound("chart in run", record.id)
    if as_json:
        print_json(as_data(chart))
    elif out is None:
        print(svg(chart))
    else:
        await to_thread.run_sync(_write, out, chart)
        terminal.tell("runs.drawn", "green", file=out)
    return 0


def _last(trace: Sequence[Recorded]) -> Chart | None:
    for recorded in reversed(trace):
        event = recorded.event
        if isinstance(event, AttemptFinished) and isinstance(event.result.data, dict):
            drawn: Any = event.result.data.get("chart")
            if drawn:
                return msgspec.convert(drawn, Chart)
    return None


def _write(out: Path, chart: Chart) -> None:
    match out.suffix.lower():
        case ".svg":
            picture: bytes | None = svg(chart).encode()
        case ".png":
            picture = png(chart)
        case _:
            raise CallerError(f"{out.name}: the picture must be called .svg or .png")
    if picture is None:
        raise CallerError(
            "this machine has no font for the chart's Chinese: install one (Debian: apt install "
            "fonts-noto-cjk), or write an .svg"
        )
    try:
        out.write_bytes(picture)
    except OSError as error:
        raise CallerError(f"{out} cannot be written: {error.strerror or error}") from None
