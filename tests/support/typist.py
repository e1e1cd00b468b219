"""A person at a terminal: types keys and reads what comes, on a pseudo-terminal."""

import codecs
import fcntl
import os
import pty
import select
import termios
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.command import Command

PATIENCE = 60.0


class Typist:
    """Sits before a running command."""

    def __init__(self, screen: int) -> None:
        self._screen = screen
        self._unread = ""
        self._decode = codecs.getincrementaldecoder("utf-8")().decode

    def type(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def press_until(self, key: str, words: str) -> str:
        """Press a key, again each second, until these words come: a key that is pressed in the
        moment in which a prompt is being set up may be lost."""
        for _ in range(int(PATIENCE)):
            self.type(key)
            if words in self._unread or select.select([self._screen], [], [], 1.0)[0]:
                break
        return self.read_until(words)

    def read_until(self, words: str) -> str:
        """What is on the screen up to these words, after what was read before."""
        while words not in self._unread:
            ready, _, _ = select.select([self._screen], [], [], PATIENCE)
            assert ready, f"{words!r} never came:\n{self._unread}"
            try:
                self._unread += self._decode(os.read(self._screen, 4096))
            except OSError:  # the program has gone
                raise AssertionError(f"{words!r} never came:\n{self._unread}") from None
        before, _, self._unread = self._unread.partition(words)
        return before + words


@contextmanager
def typing(command: Command, *arguments: str) -> Iterator[Typist]:
    """A command on a terminal of its own; it must leave by itself with exit code 0."""
    screen, theirs = pty.openpty()
    command.environment["TERM"] = "dumb"
    try:
        with command.started(
            *arguments,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        ) as process:
            yield Typist(screen)
            assert process.wait(PATIENCE) == 0
    finally:
        os.close(screen)
        os.close(theirs)
