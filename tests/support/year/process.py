"""An engine as a process of its own, on a clock that a test moves.

python -m tests.support.year.process AGENT_FOLDER SETTINGS_FILE CLOCK_FILE
"""

import os
import sys
from pathlib import Path

import anyio

from pointsman import bootstrap, settings
from tests.support.file_clock import FileClock


async def main(folder: Path, file: Path, clock: Path) -> None:
    given = settings.load(os.environ, file=file, folder=folder)
    async with bootstrap.opened([folder], given, clock=FileClock(clock)) as service:
        await service.recover()
        print("serving", flush=True)
        await service.serve()


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
