"""Runs under fire for minutes, on both databases; what came of them as a line of a table.

python -m benchmarks.soak [--runs 200] [--faults 100] [--seed 1] [postgres|sqlite ...]
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.support.chaos import fight
from tests.support.chaos.judging import Verdict
from tests.support.postgres import prepare, running


async def fought(kind: str, plan: fight.Plan) -> tuple[fight.Fight, Verdict]:
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        if kind == "sqlite":
            return await fight.on_sqlite(Path(folder), plan)
        with running() as server:
            prepare(server)
            return await fight.on_postgres(Path(folder), server, plan)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kinds", nargs="*", default=["postgres", "sqlite"])
    given = parser.parse_args()
    plan = fight.Plan(runs=given.runs, faults=given.faults, seed=given.seed)
    bad = 0
    for kind in given.kinds:
        began = time.monotonic()
        held, verdict = asyncio.run(fought(kind, plan))
        took = time.monotonic() - began
        deaths = sum(one.deaths for one in held.processes)
        print(
            f"{kind}: {verdict.runs} runs, {len(held.struck)} faults ({deaths} processes died) in "
            f"{took:.0f} s; ended {dict(verdict.statuses)}, calls {dict(verdict.results)}, "
            f"taken up again {verdict.resumed} times, asked {dict(verdict.checked)}, parked "
            f"{verdict.parked}; streams whole {verdict.streamed}; wrong: {len(verdict.wrong)}"
        )
        for line in verdict.wrong:
            print(f"  {line}")
        bad += len(verdict.wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
