"""Why a call ran or did not, from the events alone."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.domain.record.article_log import log_lines
from pointsman.domain.record.explanation import CallExplained, explain
from pointsman.domain.record.story import story
from pointsman.domain.sources import Source
from pointsman.domain.tools import ResultStatus, Risk
from tests.support.events import (
    RUN,
    answered,
    asked,
    attempt,
    cancelled,
    cleared,
    decided,
    failed,
    finished,
    later,
    pending,
    raw_calls,
    received,
    refused,
    rejected,
    replied,
    resumed,
    started,
    validated,
)

BEGUN: list[ev.Event] = [
    received(UserMessage(text="where is order 123456789?")),
    started(),
    ev.IntentClassified(at=later(0), scores={"order": 0.93, "talk": 0.1}, by="rules"),
    ev.RouteChosen(
        at=later(0), kind="tools", intents=("order",), tools=("look",), why="rules: order 0.93"
    ),
    asked(1, "look"),
    answered("", ("look", '{"id": "123456789"}')),
]
VALID = replace(
    validated("1.0", arguments={"id": "123456789"}),
    sources={"id": Source(kind="user", message=0, start=15, end=24, form="exact")},
)
RISKY = validated("1.0", risk=Risk.CRITICAL)


def one_call(*after: ev.Event) -> CallExplained:
    (call,) = explain(RUN, [*BEGUN, *after], "en").calls
    return call


def test_a_call_that_ran_is_explained_from_the_intent_to_the_result() -> None:
    events: list[ev.Event] = [
        *BEGUN,
        VALID,
        cleared("1.0"),
        attempt("1.0"),
        finished("1.0", "shipped"),
    ]
    told = explain(
        RUN, [*events, replied("It is shipped.")], "en", quotes={("1.0", "id"): "123456789"}
    )
    assert told.opening == (
        "ann wrote: “where is order 123456789?”.",
        "The classifier (rules) gave: order 0.93, talk 0.10.",
        "So the run went by order (rules: order 0.93); these tools were allowed and no others: "
        "look.",
    )
    (call,) = told.calls
    assert (call.line, call.verdict) == ("look(id='123456789')", "ran")
    assert call.sentences == (
        "The model scripted proposed it in reply 1.",
        "The tool look is registered (from python) and the arguments fit it; risk: read.",
        "id = '123456789' comes from the user's words “123456789”.",
        "The gate let it pass: default for read.",
        "Attempt 1 took 1 ms: ok: shipped",
    )
    assert told.ending == ("The reply: “It is shipped.”",)


@pytest.mark.parametrize(
    ("after", "verdict", "sentence"),
    [
        ([VALID, cleared("1.0"), attempt("1.0")], "open_call", "The gate let it pass"),
        (
            [RISKY, pending("1.0", by="finance")],
            "waiting",
            "The gate held it for the approval of finance: r.",
        ),
        ([RISKY, pending("1.0")], "waiting", "Nobody has decided yet."),
        (
            [RISKY, pending("1.0"), decided("1.0", after=90), cleared("1.0")],
            "open_call",
            "After 90 s ann decided: approved.",
        ),
        ([RISKY, refused("1.0"), replied("No.")], "not_run", "It did not run: r."),
        ([rejected("1.0", "missing"), replied("Which?")], "not_run", "It did not run: missing"),
        (
            [
                replace(rejected("1.0", "unsourced", question="Which order?"), missing=("id",)),
                replied("Which order?", "question"),
            ],
            "not_run",
            "The user was asked: “Which order?”.",
        ),
        (
            [VALID, cleared("1.0"), attempt("1.0"), finished("1.0", status=ResultStatus.FAILED)],
            "failed",
            "Attempt 1 took 1 ms: failed: ok",
        ),
        (
            [
                RISKY,
                cleared("1.0"),
                attempt("1.0"),
                finished("1.0", status=ResultStatus.UNCERTAIN),
            ],
            "uncertain",
            "outcome unknown",
        ),
        (
            [RISKY, cleared("1.0"), attempt("1.0"), cancelled()],
            "uncertain",
            "Attempt 1 began, and no end of it is recorded.",
        ),
        ([VALID, cleared("1.0"), failed()], "not_run", "The run ended before it came to it."),
    ],
)
def test_what_became_of_a_call_is_said(
    after: Sequence[ev.Event], verdict: str, sentence: str
) -> None:
    call = one_call(*after)
    assert call.verdict == verdict
    assert sentence in " ".join(call.sentences)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (Source(kind="user", message=0), "comes from the user's words."),
        (Source(kind="tool", tool="find", call="1.0", at="id"), "a result of find (1.0 id)"),
        (Source(kind="context"), "was filled in by the engine"),
        (Source(kind="default"), "is the declared default"),
        (Source(kind="model"), "was composed by the model"),
    ],
)
def test_each_source_of_an_argument_is_named(source: Source, sentence: str) -> None:
    call = one_call(replace(VALID, sources={"id": source}, tainted=("id",)))
    assert sentence in " ".join(call.sentences)
    assert "untrusted content alone: id" in " ".join(call.sentences)


def test_a_value_inside_an_argument_is_shown_by_its_path() -> None:
    nested = {"rooms": [{"id": "r7"}]}
    call = one_call(replace(VALID, arguments=nested, sources={"rooms.0.id": Source(kind="model")}))
    assert "rooms.0.id = 'r7'" in " ".join(call.sentences)


def test_a_call_that_the_engine_proposed_says_so() -> None:
    (call,) = raw_calls([("look", "{}")])
    proposed = ev.CallsProposed(
        at=later(0), message=AssistantMessage(calls=(call,)), by="the user's answer"
    )
    told = explain(RUN, [received(), started(), proposed, validated("0.0")], "en")
    assert told.calls[0].sentences[0] == "The engine proposed it (the user's answer)."


def test_a_call_that_was_cut_off_says_so() -> None:
    events: list[ev.Event] = [received(), started(), asked(), answered("", cut=[("look", "{}")])]
    told = explain(RUN, [*events, rejected("1.0", "truncated")], "en")
    assert "cut off inside of the call" in told.calls[0].sentences[0]


def test_a_run_without_calls_and_a_draft_that_did_not_hold_are_told() -> None:
    draft = ev.ReplyChecked(at=later(0), draft="Done.", faults=("no call",), action="fall_back")
    events: list[ev.Event] = [
        received(),
        started(),
        asked(),
        answered("Done."),
        draft,
        replied("Nothing was done."),
    ]
    told = explain(RUN, events, "en")
    assert told.ending == (
        "No tool call was proposed.",
        "The model's draft did not hold (no call); the engine spoke itself.",
        "The reply: “Nothing was done.”",
    )


def test_a_yes_that_decides_nothing_is_told_as_such_and_as_no_question_of_intents() -> None:
    route = ev.RouteChosen(at=later(0), kind="ask", why="decides nothing", question="It waits.")
    events: list[ev.Event] = [received(UserMessage(text="yes")), route, started()]
    told = explain(RUN, events, "en")
    assert "The user's yes could decide nothing" in told.opening[-1]
    texts = [one.phrase.text for one in story(RUN, events, "zh")]
    assert "这句同意什么也决定不了，仍在等待" in texts


def test_it_is_all_said_in_chinese() -> None:
    events: list[ev.Event] = [
        *BEGUN,
        VALID,
        cleared("1.0"),
        resumed(),
        attempt("1.0"),
        finished("1.0"),
    ]
    told = explain(RUN, events, "zh")
    assert told.opening[1] == "意图分类（rules）：order 0.93, talk 0.10。"
    assert "来自用户的话" in "".join(told.calls[0].sentences)
    assert told.ending == ("运行还没有结束。",)


def test_the_log_line_has_the_articles_fields_first() -> None:
    """R12: the third article's section 12."""
    events: list[ev.Event] = [
        *BEGUN,
        VALID,
        cleared("1.0"),
        attempt("1.0"),
        finished("1.0", "shipped"),
    ]
    (line,) = log_lines(RUN, [*events, replied("It is shipped.")])
    assert list(line)[:5] == ["user_input", "intent", "tool", "params", "status"]
    assert {name: line[name] for name in list(line)[:5]} == {
        "user_input": "where is order 123456789?",
        "intent": "order",
        "tool": "look",
        "params": {"id": "123456789"},
        "status": "success",
    }
    assert (line["confidence"], line["validation"]) == (0.93, "valid")
    assert (line["result"], line["reply"]) == ("shipped", "It is shipped.")


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ([replace(rejected("1.0", "missing"), missing=("id",))], "missing"),
        ([rejected("1.0", "unknown_tool")], "rejected"),
        ([RISKY, pending("1.0")], "waiting"),
        ([RISKY, refused("1.0")], "refused"),
        ([RISKY, cleared("1.0"), attempt("1.0"), cancelled()], "uncertain"),
        ([VALID], "open"),
    ],
)
def test_the_log_says_how_a_call_ended(after: Sequence[ev.Event], status: str) -> None:
    (line,) = log_lines(RUN, [*BEGUN, *after])
    assert line["status"] == status


def test_a_run_without_calls_has_one_line() -> None:
    (line,) = log_lines(
        RUN, [received(), started(), asked(), answered("Hello."), replied("Hello.")]
    )
    assert (line["tool"], line["params"], line["status"]) == (None, {}, "answered")
    (line,) = log_lines(RUN, [received(), started(), failed()])
    assert line["status"] == "failed"
