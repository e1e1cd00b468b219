"""Settings that every test shares."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.postgres"]

TESTS = Path(__file__).parent
OUTSIDE = frozenset({"console", "end_to_end", "entrypoints", "examples"})
POSTGRES = ("postgres", "procrastinate")
MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Bytes; the tests of one call leave less behind, and take them away at the end."""

# Machines are shared: how long an example takes says nothing. A check tries the same examples every
# time, so that it fails for what was changed; ``make fuzz`` looks for new ones.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("check", unhurried, derandomize=True)
settings.register_profile("fuzz", unhurried, max_examples=3000)
settings.load_profile("check")


def pytest_configure() -> None:
    """Keep temporary files in memory, where there is room: hundreds of databases are made for a
    moment. And let Ctrl-C reach the commands that tests start, also where a shell in the background
    has these tests ignore it."""
    if "TMPDIR" not in os.environ and _has_room(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _has_room(folder: Path) -> bool:
    """Whether files can be kept and run there."""
    if not os.access(folder, os.W_OK) or os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return False
    return shutil.disk_usage(folder).free >= ROOM


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out of ``make fast`` what needs a database server or asks the product from outside."""
    for item in items:
        outside = item.path.relative_to(TESTS).parts[0] in OUTSIDE
        if outside or any(word in item.name for word in POSTGRES):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The backend of async tests: the one that the product runs on."""
    return "asyncio"
