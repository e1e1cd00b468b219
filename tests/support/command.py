"""The ``pointsman`` command in a folder of its own: inside of this process, or as a process."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from pointsman.entrypoints.cli.border import main

COMMAND = str(Path(sys.executable).parent / "pointsman")

LINGERING = """\
agent: slow
language: en
tools:
  - python: tools:linger
  - python: tools:note_down
policy:
  - {tool: note_down, then: approve, by: finance}
offline:
  calls:
    linger: {tool: linger, when: [linger]}
    note: {tool: note_down, when: [note]}
  fallback: What?
"""
"""An agent with a tool that does not end and one that a role must approve."""

LINGERING_TOOLS = '''\
from pathlib import Path

import anyio

from pointsman import Risk, tool


@tool(risk=Risk.READ, timeout=300)
async def linger() -> str:
    """Take very long."""
    Path(__file__).with_name("lingers").touch()
    await anyio.sleep_forever()
    return "never"


@tool
def note_down() -> str:
    """Write a note."""
    return "done"
'''


class Done(Struct, frozen=True):
    """What a command printed."""

    stdout: str
    stderr: str


class Command:
    """Runs the command in a folder, with nothing of the machine's own settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if name[:10] != "POINTSMAN_"}
        self.environment = {**kept, "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}

    def run(self, *arguments: str, stdin: str = "", code: int = 0, **environment: str) -> Done:
        """Run it here. One that ends with another exit code fails the test."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        before = sys.stdin, sys.stdout, sys.stderr, dict(os.environ)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
        sys.stdout, sys.stderr = out, err
        os.environ.clear()
        os.environ.update({**self.environment, **environment})
        try:
            with chdir(self.folder):
                returned = main(arguments)
        finally:
            sys.stdin, sys.stdout, sys.stderr = before[:3]
            os.environ.clear()
            os.environ.update(before[3])
        return self._done(returned, code, _text(out), _text(err))

    def process(self, *arguments: str, stdin: str = "", code: int = 0) -> Done:
        """Run it as a process of its own."""
        done = subprocess.run(
            [COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        return self._done(done.returncode, code, done.stdout, done.stderr)

    def _done(self, returned: int, code: int, stdout: str, stderr: str) -> Done:
        assert returned == code, f"exit code {returned}\n{stdout}\n{stderr}"
        assert "Traceback" not in stderr, stderr
        return Done(stdout, stderr)

    def json(self, *arguments: str, code: int = 0) -> Any:
        """What the command printed as JSON; nothing else may stand on stdout."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

    def reach(self, run: str, status: str) -> Any:
        """The run as it is shown, when it has come so far."""
        while True:
            shown = self.json("runs", "show", run)
            if shown["status"] == status:
                return shown

    @contextmanager
    def started(self, *arguments: str, **streams: Any) -> Iterator[subprocess.Popen[str]]:
        """The running process; it is killed when the test goes on without having ended it."""
        process = subprocess.Popen(
            [COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            encoding="utf-8",
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.communicate()

    def slow_agent(self) -> Path:
        """A folder with an agent whose tool never ends."""
        folder = self.folder / "slow"
        folder.mkdir()
        (folder / "agent.yaml").write_text(LINGERING, encoding="utf-8")
        (folder / "tools.py").write_text(LINGERING_TOOLS, encoding="utf-8")
        return folder


def _text(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def until(process: subprocess.Popen[str], words: str) -> str:
    """What the process wrote to stdout up to a line with these words."""
    assert process.stdout is not None
    seen = ""
    while words not in seen:
        line = process.stdout.readline()
        assert line, f"{words!r} never came:\n{seen}"
        seen += line
    return seen


def wait_for(mark: Path) -> None:
    """Return when another process has left this file; takes it away."""
    while not mark.exists():
        time.sleep(0.01)
    mark.unlink()
