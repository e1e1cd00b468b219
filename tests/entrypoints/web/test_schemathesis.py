"""The server keeps to what its OpenAPI document says, whatever is sent to it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Command, until

STREAMS = "events$"
"""They do not end by themselves."""
UNSAID = "positive_data_acceptance"
"""What two parameters mean together, no schema says."""


@pytest.mark.slow
def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    command = Command(tmp_path)
    command.environment["POINTSMAN_SERVER_ADDRESS_RATE"] = "9000/s"
    command.run("init", "cafe")
    with command.started("serve", "cafe", "--port", "0") as server:
        (url,) = re.findall(r"on (http://[\d.:]+);", until(server, "-d '"))
        done = subprocess.run(
            [
                str(Path(sys.executable).parent / "schemathesis"),
                "run",
                f"{url}/api/openapi.json",
                *("--phases", "fuzzing", "--max-examples", "2", "--workers", "2"),
                *("--seed", "1", "--generation-deterministic", "--no-color"),
                *("--exclude-path-regex", STREAMS, "--exclude-checks", UNSAID),
                *("--request-timeout", "60", "--suppress-health-check", "all"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stdout[-8_000:]
