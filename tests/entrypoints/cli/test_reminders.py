"""``pointsman reminders``."""

from pathlib import Path

import pytest

from tests.support.command import Command

AGENT = """\
agent: desk
language: en
timezone: Asia/Shanghai
tools:
  - builtin: System_Notify
offline:
  values: {to: {patterns: ['to (admin|bob)']}}
  calls:
    send:
      tool: System_Notify
      when: [send]
      arguments: {toUser: to, message: {fixed: hello}}
  fallback: "?"
"""


@pytest.fixture
def desk(tmp_path: Path) -> Command:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "agent.yaml").write_text(AGENT, encoding="utf-8")
    return Command(tmp_path)


def test_a_reminder_is_made_listed_shown_moved_and_cancelled(desk: Command) -> None:
    made = desk.run("reminders", "add", "desk", "every day at 9", "--text", "drink water")
    assert "I will remind you every day at 09:00: drink water" in made.stdout
    (one,) = desk.json("reminders", "list", "--data", "desk")
    assert (one["text"], one["rule"]) == ("drink water", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0")
    id = one["reminder"][:20]
    data = ("--data", "desk")
    shown = desk.run("reminders", "show", id, *data).stdout
    assert "In the user's words: every day at 9" in shown
    assert "time zone Asia/Shanghai" in shown
    assert "paused" in desk.run("reminders", "pause", id, *data).stdout
    assert "paused" not in desk.run("reminders", "resume", id, *data).stdout
    assert "snoozed" in desk.run("reminders", "snooze", id, "10 minutes", *data).stdout
    changed = desk.run("reminders", "change", id, "--when", "every Monday at 8", *data).stdout
    assert "every Monday at 08:00: drink water" in changed
    assert "cancelled" in desk.run("reminders", "cancel", id, *data).stdout
    assert desk.json("reminders", "list", *data) == []
    assert len(desk.json("reminders", "list", "--state", "cancelled", *data)) == 1


def test_what_is_not_clear_is_asked_with_an_exit_code_of_its_own(desk: Command) -> None:
    asked = desk.run("reminders", "add", "desk", "tomorrow", "--text", "x", code=4)
    assert asked.stdout.startswith("At what time on")
    asked = desk.run(
        "--language", "zh", "reminders", "add", "desk", "昨天9点", "--text", "x", code=4
    )
    assert "已经过去" in asked.stdout
    assert desk.json("reminders", "list", "--data", "desk") == []


def test_an_action_is_shown_first_and_made_with_yes(desk: Command) -> None:
    add = ("reminders", "add", "desk", "every day at 9", "--action", "send hello to admin")
    shown = desk.run(*add, code=4)
    assert "Done then without asking again: Send a notification" in shown.stdout
    assert "again with --yes" in shown.stderr
    made = desk.json(*add, "--yes")
    assert made["calls"][0]["tool"] == "System_Notify"
    change = ("reminders", "change", made["reminder"])
    moved = desk.json(*change, "--when", "every day at 10", "--data", "desk")
    assert (moved["calls"], "BYHOUR=10" in moved["rule"]) == (made["calls"], True)
    other = (*change, "--action", "please send hello to admin")
    assert "--agent" in desk.run(*other, "--data", "desk", code=2).stderr
    assert "10:00" in desk.run(*other, "--agent", "desk", code=4).stdout
    assert "please send" in desk.run(*other, "--agent", "desk", "--yes").stdout
    refused = desk.run(*add[:-1], "send hello to bob", "--yes", code=2)
    assert "bob" in refused.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "desk", "at 9"),
        ("add", "desk", "at 9", "--text", "a", "--action", "b"),
        ("add", "nowhere", "at 9", "--text", "a"),
        ("cancel", "ffff"),
        ("show", "ffff"),
        ("snooze", "ffff", "10 minutes"),
    ],
)
def test_wrong_use_is_told_without_a_trace(arguments: tuple[str, ...], desk: Command) -> None:
    refused = desk.run("reminders", *arguments, code=2)
    assert refused.stderr.startswith("error:")


def test_its_help_is_in_both_languages(desk: Command) -> None:
    assert "Make reminders" in desk.run("reminders", "--help").stdout
    assert "添加和管理提醒" in desk.run("reminders", "--help", LC_ALL="zh_CN.UTF-8").stdout
