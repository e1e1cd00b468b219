"""Being told to stop: once in order, twice at once."""

import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio


@asynccontextmanager
async def stopping(stop: Callable[[], None]) -> AsyncIterator[None]:
    """In the block, SIGTERM or Ctrl-C calls ``stop``; a second one ends the process where it is,
    which loses nothing that was promised."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, stop)
        yield
        tasks.cancel_scope.cancel()


async def _listen(stop: Callable[[], None]) -> None:
    if sys.platform == "win32":
        return
    told = False
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            if told:
                os._exit(128 + number)
            told = True
            stop()
