"""What goes over the wire for the messages of a request."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.adapters.models.encoding import RequestEncoder, object_text
from pointsman.adapters.models.presets import PRESETS, endpoint
from pointsman.domain.agent import ModelSpec
from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    ModelRequest,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.tools import RawCall
from tests.cases import CASES, params
from tests.support.encoded import encoder, sent
from tests.support.histories import history


def messages_sent(*messages: Message, use: str = "compatible", **switches: Any) -> list[Any]:
    body = sent(ModelRequest(messages=messages), use, **switches)
    return list(body["messages"])


def pairs(messages: list[Any]) -> list[list[str]]:
    return [[m["tool_call_id"], m["content"]] for m in messages if m["role"] == "tool"]


def call_ids(messages: list[Any]) -> list[str]:
    return [call["id"] for m in messages for call in m.get("tool_calls", ())]


class TestCases:
    """Group 5, as far as the wire decides it."""

    @pytest.mark.parametrize("case", params(5, only=("H05",)))
    @pytest.mark.parametrize("use", PRESETS)
    def test_a_repeated_id_stays_and_pairs_inside_its_group(
        self, case: dict[str, Any], use: str
    ) -> None:
        messages = messages_sent(*history(case["input"]["messages"]), use=use)
        if use == "articles":
            assert [m["name"] for m in messages if m["role"] == "tool"] == ["t", "t"]
        else:
            assert pairs(messages) == case["expected"]["pairs"]

    @pytest.mark.parametrize("case", params(5, only=("H05",)))
    def test_a_strict_provider_gets_later_uses_renamed(self, case: dict[str, Any]) -> None:
        messages = messages_sent(*history(case["input"]["messages"]), unique_ids=True)
        assert call_ids(messages) == ["t:0", "t:0_2"]
        assert pairs(messages) == [["t:0", "r1"], ["t:0_2", "r2"]]

    @pytest.mark.parametrize("case", params(5, only=("H06",)))
    def test_an_id_used_twice_in_one_reply_is_told_apart(self, case: dict[str, Any]) -> None:
        messages = messages_sent(*history(case["input"]["messages"]))
        assert call_ids(messages) == ["x", "x_2"]
        assert pairs(messages) == [["x", "first"], ["x_2", "second"]]

    @pytest.mark.parametrize("case", params(5, only=("H08",)))
    def test_lone_surrogates_are_sent_as_replacement_characters(self, case: dict[str, Any]) -> None:
        text = json.loads(case["input"]["json_escaped"])
        wanted = json.loads(case["expected"]["stored_json_escaped"])
        everywhere: list[Message] = [
            SystemMessage(text=text),
            UserMessage(text=text),
            AssistantMessage(text=text, calls=(RawCall(id="a", name="t", arguments="{}"),)),
            ToolMessage(call_id="a", name="t", content=text),
        ]
        assert [m["content"] for m in messages_sent(*everywhere)] == [wanted] * 4

    @pytest.mark.parametrize("case", params(5, only=("H10",)))
    def test_there_is_one_system_message_and_it_comes_first(self, case: dict[str, Any]) -> None:
        messages = messages_sent(*history(case["input"]["messages"]))
        assert [m["role"] for m in messages] == case["expected"]["roles"]
        assert messages[0]["content"] == case["expected"]["system"]

    @pytest.mark.parametrize("use", [use for use in PRESETS if use != "openai"])
    def test_h10_holds_for_every_host_but_openai(self, use: str) -> None:
        case = CASES["H10"]
        messages = messages_sent(*history(case["input"]["messages"]), use=use)
        assert [m["role"] for m in messages] == case["expected"]["roles"]

    @pytest.mark.parametrize("case", params(5, only=("H12",)))
    def test_an_empty_assistant_message_is_left_out_and_its_neighbours_join(
        self, case: dict[str, Any]
    ) -> None:
        messages = messages_sent(*history(case["input"]["messages"]))
        assert [m["role"] for m in messages] == case["expected"]["roles"]
        assert messages[0]["content"] == "a\n\nb"

    @pytest.mark.parametrize("case", params(5, only=("H20",)))
    @pytest.mark.parametrize("use", PRESETS)
    def test_template_marks_are_plain_content(self, case: dict[str, Any], use: str) -> None:
        text = case["input"]["text"]
        assert messages_sent(UserMessage(text=text), use=use) == [{"role": "user", "content": text}]

    def test_h20_marks_can_be_broken_for_raw_templates(self) -> None:
        text = CASES["H20"]["input"]["text"]
        (message,) = messages_sent(UserMessage(text=text), use="llamacpp", break_specials=True)
        assert "<|" not in message["content"]
        assert message["content"].replace("\u200b", "") == text


@pytest.mark.parametrize("text", ["", "  \n"])
def test_a_message_of_thinking_alone_is_left_out(text: str) -> None:
    silent = AssistantMessage(text=text, reasoning="hm")
    messages = messages_sent(UserMessage(text="a"), silent, UserMessage(text="b"), use="deepseek")
    assert [m["role"] for m in messages] == ["user"]


@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize("use", ["compatible", "openai"])
def test_an_empty_system_message_is_left_out(text: str, use: str) -> None:
    """Cases H10 and H12."""
    messages = messages_sent(
        SystemMessage(text=text), SystemMessage(text="A"), UserMessage(text="q"), use=use
    )
    assert [m["content"] for m in messages] == ["A", "q"]
    assert messages_sent(SystemMessage(text=text), UserMessage(text="q"), use=use) == messages[1:]


def test_replies_with_nobodys_word_between_them_are_one() -> None:
    """Templates that want the roles in turn refuse two in a row (cases H10 and H12)."""
    call = RawCall(id="a", name="t", arguments="{}")
    replies = (
        AssistantMessage(text="x", reasoning="hm"),
        AssistantMessage(text="y"),
        AssistantMessage(calls=(call,)),
    )
    messages = messages_sent(
        UserMessage(text="q"),
        *replies,
        ToolMessage(call_id="a", name="t", content="r"),
        AssistantMessage(text="z"),
        use="deepseek",
    )
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert (messages[1]["content"], messages[1]["reasoning_content"]) == ("x\n\ny", "hm")
    assert [each["id"] for each in messages[1]["tool_calls"]] == ["a"]


@pytest.mark.parametrize("use", PRESETS)
@pytest.mark.parametrize(
    "written",
    ["", "look!\n", '{"k": 3} | call_rag', "天气", "search<|channel|>json", "x" * 300, "\ud800"],
)
def test_a_name_that_is_no_name_goes_back_as_a_legal_one(written: str, use: str) -> None:
    """Case L03: a server that checks names would refuse every later question."""
    messages = messages_sent(
        AssistantMessage(calls=(RawCall(id="a", name=written, arguments="{}"),)),
        ToolMessage(call_id="a", name=written, content="ERROR: unknown tool"),
        use=use,
    )
    name = messages[0]["tool_calls"][0]["function"]["name"]
    assert re.fullmatch("[A-Za-z0-9_-]{1,64}", name)
    assert messages[1].get("name", name) == name


def test_results_in_another_order_keep_their_calls() -> None:
    calls = tuple(RawCall(id=i, name="t", arguments="{}") for i in ("a", "b", "a"))
    messages = messages_sent(
        AssistantMessage(calls=calls),
        ToolMessage(call_id="b", name="t", content="of b"),
        ToolMessage(call_id="a", name="t", content="of the first a"),
        ToolMessage(call_id="a", name="t", content="of the second a"),
    )
    assert pairs(messages) == [
        ["b", "of b"],
        ["a", "of the first a"],
        ["a_2", "of the second a"],
    ]


def test_a_renamed_id_never_meets_one_that_is_there() -> None:
    ids = ("x", "x", "x_2", "")
    calls = tuple(RawCall(id=i, name="t", arguments="{}") for i in ids)
    results = [ToolMessage(call_id=i, name="t", content=str(n)) for n, i in enumerate(ids)]
    messages = messages_sent(AssistantMessage(calls=calls), *results)
    wire_ids = call_ids(messages)
    assert len(set(wire_ids)) == 4
    assert all(wire_ids)
    assert sorted(content for _, content in pairs(messages)) == ["0", "1", "2", "3"]
    assert [wire_id for wire_id, _ in pairs(messages)] == wire_ids


def test_the_articles_dialect_has_no_ids_and_joins_by_name() -> None:
    call = RawCall(id="made", name="mojitianqi-DayWeather", arguments='{"city":"成都市"}')
    messages = messages_sent(
        AssistantMessage(calls=(call,)),
        ToolMessage(call_id="made", name="mojitianqi-DayWeather", content="多云"),
        use="articles",
    )
    function = {"name": "mojitianqi-DayWeather", "arguments": '{"city":"成都市"}'}
    assert messages == [
        {"role": "assistant", "content": "", "tool_calls": [{"function": function}]},
        {"role": "tool", "content": "多云", "name": "mojitianqi-DayWeather"},
    ]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("", "{}"),
        ('{"a": ', "{}"),
        ("[1]", "{}"),
        ("null", "{}"),
        ('{"a": NaN}', "{}"),
        ('{"a": "\\ud83d"}', '{"a": "\ufffd"}'),
        ('{"a": "\ud83d"}', '{"a": "\ufffd"}'),
        ('{"a":' + "[" * 100_000, "{}"),
        (CASES["A27"]["input"]["arguments"], '{"city": "it\'s"}'),
        ("{'a': 1,}", '{"a": 1}'),
        ('[{"a": 1}]', '{"a": 1}'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('{"a": 1}{"a": 2}', "{}"),
    ],
)
def test_arguments_of_the_history_are_always_an_object(arguments: str, wanted: str) -> None:
    assert object_text(arguments) == wanted


@given(st.text() | st.from_regex(r'\{"a": ?("[^"]*"|\d+|NaN|\[)\}?'))
def test_whatever_a_model_wrote_is_sent_as_an_object(arguments: str) -> None:
    assert type(json.loads(object_text(arguments))) is dict


def test_content_beside_calls_is_null_or_empty_as_the_provider_wants() -> None:
    calls = AssistantMessage(calls=(RawCall(id="a", name="t", arguments="{}"),))
    assert messages_sent(calls, use="openai")[0]["content"] is None
    assert messages_sent(calls, use="kimi")[0]["content"] == ""
    assert messages_sent(calls, use="kimi", null_content=True)[0]["content"] is None


def test_thinking_goes_back_only_where_it_is_wanted() -> None:
    thought = AssistantMessage(text="x", reasoning="hm")
    replies = (thought, UserMessage(text="q"), AssistantMessage(text="y"))
    deepseek = messages_sent(*replies, use="deepseek")[::2]
    assert [m["reasoning_content"] for m in deepseek] == ["hm", ""]
    kimi = messages_sent(*replies, use="kimi")[::2]
    assert [m["reasoning_content"] for m in kimi] == ["hm", " "]
    vllm = messages_sent(*replies, use="vllm")[::2]
    assert [m.get("reasoning") for m in vllm] == ["hm", None]
    for use in ("openai", "compatible", "dashscope"):
        assert "reasoning_content" not in messages_sent(thought, use=use)[0]


class TestCache:
    """What was sent before is not encoded again."""

    def test_a_message_is_encoded_once_while_a_conversation_grows(self) -> None:
        encoded: list[Message] = []

        class Counting(RequestEncoder):
            def _fields_of(self, message: Message, ids: tuple[str, ...]) -> dict[str, Any]:
                encoded.append(message)
                return super()._fields_of(message, ids)

        kept = Counting(endpoint(ModelSpec(use="ark", name="m")))
        call = RawCall(id="a", name="t", arguments="{}")
        messages: tuple[Message, ...] = (SystemMessage(text="s"), UserMessage(text="q"))
        for turn in range(5):
            kept.encode(ModelRequest(messages=messages))
            messages += (
                AssistantMessage(calls=(call,)),
                ToolMessage(call_id="a", name="t", content=str(turn)),
            )
        assert len(encoded) == 2 + 4 * 2

    def test_equal_messages_of_other_conversations_are_not_confused(self) -> None:
        kept = encoder()
        for number in range(10_000):
            body = kept.encode(ModelRequest(messages=(UserMessage(text=str(number)),)))
            assert json.loads(body)["messages"][0]["content"] == str(number)

    def test_the_cache_is_bounded(self) -> None:
        spec = ModelSpec(use="compatible", name="m", base_url="http://127.0.0.1:1")
        kept = RequestEncoder(endpoint(spec), cached_bytes=1000)
        for number in range(100):
            kept.encode(ModelRequest(messages=(UserMessage(text=str(number) * 30),)))
        kept.encode(ModelRequest(messages=(UserMessage(text="x" * 5000),)))
        assert kept._messages._size <= 1000
        assert kept._messages._size == sum(len(e[2]) for e in kept._messages._entries.values())

    def test_messages_that_had_to_be_joined_take_no_place(self) -> None:
        kept = encoder()
        request = ModelRequest(messages=history(CASES["H12"]["input"]["messages"]))
        assert [kept.encode(request) for _ in range(3)] == [kept.encode(request)] * 3
        assert not kept._messages._entries

    def test_the_same_message_under_another_id_is_encoded_anew(self) -> None:
        kept = encoder(unique_ids=True)
        group = (
            AssistantMessage(calls=(RawCall(id="a", name="t", arguments="{}"),)),
            ToolMessage(call_id="a", name="t", content="r"),
        )
        once = json.loads(kept.encode(ModelRequest(messages=group)))
        twice = json.loads(kept.encode(ModelRequest(messages=(*group, *group))))
        again = json.loads(kept.encode(ModelRequest(messages=group)))
        assert once == again
        assert call_ids(twice["messages"]) == ["a", "a_2"]


_TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
_CALLS = st.builds(RawCall, id=st.sampled_from(["", "a", "b"]), name=st.just("t"), arguments=_TEXTS)
_MESSAGES = st.one_of(
    st.builds(SystemMessage, text=_TEXTS),
    st.builds(UserMessage, text=_TEXTS),
    st.builds(AssistantMessage, text=_TEXTS, calls=st.lists(_CALLS, max_size=3).map(tuple)),
)


@given(st.lists(_MESSAGES, max_size=8), st.sampled_from([u for u in PRESETS if u != "articles"]))
def test_any_history_becomes_a_request_that_strict_servers_take(
    messages: list[Message], use: str
) -> None:
    answered: list[Message] = []
    for message in messages:
        answered.append(message)
        if isinstance(message, AssistantMessage):
            answered += [
                ToolMessage(call_id=call.id, name=call.name, content="r") for call in message.calls
            ]
    wire = messages_sent(*answered, use=use)
    if use != "openai":
        assert [m["role"] for m in wire[1:]].count("system") == 0
    waiting: list[str] = []
    for before, message in zip([None, *wire], wire, strict=False):
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting
        assert not (before and before["role"] == message["role"] == "user")
        assert not (before and before["role"] == message["role"] == "assistant")
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        assert len(set(waiting)) == len(waiting)
        assert message["role"] != "assistant" or waiting or message["content"].strip()
    assert not waiting
