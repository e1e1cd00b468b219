"""Settings that every test shares."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The backend of async tests: the one that the product runs on."""
    return "asyncio"
