"""Rates and bulkheads."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.limiting import (
    POLL,
    BulkheadState,
    Rate,
    RateState,
    breaker_of,
    enter,
    leave,
    rate_of,
    take,
)

START = datetime(2026, 5, 1, tzinfo=UTC)
RATE = Rate(calls=2, seconds=60)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_rate_lets_so_many_through_and_then_says_when() -> None:
    state = RateState()
    for seconds, allowed, wait in [(0, True, 0), (10, True, 0), (20, False, 40), (60, True, 0)]:
        admission, state = take(state, RATE, at(seconds))
        assert (admission.allowed, admission.retry_after) == (allowed, wait)
    assert state == RateState((at(10), at(60)))
    assert msgspec.json.decode(msgspec.json.encode(state), type=RateState) == state


def test_a_refused_call_is_not_counted() -> None:
    state = RateState((at(0), at(1)))
    assert take(state, RATE, at(2))[1] == state


def test_a_rate_of_none_lets_nothing_through() -> None:
    admission, state = take(RateState(), Rate(calls=0, seconds=60), at(0))
    assert (admission.allowed, admission.retry_after, state) == (False, 60, RateState())


@given(st.lists(st.floats(0, 40), max_size=40), st.integers(1, 4))
def test_no_window_holds_more_than_the_rate(gaps: list[float], calls: int) -> None:
    rate, state, now, ran = Rate(calls=calls, seconds=60), RateState(), 0.0, list[datetime]()
    for gap in gaps:
        now += gap
        admission, state = take(state, rate, at(now))
        if admission.allowed:
            ran.append(at(now))
        else:
            later = at(now) + timedelta(seconds=admission.retry_after)
            assert take(state, rate, later)[0].allowed
    for first, last in zip(ran, ran[calls:], strict=False):
        assert last - first >= timedelta(seconds=60)
    assert len(state.calls) <= calls


def enters(state: BulkheadState, call: str, seconds: float) -> tuple[bool, BulkheadState]:
    admission, state = enter(state, call, places=2, lease=30, now=at(seconds))
    return admission.allowed, state


def test_a_bulkhead_holds_so_many_at_once() -> None:
    state = BulkheadState()
    for call, allowed in [("a", True), ("b", True), ("c", False), ("a", True)]:
        found, state = enters(state, call, 0)
        assert found is allowed
    found, state = enters(leave(state, "a"), "c", 1)
    assert found
    assert msgspec.json.decode(msgspec.json.encode(state), type=BulkheadState) == state


def test_a_place_that_is_never_given_back_runs_out() -> None:
    _, state = enters(BulkheadState(), "a", 0)
    _, state = enters(state, "b", 5)
    assert not enters(state, "c", 29.9)[0]
    assert enters(state, "c", 30)[0]


def test_a_full_bulkhead_is_asked_again_soon() -> None:
    full = BulkheadState((("a", at(30)), ("b", at(30))))
    assert enter(full, "c", places=2, lease=30, now=at(0))[0].retry_after == POLL
    assert enter(full, "c", places=2, lease=30, now=at(29.75))[0].retry_after == 0.25


def test_leaving_twice_does_no_harm() -> None:
    assert leave(BulkheadState(), "a") == BulkheadState()


@pytest.mark.parametrize(
    ("said", "calls", "seconds"),
    [
        ("10/min", 10, 60),
        ("1 / day", 1, 86400),
        ("100/hours", 100, 3600),
        ("3/10s", 3, 10),
        ("5/2 minutes", 5, 120),
    ],
)
def test_a_rate_is_read_from_words(said: str, calls: int, seconds: float) -> None:
    assert rate_of(said) == Rate(calls=calls, seconds=seconds)


@pytest.mark.parametrize("said", ["", "10", "0/min", "-1/min", "10/0s", "10/year", "1e3/s", 10])
def test_what_is_no_rate_is_refused_with_an_example(said: object) -> None:
    with pytest.raises(ValueError, match=r"such as 10/min, not "):
        rate_of(said)


@pytest.mark.parametrize(
    "said",
    ["off", 3, {"failure": 1}, {"failures": -1}, {"failures": "3"}, {"window": float("nan")}],
)
def test_what_is_no_breaker_is_refused(said: object) -> None:
    with pytest.raises(ValueError, match=r"expected|unknown|Expected|`"):
        breaker_of(said)
