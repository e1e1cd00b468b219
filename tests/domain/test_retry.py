"""Whether a failed attempt is followed by another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.retry import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    after_timeout,
    pause_before_retry,
    uncertain,
)
from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec
from tests.support.tools import fake_tool

READ = fake_tool("look", retries=2).spec
WRITE = fake_tool("pay", risk=Risk.WRITE).spec
IDEMPOTENT = fake_tool("set", risk=Risk.WRITE, idempotent=True).spec
PASSING = ToolResult(status=ResultStatus.FAILED, content="busy", retryable=True)
LASTING = ToolResult(status=ResultStatus.FAILED, content="no such order")
OK = ToolResult(status=ResultStatus.OK, content="ok", retryable=True)


@pytest.mark.parametrize(
    ("spec", "attempt", "result", "again"),
    [
        pytest.param(READ, 1, PASSING, True, id="a read"),
        pytest.param(IDEMPOTENT, 1, PASSING, True, id="an idempotent write"),
        pytest.param(WRITE, 1, PASSING, False, id="a write"),
        pytest.param(READ, 1, LASTING, False, id="a failure that will not pass"),
        pytest.param(READ, 1, OK, False, id="a success"),
        pytest.param(READ, 2, PASSING, True, id="the last retry"),
        pytest.param(READ, 3, PASSING, False, id="no retries left"),
        pytest.param(READ, 9, PASSING, False, id="attempts before a crash count"),
    ],
)
def test_only_what_can_do_no_harm_is_tried_again(
    spec: ToolSpec, attempt: int, result: ToolResult, again: bool
) -> None:
    assert (pause_before_retry(spec, attempt, result, 0.5) is not None) == again


@given(st.integers(1, 50), st.floats(0, 1, exclude_max=True))
def test_pauses_grow_to_a_longest_and_are_spread(attempt: int, jitter: float) -> None:
    spec = fake_tool("look", retries=50).spec
    pause = pause_before_retry(spec, attempt, PASSING, jitter)
    assert pause is not None
    assert FIRST_PAUSE / 2 <= pause <= LONGEST_PAUSE
    longer = pause_before_retry(spec, attempt + 1, PASSING, jitter)
    assert longer is None or longer >= pause


@pytest.mark.parametrize(
    ("spec", "status", "retryable"),
    [
        pytest.param(READ, ResultStatus.TIMEOUT, True, id="a read"),
        pytest.param(WRITE, ResultStatus.UNCERTAIN, False, id="a write"),
        pytest.param(IDEMPOTENT, ResultStatus.UNCERTAIN, True, id="an idempotent write"),
    ],
)
def test_what_ran_out_of_time_is_uncertain_where_it_may_have_changed_something(
    spec: ToolSpec, status: ResultStatus, retryable: bool
) -> None:
    result = after_timeout(spec)
    assert (result.status, result.retryable) == (status, retryable)
    assert "30 s" in result.content


def test_an_uncertain_result_tells_the_model_to_say_so() -> None:
    assert uncertain("why").content.startswith("UNCERTAIN")
    assert "(why)" in uncertain("why").content
    assert "Do not repeat it" in uncertain("why").content
