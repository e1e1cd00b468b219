"""``pointsman ask``: one message, one reply, and an exit code that says how it went."""

import math
import shlex
import sys
from functools import partial
from pathlib import Path

import anyio

from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.entrypoints.cli.choices import data_option
from pointsman.entrypoints.cli.foreground import foreground
from pointsman.entrypoints.cli.screen import Screen
from pointsman.entrypoints.cli.session import Session, confirmations, session_with
from pointsman.entrypoints.cli.shapes import run_shape
from pointsman.entrypoints.cli.terminal import Terminal, print_json
from pointsman.errors import CallerError
from pointsman.settings import Settings

CODES = {
    RunStatus.DONE: 0,
    RunStatus.FAILED: 3,
    RunStatus.WAITING: 4,
    RunStatus.CANCELLED: 130,
}
"""Exit codes; 2 is a mistake of the caller."""


def message_from(text: str) -> str:
    """The text, or all of stdin for ``-``.

    Raises:
        CallerError: there is nothing in it, or it is not UTF-8.
    """
    if text == "-":
        try:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise CallerError(f"the text on stdin is not UTF-8 (byte {fault.start})") from None
    if not text.strip():
        raise CallerError("the message is empty")
    return text.strip()


def ask(
    folder: Path,
    text: str,
    settings: Settings,
    terminal: Terminal,
    *,
    user: str,
    conversation: str,
    steps: bool,
    as_json: bool,
    timeout: float | None,
) -> int:
    """Carry one message to its reply and print it."""
    screen = Screen(terminal, steps=steps, live=terminal.interactive, replies=not as_json)
    opened = session_with(
        folder,
        settings,
        user=user,
        show=screen.show,
        conversation=conversation,
        stream=terminal.interactive and not as_json,
    )
    with foreground(opened) as front:
        run = front.carry(partial(_say, front.session, text, seconds=timeout))
    if as_json:
        print_json(run_shape(run))
    elif run.status is RunStatus.WAITING:
        _tell_waiting(run, folder, settings, terminal)
    return CODES[run.status]


async def _say(session: Session, text: str, *, seconds: float | None) -> Run:
    """The run of a message; the end of the time cancels it."""
    await session.submit(text)
    with anyio.move_on_after(math.inf if seconds is None else seconds):
        return await session.follow()
    await session.cancel(f"no answer within {seconds:g} s")
    return await session.follow()


def _tell_waiting(run: Run, folder: Path, settings: Settings, terminal: Terminal) -> None:
    """The questions of a run that waits, and how to answer them."""
    terminal.answer(run.said, "yellow")
    mine, words = confirmations(run), run_tasks.words_wanted(run)
    alone = run_tasks.is_one_by_one(run) or len(mine) == len(run_tasks.waiting(run)) == 1
    if words or alone:
        again = f"pointsman ask {shlex.quote(str(folder))}"
        options = f"--conversation {run.conversation} --user {shlex.quote(run.user)}"
        if data := data_option(folder, settings):
            options += f" --data {shlex.quote(str(data))}"
        terminal.mention("wait.user", command=f"{again} {'…' if words else 'yes'} {options}")
    else:
        terminal.mention("wait.role", run=run.id)
