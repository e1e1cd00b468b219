"""Whatever the clock does and wherever a process dies: never lost, never early, never twice."""

import shutil
import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pointsman.adapters.store.sqlite import bring_up, sqlite, sqlite_engine
from pointsman.domain.reminders import reminder_moves as moves
from pointsman.domain.reminders.reminder import Occurrence, OccurrenceState, Reminder
from pointsman.domain.schedule import occasions
from pointsman.ports import Settlement
from tests.support.reminders import (
    DAILY,
    HOUR,
    MINUTE,
    MORNING,
    StillClock,
    at,
    engine,
    reminder,
)

RULES = ("", DAILY, "FREQ=HOURLY;INTERVAL=5", "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=7;BYMINUTE=30")
STARTS = st.integers(min_value=1, max_value=5 * 1440).map(lambda n: MORNING + n * MINUTE)
REMINDERS = st.tuples(STARTS, st.sampled_from(RULES)).map(
    lambda made: reminder(made[0].astimezone(at(11).tzinfo), made[1])
)
STEPS = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=22 * 60).map(lambda minutes: minutes * MINUTE),
        st.sampled_from(("fire", "die before", "die after", "two at once", "back")),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database with the tables of this release."""
    path = tmp_path_factory.mktemp("migrated") / "test.db"
    engine = sqlite_engine(path)
    bring_up(engine)
    engine.dispose()
    return path


class Dying:
    """``ports.Reminders`` of a process that dies before or after it has settled something."""

    def __init__(self, real: Any, when: str) -> None:
        self._real, self._when = real, when

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        if self._when == "die after":
            await self._real.settle(settlements)
        raise ProcessLookupError(self._when)


@pytest.mark.slow
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(wanted=st.lists(REMINDERS, min_size=1, max_size=4), steps=STEPS)
def test_each_occasion_happens_once_and_not_before_its_time(
    migrated: Path, wanted: list[Reminder], steps: list[tuple[timedelta, str]]
) -> None:
    anyio.run(_live, migrated, wanted, steps)


async def _live(migrated: Path, wanted: list[Reminder], steps: list[tuple[timedelta, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(migrated, folder))
        store, other = (sqlite(path, synchronous="normal") for _ in range(2))
        clock = StillClock(MORNING)
        service, second = await engine(store, clock), await engine(other, clock)
        made = [await service.reminders.add(one) for one in wanted]
        latest = clock.now()
        for step, what in (*steps, (timedelta(), "fire")):
            if what == "back":
                clock.set(max(clock.now() - step, MORNING))
            else:
                clock.set(clock.now() + step)
            latest = max(latest, clock.now())
            firing = service.reminders.firing
            if what.startswith("die"):
                firing._reminders = Dying(store.reminders, what)
                with pytest.raises(ProcessLookupError) if await _due(service) else _fine():
                    await firing.fire()
                service = await engine(store, clock)  # the next process
            elif what == "two at once":
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(firing.fire)
                    tasks.start_soon(second.reminders.firing.fire)
                await _all(service)
            else:
                await _all(service)
        clock.set(latest)  # the clock has been there, and is there again
        await _all(service)
        told = 0
        for one in made:
            found = await store.reminders.occurrences(one.id, limit=1000)
            _check(one, found, latest)
            told += sum(each.state is not OccurrenceState.MISSED for each in found)
        sent = await store.outbox.deliveries(limit=5000)
        assert len({one.key for one in sent}) == len(sent)
        assert sum(not one.subject.startswith("错过") for one in sent) == told
        await store.aclose()
        await other.aclose()


class _fine:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


async def _due(service: Any) -> bool:
    now = service.now()
    return bool(await service.store.reminders.due(now, agents=(), waited=now, limit=1))


async def _all(service: Any) -> None:
    while await service.reminders.firing.fire():
        pass


def _check(one: Reminder, found: Sequence[Occurrence], latest: datetime) -> None:
    dues = [each.due for each in found]
    assert len(set(dues)) == len(dues)
    assert all(each.fired >= each.due for each in found)
    expected = _until(one, latest)
    assert set(dues) <= set(expected)
    lost = len(expected) - len(dues)
    assert lost <= sum(each.passed for each in found)
    if expected:  # the last one that is over has happened itself
        assert max(dues) == expected[-1]


def _until(one: Reminder, latest: datetime) -> list[datetime]:
    due = []
    for instant in occasions(one.schedule, MORNING):
        if instant > latest:
            break
        due.append(instant)
    return due


@given(
    late=st.integers(min_value=0, max_value=72 * 60), grace=st.integers(min_value=0, max_value=48)
)
def test_what_is_late_is_done_within_its_grace_and_told_after_it(late: int, grace: int) -> None:
    begun = moves.begun(replace(reminder(), grace=grace * HOUR), MORNING, None)
    found = moves.fired(begun, at(11) + late * MINUTE, None)
    assert found is not None
    assert found.occurrence is not None
    state = found.occurrence.state
    assert (state is OccurrenceState.MISSED) == (late * MINUTE > grace * HOUR)
    assert (state is OccurrenceState.FIRED) == (late == 0)
