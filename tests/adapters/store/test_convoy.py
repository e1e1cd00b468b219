"""Several processes on one file: none waits for ever, and the log beside the file stays small."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

WRITER = """
import sys, time
from pathlib import Path

import anyio
import msgspec

from pointsman.adapters.store.sqlite import sqlite
from tests.support.engine import say, service_of


async def main(file: str, name: str) -> None:
    store = sqlite(Path(file))
    service = await service_of(lambda request: "x" * 2_000, store=store)
    print("ready", flush=True)
    sys.stdin.readline()
    took, until = [], time.monotonic() + 3
    while time.monotonic() < until:
        begun = time.monotonic()
        await say(service, user=name)
        took.append(time.monotonic() - begun)
    await service.aclose()
    print(msgspec.json.encode(took).decode())


anyio.run(main, *sys.argv[1:])
"""
LARGEST = 16_000_000
"""Bytes of the write-ahead log; it is begun anew at some 8 MB unless a reader holds it."""
FREEZE = 10
"""Seconds that a write takes when the processes are in each other's way."""


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param("X25", id="X25")])
def test_processes_on_one_file_take_turns(tmp_path: Path, case: str) -> None:
    file = tmp_path / "p.db"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file), f"w{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    logs = []
    while any(writer.poll() is None for writer in writers):
        with suppress(subprocess.TimeoutExpired):
            writers[0].wait(timeout=0.1)
        with suppress(FileNotFoundError):  # it is not there yet, or no more
            logs.append(file.with_name("p.db-wal").stat().st_size)
    took = [msgspec.json.decode(w.communicate()[0], type=list[float]) for w in writers]
    assert [writer.returncode for writer in writers] == [0] * 4
    assert max(logs) < LARGEST
    counts = [len(one) for one in took]
    assert min(counts) * 5 > max(counts), counts
    assert max(seconds for one in took for seconds in one) < FREEZE
