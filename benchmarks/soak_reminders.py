"""A simulated year of 1,000 reminders with 50 processes killed; what came of it as a line.

python -m benchmarks.soak_reminders [--reminders 1000] [--kills 50] [--days 365] [sqlite|postgres …]
"""

import argparse
import asyncio
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.postgres import TEMPLATE, prepare, running
from tests.support.year.judging import Verdict
from tests.support.year.living import lived
from tests.support.year.plan import Span

START = datetime(2025, 1, 1, tzinfo=UTC)


def tell(words: str) -> None:
    print(f"  {words}", file=sys.stderr, flush=True)


def on(kind: str, span: Span) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="year-") as folder:
        if kind == "sqlite":
            return asyncio.run(lived(Path(folder), span, tell=tell))
        with running() as server:
            prepare(server)
            url = server.create(TEMPLATE)
            return asyncio.run(lived(Path(folder), span, url, processes=2, tell=tell))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reminders", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgres"])
    given = parser.parse_args()
    span = Span(
        start=START,
        end=START + timedelta(days=given.days),
        reminders=given.reminders,
        kills=given.kills,
        jumps=max(given.kills // 5, 1),
        seed=given.seed,
    )
    bad = 0
    for kind in given.kinds:
        began = time.monotonic()
        verdict = on(kind, span)
        print(
            f"{kind}: {span.reminders} reminders, {verdict.expected} occasions, {span.kills} "
            f"kills, {span.jumps} jumps back in {time.monotonic() - began:.0f} s; "
            f"{dict(verdict.states)}, {verdict.passed} passed over for a later one, delivered "
            f"{dict(verdict.delivered)}, {verdict.runs} runs, {verdict.repeats} letters sent again "
            f"with their key; wrong: {len(verdict.wrong)}"
        )
        for line in verdict.wrong[:50]:
            print(f"  {line}")
        bad += len(verdict.wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
