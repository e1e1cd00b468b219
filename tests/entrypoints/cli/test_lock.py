"""One server for one database."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from pointsman.entrypoints.cli import lock
from pointsman.errors import Conflict
from pointsman.settings import DatabaseUrl


def test_the_owner_is_known_while_it_holds_the_lock_and_not_after(tmp_path: Path) -> None:
    database = tmp_path / "new" / "p.db"
    assert lock.owner_of(database) is None
    with lock.held(database) as declare:
        owner = lock.Owner(pid=os.getpid(), address="", host=socket.gethostname())
        assert lock.owner_of(database) == owner
        declare("http://127.0.0.1:1")
        declare("http://127.0.0.1:2")
        assert lock.owner_of(database) == replace(owner, address="http://127.0.0.1:2")
    assert lock.owner_of(database) is None


def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path) -> None:
    database = tmp_path / "p.db"
    with (
        lock.held(database) as declare,
        pytest.raises(Conflict, match=f"process {os.getpid()} on "),
        lock.held(database),
    ):
        declare("")
    with lock.held(database):
        pass


@pytest.mark.parametrize("left", [b"", b"{", b'{"pid": 1, "address": "http://127.0.0.1:1"}'])
def test_what_a_killed_server_left_is_no_owner(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "p.db.lock").write_bytes(left)
    assert lock.owner_of(tmp_path / "p.db") is None
    with lock.held(tmp_path / "p.db"):
        pass


HOLDING = """
import sys, time
from pathlib import Path
from pointsman.entrypoints.cli import lock
with lock.held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    database = tmp_path / "p.db"
    held = [sys.executable, "-c", HOLDING, str(database)]
    with subprocess.Popen(held, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(Conflict, match=f"process {other.pid} on "), lock.held(database):
            pass
        other.kill()
    with lock.held(database):
        pass


def test_a_postgresql_database_is_for_any_number_of_servers() -> None:
    database = DatabaseUrl("postgresql:///app")
    with lock.held(database) as first, lock.held(database):
        first("http://127.0.0.1:1")
        assert lock.owner_of(database) is None
