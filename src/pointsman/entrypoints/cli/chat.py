"""``pointsman chat``: a conversation in the terminal."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.sentences import plain_answer
from pointsman.domain.tasks import run_tasks
from pointsman.entrypoints.cli.foreground import Foreground, foreground
from pointsman.entrypoints.cli.render import print_runs, tokens
from pointsman.entrypoints.cli.screen import Screen
from pointsman.entrypoints.cli.session import confirmations, session_with
from pointsman.entrypoints.cli.terminal import Terminal
from pointsman.errors import PointsmanError
from pointsman.settings import Settings

PROMPT = "› "


def chat(
    folder: Path, settings: Settings, terminal: Terminal, *, user: str, conversation: str
) -> int:
    """Talk until the input ends."""
    screen = Screen(terminal, steps=True, live=terminal.interactive)
    opened = session_with(
        folder, settings, user=user, show=screen.show, conversation=conversation, stream=True
    )
    with foreground(opened) as front:
        return _Chat(front, terminal).talk()


class _Chat:
    def __init__(self, front: Foreground, terminal: Terminal) -> None:
        self._front, self._session, self._terminal = front, front.session, terminal
        self._typed = sys.stdin.isatty()
        self._commands: dict[str, Callable[[], None]] = {
            "/new": self._new,
            "/usage": self._usage,
            "/runs": self._runs,
            "/help": partial(terminal.tell, "chat.help"),
        }

    def talk(self) -> int:
        """Read and answer, line by line."""
        if self._typed:
            self._greet()
        while True:
            try:
                text = self._read().strip().lstrip("\ufeff")
            except EOFError:
                return 0
            except KeyboardInterrupt:
                self._terminal.mention("chat.leave")
                continue
            if text == "/quit":
                return 0
            if text in self._commands:
                self._guarded(self._commands[text])
            elif text.startswith("/") and text[1:].isalpha():
                self._terminal.mention("chat.unknown", command=text)
            elif text:
                self._guarded(partial(self._answer, text))

    def _guarded(self, act: Callable[[], None]) -> None:
        """A failure ends what was asked for, not the conversation."""
        try:
            act()
        except PointsmanError as fault:
            self._terminal.note(str(fault), "red")

    def _greet(self) -> None:
        import readline  # noqa: F401 - makes input() editable

        agent = next(iter(self._session.service.agents))
        name = agent.spec.title or agent.spec.name
        self._terminal.mention("chat.hello", "bold", name=name, model=agent.model.name)

    def _read(self) -> str:
        if self._typed:
            try:
                return input(PROMPT)
            except EOFError:
                self._terminal.note("")
                raise
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    def _answer(self, text: str) -> None:
        """Take the text as a yes or no when one is waited for, else as a message."""
        session = self._session
        waiting = confirmations(session.run) if session.run else ()
        word = plain_answer(text) if waiting else None
        if word is None:
            act = partial(session.say, text)
        else:
            act = partial(session.decide, waiting[0], approved=word)
        run = self._front.carry(act, escape=True)
        if run.status is RunStatus.WAITING:
            self._ask(run)

    def _ask(self, run: Run) -> None:
        """Put the next question of a run that waits."""
        mine = confirmations(run)
        asked = [call.approval.question for call in mine if call.approval]
        self._terminal.answer(asked[0] if asked else run.said, "yellow")
        if not mine and run_tasks.waiting(run):
            self._terminal.mention("wait.role", run=run.id)

    def _new(self) -> None:
        self._session.conversation, self._session.run = "", None
        self._terminal.mention("chat.new")

    def _usage(self) -> None:
        session = self._session
        if session.conversation:
            usage = self._front.call(
                partial(self._session.service.usage, conversation=session.conversation)
            )
            spent = tokens(usage, self._terminal.language)
            self._terminal.tell("usage.conversation", tokens=spent)
        usage = self._front.call(partial(self._session.service.usage, user=session.user))
        spent = tokens(usage, self._terminal.language)
        self._terminal.tell("usage.user", user=session.user, tokens=spent)

    def _runs(self) -> None:
        found = self._front.call(
            partial(self._session.service.runs, user=self._session.user, limit=10)
        )
        print_runs(found, self._terminal)
