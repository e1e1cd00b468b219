"""Built-in tools in evaluation: each case has reminders and inboxes of its own, and what the tasks
of a request ask counts as asked."""

from pathlib import Path

import pytest

from tests.support.evaluated import case, faults, results_of
from tests.support.offices import write

pytestmark = pytest.mark.anyio

AGENT = """\
agent: office
language: en
timezone: Asia/Shanghai
tools:
  - builtin: RemindAdd
  - builtin: RemindList
  - builtin: System_Notify
policy:
  - {tool: RemindAdd, then: allow}
offline:
  values:
    when: {moment: any}
    to: {patterns: ['to (\\w+)']}
  calls:
    add:
      tool: RemindAdd
      when: [remind me]
      alone: true
      arguments: {timeRelated: when, something: {said: message, without: [when]}}
      say: "{{ said }}"
    list: {tool: RemindList, when: [list], say: "{{ said }}"}
    send:
      tool: System_Notify
      when: [send]
      arguments: {toUser: to, message: {fixed: hello}}
      told: "sent"
  fallback: "?"
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    (folder / "evaluation").mkdir(parents=True)
    (folder / "agent.yaml").write_text(AGENT, encoding="utf-8")
    return folder


async def test_a_reminder_of_one_case_is_not_seen_by_another(desk: Path) -> None:
    made = case("remind me at 9 to run", "a", tools=["RemindAdd"], reply={"contains": "09:00"})
    none = case("list them", "b", tools=["RemindList"], reply={"contains": "no reminders"})
    results = await results_of(desk, made, none, now="2026-03-04T08:00")
    assert [faults(one) for one in results] == [[], []]


async def test_a_message_is_delivered_in_the_case(desk: Path) -> None:
    sent = case(
        "send hello to admin", tools=["System_Notify"], confirm=True, reply={"contains": "sent"}
    )
    asked = case("send hello to nobody", "b", tools=[], asks=["toUser"])
    assert [faults(one) for one in await results_of(desk, sent, asked)] == [[], []]


async def test_what_a_task_asks_counts_as_asked(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "evaluation").mkdir()
    said = "统计一下知识库数量和用户数量，一起发给李明"
    yes = case(
        said, "a", tools=["Global_Decomposition"], confirm=True, reply={"contains": "已发送"}
    )
    no = case(said, "b", confirm=False, reply={"not_contains": "已发送"})
    assert [faults(one) for one in await results_of(folder, yes, no)] == [[], []]
