"""A session in the foreground: the engine runs in a thread of its own, the terminal belongs to the
main thread. There Ctrl-C interrupts what is waited for, and the line that is typed can be edited.
"""

import os
import select
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import partial
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from pointsman.domain.runs import Run
from pointsman.entrypoints.cli.session import Session

ESCAPE = b"\x1b"
TICK = 0.5
"""Seconds after which a wait looks for Ctrl-C, where the system does not wake it."""


class Foreground:
    """A session as the main thread uses it."""

    def __init__(self, portal: BlockingPortal, session: Session) -> None:
        self.session = session
        self.call = portal.call
        """Call a coroutine function in the engine's thread."""
        self._start = portal.start_task_soon

    def carry(self, act: Callable[[], Awaitable[Run]], *, escape: bool = False) -> Run:
        """Do it in the engine's thread. Ctrl-C, and Esc if asked for, cancel its run.

        Args:
            escape: listen to the keyboard meanwhile; other keys are lost.
        """
        future = self._start(act)
        while True:
            try:
                pressed = _wait_or_escape(future) if escape and _has_keyboard() else _wait(future)
                if not pressed:
                    return future.result()
            except KeyboardInterrupt:
                pass
            self.call(partial(self.session.cancel, "cancelled at the terminal"))


@contextmanager
def foreground(opened: AbstractAsyncContextManager[Session]) -> Iterator[Foreground]:
    """Open a session in the engine's thread, and close it there."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(opened) as session,
    ):
        yield Foreground(portal, session)


def _has_keyboard() -> bool:
    return sys.platform != "win32" and sys.stdin.isatty()


def _wait(future: Future[Any]) -> bool:
    while not future.done():
        wait([future], timeout=TICK)
    return False


def _wait_or_escape(future: Future[Any]) -> bool:
    """Wait until the future is done: False; or until the person presses Esc: True."""
    keyboard = sys.stdin.fileno()
    done, tell = socket.socketpair()

    def tell_done(_: Future[Any]) -> None:
        with suppress(OSError):  # nobody waits any more
            tell.send(b".")

    with done, tell, _unbuffered(keyboard):
        future.add_done_callback(tell_done)
        while True:
            ready, _, _ = select.select([keyboard, done], [], [])
            if done in ready:
                return False
            pressed = os.read(keyboard, 64)
            if not pressed:  # the terminal is gone
                return _wait(future)
            if pressed == ESCAPE:
                return True


@contextmanager
def _unbuffered(keyboard: int) -> Iterator[None]:
    """Keys come one by one and are not shown; Ctrl-C stays a signal."""
    import termios
    import tty

    before = termios.tcgetattr(keyboard)
    tty.setcbreak(keyboard, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
