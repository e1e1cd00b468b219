"""What an agent can call, and calls made by hand through the same checks."""

import json
from typing import Any

import pytest

from tests.support.command import Command

TABLE = {"day": "2026-12-05", "people": 2, "guest": "Al"}


def test_tools_are_listed_with_risk_gate_and_required_parameters(cafe: Command) -> None:
    listed = cafe.json("tools", "list", "cafe")
    assert listed["agent"] == "cafe"
    assert listed["sources"] == [{"name": "python", "state": "ready", "ready": True}]
    hours, table = listed["tools"]
    assert (hours["name"], hours["risk"], hours["gate"]) == ("opening_hours", "read", "allow")
    assert (table["risk"], table["gate"]) == ("write", "confirm")
    assert table["required"] == ["day", "people", "guest"]
    printed = cafe.run("tools", "list", "cafe").stdout
    assert "day, people, guest" in printed
    assert not list(cafe.folder.glob("**/*.db"))


def test_a_server_that_does_not_start_is_shown(command: Command) -> None:
    folder = command.slow_agent()
    file = folder / "agent.yaml"
    text = file.read_text(encoding="utf-8")
    broken = "tools:\n  - mcp: {name: gone, command: [no-such-program-anywhere]}"
    file.write_text(text.replace("tools:", broken, 1), encoding="utf-8")
    (gone,) = [one for one in command.json("tools", "list", "slow")["sources"] if not one["ready"]]
    assert gone["name"] == "gone"
    assert "✗ gone: " in command.run("tools", "list", "slow").stderr
    examined = command.run("doctor", "slow", code=1).stdout
    assert "✗ tools: gone: " in examined
    assert "→ run the command of gone by hand" in examined


def test_a_reading_call_runs_at_once_and_is_journaled_as_a_trial(cafe: Command) -> None:
    called = cafe.run("tools", "call", "cafe", "opening_hours", "--args", '{"day": "2026-12-05"}')
    assert json.loads(called.stdout)["closes"] == "22:00"
    (run,) = cafe.json("runs", "list")
    shown = cafe.json("runs", "show", run["run"])
    assert shown["origin"] == "trial"
    assert [event["type"] for event in shown["events"]].count("call_cleared@1") == 1


@pytest.mark.parametrize(
    ("options", "stdin", "code", "status"),
    [
        ([], "yes\n", 0, "ok"),
        ([], "no\n", 3, "refused"),
        ([], "perhaps\n", 3, "refused"),
        ([], "", 3, "refused"),
        (["--yes"], "", 0, "ok"),
    ],
)
def test_a_risky_call_runs_only_after_a_yes(
    cafe: Command, options: list[str], stdin: str, code: int, status: str
) -> None:
    arguments = ("tools", "call", "cafe", "book_table", "--args", json.dumps(TABLE), *options)
    called = cafe.run(*arguments, "--json", stdin=stdin, code=code)
    assert ("Shall I?" in called.stderr) == (not options)
    (call,) = json.loads(called.stdout)["calls"]
    assert call["status"] == status


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("book", {}, "unknown tool 'book'"),
        ("book_table", {"day": "2026-12-05"}, "What are"),
        ("book_table", TABLE | {"people": "many"}, "people"),
        ("book_table", [1, 2], "not one JSON object"),
    ],
)
def test_a_call_at_fault_does_not_run(cafe: Command, tool: str, arguments: Any, words: str) -> None:
    refused = cafe.run("tools", "call", "cafe", tool, "--args", json.dumps(arguments), code=2)
    assert words in refused.stdout
