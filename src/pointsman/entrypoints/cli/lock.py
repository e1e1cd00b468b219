"""One server for one SQLite file: a lock file beside it, which also says where the server listens.

The lock is the operating system's, so that a server that was killed leaves none behind. A
PostgreSQL database has none: it is for any number of servers.
"""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec
from msgspec import Struct

from pointsman.errors import Conflict
from pointsman.settings import DatabaseUrl


class Owner(Struct, frozen=True, kw_only=True):
    """The server that has the lock. ``address`` is its base URL; empty while it starts. ``secret``
    is what it knows the commands beside it by: they run as whoever may read its file."""

    pid: int
    address: str
    host: str = ""
    secret: str = ""

    def __repr__(self) -> str:
        return f"Owner({_named(self)})"


class Declare(Protocol):
    """Takes the address where the server listens, and its secret."""

    def __call__(self, address: str, secret: str = "") -> None: ...


@contextmanager
def held(database: Path | DatabaseUrl) -> Iterator[Declare]:
    """Own the database while inside; gives what is to be called with the address and the secret.

    Raises:
        Conflict: another server owns it.
    """
    if isinstance(database, DatabaseUrl):
        yield lambda address, secret="": None
        return
    path = _path(database)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b", opener=_privately) as file:
        if not _taken(file):
            owner = _read(file)
            who = _named(owner) if owner else "another process"
            raise Conflict(
                f"a server already uses the database {database} ({who}); "
                "stop it, or give this one another --data folder"
            )

        def declare(address: str, secret: str = "") -> None:
            host = socket.gethostname()
            owner = Owner(pid=os.getpid(), address=address, host=host, secret=secret)
            file.truncate(0)
            file.write(msgspec.json.encode(owner))
            file.flush()

        declare("")
        try:
            yield declare
        finally:
            file.truncate(0)


def owner_of(database: Path | DatabaseUrl) -> Owner | None:
    """The running server of this file, if there is one."""
    if isinstance(database, DatabaseUrl):
        return None
    try:
        file = _path(database).open("r+b")
    except OSError:
        return None
    with file:
        return None if _taken(file) else _read(file)


def _privately(path: str, flags: int) -> int:
    """Open a file that only its owner may read, also one that an older release has made."""
    number = os.open(path, flags, 0o600)
    if sys.platform != "win32":
        os.fchmod(number, 0o600)
    return number


def _named(owner: Owner) -> str:
    return " ".join(filter(None, (f"process {owner.pid} on {owner.host}", owner.address)))


def _path(database: Path) -> Path:
    return database.with_name(database.name + ".lock")


def _read(file: BinaryIO) -> Owner | None:
    file.seek(0)
    try:
        return msgspec.json.decode(file.read(4096), type=Owner)
    except msgspec.MsgspecError:
        return None


def _taken(file: BinaryIO) -> bool:
    """Take the lock if it is free. It is let go when the file is closed."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 30)  # a byte that nobody reads: locked bytes cannot be read there
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
