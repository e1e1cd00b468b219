"""The command and its folders."""

from pathlib import Path

import pytest

from tests.support.command import Command


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.fixture
def cafe(command: Command) -> Command:
    """A folder in which ``init cafe`` has been run."""
    command.run("init", "cafe")
    return command
