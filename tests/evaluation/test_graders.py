"""What a turn is worth, by what came of it."""

from typing import Any

import pytest

from pointsman.evaluation.cases import ArgumentCheck, Expectation, ReplyCheck
from pointsman.evaluation.graders import Counts, grade
from pointsman.evaluation.observed import Seen, SeenCall


def seen(*tools: str, **more: Any) -> Seen:
    """A turn that called these tools."""
    calls = tuple(SeenCall(tool=tool, arguments={"n": 1}, status="ok") for tool in tools)
    values = {"run": "r", "say": "s", "outcome": "answer", "reply": "Done.", "calls": calls}
    return Seen(**{**values, **more})


def wrong(expect: Expectation, got: Seen) -> list[str]:
    return [check.kind for check in grade(expect, got, 1).checks if not check.ok]


def counts(expect: Expectation, got: Seen) -> Counts:
    return grade(expect, got, 1).counts


ASKED = seen(outcome="question", missing=("day", "people"))
CHOICE = seen(outcome="question", route="ask", candidates=("a", "b", "c"))


@pytest.mark.parametrize(
    ("expect", "got", "faults"),
    [
        ({"intents": ("a",)}, seen(intents=("a",)), []),
        ({"intents": ("a", "b")}, seen(intents=("b", "a")), []),
        ({"intents": ()}, seen(intents=()), []),
        ({"intents": ("a",)}, seen(intents=("a", "b")), ["intent"]),
        ({"intents": ()}, seen(intents=("a",)), ["intent"]),
        ({"intents": ("a",)}, seen(intents=None), ["intent"]),
        ({"intents": ("a",)}, CHOICE, ["intent", "question"]),
        ({"route": "ask", "asks": ("a", "b")}, CHOICE, []),
        ({"route": "ask", "asks": ("d",)}, CHOICE, ["asks"]),
        ({"route": "ask"}, seen(intents=("a",)), ["intent", "route", "question"]),
        ({"route": "tools"}, seen("t", route="tools"), []),
        ({"tools": ("t", "u")}, seen("t", "u"), []),
        ({"tools": ("t", "u")}, seen("u", "t"), ["tools"]),
        ({"tools": ("t", "u"), "any_order": True}, seen("u", "t"), []),
        ({"tools": ("t", "t"), "any_order": True}, seen("t"), ["tools"]),
        ({"tools": ()}, seen("t"), ["tools"]),
        ({"forbidden": ("t",)}, seen("t"), ["forbidden"]),
        ({"forbidden": ("t",)}, seen("u"), []),
        ({"asks": ("people", "day")}, ASKED, []),
        ({"asks": ("day",)}, ASKED, ["asks"]),
        ({"asks": ("day",)}, seen(), ["question"]),
        ({"asks": ("day",)}, seen(reply="Which day?"), []),
        ({"asks": ()}, ASKED, ["question"]),
        ({"outcome": "question"}, ASKED, []),
        ({"outcome": "answer"}, ASKED, ["outcome"]),
        ({"outcome": "waiting"}, seen(outcome="waiting"), []),
        ({"outcome": "failure"}, seen(outcome="failure", failure="model"), []),
        ({"tools": ("t",)}, seen("t", outcome="failure", failure="model"), ["outcome"]),
        ({"tools": ("t",)}, seen("t", outcome="waiting"), []),
        ({"tools": ("t",)}, seen(reply="For whom?"), ["tools", "question"]),
        ({"tools": ()}, seen(reply="Hello! What can I do?"), []),
        ({"confirm": True}, seen("t", confirmations=1), []),
        ({"confirm": False}, seen("t"), ["confirm"]),
        ({"approve": True}, seen("t", confirmations=1), ["confirm"]),
        ({}, seen("t", outcome="question"), []),
        ({}, seen(outcome="failure"), ["outcome"]),
        ({}, seen(faults={"journal": "broken"}), ["journal"]),
        ({}, seen(faults={"honest": "it failed"}), ["honest"]),
    ],
)
def test_what_differs_is_named(expect: dict[str, Any], got: Seen, faults: list[str]) -> None:
    assert wrong(Expectation(**expect), got) == faults


@pytest.mark.parametrize(
    ("check", "good"),
    [
        ({"contains": ("booked", "ann")}, True),
        ({"contains": ("booked", "bob")}, False),
        ({"not_contains": ("sorry",)}, True),
        ({"not_contains": ("ANN",)}, False),
        ({"matches": (r"\d{4}",)}, True),
        ({"matches": (r"booked",)}, False),
        ({"any_of": ("bob", "ann")}, True),
        ({"any_of": ("bob",)}, False),
    ],
)
def test_a_reply_is_read_without_case_and_width(check: dict[str, Any], good: bool) -> None:
    expect = Expectation(reply=ReplyCheck(**check))
    assert wrong(expect, seen(reply="Ｂooked for  Ann: 2026")) == ([] if good else ["reply"])


def wants(**arguments: Any) -> dict[str, ArgumentCheck]:
    return {name: ArgumentCheck(value=value) for name, value in arguments.items()}


def test_only_the_arguments_that_differ_are_shown() -> None:
    expect = Expectation(arguments={"t": (wants(n=1, m=2),)})
    (check,) = [one for one in grade(expect, seen("t"), 2).checks if not one.ok]
    assert (check.turn, check.expected, check.got) == (2, "t: m=2", "m=absent")


def test_each_call_answers_for_one_expected_call_the_best_fit_first() -> None:
    calls = tuple(SeenCall(tool="t", arguments={"a": a, "b": b}) for a, b in [(1, 9), (2, 2)])
    got = seen(calls=calls)
    assert not wrong(Expectation(arguments={"t": (wants(a=2, b=2), wants(a=1))}), got)
    expect = Expectation(arguments={"t": (wants(a=1, b=1), wants(a=2), wants(a=3))})
    assert wrong(expect, got) == ["arguments", "arguments"]
    assert (counts(expect, got).arguments, counts(expect, got).arguments_right) == (4, 2)


def test_counts_are_what_the_metrics_need() -> None:
    expect = Expectation(intents=("a",), tools=("t", "u"), forbidden=("v",))
    assert counts(expect, seen("t", "v", intents=("b",))) == Counts(
        intents=1,
        tools_expected=2,
        tools_called=2,
        tools_right=1,
        without_question=1,
        forbidden_calls=1,
    )
    assert counts(Expectation(tools=("t",)), ASKED).needless_questions == 1
    assert counts(Expectation(asks=("day",)), seen()).missed_questions == 1
    assert counts(Expectation(), ASKED) == Counts()
    failed = seen(outcome="failure")
    assert counts(Expectation(), failed).failures == 1
    assert counts(Expectation(outcome="failure"), failed).failures == 0


def test_the_confusion_labels_name_intents_none_a_question_and_an_agent_without_intents() -> None:
    for expect, got, labels in [
        (Expectation(intents=("b", "a")), seen(intents=("a",)), ("a+b", "a")),
        (Expectation(intents=()), seen(intents=()), ("none", "none")),
        (Expectation(intents=("a",)), CHOICE, ("a", "ask")),
        (Expectation(route="ask"), seen(intents=None), ("ask", "-")),
    ]:
        assert grade(expect, got, 1).intent == labels
    assert grade(Expectation(), seen(), 1).intent is None
