"""Whether and when a failed attempt is followed by another."""

from pointsman.domain.tools import ResultStatus, Risk, ToolResult, ToolSpec

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0


def pause_before_retry(
    spec: ToolSpec, attempt: int, result: ToolResult, jitter: float
) -> float | None:
    """Seconds to wait before the next attempt, or None when this result stands.

    Only what is read-only or idempotent is tried again, and only after a failure that may pass.

    Args:
        attempt: the attempt that gave the result, from 1.
        jitter: a number in [0, 1) that spreads callers out.
    """
    if result.ok or not result.retryable or not spec.repeatable or attempt > spec.retries:
        return None
    pause = min(FIRST_PAUSE * 2.0 ** (attempt - 1), LONGEST_PAUSE)
    return pause * (0.5 + jitter / 2)


def after_timeout(spec: ToolSpec) -> ToolResult:
    """The result of an attempt that outlived its time: uncertain where it may have changed
    something."""
    why = f"no answer within {spec.timeout:g} s"
    if spec.risk is not Risk.READ:
        return uncertain(why, retryable=spec.repeatable)
    return ToolResult(status=ResultStatus.TIMEOUT, content=f"ERROR: {why}", retryable=True)


def uncertain(why: str, *, retryable: bool = False) -> ToolResult:
    """The result of a call of which nobody knows whether it took effect."""
    return ToolResult(
        status=ResultStatus.UNCERTAIN,
        retryable=retryable,
        content=(
            "UNCERTAIN: the call was started and it is not known whether it took effect "
            f"({why}). Do not repeat it. Tell the user that the outcome is unknown."
        ),
    )
