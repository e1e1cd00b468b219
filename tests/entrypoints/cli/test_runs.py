"""What the journal tells, and a person's hand on a run without a server."""

import sqlite3

import pytest

from tests.support.command import Command

BOOKING = "book a table for 3 people tomorrow under the name Ann"


@pytest.fixture
def waiting(cafe: Command) -> str:
    """The id of a run that waits for its user."""
    return str(cafe.json("ask", "cafe", BOOKING, code=4)["run"])


def test_runs_are_listed_newest_first_and_filtered(cafe: Command) -> None:
    assert cafe.json("runs", "list") == []
    assert "No runs" in cafe.run("runs", "list").stderr
    assert list(cafe.folder.glob("**/*.db")) == []
    for user, text in (("ann", "who are you?"), ("bo", "hello"), ("ann", BOOKING)):
        cafe.run("ask", "cafe", text, "--user", user, code=4 if text == BOOKING else 0)
    listed = cafe.json("runs", "list")
    assert [run["input"] for run in listed] == [BOOKING, "hello", "who are you?"]
    table = cafe.run("runs", "list").stdout.splitlines()
    assert [line.split()[0] for line in table[1:]] == [run["run"][:18] for run in listed]
    assert [run["user"] for run in cafe.json("runs", "list", "--user", "bo")] == ["bo"]
    assert len(cafe.json("runs", "list", "--status", "waiting", "--status", "failed")) == 1
    assert len(cafe.json("runs", "list", "--limit", "2")) == 2
    assert cafe.json("runs", "list", "--agent", "other") == []
    one = listed[0]["conversation"]
    assert len(cafe.json("runs", "list", "--conversation", one)) == 1


def test_a_run_is_told_as_a_story_by_the_start_of_its_id(cafe: Command) -> None:
    run = cafe.json("ask", "cafe", "when are you open tomorrow?")["run"]
    story = cafe.run("runs", "show", run[:18]).stdout
    for words in (
        "when are you open tomorrow?",
        "model asked, 2 tools",
        "opening_hours(day=",
        "cleared: default for read",
        "attempt 1",
        "✓",
        "09:00 to",
        "the hash chain holds",
    ):
        assert words in story
    assert "哈希链完整" in cafe.run("--language", "zh", "runs", "show", run).stdout


def test_the_json_of_a_run_holds_every_event(cafe: Command) -> None:
    run = cafe.json("ask", "cafe", "who are you?")["run"]
    shown = cafe.json("runs", "show", run)
    assert shown["verified"] is True
    assert [event["position"] for event in shown["events"]] == list(range(len(shown["events"])))
    assert shown["events"][0]["type"] == "message_received@1"
    assert shown["events"][-1]["type"] == "reply_given@1"


def test_a_journal_that_was_changed_is_told_so(cafe: Command) -> None:
    run = cafe.json("ask", "cafe", "who are you?")["run"]
    with sqlite3.connect(cafe.folder / "cafe" / ".pointsman" / "pointsman.db") as database:
        database.execute(
            "update events set body = cast(replace(body, 'local', 'rogue') as blob)"
            " where position = 0"
        )
    database.close()
    assert "cannot be trusted" in cafe.run("runs", "show", run, code=1).stdout
    assert cafe.json("runs", "show", run, code=1)["verified"] is False
    assert "hash chain breaks" in cafe.run("doctor", "cafe", code=1).stdout


def test_a_waiting_run_is_cancelled_once(cafe: Command, waiting: str) -> None:
    assert waiting in cafe.run("runs", "cancel", waiting, "--reason", "not now").stdout
    story = cafe.run("runs", "show", waiting).stdout
    assert "cancelled by operator: not now" in story
    assert "ended already" in cafe.run("runs", "cancel", waiting, code=2).stderr


def test_an_id_that_is_no_run_or_several_is_said_so(cafe: Command) -> None:
    for _ in range(2):
        cafe.run("ask", "cafe", "who are you?")
    for unknown in ("ffff", "zz", "", "01' or 1=1"):
        assert "no run" in cafe.run("runs", "show", unknown, code=2).stderr
    assert "several runs start with '0'" in cafe.run("runs", "cancel", "0", code=2).stderr


def test_several_databases_below_are_named(cafe: Command) -> None:
    cafe.run("init", "shop")
    for agent in ("cafe", "shop"):
        cafe.run("ask", agent, "who are you?")
    refused = cafe.run("runs", "list", code=2).stderr
    assert "cafe/.pointsman" in refused
    assert "shop/.pointsman" in refused
    assert len(cafe.json("runs", "list", "--data", "shop")) == 1
