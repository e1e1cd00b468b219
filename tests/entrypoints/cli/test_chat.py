"""A conversation in the terminal, typed or piped."""

import sys

import pytest

from tests.support.command import Command, wait_for

BOOKING = "book a table for 2 people tomorrow under the name Bo"


def test_piped_lines_are_answered_plainly_one_by_one(cafe: Command) -> None:
    talked = cafe.run("chat", "cafe", stdin="\ufeffwho are you?\r\n\nhours today\n")
    first, second = talked.stdout.splitlines()
    assert first == "I am the desk of the café."
    assert "09:00 to" in second
    assert "→ opening_hours(day=" in talked.stderr
    assert "\x1b" not in talked.stdout + talked.stderr


def test_the_lines_of_one_chat_are_one_conversation_until_new(cafe: Command) -> None:
    cafe.run("chat", "cafe", stdin="hello\nwho are you?\n/new\nhello\n")
    conversations = [run["conversation"] for run in cafe.json("runs", "list")]
    assert conversations[1] == conversations[2]
    assert conversations[0] != conversations[1]


def test_a_conversation_is_taken_up_again(cafe: Command) -> None:
    first = cafe.json("ask", "cafe", "hello")["conversation"]
    cafe.run("chat", "cafe", "--conversation", first, stdin="hello\n")
    assert {run["conversation"] for run in cafe.json("runs", "list")} == {first}
    unknown = cafe.run("chat", "cafe", "--conversation", "nope", code=2)
    assert "no conversation 'nope'" in unknown.stderr


@pytest.mark.parametrize(
    ("word", "outcome"),
    [("yes", "Booked for Bo"), ("好的", "Booked for Bo"), ("no", "was not done")],
)
def test_a_confirmation_is_answered_in_plain_words(cafe: Command, word: str, outcome: str) -> None:
    talked = cafe.run("chat", "cafe", stdin=f"{BOOKING}\n{word}\n")
    question, answer = talked.stdout.splitlines()
    assert "Shall I?" in question
    assert outcome in answer
    assert len(cafe.json("runs", "list")) == 1


def test_another_message_withdraws_what_waits(cafe: Command) -> None:
    cafe.run("chat", "cafe", stdin=f"{BOOKING}\nwho are you?\n")
    assert [run["status"] for run in cafe.json("runs", "list")] == ["done", "cancelled"]


def test_a_decision_of_somebody_else_is_named_with_its_command(command: Command) -> None:
    command.slow_agent()
    talked = command.run("chat", "slow", stdin="note this\n")
    (run,) = command.json("runs", "list")
    assert "needs the approval of finance" in talked.stdout
    assert f"pointsman approvals approve {run['run']}" in talked.stderr


def test_the_commands_work_and_unknown_ones_are_no_message(cafe: Command) -> None:
    talked = cafe.run("chat", "cafe", stdin="hello\n/usage\n/runs\n/help\n/foo\n/quit\nhello\n")
    assert "This conversation: " in talked.stdout
    assert "local in all: " in talked.stdout
    assert "/usage" in talked.stdout
    assert "No command /foo" in talked.stderr
    assert len(cafe.json("runs", "list")) == 1


def test_it_speaks_the_language_of_the_agent_or_of_the_option(cafe: Command) -> None:
    assert (
        "/new    开始新的对话" in cafe.run("--language", "zh", "chat", "cafe", stdin="/help").stdout
    )
    cafe.run("init", "zh", "--language", "zh")
    assert "新的对话。" in cafe.run("chat", "zh", stdin="/new\n").stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_and_escape_cancel_the_run_and_ctrl_d_leaves(command: Command) -> None:
    from tests.support.typist import typing

    mark = command.slow_agent() / "lingers"
    with typing(command, "chat", "slow") as person:
        person.read_until("slow (offline)")
        for keys in ("\x03", "\x1b"):
            person.read_until("› ")
            person.type("please linger\n")
            person.read_until("→ linger()")
            wait_for(mark)
            person.type(keys)
            person.read_until("Cancelled.")
        person.read_until("› ")
        person.press_until("\x03", "Ctrl-D or /quit leaves.")
        person.type("what?\n")
        person.read_until("What?")
        person.read_until("› ")
        person.type("\x04")
    statuses = [run["status"] for run in command.json("runs", "list")]
    assert statuses == ["done", "cancelled", "cancelled"]
