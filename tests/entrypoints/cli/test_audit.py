"""``pointsman audit`` on journals that the commands themselves have made."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command

BOOKING = "book a table for 3 people tomorrow under the name Ann"
HOURS = "when are you open tomorrow?"
KEY = "kept elsewhere"


@pytest.fixture
def asked(cafe: Command) -> Command:
    """A journal with a question answered, a booking that waits, and another user's talk."""
    cafe.run("ask", "cafe", HOURS, "--user", "ann")
    cafe.run("ask", "cafe", BOOKING, "--user", "ann", code=4)
    cafe.run("ask", "cafe", "who are you?", "--user", "bo")
    return cafe


def database(command: Command) -> sqlite3.Connection:
    return sqlite3.connect(command.folder / "cafe" / ".pointsman" / "pointsman.db")


def tamper(command: Command, sql: str) -> None:
    with database(command) as connection:
        assert connection.execute(sql).rowcount > 0
    connection.close()


def run_of(command: Command, text: str) -> str:
    runs = command.json("runs", "list")
    return next(str(run["run"]) for run in runs if run["input"] == text)


def inputs(found: Any) -> list[str]:
    return [run["input"] for run in found["runs"]]


def test_runs_are_searched_and_paged(asked: Command) -> None:
    assert inputs(asked.json("audit", "search", "--user", "bo")) == ["who are you?"]
    assert inputs(asked.json("audit", "search", "--tool", "opening_hours")) == [HOURS]
    assert inputs(asked.json("audit", "search", "--outcome", "waiting")) == [BOOKING]
    assert inputs(asked.json("audit", "search", "--text", "UNDER THE NAME")) == [BOOKING]
    assert inputs(asked.json("audit", "search", "--since", "2000-01-01")) != []
    assert inputs(asked.json("audit", "search", "--until", "2000-01-01")) == []
    first = asked.json("audit", "search", "--limit", "2")
    assert inputs(first) == ["who are you?", BOOKING]
    assert inputs(asked.json("audit", "search", "--before", first["before"])) == [HOURS]
    table = asked.run("audit", "search", "--limit", "2")
    assert "waiting" in table.stdout
    assert first["before"] in table.stderr
    assert "No run matches" in asked.run("audit", "search", "--user", "zed").stderr


def test_a_run_is_shown_and_explained(asked: Command) -> None:
    run = run_of(asked, HOURS)
    assert "opening_hours(day=" in asked.run("audit", "show", run[:18]).stdout
    told = asked.run("audit", "explain", run).stdout
    assert f"ann wrote: “{HOURS}”." in told
    assert "The gate let it pass: default for read." in told
    assert "ok: " in told
    waiting = run_of(asked, BOOKING)
    assert "Nobody has decided yet." in asked.run("audit", "explain", waiting, "1.0").stdout
    assert (
        "关卡要求提问者本人确认"
        in asked.run("--language", "zh", "audit", "explain", waiting).stdout
    )
    assert asked.json("audit", "explain", waiting)["calls"][0]["verdict"] == "waiting"
    assert "no call '9.9'" in asked.run("audit", "explain", run, "9.9", code=2).stderr


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_record_is_exported_as_the_articles_log_and_as_events(asked: Command) -> None:
    log = lines(asked.run("audit", "export").stdout)
    assert [(line["tool"], line["status"]) for line in log] == [
        (None, "answered"),
        ("book_table", "waiting"),
        ("opening_hours", "success"),
    ]
    assert list(log[0])[:5] == ["user_input", "intent", "tool", "params", "status"]
    run = run_of(asked, HOURS)
    done = asked.run("audit", "export", run, "--format", "events", "--output", "out.jsonl")
    assert done.stdout == ""
    events = lines((asked.folder / "out.jsonl").read_text(encoding="utf-8"))
    assert [event["position"] for event in events] == list(range(len(events)))
    assert {event["run"] for event in events} == {run}
    refused = asked.run("audit", "export", "--output", "no/where.jsonl", code=2)
    assert "cannot be written" in refused.stderr


def test_a_sound_journal_is_verified_and_a_changed_one_is_not(asked: Command) -> None:
    assert "The journal holds: 3 runs" in asked.run("audit", "verify").stdout
    run = run_of(asked, HOURS)
    tamper(asked, f"update events set hash = zeroblob(32) where run = '{run}' and position = 2")
    told = asked.run("audit", "verify", code=1).stdout
    assert f"✗ {run} @2" in told
    assert "the hash chain breaks" in told
    assert "哈希链断裂" in asked.run("--language", "zh", "audit", "verify", code=1).stdout
    (fault,) = asked.json("audit", "verify", code=1)["faults"]
    assert (fault["run"], fault["position"], fault["kind"]) == (run, 2, "chain")
    assert asked.run("audit", "head", code=1).stdout.startswith("✗")


def test_a_kept_head_misses_a_run_that_was_taken_away(asked: Command) -> None:
    asked.run("audit", "head", "--output", "head.json", POINTSMAN_AUDIT_KEY=KEY)
    asked.run("ask", "cafe", "hello", "--user", "ann")
    held = asked.run("audit", "verify", "--head", "head.json", POINTSMAN_AUDIT_KEY=KEY).stdout
    assert "signature is right" in held
    assert "All that the head of" in held
    run = run_of(asked, "who are you?")
    with database(asked) as connection:
        conversation = connection.execute(
            "select conversation from runs where id = ?", (run,)
        ).fetchone()
        connection.execute("delete from events where run = ?", (run,))
        connection.execute("delete from runs where id = ?", (run,))
        connection.execute("delete from conversations where id = ?", conversation)
    connection.close()
    asked.run("audit", "verify")
    lost = asked.run(
        "audit", "verify", "--head", "head.json", code=1, POINTSMAN_AUDIT_KEY=KEY
    ).stdout
    assert f"run {run}, which the head covers, is gone" in lost


def test_a_head_is_worth_what_its_signature_is(asked: Command) -> None:
    unsigned = asked.run("audit", "head")
    assert "Not signed" in unsigned.stderr
    (asked.folder / "head.json").write_text(unsigned.stdout, encoding="utf-8")
    verify = ("audit", "verify", "--head", "head.json")
    assert "is not signed: trust it" in asked.run(*verify).stdout
    assert "is not signed, though" in asked.run(*verify, code=1, POINTSMAN_AUDIT_KEY=KEY).stdout
    asked.run("audit", "head", "--output", "head.json", POINTSMAN_AUDIT_KEY=KEY)
    assert "was not checked" in asked.run(*verify).stdout
    forged = asked.run(*verify, code=1, POINTSMAN_AUDIT_KEY="another").stdout
    assert "does not fit POINTSMAN_AUDIT_KEY" in forged
    for text in ("{}", "no json"):
        (asked.folder / "head.json").write_text(text, encoding="utf-8")
        assert "no head of a journal" in asked.run(*verify, code=2).stderr
    assert "cannot be read" in asked.run("audit", "verify", "--head", "nowhere", code=2).stderr


def policy(command: Command, rules: str) -> None:
    file = command.folder / "cafe" / "agent.yaml"
    file.write_text(file.read_text(encoding="utf-8") + f"\npolicy: {rules}\n", encoding="utf-8")


def test_a_replay_under_the_same_agent_shows_no_difference(asked: Command) -> None:
    told = asked.run("audit", "replay", "--all", "--agent", "cafe").stdout
    assert told == "Replayed 3 runs: every decision is the same.\n"
    assert all(
        not run["differences"] for run in asked.json("audit", "replay", "--all", "--agent", "cafe")
    )


def test_a_replay_under_another_policy_shows_the_gate(asked: Command) -> None:
    policy(asked, "[{tool: opening_hours, then: deny}]")
    run = run_of(asked, HOURS)
    told = asked.run("audit", "replay", run, "--agent", "cafe", code=1).stdout
    assert "then: allowed (default for read)" in told
    assert "now:  refused" in told
    (shown,) = asked.json("audit", "replay", run, "--agent", "cafe", code=1)
    assert shown["differences"][0]["about"] == "gate"


def test_a_replay_wants_a_run_of_the_agent(asked: Command, tmp_path: Path) -> None:
    assert "a run or --all" in asked.run("audit", "replay", "--agent", "cafe", code=2).stderr
    asked.run("init", "shop")
    run = run_of(Command(asked.folder / "cafe"), HOURS)
    refused = asked.run("audit", "replay", run, "--agent", "shop", "--data", "cafe", code=2)
    assert "another agent: 'cafe'" in refused.stderr
