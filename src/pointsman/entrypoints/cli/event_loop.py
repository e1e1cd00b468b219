"""The event loop of processes that run for long."""

from collections.abc import Awaitable, Callable
from importlib.util import find_spec

import anyio


def run_for_long(main: Callable[[], Awaitable[int]]) -> int:
    """What ``main`` returns, run on uvloop where that is installed.

    A run costs about a tenth less CPU on it (``benchmarks/engine.md``). Commands that end soon take
    the standard library's loop, which starts faster.
    """
    return anyio.run(main, backend_options={"use_uvloop": find_spec("uvloop") is not None})
