"""A run between its workers: what the fold knows of those that vanished, and of calls cut off."""

import pytest

from pointsman.domain import events as ev
from pointsman.domain.runs import Run, RunStatus, Stage, deaths, fold
from pointsman.domain.tools import Risk
from tests.support.events import (
    RUN,
    answered,
    asked,
    attempt,
    cancelled,
    cleared,
    finished,
    later,
    parked,
    pending,
    received,
    resumed,
    started,
    validated,
)

ASKED = (received(), started(), asked())


def after(*events: ev.Event) -> Run:
    return fold(RUN, events)


def released() -> ev.RunReleased:
    return ev.RunReleased(at=later(1), reason="the worker stops")


def unparked(after: float = 0.0) -> ev.RunUnparked:
    return ev.RunUnparked(at=later(after), by="fay")


@pytest.mark.parametrize(
    ("events", "count"),
    [
        pytest.param((received(),), 0, id="nobody has taken it up"),
        pytest.param(ASKED, 1, id="the first worker vanished"),
        pytest.param((*ASKED, resumed(), asked()), 2, id="and the second"),
        pytest.param((*ASKED, resumed(), asked(), resumed()), 3, id="and the third"),
        pytest.param((*ASKED, released()), 0, id="it was handed back"),
        pytest.param((*ASKED, resumed(), released()), 1, id="one vanished, one handed it back"),
        pytest.param((*ASKED, resumed(), answered("x", ("look", "{}"))), 1, id="a step forward"),
        pytest.param(
            (*ASKED, resumed(), resumed(), answered("", ("pay", "{}")), pending("1.0")),
            2,
            id="a person has it",
        ),
        pytest.param((*ASKED, resumed(), resumed(), parked(), unparked()), 0, id="let go on"),
    ],
)
def test_workers_that_vanish_without_a_step_forward_are_counted(
    events: tuple[ev.Event, ...], count: int
) -> None:
    assert deaths(after(*events)) == count


def test_a_parked_run_rests_and_says_so() -> None:
    run = after(*ASKED, parked())
    assert (run.status, run.rests, run.status.ended) == (RunStatus.PARKED, True, False)
    assert run.said == "set aside"


def test_a_run_that_is_let_go_on_is_running_and_its_rest_was_no_work() -> None:
    run = after(received(), started(), parked(after=100), unparked(after=1000))
    assert (run.status, run.said) == (RunStatus.RUNNING, "")
    assert run.waited == 1000


def test_a_parked_run_can_be_cancelled() -> None:
    assert after(*ASKED, parked(), cancelled()).status is RunStatus.CANCELLED


BEGUN = (
    received(),
    started(),
    answered("", ("pay", "{}")),
    validated("1.0", risk=Risk.WRITE),
    cleared("1.0"),
    attempt("1.0"),
)


def test_a_call_that_did_not_happen_runs_again_and_nothing_about_it_is_uncertain() -> None:
    no = ev.AttemptChecked(at=later(1), call="1.0", attempt=1, answer="not_happened")
    [call] = after(*BEGUN, no).calls
    assert (call.stage, call.open, call.uncertain, call.undone) == (Stage.CLEARED, False, False, 1)
    [call] = after(*BEGUN, no, attempt("1.0", 2)).calls
    assert (call.open, call.uncertain, call.undone) == (True, True, 1)


@pytest.mark.parametrize("answer", ["happened", "unknown"])
def test_other_answers_leave_the_call_to_the_end_that_follows(answer: ev.Answer) -> None:
    said = ev.AttemptChecked(at=later(1), call="1.0", attempt=1, answer=answer)
    [call] = after(*BEGUN, said).calls
    assert call.open
    [call] = after(*BEGUN, said, finished("1.0", "paid")).calls
    assert (call.stage, call.open) == (Stage.SETTLED, False)
