"""From nothing to an answer, as a person does it."""

import json
import re
import signal

import pytest

from tests.support.command import Command, wait_for

BOOKING = "book a table for 3 people tomorrow under the name Ann"


@pytest.mark.slow
def test_the_first_steps_work_as_processes(command: Command) -> None:
    command.process("init", "cafe")
    assert "All is well." in command.process("doctor", "cafe").stdout
    asked = command.process("ask", "cafe", "when are you open tomorrow?")
    assert "09:00 to" in asked.stdout
    assert asked.stdout.count("\n") == 1
    assert re.search(r"→ opening_hours\(day='[\d-]+'\) ✓ \d+ ms", asked.stderr)
    (run,) = json.loads(command.process("runs", "list", "--json").stdout)
    assert "the hash chain holds" in command.process("runs", "show", run["run"][:18]).stdout
    talked = command.process("chat", "cafe", stdin="who are you?\n")
    assert talked.stdout == "I am the desk of the café.\n"


def test_init_says_the_next_steps_and_never_overwrites(cafe: Command) -> None:
    before = (cafe.folder / "cafe" / "agent.yaml").read_bytes()
    refused = cafe.run("init", "cafe", "--language", "zh", code=2)
    assert "agent.yaml" in refused.stderr
    assert (cafe.folder / "cafe" / "agent.yaml").read_bytes() == before
    assert "pointsman doctor 'my cafe'" in cafe.run("init", "my cafe").stdout


def test_init_writes_an_agent_of_the_language_that_answers_in_it(command: Command) -> None:
    assert "接下来" in command.run("init", "咖啡", "--language", "zh").stdout
    assert "language: zh" in (command.folder / "咖啡" / "agent.yaml").read_text(encoding="utf-8")
    assert "咖啡馆" in command.run("ask", "咖啡", "你是谁").stdout
    assert "一切就绪" in command.run("doctor", "咖啡").stdout


def test_a_message_from_stdin_is_answered_without_steps(cafe: Command) -> None:
    asked = cafe.run("ask", "cafe", "-", "--no-steps", stdin="\ufeffwho are you?\n")
    assert asked.stdout == "I am the desk of the café.\n"
    assert asked.stderr == ""


def test_a_question_that_waits_says_how_to_answer_and_the_answer_is_taken(cafe: Command) -> None:
    asked = cafe.run("ask", "cafe", BOOKING, "--user", "ann", code=4)
    assert "Shall I?" in asked.stdout
    (again,) = re.findall(r"To answer: pointsman (.*)", asked.stderr)
    assert cafe.run(*again.split()).stdout.startswith("Booked for Ann")


def test_the_way_to_answer_names_the_database_that_was_used(cafe: Command) -> None:
    asked = cafe.run("ask", "cafe", BOOKING, "--data", "elsewhere", code=4)
    (again,) = re.findall(r"To answer: pointsman (.*)", asked.stderr)
    assert cafe.run(*again.split()).stdout.startswith("Booked for Ann")


def test_the_json_of_an_answer_holds_run_calls_and_usage(cafe: Command) -> None:
    answer = cafe.json("ask", "cafe", "when are you open tomorrow?")
    assert len(answer["run"]) == 32
    assert (answer["status"], answer["kind"]) == ("done", "answer")
    assert "09:00" in answer["reply"]
    assert [call["tool"] for call in answer["calls"]] == ["opening_hours"]
    assert answer["calls"][0]["status"] == "ok"
    assert answer["usage"]["total"] > 0


def test_the_json_of_a_waiting_run_holds_its_question(cafe: Command) -> None:
    answer = cafe.json("ask", "cafe", BOOKING, code=4)
    assert answer["status"] == "waiting"
    assert answer["waiting"][0]["by"] == "user"
    assert "Ann" in answer["waiting"][0]["question"]


def test_a_conversation_goes_on_for_its_user_only(cafe: Command) -> None:
    first = cafe.json("ask", "cafe", "who are you?", "--user", "ann")["conversation"]
    again = cafe.json("ask", "cafe", "hello", "--user", "ann", "--conversation", first)
    assert again["conversation"] == first
    other = cafe.run("ask", "cafe", "hello", "--user", "bo", "--conversation", first, code=2)
    assert "no conversation" in other.stderr


def test_a_run_that_takes_too_long_is_cancelled(command: Command) -> None:
    command.slow_agent()
    answer = command.json("ask", "slow", "linger", "--timeout", "1", code=130)
    assert answer["status"] == "cancelled"
    (run,) = command.json("runs", "list")
    assert run["status"] == "cancelled"


@pytest.mark.slow
def test_ctrl_c_cancels_the_run(command: Command) -> None:
    mark = command.slow_agent() / "lingers"
    with command.started("ask", "slow", "linger") as process:
        wait_for(mark)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "Cancelled.\n")


@pytest.mark.slow
def test_a_cancel_from_another_process_ends_the_run_here(command: Command) -> None:
    mark = command.slow_agent() / "lingers"
    with command.started("ask", "slow", "linger") as process:
        wait_for(mark)
        while not (runs := command.json("runs", "list")):
            continue
        command.run("runs", "cancel", runs[0]["run"], "--reason", "enough")
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "Cancelled.\n")
    assert "cancelled by operator: enough" in command.run("runs", "show", runs[0]["run"]).stdout


def test_the_database_lies_where_it_was_asked_for(cafe: Command) -> None:
    cafe.run("ask", "cafe", "who are you?", "--data", "here")
    cafe.run("ask", "cafe", "who are you?", POINTSMAN_DATA="there")
    for folder in ("here", "there"):
        assert (cafe.folder / folder / "pointsman.db").exists()
    assert not (cafe.folder / "cafe" / ".pointsman").exists()
