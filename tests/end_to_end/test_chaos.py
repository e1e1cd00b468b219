"""A short fight: processes are killed and stopped, and their database is restarted, while they
carry runs whose side effects are counted outside. ``make soak`` fights for minutes."""

from pathlib import Path

import pytest

from tests.support.chaos import fight
from tests.support.postgres import PostgresServer

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_two_workers_and_a_server_under_fire_lose_double_and_make_up_nothing(
    own_postgres: PostgresServer, tmp_path: Path
) -> None:
    plan = fight.Plan(runs=20, faults=8, seed=1)
    fought, verdict = await fight.on_postgres(tmp_path, own_postgres, plan)
    assert verdict.wrong == [], fought.struck
    assert verdict.runs >= plan.runs
    assert verdict.resumed > 0


async def test_a_server_on_a_file_under_fire_loses_doubles_and_makes_up_nothing(
    tmp_path: Path,
) -> None:
    plan = fight.Plan(runs=12, faults=4, seed=2)
    fought, verdict = await fight.on_sqlite(tmp_path, plan)
    assert verdict.wrong == [], fought.struck
    assert verdict.runs >= plan.runs
    assert verdict.resumed > 0
