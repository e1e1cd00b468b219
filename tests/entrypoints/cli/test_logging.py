"""What reaches stderr of the log."""

import logging
from collections.abc import Iterator

import pytest

from pointsman.entrypoints.cli.choices import show_log

LIBRARIES = ("mcp", "mcp.client.streamable_http", "httpx", "httpx2")


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """The levels of the process are put back."""
    last, names = logging.lastResort, ("", "pointsman", "mcp", "httpx", "httpx2")
    assert last is not None
    before = [logging.getLogger(name).level for name in names], last.level, last.formatter
    logging.getLogger("pointsman").setLevel(logging.NOTSET)  # a server in this process sets it
    yield
    for name, level in zip(names, before[0], strict=True):
        logging.getLogger(name).setLevel(level)
    last.setLevel(before[1])
    last.setFormatter(before[2])


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize(
    ("level", "traces", "said"),
    [
        (logging.INFO, False, logging.WARNING),
        (logging.WARNING, False, logging.WARNING),
        (logging.ERROR, False, logging.ERROR),
        (logging.DEBUG, False, logging.DEBUG),
        (logging.INFO, True, logging.DEBUG),
    ],
)
def test_libraries_only_warn_unless_somebody_debugs(
    name: str, level: int, traces: bool, said: int
) -> None:
    show_log(level, traces=traces)
    assert logging.getLogger(name).getEffectiveLevel() == said
    assert logging.getLogger("pointsman").getEffectiveLevel() == (
        logging.DEBUG if traces else level
    )
