"""The offline model splits a request of several calls, by the rules of the agent file."""

import json
from typing import Any

import pytest

from pointsman.adapters.models.offline.model import OfflineModel
from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelRequest,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.tasks import task_words
from pointsman.domain.tasks.task import Given
from pointsman.domain.tasks.task_replies import says_undone
from pointsman.errors import SettingsError
from tests.support.histories import tool_spec

RULES: dict[str, Any] = {
    "split": {"tool": "split_up"},
    "values": {"to": {"patterns": [r"to (\w+)"], "ask": "To whom?"}},
    "calls": {
        "bases": {"tool": "count_bases", "when": ["bases"], "task": "count the bases"},
        "users": {"tool": "count_users", "when": ["users"], "title": "number of users"},
        "send": {
            "tool": "send",
            "when": ["send"],
            "after": ["bases", "users"],
            "arguments": {
                "to": "to",
                "text": {"text": "{{ for one in given }}{{ one.task }}: {{ one.text }}; {{ end }}"},
            },
        },
        "remind": {
            "tool": "remind",
            "when": ["/at \\d+:\\d+/"],
            "alone": True,
            "arguments": {"something": {"said": "message"}},
        },
        "weigh": {
            "tool": "weigh",
            "when": ["weigh"],
            "arguments": {"what": {"call": "users", "path": "id"}},
        },
    },
    "conditions": {
        "many": {"call": "users", "yes": ["there are many"], "test": {"path": "n", "above": 5}}
    },
    "fallback": "I count and send.",
}
TOOLS = tuple(map(tool_spec, "split_up count_bases count_users send remind weigh".split()))
SYSTEM = SystemMessage(text="Today is Monday, 2026-11-30 12:00:00.")


def answer(text: str, *after: Message, tools: Any = TOOLS, **rules: Any) -> AssistantMessage:
    messages = (SYSTEM, UserMessage(text=text), *after)
    request = ModelRequest(messages=messages, tools=tools)
    return OfflineModel({**RULES, **rules}).answer(request)


def calls(message: AssistantMessage) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, json.loads(call.arguments)) for call in message.calls]


def test_a_request_of_several_calls_is_split() -> None:
    ((name, arguments),) = calls(answer("count bases and users, then send both to admin"))
    assert name == "split_up"
    assert arguments["tasks"] == [
        {"index": 1, "desc": "count the bases", "base": ""},
        {"index": 2, "desc": "number of users", "base": ""},
        {"index": 3, "desc": "then send both to admin", "base": "1,2"},
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("how many users?", ["count_users"]),
        ("weigh the users", ["count_users"]),
        ("if there are many users, count bases", ["count_users"]),
    ],
)
def test_a_request_of_one_call_or_whose_calls_hang_together_is_not(
    text: str, wanted: list[str]
) -> None:
    assert [name for name, _ in calls(answer(text))] == wanted


def test_what_is_missing_is_asked_before_anything_is_split() -> None:
    assert answer("count users, then send it").text == "To whom?"


def test_without_the_tool_or_the_rule_the_calls_are_made_at_once() -> None:
    text = "count bases and users"
    both = ["count_bases", "count_users"]
    assert [name for name, _ in calls(answer(text, tools=TOOLS[1:]))] == both
    assert [name for name, _ in calls(answer(text, split=None))] == both


def test_a_call_that_takes_the_whole_message_goes_before_splitting() -> None:
    """O4: reminders are handled before."""
    text = "at 17:28 count bases and users and send both to admin"
    assert calls(answer(text)) == [("remind", {"something": text})]
    assert calls(answer("at 17:28 count users and send it")) == [
        ("remind", {"something": "at 17:28 count users and send it"})
    ]


def test_a_task_takes_the_results_that_it_was_given() -> None:
    given = [
        Given(task="1", desc="count bases", text="178 bases, and users send to eve"),
        Given(task="2", desc="count users", text="51"),
    ]
    opening = task_words.opening("send both to admin", given)
    ((name, arguments),) = calls(answer("send both to admin", *opening[1:]))
    assert (name, arguments["to"]) == ("send", "admin")
    assert arguments["text"] == "1: 178 bases, and users send to eve; 2: 51;"


def test_a_task_that_no_rule_fits_is_said_not_to_be_done() -> None:
    messages = (SYSTEM, UserMessage(text="sing a song", own=False))
    said = OfflineModel(RULES).answer(ModelRequest(messages=messages, tools=TOOLS))
    assert says_undone(said.text)


def told(*tasks: dict[str, Any]) -> tuple[Message, ...]:
    asked = answer("count bases and users")
    content = json.dumps({"overall": "x", "tasks": tasks}, ensure_ascii=False)
    return asked, ToolMessage(call_id=asked.calls[0].id, name="split_up", content=content)


def test_what_came_of_the_tasks_is_told_and_what_did_not() -> None:
    after = told(
        {"index": "1", "desc": "count the bases", "state": "done", "result": "178 bases"},
        {"index": "2", "desc": "number of users", "state": "failed", "why": "no database"},
    )
    said = answer("count bases and users", *after).text
    assert said == "178 bases\n\n“number of users” was not done: no database"


def test_two_tasks_that_came_to_the_same_are_both_told() -> None:
    sent = {"desc": "send it to ann", "state": "done", "result": "Sent to ann."}
    after = told({"index": "1", **sent}, {"index": "2", **sent})
    assert answer("count bases and users", *after).text == "Sent to ann.\n\nSent to ann."


@pytest.mark.parametrize("content", ["ERROR: no", "NOT SPLIT: this is one task. Do it."])
def test_what_could_not_be_split_is_done_at_once(content: str) -> None:
    asked, _ = told()
    after = ToolMessage(call_id="offline_split", name="split_up", content=content)
    made = calls(answer("count bases and users", asked, after))
    assert [name for name, _ in made] == ["count_bases", "count_users"]


def test_a_call_that_comes_after_one_that_there_is_not_is_a_fault() -> None:
    rules = {**RULES, "calls": {"send": {"tool": "send", "when": ["send"], "after": ["bases"]}}}
    with pytest.raises(SettingsError, match="no call 'bases'"):
        OfflineModel({**rules, "conditions": {}})


@pytest.mark.parametrize(
    ("text", "bases"),
    [
        pytest.param("send users to ann; send bases to bob", ["", "1", "", "3"], id="each its own"),
        pytest.param("users, send to ann, send to bob", ["", "1", "1"], id="the same to two"),
        pytest.param(
            "users, send to ann; bases, send to ann", ["", "1", "", "3"], id="the same person twice"
        ),
        pytest.param(
            "users, send to ann; bases, send both to bob", ["", "1", "", "1,3"], id="all together"
        ),
    ],
)
def test_a_second_message_holds_what_it_is_to_hold_and_never_that_the_first_was_sent(
    text: str, bases: list[str]
) -> None:
    after = {"calls": {**RULES["calls"], "send": {**RULES["calls"]["send"], "after": ["*"]}}}
    ((_, arguments),) = calls(answer(text, **after))
    assert [task["base"] for task in arguments["tasks"]] == bases
