"""The READMEs do what they say: every command and program in them is run as it is written."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from pointsman.adapters.models.presets import ALIASES, PRESETS

ROOT = Path(__file__).parents[1]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
PORT = "8765"


def blocks(language: str, page: str = ENGLISH) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


COMMANDS = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
MAKE = [line for line in COMMANDS if line.startswith("make ")]
CURL = [line for line in COMMANDS if line.startswith("curl ")]
POINTSMAN = [line for line in COMMANDS if line.startswith(".venv/bin/pointsman ")]


class Place:
    """A folder in which the README's paths mean what they mean in a clone.

    Its own data folder, the project's agents, and ``.venv/bin`` of the running interpreter.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / ".venv").symlink_to(sys.prefix)
        self.environment = {**os.environ, "POINTSMAN_DATA": str(folder / "data")}

    def run(self, command: str, stdin: str = "") -> str:
        """What the command printed. A command that fails, fails the test."""
        done = subprocess.run(
            shlex.split(command),
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("clone"))


@pytest.fixture
def port(place: Place) -> Iterator[int]:
    """Where the server of ``make run`` listens, as a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = int(probe.getsockname()[1])
    (recipe,) = (line for line in make("-n", "run", f"PORT={free}").splitlines() if "serve" in line)
    process = subprocess.Popen(
        shlex.split(recipe.removeprefix("exec ")),
        cwd=place.folder,
        env=place.environment,
    )
    try:
        yield free
    finally:
        process.terminate()
        process.wait(timeout=20)


def make(*arguments: str) -> str:
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    ).stdout


def test_every_command_is_of_a_kind_that_is_tested() -> None:
    assert len(MAKE) + len(CURL) + len(POINTSMAN) == len(COMMANDS)
    assert MAKE
    assert CURL
    assert POINTSMAN


@pytest.mark.parametrize("language", ["sh", "python", "yaml"])
def test_both_languages_show_the_same_code(language: str) -> None:
    assert blocks(language, CHINESE) == blocks(language)


def test_both_languages_have_the_same_sections_and_steps() -> None:
    marks = re.compile(r"^(?:#+|[0-9]+\.|-)(?= )", re.MULTILINE)
    assert marks.findall(CHINESE) == marks.findall(ENGLISH)


@pytest.mark.parametrize("command", MAKE)
def test_every_make_command_is_a_target(command: str) -> None:
    assert make("-n", *shlex.split(command)[1:])


@pytest.mark.slow
def test_the_first_question_is_answered_by_the_server(place: Place, port: int) -> None:
    patience = "--fail-with-body --retry 30 --retry-delay 1 --retry-connrefused"
    for command in CURL:
        here = command.replace(PORT, str(port))
        answer = place.run(f"{here} --no-progress-meter {patience}")
        assert "成都" in answer


@pytest.mark.slow
def test_the_pointsman_commands_work_in_the_order_of_the_page(place: Place) -> None:
    printed: dict[str, str] = {}
    for command in POINTSMAN:
        if " RUN" in command:
            run = re.search(r"\b[0-9a-f]{32}\b", place.run(".venv/bin/pointsman runs list --json"))
            assert run
            command = command.replace("RUN", run[0])
        printed[command] = place.run(command, stdin="你好\n")
        assert printed[command].strip(), command
    dry, wet = (out for command, out in printed.items() if " ask examples/travel " in command)
    assert "骑行" in dry
    assert "驾车" not in dry
    assert "驾车" in wet
    assert "骑行" not in wet
    (numbers,) = (out for command, out in printed.items() if " ask examples/office " in command)
    assert "178" in numbers
    assert "研发部 | 12" in numbers
    assert "站会" in printed[".venv/bin/pointsman reminders list"]


@pytest.mark.slow
def test_the_python_program_answers_with_the_result_of_its_tool(place: Place) -> None:
    (program,) = blocks("python")
    assert len([line for line in program.splitlines() if line]) < 30
    (place.folder / "shop.py").write_text(program, encoding="utf-8")
    assert "left the warehouse" in place.run(".venv/bin/python shop.py")


@pytest.mark.parametrize("snippet", blocks("yaml"))
def test_every_model_snippet_names_a_preset_and_its_key(snippet: str) -> None:
    model = yaml.safe_load(snippet)["model"]
    preset = PRESETS[ALIASES.get(model["use"], model["use"])]
    named = snippet.partition("#")[2].strip()
    assert named in (preset.key_env, "no key", "")
    assert preset.key_optional or preset.key_env or model["key_env"]


def test_the_architecture_section_names_files_that_exist() -> None:
    named = re.findall(r"`([a-z_/]+(?:\.py|/))`", ENGLISH.partition("## Architecture")[2])
    missing = [file for file in named if not (ROOT / "src" / "pointsman" / file).exists()]
    assert len(named) > 12
    assert missing == []
