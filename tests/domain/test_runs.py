"""The state of a run, read from its events."""

import pytest

from pointsman.domain import events as ev
from pointsman.domain.messages import AssistantMessage, Message, ToolMessage, UserMessage
from pointsman.domain.runs import Run, RunStatus, Stage, evolve, fold
from pointsman.domain.tools import ResultStatus, Risk
from pointsman.errors import JournalCorrupt
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
    pending,
    received,
    refused,
    rejected,
    replied,
    resumed,
    started,
    validated,
)

TWO_CALLS = (received(), started(), asked(), answered("", ("look", "{}"), ("pay", "{}")))


def after(*events: ev.Event) -> Run:
    return fold(RUN, events)


def contents(run: Run) -> list[str]:
    return [one.content for one in run.messages if isinstance(one, ToolMessage)]


def test_a_run_starts_with_its_message() -> None:
    run = after(received())
    assert (run.status, run.position, run.input) == (RunStatus.QUEUED, 0, "hi")


@pytest.mark.parametrize(
    "events",
    [
        pytest.param((), id="nothing"),
        pytest.param((started(),), id="no first message"),
        pytest.param((received(), received()), id="two first messages"),
        pytest.param((*TWO_CALLS, validated("1.7")), id="an unknown call"),
        pytest.param((received(), started(), attempt("1.0")), id="a call before any reply"),
        pytest.param((*TWO_CALLS, decided("1.0")), id="a decision that nobody asked for"),
        pytest.param((*TWO_CALLS, rejected("1.0"), cleared("1.0")), id="a settled call goes on"),
        pytest.param((received(), replied("ok"), started()), id="an event after the reply"),
        pytest.param((received(), failed(), started()), id="an event after the failure"),
        pytest.param((received(), cancelled(), replied("ok")), id="a reply after the cancel"),
    ],
)
def test_events_that_cannot_follow_one_another_are_refused(events: tuple[ev.Event, ...]) -> None:
    with pytest.raises(JournalCorrupt):
        after(*events)


def test_results_join_the_messages_together_in_the_order_of_the_calls() -> None:
    first = (*TWO_CALLS, validated("1.1", "pay"), cleared("1.1"), attempt("1.1"))
    half = after(*first, finished("1.1", "paid"))
    assert contents(half) == []
    whole = evolve(half, rejected("1.0"))
    assert [
        (one.call_id, one.content) for one in whole.messages if isinstance(one, ToolMessage)
    ] == [("a", "ERROR: no"), ("b", "paid")]


def test_a_cut_call_is_in_the_history_and_marked() -> None:
    run = after(received(), started(), asked(), answered("", cut=[("pay", "{}")]))
    assert [call.cut for call in run.calls] == [True]
    last = run.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert [call.name for call in last.calls] == ["pay"]


def test_usage_and_calls_are_summed_over_the_turns() -> None:
    run = after(
        received(),
        started(),
        asked(),
        answered("", ("look", "{}"), tokens=10),
        rejected("1.0"),
        asked(2),
        answered("done", turn=2, tokens=7),
    )
    assert run.usage.total == 17
    assert [call.key for call in run.past] == ["1.0"]
    assert run.calls == ()


def test_an_attempt_that_is_to_be_repeated_leaves_the_call_cleared() -> None:
    run = after(*TWO_CALLS, validated("1.0"), cleared("1.0"), attempt("1.0"))
    assert run.call("1.0").open
    run = evolve(run, finished("1.0", status=ResultStatus.FAILED, retry_in=0.2))
    call = run.call("1.0")
    assert (call.open, call.stage, call.attempts, call.result) == (False, Stage.CLEARED, 1, None)


def test_a_run_waits_until_its_last_approval_is_decided() -> None:
    run = after(*TWO_CALLS, pending("1.0"), pending("1.1", after=5))
    assert run.status is RunStatus.WAITING
    assert run.said == "run 1.0?\nrun 1.1?"
    run = evolve(run, decided("1.1", after=10))
    assert run.status is RunStatus.WAITING
    run = evolve(run, decided("1.0", after=60))
    assert (run.status, run.waited, run.paused_at) == (RunStatus.RUNNING, 60.0, None)
    assert [call.stage for call in run.calls] == [Stage.VALID, Stage.VALID]


def test_a_waiting_run_that_is_delivered_again_still_waits() -> None:
    run = after(*TWO_CALLS, pending("1.0"), resumed(after=50))
    assert run.status is RunStatus.WAITING
    assert evolve(run, decided("1.0", after=60)).waited == 60.0


def test_the_time_without_a_worker_does_not_count_as_work() -> None:
    run = after(received(), started(), resumed(after=1000))
    assert (run.status, run.waited) == (RunStatus.RUNNING, 1000.0)


def test_an_open_question_to_the_model_outlives_a_restart() -> None:
    assert after(received(), started(), asked(), resumed()).asked
    assert not after(received(), started(), asked(), answered("yes")).asked


@pytest.mark.parametrize(
    ("events", "status", "word"),
    [
        pytest.param((), ResultStatus.CANCELLED, "not run", id="never started"),
        pytest.param(
            (validated("1.0"), cleared("1.0"), attempt("1.0")),
            ResultStatus.CANCELLED,
            "given up",
            id="a read was going on",
        ),
        pytest.param(
            (validated("1.0", risk=Risk.WRITE), cleared("1.0"), attempt("1.0")),
            ResultStatus.UNCERTAIN,
            "UNCERTAIN",
            id="a write was going on",
        ),
        pytest.param(
            (
                validated("1.0", risk=Risk.WRITE, repeatable=True),
                cleared("1.0"),
                attempt("1.0"),
                finished("1.0", status=ResultStatus.UNCERTAIN, retry_in=1.0),
            ),
            ResultStatus.UNCERTAIN,
            "UNCERTAIN",
            id="an idempotent write was to be repeated",
        ),
        pytest.param(
            (validated("1.0"), cleared("1.0"), attempt("1.0"), finished("1.0", "seen")),
            ResultStatus.OK,
            "seen",
            id="it had ended",
        ),
    ],
)
@pytest.mark.parametrize("end", [cancelled("Stopped."), failed("Stopped.")], ids=["cancel", "fail"])
def test_a_run_that_ends_early_says_of_each_call_what_may_have_happened(
    events: tuple[ev.Event, ...], status: ResultStatus, word: str, end: ev.Event
) -> None:
    run = after(*TWO_CALLS, *events, end)
    results = [one for one in run.messages if isinstance(one, ToolMessage)]
    assert [one.call_id for one in results] == ["a", "b"]
    assert results[0].content.startswith(word)
    assert results[1].content.startswith("not run")
    assert run.messages[-1] == AssistantMessage(text="Stopped.")
    assert run.reply == "Stopped."
    assert run.call("1.0").uncertain == (status is ResultStatus.UNCERTAIN)


def test_a_refused_call_is_answered_with_the_reason() -> None:
    assert contents(after(*TWO_CALLS, refused("1.0"), refused("1.1"))) == ["DENIED", "DENIED"]


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_answer_is_no_message_of_the_conversation(text: str) -> None:
    """Case H12."""
    run = after(received(), started(), asked(), answered(text), failed("（模型没有返回内容）"))
    assert run.messages == (
        UserMessage(text="hi"),
        AssistantMessage(text="（模型没有返回内容）"),
    )


@pytest.mark.parametrize(
    ("said", "events"),
    [
        ("ok", (answered("ok"), replied("ok"))),
        ("Which city?", (answered("", ("look", "{}")), rejected("1.0", "missing"))),
    ],
)
def test_the_reply_stands_once_at_the_end(said: str, events: tuple[ev.Event, ...]) -> None:
    if events[-1] != replied(said):
        events = (*events, replied(said, "question"))
    run = after(received(), started(), asked(), *events)
    texts: list[Message] = [one for one in run.messages if isinstance(one, AssistantMessage)]
    assert texts[-1] == AssistantMessage(text=said)
    assert texts.count(AssistantMessage(text=said)) == 1
    assert (run.status, run.reply, run.rests) == (RunStatus.DONE, said, True)
