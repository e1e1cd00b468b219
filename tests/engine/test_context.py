"""What of a conversation goes to the model."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from pointsman.domain.tools import RawCall
from pointsman.engine.context import ContextTooLarge, characters, fit, mend
from tests import cases


def from_wire(messages: list[dict[str, Any]]) -> tuple[Message, ...]:
    """A case's messages in our terms."""
    made: list[Message] = []
    for one in messages:
        text = one.get("content") or ""
        match one["role"]:
            case "system":
                made.append(SystemMessage(text=text))
            case "user":
                made.append(UserMessage(text=text))
            case "assistant":
                calls = tuple(
                    RawCall(
                        id=call["id"],
                        name=call["function"]["name"],
                        arguments=call["function"]["arguments"],
                    )
                    for call in one.get("tool_calls", ())
                )
                made.append(AssistantMessage(text=text, calls=calls))
            case "tool":
                made.append(ToolMessage(call_id=one["tool_call_id"], name="t", content=text))
    return tuple(made)


def roles(messages: tuple[Message, ...]) -> list[str]:
    return [message.__struct_config__.tag for message in messages]  # type: ignore[misc]


def is_paired(messages: tuple[Message, ...]) -> bool:
    """Whether every call is followed by its result and every result belongs to a call."""
    open_calls: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.call_id not in open_calls:
                return False
            open_calls.remove(message.call_id)
        elif open_calls:
            return False
        elif isinstance(message, AssistantMessage):
            open_calls = [call.id for call in message.calls]
    return not open_calls


def one_each(message: Message) -> int:
    return 1


@pytest.mark.parametrize("case", cases.params(5, only=("H01",)))
def test_a_cut_falls_between_user_turns_and_never_into_a_group(case: dict[str, Any]) -> None:
    kept = fit(from_wire(case["input"]["messages"]), case["input"]["keep_last"], one_each)
    assert roles(kept) == case["expected"]["roles"]
    assert is_paired(kept)


@pytest.mark.parametrize("case", cases.params(5, only=("H02",)))
def test_a_group_over_the_budget_keeps_its_calls_with_shortened_results(
    case: dict[str, Any],
) -> None:
    messages = from_wire(case["input"]["messages"])
    long = tuple(
        ToolMessage(call_id=one.call_id, name=one.name, content="X" * 4000)
        if isinstance(one, ToolMessage)
        else one
        for one in messages
    )
    kept = fit(long, 20_000)
    assert roles(kept) == roles(long)
    assert is_paired(kept)
    assert sum(map(characters, kept[1:])) <= 20_000
    shortened = [one for one in kept if isinstance(one, ToolMessage) and "left out" in one.content]
    assert len(shortened) == 10
    with pytest.raises(ContextTooLarge, match="start a new conversation"):
        fit(long, 500)


@pytest.mark.parametrize("case", cases.params(5, only=("H03",)))
def test_what_fits_is_the_very_same(case: dict[str, Any]) -> None:
    messages = from_wire(case["input"]["messages"])
    assert fit(messages, 1000) is messages


@pytest.mark.parametrize("case", cases.params(5, only=("H18",)))
def test_an_interrupted_call_stays_and_is_said_to_be_unknown(case: dict[str, Any]) -> None:
    messages = from_wire(case["input"]["messages"])
    mended = mend(messages)
    assert mended[:2] == messages
    assert isinstance(mended[2], ToolMessage)
    assert mended[2].call_id == "a"
    assert "outcome is unknown" in mended[2].content


@pytest.mark.parametrize("case", cases.params(5, only=("H05",)))
def test_results_are_paired_inside_their_own_group(case: dict[str, Any]) -> None:
    messages = from_wire(case["input"]["messages"])
    assert mend(messages) == messages


def test_a_result_without_a_call_is_left_out() -> None:
    orphan = ToolMessage(call_id="x", name="t", content="r")
    assert mend((UserMessage(text="q"), orphan)) == (UserMessage(text="q"),)


def _call(key: str) -> AssistantMessage:
    return AssistantMessage(calls=(RawCall(id=key, name="t", arguments="{}"),))


def _result(key: str, content: str = "r") -> ToolMessage:
    return ToolMessage(call_id=key, name="t", content=content)


@pytest.mark.parametrize(
    ("damaged", "whole"),
    [
        (
            (_call("a"), UserMessage(text="well?"), _result("a")),
            (_call("a"), _result("a"), UserMessage(text="well?")),
        ),
        (
            (_call("a"), SystemMessage(text="note"), _result("a")),
            (_call("a"), _result("a"), SystemMessage(text="note")),
        ),
        (
            (_call("a"), _call("b"), _result("b"), _result("a", "late")),
            (_call("a"), _result("a", "late"), _call("b"), _result("b")),
        ),
        (
            (_call("a"), _result("a", "1"), _call("a"), _result("a", "2"), _result("a", "3")),
            (_call("a"), _result("a", "1"), _call("a"), _result("a", "2")),
        ),
    ],
    ids=["after the user's word", "after a note", "after another group", "one too many"],
)
def test_a_result_that_came_late_goes_to_its_call(
    damaged: tuple[Message, ...], whole: tuple[Message, ...]
) -> None:
    """Cases H04 and H05: what is known is not called unknown."""
    assert mend(damaged) == whole


def test_a_late_result_never_goes_past_a_group_with_its_id() -> None:
    """Case H05: ids are paired inside a group, never across the history."""
    mended = mend((_call("a"), UserMessage(text="q"), _call("a"), _result("a"), _result("a", "x")))
    assert is_paired(mended)
    assert isinstance(mended[1], ToolMessage)
    assert "unknown" in mended[1].content


def test_results_without_ids_are_paired_by_name_and_position() -> None:
    calls = tuple(RawCall(id=f"c{n}", name="t", arguments="{}") for n in range(2))
    results = tuple(ToolMessage(call_id="", name="t", content=f"r{n}") for n in range(2))
    mended = mend((UserMessage(text="q"), AssistantMessage(calls=calls), *results))
    assert [one.content for one in mended if isinstance(one, ToolMessage)] == ["r0", "r1"]


def test_the_message_of_the_current_turn_is_never_lost() -> None:
    messages = (UserMessage(text="old " * 100), AssistantMessage(text="ok"), UserMessage(text="q"))
    assert fit(messages, 10) == (UserMessage(text="q"),)


texts = st.text(max_size=30)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    messages: list[Message] = [SystemMessage(text="s"), UserMessage(text="first")]
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["user", "text", "group"]))
        if kind == "user":
            messages.append(UserMessage(text=draw(texts)))
        elif kind == "text":
            messages.append(AssistantMessage(text=draw(texts)))
        else:
            ids = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
            calls = tuple(RawCall(id=one, name="t", arguments="{}") for one in ids)
            messages.append(AssistantMessage(calls=calls))
            messages.extend(ToolMessage(call_id=one, name="t", content=draw(texts)) for one in ids)
    return tuple(messages)


@given(conversations(), st.integers(0, 200))
def test_whatever_is_kept_is_a_valid_conversation(
    messages: tuple[Message, ...], budget: int
) -> None:
    try:
        kept = fit(messages, budget)
    except ContextTooLarge:
        return
    assert is_paired(kept)
    assert isinstance(kept[0], SystemMessage)
    assert isinstance(kept[1], UserMessage)
    assert kept[-1] == messages[-1] or isinstance(kept[-1], ToolMessage)


@given(conversations(), st.data())
def test_mending_any_damage_gives_pairs_and_loses_no_call(
    messages: tuple[Message, ...], data: st.DataObject
) -> None:
    damaged = tuple(
        one for one in messages if data.draw(st.booleans()) or roles((one,)) != ["tool"]
    )
    mended = mend(damaged)
    assert is_paired(mended)
    assert [one for one in mended if isinstance(one, AssistantMessage)] == [
        one for one in damaged if isinstance(one, AssistantMessage)
    ]
    assert mend(mended) == mended
