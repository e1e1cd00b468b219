"""What the offline model has for reminders: words for a time, the rest of a message, calls that
need a value, and results that the engine brought by itself."""

from datetime import date, datetime
from typing import Any

import pytest

from pointsman.adapters.models.offline import OfflineModel
from pointsman.domain.messages import (
    AssistantMessage,
    ModelRequest,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.prompt import system_prompt
from pointsman.domain.tools import RawCall
from pointsman.errors import SettingsError
from tests.support.offline_talk import Talk, spec

TODAY = date(2025, 3, 5)
RULES: dict[str, Any] = {
    "values": {
        "when": {"moment": "any"},
        "ahead": {"moment": "ahead"},
        "to": {"patterns": ["发给(\\w+)"]},
        "text": {"patterns": ["：(.+)$"]},
    },
    "calls": {
        "remind": {
            "tool": "add",
            "when": ["提醒我", "remind me"],
            "alone": True,
            "each": ["when"],
            "amended_by": "amend",
            "arguments": {
                "time": "when",
                "what": {
                    "said": "message",
                    "without": ["when"],
                    "strip": ["提醒我", "remind me", "to"],
                    "text": {"zh": "时间到了", "en": "time is up"},
                },
            },
            "say": "{{ said }}",
        },
        "amend": {"tool": "change", "arguments": {"time": "when"}, "say": "{{ said }}"},
        "later": {
            "tool": "add",
            "when": ["统计", "提醒我", "count"],
            "alone": True,
            "needs": ["ahead"],
            "arguments": {
                "time": "ahead",
                "what": {"said": "message", "without": ["ahead"], "strip": ["在"]},
                "kind": {"fixed": "action"},
            },
        },
        "count": {
            "tool": "count",
            "when": ["统计", "count"],
            "told": "{{ values.to | default x }}: {{ text }}",
        },
        "send": {
            "tool": "send",
            "when": ["发给"],
            "takes_up": ["/^把结果/"],
            "after": ["*"],
            "arguments": {
                "to": "to",
                "text": {"from": "text", "text": "{{ for one in given }}{{ one.text }}{{ end }}"},
            },
        },
    },
    "fallback": "?",
}
TOOLS = {
    "add": lambda arguments: {"said": "made"},
    "change": lambda arguments: {"said": "changed"},
    "count": lambda arguments: "51 in all",
    "send": lambda arguments: "SENT",
}


def calls(said: str) -> list[tuple[str, dict[str, Any]]]:
    return Talk(OfflineModel(RULES), TOOLS, today=TODAY).say(said).calls


@pytest.mark.parametrize(
    ("said", "time", "what"),
    [
        ("明天下午3点提醒我去开会", "明天下午3点", "去开会"),
        ("提醒我明天下午3点去开会", "明天下午3点", "去开会"),
        ("每天提醒我早上9点吃药", "每天早上9点", "吃药"),
        ("remind me to call Bob in 20 minutes", "in 20 minutes", "call Bob"),
        ("remind me at 5pm to go", "5pm", "go"),
        ("0 9 * * 1-5 提醒我打卡", "0 9 * * 1-5", "打卡"),
        ("半小时后提醒我", "半小时后", "时间到了"),
        ("昨天9点提醒我开会", "昨天9点", "开会"),
    ],
)
def test_the_words_for_a_time_and_the_rest_go_into_the_call(
    said: str, time: str, what: str
) -> None:
    assert calls(said) == [("add", {"time": time, "what": what})]


def test_two_times_that_an_and_joins_make_two_calls() -> None:
    assert calls("明天3点和5点提醒我喝水") == [
        ("add", {"time": "明天3点", "what": "喝水"}),
        ("add", {"time": "5点", "what": "喝水"}),
    ]


def test_what_was_made_is_changed_by_later_words_and_not_made_again() -> None:
    talk = Talk(OfflineModel(RULES), TOOLS, today=TODAY)
    talk.say("明天3点提醒我喝水")
    turn = talk.say("改成4点")
    assert (turn.calls, turn.reply) == ([("change", {"time": "4点"})], "changed")
    assert talk.say("不，后天").calls == [("change", {"time": "后天"})]
    assert talk.say("还有5点").calls == [("add", {"time": "5点", "what": "喝水"})]


def test_each_value_of_several_has_the_result_of_its_own() -> None:
    rules = {
        "values": {"order": {"patterns": ["[0-9]{4}"]}},
        "calls": {
            "look": {"tool": "look", "arguments": {"id": "order"}},
            "pay": {
                "tool": "pay",
                "when": ["refund"],
                "each": ["order"],
                "arguments": {"id": "order", "amount": {"call": "look", "path": "amount"}},
            },
        },
        "fallback": "?",
    }
    tools = {"look": lambda given: {"amount": int(given["id"])}, "pay": lambda _: {}}
    made = Talk(OfflineModel(rules), tools, today=TODAY).say("refund 1001 and 1002").calls
    paid = [arguments for name, arguments in made if name == "pay"]
    assert paid == [{"id": "1001", "amount": 1001}, {"id": "1002", "amount": 1002}]


def test_what_was_declined_is_made_with_the_new_words() -> None:
    declined = {**TOOLS, "add": lambda arguments: "NOT RUN: the user wrote a new message."}
    talk = Talk(OfflineModel(RULES), declined, today=TODAY)
    talk.say("明天3点提醒我喝水")
    assert talk.say("改成4点").calls == [("add", {"time": "4点", "what": "喝水"})]


def test_a_call_that_needs_a_value_is_asked_for_only_with_it() -> None:
    made = {"time": "晚上17点28", "what": "统计用户数", "kind": "action"}
    assert calls("在晚上17点28统计用户数") == [("add", made)]
    assert [name for name, _ in calls("统计用户数")] == ["count"]
    assert [name for name, _ in calls("统计昨天9点的用户数")] == ["count"]
    assert [name for name, _ in calls("统计今天的用户数")] == ["count"]


def test_of_two_calls_that_take_the_whole_message_the_first_rule_counts() -> None:
    assert "kind" not in calls("明天9点提醒我统计用户数")[0][1]


def test_a_text_is_what_the_user_said_or_else_what_was_given() -> None:
    assert calls("发给admin：你好") == [("send", {"to": "admin", "text": "你好"})]
    assert calls("发给admin") == [("send", {"to": "admin"})]


def test_words_for_what_came_before_take_up_the_request_before() -> None:
    talk = Talk(OfflineModel(RULES), TOOLS, today=TODAY)
    talk.say("统计用户数")
    assert talk.say("把结果发给admin").names == ["count", "send"]
    assert talk.say("把结果发给bob").calls[-1] == ("send", {"to": "bob"})
    assert talk.say("明天3点提醒我喝水").names == ["add"]
    assert talk.say("把结果发给ann").names == ["send"]


def test_a_value_that_a_request_has_no_use_for_does_not_make_it_again() -> None:
    talk = Talk(OfflineModel(RULES), TOOLS, today=TODAY)
    assert talk.say("发给admin：你好").names == ["send"]
    assert (turn := talk.say("改成4点")).calls == []
    assert turn.reply == "?"


def test_a_result_in_plain_text_is_said_as_the_rule_tells() -> None:
    talk = Talk(OfflineModel(RULES), TOOLS, today=TODAY)
    assert talk.say("统计用户数").reply == "x: 51 in all"


def test_what_a_person_declined_is_told_as_that() -> None:
    declined = {**TOOLS, "count": lambda arguments: "DENIED by user. Do not retry."}
    talk = Talk(OfflineModel(RULES), declined, today=TODAY, language="zh")
    assert talk.say("统计用户数").reply == "好的，「count」没有执行。"


@pytest.mark.parametrize("answer", ["第二个", "早上那个", "2"])
def test_what_the_engine_did_with_an_answer_is_told_and_not_done_again(answer: str) -> None:
    call = RawCall(id="call_1", name="add", arguments='{"time": "x", "what": "y"}')
    request = ModelRequest(
        messages=(
            SystemMessage(
                text=system_prompt("", datetime.combine(TODAY, datetime.min.time()), "zh")
            ),
            UserMessage(text="今天9点提醒我开会"),
            AssistantMessage(text="哪个时间？\n1. 今天21点\n2. 明天9点\n（回复序号）"),
            UserMessage(text=answer),
            AssistantMessage(calls=(call,)),
            ToolMessage(call_id="call_1", name="add", content='{"said": "made"}'),
        ),
        tools=tuple(map(spec, TOOLS)),
    )
    reply = OfflineModel(RULES).answer(request)
    assert (reply.calls, reply.text) == ((), "made")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"needs": ["nothing"]}, "there is no value 'nothing'"),
        ({"amended_by": "nothing"}, "there is no call 'nothing'"),
        ({"arguments": {"a": {"said": "message", "without": ["x"]}}}, "there is no value 'x'"),
        ({"arguments": {"a": {"fixed": 1, "without": ["when"]}}}, "go with said"),
    ],
)
def test_a_rule_that_leads_nowhere_is_told_with_its_place(
    change: dict[str, Any], words: str
) -> None:
    faulty = {**RULES, "calls": {"one": {"tool": "add", "when": ["x"], **change}}}
    with pytest.raises(SettingsError, match=words) as raised:
        OfflineModel(faulty)
    assert "calls.one" in str(raised.value)
