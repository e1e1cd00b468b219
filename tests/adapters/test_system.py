"""The machine's clock and ids."""

from datetime import UTC
from uuid import RFC_4122, UUID

from pointsman.adapters.system import SystemClock


def test_ids_rise_even_within_a_millisecond() -> None:
    clock = SystemClock()
    made = [clock.new_id() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_an_id_is_a_uuid_of_version_7_with_the_time_in_front() -> None:
    clock = SystemClock()
    before = clock.now()
    made = UUID(clock.new_id())
    assert (made.version, made.variant) == (7, RFC_4122)
    assert abs((made.int >> 80) / 1000 - before.timestamp()) < 60


def test_ids_of_two_clocks_do_not_meet() -> None:
    one, other = SystemClock(), SystemClock()
    assert not {one.new_id() for _ in range(1000)} & {other.new_id() for _ in range(1000)}


def test_now_is_in_utc() -> None:
    assert SystemClock().now().tzinfo is UTC
