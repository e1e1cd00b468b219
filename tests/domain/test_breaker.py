"""The circuit breaker of a tool."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.breaker import BreakerLimits, BreakerState, after, allow, verdict
from pointsman.domain.tools import ResultStatus, ToolResult

START = datetime(2026, 5, 1, tzinfo=UTC)
LIMITS = BreakerLimits(failures=3, window=60, pause=30, probe=120)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def told(*results: tuple[float, bool | None]) -> BreakerState:
    state = BreakerState()
    for seconds, ok in results:
        state = after(state, ok, at(seconds), limits=LIMITS)
    return state


OPEN = told((0, False), (1, False), (2, False))


def test_it_opens_after_enough_failures_in_the_window() -> None:
    assert (OPEN.mode, OPEN.since, OPEN.failures) == ("open", at(2), ())
    assert told((0, False), (1, False)).mode == "closed"
    assert told((0, False), (1, False), (61, False)).mode == "closed"


def test_a_success_takes_one_failure_back() -> None:
    assert told((0, False), (1, False), (2, True), (3, False)).mode == "closed"
    assert told((0, False), (1, False), (2, True), (3, False), (4, False)).mode == "open"


def test_what_says_nothing_about_the_tool_counts_for_nothing() -> None:
    assert told((0, False), (1, False), (2, None), (3, None)).mode == "closed"


def test_an_open_breaker_says_when_to_come_back() -> None:
    passage, state = allow(OPEN, at(12), LIMITS)
    assert (passage.allowed, passage.retry_after, state) == (False, 20, OPEN)


def test_after_the_pause_one_probe_runs_and_no_other() -> None:
    passage, state = allow(OPEN, at(32), LIMITS)
    assert passage.allowed
    assert passage.probe
    assert state.mode == "half_open"
    second, state = allow(state, at(33), LIMITS)
    assert (second.allowed, second.retry_after) == (False, 119)


@pytest.mark.parametrize(("ok", "mode"), [(True, "closed"), (False, "open"), (None, "half_open")])
def test_the_probe_decides(ok: bool | None, mode: str) -> None:
    _, probing = allow(OPEN, at(32), LIMITS)
    state = after(probing, ok, at(33), probe=True, limits=LIMITS)
    assert state.mode == mode
    assert allow(state, at(33), LIMITS)[0].allowed is (ok is not False)


@pytest.mark.parametrize("ok", [True, False])
def test_late_results_of_earlier_calls_change_nothing(ok: bool) -> None:
    _, probing = allow(OPEN, at(32), LIMITS)
    assert after(OPEN, ok, at(10), limits=LIMITS) == OPEN
    assert after(probing, ok, at(33), limits=LIMITS) == probing


def test_a_probe_that_never_reports_is_given_up() -> None:
    _, probing = allow(OPEN, at(32), LIMITS)
    assert not allow(probing, at(151), LIMITS)[0].allowed
    assert allow(probing, at(152), LIMITS)[0].probe


def test_a_clock_set_back_holds_nobody_up() -> None:
    assert allow(OPEN, at(1.9), LIMITS)[0].retry_after == 30
    assert allow(OPEN, at(-1000), LIMITS)[0].allowed


def test_the_state_can_be_stored() -> None:
    for state in (BreakerState(), told((0, False)), OPEN, allow(OPEN, at(32), LIMITS)[1]):
        assert msgspec.json.decode(msgspec.json.encode(state), type=BreakerState) == state


@pytest.mark.parametrize(
    ("status", "speaks"),
    [
        (ResultStatus.OK, True),
        (ResultStatus.ERROR, True),
        (ResultStatus.FAILED, False),
        (ResultStatus.TIMEOUT, False),
        (ResultStatus.UNCERTAIN, False),
        (ResultStatus.REJECTED, None),
        (ResultStatus.REFUSED, None),
        (ResultStatus.CANCELLED, None),
    ],
)
def test_what_a_result_says_about_the_tool(status: ResultStatus, speaks: bool | None) -> None:
    """Case M15: a tool's own error is an answer."""
    assert verdict(ToolResult(status=status, content="")) is speaks


_histories = st.lists(
    st.tuples(
        st.sampled_from(["ask", "tell", "lose"]),
        st.sampled_from([True, False, None]),
        st.floats(-5, 200),
    ),
    max_size=40,
)


@given(_histories)
def test_no_history_leaves_it_stuck_or_lets_two_probes_run(
    history: list[tuple[str, bool | None, float]],
) -> None:
    state, now = BreakerState(), 0.0
    running: list[bool] = []
    probe_until: float | None = None
    for action, ok, passed in history:
        now += passed
        if action == "ask":
            passage, state = allow(state, at(now), LIMITS)
            assert passage.retry_after <= 120
            if passage.allowed:
                if passage.probe:
                    assert probe_until is None or abs(probe_until - 120 - now) >= 120 - 1e-3
                    probe_until = now + 120
                running.append(passage.probe)
        elif running:
            probe = running.pop()
            if action == "tell":
                state = after(state, ok, at(now), probe=probe, limits=LIMITS)
                probe_until = None if probe else probe_until
    passage, state = allow(state, at(now), LIMITS)
    if not passage.allowed:
        passage, state = allow(state, at(now + passage.retry_after), LIMITS)
        assert passage.allowed
    healed = after(state, True, at(now + 200), probe=passage.probe, limits=LIMITS)
    assert healed.mode == "closed"
