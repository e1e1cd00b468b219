"""``pointsman eval``, as a person and a build server use it (R13)."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command import Command
from tests.support.evaluated import case, kiosk, suite_file

PAGE = Path(__file__).parents[3] / "docs" / "evaluation.md"
GOOD = case("price of tea", "good", tools=["price"]) | {"tags": ["read"]}
BAD = case("hello", "bad", tools=["price"])


@pytest.fixture
def folder(command: Command) -> Path:
    return kiosk(command.folder)


@pytest.mark.slow
def test_the_example_of_the_documentation_passes_on_a_fresh_agent(cafe: Command) -> None:
    example = PAGE.read_text("utf-8").split("```yaml\n")[1].split("```\n")[0]
    suite = cafe.folder / "cafe" / "evaluation" / "desk.yaml"
    suite.parent.mkdir()
    suite.write_text(example, encoding="utf-8")
    done = cafe.process("eval", "run", "cafe")
    assert "5 of 5 passed" in done.stdout
    assert "5/5 ✓" in done.stderr


@pytest.mark.slow
def test_a_build_fails_and_passes_by_the_threshold(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD, BAD)
    failed = command.process(
        "eval", "run", "kiosk", "--junit", "out/j.xml", "--html", "out/r.html", code=1
    )
    assert "below the threshold: passed is 50.0%, wanted 100.0%" in failed.stdout
    assert "tools: expected price; got none" in failed.stdout
    junit = ElementTree.fromstring((command.folder / "out" / "j.xml").read_text("utf-8"))
    assert junit[0].get("failures") == "2"
    assert "bad" in (command.folder / "out" / "r.html").read_text("utf-8")
    command.process("eval", "run", "kiosk", "--threshold", "passed=50%")
    wrong = command.process("eval", "run", "kiosk", "--threshold", "pased=1", code=2)
    assert "did you mean 'passed'?" in wrong.stderr


def test_thresholds_of_the_suite_and_of_the_command(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD, BAD, thresholds={"passed": 0.5, "tool_recall": 0.5})
    command.run("eval", "run", "kiosk")
    command.run("eval", "run", "kiosk", "--threshold", "tool_recall=0.6", code=1)
    command.run("eval", "run", "kiosk", "--threshold", "tool_recall=much", code=2)
    command.run("eval", "run", "kiosk", "--threshold", "intent=0.1", code=1)


def test_an_evaluation_goes_on_where_it_broke_off(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD, BAD)
    first = command.run("eval", "run", "kiosk", "--resume", "r.jsonl", "--case", "good")
    assert "1/1 ✓ good" in first.stderr
    second = command.run("eval", "run", "kiosk", "--resume", "r.jsonl", code=1)
    assert "1 results are in r.jsonl already" in second.stderr
    assert "good" not in second.stderr.replace("r.jsonl", "")
    assert "1 of 2 passed" in second.stdout
    (folder / "more.py").touch()
    third = command.run("eval", "run", "kiosk", "--resume", "r.jsonl", code=1)
    assert "2/2" in third.stderr


def test_a_later_evaluation_says_what_changed(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD, BAD)
    before = command.json("eval", "run", "kiosk", code=1)
    assert (before["good"], before["agent"], before["model"]) == (False, "kiosk", "offline")
    (command.folder / "before.json").write_text(json.dumps(before), encoding="utf-8")
    suite_file(folder, GOOD, case("hello", "bad", tools=[]))
    after = command.run("eval", "run", "kiosk", "--compare", "before.json")
    assert "pass now: bad" in after.stdout
    assert "cannot read" in command.run("eval", "run", "kiosk", "--compare", "x", code=2).stderr


def test_repeats_give_pass_hat_k(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD)
    assert (
        "pass^k: 1: 100.0%  2: 100.0%"
        in command.run("eval", "run", "kiosk", "--repeat", "2", "--jobs", "2").stdout
    )


def test_cases_are_listed_and_chosen_by_tag(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD, BAD)
    suite_file(folder, BAD, name="more.jsonl.yaml", suite="more")
    assert [one["case"] for one in command.json("eval", "list", "kiosk")] == ["bad", "good", "bad"]
    (tagged,) = command.json("eval", "list", "kiosk", "--tag", "read")
    assert (tagged["case"], tagged["line"], tagged["turns"]) == ("good", 2, ["price of tea"])
    assert "1 of 1 passed" in command.run("eval", "run", "kiosk", "--tag", "read").stdout
    assert "no case has the tag" in command.run("eval", "run", "kiosk", "--tag", "x", code=2).stderr


def test_a_suite_elsewhere_needs_the_agent_named(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD).rename(command.folder / "s.yaml")
    assert "--agent" in command.run("eval", "run", "s.yaml", code=2).stderr
    command.run("eval", "run", "s.yaml", "--agent", "kiosk")


def test_faults_of_a_suite_are_told_with_their_places(command: Command, folder: Path) -> None:
    suite_file(folder, {"id": "a", "sya": "x"})
    told = command.run("eval", "run", "kiosk", code=2).stderr
    assert "suite.yaml:3: cases[0].sya: unknown key 'sya' (did you mean 'say'?)" in told
    suite_file(folder, case("x", tools=["prise"]))
    assert "did you mean 'price'?" in command.run("eval", "run", "kiosk", code=2).stderr


def test_a_model_without_a_key_or_of_an_unknown_preset_is_told(
    command: Command, folder: Path
) -> None:
    suite_file(folder, GOOD)
    told = command.run("eval", "run", "kiosk", "--model", "deepseek/deepseek-chat", code=2)
    assert "DEEPSEEK_API_KEY" in told.stderr
    assert (
        "unknown model preset" in command.run("eval", "run", "kiosk", "--model", "x", code=2).stderr
    )


@pytest.mark.slow
def test_a_run_becomes_a_case(command: Command, folder: Path) -> None:
    command.process("ask", "kiosk", "price of tea")
    (run,) = command.json("runs", "list")
    added = command.process("eval", "add", run["run"], "--suite", "kiosk/evaluation/s.yaml")
    assert "kiosk/evaluation/s.yaml" in added.stdout
    assert "1 of 1 passed" in command.process("eval", "run", "kiosk").stdout


def test_without_intents_there_is_nothing_to_calibrate(command: Command, folder: Path) -> None:
    suite_file(folder, GOOD)
    assert "needs intents" in command.run("eval", "calibrate", "kiosk", code=2).stderr
