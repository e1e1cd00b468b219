"""One server for one database."""

import os
from pathlib import Path

import pytest

from pointsman.entrypoints.cli import lock
from pointsman.errors import Conflict


def test_the_owner_is_known_while_it_holds_the_lock_and_not_after(tmp_path: Path) -> None:
    database = tmp_path / "new" / "p.db"
    assert lock.owner_of(database) is None
    with lock.held(database) as declare:
        assert lock.owner_of(database) == lock.Owner(pid=os.getpid(), address="")
        declare("http://127.0.0.1:1")
        declare("http://127.0.0.1:2")
        assert lock.owner_of(database) == lock.Owner(pid=os.getpid(), address="http://127.0.0.1:2")
    assert lock.owner_of(database) is None


def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path) -> None:
    database = tmp_path / "p.db"
    with (
        lock.held(database) as declare,
        pytest.raises(Conflict, match=f"process {os.getpid()}"),
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
