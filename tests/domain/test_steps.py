"""What a run does next."""

import pytest

from pointsman.domain import events as ev
from pointsman.domain.agent import Limits
from pointsman.domain.messages import AssistantMessage, UserMessage
from pointsman.domain.runs import fold
from pointsman.domain.steps import (
    AskModel,
    CheckCalls,
    Ended,
    Fail,
    Finish,
    NextStep,
    RunCalls,
    Wait,
    next_step,
)
from pointsman.domain.tools import Risk
from tests.support.events import (
    RUN,
    answered,
    asked,
    attempt,
    cancelled,
    cleared,
    decided,
    finished,
    later,
    pending,
    received,
    rejected,
    replied,
    resumed,
    started,
    validated,
)
from tests.support.histories import tool_spec

LOOK, PAY = ("look", "{}"), ("pay", "{}")
THEIRS = tool_spec("theirs")
DEFAULT = Limits()


def step(*events: ev.Event, limits: Limits = DEFAULT, after: float = 0.0) -> NextStep:
    return next_step(fold(RUN, events), limits, later(after))


def group(*calls: tuple[str, str]) -> tuple[ev.Event, ...]:
    return (received(), started(), asked(), answered("", *calls))


def ready(key: str, risk: Risk = Risk.READ) -> tuple[ev.Event, ...]:
    return (validated(key, risk=risk), cleared(key))


def keys(found: NextStep) -> list[str]:
    assert isinstance(found, RunCalls | CheckCalls)
    return [call.key for call in found.calls]


def test_a_new_run_asks_the_model() -> None:
    assert step(received(), started()) == AskModel()


def test_an_answer_without_calls_is_the_reply() -> None:
    assert step(received(), started(), asked(), answered("ok")) == Finish("answer", "ok")


def test_a_question_without_an_answer_is_asked_again() -> None:
    assert step(received(), started(), asked(), resumed()) == AskModel()


def test_what_the_caller_said_for_the_assistant_is_never_the_answer() -> None:
    begun = received(UserMessage(text="write"), AssistantMessage(text="Dear"))
    failure = ev.ModelFailed(at=later(0), turn=1, error="ModelUnavailable", detail="")
    assert step(begun, started(), asked(), resumed()) == AskModel()
    assert step(begun, started(), asked(), failure, resumed()) == AskModel()


def test_proposed_calls_are_checked_all_at_once() -> None:
    assert keys(step(*group(LOOK, PAY))) == ["1.0", "1.1"]


def test_a_decided_call_is_checked_again() -> None:
    assert keys(step(*group(PAY), validated("1.0"), pending("1.0"), decided("1.0"))) == ["1.0"]


def test_neighbours_that_read_run_together() -> None:
    found = step(*group(LOOK, LOOK, PAY), *ready("1.0"), *ready("1.1"), *ready("1.2", Risk.WRITE))
    assert keys(found) == ["1.0", "1.1"]


def test_what_changes_something_runs_alone_and_in_order() -> None:
    events = (*group(PAY, PAY, LOOK), *ready("1.0", Risk.WRITE), *ready("1.1", Risk.WRITE))
    events = (*events, *ready("1.2"))
    assert keys(step(*events)) == ["1.0"]
    assert keys(step(*events, attempt("1.0"), finished("1.0"))) == ["1.1"]


def test_a_read_after_a_write_waits_for_it() -> None:
    found = step(*group(LOOK, PAY, LOOK), *ready("1.0"), *ready("1.1", Risk.WRITE), *ready("1.2"))
    assert keys(found) == ["1.0"]


def test_nothing_runs_while_a_person_is_to_decide() -> None:
    waiting = (*group(PAY, PAY), validated("1.0"), pending("1.0"), *ready("1.1", Risk.WRITE))
    assert step(*waiting) == Wait()


def test_settled_calls_bring_the_next_question_to_the_model() -> None:
    assert step(*group(LOOK), rejected("1.0")) == AskModel()


def test_a_question_to_the_user_ends_the_run_after_the_other_calls() -> None:
    missing = rejected("1.0", "missing", question="Which city?")
    assert keys(step(*group(LOOK, LOOK), missing, *ready("1.1"))) == ["1.1"]
    asking = (*group(LOOK, LOOK), missing, rejected("1.1", "missing", question="Which city?"))
    assert step(*asking) == Finish("question", "Which city?")


def test_calls_of_the_callers_own_tools_are_handed_over() -> None:
    events = (
        received(client_tools=[THEIRS]),
        started(),
        asked(),
        answered("so", ("theirs", "{}"), ("theirs", "{}")),
    )
    found = step(*events)
    assert isinstance(found, Finish)
    assert (found.kind, found.text, [call.id for call in found.calls]) == (
        "calls",
        "so",
        ["a", "b"],
    )


@pytest.mark.parametrize(
    "reply",
    [answered("", ("theirs", "{}"), LOOK), answered("", cut=[("theirs", "{}")])],
    ids=["mixed with ours", "cut off"],
)
def test_other_calls_are_not_handed_over(reply: ev.ModelAnswered) -> None:
    found = step(received(client_tools=[THEIRS]), started(), asked(), reply)
    assert isinstance(found, CheckCalls)


def twice(kind: ev.RejectionKind, times: int) -> tuple[ev.Event, ...]:
    events: list[ev.Event] = [received(), started()]
    for turn in range(1, times + 1):
        events += [asked(turn), answered("", LOOK, turn=turn), rejected(f"{turn}.0", kind)]
    return tuple(events)


@pytest.mark.parametrize(
    ("events", "limits", "seconds", "expected"),
    [
        pytest.param(twice("invalid", 3), Limits(turns=3), 0, Fail("turns", "3"), id="turns"),
        pytest.param(twice("invalid", 2), Limits(turns=3), 0, AskModel(), id="turns left"),
        pytest.param(
            (received(), started(), asked(), answered("", LOOK, tokens=11), rejected("1.0")),
            Limits(tokens=10),
            0,
            Fail("tokens", "10"),
            id="tokens",
        ),
        pytest.param(
            (received(), started()), Limits(seconds=5), 6, Fail("seconds", "5"), id="seconds"
        ),
        pytest.param(
            (received(), started(), resumed(after=100)),
            Limits(seconds=5),
            104,
            AskModel(),
            id="seconds without a worker",
        ),
        pytest.param(
            (*group(LOOK), pending("1.0"), decided("1.0", after=100), rejected("1.0")),
            Limits(seconds=5),
            104,
            AskModel(),
            id="seconds of waiting",
        ),
        pytest.param(twice("malformed", 1), Limits(), 0, AskModel(), id="A21-one"),
        pytest.param(twice("malformed", 2), Limits(), 0, Fail("malformed"), id="A21-two"),
        pytest.param(twice("repeated", 2), Limits(), 0, AskModel(), id="L07-two"),
        pytest.param(twice("repeated", 3), Limits(), 0, Fail("repeated"), id="L07-three"),
    ],
)
def test_a_run_stops_at_its_limits_before_the_next_question(
    events: tuple[ev.Event, ...], limits: Limits, seconds: float, expected: NextStep
) -> None:
    assert step(*events, limits=limits, after=seconds) == expected


def test_an_answer_that_is_there_is_given_whatever_the_limits() -> None:
    events = (received(), started(), asked(), answered("ok", tokens=50))
    assert step(*events, limits=Limits(tokens=1, turns=1), after=9999) == Finish("answer", "ok")


@pytest.mark.parametrize("end", [replied("ok"), cancelled()])
def test_a_run_that_is_over_does_nothing(end: ev.Event) -> None:
    assert step(received(), started(), end) == Ended()
