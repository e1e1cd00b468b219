"""Waiting for what another process or thread brings about, which tells us nothing of it."""

from collections.abc import Awaitable, Callable

import anyio


async def until(true: Callable[[], bool], *, seconds: float = 60) -> None:
    """Return when it is so.

    Raises:
        TimeoutError: it has not become so.
    """
    with anyio.fail_after(seconds):
        while not true():  # noqa: ASYNC110 - nobody tells us
            await anyio.sleep(0.002)


async def until_it_is(true: Callable[[], Awaitable[bool]], *, seconds: float = 60) -> None:
    """The same for what must be asked for.

    Raises:
        TimeoutError: it has not become so.
    """
    with anyio.fail_after(seconds):
        while not await true():  # noqa: ASYNC110 - nobody tells us
            await anyio.sleep(0.01)
