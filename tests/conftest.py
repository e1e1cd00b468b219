"""Settings that every test shares."""

import signal

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.postgres"]

# Machines are shared: how long an example takes says nothing.
settings.register_profile(
    "pointsman", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("pointsman")


def pytest_configure() -> None:
    """Let Ctrl-C reach the commands that tests start, also where a shell in the background has
    these tests ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The backend of async tests: the one that the product runs on."""
    return "asyncio"
