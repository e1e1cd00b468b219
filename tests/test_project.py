"""The project's own promises: its gates bite, its package is whole, its pages are clean."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pointsman
from tests.support.wheels import wheel_of

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent

PUBLIC = [
    "Agent",
    "AssistantMessage",
    "CallContext",
    "FromContext",
    "Happened",
    "Limits",
    "ModelParams",
    "ModelSpec",
    "PointsmanError",
    "Private",
    "ReasoningDelta",
    "Reply",
    "ResetDelta",
    "Risk",
    "Source",
    "SystemMessage",
    "TextDelta",
    "ToolError",
    "ToolMessage",
    "ToolResult",
    "Usage",
    "UserMessage",
    "tool",
]

CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
}

FLOORS = (
    "entrypoints/__init__.py",
    "python_api.py",
    "bootstrap.py",
    "wiring/__init__.py",
    "agentfile/__init__.py",
    "settings/__init__.py",
    "engine/__init__.py",
    "engine/executor.py",
    "engine/gate.py",
    "engine/turn.py",
    "engine/validation.py",
    "adapters/__init__.py",
    "adapters/models/__init__.py",
    "adapters/tools/__init__.py",
    "ports/__init__.py",
    "domain/__init__.py",
    "domain/runs.py",
    "errors.py",
    "__init__.py",
)


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "lint-imports", "--no-logo", "--no-cache", ROOT / "pyproject.toml"],
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """An empty package of the project's shape."""
    for floor in FLOORS:
        file = tmp_path / "pointsman" / floor
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


def project_files() -> list[Path]:
    """The files of the project: what git knows, and what it would take."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [ROOT / name for name in listed.stdout.splitlines()]
    return [file for file in files if file.is_file()]


def test_the_public_names_are_these_and_no_others() -> None:
    assert sorted(getattr(pointsman, "__all__", [])) == PUBLIC


def test_an_empty_house_keeps_the_floors(house: Path) -> None:
    checked = lint_imports(house)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("domain/runs.py", "import pointsman.ports", "floors"),
        ("engine/turn.py", "import pointsman.adapters.models", "floors"),
        ("adapters/tools/__init__.py", "import pointsman.engine", "floors"),
        ("settings/__init__.py", "import pointsman.bootstrap", "floors"),
        ("adapters/tools/__init__.py", "import pointsman.adapters.models", "families"),
        ("domain/runs.py", "import time", "pure-domain"),
        ("domain/runs.py", "import pydantic", "pure-domain"),
        ("engine/gate.py", "import sqlalchemy", "engine-without-io"),
        ("engine/turn.py", "import pointsman.engine.gate", "stages"),
    ],
)
def test_an_import_against_the_floors_is_caught(
    house: Path, file: str, line: str, broken: str
) -> None:
    (house / "pointsman" / file).write_text(line + "\n")
    checked = lint_imports(house)
    assert checked.returncode == 1
    assert f"{CONTRACTS[broken]} BROKEN" in checked.stdout


def test_a_module_outside_the_floors_is_caught(house: Path) -> None:
    (house / "pointsman" / "stray.py").touch()
    checked = lint_imports(house)
    assert checked.returncode == 1
    assert "pointsman.stray" in checked.stdout


@pytest.mark.parametrize(
    "source",
    [
        "from datetime import UTC, datetime\n\nNOW = datetime.now(UTC)\n",
        "import time\n\nNOW = time.monotonic()\n",
        "import random\n\nCHANCE = random.random()\n",
        "from uuid import uuid4\n\nID = uuid4()\n",
    ],
    ids=["datetime.now", "time.monotonic", "random", "uuid4"],
)
def test_only_the_system_adapter_reads_clock_and_chance(source: str) -> None:
    def lint(file: str) -> int:
        return subprocess.run(
            [BIN / "ruff", "check", "--select", "TID251", "--stdin-filename", file, "-"],
            cwd=ROOT,
            input=source.encode(),
            capture_output=True,
        ).returncode

    assert lint("src/pointsman/engine/any.py") == 1
    assert lint("src/pointsman/adapters/system.py") == 0


def test_the_wheel_without_the_console_holds_every_file_of_the_package(tmp_path: Path) -> None:
    with wheel_of(tmp_path, POINTSMAN_NO_CONSOLE="1") as wheel:
        held = {name for name in wheel.namelist() if name.startswith("pointsman/")}
    package = ROOT / "src"
    assert held == {
        file.relative_to(package).as_posix()
        for file in project_files()
        if file.is_relative_to(package / "pointsman")
    }


def test_no_file_names_a_folder_of_the_machine_it_was_written_on() -> None:
    machine = re.compile(rb"(?<![\w.:/}])/(work|root|home/\w+|tmp/bash_jobs)/")
    found = [
        str(file.relative_to(ROOT)) for file in project_files() if machine.search(file.read_bytes())
    ]
    assert found == []
