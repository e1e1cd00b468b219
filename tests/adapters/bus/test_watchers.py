"""What a watcher that lags behind still gets."""

import pytest

from pointsman.adapters.bus.watchers import ANSWERS, BACKLOG, Answers, Watcher, Watchers
from pointsman.domain.messages import ReasoningDelta, ResetDelta, TextDelta
from pointsman.ports import Missed, NewAnswer, News, Progress, Signal


async def all_of(watcher: Watcher) -> list[News]:
    """What waits, up to the signal that the run has ended."""
    got: list[News] = []
    while Signal(99, True) not in got:
        got.append(await anext(watcher))
    return got


@pytest.mark.anyio
async def test_a_slow_watcher_loses_the_rest_of_the_answer_and_no_signal() -> None:
    watchers = Watchers()
    with watchers.one("r1", []) as watcher:
        watchers.tell("r1", NewAnswer(1))
        watchers.tell("r1", TextDelta("first"))
        for number in range(BACKLOG):
            watchers.tell("r1", Signal(number))
        watchers.tell("r1", TextDelta("too late"))
        watchers.tell("r1", Progress(call="1.0", fraction=None, message="too late"))
        assert [await anext(watcher), await anext(watcher)] == [NewAnswer(1), TextDelta("first")]
        assert [await anext(watcher) for _ in range(BACKLOG)] == [
            Signal(number) for number in range(BACKLOG)
        ]
        watchers.tell("r1", TextDelta("joins nothing"))
        watchers.tell("r1", NewAnswer(1))
        watchers.tell("r1", TextDelta("again"))
        watchers.tell("r1", Signal(99, True))
        assert await all_of(watcher) == [NewAnswer(1), TextDelta("again"), Signal(99, True)]


@pytest.mark.anyio
async def test_doubts_that_nobody_has_looked_into_are_one() -> None:
    watchers = Watchers()
    with watchers.one("r1", []) as watcher:
        for news in (Missed(), Missed(), Signal(1), Missed(), Signal(99, True)):
            watchers.tell("r1", news)
        got = await all_of(watcher)
    assert got == [Missed(), Signal(1), Missed(), Signal(99, True)]


@pytest.mark.anyio
async def test_a_lost_piece_ends_the_pieces_of_its_answer() -> None:
    watchers = Watchers()
    with watchers.one("r1", []) as watcher:
        watchers.tell("r1", NewAnswer(1))
        watchers.tell("r1", TextDelta("a"))
        watchers.tear("r1")
        watchers.tell("r1", TextDelta("c"))
        watchers.tell("r1", Signal(99, True))
        assert await all_of(watcher) == [NewAnswer(1), TextDelta("a"), Signal(99, True)]
    assert list(watchers) == []


def test_of_an_answer_that_is_being_written_what_was_told_is_known() -> None:
    answers = Answers()
    assert answers.so_far("r1") == []
    answers.note("r1", TextDelta("of no answer"))
    assert answers.so_far("r1") == []
    for news in (NewAnswer(1), ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("a")):
        answers.note("r1", news)
    answers.note("r1", Signal(4))
    answers.note("r1", TextDelta("b"))
    assert answers.so_far("r1") == [NewAnswer(1), ReasoningDelta("hm"), TextDelta("ab")]
    answers.note("r1", ResetDelta(2))
    answers.note("r1", TextDelta("c"))
    assert answers.so_far("r1") == [NewAnswer(1), TextDelta("c")]


def test_of_a_run_that_has_ended_nothing_is_kept() -> None:
    answers = Answers()
    for news in (NewAnswer(1), TextDelta("a"), Signal(9, True), TextDelta("held back")):
        answers.note("r1", news)
    assert answers.so_far("r1") == []


def test_answers_of_runs_that_went_elsewhere_are_forgotten() -> None:
    answers = Answers()
    for number in range(ANSWERS + 5):
        answers.note(f"r{number}", NewAnswer(1))
    assert answers.so_far("r4") == []
    assert answers.so_far("r5") == [NewAnswer(1)]
