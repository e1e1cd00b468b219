"""A run's journal as a story. The terminal's dress of it is tested with ``runs show``."""

from typing import get_args

import pytest

from pointsman.domain import events as ev
from pointsman.domain.calls import CallEvent
from pointsman.domain.graph import Node
from pointsman.domain.messages import AssistantMessage
from pointsman.domain.record.story import story
from pointsman.domain.record.words import WORDS
from pointsman.domain.tasks.task import Budget, Question
from pointsman.domain.tools import ResultStatus, ToolResult
from pointsman.errors import JournalCorrupt
from tests.support.events import (
    RUN,
    answered,
    asked,
    attempt,
    cleared,
    finished,
    later,
    raw_calls,
    received,
    rejected,
    replied,
    started,
    validated,
)

TOLD: list[ev.Event] = [
    received(),
    started(2.0),
    asked(1, "look"),
    answered("", ("look", '{"where": "here"}'), ("look", "{}")),
    validated("1.0", arguments={"where": "here"}),
    cleared("1.0"),
    rejected("1.1"),
    attempt("1.0"),
    finished("1.0", "a chair"),
    asked(2, "look"),
    answered("There is a chair.", turn=2),
    replied("There is a chair.\nThat is all."),
]


def test_each_event_is_told_in_order_with_the_seconds_since_the_first() -> None:
    told = list(story(RUN, TOLD, "en"))
    texts = [one.phrase.text for one in told]
    assert texts[0] == "hi"
    assert (told[0].label, told[0].passed, told[1].passed) == ("ann", 0.0, 2.0)
    assert "look(where='here') is valid, risk read" in texts
    assert "✗ arguments do not fit: no" in texts
    assert [one.label for one in told if one.phrase.text == "✓ 1 ms"] == ["1.0"]
    assert texts[-2:] == ["There is a chair.", "That is all."]
    assert (told[-2].label, told[-1].label, told[-1].passed) == ("reply", "", None)


def test_the_story_is_told_in_chinese_too() -> None:
    texts = [one.phrase.text for one in story(RUN, TOLD, "zh")]
    assert "look(where='here') 有效，风险 只读" in texts
    assert len(texts) == len(list(story(RUN, TOLD, "en")))


def test_a_story_that_cannot_be_is_not_told() -> None:
    with pytest.raises(JournalCorrupt):
        list(story(RUN, [received(), started(), attempt("1.0")], "en"))


@pytest.mark.parametrize("kind", sorted(one.__name__ for one in get_args(ev.Event)))
def test_every_kind_of_event_is_told(kind: str) -> None:
    event = SAMPLES[kind]
    before: list[ev.Event] = [received()] if kind != "MessageReceived" else []
    if isinstance(event, CallEvent):
        before += [started(), answered("", ("look", "{}"))]
        if isinstance(event, ev.ApprovalDecided | ev.ApprovalEdited):
            before += [validated("1.0"), SAMPLES["ApprovalAsked"]]
    if isinstance(event, ev.TaskEvent):
        before += [started(), answered("", ("look", "{}"))]
        if not isinstance(event, ev.PlanAccepted):
            before.append(SAMPLES["PlanAccepted"])
    told = list(story(RUN, [*before, event], "zh"))
    assert len(told) > len(list(story(RUN, before, "zh") if before else []))


SAMPLES: dict[str, ev.Event] = {
    "PlanAccepted": ev.PlanAccepted(
        at=later(1),
        call="1.0",
        version=1,
        nodes=(Node(id="1", desc="look"), Node(id="2", desc="tell", base=("1",))),
    ),
    "TaskStarted": ev.TaskStarted(
        at=later(1),
        call="1.0",
        node="1",
        run="0" * 32,
        attempt=1,
        budget=Budget(turns=1, calls=1, tokens=1, seconds=1.0),
    ),
    "TaskAsks": ev.TaskAsks(
        at=later(1), call="1.0", node="1", run="0" * 32, questions=(Question(text="where?"),)
    ),
    "TaskEnded": ev.TaskEnded(
        at=later(1), call="1.0", node="1", run="0" * 32, state="done", text="a chair"
    ),
    "TaskSkipped": ev.TaskSkipped(at=later(1), call="1.0", node="2", cause="1", why="no chair"),
    "TasksAwaited": ev.TasksAwaited(at=later(1), call="1.0", by="tasks"),
    "MessageReceived": received(),
    "RunStarted": started(),
    "RunResumed": ev.RunResumed(at=later(1), reason="again"),
    "RunReleased": ev.RunReleased(at=later(1), reason="the worker stops"),
    "RunParked": ev.RunParked(at=later(1), deaths=3, step="asking the model", text="set aside"),
    "RunUnparked": ev.RunUnparked(at=later(1), by="fay"),
    "AttemptChecked": ev.AttemptChecked(
        at=later(1), call="1.0", attempt=1, answer="not_happened", detail="no such booking"
    ),
    "IntentClassified": ev.IntentClassified(at=later(1), scores={"look": 0.9}, by="rules"),
    "RouteChosen": ev.RouteChosen(at=later(1), kind="tools", intents=("look",), tools=("look",)),
    "CallsProposed": ev.CallsProposed(
        at=later(1), message=AssistantMessage(calls=raw_calls([("look", "{}")])), by="the answer"
    ),
    "ReplyChecked": ev.ReplyChecked(at=later(1), draft="d", faults=("f",), action="ask_again"),
    "ModelAsked": asked(),
    "ModelAnswered": answered("ok"),
    "ModelFailed": ev.ModelFailed(at=later(1), turn=1, error="ModelTimeout", detail="late"),
    "CallValidated": validated("1.0"),
    "CallRejected": rejected("1.0"),
    "CallCleared": cleared("1.0"),
    "ApprovalAsked": ev.ApprovalAsked(
        at=later(1),
        call="1.0",
        approval="a1",
        by="finance",
        rule="r",
        digest="d",
        question="may I?",
        expires=later(9),
    ),
    "ApprovalDecided": ev.ApprovalDecided(
        at=later(2), call="1.0", approval="a1", decision="approved", by="fay"
    ),
    "ApprovalEdited": ev.ApprovalEdited(
        at=later(2),
        call="1.0",
        approval="a1",
        editor="fay",
        replacement="a2",
        by="finance",
        rule="r",
        digest="e",
        question="may I?",
        expires=later(9),
        arguments={"where": "there"},
        changed=("where",),
        former={"where": "here"},
    ),
    "DecisionRefused": ev.DecisionRefused(
        at=later(2), call="1.0", approval="a1", wanted="approve", by="bo", kind="forbidden"
    ),
    "ResultGiven": ev.ResultGiven(
        at=later(2), call="1.0", by="fay", result=ToolResult(status=ResultStatus.OK, content="ok")
    ),
    "CallRefused": ev.CallRefused(at=later(1), call="1.0", rule="r", content="DENIED"),
    "AttemptStarted": attempt("1.0"),
    "AttemptFinished": finished("1.0"),
    "ReplyGiven": replied("ok"),
    "RunFailed": ev.RunFailed(at=later(1), reason="model", detail="", text="Sorry."),
    "RunCancelled": ev.RunCancelled(at=later(1), by="ann", reason="", text="Cancelled."),
}


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_have_every_word(key: str) -> None:
    chinese, english = WORDS[key]
    assert chinese
    assert english
