"""``pointsman notify``, ``deliveries`` and ``inbox``."""

from pathlib import Path

import pytest

from tests.support.command import Command

SETTINGS = """\
[channels.weixingroup]
rooms = { "产品群" = "GROUP_URL" }
fallback = "system"

[roles]
admin = ["admin"]
"""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    (tmp_path / "pointsman.toml").write_text(SETTINGS, encoding="utf-8")
    return Command(tmp_path)


def test_a_message_to_an_inbox_is_sent_read_and_marked(command: Command) -> None:
    done = command.run("notify", "库存不足", "--to", "admin", "--user", "ann")
    assert "system message → admin: sent" in done.stdout
    shown = command.run("inbox", "list", "--user", "admin")
    assert "库存不足" in shown.stdout
    assert "1 unread" in shown.stderr
    (found,) = command.json("inbox", "list", "--user", "admin")["messages"]
    assert (found["sender"], found["read"]) == ("ann", None)
    command.run("inbox", "read", found["id"], "--user", "admin")
    assert command.json("inbox", "list", "--user", "admin", "--unread") == {
        "messages": [],
        "unread": 0,
    }
    command.run("inbox", "read", "nonsense", "--user", "admin", code=2)


def test_deliveries_are_listed_and_shown(command: Command) -> None:
    command.run("notify", "一", "--to", "admin")
    command.run("notify", "二", "--to", "me", "--user", "ann")
    found = command.json("deliveries", "list")
    assert [one["recipient"] for one in found] == ["ann", "admin"]
    assert [one["recipient"] for one in command.json("deliveries", "list", "--sender", "ann")] == [
        "ann"
    ]
    shown = command.run("deliveries", "show", found[0]["delivery"])
    assert "Address: ann" in shown.stdout
    assert "1 attempts; 1 of 1 parts were taken" in shown.stdout
    command.run("deliveries", "retry", found[0]["delivery"], code=2)
    command.run("deliveries", "show", "ffff", code=2)


def test_who_is_meant_is_asked_and_nothing_is_sent(command: Command) -> None:
    refused = command.run("notify", "x", "--to", "nobody", code=2)
    assert "Nobody in the directory fits “nobody”" in refused.stderr
    assert command.json("deliveries", "list") == []


def test_a_channel_whose_secret_is_elsewhere_is_left_to_the_server(command: Command) -> None:
    group = ("--by", "weixingroup", "--group", "产品群")
    done = command.run("notify", "发布", *group, "--wait", "0.5", code=4)
    assert "waiting to be sent" in done.stdout


def test_a_broken_channel_is_told_in_chinese_too(command: Command) -> None:
    group = ("--by", "weixingroup", "--group", "产品群")
    arguments = ("--language", "zh", "notify", "发布", *group, "--wait", "0.5")
    done = command.run(*arguments, code=4, GROUP_URL="http://127.0.0.1:1/?key=SECRET-1")
    assert "未成功，将重试" in done.stdout
    assert "SECRET-1" not in f"{done.stdout}{done.stderr}"
    assert "SECRET-1" not in command.run("deliveries", "list", "--json").stdout
