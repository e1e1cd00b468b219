"""Requests that are split, at the command line, with the offline model: the article's scene."""

import json
from pathlib import Path

import pytest

from tests.support import offices
from tests.support.command import Command


@pytest.fixture
def office(tmp_path: Path) -> Command:
    offices.write(tmp_path)
    return Command(tmp_path)


def sent(office: Command) -> list[dict[str, str]]:
    file = office.folder / "office" / "sent.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [json.loads(line) for line in lines]


def test_the_article_s_request_is_split_and_both_numbers_are_sent(office: Command) -> None:
    """O4, O5, O10: without the timer and the notification."""
    asked = office.run("ask", "office", offices.SCENE)
    assert asked.stdout == "知识库数量：178\n\n用户数量：51\n\n已发送给 admin。\n"
    assert sent(office) == [{"to": "admin", "text": "知识库数量：178\n用户数量：51"}]
    assert "任务 3 完成" in asked.stderr or "task 3 done" in asked.stderr


def test_the_tasks_of_a_run_are_drawn(office: Command) -> None:
    run = office.json("ask", "office", offices.SCENE)["run"]
    data = office.json("runs", "graph", run, "--data", "office")
    assert [(one["index"], one["base"], one["state"]) for one in data["tasks"]] == [
        ("1", [], "done"),
        ("2", [], "done"),
        ("3", ["1", "2"], "done"),
    ]
    drawn = office.run("--language", "zh", "runs", "graph", run[:18], "--data", "office").stdout
    lines = drawn.splitlines()
    assert [line.split("  ")[0].rstrip() for line in lines] == [
        "✓",
        "│ ✓",
        "├─┘",
        "✓",
        "全部完成：完成 3",
    ]
    assert "统计知识库数量" in lines[0]
    assert "all done: done 3" in office.run("runs", "graph", run, "--data", "office").stdout


def test_a_run_that_was_not_split_has_no_graph(office: Command) -> None:
    run = office.json("ask", "office", "统计用户数量")["run"]
    assert "no graph" in office.run("runs", "graph", run, "--data", "office", code=2).stderr


def test_a_failed_task_is_told_and_nothing_is_sent(office: Command) -> None:
    (office.folder / "office" / "broken").touch()
    said = office.run("ask", "office", offices.SCENE).stdout
    assert "用户数量：51" in said
    assert "「统计知识库数量」没有完成" in said
    assert "「把结果发给admin」没有完成：没有开始：它需要的任务 1（统计知识库数量）没有完成" in said
    assert sent(office) == []


def test_a_confirmation_of_a_task_is_given_at_the_command_line(office: Command) -> None:
    asked = office.json("ask", "office", "统计知识库数量和用户数量，发给bob", code=4)
    assert (asked["status"], len(asked["waiting"])) == ("waiting", 1)
    assert sent(office) == []
    said = office.run("ask", "office", "是", "--conversation", asked["conversation"])
    assert "已发送给 bob" in said.stdout
    assert [one["to"] for one in sent(office)] == ["bob"]


def test_the_request_that_waits_can_be_named_to_approve_a_task_s_call(office: Command) -> None:
    asked = office.json("ask", "office", "统计知识库数量和用户数量，发给bob", code=4)
    approved = office.run(
        *("approvals", "approve", asked["run"], "--by", "local"),
        *("--agent", "office", "--data", "office"),
    )
    assert "已发送给 bob" in approved.stdout
    assert [one["to"] for one in sent(office)] == ["bob"]


def test_a_chat_asks_what_a_task_needs(office: Command) -> None:
    talk = "统计知识库数量和用户数量，发给bob\n是\n"
    said = office.run("chat", "office", stdin=talk)
    assert "已发送给 bob" in said.stdout
    assert [one["to"] for one in sent(office)] == ["bob"]
