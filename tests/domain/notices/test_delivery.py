"""States of a delivery, as values."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from pointsman.domain.notices.delivery import (
    LONGEST,
    MOST_ATTEMPTS,
    SENT,
    Delivery,
    DeliveryStatus,
    Outcome,
    after_part,
    claimed,
    put_off,
    tried_anew,
)

NOON = datetime(2026, 2, 28, 12, tzinfo=UTC)
NEW = Delivery(
    id="1" * 32,
    key="k",
    channel="email",
    recipient="wang",
    name="王芳",
    address="wang@a.test",
    sender="ann",
    subject="日报",
    body="正文",
    created=NOON,
    due=NOON,
    updated=NOON,
)
LATER = Outcome(verdict="retry", about="channel", code="421", detail="busy")
NEVER = Outcome(verdict="failed", about="recipient", code="550", detail="no such user")


def taken(delivery: Delivery = NEW, at: datetime = NOON) -> Delivery:
    return claimed(delivery, token="t", until=at + timedelta(seconds=10), now=at)


def test_an_attempt_counts_from_its_claim() -> None:
    one = taken()
    assert (one.status, one.attempts, one.since, one.token) == (
        DeliveryStatus.SENDING,
        1,
        NOON,
        "t",
    )


def test_it_is_sent_when_its_last_part_was_taken() -> None:
    first = after_part(replace(taken(), parts=2), SENT, NOON, jitter=0)
    assert (first.status, first.done, first.token) == (DeliveryStatus.SENDING, 1, "t")
    last = after_part(first, SENT, NOON, jitter=0)
    assert (last.status, last.done, last.sent, last.token) == (DeliveryStatus.SENT, 2, NOON, "")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (NEVER, DeliveryStatus.FAILED),
        (LATER, DeliveryStatus.RETRY),
        (replace(LATER, verdict="unknown"), DeliveryStatus.RETRY),
    ],
)
def test_a_failure_keeps_what_was_said(outcome: Outcome, status: DeliveryStatus) -> None:
    left = after_part(taken(), outcome, NOON, jitter=0)
    assert (left.status, left.code, left.error) == (status, outcome.code, outcome.detail)
    assert (left.token, left.lease) == ("", None)


def test_pauses_grow_and_are_spread_out() -> None:
    pauses = []
    delivery = NEW
    for _ in range(MOST_ATTEMPTS - 1):
        delivery = after_part(taken(delivery), LATER, NOON, jitter=0.5)
        pauses.append((delivery.due - NOON).total_seconds())
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (5, 7200)
    early = after_part(taken(), LATER, NOON, jitter=0)
    late = after_part(taken(), LATER, NOON, jitter=0.99)
    assert early.due < late.due


def test_it_is_given_up_after_so_many_attempts_or_so_long() -> None:
    often = replace(NEW, attempts=MOST_ATTEMPTS - 1)
    assert after_part(taken(often), LATER, NOON, jitter=0).status is DeliveryStatus.DEAD
    assert after_part(taken(), LATER, NOON + LONGEST, jitter=0).status is DeliveryStatus.DEAD
    assert put_off(taken(), 60, NOON + LONGEST, why="rests").status is DeliveryStatus.DEAD


def test_waiting_for_a_channel_is_no_attempt() -> None:
    waiting = put_off(taken(), 60, NOON)
    assert (waiting.status, waiting.attempts) == (DeliveryStatus.PENDING, 0)
    assert waiting.due == NOON + timedelta(seconds=60)
    again = put_off(taken(after_part(taken(), LATER, NOON, jitter=0)), 60, NOON, why="rests")
    assert (again.status, again.attempts, again.error) == (DeliveryStatus.RETRY, 1, "rests")


def test_trying_anew_goes_on_with_the_part_that_failed() -> None:
    begun = after_part(replace(taken(), parts=3), SENT, NOON, jitter=0)
    dead = after_part(begun, NEVER, NOON, jitter=0)
    anew = tried_anew(dead, NOON + timedelta(days=3))
    assert (anew.status, anew.done, anew.attempts) == (DeliveryStatus.RETRY, 1, 0)
