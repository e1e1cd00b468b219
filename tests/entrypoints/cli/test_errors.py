"""Whatever goes wrong ends in one clear line and an exit code, never in a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from pointsman.entrypoints.cli.app import app
from pointsman.entrypoints.cli.border import main
from pointsman.entrypoints.cli.help_texts import untranslated
from tests.support.command import Command


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nope"], "No such command 'nope'"),
        (["ask"], "Missing argument 'AGENT'"),
        (["ask", "cafe"], "Missing argument 'TEXT'"),
        (["ask", "cafe", "hi", "--nope"], "No such option"),
        (["ask", "cafe", "hi", "--timeout", "0"], "--timeout"),
        (["ask", "cafe", "  "], "the message is empty"),
        (["ask", "cafe", "-"], "the message is empty"),
        (["ask", "cafe", "hi", "--user", " "], "--user"),
        (["ask", "nowhere", "hi"], "pointsman init nowhere"),
        (["chat"], "there is no agent.yaml here"),
        (["serve"], "there is no agent.yaml here"),
        (["serve", "cafe", "--port", "70000"], "--port"),
        (["tools", "list"], "there is no agent.yaml here"),
        (["tools", "call", "cafe"], "Missing argument 'NAME'"),
        (["runs", "show", "ff"], "no database"),
        (["runs", "cancel", "ff"], "no database"),
        (["approvals", "approve", "ff"], "no database"),
        (["runs", "list", "--status", "odd"], "odd"),
        (["runs", "list", "--limit", "0"], "--limit"),
        (["--language", "fr", "runs", "list"], "fr"),
        (["init", "cafe"], "nothing was written"),
    ],
)
def test_a_mistake_is_one_clear_error_with_exit_code_two(
    cafe: Command, arguments: list[str], words: str
) -> None:
    refused = cafe.run(*arguments, code=2)
    assert words in refused.stderr
    assert refused.stdout == ""


def test_every_fault_of_an_agent_file_is_listed_with_its_place(cafe: Command) -> None:
    file = cafe.folder / "cafe" / "agent.yaml"
    text = file.read_text(encoding="utf-8")
    text = text.replace("timezone: UTC", "timezone: Mars").replace("turns: 8", "turns: -8")
    file.write_text(text, encoding="utf-8")
    first, second = cafe.run("ask", "cafe", "hi", code=2).stderr.splitlines()
    assert first.startswith("error: cafe/agent.yaml:7: timezone: ")
    assert "limits.turns" in second


def test_a_setting_at_fault_is_named(cafe: Command) -> None:
    assert "POINTSMAN_PORT" in cafe.run("ask", "cafe", "hi", code=2, POINTSMAN_PORT="x").stderr


def test_errors_are_announced_in_the_language_of_the_terminal(command: Command) -> None:
    assert "错误：" in command.run("ask", "x", "y", code=2, LC_ALL="zh_CN.UTF-8").stderr
    assert "错误：" in command.run("--language=zh", "ask", "x", "y", code=2).stderr


def test_what_nobody_foresaw_is_short_and_has_a_traceback_only_with_debug(
    cafe: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = "raise RuntimeError('the tools are broken')\n"
    (cafe.folder / "cafe" / "tools.py").write_text(broken, encoding="utf-8")
    done = cafe.run("ask", "cafe", "hi", code=2)
    assert "the tools are broken" in done.stderr
    assert main(["--debug", "ask", str(cafe.folder / "cafe"), "hi"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_no_command_shows_the_help(command: Command) -> None:
    assert "Usage: pointsman" in command.run(code=2).stderr


def test_every_help_text_exists_in_chinese() -> None:
    assert untranslated(typer.main.get_command(app)) == set()


def test_the_help_is_there_without_the_heavy_parts(tmp_path: Path) -> None:
    program = (
        "import sys; from pointsman.entrypoints.cli.border import main; main(['--help']); "
        "heavy = {'anyio', 'asyncio', 'fastapi', 'mcp', 'pydantic', 'rich', 'sqlalchemy'}; "
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "chat" in done.stdout
